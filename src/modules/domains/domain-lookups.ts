import type { Db } from '../../platform/db.ts'
import * as sql from './sql.ts'

export interface DomainName {
  readonly id: string
  readonly name: string
}

/** The account's oldest active domain, the default sender. Null: there is none. */
export function oldestUsable(db: Db, accountId: string): Promise<DomainName | null> {
  return db.one<DomainName>(sql.oldestUsable, [accountId])
}

/** Which of these ids are the account's domains. */
export async function ownedDomains(db: Db, accountId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(sql.owned, [accountId, ids])
  return new Set(rows.map(({ id }) => id))
}

/** The account's domains that use a tracking domain; at most 100. */
export function domainsUsing(db: Db, accountId: string, trackingDomainId: string): Promise<readonly DomainName[]> {
  return db.query<DomainName>(sql.usingTrackingDomain, [accountId, trackingDomainId])
}

/** Removes a tracking domain from the domains that use it. */
export async function leaveTrackingDomain(db: Db, accountId: string, trackingDomainId: string): Promise<void> {
  const rows = await db.query<{ name: string }>(sql.leaveTrackingDomain, [accountId, trackingDomainId])
  for (const { name } of rows) await db.query(sql.notify, [accountId, name])
}

/** Tracking domain ids by sending domain id. */
export async function trackingAssignments(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; tracking_domain_id: string }>(sql.trackingAssignments)
  return new Map(rows.map((row) => [row.id, row.tracking_domain_id]))
}
