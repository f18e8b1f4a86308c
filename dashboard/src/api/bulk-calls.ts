// Processes a long list in consecutive API calls: it can be stopped between two calls, waits when rate-limited, and retries calls
// that failed on the network. Independent of the browser.

export interface Fault {
  readonly line: number
  readonly text: string
  readonly message: string
}

export interface Outcome {
  /** Results of the part just done, besides its faults. */
  readonly done: number
  readonly faults: readonly Fault[]
}

export interface Progress {
  /** Number of processed items, with or without success. */
  readonly at: number
  readonly total: number
  readonly done: number
  readonly faults: readonly Fault[]
  /** Seconds until the next call; 0 while working. */
  readonly waits: number
}

export interface BulkCalls<Item> {
  readonly items: readonly Item[]
  /** Items per call. */
  readonly size: number
  readonly call: (part: readonly Item[]) => Promise<Outcome>
  readonly tell: (progress: Progress) => void
  readonly signal: AbortSignal
  /** Resolves after this many ms, or when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

const TRIES = 4
const DEFAULT_WAIT_SECONDS = 2

/**
 * @returns the progress; `at` is below `total` when it was stopped
 * @throws the error of a call for which a retry is useless; earlier parts stay done
 */
export async function runBulkCalls<Item>(work: BulkCalls<Item>): Promise<Progress> {
  const { items, size, tell, signal } = work
  let progress: Progress = { at: 0, total: items.length, done: 0, faults: [], waits: 0 }
  tell(progress)
  while (progress.at < items.length && !signal.aborted) {
    const part = items.slice(progress.at, progress.at + size)
    const { call, pause } = work
    const waiting = (waits: number): void => tell({ ...progress, waits })
    const outcome = await insisting(() => call(part), { pause, signal, waiting })
    if (outcome === null) break
    progress = {
      ...progress,
      at: progress.at + part.length,
      done: progress.done + outcome.done,
      faults: [...progress.faults, ...outcome.faults],
    }
    tell(progress)
  }
  return progress
}

interface ListPage<Row> {
  readonly data: readonly Row[]
  readonly pagination: { readonly next_cursor: string | null }
}

/**
 * All rows of a large list. By cursor: rows that arrive meanwhile would move others to the next page of an offset.
 *
 * @param page asks for the page after a cursor, which is empty for the first one
 */
export async function everyRow<Row>(page: (cursor: string) => Promise<ListPage<Row>>): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, pagination }: ListPage<Row> = await page(cursor)
    for (const row of data) rows.push(row)
    cursor = pagination.next_cursor
  }
  return rows
}

export interface Waits {
  /** Resolves after this many ms, or when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  /** Called with the number of seconds to wait. */
  readonly waiting?: (seconds: number) => void
}

/** @returns null when stopped while waiting. Rate limits are no failures and are obeyed any number of times. */
export async function insisting<Answer>(
  call: () => Promise<Answer>,
  { pause, signal, waiting }: Waits,
): Promise<Answer | null> {
  for (let tries = 1; ; ) {
    try {
      return await call()
    } catch (error) {
      const { status = 0, details } = error as { status?: number; details?: { retry_after?: number } }
      const busy = status === 429 && typeof details?.retry_after === 'number'
      const passing = status === 0 || status >= 500
      if (!busy && (!passing || tries++ >= TRIES)) throw error
      const seconds = busy ? Math.max(1, details.retry_after ?? 0) : DEFAULT_WAIT_SECONDS * tries
      waiting?.(seconds)
      await pause(seconds * 1_000, signal)
      if (signal.aborted) return null
    }
  }
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
}
