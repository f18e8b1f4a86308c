// Ctrl-C and the like during a command. Left to its default the signal would end this process alone: not the embedded database
// that was started for the command, and not without what a backup has copied so far.

import os from 'node:os'
import { aborted } from './lifecycle.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The reason with which the signal of `interruption` aborts. */
export class Interrupted extends Error {
  /** As a shell reports the signal. */
  readonly exitCode: number

  constructor(signal: NodeJS.Signals) {
    super('interrupted')
    this.exitCode = 128 + os.constants.signals[signal]
  }
}

/** At Ctrl-C the terminal tells us and the process that has started us, which may pass it on: together they are one. */
const ONE_WITHIN_MS = 500

/** From the call on, the first of these signals aborts the returned one; a second, later one ends the process at once. */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  let isLater = false
  for (const signal of SIGNALS)
    process.on(signal, () => {
      const reason = new Interrupted(signal)
      if (isLater) process.exit(reason.exitCode)
      if (controller.signal.aborted) return
      controller.abort(reason)
      setTimeout(() => {
        isLater = true
      }, ONE_WITHIN_MS).unref()
    })
  return controller.signal
}

/** Resolves or rejects with `work`, or rejects with the reason of `signal` once it aborts; `work` is not waited for then. */
export function unlessInterrupted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const cut = aborted(signal).then((): never => {
    throw signal.reason
  })
  return Promise.race([work, cut])
}
