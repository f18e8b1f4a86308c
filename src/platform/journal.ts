// A journal on local disk, for what was acknowledged while the database was away. Lines are synced before `append`
// resolves; `drain` hands them on and forgets them when the hand-over succeeded. A crash in between hands them on
// again: whoever takes them must know them by an id of their own.
//
// Each process writes a file of its own (`<id>.log`), and any process of the same folder may drain it, so what a dead
// process left behind is not lost. Taking a file begins with renaming it; a writer that finds its file gone after a
// sync writes the lines once more into a new one. A line that was torn by a crash has a wrong checksum: it was never
// acknowledged, and is passed over.

import { type FileHandle, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import type { Ids } from './ids.ts'

export interface Journal {
  /** Resolves when the lines are on disk. @param lines without line breaks */
  append(lines: readonly string[]): Promise<void>
  /** True while there may be lines that were not handed on. True before the first drain. */
  waiting(): boolean
  /** Hands on every file's lines; a file whose lines are refused stays. @throws the first refusal, after all files */
  drain(take: (lines: readonly string[]) => Promise<void>): Promise<void>
  /** Lets go of the file; what stands in it is for whoever drains next. */
  close(): Promise<void>
}

const TRIES = 5
const LINES_AT_ONCE = 1_000

export function journalIn(folder: string, ids: Ids): Journal {
  let file: { readonly handle: FileHandle; readonly path: string } | null = null
  let queue: Promise<unknown> = Promise.resolve()
  let waiting = true
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
    for (let i = 0; i < TRIES; i++) {
      file ??= await newFile(folder, ids)
      try {
        await file.handle.appendFile(text)
        await file.handle.datasync()
        if (await isStillThere(file)) return
      } catch (error) {
        // What was half written is passed over, and nothing may follow it on its line.
        await close().catch(() => undefined)
        throw error
      }
      await close()
    }
    throw new Error('the journal was taken away while it was written')
  }
  return {
    append: (lines) => {
      waiting = true
      return inTurn(() => write(lines))
    },
    waiting: () => waiting,
    close: () => inTurn(close),
    drain: async (take) => {
      const names = await inTurn(async () => {
        await close()
        waiting = false
        return taken(folder)
      })
      const failures: unknown[] = []
      for (const name of names) {
        try {
          await handOn(path.join(folder, name), take)
        } catch (error) {
          failures.push(error)
          waiting = true
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}

function checksum(line: string): string {
  return crc32(line).toString(16).padStart(8, '0')
}

async function newFile(folder: string, ids: Ids): Promise<{ handle: FileHandle; path: string }> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = path.join(folder, `${ids.next()}.log`)
  const handle = await open(name, 'ax', 0o600)
  await syncFolder(folder)
  return { handle, path: name }
}

async function isStillThere({ handle, path: name }: { handle: FileHandle; path: string }): Promise<boolean> {
  const [own, named] = await Promise.all([handle.stat(), stat(name).catch(() => null)])
  return named !== null && named.ino === own.ino
}

/** Renames what others write, so that they notice. @returns the names of all files to hand on */
async function taken(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const name of names.filter((each) => each.endsWith('.log'))) {
    await rename(path.join(folder, name), path.join(folder, `${name}.taken`)).catch(ignoreMissing)
  }
  const after = names.length === 0 ? [] : await readdir(folder)
  return after.filter((name) => name.endsWith('.taken')).sort()
}

async function handOn(file: string, take: (lines: readonly string[]) => Promise<void>): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const lines = text
    .split('\n')
    .filter((line) => line.slice(0, 8) === checksum(line.slice(9)) && line.length > 9)
    .map((line) => line.slice(9))
  for (let i = 0; i < lines.length; i += LINES_AT_ONCE) await take(lines.slice(i, i + LINES_AT_ONCE))
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
