// The content score: 100 less the points of the findings, at least 0. Risk is low from 80, medium from 60, high from 40 and
// critical below (contract section 15). docs/content-scoring.md describes the formula, the rules and the trained part.
//
// A pure function. It reads subject, html and text once, character by character. Time and memory depend only on the length,
// and at most MAX_LOOK_CHARS of each part are read. 10 KB take about 0.12 ms, 100 KB of html about 1.3 ms.

import { saysAccountNumber } from './account-number.ts'
import { attachmentFindings } from './attachments.ts'
import { BRANDS } from './brands.ts'
import { Dictionary } from './dictionary.ts'
import { excerpt, type Finding, matchOf } from './finding.ts'
import { type HtmlFacts, type Link, readHtml } from './html.ts'
import { ANYWHERE, type Compiled, compile, type Hit, type Lexicon, LexiconMatcher } from './lexicon.ts'
import { EXCUSES } from './lexicon-excuses.ts'
import { FRAUD } from './lexicon-fraud.ts'
import { INTENTS } from './lexicon-intents.ts'
import { PLOYS } from './lexicon-ploys.ts'
import { SCAMS } from './lexicon-scams.ts'
import { SELLING } from './lexicon-selling.ts'
import { brandWithoutLink, isFreeMail, labelOf, leadOut, linkFindings } from './links.ts'
import { FeatureCollector, trainedModel } from './model.ts'
import { Reader } from './reader.ts'
import { senderFindings } from './sender.ts'
import { characterFindings, htmlFindings, shapeFindings, subjectFindings, wholeFindings } from './structure.ts'
import type { ContentLevel, ContentQuestion, ContentScore, Location } from './types.ts'

/** Changes whenever the same content may get a different score. */
export const CONTENT_VERSION = '2.7.1'

const MAX_LOOK_CHARS = 1_048_576
/** Points for each further strong sign of fraud, and for each weak sign beside a strong one. */
const STRONG_BONUS = 16
const WEAK_BONUS = 6
const MAX_BONUS = 40
/** Fraud is short. In a longer mail words occur together by chance, so they weigh less in proportion to its length. */
const LETTER_WORDS = 450
const LEAST_SHARE = 0.3
/** Share of the points that remains for a lesson about fraud, which quotes the language of fraud. */
const LESSON_SHARE = 0.1
const BRAND_SET = 'brand:'
/** Words for those who speak for an organisation: `Your Acme team`, `Acme Support`. */
const ROLES = `team teams support service services security safety customer_service customer_care help center centre billing
  department sicherheit kundenservice kundendienst kundeninfo ihr ihre equipe service_client votre assistance
  securite equipo atencion seguridad su business notice notification account bank ag plc inc assurance direction
  agencia agency gov online id`

let compiled: Compiled | null = null

function lexicon(): Compiled {
  compiled ??= compile(everything())
  return compiled
}

function everything(): Lexicon {
  const brands = BRANDS.map(({ name, words }) => [`${BRAND_SET}${name}`, words] as const)
  const silent = { points: 0, more: 0, max: 0, fraud: 0, description: '', suggestion: '' }
  return {
    sets: {
      ...{
        ...FRAUD.sets,
        ...SCAMS.sets,
        ...SELLING.sets,
        ...INTENTS.sets,
        ...PLOYS.sets,
        ...Object.fromEntries(brands),
      },
      ...{ ...EXCUSES.sets, roles: ROLES },
    },
    concepts: {
      ...{ ...FRAUD.concepts, ...SCAMS.concepts, ...SELLING.concepts, ...INTENTS.concepts, ...PLOYS.concepts },
      ...{ ...EXCUSES.concepts, '#brand': silent, '#speaks': silent, '#signin': silent },
    },
    patterns: [
      ...[...FRAUD.patterns, ...SCAMS.patterns, ...SELLING.patterns, ...INTENTS.patterns, ...PLOYS.patterns],
      ...brands.map(([set]) => ({ concept: '#brand', sets: [set], gap: ANYWHERE })),
      ...brands.map(([set]) => ({ concept: '#speaks', sets: [set, 'roles'], gap: 2 })),
      ...EXCUSES.patterns,
      { concept: '#signin', sets: ['signin'], gap: ANYWHERE },
    ],
  }
}

/** @param question at most MAX_LOOK_CHARS of each part are read */
export function scoreContent(question: ContentQuestion): ContentScore {
  const readers = idle ?? newReaders()
  // An exception leaves the desk inconsistent, so the next mail gets a new one.
  idle = null
  readers.matcher.reset(question.html !== null && question.text !== null)
  readers.judge.reset()
  const scored = scoreAt(readers, question)
  readers.reader.tidy()
  idle = readers
  return scored
}

function scoreAt(readers: ReusedReaders, question: ContentQuestion): ContentScore {
  const { subject, html, text, attachments = [], senderDomain } = question
  const { matcher, judge, facts, links, overlap, bodyWords, htmlWords } = read(question, readers)
  const place: Location = html === null ? 'text' : 'html'
  const partOf = (location: Location): string =>
    location === 'subject' ? subject : ((location === 'html' ? html : text) ?? '')
  const own = labelOf(senderDomain)
  const concepts = conceptsOf(
    matcher,
    () => [html, text].some((part) => saysAccountNumber(part ?? '')) || leadOut(links, own),
  )
  const words = matcher.hits.filter((hit) => !hit.pattern.concept.startsWith('#') && isUnexcused(hit, concepts))
  const spoken = wordFindings(words, matcher.words, partOf)
  const hasAlarmingWords = spoken.some(({ fraud }) => fraud === 2)
  const brands = spokenBrands(matcher)
  const signals = { alarmed: hasAlarmingWords, spoken: brands.named, signsIn: concepts.has('#signin') }
  const { findings: linkFaults, labels } = linkFindings(links, signals)
  const done = [...linkFaults, ...senderFindings(question)]
  const attached = attachmentFindings(attachments, concepts.has('#recording'))
  const isLesson =
    matcher.hits.some(({ pattern, location }) => pattern.concept === '#lesson' && location === 'subject') &&
    [...labels].every((label) => own.includes(label)) &&
    matcher.phones === 0 &&
    [...done, ...attached, ...contactFindings(matcher, partOf)].every(({ fraud }) => fraud === 0)
  const alarmed = hasAlarmingWords && !isLesson
  const findings: Finding[] = [...(isLesson ? spoken.map(quoted) : spoken), ...done]
  const signs = new Set(findings.flatMap(({ rule, fraud }) => (fraud > 0 ? [rule] : []))).size
  findings.push(
    ...(signs > 0
      ? brandFindings(matcher, brands, { labels: new Set([...labels, ...own]), alarmed, signs, partOf })
      : []),
    ...(alarmed ? contactFindings(matcher, partOf) : []),
    ...subjectFindings(subject),
    ...characterFindings(matcher, partOf, excerpt),
    ...shapeFindings(matcher, place),
    ...(facts === null || html === null ? [] : htmlFindings(facts, htmlWords, html)),
    ...wholeFindings({
      ...{ question, overlap, words: bodyWords, images: facts?.images ?? 0, linkCount: links.length },
      sells: words.some(({ pattern }) => SELLING.concepts[pattern.concept] !== undefined),
      canLeave: matcher.hits.some(({ pattern }) => pattern.concept === '#leave'),
    }),
    ...attached,
  )
  findings.push(...together(findings, place), ...opinion(judge, place, findings, signs === 0))
  const score = Math.max(0, 100 - findings.reduce((sum, { points }) => sum + points, 0))
  const matches = findings.sort((a, b) => b.points - a.points).map(matchOf)
  return { score, level: levelOf(score), matches, suggestions: [...new Set(matches.map((one) => one.suggestion))] }
}

/**
 * The concepts that the mail states. A concept that another one cancels (lexicon-excuses.ts) is left out.
 *
 * @param isHere whether the mail itself gives the account, or has a link that may lead to it
 */
function conceptsOf({ hits }: LexiconMatcher, isHere: () => boolean): ReadonlySet<string> {
  const mentioned = new Set(hits.map(({ pattern }) => pattern.concept))
  if (mentioned.has('#check') && !mentioned.has('#here') && isHere()) mentioned.add('#here')
  return new Set(hits.flatMap((hit) => (isUnexcused(hit, mentioned) ? [hit.pattern.concept] : [])))
}

function isUnexcused({ pattern: { concept, unlessStated } }: Hit, concepts: ReadonlySet<string>): boolean {
  const takenBackBy = unlessStated ?? lexicon().lexicon.concepts[concept]?.unlessStated
  return takenBackBy === undefined || !concepts.has(takenBackBy)
}

/** A finding in a lesson about fraud: the subject says so, all links go to the sender's site, no phone number, no other sign. */
function quoted(finding: Finding): Finding {
  return { ...finding, points: Math.round(finding.points * LESSON_SHARE), fraud: 0 }
}

function levelOf(score: number): ContentLevel {
  if (score >= 80) return 'low'
  if (score >= 60) return 'medium'
  return score >= 40 ? 'high' : 'critical'
}

interface Read {
  readonly matcher: LexiconMatcher
  readonly judge: FeatureCollector
  readonly facts: HtmlFacts | null
  readonly links: readonly Link[]
  readonly overlap: { readonly words: number; readonly known: number } | null
  readonly bodyWords: number
  readonly htmlWords: number
}

/** The objects that read one mail after another, so that their tables are built once. Idle between two calls. */
interface ReusedReaders {
  readonly judge: FeatureCollector
  readonly matcher: LexiconMatcher
  readonly reader: Reader
}
let idle: ReusedReaders | null = null

function newReaders(): ReusedReaders {
  const judge = new FeatureCollector(trainedModel())
  const dictionary = new Dictionary(lexicon().keys, lexicon().notes, trainedModel().keys)
  const matcher = new LexiconMatcher(lexicon(), dictionary, (feature) => judge.collect(feature))
  return { judge, matcher, reader: new Reader(matcher) }
}

function read({ subject, html, text }: ContentQuestion, { judge, matcher, reader }: ReusedReaders): Read {
  const plain = (location: Location, part: string): void => {
    matcher.beginPart(location)
    reader.begin(part)
    reader.run(0, Math.min(part.length, MAX_LOOK_CHARS))
    reader.breakSentence()
  }
  plain('subject', subject)
  let facts: HtmlFacts | null = null
  let bodyWords = 0
  let htmlWords = 0
  if (html !== null) {
    const looked = html.slice(0, MAX_LOOK_CHARS)
    matcher.beginPart('html')
    reader.begin(looked)
    facts = readHtml(looked, reader)
    bodyWords = htmlWords = matcher.wordsHere()
  }
  if (text !== null) {
    plain('text', text)
    bodyWords += matcher.wordsHere()
  }
  const links = [...(facts?.links ?? [])]
  for (const { start, end, location } of matcher.addresses) {
    const part = location === 'subject' ? subject : location === 'html' ? html : text
    const target = (part ?? '').slice(start, Math.min(end, start + 2_048))
    // An address within html is displayed, not followed; the link around it is already known.
    if (location !== 'html')
      links.push({
        target: /^h\w\wps?:/i.test(target) ? target : `http://${target}`,
        text: '',
        location,
        offset: start,
      })
  }
  const overlap = html === null || text === null ? null : { words: matcher.partWords, known: matcher.partKnown }
  return { matcher, judge, facts, links, overlap, bodyWords, htmlWords }
}

function wordFindings(hits: readonly Hit[], length: number, partOf: (location: Location) => string): Finding[] {
  const spent = new Map<string, number>()
  const share = Math.max(LEAST_SHARE, Math.min(1, LETTER_WORDS / length))
  return hits.flatMap(({ pattern, location, start, end }) => {
    const { concept: rule } = pattern
    const {
      points: first,
      more,
      max,
      fraud,
      description,
      suggestion,
    } = lexicon().lexicon.concepts[rule] as Lexicon['concepts'][string]
    const before = spent.get(rule)
    const points = before === undefined ? first : Math.min(more, max - before)
    if (before !== undefined && points <= 0) return []
    spent.set(rule, (before ?? 0) + points)
    const match = excerpt(partOf(location), start, end)
    const weighed = Math.round(points * share)
    const sign = share < 0.7 ? Math.min(fraud, 1) : fraud
    return [
      {
        rule,
        category: 'language' as const,
        points: weighed,
        fraud: sign,
        location,
        offset: start,
        match,
        description,
        suggestion,
      },
    ]
  })
}

function contactFindings({ mailAddresses }: LexiconMatcher, partOf: (location: Location) => string): Finding[] {
  for (const { start, end, location } of mailAddresses) {
    const match = partOf(location).slice(start, Math.min(end, start + 300))
    if (!isFreeMail(match)) continue
    return [
      {
        ...{ rule: 'contact_free_mail', category: 'links', points: 8, fraud: 1, location, offset: start, match },
        description: 'An answer is asked for at an address that anybody can have',
        suggestion: 'Give an address of your own domain',
      },
    ]
  }
  return []
}

interface Brands {
  /** Brands that the mail names, names in the subject, and speaks for (named beside a team or a service). */
  readonly named: ReadonlySet<string>
  readonly titled: ReadonlySet<string>
  readonly speaking: ReadonlySet<string>
}

function spokenBrands({ hits }: LexiconMatcher): Brands {
  const nameOf = ({ pattern }: Hit): string => pattern.sets[0]?.slice(BRAND_SET.length) ?? ''
  const of = (hit: (one: Hit) => boolean): Set<string> => new Set(hits.filter(hit).map(nameOf))
  return {
    named: of(({ pattern }) => pattern.concept === '#brand'),
    titled: of(({ pattern, location }) => pattern.concept === '#brand' && location === 'subject'),
    speaking: of(({ pattern }) => pattern.concept === '#speaks'),
  }
}

interface BrandGround {
  /** The registered labels of the links and of the sender. */
  readonly labels: ReadonlySet<string>
  readonly alarmed: boolean
  /** Number of rules that found a sign of fraud, weak or strong. */
  readonly signs: number
  readonly partOf: (location: Location) => string
}

function brandFindings(
  { hits, phones }: LexiconMatcher,
  brands: Brands,
  { labels, alarmed, signs, partOf }: BrandGround,
): Finding[] {
  const spokenFor = new Set([...brands.speaking, ...(signs > 1 ? brands.titled : [])])
  const named = BRANDS.flatMap(({ name, isTopic }) =>
    brands.named.has(name) && (isTopic !== true || brands.titled.has(name) || brands.speaking.has(name)) ? [name] : [],
  )
  const brand = brandWithoutLink(alarmed ? new Set(named) : spokenFor, labels, phones > 0)
  const hit = hits.find(
    ({ pattern }) => pattern.concept === '#brand' && pattern.sets[0] === `${BRAND_SET}${brand?.name ?? ''}`,
  )
  if (brand === null || hit === undefined) return []
  const { location, start: offset } = hit
  const points = brands.speaking.has(brand.name) || brands.titled.has(brand.name) ? 24 : 18
  return [
    {
      ...{ rule: 'brand_without_link', category: 'links', points, fraud: 2, location, offset },
      match: excerpt(partOf(location), hit.start, hit.end),
      description: `The mail speaks in alarm of ${brand.name}, and none of its links goes there`,
      suggestion: 'Link to the site of whom you speak of',
    },
  ]
}

/** Bonus for signs of fraud that mean little alone: one strong sign and at least one other, or two others if all are words. */
function together(findings: readonly Finding[], location: Location): Finding[] {
  const rules = new Map<string, number>()
  for (const { rule, fraud } of findings) rules.set(rule, Math.max(fraud, rules.get(rule) ?? 0))
  const strong = [...rules].filter(([, fraud]) => fraud === 2)
  const weak = [...rules].filter(([, fraud]) => fraud === 1)
  const isMoreThanWords = findings.some(({ fraud, category }) => fraud > 0 && category !== 'language')
  const signs = strong.length + weak.length
  if (strong.length === 0 || signs < (isMoreThanWords ? 2 : 3)) return []
  const points = Math.min(MAX_BONUS, (strong.length - 1) * STRONG_BONUS + weak.length * WEAK_BONUS)
  return [
    {
      ...{ rule: 'signs_together', category: 'structure', points, fraud: 0, location, offset: null },
      match: [...strong, ...weak].map(([rule]) => rule).join(', '),
      description: 'Several signs of fraud stand in one mail',
      suggestion: 'Look at these findings first: one of them less counts twice',
    },
  ]
}

function opinion(
  judge: FeatureCollector,
  location: Location,
  findings: readonly Finding[],
  isAlone: boolean,
): Finding[] {
  const { points, words } = judge.opinion(isAlone)
  if (points === 0) return []
  const isSilent = words.length === 0
  // Without a known word against the mail, the words count only beside a strong sign of fraud.
  if (isSilent && !findings.some(({ fraud }) => fraud === 2)) return []
  return [
    {
      ...{ rule: 'words_of_spam', category: 'statistics', points, fraud: 0, location, offset: null },
      match: words.join(', '),
      description: isSilent
        ? 'Beside a sign of fraud no word speaks for the mail'
        : 'As a whole the words resemble those of spam; the heaviest are shown',
      suggestion: 'Say plainly what it is about, in the words of your own trade, and leave out what all advertise with',
    },
  ]
}
