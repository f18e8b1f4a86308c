// The account settings other modules may read, from a cache. A change clears it in every process: at once by notification,
// or by age after SEEN_WITHIN_MS when the notification was lost. Accounts requested at the same time are read together.

import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { platformErrors } from '../../platform/errors.ts'
import { freshCache } from '../../platform/fresh-cache.ts'
import { groupCommit } from '../../platform/group-commit.ts'
import { errors } from './errors.ts'
import { type Features, type Limits, type Plan, type Plans, type Rates, termsOf } from './plans.ts'
import { type AccountRow, selectAccounts } from './sql.ts'

export interface TrackingDefaults {
  readonly trackingEnabled: boolean
  readonly openTrackingEnabled: boolean
  readonly clickTrackingEnabled: boolean
  readonly unsubscribeHeaderEnabled: boolean
}

export interface AccountSettings {
  readonly accountId: string
  readonly email: string
  readonly name: string
  readonly timezone: string
  readonly locale: string
  readonly plan: Plan
  /** From the plan and the operator's overrides; null = unlimited. */
  readonly limits: Limits
  readonly features: Features
  readonly rates: Rates
  readonly suspended: boolean
  readonly tracking: TrackingDefaults
  readonly enforceSenderVerification: boolean
  readonly blockDisposableEmails: boolean
  /** In [0, 1]. */
  readonly disposableConfidenceThreshold: number
  readonly retentionDays: number
}

/** Time within which every process sees a change; the contract allows 5 s. */
export const SEEN_WITHIN_MS = 4_000
const MAX_CACHED = 10_000
const MAX_TOGETHER = 500
const MAX_WAITING = 10_000

export interface SettingsReader {
  /** @throws ApiError not_found */
  get(accountId: string): Promise<AccountSettings>
  /**
   * The same within a transaction: uncached accounts are read on its connection, so that transactions holding all connections
   * never wait for another one. Accounts that do not exist are left out.
   */
  getOn(db: Db, accountIds: readonly string[]): Promise<ReadonlyMap<string, AccountSettings>>
  /** Null clears everything. */
  forget(accountId: string | null): void
}

export function settingsReader(database: Database, clock: Clock, plans: Plans): SettingsReader {
  const cache = freshCache<AccountSettings>({ clock, maxAgeMs: SEEN_WITHIN_MS, maxEntries: MAX_CACHED })
  const readers = groupCommit<string, AccountSettings | null>({
    write: async (accountIds) => {
      const rows = await selectAccounts(database.system, [...new Set(accountIds)])
      const byId = new Map(rows.map((row) => [row.account_id, settingsOf(row, plans)]))
      return accountIds.map((id) => byId.get(id) ?? null)
    },
    sizeOf: () => 1,
    maxItems: MAX_TOGETHER,
    maxBytes: MAX_TOGETHER,
    concurrency: 2,
    maxWaitingBytes: MAX_WAITING,
    full: () => platformErrors.service_unavailable({}, { retryAfter: 1 }),
  })
  return {
    get: async (accountId) => {
      const known = cache.get(accountId)
      if (known !== undefined) return known
      const asOfMs = clock.monotonicMs()
      const read = await readers.add(accountId)
      if (read === null) throw errors.not_found()
      cache.set(accountId, read, asOfMs)
      return read
    },
    getOn: async (db, accountIds) => {
      const known = new Map<string, AccountSettings>()
      const missing: string[] = []
      for (const accountId of accountIds) {
        const cached = cache.get(accountId)
        if (cached === undefined) missing.push(accountId)
        else known.set(accountId, cached)
      }
      const asOfMs = clock.monotonicMs()
      for (const row of missing.length === 0 ? [] : await selectAccounts(db, missing)) {
        const read = settingsOf(row, plans)
        cache.set(row.account_id, read, asOfMs)
        known.set(row.account_id, read)
      }
      return known
    },
    forget: (accountId) => (accountId === null ? cache.clear() : cache.delete(accountId)),
  }
}

export function settingsOf(row: AccountRow, plans: Plans): AccountSettings {
  return {
    accountId: row.account_id,
    email: row.email,
    name: row.name,
    timezone: row.timezone,
    locale: row.locale,
    plan: row.plan,
    ...termsOf(plans, row.plan, row),
    suspended: row.suspended_at !== null,
    tracking: {
      trackingEnabled: row.tracking_enabled,
      openTrackingEnabled: row.open_tracking_enabled,
      clickTrackingEnabled: row.click_tracking_enabled,
      unsubscribeHeaderEnabled: row.unsubscribe_header_enabled,
    },
    enforceSenderVerification: row.enforce_sender_verification,
    blockDisposableEmails: row.block_disposable_emails,
    disposableConfidenceThreshold: row.disposable_confidence_threshold,
    retentionDays: row.retention_days,
  }
}
