// Where content is scored. Small content is scored at once, in the process. Content over 128 K characters (subject, html and
// text together) is scored in a thread with limits on time and memory, so that one customer's megabyte does not hold up other
// requests. Content that exceeds the limits costs the thread, not the process, and gets no score: content-score answers 503,
// and risk/content.ts decides for a mail in transit.

import { type ThreadOptions, threadFor } from '../../platform/thread.ts'
import { scoreContent } from './score.ts'
import type { ContentQuestion, ContentScore } from './types.ts'

/** Most characters scored on the main thread: about 3 ms of html, 10 ms in the worst known case. */
export const INLINE_CHARS = 131_072
/** The worst megabyte takes about 60 ms; the rest allows a thread to start on a busy machine. */
export const SCORER_LIMITS: Omit<ThreadOptions, 'file'> = { withinMs: 8_000, memoryMb: 192 }
const THREAD = new URL('./large-thread.ts', import.meta.url)

export interface ContentScorer {
  /** @throws when the engine fails or the content exceeds the limits */
  score(question: ContentQuestion): ContentScore | Promise<ContentScore>
  close(): Promise<void>
}

/** @param limits overrides SCORER_LIMITS, and `file` the module that the thread runs */
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
