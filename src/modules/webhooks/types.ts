import { EVENT_TYPES, eventType } from '../events/index.ts'

export const EVENT_NAMES = [...Object.keys(EVENT_TYPES), 'test', '*'] as const

/** The number of `test` in the delivery log; the event log has no such type. */
export const TEST_EVENT = 0

export function eventName(number: number): string {
  return number === TEST_EVENT ? 'test' : eventType(number)
}

/** An endpoint as stored, without its secret. */
export interface Endpoint {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly url: string
  readonly events: readonly string[]
  /** Null: all domains. */
  readonly domain_ids: readonly string[] | null
  readonly is_active: boolean
  readonly secret_last4: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly active_since: Date
  readonly last_delivery_at: Date | null
  readonly last_delivery_status: string | null
  readonly consecutive_failures: number
  readonly disabled_at: Date | null
  readonly disabled_reason: string | null
  readonly previous_secret_until: Date | null
}

/** How an attempt ended, as the delivery log shows it. */
export interface AttemptFacts {
  readonly http_status: number | null
  readonly duration_ms: number
  /** The first 4 KB as text; null when there was no answer. */
  readonly response_body: string | null
  readonly error: string | null
}

export type DisabledReason = 'gone' | 'failing'

export interface DisabledEndpoint {
  readonly accountId: string
  readonly id: string
  readonly name: string
  readonly url: string
  readonly reason: DisabledReason
}
