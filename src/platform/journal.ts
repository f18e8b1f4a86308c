// A journal on local disk, for what was acknowledged before the database had it. Lines are synced before `append`
// resolves; `drain` hands them on and forgets them when the hand-over succeeded. A crash in between hands them on
// again: whoever takes them must know them by an id of their own.
//
// Each process writes files of its own (`<id>.log`, at most 8 MB and what came last), and any process of the same folder may
// drain them, so what a dead process left behind is not lost. Taking another's file begins with renaming it; a writer that
// finds its file gone after a sync writes the lines once more into a new one. Its own files a process hands on while it goes
// on writing them, from where it had come to, so that an append never waits for a drain. Where processes drain all the time,
// one leaves the others' files alone until they are old. A line that was torn by a crash has a wrong checksum: it was never
// acknowledged, and is passed over.
//
// To sync a file that grows, a journaling file system commits all that anybody has changed meanwhile, PostgreSQL above all:
// tens of milliseconds now and then. So where much is written the next file is made ahead, full of zeros, and written over:
// then a sync is these bytes alone. Where a line would begin with a zero the file ends.

import { constants, statSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { isUnavailable } from './db.ts'
import { type Ids, timeOfId } from './ids.ts'
import { linesFrom, type Sheet, sheetOf, wholeIn } from './journal-lines.ts'

export interface Journal {
  /** Resolves when the lines are on disk. @param lines without line breaks; a sheet stays as it is until then */
  append(lines: readonly string[] | Sheet): Promise<void>
  /** True while there may be lines that were not handed on. True before the first drain. */
  waiting(): boolean
  /** Another process may have left lines: they are waited for until the next drain. */
  inherit(): void
  /**
   * Hands on every file's lines; a file whose lines are refused stays. @throws the first refusal, after all files; at once
   * when the database is away
   */
  drain(take: (lines: readonly string[]) => Promise<void>): Promise<void>
  /** Lets go of the file; what stands in it is for whoever drains next. */
  close(): Promise<void>
}

export interface JournalOptions {
  /** Other processes' files are left alone until nothing was written to them for so long. */
  readonly othersAfterMs?: number
  /** The most lines that are handed on at once. */
  readonly linesAtOnce?: number
  /** The most bytes that this process keeps; past that `append` rejects. */
  readonly maxBytes?: number
  /** One drain follows the other: a file is kept for more until one of them finds nothing new, and the next made ahead. */
  readonly keepsFile?: boolean
}

const TRIES = 5
const LINES_AT_ONCE = 1_000
const MAX_FILE_BYTES = 8 * 1_048_576
const READ_BYTES = 262_144
/** So much of one file before the next is made ahead. */
const MUCH_BYTES = 262_144
const ZEROS_BYTES = 524_288
const ID_CHARS = 36
const TAKEN = '.taken'
/** Linux syncs with the write, in one turn; elsewhere a second call does. */
const SYNCED: number | undefined = constants.O_DSYNC
const NEW_FILE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (SYNCED ?? 0)

type Take = (lines: readonly string[]) => Promise<void>

/** A file that this process has begun and not handed on. */
interface OwnFile {
  readonly handle: FileHandle
  readonly path: string
  readonly inode: number
  /** How many bytes are there to be written over; 0: it grows. */
  room: number
  /** Synced so far, in whole lines. */
  bytes: number
  /** Handed on so far. */
  handedOn: number
}

export function journalIn(folder: string, ids: Ids, options: JournalOptions = {}): Journal {
  const { othersAfterMs = 0, linesAtOnce = LINES_AT_ONCE, maxBytes = Number.POSITIVE_INFINITY } = options
  const own = new Set<OwnFile>()
  /** The one that is written. */
  let file: OwnFile | null = null
  /** Made ahead. */
  let next: OwnFile | null = null
  let making: Promise<void> | null = null
  /** While this one is written no other is made ahead: there was no room for one. */
  let without: OwnFile | null = null
  /** The names of the last that were begun. */
  const begun = { written: '', ahead: '' }
  let queue: Promise<unknown> = Promise.resolve()
  let drains: Promise<unknown> = Promise.resolve()
  /** Files of others may be there. */
  let others = true
  /** Appends that were asked for and are not through. */
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
        // What was half written is passed over, and nothing may follow it on its line.
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
  /** Nobody waits for it; where it fails, files grow. */
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
  /** @param until as far as it was synced when the drain began; null: another process has handed it on */
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
  // Behind the appends that were asked for before.
  const synced = (): Promise<ReadonlyMap<OwnFile, number>> =>
    inTurn(() => new Map([...own].map((each) => [each, each.bytes])))
  const drain = async (ours: ReadonlyMap<OwnFile, number>, take: Take): Promise<void> => {
    const isOld = async (name: string): Promise<boolean> => {
      const { mtimeMs = Number.NEGATIVE_INFINITY } = (await stat(path.join(folder, name)).catch(() => null)) ?? {}
      return timeOfDay(ids) - mtimeMs >= othersAfterMs
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
    // Nothing was written since the drain before.
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

/** Without what taking adds. */
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

/** Nothing in it will be lost, not even its name. */
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

/** In this turn: a way over the pool's threads would keep all that waits for the next write. */
function isStillThere({ inode, path: name }: OwnFile): boolean {
  try {
    return statSync(name, { throwIfNoEntry: false })?.ino === inode
  } catch {
    return false
  }
}

interface Taken {
  readonly names: readonly string[]
  /** There are files that are not for us now. */
  readonly isLeft: boolean
  /** Every file, without what taking adds. */
  readonly all: ReadonlySet<string>
}

/** Renames what others write, so that they notice. */
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

/** What comes next in a file of our own, up to a line's end: a quarter of a megabyte, or a line that is longer. */
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

/** A piece at a time: whoever is waiting for this thread does not wait for a file. @param after told the bytes of each */
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
