// Room on the disk. PostgreSQL that runs out of disk stops with everything it has; so nothing is accepted any more while
// there is still room to deliver and to record what was accepted before.

import { statfs } from 'node:fs/promises'
import { type Loop, loop } from './lifecycle.ts'

export interface DiskGuard extends Loop {
  /** As of the last look, at most 2 seconds ago. */
  hasRoom(): boolean
}

const LOOK_EVERY_MS = 2_000
const KEPT_SHARE = 0.1
const KEPT_AT_MOST_BYTES = 1_073_741_824
const KEPT_MESSAGES = 2

/**
 * @param folder on the file system that fills up: the data directory
 * @param maxMessageBytes two such messages must always fit
 */
export function diskGuard(folder: string, maxMessageBytes: number, onError: (error: unknown) => void): DiskGuard {
  let room = true
  const look = async (): Promise<number> => {
    const { bavail, bsize, blocks } = await statfs(folder)
    const share = Math.min(blocks * bsize * KEPT_SHARE, KEPT_AT_MOST_BYTES)
    room = bavail * bsize >= Math.max(share, KEPT_MESSAGES * maxMessageBytes)
    return LOOK_EVERY_MS
  }
  const looking = loop({ name: 'disk guard', turn: look, onError, retryMs: LOOK_EVERY_MS })
  return {
    ...looking,
    hasRoom: () => room,
    start: async () => {
      await look()
      await looking.start()
    },
  }
}
