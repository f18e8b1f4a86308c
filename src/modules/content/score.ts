// The content score: 100 less the points of what was found, at least 0. Low risk from 80, medium from 60, high from 40,
// critical below (contract section 15). A pure function; its time grows with the length of what it reads, and of each
// part it reads MAX_LOOK_CHARS at most.

import { type HtmlFacts, htmlFacts } from './html.ts'
import { linkMatches } from './links.ts'
import type { ContentLevel, ContentQuestion, ContentScore, Location, Match } from './types.ts'
import { VOCABULARIES } from './words.ts'

const MAX_LOOK_CHARS = 1_048_576
const MAX_WORD_CHARS = 131_072
const CLIPPED_BYTES = 102_400
const MAX_MATCH_CHARS = 120
const PREHEADER_CHARS = 300
const IMAGE_TEXT_CHARS = 30

export function scoreContent({ subject, html, text }: ContentQuestion): ContentScore {
  const facts = html === null ? null : htmlFacts(html.slice(0, MAX_LOOK_CHARS))
  const body = (facts?.text ?? text ?? '').slice(0, MAX_WORD_CHARS)
  const place: Location = facts === null ? 'text' : 'html'
  const matches = [
    ...wordMatches(subject, body, place),
    ...subjectMatches(subject),
    ...characterMatches(subject, 'subject'),
    ...characterMatches(body, place),
    ...linkMatches(facts?.links ?? [], body, place),
    ...(facts === null || html === null ? [] : structureMatches(facts, html, text)),
  ]
  const score = Math.max(0, 100 - matches.reduce((total, { points }) => total + points, 0))
  const heaviest = [...matches].sort((a, b) => b.points - a.points)
  return { score, level: levelOf(score), matches, suggestions: [...new Set(heaviest.map((one) => one.suggestion))] }
}

function levelOf(score: number): ContentLevel {
  if (score >= 80) return 'low'
  if (score >= 60) return 'medium'
  return score >= 40 ? 'high' : 'critical'
}

export function severityOf(points: number): Match['severity'] {
  if (points >= 20) return 'high'
  if (points >= 10) return 'medium'
  return points >= 4 ? 'low' : 'info'
}

function wordMatches(subject: string, body: string, place: Location): Match[] {
  return VOCABULARIES.flatMap(({ rule, pattern, pointsEach, maxPoints, description, suggestion }) => {
    const seen = new Map<string, Location>()
    for (const [location, part] of [
      ['subject', subject],
      [place, body],
    ] as const) {
      for (const [phrase] of part.toLowerCase().matchAll(pattern)) if (!seen.has(phrase)) seen.set(phrase, location)
    }
    let left = maxPoints
    return [...seen].flatMap(([match, location]): Match[] => {
      const points = Math.min(pointsEach, left)
      left -= points
      if (points === 0) return []
      return [
        { rule, category: 'language', points, severity: severityOf(points), location, match, description, suggestion },
      ]
    })
  })
}

function found(part: Omit<Match, 'severity'>): Match {
  return { ...part, match: part.match.slice(0, MAX_MATCH_CHARS), severity: severityOf(part.points) }
}

function subjectMatches(subject: string): Match[] {
  const matches: Match[] = []
  const add = (rule: string, points: number, description: string, suggestion: string): void => {
    matches.push(
      found({ rule, category: 'subject', points, location: 'subject', match: subject, description, suggestion }),
    )
  }
  const letters = subject.replaceAll(/[^\p{L}]/gu, '')
  const capitals = letters.replaceAll(/[^\p{Lu}]/gu, '').length
  if (subject.trim() === '')
    add('subject_empty', 6, 'The subject is empty', 'Say in the subject what the mail is about')
  if (letters.length >= 10 && capitals / letters.length > 0.7)
    add('subject_capitals', 10, 'The subject is written in capitals', 'Write the subject as a sentence')
  if ((subject.match(/[!¡]/g)?.length ?? 0) >= 2)
    add('subject_exclamation', 8, 'The subject has several exclamation marks', 'Use one or none')
  if (/[$€£]{2}/.test(subject)) add('subject_money', 10, 'The subject has a row of currency signs', 'Leave them out')
  return matches
}

const ZERO_WIDTH_IN_WORD = /\p{L}[\u200b\u200c\u2060\ufeff\u00ad]{1,4}(?=\p{Script=Latin})/u
const MIXED_WORD =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u

function characterMatches(text: string, location: Location): Match[] {
  const mixed = MIXED_WORD.exec(text)
  const hidden = ZERO_WIDTH_IN_WORD.exec(text)
  const around = (at: number): string => text.slice(Math.max(0, at - 10), at + 20)
  return [
    ...(mixed === null
      ? []
      : [
          found({
            rule: 'mixed_scripts',
            category: 'characters',
            points: 25,
            location,
            match: around(mixed.index),
            description: 'A word mixes letters of two alphabets that look alike',
            suggestion: 'Write the word in one alphabet',
          }),
        ]),
    ...(hidden === null
      ? []
      : [
          found({
            rule: 'invisible_characters',
            category: 'characters',
            points: 15,
            location,
            match: around(hidden.index),
            description: 'Invisible characters stand within a word',
            suggestion: 'Remove the invisible characters',
          }),
        ]),
  ]
}

function structureMatches(facts: HtmlFacts, html: string, text: string | null): Match[] {
  const matches: Match[] = []
  const add = (rule: string, points: number, match: string, description: string, suggestion: string): void => {
    const category = rule.startsWith('html_') ? 'html' : 'structure'
    matches.push(found({ rule, category, points, location: 'html', match, description, suggestion }))
  }
  const textChars = facts.text.trim().length
  for (const name of facts.active)
    add('html_active', 18, `<${name}>`, 'Mail clients drop this element and filters distrust it', `Remove <${name}>`)
  if (facts.images > 0 && textChars < IMAGE_TEXT_CHARS)
    add(
      'html_image_only',
      22,
      `${facts.images} images`,
      'Images with hardly any text',
      'Say in text what the images say',
    )
  if (facts.hiddenChars > PREHEADER_CHARS)
    add('html_hidden_text', 18, `${facts.hiddenChars} characters`, 'Much text is hidden', 'Hide a preheader at most')
  if (html.length > CLIPPED_BYTES)
    add('size_clipped', 4, `${html.length} characters`, 'Gmail clips html of more than 102 KB', 'Shorten the html')
  if (text === null)
    add('text_part_missing', 1, 'text', 'There is no text part; one is made from the html', 'Give a text of your own')
  return matches
}
