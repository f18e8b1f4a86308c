// Reads reports in a thread of its own, one after the other: at most 2 s and 128 MB each. One that goes beyond costs the
// thread, not the process; the next report gets a new one.

import { Worker } from 'node:worker_threads'
import type { Report } from '../../mail/report.ts'

const STARTS_WITHIN_MS = 10_000
const YOUNG_MB = 32
const DEFAULTS: ReaderOptions = {
  code: new URL('./reader-thread.ts', import.meta.url),
  withinMs: 2_000,
  memoryMb: 128,
}

export interface ReaderOptions {
  /** What the thread runs: takes bytes, answers a Report. */
  readonly code: URL
  /** For one report. */
  readonly withinMs: number
  readonly memoryMb: number
}

export interface ReportReader {
  /** @throws when the report costs more than it may, or its reading fails */
  read(raw: Buffer): Promise<Report>
  close(): Promise<void>
}

export function reportReader(options: Partial<ReaderOptions> = {}): ReportReader {
  const { code, withinMs, memoryMb } = { ...DEFAULTS, ...options }
  let thread: Worker | null = null
  let last: Promise<unknown> = Promise.resolve()

  const started = async (): Promise<Worker> => {
    if (thread !== null) return thread
    const made = new Worker(code, {
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: YOUNG_MB },
    })
    made.unref()
    await settled<void>(STARTS_WITHIN_MS, (done, fail) => {
      made.once('online', () => done())
      made.once('error', fail)
    })
    thread = made
    made.once('exit', () => {
      if (thread === made) thread = null
    })
    return made
  }
  const readOne = async (raw: Buffer): Promise<Report> => {
    const worker = await started()
    const listeners = new AbortController()
    try {
      return await settled<Report>(withinMs, (done, fail) => {
        const heard = (event: 'message' | 'error' | 'exit', handler: (value: unknown) => void): void => {
          worker.on(event, handler)
          listeners.signal.addEventListener('abort', () => worker.off(event, handler))
        }
        heard('message', (report) => done(report as Report))
        heard('error', fail)
        heard('exit', () => fail(new Error('the reading thread ended')))
        worker.postMessage(raw)
      })
    } catch (error) {
      thread = null
      await worker.terminate()
      throw error
    } finally {
      listeners.abort()
    }
  }
  return {
    read: (raw) => {
      const turn = last.then(
        () => readOne(raw),
        () => readOne(raw),
      )
      last = turn.catch(() => undefined)
      return turn
    },
    close: async () => {
      await last
      await thread?.terminate()
      thread = null
    },
  }
}

function settled<T>(
  withinMs: number,
  begin: (done: (value: T) => void, fail: (error: unknown) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('a report took too long to read')), withinMs)
    begin(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clearTimeout(timer)
        reject(error instanceof Error ? error : new Error(String(error)))
      },
    )
  })
}
