// Runs jobs on untrusted input in a separate thread: one at a time, each with a time limit, all within a memory limit. A job
// that exceeds a limit costs the thread, not the process; the next job gets a new thread, and queued jobs lose nothing. The
// thread starts with the first job and keeps no process alive. Loading its modules takes 0.2 s, and seconds on a busy machine,
// and has a limit of its own (start-thread.ts).

import { type Transferable, Worker } from 'node:worker_threads'

export interface ThreadOptions {
  /** The module that answers each message with one message. */
  readonly file: URL
  readonly withinMs: number
  readonly memoryMb: number
}

export interface Thread<In, Out> {
  /**
   * @param transferred memory in the input that the thread takes over instead of copying it; it is gone here from then on
   * @throws when the work takes too long or too much memory, or fails
   */
  run(input: In, transferred?: readonly Transferable[]): Promise<Out>
  /** Closes after the job under way. */
  close(): Promise<void>
}

const STARTS_WITHIN_MS = 10_000
const YOUNG_MB = 32
const START = new URL('./start-thread.ts', import.meta.url)

export function threadFor<In, Out>({ file, withinMs, memoryMb }: ThreadOptions): Thread<In, Out> {
  let thread: Worker | null = null
  let last: Promise<unknown> = Promise.resolve()
  const started = async (): Promise<Worker> => {
    if (thread !== null) return thread
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: YOUNG_MB }
    const made = new Worker(START, { workerData: file.href, resourceLimits })
    made.unref()
    try {
      await settled<void>(STARTS_WITHIN_MS, (done, fail) => {
        made.once('message', () => done())
        made.once('error', fail)
        made.once('exit', () => fail(new Error('the thread ended before it began')))
      })
    } catch (error) {
      await made.terminate()
      throw error
    }
    thread = made
    made.once('exit', () => {
      if (thread === made) thread = null
    })
    return made
  }
  const runOne = async (input: In, transferred: readonly Transferable[]): Promise<Out> => {
    const worker = await started()
    const listeners = new AbortController()
    try {
      return await settled<Out>(withinMs, (done, fail) => {
        const on = (event: 'message' | 'error' | 'exit', handler: (value: unknown) => void): void => {
          worker.on(event, handler)
          listeners.signal.addEventListener('abort', () => worker.off(event, handler))
        }
        on('message', (value) => done(value as Out))
        on('error', fail)
        on('exit', () => fail(new Error('the thread ended')))
        worker.postMessage(input, transferred)
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
    run: (input, transferred = []) => {
      const turn = last.then(() => runOne(input, transferred))
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
    const timer = setTimeout(() => reject(new Error(`the work took longer than ${withinMs} ms`)), withinMs)
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
