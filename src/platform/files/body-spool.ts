// Receives requests and messages of any size from clients, in bounded memory.
//
// A body of up to a megabyte (MAX_IN_MEMORY_BYTES) stays in memory, as long as all such bodies together stay below 64 MB. A
// larger one continues in a file without a name, and is read back into memory once it is complete and its turn has come.
// Large bodies in memory are limited to 40 MB together (LARGE_TOGETHER_BYTES) per process, whichever listener they came
// through, so that neither they nor the copies made of them add up: of 25 MB there is one at a time. A client that is slow,
// or never finishes, occupies only its file; the files together are bounded too (MAX_SPOOLED_BYTES).
//
// Where a control group limits the memory (memory.ts), all these limits are lower (of 25 MB still one at a time, be it an
// incoming body or an outgoing mail), and a turn also needs enough free memory for everything derived from the body. If
// there is not enough within ten seconds, a body is refused, while a mail proceeds anyway.
//
// A file without a name disappears with its process.

import { type FileHandle, open, unlink } from 'node:fs/promises'
import path from 'node:path'
import type { Memory } from '../memory.ts'

export const MAX_IN_MEMORY_BYTES = 1_048_576
const MAX_TOGETHER_BYTES = 64 * 1_048_576
const LARGE_TOGETHER_BYTES = 40 * 1_048_576
const MAX_SPOOLED_BYTES = 1_073_741_824
/** Largest share of the memory limit for small bodies together, and for large ones unless there is only one. */
const SMALL_SHARE = 1 / 32
const LARGE_SHARE = 1 / 64
/** Memory per byte of a large body: our copies, those of the backend that stores it, and what delivery uses meanwhile. */
const NEEDED_PER_BYTE = 6
/** So many pieces become one: a client may send a byte at a time, and each takes up to 500 bytes beside its content. */
const JOINED_PIECES = 64
/** A piece of this size is not copied again. */
const JOINED_BYTES = 4_096
const LOOK_AGAIN_MS = 250
const LOOKS = 40
/** In looks. */
const COLLECT_EVERY = 4

/** Turns of large bodies in memory: first come, first served, within LARGE_TOGETHER_BYTES. One instance per process. */
export interface Turns {
  /** The most bytes that small bodies may hold together. */
  readonly smallBytes: number
  /** @returns NO_MEMORY when there was not enough memory */
  take<T>(bytes: number, work: () => Promise<T>): Promise<T | typeof NO_MEMORY>
  /**
   * For content of this size that must be processed sooner or later; goes before any body. Does not wait when memory has
   * no limit.
   *
   * @returns a function to call once the memory has been allocated or released
   */
  grow(bytes: number): Promise<() => void>
  /** Call after dropping something large: where memory has a limit, garbage is collected at once. */
  collect(): void
}

export const NO_MEMORY = Symbol('no memory')

interface Waiting {
  readonly bytes: number
  readonly mustGo: boolean
  readonly enter: (mayWork: boolean) => void
}

/** @param neededPerByte free memory that a byte needs, for work that needs more than storing it */
export function largeTurns(memory: Memory | null = null, neededPerByte = NEEDED_PER_BYTE): Turns {
  const isLimited = memory !== null && Number.isFinite(memory.limitBytes)
  const limitBytes = memory?.limitBytes ?? Number.POSITIVE_INFINITY
  const together = Math.min(LARGE_TOGETHER_BYTES, limitBytes * LARGE_SHARE)
  let taken = 0
  let looks = 0
  let timer: NodeJS.Timeout | undefined
  const waiting: Waiting[] = []
  const hasRoom = (bytes: number): boolean => !isLimited || memory.freeBytes() >= bytes * neededPerByte
  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      // A body larger than the whole limit goes alone.
      if (taken > 0 && taken + next.bytes > together) return
      const fits = hasRoom(next.bytes)
      if (!fits && looks < LOOKS) return lookAgain()
      // After a refusal, the next one waits for a second only.
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

export interface BodySpoolOptions {
  /** The folder of the files; nothing stays there. */
  readonly folder: string
  readonly turns: Turns
  readonly tooLarge: (mostBytes: number) => Error
  /** @param cause why the folder takes no file; undefined: too much is being received already */
  readonly noRoom: (cause?: unknown) => Error
  /** False: the disk has no room, and large bodies are refused. Default: always true. */
  readonly hasRoom?: () => boolean
  /** Default: a gigabyte. */
  readonly maxSpooledBytes?: number
}

export interface BodySpool {
  begin(mostBytes: number): SpooledBody
}

/** One body. The caller that began it ends it with `drop`. */
export interface SpooledBody {
  /**
   * @returns null when the chunk was taken; otherwise a promise to await before reading more
   * @throws the errors of the options, after which nothing more may be added
   */
  add(chunk: Buffer): Promise<void> | null
  /** Whether the body must wait for its turn. */
  isLarge(): boolean
  /**
   * Processes the complete body. A large one stays in memory only until `work` has resolved: then its memory is released at
   * once, not by the garbage collector. (Work that was given up may still be running: then it is left to the collector.)
   */
  work<T>(work: (whole: Buffer) => Promise<T>): Promise<T>
  drop(): Promise<void>
}

/** Counts all files of this process, across all intakes. */
let spools = 0

export function bodySpool(options: BodySpoolOptions): BodySpool {
  const { folder, turns, tooLarge, noRoom, hasRoom = () => true, maxSpooledBytes = MAX_SPOOLED_BYTES } = options
  let heldBytes = 0
  let spooledBytes = 0

  /** A disk that is full, read-only or away refuses the body: that is no fault of ours. */
  const onDisk = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw (error as NodeJS.ErrnoException).syscall === undefined ? error : noRoom(error)
    }
  }
  const newSpool = async (): Promise<FileHandle> => {
    for (;;) {
      const file = path.join(folder, `incoming.${process.pid}.${++spools}`)
      try {
        const handle = await open(file, 'wx+', 0o600)
        await unlink(file)
        return handle
      } catch (error) {
        // A process with the same id was killed before its file had lost its name.
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
    }
  }

  const begin = (mostBytes: number): SpooledBody => {
    let pieces: Buffer[] = []
    /** How many of the first pieces are joined. */
    let joined = 0
    let bytes = 0
    let spool: Promise<FileHandle> | null = null

    const keep = (chunk: Buffer): void => {
      pieces.push(chunk)
      if (pieces.length - joined < JOINED_PIECES) return
      const whole = Buffer.concat(pieces.splice(joined))
      pieces.push(whole)
      if (whole.length >= JOINED_BYTES) joined++
    }
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
          keep(chunk)
          bytes += more
          heldBytes += more
          return null
        }
        if (spool === null && !hasRoom()) throw noRoom()
        if (spooledBytes + more + (spool === null ? bytes : 0) > maxSpooledBytes) throw noRoom()
        bytes += more
        spooledBytes += more
        return onDisk(spill(chunk))
      },
      work: async (work) => {
        if (spool === null) return work(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, bytes))
        const file = await spool
        const done = await turns.take(bytes, async () => {
          const whole = Buffer.allocUnsafeSlow(bytes)
          await onDisk(readAll(file, whole))
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

/** The ArrayBuffer of a buffer that owns all of it. Null: the buffer is empty, or others have a share in its memory. */
export function ownMemory({ buffer, length }: Buffer): ArrayBuffer | null {
  return buffer instanceof ArrayBuffer && length > 0 && buffer.byteLength === length ? buffer : null
}

/** Releases the memory of a buffer that owns its whole ArrayBuffer. Every view of it is empty afterwards. */
export function giveBack(buffer: Buffer): void {
  ownMemory(buffer)?.transfer(0)
}
