// The thread that scores large contents.

import { parentPort } from 'node:worker_threads'
import { collectAfter } from '../../platform/memory.ts'
import { scoreContent } from './score.ts'
import type { ContentQuestion } from './types.ts'

parentPort?.on('message', (question: ContentQuestion) => {
  parentPort?.postMessage(scoreContent(question))
  collectAfter((question.html?.length ?? 0) + (question.text?.length ?? 0))
})
