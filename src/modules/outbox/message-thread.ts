// The thread that reads large messages: bytes in, what is read in them out.

import { parentPort } from 'node:worker_threads'
import { parseMessage } from '../../mail/mime-parse.ts'

parentPort?.on('message', (raw: Uint8Array) => {
  void parseMessage(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)).then((message) =>
    parentPort?.postMessage(message),
  )
})
