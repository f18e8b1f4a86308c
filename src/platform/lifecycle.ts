// Everything that runs is a Service, and everything that is started is stopped.

import { once } from 'node:events'

export interface Service {
  readonly name: string
  /** The settings that say what it listens on: named when it does not start. */
  readonly settings?: readonly string[]
  /** Resolves when ready for work (the port is bound, the first poll is armed). */
  start(): Promise<void>
  /** Takes no new work, finishes what is under way, and resolves. Must settle soon after `deadline` aborts. */
  stop(deadline: AbortSignal): Promise<void>
}

/** One service, or several that start one after the other and stop at the same time. */
export type Stage = Service | readonly Service[]

const UNDO_MS = 5_000
/** Grace after the deadline, in ms: until a first service is late, and for those that stop after it. */
const LATE_MS = 2_000
const LATE_TOO_MS = 200

/** Starts in order. When one fails, stops those already started, in reverse order, and rejects with its error. */
export async function startAll(stages: readonly Stage[]): Promise<void> {
  const started: Service[] = []
  for (const service of stages.flat()) {
    try {
      await service.start()
      started.push(service)
    } catch (error) {
      await stopAll(started, AbortSignal.timeout(UNDO_MS)).catch(() => undefined)
      const { name, settings } = service
      const settingsText = settings === undefined ? '' : ` (${settings.join(', ')})`
      throw new Error(`${name} did not start${settingsText}`, { cause: error })
    }
  }
}

/**
 * Stops in reverse order, the services of one stage together: each has all the remaining time, even if another one waits
 * for a slow client. A service that fails, or does not settle after the deadline, does not hold up the others; the errors
 * are thrown together at the end.
 */
export async function stopAll(stages: readonly Stage[], deadline: AbortSignal): Promise<void> {
  const errors: unknown[] = []
  let lateMs = LATE_MS
  for (const stage of stages.toReversed()) {
    const withinMs = lateMs
    const stopOne = async (service: Service): Promise<void> => {
      try {
        if (await settles(service.stop(deadline), deadline, withinMs)) return
        lateMs = LATE_TOO_MS
        throw new Error('it was still running at the deadline')
      } catch (error) {
        errors.push(new Error(`${service.name} did not stop cleanly`, { cause: error }))
      }
    }
    await Promise.all([stage].flat().map(stopOne))
  }
  if (errors.length > 0) throw new AggregateError(errors, 'services did not stop cleanly')
}

/** A signal for what nothing ends early. */
export const NEVER: AbortSignal = new AbortController().signal

/** Resolves when `signal` aborts, at once if it already has. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** @returns false when `work` is not done within `lateMs` after the deadline. @throws what `work` throws */
async function settles(work: Promise<void>, deadline: AbortSignal, lateMs: number): Promise<boolean> {
  const late = Promise.withResolvers<false>()
  let timer: NodeJS.Timeout | undefined
  const wait = (): void => {
    timer = setTimeout(late.resolve, lateMs, false)
  }
  if (deadline.aborted) wait()
  else deadline.addEventListener('abort', wait, { once: true })
  try {
    return await Promise.race([work.then(() => true), late.promise])
  } finally {
    deadline.removeEventListener('abort', wait)
    clearTimeout(timer)
  }
}

export interface Loop extends Service {
  /** Ends the wait before the next turn early. */
  wake(): void
}

export interface LoopOptions {
  readonly name: string
  /** Resolves to the wait before the next turn, in milliseconds; 0 = at once. */
  readonly turn: (signal: AbortSignal) => Promise<number>
  readonly onError: (error: unknown) => void
  /** The wait after a turn that threw. */
  readonly retryMs?: number
}

/** Runs `turn` again and again until stopped. A turn that throws is reported and tried again. */
export function loop({ name, turn, onError, retryMs = 1_000 }: LoopOptions): Loop {
  const stopping = new AbortController()
  let wakeUp: (() => void) | null = null
  let woken = false
  let running: Promise<void> = Promise.resolve()
  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (woken || stopping.signal.aborted || ms <= 0) {
        setImmediate(resolve)
        return
      }
      const done = (): void => {
        clearTimeout(timer)
        wakeUp = null
        resolve()
      }
      const timer = setTimeout(done, ms)
      wakeUp = done
    })
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let waitMs = retryMs
      woken = false
      try {
        waitMs = await turn(stopping.signal)
      } catch (error) {
        if (!stopping.signal.aborted) onError(error)
      }
      await rest(waitMs)
    }
  }
  return {
    name,
    start: async () => {
      running = run()
    },
    stop: async () => {
      stopping.abort(new Error(`${name} is stopping`))
      wakeUp?.()
      await running
    },
    wake: () => {
      woken = true
      wakeUp?.()
    },
  }
}

/**
 * A loop whose turns begin work that goes on after them: its stop waits for that too.
 *
 * @param over resolves when no such work is under way
 */
export function withWork(turns: Loop, over: () => Promise<void>): Loop {
  return {
    ...turns,
    stop: async (deadline) => {
      await turns.stop(deadline)
      await over()
    },
  }
}
