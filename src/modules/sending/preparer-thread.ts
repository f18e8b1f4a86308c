// The thread that prepares large submitted messages.

import { parentPort } from 'node:worker_threads'
import { asBuffer } from '../../mail/mime-parse.ts'
import { type PrepareTask, preparedMail } from './submitted.ts'

parentPort?.on('message', (task: PrepareTask) => {
  const made = preparedMail({ ...task, raw: asBuffer(task.raw) })
  const memory = made.prepared.ok ? made.prepared.submitted.message.buffer : null
  parentPort?.postMessage(made, memory instanceof ArrayBuffer ? [memory] : [])
})
