// Rules about form: the subject, character tricks, text hidden by the HTML, images without words, the text part, the size.

import { type Finding } from './finding.ts'
import type { HtmlFacts } from './html.ts'
import type { LexiconMatcher } from './lexicon.ts'
import type { Category, ContentQuestion, Location } from './types.ts'
import type { Sign } from './word-events.ts'

/** Gmail shows at most this much HTML, in bytes of UTF-8; it hides the rest, including the unsubscribe link, behind a link. */
export const CLIPPED_BYTES = 102_400
const CLIP_WARNED_BYTES = 92_160
const PREHEADER_CHARS = 400
const TRICK_CHARS = 220
const LATE_TRICK_CHARS = 20
const LONG_SUBJECT_CHARS = 150
const FEW_WORDS = 12

const finding = (
  category: Category,
  location: Location,
  [rule, points, fraud]: readonly [string, number, number],
  match: string,
  description: string,
  suggestion: string,
  offset: number | null = 0,
): Finding => ({ rule, category, points, fraud, location, offset, match, description, suggestion })

export function subjectFindings(subject: string): Finding[] {
  const found: Finding[] = []
  const add = (rule: string, points: number, description: string, suggestion: string): void => {
    found.push(finding('subject', 'subject', [rule, points, 0], subject, description, suggestion))
  }
  const letters = subject.replaceAll(/[^\p{L}]/gu, '')
  const capitals = letters.replaceAll(/[^\p{Lu}]/gu, '').length
  if (subject.trim() === '')
    add('subject_empty', 6, 'The subject is empty', 'Say in the subject what the mail is about')
  if (letters.length >= 10 && capitals / letters.length > 0.7)
    add('subject_capitals', 9, 'The subject is written in capitals', 'Write the subject as a sentence')
  const calls = subject.match(/[!¡]/g)?.length ?? 0
  if (calls >= 3 || /!{2}/.test(subject))
    add('subject_exclamation', 7, 'The subject has several exclamation marks', 'Use one or none')
  if (/[$€£]{2}/.test(subject)) add('subject_money', 8, 'The subject has a row of currency signs', 'Leave them out')
  if (/\S[ \t\u00a0]{5,}\S/.test(subject))
    add('subject_padding', 8, 'The subject hides something behind blanks', 'Leave out the blanks and what follows')
  if (subject.length > LONG_SUBJECT_CHARS)
    add('subject_long', 1, 'The subject is longer than what is shown', 'Say it in 60 characters')
  return found
}

const SIGNS: Readonly<
  Record<
    Exclude<Sign, 'emoji' | 'exclamation'>,
    readonly [rule: string, points: number, fraud: number, description: string, suggestion: string]
  >
> = {
  mixed: [
    'mixed_scripts',
    20,
    2,
    'A word mixes letters of two alphabets that look alike',
    'Write the word in one alphabet',
  ],
  lookalike: [
    'lookalike_letters',
    22,
    2,
    'A word is written in letters that look like Latin ones',
    'Write the word in its own alphabet',
  ],
  invisible: [
    'invisible_characters',
    12,
    2,
    'Invisible characters stand within a word',
    'Remove the invisible characters',
  ],
  bidi: [
    'reversed_text',
    20,
    2,
    'A character turns the letters after it round',
    'Remove the character U+202E or U+202D',
  ],
  spaced: ['spaced_letters', 4, 1, 'A word is written with blanks between its letters', 'Write the word as a word'],
  digits: [
    'digits_for_letters',
    10,
    1,
    'A word has digits or signs in the place of letters',
    'Write the word with its letters',
  ],
  styled: [
    'styled_letters',
    6,
    1,
    'Letters are taken from the mathematical signs',
    'Use plain letters: screen readers cannot read these',
  ],
}

export function characterFindings(
  matcher: LexiconMatcher,
  partOf: (location: Location) => string,
  show: (part: string, start: number, end: number) => string,
): Finding[] {
  const found: Finding[] = []
  for (const [sign, { location, start, end }] of matcher.signs) {
    if (sign === 'emoji' || sign === 'exclamation') continue
    const [rule, points, fraud, description, suggestion] = SIGNS[sign]
    found.push(
      finding(
        'characters',
        location,
        [rule, points, fraud],
        show(partOf(location), start, end),
        description,
        suggestion,
        start,
      ),
    )
  }
  return found
}

export function shapeFindings(matcher: LexiconMatcher, location: Location): Finding[] {
  const found: Finding[] = []
  const shouts = matcher.signs.get('exclamation')?.count ?? 0
  if (shouts > 6 && shouts > matcher.words / 40)
    found.push(
      finding(
        'language',
        location,
        ['exclamations', 5, 0],
        `${shouts} exclamation marks`,
        'Many exclamation marks',
        'Use one or none',
        null,
      ),
    )
  if (matcher.words > 20 && matcher.capitalWords / matcher.words > 0.2)
    found.push(
      finding(
        'language',
        location,
        ['capitals', 7, 0],
        `${matcher.capitalWords} words`,
        'Much is written in capitals',
        'Write sentences',
        null,
      ),
    )
  const smiles = matcher.signs.get('emoji')
  if (smiles !== undefined && smiles.location === 'subject' && smiles.count > 3)
    found.push(
      finding(
        'subject',
        'subject',
        ['subject_emoji', 3, 0],
        `${smiles.count} emoji`,
        'The subject has many emoji',
        'Use one or none',
      ),
    )
  return found
}

export function htmlFindings(facts: HtmlFacts, words: number, html: string): Finding[] {
  const found: Finding[] = []
  const add = (
    rule: string,
    points: number,
    offset: number | null,
    match: string,
    description: string,
    suggestion: string,
    fraud = 0,
  ): void => {
    found.push(finding('html', 'html', [rule, points, fraud], match, description, suggestion, offset))
  }
  for (const [i, { name, offset }] of facts.active.slice(0, 4).entries())
    add(
      'html_active',
      i === 0 ? 10 : 2,
      offset,
      name,
      'Mail clients drop this and filters distrust it',
      `Remove ${name}`,
    )
  if (facts.refresh !== null)
    add(
      'html_refresh',
      24,
      facts.refresh,
      '<meta http-equiv="refresh">',
      'The mail leads elsewhere by itself',
      'Remove it',
      2,
    )
  if (facts.passwordField !== null)
    add(
      'html_password_field',
      50,
      facts.passwordField,
      '<input type="password">',
      'The mail itself asks for a password',
      'Link to a page of your own domain that asks for it',
      2,
    )
  if (facts.dataImage !== null)
    add(
      'html_data_image',
      4,
      facts.dataImage,
      'data:',
      'Gmail and Outlook do not show images that stand in the html',
      'Attach it and refer to it by cid:, or link to it',
    )
  pictures(facts, words, add)
  hiding(facts, add)
  size(html, add)
  return found
}

type Add = (
  rule: string,
  points: number,
  offset: number | null,
  match: string,
  description: string,
  suggestion: string,
  fraud?: number,
) => void

function pictures({ images, firstImage, imagesWithoutAlt }: HtmlFacts, words: number, add: Add): void {
  if (images === 0) return
  const inWords = 'Say in text what the images say'
  if (words < FEW_WORDS)
    add(
      'html_image_only',
      17,
      firstImage,
      `${images} images, ${words} words`,
      'Images with hardly any text',
      inWords,
      1,
    )
  else if (images >= 3 && words / images < 6)
    add('html_few_words', 5, firstImage, `${images} images, ${words} words`, 'Many images for little text', inWords)
  if (imagesWithoutAlt > 0)
    add(
      'html_alt_missing',
      1,
      firstImage,
      `${imagesWithoutAlt} images`,
      'Images without a text for those who do not see them',
      'Give each image an alt text',
    )
}

function hiding({ hiddenChars, visibleChars, trickChars, lateTrickChars, firstTrick }: HtmlFacts, add: Add): void {
  const plainly = hiddenChars - trickChars
  if (trickChars > TRICK_CHARS || lateTrickChars > LATE_TRICK_CHARS)
    add(
      'html_hidden_text',
      12,
      firstTrick,
      `${trickChars} characters`,
      'Text is hidden by its size, its colour or its place',
      'Remove the hidden text',
      1,
    )
  else if (plainly > PREHEADER_CHARS && plainly > visibleChars)
    add(
      'html_hidden_text',
      9,
      null,
      `${plainly} characters`,
      'More text is hidden than shown',
      'Hide a preheader at most',
    )
}

function size(html: string, add: Add): void {
  if (html.length * 3 <= CLIP_WARNED_BYTES) return
  const bytes = Buffer.byteLength(html)
  const advice = 'Shorten the html: leave out comments, unused styles and repeated inline styles'
  if (bytes > CLIPPED_BYTES)
    add(
      'size_clipped',
      4,
      null,
      `${bytes} bytes`,
      'Gmail clips html of more than 102 KB: the end, with the way to unsubscribe, is not shown',
      advice,
    )
  else if (bytes > CLIP_WARNED_BYTES)
    add(
      'size_near_clip',
      0,
      null,
      `${bytes} bytes`,
      'Gmail clips html of more than 102 KB, and links grow when they are tracked',
      advice,
    )
}

export interface Whole {
  readonly question: ContentQuestion
  readonly words: number
  readonly images: number
  readonly sells: boolean
  readonly linkCount: number
  readonly canLeave: boolean
  /** Words of the text part, and how many of them also occur in the HTML; null unless both parts exist. */
  readonly overlap: { readonly words: number; readonly known: number } | null
}

export function wholeFindings({ question, words, images, sells, linkCount, canLeave, overlap }: Whole): Finding[] {
  const { html, text, bulk, unsubscribable } = question
  const found: Finding[] = []
  const place: Location = html === null ? 'text' : 'html'
  const add = (
    rule: string,
    points: number,
    location: Location,
    match: string,
    description: string,
    suggestion: string,
  ): void => {
    found.push(finding('structure', location, [rule, points, 0], match, description, suggestion, null))
  }
  if (words === 0 && images === 0)
    add('body_empty', 8, place, '', 'The mail says nothing', 'Say in the mail what it is about')
  if (html !== null && (text ?? '').trim() === '')
    add(
      'text_part_missing',
      1,
      'text',
      'text',
      'There is no text part; one is made from the html',
      'Give a text of your own',
    )
  if (overlap !== null && overlap.words >= 25 && overlap.known / overlap.words < 0.2)
    add(
      'parts_differ',
      12,
      'text',
      `${overlap.known} of ${overlap.words} words`,
      'The text part says something else than the html',
      'Say the same in both',
    )
  if (!canLeave && unsubscribable !== true) {
    const leave = 'Offer a way to unsubscribe: {{unsubscribe}} is replaced by a link'
    if (bulk === true)
      add('unsubscribe_missing', 10, place, 'unsubscribe', 'A mail to many offers no way to leave', leave)
    else if (sells && linkCount >= 3)
      add('unsubscribe_missing', 2, place, 'unsubscribe', 'Advertising that offers no way to leave', leave)
  }
  return found
}
