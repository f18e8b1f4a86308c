// The content of a message on its way to the verdict: scored once. What has been scored is remembered by a hash of all
// that was read, so a mail to many, a retry, and the send behind a preview cost a hash.
//
// Scores are made one after the other, and between them the process attends to others: a batch of 500 large mails must
// not keep a small one waiting. Large ones are scored in a thread (content/scorer.ts) and do not hold this line. A content
// that goes beyond the thread's limits counts as level `high`, which warns and does not block alone: a filter that cannot
// read a mail within its limits distrusts it too, and no mail is lost for want of a score. That is remembered as a score
// is, so that preview and send agree.
//
// The last 5,000 scores are remembered, each with its ten heaviest matches.

import { createHash, hash } from 'node:crypto'
import type { ContentLevel, ContentQuestion, ContentScore, Match } from '../content/index.ts'

/** What verdict, snapshot and content events need of a score. */
export interface ContentFound {
  /** 0-100, higher is better. */
  readonly score: number
  readonly level: ContentLevel
  /** The heaviest first, at most ten; those of severity info are left out. */
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
/** So long one score after the other may keep the process from other work. */
const SLICE_MS = 5
/** Up to here a hash is made in one call: the object of one that is made in parts costs more than the copy. */
const MAX_AT_ONCE_CHARS = 65_536
/** What is hashed at once is written here. */
const CODES = Buffer.allocUnsafeSlow(2 * MAX_AT_ONCE_CHARS)

export function contentReader({ score, monotonicMs, onUnscored }: ContentReaderOptions): ContentReader {
  const remembered = new Map<string, Promise<ContentFound>>()
  let sinceMs = Number.NEGATIVE_INFINITY
  let last = Promise.resolve()

  const pause = async (): Promise<void> => {
    if (monotonicMs() - sinceMs <= SLICE_MS) return
    await new Promise(setImmediate)
    sinceMs = monotonicMs()
  }
  return (question) => {
    const key = keyOf(question)
    const known = remembered.get(key)
    if (known !== undefined) return known
    const turn = last.then(pause)
    last = turn
    const made = turn
      .then(() => score(question))
      .then(foundOf, (error) => {
        onUnscored(error)
        return UNSCORED
      })
    remembered.set(key, made)
    const oldest = remembered.keys().next()
    if (remembered.size > MAX_SCORES && oldest.done !== true) remembered.delete(oldest.value)
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
 * The lengths stand before the texts, so that no two questions read alike. Most are hashed as they lie in memory, in one
 * go: to write them in UTF-8 would cost more than the hash.
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
