// A certificate authority that asks us to wait: 429 (RFC 8555 section 6.6) or 5xx with a Retry-After (RFC 9110 section 10.2.3), in
// seconds or as a date.
//
//   up to 30 s    the library waits within the order
//   longer        the order ends at once, and the CA is not asked again before then; nothing waits in memory
//   over a week   probably a mistake: the CA is asked again after a week
//
// A 5xx, or a 429 before the order itself has begun, applies to all requests: no machine orders for any name. A 429 within an
// order is taken to be about its name: most of Let's Encrypt's limits count certificates of one name or domain, and one customer's
// name must not delay the others'. If such a limit is the account's after all, each name finds out with one request of its own.

import { AsyncLocalStorage } from 'node:async_hooks'
import type acme from 'acme-client'
import type { Clock } from '../../platform/clock.ts'

export class AskedToWait extends Error {
  readonly until: Date
  /** Applies to all names. */
  readonly isForAll: boolean

  constructor(until: Date, isForAll: boolean, said: string) {
    super(`The certificate authority asks to wait until ${until.toISOString()}: ${said}`)
    this.until = until
    this.isForAll = isForAll
  }
}

/** State of one order. */
export interface Asking {
  readonly clock: Clock
  /** Whether the order itself has begun. */
  ordering: boolean
  /** Set when no more requests are made. */
  held: AskedToWait | null
  /** At once: where the library waits for a state it takes what it is told for something that passes. */
  readonly onHeld: (asked: AskedToWait) => void
}

interface Headers {
  get(name: string): unknown
  set(name: string, value: string): unknown
}

const WAITED_FOR_MS = 30_000
const LONGEST_MS = 7 * 86_400_000
const asking = new AsyncLocalStorage<Asking>()
const listening = new WeakSet<object>()

/** Runs an order, so that its requests to the CA are known to be its own. */
export function asAsked<T>(given: Pick<Asking, 'clock' | 'onHeld'>, order: (asking: Asking) => Promise<T>): Promise<T> {
  const one: Asking = { ...given, ordering: false, held: null }
  return asking.run(one, () => order(one))
}

/** Makes the library's HTTP client end an order whose CA asks to wait. By itself it would sleep that long and continue. */
export function heedRetryAfter({ axios }: typeof acme): void {
  if (listening.has(axios)) return
  listening.add(axios)
  // Further requests of an ended order never get an answer and are dropped with it: an error would be retried for minutes.
  axios.interceptors.request.use((config) =>
    (asking.getStore()?.held ?? null) === null ? config : Promise.withResolvers<typeof config>().promise,
  )
  // The error has no `config`, so that the library does not retry.
  axios.defaults.transformResponse = [
    ...[axios.defaults.transformResponse ?? []].flat(),
    (data: unknown, headers: Headers, status?: number): unknown => {
      const one = asking.getStore()
      if (one === undefined || status === undefined || (status !== 429 && status < 500)) return data
      const now = one.clock.now()
      const waitMs = retryAfterMs(textOf(headers.get('retry-after')), textOf(headers.get('date')), now)
      if (waitMs <= WAITED_FOR_MS) {
        // The library would read a date by the local clock and sleep for the difference between it and the CA's clock.
        headers.set('retry-after', String(Math.ceil(waitMs / 1_000)))
        return data
      }
      const until = new Date(now.getTime() + Math.min(waitMs, LONGEST_MS))
      one.held = new AskedToWait(until, status !== 429 || !one.ordering, saidIn(data) ?? `it answered ${status}`)
      one.onHeld(one.held)
      throw one.held
    },
  ]
}

/** @returns 0 when it does not ask to wait @param date of the response, the clock that a date in the header refers to */
export function retryAfterMs(header: string, date: string, now: Date): number {
  if (/^\d+$/.test(header)) return Number(header) * 1_000
  const until = Date.parse(header)
  if (Number.isNaN(until)) return 0
  const there = Date.parse(date)
  return Math.max(0, until - (Number.isNaN(there) ? now.getTime() : there))
}

function textOf(header: unknown): string {
  return typeof header === 'string' ? header.trim() : ''
}

/** Of a problem document (RFC 8555 section 6.7). */
function saidIn(data: unknown): string | null {
  const detail = typeof data === 'object' && data !== null && 'detail' in data ? data.detail : null
  return typeof detail === 'string' && detail !== '' ? detail : null
}
