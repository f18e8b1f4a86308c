// A thread that reads reports like the real one, but fails on marked ones: it simulates an unknown bug on demand.

import { parentPort } from 'node:worker_threads'
import { readReport } from '../../src/mail/reports/classify.ts'

const HARM: Readonly<Record<string, () => void>> = {
  oom: () => {
    for (const held: unknown[] = []; ; ) held.push(Array.from({ length: 100_000 }, () => ({})))
  },
  loop: () => {
    for (;;);
  },
  exit: () => process.exit(1),
  throw: () => {
    throw new Error('harmed')
  },
}

parentPort?.on('message', (raw: Uint8Array) => {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const [, harm = ''] = /POISON (\w+)/.exec(bytes.toString('latin1')) ?? []
  HARM[harm]?.()
  parentPort?.postMessage(readReport(bytes))
})
