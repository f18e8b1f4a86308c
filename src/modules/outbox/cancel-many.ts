// Canceling much at once: what waits of a tag, a domain, a mailbox or a time, as somebody needs it who has started the wrong
// campaign.
//
// What waits is gone through in the order in which it moves on (scheduled, queued, deferred), and of each by id, a piece at a
// time; what is wanted of a piece ends in a transaction of its own, under the locks of one email's cancel. A call that is
// broken off has canceled what it has, and asking again goes on. Who holds a row is not waited for: an email under an
// attempt may be with its receiver already, and is told apart. What is accepted after the walk has passed is not found.

import { FIRST_ID, firstIdAt, LAST_ID } from '../../platform/ids.ts'
import { append, type Stream } from '../events/index.ts'
import type { CancelOptions } from './control.ts'
import * as sql from './sql-cancel.ts'
import { STATUS } from './types.ts'

/** A call ends before programs and proxies give it up. */
const CALL_LASTS_MS = 20_000

export interface Wanted {
  readonly tag: string | null
  /** Null: of all domains, and of none. */
  readonly domainIds: readonly string[] | null
  /** The suppression key of the address. */
  readonly recipientKey: string | null
  /** By when they were accepted: from then on, and before. */
  readonly from: Date | null
  readonly to: Date | null
}

export interface CanceledMany {
  readonly canceled: number
  /** An attempt was running: they go out, or wait again afterwards. */
  readonly inProgress: number
  /** The time of the call is used up, and more may wait. */
  readonly more: boolean
}

interface CanceledRow {
  readonly id: string
  readonly domain_id: string | null
  readonly stream: number
  readonly sandbox: boolean
  readonly tag: string | null
}

export async function cancelMany(options: CancelOptions, accountId: string, wanted: Wanted): Promise<CanceledMany> {
  const { database, clock } = options
  const endsAtMs = clock.monotonicMs() + CALL_LASTS_MS
  const low = wanted.from === null ? FIRST_ID : firstIdAt(wanted.from)
  const high = wanted.to === null ? LAST_ID : firstIdAt(wanted.to)
  const { tag, domainIds, recipientKey } = wanted
  let [canceled, inProgress] = [0, 0]
  for (const status of [STATUS.scheduled, STATUS.queued, STATUS.deferred]) {
    let after = low
    for (;;) {
      if (clock.monotonicMs() > endsAtMs) return { canceled, inProgress, more: true }
      const piece = await database.system.query<{ id: string; wanted: boolean }>(sql.WAITING, [
        ...[accountId, status, after, high],
        ...[tag, domainIds, recipientKey],
      ])
      const ids = piece.flatMap((row) => (row.wanted ? [row.id] : []))
      const ended = ids.length === 0 ? 0 : await cancelPiece(options, accountId, ids)
      canceled += ended
      inProgress += ids.length - ended
      const last = piece.at(-1)
      if (last === undefined || piece.length < sql.CANCELED_AT_ONCE) break
      after = last.id
    }
  }
  return { canceled, inProgress, more: false }
}

/** @returns how many of them waited, and are canceled */
function cancelPiece(
  { database, clock, ids }: CancelOptions,
  accountId: string,
  emailIds: readonly string[],
): Promise<number> {
  return database.transaction(async (db) => {
    const held = await db.query<{ id: string }>(sql.TAKE_FROM_QUEUE, [accountId, emailIds])
    const now = clock.now()
    const rows = await db.query<CanceledRow>(sql.CANCEL, [accountId, held.map(({ id }) => id), STATUS.canceled, now])
    await append(
      db,
      rows.map(({ id, domain_id: domainId, stream, sandbox, tag }) => ({
        eventId: ids.next(),
        at: now,
        accountId,
        domainId,
        emailId: id,
        type: 'email.canceled' as const,
        stream: (stream === 1 ? 'broadcast' : 'transactional') satisfies Stream,
        sandbox,
        tag,
        data: { canceled_at: now.toISOString() },
        facts: null,
      })),
    )
    return rows.length
  })
}
