// The thread that prepares large submitted messages.

import { parentPort } from 'node:worker_threads'
import { asBuffer } from '../../mail/mime/parse.ts'
import { giveBack } from '../../platform/files/body-spool.ts'
import { type PrepareTask, preparedMail } from './submitted.ts'

parentPort?.on('message', (task: PrepareTask) => {
  const raw = asBuffer(task.raw)
  const made = preparedMail({ ...task, raw })
  const memory = made.prepared.ok ? made.prepared.submitted.message.buffer : null
  parentPort?.postMessage(made, memory instanceof ArrayBuffer ? [memory] : [])
  // Collected with the thread's garbage, it would last for several messages more.
  giveBack(raw)
})
