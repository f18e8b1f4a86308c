// Free disk space. A PostgreSQL that runs out of disk stops completely, so intake stops while there is still room to
// deliver and record what was accepted before. With a database elsewhere, the disk holds only bodies over a megabyte until their
// turn, and what is buffered while the database is down: only such bodies are refused then.

import { statfs } from 'node:fs/promises'
import type { Clock } from '../clock.ts'
import { lastingFault } from '../lasting-fault.ts'
import { type Loop, loop } from '../lifecycle.ts'
import type { Logger } from '../log.ts'

/** As of the last check, at most 2 seconds ago. */
export interface MailRoom {
  /** False: nothing that needs the disks is accepted. */
  hasRoom(): boolean
  /** False: not even a mail that stays in memory until it is stored is accepted. */
  takesMail(): boolean
}

export interface DiskGuard extends Loop, MailRoom {}

const LOOK_EVERY_MS = 2_000
const KEPT_SHARE = 0.1
const KEPT_AT_MOST_BYTES = 1_073_741_824
const KEPT_MESSAGES = 2

export interface DiskRoom {
  readonly folder: string
  readonly freeBytes: number
  /** Nothing that needs the disk is accepted below this. */
  readonly keptBytes: number
}

/**
 * @param folders the data directory, and those of the embedded database, which may be on other disks
 * @param maxMessageBytes two such messages must always fit
 * @returns the room of the folder that has least to spare
 * @throws when a folder cannot be read
 */
export async function diskRoom(folders: readonly string[], maxMessageBytes: number): Promise<DiskRoom> {
  const rooms = await Promise.all(folders.map((folder) => roomOf(folder, maxMessageBytes)))
  const [least] = rooms.toSorted((a, b) => a.freeBytes - a.keptBytes - (b.freeBytes - b.keptBytes))
  if (least === undefined) throw new Error('no folder to look at')
  return least
}

async function roomOf(folder: string, maxMessageBytes: number): Promise<DiskRoom> {
  const { bavail, bsize, blocks } = await statfs(folder)
  const share = Math.min(blocks * bsize * KEPT_SHARE, KEPT_AT_MOST_BYTES)
  return { folder, freeBytes: bavail * bsize, keptBytes: Math.max(share, KEPT_MESSAGES * maxMessageBytes) }
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

export interface DiskGuardOptions {
  /** As for `diskRoom`. */
  readonly folders: readonly string[]
  /** Accepted mail is stored in them: then none is accepted while one is full or cannot be read. */
  readonly holdMail: boolean
  /** A database outside of them is taken to be on their disks: then no mail is accepted while one is full. */
  readonly besideDatabase: boolean
  /** As for `diskRoom`. */
  readonly maxMessageBytes: number
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Logger
}

export function diskGuard(options: DiskGuardOptions): DiskGuard {
  const { folders, holdMail, besideDatabase, maxMessageBytes, clock, log } = options
  const mailFills = holdMail || besideDatabase
  const full = lastingFault({
    ...{ log, clock },
    lasts: `no room on the disk: no mail ${mailFills ? '' : 'over a megabyte '}is accepted`,
    ended: 'room on the disk again: mail is accepted',
  })
  const unreadable = lastingFault({
    ...{ log, clock },
    lasts: `the data directory cannot be read${holdMail ? ': no mail is accepted' : ''}`,
    ended: 'the data directory can be read again',
  })
  let room = true
  const look = async (): Promise<void> => {
    const { folder, freeBytes: free_bytes, keptBytes: kept_bytes } = await diskRoom(folders, maxMessageBytes)
    unreadable.absent()
    room = free_bytes >= kept_bytes
    if (room) full.absent({ folder, free_bytes })
    else full.met({ folder, free_bytes, kept_bytes })
  }
  const looking = loop({
    name: 'disk guard',
    turn: async () => {
      await look()
      return LOOK_EVERY_MS
    },
    onError: (err) => {
      if (holdMail) room = false
      unreadable.met({ err })
    },
    retryMs: LOOK_EVERY_MS,
  })
  return {
    ...looking,
    hasRoom: () => room,
    takesMail: () => room || !mailFills,
    start: async () => {
      await look()
      await looking.start()
    },
  }
}
