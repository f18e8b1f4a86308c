// The thread that scores large contents.

import { parentPort } from 'node:worker_threads'
import { scoreContent } from './score.ts'
import type { ContentQuestion } from './types.ts'

parentPort?.on('message', (question: ContentQuestion) => {
  parentPort?.postMessage(scoreContent(question))
})
