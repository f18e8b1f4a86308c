// The event types. Numbers are stored, names are shown; a number is never reused for another type.

export const EVENT_TYPES = {
  'email.sent': 1,
  'email.delivered': 2,
  'email.opened': 3,
  'email.clicked': 4,
  'email.bounced': 5,
  'email.complained': 6,
  'email.unsubscribed': 7,
  'email.failed': 8,
  'email.scheduled': 9,
  'email.deferred': 10,
  'email.suppressed': 11,
  'email.canceled': 12,
  'domain.verified': 20,
  'domain.verification_failed': 21,
  'suppression.created': 30,
  'suppression.deleted': 31,
  'contact.confirmed': 40,
  'health.grade_changed': 50,
} as const

export type EventType = keyof typeof EVENT_TYPES
export type Stream = 'transactional' | 'broadcast'

const NAMES = new Map<number, EventType>(
  Object.entries(EVENT_TYPES).map(([name, number]) => [number, name as EventType]),
)

/** @throws when the log holds a number that this version does not know */
export function eventType(number: number): EventType {
  const name = NAMES.get(number)
  if (name === undefined) throw new Error(`the log holds an event of unknown type ${number}`)
  return name
}

/** The fields of an email that every event about it shows (contract section 12). */
export interface EmailFacts {
  readonly recipient: string
  readonly from: string
  readonly from_name: string | null
  readonly subject: string
  readonly message_id: string
  readonly metadata: Readonly<Record<string, unknown>> | null
}

/** One event as webhooks, `/events` and an email's `events[]` show it. */
export interface WireEvent {
  readonly event_id: string
  readonly event: EventType
  readonly timestamp: string
  /** Null when the event is about no email; absent in email.unsubscribed and contact.confirmed. */
  readonly email_id?: string | null
  /** Absent in contact.confirmed, like `metadata`. */
  readonly tag?: string | null
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly data: Readonly<Record<string, unknown>>
}
