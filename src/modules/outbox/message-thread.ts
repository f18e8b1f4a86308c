// The thread that parses large messages: bytes in, parsed message out.

import { parentPort } from 'node:worker_threads'
import { asBuffer, parseMessage } from '../../mail/mime/parse.ts'
import { collectAfter } from '../../platform/memory.ts'

parentPort?.on('message', (raw: Uint8Array) => {
  void parseMessage(asBuffer(raw)).then((message) => {
    parentPort?.postMessage(message)
    collectAfter(raw.length)
  })
})
