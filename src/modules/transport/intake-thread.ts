// The thread that reads reports about TLS: a mail in, what it tells out. Whatever the bytes do to it ends with the thread.

import { parentPort } from 'node:worker_threads'
import { readTlsReportMail } from '../../mail/tls-report-mail.ts'

parentPort?.on('message', (raw: Uint8Array) => {
  parentPort?.postMessage(readTlsReportMail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)))
})
