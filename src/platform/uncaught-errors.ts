// Uncaught errors. One thrown where nobody awaits it (a socket's listener, a timer) concerns one connection or one job: it is
// reported and counted, and the process continues with its other work. Repeated ones are a fault of the process itself: it
// stops in order, and its supervisor restarts it. An uncaught error during the start also ends it.

import type { Clock } from './clock.ts'

export interface UncaughtErrorsOptions {
  readonly clock: Clock
  readonly report: (error: unknown, kind: 'exception' | 'rejection') => void
  /** Called once: the process must end. */
  readonly giveUp: () => void
}

const MOST = 10
const WITHIN_MS = 60_000

/** @returns a function to call when the process is up */
export function handleUncaughtErrors({ clock, report, giveUp }: UncaughtErrorsOptions): () => void {
  let isUp = false
  let isOver = false
  let atMs: readonly number[] = []
  process.on('unhandledRejection', (error) => report(error, 'rejection'))
  process.on('uncaughtException', (error) => {
    report(error, 'exception')
    const nowMs = clock.monotonicMs()
    atMs = [...atMs, nowMs].filter((each) => nowMs - each < WITHIN_MS)
    if (isOver || (isUp && atMs.length <= MOST)) return
    isOver = true
    giveUp()
  })
  return () => {
    isUp = true
  }
}
