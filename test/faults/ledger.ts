// The observations of an actor of the fault harness, one line of JSON each, on disk before the actor acts on them. The
// checker reads nothing else. Times are from the machine's monotonic clock, which all its processes share.
//
// Nothing in this folder imports the product, so a bug in the product cannot hide behind the same bug in the harness
// (test/tidy.test.ts checks this).

import { existsSync, readFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Milliseconds on the clock that the whole machine shares. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000
}

// biome-ignore lint/suspicious/noExplicitAny: each actor has its own shapes of lines
export type Line = { readonly k: string; readonly t: number } & Record<string, any>

export interface Ledger {
  /** Resolves when the line is on disk. `t` is the time of the call. */
  write(entry: { readonly k: string } & Record<string, unknown>): Promise<void>
  close(): Promise<void>
}

/** Lines written during a sync share the next one. */
export async function openLedger(file: string): Promise<Ledger> {
  const handle: FileHandle = await open(file, 'a')
  let waiting: { readonly line: string; readonly done: PromiseWithResolvers<void> }[] = []
  let running: Promise<void> | null = null
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        await handle.appendFile(batch.map(({ line }) => line).join(''))
        await handle.datasync()
        for (const { done } of batch) done.resolve()
      } catch (error) {
        for (const { done } of batch) done.reject(error)
      }
    }
    running = null
  }
  return {
    write: (entry) => {
      const done = Promise.withResolvers<void>()
      waiting.push({ line: `${JSON.stringify({ t: now(), ...entry })}\n`, done })
      running ??= flush()
      return done.promise
    },
    close: async () => {
      await running
      await handle.close()
    },
  }
}

/** Lines of a ledger; empty when there is no such file. Leaves out an incomplete last line. */
export function readLedger(file: string): readonly Line[] {
  if (!existsSync(file)) return []
  const text = readFileSync(file, 'utf8')
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}
