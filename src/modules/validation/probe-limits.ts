// Limits on how much probing a mail exchanger has to bear, over all accounts.
//
//   at once          5 connections to one host over all processes (slots in a shared table). Further probes wait within their
//                    budget: in order within a process, and by asking 5 times a second between processes
//   a minute         120 addresses per host, and 600 an hour, over all processes (shared token buckets, like the rate limits
//                    of the API); beyond that the probe is left out
//   after a refusal  a host that turns us away (421, a block) is not asked by any process for 10 minutes
//   silence          a host that left 5 probes in a row unanswered is not asked for a minute
//   in all           400 probes of the process at once; beyond that the probe is left out
//
// At most 5,000 hosts are remembered. Beyond that, hosts that are not being asked, shunned or silent are forgotten; while there
// are none of these, no other host is asked. A crash forgets the state of its process; the slots that it held are free again
// after 15 s, which is longer than any probe takes.

import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Buckets } from '../accounts/index.ts'
import * as sql from './sql.ts'

export const AT_ONCE_PER_HOST = 5
export const PER_MINUTE = 120
export const PER_HOUR = 600
export const SHUN_MS = 600_000
const SILENT_IN_A_ROW = 5
const SILENT_MS = 60_000
const AT_ONCE = 400
const MAX_HOSTS = 5_000
export const SLOT_MS = 15_000
const SLOT_AGAIN_MS = 200
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

interface Host {
  running: number
  readonly waiting: (() => void)[]
  shunnedUntilMs: number
  silentInARow: number
  silentUntilMs: number
  minute: { sinceMs: number; count: number }
  hour: { sinceMs: number; count: number }
}

/** The result of a turn. `nothing`: the host was not asked, or a fault on our side hid its answer. */
export type ProbeResult = 'answer' | 'silence' | 'refusal' | 'nothing'

export type ProbeTurn =
  /** Call `done` once, with the result. */
  | { readonly kind: 'granted'; done(came: ProbeResult): void }
  /** Too many probes of this host, or in this process. */
  | { readonly kind: 'crowded' }
  /** The host does not want to be asked. */
  | { readonly kind: 'shunned' }
  /** The signal was aborted before the turn came, or the host has fallen silent. */
  | { readonly kind: 'late' }

export interface ProbeLimits {
  turn(host: string, signal: AbortSignal): Promise<ProbeTurn>
}

export function probeLimits(clock: Clock): ProbeLimits {
  const hosts = new Map<string, Host>()
  let running = 0

  const hostOf = (name: string, nowMs: number): Host | null => {
    const known = hosts.get(name)
    if (known !== undefined) return known
    if (hosts.size >= MAX_HOSTS) for (const [other, host] of hosts) if (isQuiet(host, nowMs)) hosts.delete(other)
    if (hosts.size >= MAX_HOSTS) return null
    const fresh: Host = {
      running: 0,
      waiting: [],
      shunnedUntilMs: 0,
      silentInARow: 0,
      silentUntilMs: 0,
      minute: { sinceMs: nowMs, count: 0 },
      hour: { sinceMs: nowMs, count: 0 },
    }
    hosts.set(name, fresh)
    return fresh
  }

  const leave = (host: Host, came: ProbeResult): void => {
    running--
    host.running--
    if (came === 'refusal') host.shunnedUntilMs = clock.monotonicMs() + SHUN_MS
    if (came !== 'nothing') host.silentInARow = came === 'silence' ? host.silentInARow + 1 : 0
    if (host.silentInARow >= SILENT_IN_A_ROW) host.silentUntilMs = clock.monotonicMs() + SILENT_MS
    host.waiting.shift()?.()
  }

  return {
    turn: async (name, signal) => {
      const nowMs = clock.monotonicMs()
      const host = hostOf(name, nowMs)
      if (host === null || !mayCount(host, nowMs)) return { kind: 'crowded' }
      const closed = closedTo(host, nowMs)
      if (closed !== null) return closed
      host.minute.count++
      host.hour.count++
      while (host.running >= AT_ONCE_PER_HOST) {
        if (!(await called(host, signal))) return { kind: 'late' }
        const since = closedTo(host, clock.monotonicMs())
        if (since !== null) {
          host.waiting.shift()?.()
          return since
        }
      }
      if (running >= AT_ONCE) {
        host.waiting.shift()?.()
        return { kind: 'crowded' }
      }
      running++
      host.running++
      let isOver = false
      const done = (came: ProbeResult): void => {
        if (!isOver) leave(host, came)
        isOver = true
      }
      return { kind: 'granted', done }
    },
  }
}

function closedTo({ shunnedUntilMs, silentUntilMs }: Host, nowMs: number): ProbeTurn | null {
  if (shunnedUntilMs > nowMs) return { kind: 'shunned' }
  return silentUntilMs > nowMs ? { kind: 'late' } : null
}

/** Resolves to true when a place is free, to false when the signal is aborted first. */
function called(host: Host, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const free = (): void => {
      signal.removeEventListener('abort', giveUp)
      resolve(true)
    }
    const giveUp = (): void => {
      const place = host.waiting.indexOf(free)
      if (place !== -1) host.waiting.splice(place, 1)
      resolve(false)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    host.waiting.push(free)
  })
}

function mayCount(host: Host, nowMs: number): boolean {
  if (nowMs - host.minute.sinceMs >= MINUTE_MS) host.minute = { sinceMs: nowMs, count: 0 }
  if (nowMs - host.hour.sinceMs >= HOUR_MS) host.hour = { sinceMs: nowMs, count: 0 }
  return host.minute.count < PER_MINUTE && host.hour.count < PER_HOUR
}

/** The counts of the current hour can be forgotten here, because the shared buckets keep them. */
function isQuiet({ running, waiting, shunnedUntilMs, silentUntilMs }: Host, nowMs: number): boolean {
  return running === 0 && waiting.length === 0 && shunnedUntilMs <= nowMs && silentUntilMs <= nowMs
}

/** The limits on a host over all processes. */
export interface SharedProbeLimits {
  ask(host: string): Promise<'granted' | 'crowded' | 'shunned'>
  /**
   * Waits for a slot at the host.
   *
   * @returns a function that releases the slot; null when the signal was aborted first
   */
  enter(host: string, signal: AbortSignal): Promise<(() => Promise<void>) | null>
  shun(host: string): Promise<void>
}

const MINUTE_RATE = { perSecond: PER_MINUTE / 60, burst: PER_MINUTE }
const HOUR_RATE = { perSecond: PER_HOUR / 3_600, burst: PER_HOUR }

export interface SharedProbeLimitsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly buckets: Buckets
}

export function sharedProbeLimits({ database, clock, buckets }: SharedProbeLimitsOptions): SharedProbeLimits {
  return {
    ask: async (host) => {
      if ((await database.system.one(sql.SHUNNED, [host, clock.now()])) !== null) return 'shunned'
      const id = bucketOf(host)
      const minute = await buckets.take(id, 'probe_minute', MINUTE_RATE, 1)
      if (!minute.granted) return 'crowded'
      return (await buckets.take(id, 'probe_hour', HOUR_RATE, 1)).granted ? 'granted' : 'crowded'
    },
    enter: async (host, signal) => {
      while (!signal.aborted) {
        const now = clock.now()
        const until = new Date(now.getTime() + SLOT_MS)
        const taken = await database.system.one<{ slot: number }>(sql.TAKE_SLOT, [host, now, until, AT_ONCE_PER_HOST])
        if (taken !== null)
          return async () => void (await database.system.execute(sql.GIVE_SLOT, [host, taken.slot, until]))
        await setTimeout(SLOT_AGAIN_MS, undefined, { signal }).catch(() => undefined)
      }
      return null
    },
    shun: async (host) => {
      await database.system.execute(sql.SHUN, [host, new Date(clock.now().getTime() + SHUN_MS)])
    },
  }
}

/** Bucket names must be UUIDs. */
function bucketOf(host: string): string {
  const hex = createHash('sha256').update(`mail exchanger ${host}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
