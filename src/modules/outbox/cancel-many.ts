// Bulk cancel: everything that waits for a tag, a domain, a mailbox or a period, for someone who has started the wrong campaign.
//
// The walk goes through the waiting statuses in the order in which emails move on (scheduled, queued, deferred), each by id, a
// piece at a time. The matching emails of a piece are canceled in one transaction, under the same locks as a single cancel. A
// call that breaks off keeps what it has canceled; repeating it continues. That transaction does not wait for locked rows,
// which it would do while it holds others. Those that somebody else was changing are canceled one by one afterwards. An email
// under an attempt may already be at its receiver, and is counted separately. Emails accepted behind the walk are not found.

import { ApiError } from '../../platform/errors.ts'
import { FIRST_ID, firstIdAt, LAST_ID } from '../../platform/ids.ts'
import { append, type Stream } from '../events/index.ts'
import { type CancelOptions, cancelEmail } from './control.ts'
import * as sql from './sql-cancel.ts'
import { STATUS } from './types.ts'

/** A call stops after this time, before clients and proxies give up. */
const CALL_LASTS_MS = 20_000

export interface CancelFilter {
  readonly tag: string | null
  /** Null: emails of every domain, and those of none. */
  readonly domainIds: readonly string[] | null
  /** The suppression key of the address. */
  readonly recipientKey: string | null
  /** When the emails were accepted: from `from` (inclusive) to `to` (exclusive). */
  readonly from: Date | null
  readonly to: Date | null
}

export interface CanceledMany {
  readonly canceled: number
  /** Emails under an attempt: they are sent, or wait again afterwards. */
  readonly inProgress: number
  /** The call has used up its time, and more emails may wait. */
  readonly more: boolean
}

interface CanceledRow {
  readonly id: string
  readonly domain_id: string | null
  readonly stream: number
  readonly sandbox: boolean
  readonly tag: string | null
}

export async function cancelMany(
  options: CancelOptions,
  accountId: string,
  wanted: CancelFilter,
): Promise<CanceledMany> {
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
      const ended = ids.length === 0 ? new Set<string>() : await cancelPiece(options, accountId, ids)
      const passedOver = await cancelPassedOver(
        options,
        accountId,
        ids.filter((id) => !ended.has(id)),
      )
      canceled += ended.size + passedOver.canceled
      inProgress += passedOver.inProgress
      const last = piece.at(-1)
      if (last === undefined || piece.length < sql.CANCELED_AT_ONCE) break
      after = last.id
    }
  }
  return { canceled, inProgress, more: false }
}

/** Cancels what another change of the email had locked: a reschedule, say, or a retry. */
async function cancelPassedOver(
  options: CancelOptions,
  accountId: string,
  emailIds: readonly string[],
): Promise<{ readonly canceled: number; readonly inProgress: number }> {
  if (emailIds.length === 0) return { canceled: 0, inProgress: 0 }
  const inQueue = (): Promise<readonly { id: string; leased: boolean }[]> =>
    options.database.system.query<{ id: string; leased: boolean }>(sql.LEFT_IN_QUEUE, [accountId, emailIds])
  let canceled = 0
  for (const { id, leased } of await inQueue()) {
    if (leased) continue
    await cancelEmail(options, accountId, id).then(
      () => canceled++,
      (error: unknown) => {
        // The other change was an attempt, or the end of the email.
        if (!(error instanceof ApiError && error.status < 500)) throw error
      },
    )
  }
  return { canceled, inProgress: (await inQueue()).length }
}

/**
 * @param emailIds in their order
 * @returns those of the emails that were still waiting, unlocked, and are canceled
 */
function cancelPiece(
  { database, clock, ids }: CancelOptions,
  accountId: string,
  emailIds: readonly string[],
): Promise<ReadonlySet<string>> {
  return database.transaction(async (db) => {
    const held = await db.query<{ id: string }>(sql.TAKE_FROM_QUEUE, [accountId, emailIds])
    const now = clock.now()
    const rows = await db.query<CanceledRow>(sql.CANCEL, [
      ...[accountId, held.map(({ id }) => id), STATUS.canceled, now],
      ...[emailIds[0], emailIds.at(-1)],
    ])
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
    return new Set(rows.map(({ id }) => id))
  })
}
