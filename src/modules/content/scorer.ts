// Where a content is scored. Small ones are, at once, in the process; what is over 128 K characters, in a thread with a
// limit of time and memory, so that no customer's megabyte holds up the requests of others. Subject, html and text count
// together. A content that goes beyond the limits costs the thread, not the process, and has no score: content-score says
// 503, and for a mail on its way risk/content.ts tells what then holds.

import { type ThreadOptions, threadFor } from '../../platform/thread.ts'
import { scoreContent } from './score.ts'
import type { ContentQuestion, ContentScore } from './types.ts'

/** What may be scored on the main thread: some 3 ms of html, 10 ms of the worst that is known. */
export const INLINE_CHARS = 131_072
/** Some 60 ms are needed for the worst megabyte; the rest is for a thread that must start on a busy machine. */
export const SCORER_LIMITS: Omit<ThreadOptions, 'file'> = { withinMs: 8_000, memoryMb: 192 }
const THREAD = new URL('./large-thread.ts', import.meta.url)

export interface ContentScorer {
  /** @throws when the engine fails, or the content goes beyond the limits */
  score(question: ContentQuestion): ContentScore | Promise<ContentScore>
  close(): Promise<void>
}

/** @param file what the thread runs */
export function contentScorer(limits: Partial<ThreadOptions> = {}): ContentScorer {
  const thread = threadFor<ContentQuestion, ContentScore>({ file: THREAD, ...SCORER_LIMITS, ...limits })
  return {
    score: (question) => {
      const { subject, html, text } = question
      const chars = subject.length + (html?.length ?? 0) + (text?.length ?? 0)
      return chars <= INLINE_CHARS ? scoreContent(question) : thread.run(question)
    },
    close: () => thread.close(),
  }
}
