// The thread that reads reports: bytes in, their content out. Any damage by hostile bytes ends with the thread.

import { parentPort } from 'node:worker_threads'
import { readReport } from '../../mail/reports/classify.ts'

parentPort?.on('message', (raw: Uint8Array) => {
  parentPort?.postMessage(readReport(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)))
})
