// A journal on local disk, for data acknowledged before the database had it. Lines are synced before `append` resolves;
// `drain` hands them over and deletes them once the hand-over succeeded. After a crash in between, lines are handed over
// again: the receiver must recognise them by an id of their own.
//
// Each process writes files of its own (`<id>.log`, at most 8 MB plus the last append), and any process on the same folder
// may drain them, so the files of a dead process are not lost. Taking another process's file begins with renaming it; a
// writer that finds its file gone after a sync writes the lines again into a new one. A process hands over its own files
// while it keeps writing them, resuming where it stopped, so an append never waits for a drain. Where processes drain all
// the time, each leaves the others' files alone until they are old. A line torn by a crash has a wrong checksum: it was
// never acknowledged, and is skipped.
//
// Syncing a growing file makes a journaling file system commit everyone's changes, above all PostgreSQL's: tens of
// milliseconds now and then. So under heavy writing the next file is prepared in advance, filled with zeros, and then
// overwritten: a sync then writes only these bytes. The file ends where a line would begin with a zero.

import { constants, statSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { isUnavailable } from '../db.ts'
import { type Ids, timeOfId } from '../ids.ts'
import { linesFrom, type Sheet, sheetOf, wholeIn } from './journal-lines.ts'

export interface Journal {
  /** Resolves when the lines are on disk. @param lines without line breaks; a sheet must not change until then */
  append(lines: readonly string[] | Sheet): Promise<void>
  /** True while there may be lines that were not handed over. True before the first drain. */
  waiting(): boolean
  /** Another process may have left lines: `waiting` stays true until the next drain. */
  inherit(): void
  /**
   * Hands over the lines of every file; a file whose lines are refused stays. @throws the first refusal, after all files; at
   * once when the database is unavailable
   */
  drain(take: (lines: readonly string[]) => Promise<void>): Promise<void>
  /** Closes the files; lines in them are left to whichever process drains next. */
  close(): Promise<void>
}

export interface JournalOptions {
  /** Other processes' files are left alone until nothing was written to them for this long. */
  readonly othersAfterMs?: number
  /** The most lines that are handed over at once. */
  readonly linesAtOnce?: number
  /** The most bytes that this process keeps; beyond that `append` rejects. */
  readonly maxBytes?: number
  /** For continuous draining: a file is reused until a drain finds nothing new in it, and the next one is prepared early. */
  readonly keepsFile?: boolean
}

const TRIES = 5
const LINES_AT_ONCE = 1_000
const MAX_FILE_BYTES = 8 * 1_048_576
const READ_BYTES = 262_144
/** Bytes written to one file before the next is prepared. */
const MUCH_BYTES = 262_144
const ZEROS_BYTES = 524_288
const ID_CHARS = 36
const TAKEN = '.taken'
/** On Linux the write itself syncs, in one call; elsewhere a second call does. */
const SYNCED: number | undefined = constants.O_DSYNC
const NEW_FILE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (SYNCED ?? 0)

type Take = (lines: readonly string[]) => Promise<void>

/** A file that this process has begun and not yet handed over completely. */
interface OwnFile {
  readonly handle: FileHandle
  readonly path: string
  readonly inode: number
  /** Preallocated bytes that writes go over; 0: the file grows. */
  room: number
  /** Bytes synced so far, in whole lines. */
  bytes: number
  /** Bytes handed over so far. */
  handedOn: number
}

export function journalIn(folder: string, ids: Ids, options: JournalOptions = {}): Journal {
  const { othersAfterMs = 0, linesAtOnce = LINES_AT_ONCE, maxBytes = Number.POSITIVE_INFINITY } = options
  const own = new Set<OwnFile>()
  /** The file that appends go to. */
  let file: OwnFile | null = null
  /** Prepared in advance. */
  let next: OwnFile | null = null
  let making: Promise<void> | null = null
  /** While this file is written, none is prepared: there was no room for one. */
  let without: OwnFile | null = null
  /** The names of the files begun last. */
  const begun = { written: '', ahead: '' }
  let queue: Promise<unknown> = Promise.resolve()
  let drains: Promise<unknown> = Promise.resolve()
  /** Other processes' files may be there. */
  let others = true
  /** Appends requested and not yet finished. */
  let appending = 0
  const inTurn = <T>(work: () => Promise<T> | T): Promise<T> => {
    const done = queue.then(work)
    queue = done.catch(() => undefined)
    return done
  }
  const write = async (text: Buffer): Promise<void> => {
    const kept = [...own].reduce((sum, { bytes }) => sum + bytes, 0)
    if (kept + text.length > maxBytes) throw new Error('the journal is full')
    for (let i = 0; i < TRIES; i++) {
      const to = await fileFor(text.length)
      try {
        await writeAll(to.handle, text, to.bytes)
        if (SYNCED === undefined) await to.handle.datasync()
      } catch (error) {
        // A half-written line is skipped on reading, so nothing may follow it on its line.
        file = null
        throw error
      }
      if (isStillThere(to)) {
        to.bytes += text.length
        if (to.bytes > MAX_FILE_BYTES) file = null
        if (options.keepsFile === true && to.bytes > MUCH_BYTES) makeNext()
        return
      }
      file = null
    }
    throw new Error('the journal was taken away while it was written')
  }
  const fileFor = async (bytes: number): Promise<OwnFile> => {
    if (file !== null && next !== null && (file.room === 0 || file.bytes + bytes > file.room)) file = null
    if (file === null && next !== null) {
      file = next
      next = null
      own.add(file)
    }
    if (file === null) {
      begun.written = ids.next()
      file = await newFile(folder, begun.written)
      own.add(file)
    }
    return file
  }
  /** Runs in the background; if it fails, files grow. */
  const makeNext = (): void => {
    if (next !== null || making !== null || without === file) return
    without = null
    begun.ahead = ids.next()
    making = aheadFile(folder, begun.ahead)
      .then((made) => {
        next = made
      })
      .catch(() => {
        without = file
      })
      .finally(() => {
        making = null
      })
  }
  const dropNext = async (): Promise<void> => {
    const dropped = next
    next = null
    if (dropped === null) return
    await dropped.handle.close()
    await forget(folder, [dropped.path, dropped.path + TAKEN])
  }
  /** @param until bytes synced when the drain began; null: another process has handed the file over */
  const drainOwn = async (from: OwnFile, until: number | null, take: Take): Promise<void> => {
    const isNew = until !== null && from.handedOn < until
    while (until !== null && from.handedOn < until) {
      const before = from.handedOn
      await handOn(await wholeLines(from, until), linesAtOnce, take, (bytes) => {
        from.handedOn += bytes
      })
      if (from.handedOn === before) throw new Error('the journal does not hold what was written to it')
    }
    const isDone = await inTurn(() => {
      const isKept = file === from && isNew && options.keepsFile === true
      if (until !== null && (isKept || from.handedOn < from.bytes)) return false
      if (file === from) file = null
      return true
    })
    if (!isDone) return
    await from.handle.close()
    await forget(folder, [from.path, from.path + TAKEN])
    own.delete(from)
  }
  // Queued after the appends requested before.
  const synced = (): Promise<ReadonlyMap<OwnFile, number>> =>
    inTurn(() => new Map([...own].map((each) => [each, each.bytes])))
  const drain = async (ours: ReadonlyMap<OwnFile, number>, take: Take): Promise<void> => {
    const isOld = async (name: string): Promise<boolean> => {
      const { mtimeMs = Number.NEGATIVE_INFINITY } = (await stat(path.join(folder, name)).catch(() => null)) ?? {}
      // A file from the future was written before the clock was put back: it would be left alone until that time.
      return Math.abs(timeOfDay(ids) - mtimeMs) >= othersAfterMs
    }
    const isOurs = (name: string): boolean =>
      name === begun.written || name === begun.ahead || [...own].some((each) => nameOf(each.path) === name)
    const found = await taken(folder, isOurs, othersAfterMs === 0 ? async () => true : isOld)
    others = found.isLeft
    const work = [
      ...found.names.map((name) => () => drainWhole(folder, name, linesAtOnce, take)),
      ...[...ours]
        .filter(([each]) => own.has(each))
        .map(
          ([each, until]) =>
            () =>
              drainOwn(each, found.all.has(nameOf(each.path)) ? until : null, take),
        ),
    ]
    const failures: unknown[] = []
    for (const run of work) {
      try {
        await run()
      } catch (error) {
        failures.push(error)
        others = true
        if (isUnavailable(error)) break
      }
    }
    // Nothing was written since the previous drain.
    if (own.size === 0) await inTurn(() => (own.size === 0 ? dropNext() : undefined))
    if (failures.length > 0) throw failures[0]
  }
  return {
    append: async (lines) => {
      appending++
      try {
        await inTurn(() => write((isSheet(lines) ? lines : sheetOf(lines)).bytes()))
      } finally {
        appending--
      }
    },
    waiting: () => others || own.size > 0 || appending > 0 || next !== null || making !== null,
    inherit: () => {
      others = true
    },
    close: () =>
      inTurn(async () => {
        file = null
        await making
        await dropNext()
        for (const { handle, path: name, bytes, handedOn } of own) {
          await handle.close()
          if (handedOn === bytes) await forget(folder, [name])
          else others = true
        }
        own.clear()
      }),
    drain: (take) => {
      const ours = synced()
      const done = drains.then(async () => drain(await ours, take))
      drains = done.catch(() => undefined)
      return done
    },
  }
}

/** The id in the name, without what taking appends. */
function nameOf(file: string): string {
  return path.basename(file).slice(0, ID_CHARS)
}

function timeOfDay(ids: Ids): number {
  return timeOfId(ids.next()).getTime()
}

function isSheet(lines: readonly string[] | Sheet): lines is Sheet {
  return 'bytes' in lines
}

async function newFile(folder: string, id: string): Promise<OwnFile> {
  const name = path.join(folder, `${id}.log`)
  const handle = await open(name, NEW_FILE, 0o600).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return open(name, NEW_FILE, 0o600)
  })
  try {
    const { ino } = await handle.stat()
    await syncFolder(folder)
    return { handle, path: name, inode: ino, room: 0, bytes: 0, handedOn: 0 }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Fully synced, including its name: nothing written to it can be lost. */
async function aheadFile(folder: string, id: string): Promise<OwnFile> {
  const made = await newFile(folder, id)
  try {
    const zeros = Buffer.alloc(ZEROS_BYTES)
    for (; made.room < MAX_FILE_BYTES; made.room += zeros.length) await writeAll(made.handle, zeros, made.room)
    await made.handle.sync()
    return made
  } catch (error) {
    await made.handle.close()
    await forget(folder, [made.path])
    throw error
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; )
    at += (await handle.write(bytes, at, bytes.length - at, position + at)).bytesWritten
}

/** Synchronous: a detour through the thread pool would hold up everything that waits for the next write. */
function isStillThere({ inode, path: name }: OwnFile): boolean {
  try {
    return statSync(name, { throwIfNoEntry: false })?.ino === inode
  } catch {
    return false
  }
}

interface Taken {
  readonly names: readonly string[]
  /** Some files were left alone this time. */
  readonly isLeft: boolean
  /** The names of all files, without what taking appends. */
  readonly all: ReadonlySet<string>
}

/** Renames files that other processes write, so that they notice. */
async function taken(
  folder: string,
  isOurs: (name: string) => boolean,
  isForUs: (name: string) => Promise<boolean>,
): Promise<Taken> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const files = found.filter((name) => name.endsWith('.log') || name.endsWith(TAKEN)).sort()
  const others = files.filter((name) => !isOurs(nameOf(name)))
  const names: string[] = []
  for (const name of others) {
    if (!(await isForUs(name))) continue
    const after = name.endsWith(TAKEN) ? name : name + TAKEN
    if (after !== name) await rename(path.join(folder, name), path.join(folder, after)).catch(ignoreMissing)
    names.push(after)
  }
  return { names, isLeft: names.length < others.length, all: new Set(files.map(nameOf)) }
}

/** The next lines of one of our own files, up to a line's end: a quarter of a megabyte, or one longer line. */
async function wholeLines({ handle, handedOn }: OwnFile, until: number): Promise<Buffer> {
  for (let size = Math.min(READ_BYTES, until - handedOn); ; size = Math.min(size * 2, until - handedOn)) {
    const bytes = Buffer.allocUnsafe(size)
    let read = 0
    while (read < size) {
      const { bytesRead } = await handle.read(bytes, read, size - read, handedOn + read)
      if (bytesRead === 0) throw new Error('the journal is shorter than what was written')
      read += bytesRead
    }
    const whole = wholeIn(bytes)
    if (whole.length > 0) return whole
    if (size === until - handedOn) return bytes
  }
}

async function drainWhole(folder: string, name: string, linesAtOnce: number, take: Take): Promise<void> {
  const bytes = await readFile(path.join(folder, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  })
  await handOn(bytes, linesAtOnce, take)
  await forget(folder, [path.join(folder, name)])
}

/** Goes piece by piece, so that no file blocks this thread for long. @param after gets the size of each piece in bytes */
async function handOn(
  bytes: Buffer,
  linesAtOnce: number,
  take: Take,
  after: (bytes: number) => void = () => undefined,
): Promise<void> {
  for (let at = 0; ; ) {
    const { lines, end } = linesFrom(bytes, at, linesAtOnce)
    if (end === at) return
    if (lines.length > 0) await take(lines)
    after(end - at)
    at = end
  }
}

async function forget(folder: string, files: readonly string[]): Promise<void> {
  for (const file of files) await unlink(file).catch(ignoreMissing)
  await syncFolder(folder)
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
