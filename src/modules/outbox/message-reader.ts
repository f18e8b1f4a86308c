// Reading messages that somebody wants to see. A small one is read at once; what is over 256 KB, in a thread with a limit of
// time and memory, since 20 MB can take the parser two seconds, in which nobody else would be served.

import { asBuffer, type ParsedMessage, parseMessage, unparsedMessage } from '../../mail/mime-parse.ts'
import type { Logger } from '../../platform/log.ts'
import { type ThreadOptions, threadFor } from '../../platform/thread.ts'

/** Never throws: a message that cannot be read within the limits is told as unparsed. */
export type ReadMessage = (raw: Buffer) => Promise<ParsedMessage>

/** Up to here it is read at once. */
export const INLINE_BYTES = 262_144
const LIMITS: Omit<ThreadOptions, 'file'> = { withinMs: 10_000, memoryMb: 512 }
const THREAD = new URL('./message-thread.ts', import.meta.url)

export function messageReader(log: Pick<Logger, 'warn'>, limits: Omit<ThreadOptions, 'file'> = LIMITS): ReadMessage {
  const thread = threadFor<Buffer, ParsedMessage>({ file: THREAD, ...limits })
  return async (raw) => {
    if (raw.length <= INLINE_BYTES) return parseMessage(raw)
    try {
      const { attachments, ...message } = await thread.run(raw)
      return { ...message, attachments: attachments.map((one) => ({ ...one, content: asBuffer(one.content) })) }
    } catch (err) {
      log.warn({ err, bytes: raw.length }, 'a message could not be read within the limits')
      return unparsedMessage(raw, 'too_large')
    }
  }
}
