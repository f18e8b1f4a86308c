// Parses messages for display: a small one inline, one over 256 KB in a thread with limits on time and memory, since the
// parser can take two seconds for 20 MB, during which this process would serve nobody else.

import { asBuffer, type ParsedMessage, parseMessage, unparsedMessage } from '../../mail/mime/parse.ts'
import type { Logger } from '../../platform/log.ts'
import { type ThreadOptions, threadFor } from '../../platform/thread.ts'

/** Never throws: a message that cannot be parsed within the limits is returned as unparsed. */
export type ReadMessage = (raw: Buffer) => Promise<ParsedMessage>

/** Largest message that is parsed inline. */
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
