// Scores the content of a message for the verdict, once. Results are cached by a hash of everything that was read, so a mail to
// many recipients, a retry, and the send after a preview cost one hash.
//
// Contents are scored one after the other, and the process does other work in between: a batch of 500 large mails must not
// delay a small one. Large contents are scored in a thread (content/scorer.ts) and do not hold up this queue. A content that
// exceeds the thread's limits counts as level `high`, which warns but does not block alone: a filter that cannot read a mail
// within its limits distrusts it too, and no mail is lost for lack of a score. That result is cached like a score, so that
// preview and send agree.
//
// The cache holds the 5,000 scores used last, each with its ten heaviest matches.

import { createHash, hash } from 'node:crypto'
import { recentlyUsed } from '../../platform/recently-used.ts'
import { timeSlices } from '../../platform/time-slices.ts'
import type { ContentLevel, ContentQuestion, ContentScore, Match } from '../content/index.ts'

/** The part of a score that verdict, snapshot and content events need. */
export interface ContentFound {
  /** 0-100, higher is better. */
  readonly score: number
  readonly level: ContentLevel
  /** Heaviest first, at most ten; without those of severity info. */
  readonly matches: readonly Match[]
}

export type ContentReader = (question: ContentQuestion) => Promise<ContentFound>

export interface ContentReaderOptions {
  readonly score: (question: ContentQuestion) => ContentScore | Promise<ContentScore>
  readonly monotonicMs: () => number
  readonly onUnscored: (error: unknown) => void
}

const MAX_SCORES = 5_000
const MAX_MATCHES = 10
/** Contents up to this size are hashed in one call: the object for incremental hashing costs more than the copy. */
const MAX_AT_ONCE_CHARS = 65_536
/** Buffer for hashing in one call. */
const CODES = Buffer.allocUnsafeSlow(2 * MAX_AT_ONCE_CHARS)

export function contentReader({ score, monotonicMs, onUnscored }: ContentReaderOptions): ContentReader {
  const remembered = recentlyUsed<Promise<ContentFound>>(MAX_SCORES)
  const turn = timeSlices({ monotonicMs })
  return (question) => {
    const key = keyOf(question)
    const known = remembered.get(key)
    if (known !== undefined) return known
    const made = turn()
      .then(() => score(question))
      .then(foundOf, (error) => {
        onUnscored(error)
        return UNSCORED
      })
    remembered.set(key, made)
    return made
  }
}

const UNSCORED: ContentFound = {
  score: 40,
  level: 'high',
  matches: [
    {
      ...{ rule: 'content_unreadable', category: 'structure', points: 60, severity: 'high', location: 'html' },
      ...{ offset: null, match: '', description: 'The content could not be read within the limits' },
      suggestion: 'Make the content smaller and its html plainer',
    },
  ],
}

function foundOf({ score, level, matches }: ContentScore): ContentFound {
  const weighty = matches.filter(({ severity }) => severity !== 'info')
  return { score, level, matches: weighty.sort((a, b) => b.points - a.points).slice(0, MAX_MATCHES) }
}

/**
 * The lengths come before the texts, so that no two questions give the same input. Most questions are hashed as UTF-16 in one
 * call: encoding them as UTF-8 would cost more than the hash.
 */
function keyOf({ subject, html, text, attachments = [], ...more }: ContentQuestion): string {
  const names = attachments.map(({ filename, contentType }) => [filename, contentType])
  const rest = JSON.stringify([names, more])
  const head = `${subject.length} ${html?.length ?? -1} ${text?.length ?? -1} ${subject}${rest}`
  const parts = [head, html ?? '', text ?? '']
  if (parts.reduce((sum, { length }) => sum + length, 0) > MAX_AT_ONCE_CHARS)
    return parts.reduce((large, part) => large.update(part), createHash('sha1')).digest('base64')
  const end = parts.reduce((at, part) => at + CODES.write(part, at, 'utf16le'), 0)
  return hash('sha1', CODES.subarray(0, end), 'base64')
}
