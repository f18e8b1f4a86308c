// The thread that parses DMARC reports: a mail in, its report out (null: none). Any damage by hostile bytes ends with the thread.

import { parentPort } from 'node:worker_threads'
import { readDmarcReportMail } from '../../mail/aggregate-reports/dmarc.ts'

parentPort?.on('message', (raw: Uint8Array) => {
  parentPort?.postMessage(readDmarcReportMail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)))
})
