// The content of a message on its way to the verdict: scored once. What has been scored is remembered by a hash of all
// that was read, so a mail to many, a retry, and the send behind a preview cost a hash.
//
// Scores are made one after the other, and between them the process attends to others: a batch of 500 large mails must
// not keep a small one waiting. At most 10,000 scores and 64 MB of findings are remembered, the oldest go first.

import { createHash } from 'node:crypto'
import type { ContentQuestion, ContentScore } from '../content/index.ts'

export type ContentReader = (question: ContentQuestion) => Promise<ContentScore>

export interface ContentReaderOptions {
  readonly score: (question: ContentQuestion) => ContentScore | Promise<ContentScore>
  readonly monotonicMs: () => number
}

const MAX_SCORES = 10_000
const MAX_FINDINGS_CHARS = 32 * 1_048_576
/** So long one score after the other may keep the process from other work. */
const SLICE_MS = 5

interface Remembered {
  readonly score: Promise<ContentScore>
  chars: number
}

export function contentReader({ score, monotonicMs }: ContentReaderOptions): ContentReader {
  const remembered = new Map<string, Remembered>()
  let chars = 0
  let sinceMs = Number.NEGATIVE_INFINITY
  let last = Promise.resolve()

  const forget = (key: string): void => {
    chars -= remembered.get(key)?.chars ?? 0
    remembered.delete(key)
  }
  const pause = async (): Promise<void> => {
    if (monotonicMs() - sinceMs <= SLICE_MS) return
    await new Promise(setImmediate)
    sinceMs = monotonicMs()
  }
  return (question) => {
    const key = keyOf(question)
    const known = remembered.get(key)
    if (known !== undefined) {
      remembered.delete(key)
      remembered.set(key, known)
      return known.score
    }
    const turn = last.then(pause)
    last = turn
    const made = turn.then(() => score(question))
    const entry: Remembered = { score: made, chars: 0 }
    remembered.set(key, entry)
    made.then(
      (found) => {
        if (remembered.get(key) !== entry) return
        entry.chars = JSON.stringify(found).length
        chars += entry.chars
        for (const [oldest] of remembered) {
          if (remembered.size <= MAX_SCORES && chars <= MAX_FINDINGS_CHARS) break
          forget(oldest)
        }
      },
      () => forget(key),
    )
    return made
  }
}

/** The lengths stand before the texts, so that no two questions read alike. */
function keyOf(question: ContentQuestion): string {
  const hash = createHash('sha1')
  const { subject, html, text, attachments = [], ...more } = question
  const files = attachments.map(({ filename, contentType }) => [filename, contentType])
  const parts = [subject, html, text, JSON.stringify([files, more])]
  hash.update(parts.map((part) => part?.length ?? -1).join(' '))
  for (const part of parts) hash.update(part ?? '')
  return hash.digest('base64')
}
