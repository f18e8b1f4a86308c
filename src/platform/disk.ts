// Free disk space. A PostgreSQL that runs out of disk stops completely, so intake stops while there is still room to
// deliver and record what was accepted before.

import { statfs } from 'node:fs/promises'
import { type Loop, loop } from './lifecycle.ts'
import type { Logger } from './log.ts'

export interface DiskGuard extends Loop {
  /** As of the last check, at most 2 seconds ago. */
  hasRoom(): boolean
}

const LOOK_EVERY_MS = 2_000
const KEPT_SHARE = 0.1
const KEPT_AT_MOST_BYTES = 1_073_741_824
const KEPT_MESSAGES = 2

export interface DiskRoom {
  readonly freeBytes: number
  /** Nothing is accepted below this. */
  readonly keptBytes: number
}

/** @param maxMessageBytes two such messages must always fit */
export async function diskRoom(folder: string, maxMessageBytes: number): Promise<DiskRoom> {
  const { bavail, bsize, blocks } = await statfs(folder)
  const share = Math.min(blocks * bsize * KEPT_SHARE, KEPT_AT_MOST_BYTES)
  return { freeBytes: bavail * bsize, keptBytes: Math.max(share, KEPT_MESSAGES * maxMessageBytes) }
}

/**
 * @param forWhat what takes the space, for people
 * @throws when the file system of `folder` has less than `neededBytes` free
 */
export async function assertDiskRoom(folder: string, neededBytes: number, forWhat: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= neededBytes) return
  const mb = (bytes: number): string => `${Math.ceil(bytes / 1_048_576)} MB`
  throw new Error(`not enough disk space in ${folder} for ${forWhat}: ${mb(neededBytes)} needed, ${mb(free)} free`)
}

/**
 * @param folder on the file system that fills up: the data directory
 * @param maxMessageBytes as for `diskRoom`
 */
export function diskGuard(folder: string, maxMessageBytes: number, log: Logger): DiskGuard {
  let room = true
  const look = async (): Promise<number> => {
    const { freeBytes: free_bytes, keptBytes: kept_bytes } = await diskRoom(folder, maxMessageBytes)
    const had = room
    room = free_bytes >= kept_bytes
    if (had && !room) log.error({ folder, free_bytes, kept_bytes }, 'no room on the disk: no mail is accepted')
    if (!had && room) log.info({ folder, free_bytes }, 'room on the disk again: mail is accepted')
    return LOOK_EVERY_MS
  }
  const onError = (err: unknown): void => log.warn({ err }, 'no look at the disk')
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
