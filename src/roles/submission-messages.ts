// Incoming messages by SMTP. A refused message is also read to its end: the client gets its answer there.

import type { SMTPServerDataStream } from 'smtp-server'
import { bodySpool, type Turns } from '../platform/files/body-spool.ts'
import type { MailRoom } from '../platform/files/disk.ts'
import { Reply } from './submission-replies.ts'

export interface IncomingMessages {
  /**
   * Reads a message to its end, then processes it. The buffer is valid until `work` has ended.
   *
   * @param declaredBytes the SIZE of MAIL (RFC 1870); a message may be a tenth larger, for line ends counted differently
   * @throws Reply 552 5.3.4 when the message is too large, 452 4.3.1 when there is no room
   */
  take<T>(stream: SMTPServerDataStream, declaredBytes: number | null, work: (raw: Buffer) => Promise<T>): Promise<T>
}

const MORE_THAN_DECLARED_BYTES = 1_048_576

export interface IncomingMessagesOptions {
  /** Where large messages are kept until their turn comes; nothing stays there. */
  readonly spoolFolder: string
  readonly turns: Turns
  readonly disk: Pick<MailRoom, 'hasRoom'>
}

export function incomingMessages(
  maxMessageBytes: number,
  { spoolFolder, turns, disk }: IncomingMessagesOptions,
): IncomingMessages {
  const messages = bodySpool({
    folder: spoolFolder,
    turns,
    hasRoom: disk.hasRoom,
    tooLarge: (mostBytes) => new Reply(552, `5.3.4 the message is larger than ${mostBytes} bytes`),
    noRoom: (cause) =>
      cause === undefined
        ? new Reply(452, '4.3.1 too many large messages are coming in, try again')
        : new Reply(452, '4.3.1 there is no room for a large message, try again later', cause),
  })
  return {
    take: async (stream, declaredBytes, work) => {
      const declaredMost = Math.ceil((declaredBytes ?? maxMessageBytes) * 1.1) + MORE_THAN_DECLARED_BYTES
      const arriving = messages.begin(Math.min(maxMessageBytes, declaredMost))
      let refused: unknown = null
      try {
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          if (refused !== null) continue
          try {
            const written = arriving.add(chunk)
            if (written !== null) await written
          } catch (error) {
            refused = error
            await arriving.drop()
          }
        }
        if (refused !== null) throw refused
        return await arriving.work(work)
      } finally {
        await arriving.drop()
      }
    },
  }
}
