// Messages on their way in, held in memory: each up to the size limit, all together up to MAX_HELD_BYTES; what goes beyond
// is read and dropped. Large messages are worked on one at a time, so that their copies do not add up.

import type { SMTPServerDataStream } from 'smtp-server'
import { Reply } from './submission-replies.ts'

export interface IncomingMessages {
  /**
   * Reads a message to its end, then works on it.
   *
   * @throws Reply 552 5.3.4 when it is too large, 452 4.3.1 when there is no room
   */
  take<T>(stream: SMTPServerDataStream, work: (raw: Buffer) => Promise<T>): Promise<T>
}

const LARGE_BYTES = 1_048_576
const MAX_HELD_BYTES = 384 * 1_048_576

export function incomingMessages(maxMessageBytes: number): IncomingMessages {
  let heldBytes = 0
  let large: Promise<unknown> = Promise.resolve()

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = large.then(work, work)
    large = turn
    return turn
  }

  return {
    take: async (stream, work) => {
      let chunks: Buffer[] = []
      let bytes = 0
      let full = false
      const drop = (): void => {
        heldBytes -= bytes
        bytes = 0
        chunks = []
      }
      const read = (): Buffer => {
        const [only] = chunks
        const raw = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, bytes)
        chunks = []
        return raw
      }
      try {
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          if (bytes + chunk.length > maxMessageBytes || heldBytes + chunk.length > MAX_HELD_BYTES) full = true
          if (full) drop()
          else {
            bytes += chunk.length
            heldBytes += chunk.length
            chunks.push(chunk)
          }
        }
        if (stream.sizeExceeded) throw new Reply(552, `5.3.4 the message is larger than ${maxMessageBytes} bytes`)
        if (full) throw new Reply(452, '4.3.1 too many messages are coming in, try again')
        return await (bytes < LARGE_BYTES ? work(read()) : inTurn(() => work(read())))
      } finally {
        heldBytes -= bytes
      }
    },
  }
}
