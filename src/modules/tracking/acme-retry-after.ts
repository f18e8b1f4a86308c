// A certificate authority that asks us to wait: 429 (RFC 8555 section 6.6) or 5xx with a Retry-After (RFC 9110 section
// 10.2.3), in seconds or as a date.
//
//   up to 30 s    the library waits within the order
//   longer        the order ends at once and sends nothing more; the next one starts no earlier. Nothing waits in memory
//   over a week   probably a mistake: the next order starts after a week
//
// 5xx, and 429 before the order itself has begun, applies to all our requests: no machine orders for any name. 429 within an
// order may apply to its name only: most of Let's Encrypt's limits count the certificates of one name or one domain, and one
// customer's name must not hold up the others. If such a limit turns out to be the account's, each name finds that out with
// one request of its own.

import { AsyncLocalStorage } from 'node:async_hooks'
import type acme from 'acme-client'
import type { Clock } from '../../platform/clock.ts'

/** How the error of such an answer begins. */
export const ASKS_TO_WAIT = 'The certificate authority asks to wait'

export class RetryAfterError extends Error {
  readonly until: Date
  /** Applies to all names, not just one. */
  readonly isForAll: boolean

  constructor(until: Date, isForAll: boolean, reason: string) {
    super(`${ASKS_TO_WAIT} until ${until.toISOString()}: ${reason}`)
    this.until = until
    this.isForAll = isForAll
  }
}

/** The state of one order. */
export interface Asking {
  readonly clock: Clock
  /** The order itself has begun. */
  ordering: boolean
  /** Not null: the CA asked to wait, and the order sends nothing more. */
  held: RetryAfterError | null
  /** The CA said that CAA records forbid it to issue (RFC 8555 section 6.7). */
  isForbiddenByCaa: boolean
  /** Before the order itself, the CA refused the account's key: the account was deactivated (RFC 8555 section 7.3.6). */
  isDeactivated: boolean
  /** Called at once, because the library treats an error as temporary while it polls for a state. */
  readonly onHeld: (asked: RetryAfterError) => void
}

interface Headers {
  get(name: string): unknown
  set(name: string, value: string): unknown
}

const WAITED_FOR_MS = 30_000
const CAA = 'urn:ietf:params:acme:error:caa'
const UNAUTHORIZED = 'urn:ietf:params:acme:error:unauthorized'
export const LONGEST_ASKED_MS = 7 * 86_400_000
const asking = new AsyncLocalStorage<Asking>()
const listening = new WeakSet<object>()

/** Runs an order, so that its requests to the CA can be attributed to it. */
export function asAsked<T>(given: Pick<Asking, 'clock' | 'onHeld'>, order: (asking: Asking) => Promise<T>): Promise<T> {
  const one: Asking = { ...given, ordering: false, held: null, isForbiddenByCaa: false, isDeactivated: false }
  return asking.run(one, () => order(one))
}

/** Makes the library's HTTP client end an order whose CA asks to wait. By default it sleeps that long and goes on. */
export function heedRetryAfter({ axios }: typeof acme): void {
  if (listening.has(axios)) return
  listening.add(axios)
  // Further requests of an ended order stay pending forever and are dropped with it: an error would be retried for minutes.
  axios.interceptors.request.use((config) =>
    (asking.getStore()?.held ?? null) === null ? config : Promise.withResolvers<typeof config>().promise,
  )
  // The error thrown here has no `config`, so the library does not retry it.
  axios.defaults.transformResponse = [
    ...[axios.defaults.transformResponse ?? []].flat(),
    (data: unknown, headers: Headers, status?: number): unknown => {
      const one = asking.getStore()
      if (one !== undefined && isRefusal(data, CAA)) one.isForbiddenByCaa = true
      if (one !== undefined && !one.ordering && isRefusal(data, UNAUTHORIZED)) one.isDeactivated = true
      if (one === undefined || status === undefined || (status !== 429 && status < 500)) return data
      const now = one.clock.now()
      const waitMs = retryAfterMs(textOf(headers.get('retry-after')), textOf(headers.get('date')), now)
      if (waitMs <= WAITED_FOR_MS) {
        // The library would read a date by its own clock, and sleep too long or too short when that differs from the CA's.
        headers.set('retry-after', String(Math.ceil(waitMs / 1_000)))
        return data
      }
      const until = new Date(now.getTime() + Math.min(waitMs, LONGEST_ASKED_MS))
      one.held = new RetryAfterError(until, status !== 429 || !one.ordering, reasonIn(data) ?? `it answered ${status}`)
      one.onHeld(one.held)
      throw one.held
    },
  ]
}

/** 0: no wait. @param date the response's Date header: the CA's clock, which a date in Retry-After refers to */
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

/** A problem document, or an object of an order whose `error` is one. */
function isRefusal(data: unknown, why: string): boolean {
  if (typeof data !== 'object' || data === null) return false
  const { type, error } = data as { readonly type?: unknown; readonly error?: { readonly type?: unknown } | null }
  return type === why || error?.type === why
}

/** The `detail` of a problem document (RFC 8555 section 6.7); null: none. */
function reasonIn(data: unknown): string | null {
  const detail = typeof data === 'object' && data !== null && 'detail' in data ? data.detail : null
  return typeof detail === 'string' && detail !== '' ? detail : null
}
