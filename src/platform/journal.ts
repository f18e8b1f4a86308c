// A journal on local disk, for what was acknowledged before the database had it. Lines are synced before `append`
// resolves; `drain` hands them on and forgets them when the hand-over succeeded. A crash in between hands them on
// again: whoever takes them must know them by an id of their own.
//
// Each process writes files of its own (`<id>.log`, at most 8 MB and what came last), and any process of the same folder may
// drain them, so what a dead process left behind is not lost. Taking a file begins with renaming it; a writer that finds
// its file gone after a sync writes the lines once more into a new one. Where processes drain all the time, one leaves the
// others' files alone until they are old. A line that was torn by a crash has a wrong checksum: it was never acknowledged,
// and is passed over. Files are handed on in the order in which they were begun.

import { type FileHandle, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { isUnavailable } from './db.ts'
import { type Ids, timeOfId } from './ids.ts'

export interface Journal {
  /** Resolves when the lines are on disk. @param lines without line breaks */
  append(lines: readonly string[]): Promise<void>
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
}

const TRIES = 5
const LINES_AT_ONCE = 1_000
const MAX_FILE_BYTES = 8 * 1_048_576
const LF = 10

interface OpenFile {
  readonly handle: FileHandle
  readonly path: string
  bytes: number
}

export function journalIn(folder: string, ids: Ids, options: JournalOptions = {}): Journal {
  const { othersAfterMs = 0, linesAtOnce = LINES_AT_ONCE, maxBytes = Number.POSITIVE_INFINITY } = options
  /** Files of this process that were not handed on, with their bytes. */
  const own = new Map<string, number>()
  let file: OpenFile | null = null
  let queue: Promise<unknown> = Promise.resolve()
  /** Lines may stand on disk. */
  let left = true
  /** Appends that were asked for and are not through. */
  let appending = 0
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work)
    queue = done.catch(() => undefined)
    return done
  }
  const close = async (): Promise<void> => {
    const { handle } = file ?? {}
    file = null
    await handle?.close()
  }
  const write = async (lines: readonly string[]): Promise<void> => {
    const text = Buffer.from(lines.map((line) => `${checksum(line)} ${line}\n`).join(''))
    const kept = [...own.values()].reduce((sum, bytes) => sum + bytes, 0)
    if (kept + text.length > maxBytes) throw new Error('the journal is full')
    for (let i = 0; i < TRIES; i++) {
      file ??= await newFile(folder, ids)
      try {
        own.set(nameOf(file.path), file.bytes + text.length)
        await file.handle.appendFile(text)
        await file.handle.datasync()
        file.bytes += text.length
        if (await isStillThere(file)) {
          if (file.bytes > MAX_FILE_BYTES) await close()
          return
        }
      } catch (error) {
        // What was half written is passed over, and nothing may follow it on its line.
        await close().catch(() => undefined)
        throw error
      }
      own.delete(nameOf(file.path))
      await close()
    }
    throw new Error('the journal was taken away while it was written')
  }
  return {
    append: async (lines) => {
      appending++
      try {
        await inTurn(async () => {
          // Here, not above: a drain that was asked for before has its turn before.
          left = true
          await write(lines)
        })
      } finally {
        appending--
      }
    },
    waiting: () => left || appending > 0,
    inherit: () => {
      left = true
    },
    close: () => inTurn(close),
    drain: async (take) => {
      const isOurs = async (name: string): Promise<boolean> => {
        if (own.has(nameOf(name))) return true
        const { mtimeMs = Number.NEGATIVE_INFINITY } = (await stat(path.join(folder, name)).catch(() => null)) ?? {}
        return timeOfDay(ids) - mtimeMs >= othersAfterMs
      }
      const names = await inTurn(async () => {
        await close()
        const found = await taken(folder, othersAfterMs === 0 ? async () => true : isOurs)
        // What another process has handed on is nobody's any more.
        for (const name of own.keys()) if (!found.all.has(name)) own.delete(name)
        left = found.others
        return found.names
      })
      const failures: unknown[] = []
      for (const name of names) {
        try {
          await handOn(path.join(folder, name), linesAtOnce, take)
          own.delete(nameOf(name))
        } catch (error) {
          failures.push(error)
          left = true
          if (isUnavailable(error)) break
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}

/** Without what taking adds. */
function nameOf(file: string): string {
  return path.basename(file).slice(0, 36)
}

function timeOfDay(ids: Ids): number {
  return timeOfId(ids.next()).getTime()
}

function checksum(line: string): string {
  return crc32(line).toString(16).padStart(8, '0')
}

async function newFile(folder: string, ids: Ids): Promise<OpenFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = path.join(folder, `${ids.next()}.log`)
  const handle = await open(name, 'ax', 0o600)
  try {
    await syncFolder(folder)
  } catch (error) {
    await handle.close()
    throw error
  }
  return { handle, path: name, bytes: 0 }
}

async function isStillThere({ handle, path: name }: OpenFile): Promise<boolean> {
  const [own, named] = await Promise.all([handle.stat(), stat(name).catch(() => null)])
  return named !== null && named.ino === own.ino
}

interface Taken {
  readonly names: readonly string[]
  /** There are files that are not for us now. */
  readonly others: boolean
  /** Every file, without what taking adds. */
  readonly all: ReadonlySet<string>
}

/** Renames what others write, so that they notice. */
async function taken(folder: string, isOurs: (name: string) => Promise<boolean>): Promise<Taken> {
  const all = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const files = all.filter((name) => name.endsWith('.log') || name.endsWith('.taken')).sort()
  const names: string[] = []
  for (const name of files) {
    if (!(await isOurs(name))) continue
    const after = name.endsWith('.taken') ? name : `${name}.taken`
    if (after !== name) await rename(path.join(folder, name), path.join(folder, after)).catch(ignoreMissing)
    names.push(after)
  }
  return { names, others: names.length < files.length, all: new Set(files.map(nameOf)) }
}

/** A piece at a time: whoever is waiting for this thread does not wait for a file. */
async function handOn(
  file: string,
  linesAtOnce: number,
  take: (lines: readonly string[]) => Promise<void>,
): Promise<void> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  })
  for (let at = 0; at < bytes.length; ) {
    const lines: string[] = []
    while (at < bytes.length && lines.length < linesAtOnce) {
      const end = bytes.indexOf(LF, at)
      const line = bytes.toString('utf8', at, end === -1 ? bytes.length : end)
      if (line.length > 9 && line.slice(0, 8) === checksum(line.slice(9))) lines.push(line.slice(9))
      at = end === -1 ? bytes.length : end + 1
    }
    if (lines.length > 0) await take(lines)
  }
  await unlink(file).catch(ignoreMissing)
  await syncFolder(path.dirname(file))
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
