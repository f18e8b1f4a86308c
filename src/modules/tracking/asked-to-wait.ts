// A certificate authority that asks to be left alone for a time: 429 (RFC 8555 section 6.6) or 5xx with a Retry-After
// (RFC 9110 section 10.2.3), in seconds or as a date.
//
//   up to 30 s    waited for within the order, by the library
//   longer        the order ends at once and says nothing more; it is not asked again before then. Nobody waits in memory
//   over a week   a mistake, more likely than not: asked again after the week
//
// 5xx, and 429 before the order itself has begun, is about everything that we might ask: then no name is asked about, by
// any machine. 429 within an order is about its name, or may be: of Let's Encrypt's limits most count certificates of one
// name or one domain, and one customer's name must not hold up the others'. Where such a limit is the account's after all,
// each name finds that out by one question of its own.

import { AsyncLocalStorage } from 'node:async_hooks'
import type acme from 'acme-client'
import type { Clock } from '../../platform/clock.ts'

export class AskedToWait extends Error {
  readonly until: Date
  /** Not about one name alone. */
  readonly isForAll: boolean

  constructor(until: Date, isForAll: boolean, said: string) {
    super(`The certificate authority asks to wait until ${until.toISOString()}: ${said}`)
    this.until = until
    this.isForAll = isForAll
  }
}

/** What one order is at. */
export interface Asking {
  readonly clock: Clock
  /** The order itself has begun. */
  ordering: boolean
  /** Nothing more is asked. */
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

/** Runs an order: what it asks of the CA is known to be its own. */
export function asAsked<T>(given: Pick<Asking, 'clock' | 'onHeld'>, order: (asking: Asking) => Promise<T>): Promise<T> {
  const one: Asking = { ...given, ordering: false, held: null }
  return asking.run(one, () => order(one))
}

/** Has the library's HTTP client end an order whose CA asks to wait. Its own way is to sleep that long, and go on. */
export function heedRetryAfter({ axios }: typeof acme): void {
  if (listening.has(axios)) return
  listening.add(axios)
  // Whoever asks on gets no answer, and is forgotten with the order that has ended: an error would be tried again, for minutes.
  axios.interceptors.request.use((config) =>
    (asking.getStore()?.held ?? null) === null ? config : Promise.withResolvers<typeof config>().promise,
  )
  // What is thrown here has no `config`, so that the library takes it for nothing that is to be tried again.
  axios.defaults.transformResponse = [
    ...[axios.defaults.transformResponse ?? []].flat(),
    (data: unknown, headers: Headers, status?: number): unknown => {
      const one = asking.getStore()
      if (one === undefined || status === undefined || (status !== 429 && status < 500)) return data
      const now = one.clock.now()
      const waitMs = retryAfterMs(textOf(headers.get('retry-after')), textOf(headers.get('date')), now)
      if (waitMs <= WAITED_FOR_MS) {
        // The library would take a date by its own clock, and sleep for as long as that differs from the CA's.
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

/** 0: it asks for nothing. @param date of the answer, by the clock that a date of the header is told by */
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
