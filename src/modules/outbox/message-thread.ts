// The thread that reads large messages: bytes in, what is read in them out.

import { parentPort } from 'node:worker_threads'
import { asBuffer, parseMessage } from '../../mail/mime-parse.ts'

parentPort?.on('message', (raw: Uint8Array) => {
  void parseMessage(asBuffer(raw)).then((message) => parentPort?.postMessage(message))
})
