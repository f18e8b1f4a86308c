// Errors that nobody caught. One that is thrown where nobody waits for it (a socket's listener, a timer) is one connection's
// or one job's: it is reported and counted, and the process goes on with the others' work. One that comes again and again is
// the process's own: it stops in order, and whoever watches over it starts it anew. So does one that is met while starting.

import type { Clock } from './clock.ts'

export interface StrayOptions {
  readonly clock: Clock
  readonly report: (error: unknown, kind: 'exception' | 'rejection') => void
  /** Called once: the process is to end. */
  readonly giveUp: () => void
}

const MOST = 10
const WITHIN_MS = 60_000

/** @returns to be called when the process is up */
export function catchStray({ clock, report, giveUp }: StrayOptions): () => void {
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
