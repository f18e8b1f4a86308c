// The content verdicts of an account's emails: one event for each email, derived from its own snapshot, and one for each
// message that was refused for its content, kept for 90 days. Accepting an email writes nothing extra for it.
//
//   content.scored    level low or medium
//   content.warned    level high or critical, and the email was let through (or was blocked for another reason)
//   content.blocked   the content, alone or with other risks, blocked the message or this recipient's copy

import type { Database, Db } from '../../platform/db.ts'
import { type ListPage, listPage, type PageAsked } from '../../platform/http/list-page.ts'
import { FIRST_ID, firstIdAt, type Ids, LAST_ID } from '../../platform/ids.ts'
import type { Judged } from './recipient-verdicts.ts'
import type { Incoming } from './sender.ts'
import * as sql from './sql.ts'

export interface RefusedMessage {
  readonly accountId: string
  readonly incoming: Incoming
}

const KEPT_MS = 90 * 86_400_000
const COUNT_LIMIT = 100_000

/** Whether a message was refused for its content. */
export function isContentRefusal({ content }: Incoming, judged: Judged): boolean {
  const counts = content.level === 'high' || content.level === 'critical'
  return (
    counts &&
    judged.refused !== null &&
    judged.recipients.some(
      ({ verdict: { reasonCode } }) => reasonCode === 'content_risk_high' || reasonCode === 'risk_score_critical',
    )
  )
}

/** Runs in the transaction of the refusal. */
export async function recordContentBlocks(
  db: Db,
  refused: readonly RefusedMessage[],
  { ids, now }: { readonly ids: Ids; readonly now: Date },
): Promise<void> {
  if (refused.length === 0) return
  await db.execute(sql.addContentBlocks, [
    refused.map(({ accountId }) => accountId),
    refused.map(() => ids.next()),
    refused.map(({ incoming }) => incoming.sender.domainId),
    refused.map(({ incoming }) => incoming.content.score),
    refused.map(({ incoming }) => incoming.content.level),
    refused.map(({ incoming }) => JSON.stringify(incoming.content.matches)),
    now,
  ])
}

/** @returns how many expired ones it deleted; as many as `limit` means that there may be more */
export function forgetContentBlocks(db: Db, now: Date, limit: number): Promise<number> {
  return db.execute(sql.forgetContentBlocks, [new Date(now.getTime() - KEPT_MS), limit])
}

export interface ContentEventFilter {
  /** Inclusive. */
  readonly from: Date | null
  /** Exclusive. */
  readonly to: Date | null
  readonly emailId: string | null
  /** Null: emails of every domain, and those of none. */
  readonly domainIds: readonly string[] | null
  readonly level: string | null
}

/** Newest first. A cursor is the id below which the page continues. The total is exact up to 100,000, where counting stops. */
export async function listContentEvents(
  database: Database,
  accountId: string,
  { from, to, emailId, domainIds, level }: ContentEventFilter,
  page: PageAsked,
): Promise<ListPage<sql.ContentEventRow>> {
  const { limit, offset, cursor } = page
  const low = from === null ? FIRST_ID : firstIdAt(from)
  const high = to === null ? LAST_ID : firstIdAt(to)
  const below = cursor !== null && cursor < high ? cursor : high
  const skipped = cursor === null ? offset : 0
  const filter = [emailId, domainIds, level]
  return database.tenant(accountId, async (db) => {
    const [rows, counted] = await Promise.all([
      db.query<sql.ContentEventRow>(sql.contentEvents, [
        ...[accountId, low, below, ...filter],
        ...[limit + 1, skipped, limit + 1 + skipped],
      ]),
      db.one<{ total: number }>(sql.countContentEvents, [accountId, low, high, ...filter, COUNT_LIMIT]),
    ])
    return listPage(rows, page, counted?.total ?? 0, ({ id }) => id)
  })
}
