import type { Writer } from '../../platform/db.ts'
import * as sql from './sql.ts'
import { type EmailFacts, EVENT_TYPES, type EventType, type Stream } from './types.ts'

export interface NewEvent {
  /** UUID version 7; never changes for this fact. */
  readonly eventId: string
  readonly at: Date
  readonly accountId: string
  readonly domainId: string | null
  readonly emailId: string | null
  readonly type: EventType
  readonly stream: Stream
  readonly sandbox: boolean
  readonly tag: string | null
  /**
   * The fields of this fact, in wire names; null when the type says everything. `listed_as` is only for followers and never
   * shown: the type of the bounce in the bounce list for an email that failed.
   */
  readonly data: object | null
  /** The provider (a name of mail/dns/providers.ts) whose host answered this attempt; absent or null: not such an answer. */
  readonly provider?: string | null
  /** Set in the first event of an email, else null. */
  readonly facts: EmailFacts | null
}

/** Writes events in the caller's transaction, in one statement. */
export async function append(db: Writer, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await db.execute(sql.append, [
    events.map((event) => event.at),
    events.map((event) => event.eventId),
    events.map((event) => event.accountId),
    events.map((event) => event.domainId),
    events.map((event) => event.emailId),
    events.map((event) => EVENT_TYPES[event.type]),
    events.map((event) => (event.stream === 'broadcast' ? 1 : 0)),
    events.map((event) => event.sandbox),
    events.map((event) => event.tag),
    events.map((event) => (event.data === null ? null : JSON.stringify(event.data))),
    events.map((event) => (event.facts === null ? null : JSON.stringify(event.facts))),
    events.map(({ provider = null }) => provider),
  ])
}
