// What clients hand over, on its way in: requests and messages of any size, with a bounded amount of memory.
//
// Up to a megabyte (MAX_IN_MEMORY_BYTES), and up to 64 MB of all such together, is kept in memory. What is larger goes on in
// a file that has no name, and comes back into memory when all of it is there and its turn has come. All of these together
// are at most 40 MB (LARGE_TOGETHER_BYTES) in a process, whichever door they came by, so that neither large bodies nor the
// copies that are made of them add up: of 25 MB there is one at a time. A client that is slow, or never ends, holds nothing
// but its file; the files together are bounded too (MAX_SPOOLED_BYTES).
//
// Where a control group limits the memory (memory.ts), less of all of these is kept (of 25 MB still one at a time, be it a body
// that comes in or a mail that goes out), and a turn comes when there is room for what will be made of it. When there is none for
// ten seconds a body is refused, and a mail goes nevertheless.
//
// A file without a name is gone with its process.

import { type FileHandle, open, unlink } from 'node:fs/promises'
import path from 'node:path'
import type { Memory } from './memory.ts'

export const MAX_IN_MEMORY_BYTES = 1_048_576
const MAX_TOGETHER_BYTES = 64 * 1_048_576
const LARGE_TOGETHER_BYTES = 40 * 1_048_576
const MAX_SPOOLED_BYTES = 1_073_741_824
/** Of the memory there is, at most so much for small bodies together, and for large ones unless one is alone. */
const SMALL_SHARE = 1 / 32
const LARGE_SHARE = 1 / 64
/** What is made of a byte of a large body, by us and by the backend that stores it, and what delivery may take meanwhile. */
const NEEDED_PER_BYTE = 6
const LOOK_AGAIN_MS = 250
const LOOKS = 40
/** Looks. */
const COLLECT_EVERY = 4

/** Large bodies in memory: first come, first served, within LARGE_TOGETHER_BYTES. One for all of a process. */
export interface Turns {
  /** The most that small bodies may have together. */
  readonly smallBytes: number
  /** @returns NO_MEMORY when there was none for it */
  take<T>(bytes: number, work: () => Promise<T>): Promise<T | typeof NO_MEMORY>
  /**
   * For a content of so many bytes that must be worked on, sooner or later; before any body. Waits for nothing where memory has
   * no limit.
   *
   * @returns to be called when its memory has been taken, or given back
   */
  grow(bytes: number): Promise<() => void>
  /** Something large was thrown away: where memory has a limit it goes now. */
  collect(): void
}

export const NO_MEMORY = Symbol('no memory')

interface Waiting {
  readonly bytes: number
  readonly mustGo: boolean
  readonly enter: (mayWork: boolean) => void
}

export function largeTurns(memory: Memory | null = null): Turns {
  const isLimited = memory !== null && Number.isFinite(memory.limitBytes)
  const limitBytes = memory?.limitBytes ?? Number.POSITIVE_INFINITY
  const together = Math.min(LARGE_TOGETHER_BYTES, limitBytes * LARGE_SHARE)
  let taken = 0
  let looks = 0
  let timer: NodeJS.Timeout | undefined
  const waiting: Waiting[] = []
  const hasRoom = (bytes: number): boolean => !isLimited || memory.freeBytes() >= bytes * NEEDED_PER_BYTE
  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      // One that is larger than all of the room goes alone.
      if (taken > 0 && taken + next.bytes > together) return
      const fits = hasRoom(next.bytes)
      if (!fits && looks < LOOKS) return lookAgain()
      // Who comes behind one that was refused waits for a second.
      looks = fits ? 0 : LOOKS - COLLECT_EVERY
      waiting.shift()
      const mayWork = fits || next.mustGo
      if (mayWork) taken += next.bytes
      next.enter(mayWork)
    }
  }
  const lookAgain = (): void => {
    if (timer !== undefined) return
    if (looks++ % COLLECT_EVERY === 0) memory?.collect()
    timer = setTimeout(() => {
      timer = undefined
      admit()
    }, LOOK_AGAIN_MS)
    timer.unref()
  }
  const enter = (bytes: number, mustGo: boolean): Promise<boolean> =>
    new Promise((resolve) => {
      const place = mustGo ? waiting.findLastIndex((one) => one.mustGo) + 1 : waiting.length
      waiting.splice(place, 0, { bytes, mustGo, enter: resolve })
      admit()
    })
  const leave = (bytes: number): void => {
    taken -= bytes
    admit()
  }
  return {
    smallBytes: Math.min(MAX_TOGETHER_BYTES, limitBytes * SMALL_SHARE),
    take: async (bytes, work) => {
      if (!(await enter(bytes, false))) return NO_MEMORY
      try {
        return await work()
      } finally {
        leave(bytes)
      }
    },
    grow: async (bytes) => {
      if (!isLimited) return () => undefined
      await enter(bytes, true)
      return () => leave(bytes)
    },
    collect: () => {
      if (isLimited) memory.collect()
    },
  }
}

export interface IntakeOptions {
  /** Where the files are; nothing stays there. */
  readonly folder: string
  readonly turns: Turns
  readonly tooLarge: (mostBytes: number) => Error
  /** Too much is on its way already. */
  readonly noRoom: () => Error
  /** A gigabyte when absent. */
  readonly maxSpooledBytes?: number
}

export interface Intake {
  begin(mostBytes: number): Arriving
}

/** One body. Whoever began it ends it with `drop`. */
export interface Arriving {
  /**
   * @returns null: taken; else a promise to wait for before more is read
   * @throws what the options say, after which nothing more may be added
   */
  add(chunk: Buffer): Promise<void> | null
  /** Whether its turn must be waited for. */
  isLarge(): boolean
  /**
   * Works on the whole. What was large is there until `work` has resolved and not a moment longer: its memory goes back at
   * once instead of with the garbage. (Work that was given up may go on behind: then it is left to the garbage.)
   */
  work<T>(work: (whole: Buffer) => Promise<T>): Promise<T>
  drop(): Promise<void>
}

/** Of this process, whichever door they came by. */
let spools = 0

export function intake(options: IntakeOptions): Intake {
  const { folder, turns, tooLarge, noRoom, maxSpooledBytes = MAX_SPOOLED_BYTES } = options
  let heldBytes = 0
  let spooledBytes = 0

  const newSpool = async (): Promise<FileHandle> => {
    const file = path.join(folder, `incoming.${process.pid}.${++spools}`)
    const handle = await open(file, 'wx+', 0o600)
    await unlink(file)
    return handle
  }

  const begin = (mostBytes: number): Arriving => {
    let pieces: Buffer[] = []
    let bytes = 0
    let spool: Promise<FileHandle> | null = null

    const spill = async (chunk: Buffer): Promise<void> => {
      if (spool !== null) {
        await writeAll(await spool, chunk)
        return
      }
      const kept = pieces
      pieces = []
      heldBytes -= bytes - chunk.length
      spooledBytes += bytes - chunk.length
      spool = newSpool()
      const file = await spool
      for (const piece of [...kept, chunk]) await writeAll(file, piece)
    }
    const drop = async (): Promise<void> => {
      if (spool === null) heldBytes -= bytes
      else spooledBytes -= bytes
      bytes = 0
      pieces = []
      const closed = spool
      spool = null
      await (await closed?.catch(() => null))?.close()
    }
    return {
      drop,
      isLarge: () => spool !== null,
      add: (chunk) => {
        const more = chunk.length
        if (bytes + more > mostBytes) throw tooLarge(mostBytes)
        const fits = bytes + more <= MAX_IN_MEMORY_BYTES && heldBytes + more <= turns.smallBytes
        if (spool === null && fits) {
          pieces.push(chunk)
          bytes += more
          heldBytes += more
          return null
        }
        if (spooledBytes + more + (spool === null ? bytes : 0) > maxSpooledBytes) throw noRoom()
        bytes += more
        spooledBytes += more
        return spill(chunk)
      },
      work: async (work) => {
        if (spool === null) return work(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, bytes))
        const file = await spool
        const done = await turns.take(bytes, async () => {
          const whole = Buffer.allocUnsafeSlow(bytes)
          await readAll(file, whole)
          const result = await work(whole)
          giveBack(whole)
          return result
        })
        if (done === NO_MEMORY) throw noRoom()
        return done
      },
    }
  }
  return { begin }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
}

async function readAll(file: FileHandle, into: Buffer): Promise<void> {
  for (let at = 0; at < into.length; ) {
    const { bytesRead } = await file.read(into, at, into.length - at, at)
    if (bytesRead === 0) throw new Error('a spooled body is shorter than what was written')
    at += bytesRead
  }
}

/** The memory of a buffer that has all of its own goes back to the system now. Every view of it is empty from then on. */
export function giveBack({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && length > 0 && buffer.byteLength === length) buffer.transfer(0)
}
