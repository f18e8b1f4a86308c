// Prepares submitted messages: a small one inline, one over 128 KB in a thread with limits on time and memory, because encoding
// 20 MB takes half a second, during which this process would serve nobody else. A message that exceeds the limits is not taken.

import { asBuffer } from '../../mail/mime/parse.ts'
import { ownMemory } from '../../platform/files/body-spool.ts'
import { type ThreadOptions, threadFor } from '../../platform/thread.ts'
import { type PreparedMail, type PrepareTask, preparedMail } from './submitted.ts'

/** Largest message that is prepared inline: 4 ms in the worst known case. */
export const INLINE_BYTES = 131_072
const LIMITS: Omit<ThreadOptions, 'file'> = { withinMs: 20_000, memoryMb: 512 }
const THREAD = new URL('./preparer-thread.ts', import.meta.url)

/**
 * Takes over the memory of a large message that owns it: `raw` is empty afterwards.
 *
 * @throws when the message exceeds the limits
 */
export type Prepare = (task: PrepareTask) => PreparedMail | Promise<PreparedMail>

export function preparer(limits: Omit<ThreadOptions, 'file'> = LIMITS): Prepare {
  const thread = threadFor<PrepareTask, PreparedMail>({ file: THREAD, ...limits })
  return (task) => {
    if (task.raw.length <= INLINE_BYTES) return preparedMail(task)
    const memory = ownMemory(task.raw)
    return thread.run(task, memory === null ? [] : [memory]).then(withBuffers)
  }
}

/** Buffers come out of a thread as plain bytes. */
function withBuffers({ prepared, hash }: PreparedMail): PreparedMail {
  if (!prepared.ok) return { prepared, hash: null }
  const { submitted } = prepared
  return {
    prepared: { ok: true, submitted: { ...submitted, message: asBuffer(submitted.message) } },
    hash: hash === null ? null : asBuffer(hash),
  }
}
