// Erasing a recipient takes the person out of events and leaves what was counted: what happened, when, to which email id, and the
// codes and kinds that statistics and a recount need.

import type { Db } from '../../platform/db.ts'
import { timeOfId } from '../../platform/ids.ts'
import { PUT_BACK_MS } from './read.ts'
import * as sql from './sql.ts'

const KINDS =
  'type category command source feedback_type listed_as status previous_status stream sandbox suppressed tls'
const CODES = 'smtp_code enhanced_code last_smtp_code'
const COUNTS = 'attempt attempts delivery_time_ms link_index first_open first_click open_count click_count'
const CLIENT = 'is_machine machine_reason platform'
const TIMES = `queued_at delivered_at scheduled_at next_attempt_at canceled_at opened_at clicked_at bounced_at arrival_date
  unsubscribed_at confirmed_at expires_at created_at`
const IDS = 'id email_id domain_id contact_id'
const KEPT = [KINDS, CODES, COUNTS, CLIENT, TIMES, IDS].flatMap((names) => names.split(/\s+/))

export interface PersonalEvent {
  readonly at: Date
  readonly event_id: string
  readonly email_id: string | null
  /** Every follower of the log has read it. */
  readonly read: boolean
}

/** All events of some emails. */
export async function eventsAboutEmails(
  db: Db,
  accountId: string,
  emailIds: readonly string[],
): Promise<readonly PersonalEvent[]> {
  if (emailIds.length === 0) return []
  const since = new Date(Math.min(...emailIds.map((id) => timeOfId(id).getTime())) - PUT_BACK_MS)
  return db.query<PersonalEvent>(sql.aboutEmails, [accountId, emailIds, since])
}

/** The oldest events that name an address, before a time or, with `bounces`, about a bounce. @param recipient suppression key */
export function eventsAboutPerson(
  db: Db,
  accountId: string,
  recipient: string,
  { before, bounces, limit }: { readonly before: Date; readonly bounces: boolean; readonly limit: number },
): Promise<readonly PersonalEvent[]> {
  return db.query<PersonalEvent>(sql.aboutPerson, [accountId, recipient, before, limit, bounces])
}

/** Takes the person out of these events. */
export async function redactEvents(db: Db, accountId: string, events: readonly PersonalEvent[]): Promise<void> {
  if (events.length === 0) return
  await db.execute(sql.redact, [accountId, events.map(({ at }) => at), events.map(({ event_id: id }) => id), KEPT])
}
