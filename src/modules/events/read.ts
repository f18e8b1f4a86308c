import type { Db } from '../../platform/db.ts'
import { timeOfId } from '../../platform/ids.ts'
import { type EventRow, type FollowedEvent, followed } from './follow.ts'
import * as sql from './sql.ts'
import { type EmailFacts, EVENT_TYPES, type EventType, type WireEvent } from './types.ts'

const MAX_EVENTS_OF_EMAIL = 1_000
// The first event is written in the transaction that makes the id, or seconds later. The clocks of two machines must
// differ by less than this.
const CLOCK_SLACK_MS = 300_000
/** How far a clock that was ahead when an email was accepted may be set back before the email's later events. */
export const PUT_BACK_MS = 7 * 86_400_000

/** Looks up the facts of emails kept for longer than their first events, by email id. The room that stores emails provides it. */
export type KeptFacts = (
  db: Db,
  emails: readonly { readonly accountId: string; readonly id: string }[],
) => Promise<ReadonlyMap<string, EmailFacts>>

/** All events of one email, oldest first, at most 1,000. @param kept the facts stored with the email, if any */
export async function eventsOfEmail(
  db: Db,
  accountId: string,
  emailId: string,
  kept: EmailFacts | null = null,
): Promise<readonly WireEvent[]> {
  const since = new Date(timeOfId(emailId).getTime() - PUT_BACK_MS)
  const rows = await db.query<EventRow>(sql.ofEmail, [accountId, emailId, since, MAX_EVENTS_OF_EMAIL])
  const facts = rows.find((row) => row.facts !== null)?.facts ?? kept
  return rows.map((row) => wireEvent(followed(row), facts))
}

/**
 * The facts of the emails of the given events, by email id. An event that carries its facts needs no look-up.
 *
 * @param kept looks up facts that the log no longer holds; null: no such look-up
 */
export async function factsOf(
  db: Db,
  events: readonly Pick<FollowedEvent, 'emailId' | 'accountId' | 'facts'>[],
  kept: KeptFacts | null,
): Promise<ReadonlyMap<string, EmailFacts>> {
  const found = new Map<string, EmailFacts>()
  const asked = new Map<string, string>()
  for (const { emailId, accountId, facts } of events) {
    if (emailId === null) continue
    if (facts === null) asked.set(emailId, accountId)
    else found.set(emailId, facts)
  }
  for (const emailId of found.keys()) asked.delete(emailId)
  if (asked.size === 0) return found
  const times = [...asked.keys()].map((id) => timeOfId(id).getTime())
  const low = new Date(Math.min(...times) - CLOCK_SLACK_MS)
  const high = new Date(Math.max(...times) + CLOCK_SLACK_MS)
  const rows = await db.query<{ email_id: string; facts: EmailFacts }>(sql.factsOf, [
    [...asked.values()],
    [...asked.keys()],
    low,
    high,
  ])
  for (const row of rows) found.set(row.email_id, row.facts)
  const missing = [...asked].flatMap(([id, accountId]) => (found.has(id) ? [] : [{ accountId, id }]))
  if (kept === null || missing.length === 0) return found
  for (const [id, facts] of await kept(db, missing)) found.set(id, facts)
  return found
}

/** A permanent reference to one event. */
export type EventReference = Pick<FollowedEvent, 'accountId' | 'at' | 'eventId'>

/** The referenced events, by id; an event that the log no longer holds is absent. */
export async function eventsByReference(
  db: Db,
  references: readonly EventReference[],
): Promise<ReadonlyMap<string, FollowedEvent>> {
  if (references.length === 0) return new Map()
  const rows = await db.query<EventRow>(sql.byReference, [
    references.map(({ accountId }) => accountId),
    references.map(({ at }) => at),
    references.map(({ eventId }) => eventId),
  ])
  return new Map(rows.map((row) => [row.event_id, followed(row)]))
}

export interface EventPeriod {
  /** Inclusive. */
  readonly from: Date
  /** Exclusive. */
  readonly to: Date
  /** Null: every type. */
  readonly types: readonly EventType[] | null
  /** Null: every domain, and events without one. */
  readonly domainIds: readonly string[] | null
  /** The event after which to continue; null: from the start. */
  readonly after: EventReference | null
  readonly limit: number
}

/** An account's events of a period, oldest first. */
export async function eventsOfPeriod(
  db: Db,
  accountId: string,
  { from, to, types, domainIds, after, limit }: EventPeriod,
): Promise<readonly FollowedEvent[]> {
  const numbers = types === null ? null : types.map((type) => EVENT_TYPES[type])
  const place = [after?.at ?? null, after?.eventId ?? null]
  const rows = await db.query<EventRow>(sql.ofPeriod, [accountId, from, to, numbers, domainIds, ...place, limit])
  return rows.map(followed)
}

/** The times of a domain's first and last event of one type in a period, without sandbox events; null when there is none. */
export async function firstAndLast(
  db: Db,
  accountId: string,
  { domainId, type, from, to }: { domainId: string; type: EventType; from: Date; to: Date },
): Promise<{ readonly first: Date; readonly last: Date } | null> {
  const row = await db.one<{ first: Date | null; last: Date | null }>(sql.firstAndLast, [
    accountId,
    from,
    to,
    domainId,
    EVENT_TYPES[type],
  ])
  return row === null || row.first === null || row.last === null ? null : { first: row.first, last: row.last }
}

/** The facts of an email of which neither the log's first event nor the stored email is kept. */
const FORGOTTEN: { readonly [Name in keyof EmailFacts]: null } = {
  recipient: null,
  from: null,
  from_name: null,
  subject: null,
  message_id: null,
  metadata: null,
}

/**
 * The single wire format of an event (contract section 12). `data` of an event about no email has only the fields of its
 * type. Domain, suppression and health events still have the common `email_id`: the email that caused a suppression, null
 * where there is none. `email.unsubscribed` and `contact.confirmed` have none.
 */
export function wireEvent(event: FollowedEvent, facts: EmailFacts | null): WireEvent {
  const { eventId: event_id, type, tag, domainId: domain_id, emailId, sandbox } = event
  const { listed_as: _, ...data } = event.data
  const named = { event_id, event: type, timestamp: event.at.toISOString() }
  if (type === 'contact.confirmed') return { ...named, data }
  if (!type.startsWith('email.')) {
    return { ...named, email_id: emailId ?? stringOf(data['email_id']), tag, metadata: null, data }
  }
  const { metadata, ...mail } = facts ?? FORGOTTEN
  // An unsubscribe carries the address itself, even when the facts of the email are gone.
  const recipient = mail.recipient ?? stringOf(type === 'email.unsubscribed' ? data['email'] : null)
  const about = emailId === null ? {} : { ...mail, recipient, stream: event.stream }
  return {
    ...named,
    ...(emailId !== null && type !== 'email.unsubscribed' && { email_id: emailId }),
    tag,
    metadata,
    data: { ...about, domain_id, sandbox, ...data },
  }
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
