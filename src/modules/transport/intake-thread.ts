// The thread that parses TLS reports: a mail in, its report out (null: none). Any damage by hostile bytes ends with the thread.

import { parentPort } from 'node:worker_threads'
import { readTlsReportMail } from '../../mail/aggregate-reports/tls-mail.ts'

parentPort?.on('message', (raw: Uint8Array) => {
  parentPort?.postMessage(readTlsReportMail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)))
})
