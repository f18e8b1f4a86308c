// How fast one destination may be used. It starts with five connections and gets one more after each round without trouble,
// up to twenty. A 421, or a 4.7.x that is not about one mail, halves the number and pauses the destination, each time in a
// row for twice as long. A failure to connect also halves it. A 421 in the greeting while other connections are open limits
// it to these, without a pause; growth resumes after twenty answers. After three attempts in a row that reached nobody the
// destination counts as down for a while, or until it answers: mail waiting for it is deferred with the last result, without
// a socket.

import { quickestAfter } from './quickest.ts'
import type { SocketKind } from './sockets.ts'

const START = 5
const MOST = 20
const CROWDED_FOR = 20
const PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000
const DOWN_AFTER = 3
const DOWN_MS = 5_000
const MAX_DOWN_MS = 60_000
/** Under this, the sockets take about as many mails a second as the cores. On a busy machine, quick ones take a part of it. */
const SLOW_MS = 1_000

export class Pace {
  #limit = START
  #round = 0
  #throttles = 0
  /** Answers until the limit may grow again. */
  #holdOff = 0
  #misses = 0
  #tookMs: number | undefined
  #pausedUntilMs = 0
  #downUntilMs = 0

  /** How many connections may be busy at once. */
  get limit(): number {
    return this.#limit
  }

  /** The destination has answered, and has not turned silent since. */
  get proven(): boolean {
    return this.#misses === 0 && this.#round > 0
  }

  /** Its mails always take long, from the connection or the mail before to the answer. */
  get slow(): boolean {
    return this.#tookMs !== undefined && this.#tookMs > SLOW_MS
  }

  get kind(): SocketKind {
    if (!this.proven) return 'unproven'
    return this.slow ? 'slow' : 'quick'
  }

  /** How long a mail kept its connection, without waits of ours. */
  took(ms: number): void {
    this.#tookMs = quickestAfter(this.#tookMs, ms)
  }

  /** Milliseconds until the destination may be tried again, 0 = now. */
  pauseMs(nowMs: number): number {
    return Math.max(0, this.#pausedUntilMs - nowMs)
  }

  isDown(nowMs: number): boolean {
    return nowMs < this.#downUntilMs
  }

  answered(): void {
    this.#reached()
    this.#throttles = 0
    if (this.#holdOff-- > 0) return
    this.#holdOff = 0
    if (++this.#round <= this.#limit) return
    this.#round = 1
    this.#limit = Math.min(MOST, this.#limit + 1)
  }

  /** @param open number of working connections */
  crowded(open: number): void {
    this.#reached()
    this.#limit = Math.max(1, Math.min(this.#limit, open))
    this.#round = Math.min(1, this.#round)
    this.#holdOff = CROWDED_FOR
  }

  throttled(nowMs: number): void {
    this.#reached()
    // Throttling answers on connections already under way at the first one count as the same throttle.
    if (nowMs < this.#pausedUntilMs) return
    this.#halve()
    this.#pausedUntilMs = nowMs + Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** Math.min(this.#throttles++, 10))
  }

  unreachable(nowMs: number): void {
    this.#halve()
    if (++this.#misses < DOWN_AFTER) return
    this.#limit = 1
    this.#downUntilMs = nowMs + Math.min(MAX_DOWN_MS, DOWN_MS * 2 ** Math.min(this.#misses - DOWN_AFTER, 10))
  }

  #reached(): void {
    this.#misses = 0
    this.#downUntilMs = 0
  }

  #halve(): void {
    this.#limit = Math.max(1, Math.floor(this.#limit / 2))
    this.#round = 0
  }
}
