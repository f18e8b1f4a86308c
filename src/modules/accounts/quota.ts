// Monthly quotas. A credit is taken in the transaction of what it pays for. A call that fails gives it back by rolling
// back; one that fails after its commit refunds it to the month it was taken from. The counter's row is locked before the
// comparison, so simultaneous calls never get more than the limit. Months are in UTC.

import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { ApiError } from '../../platform/errors.ts'
import type { SettingsReader } from './account-settings.ts'
import { errors } from './errors.ts'
import { RESOURCES, type Resource } from './plans.ts'
import { consumeUsage, consumeUsageOfMany, refundUsage, selectUsage } from './sql-meter.ts'

/** `limit` and `remaining` are null when unlimited. */
export interface Usage {
  readonly used: number
  readonly limit: number | null
  readonly remaining: number | null
}

/** Record of credits taken; `refund` needs it. */
export interface Receipt extends Usage {
  readonly accountId: string
  readonly resource: Resource
  readonly amount: number
  /** `YYYY-MM-01`. */
  readonly month: string
}

export interface Quotas {
  /**
   * Takes credits, all or none, in the caller's transaction.
   *
   * @throws ApiError quota_exceeded
   */
  consume(db: Db, accountId: string, resource: Resource, amount: number): Promise<Receipt>
  refund(db: Db, receipt: Receipt): Promise<void>
  read(db: Db, accountId: string): Promise<Readonly<Record<Resource, Usage>>>
  /** The current month. */
  period(): { readonly month: string; readonly resetAt: Date }
  /** Credits of many sends in one statement. */
  readonly emails: EmailCredits
}

export interface EmailCharge {
  readonly accountId: string
  readonly count: number
}

/**
 * `at` is when the emails are accepted, and determines the month. Use one moment per transaction, so that a refund goes to
 * the month the credits came from.
 */
export interface EmailCredits {
  /**
   * Takes one statement unless a limit is near. Asks of one account are granted in order, each entirely or not at all.
   *
   * @returns for each ask, whether it was granted
   */
  consume(db: Db, asks: readonly EmailCharge[], at: Date): Promise<readonly boolean[]>
  refund(db: Db, taken: EmailCharge, at: Date): Promise<void>
  /** The error for an account without enough credits left. */
  exceeded(db: Db, ask: EmailCharge, at: Date): Promise<ApiError>
}

export function quotas(settings: SettingsReader, clock: Clock): Quotas {
  const limitOf = async (db: Db, accountId: string, resource: Resource): Promise<number | null> => {
    const known = (await settings.getOn(db, [accountId])).get(accountId)
    if (known === undefined) throw errors.not_found()
    return known.limits[resource]
  }
  const period = () => monthOf(clock.now())
  const exceeded = async (
    db: Db,
    { accountId, count }: EmailCharge,
    resource: Resource,
    at: Date,
  ): Promise<ApiError> => {
    const { month, resetAt } = monthOf(at)
    const used = (await selectUsage(db, accountId, month)).find((row) => row.resource === resource)?.used ?? 0
    const retryAfter = Math.max(1, Math.ceil((resetAt.getTime() - at.getTime()) / 1_000))
    const limit = await limitOf(db, accountId, resource)
    const message = quotaWords(resource, count, usageOf(used, limit))
    return errors.quota_exceeded(
      { resource, used, limit, reset_at: resetAt.toISOString() },
      { retryAfter, ...(message !== null && { message }) },
    )
  }
  return {
    period,
    consume: async (db, accountId, resource, amount) => {
      const at = clock.now()
      const { month } = monthOf(at)
      const limit = await limitOf(db, accountId, resource)
      const used = await consumeUsage(db, resource, month, { accountId, amount, limit })
      if (used === null) throw await exceeded(db, { accountId, count: amount }, resource, at)
      return { accountId, resource, amount, month, ...usageOf(used, limit) }
    },
    refund: (db, receipt) => refundUsage(db, receipt),
    read: async (db, accountId) => {
      const { limits } = (await settings.getOn(db, [accountId])).get(accountId) ?? {}
      if (limits === undefined) throw errors.not_found()
      const rows = await selectUsage(db, accountId, period().month)
      const used = new Map(rows.map((row) => [row.resource, row.used]))
      return Object.fromEntries(
        RESOURCES.map((resource) => [resource, usageOf(used.get(resource) ?? 0, limits[resource])]),
      ) as Record<Resource, Usage>
    },
    emails: {
      consume: (db, asks, at) => consumeEmails(db, asks, monthOf(at).month, settings),
      refund: (db, { accountId, count }, at) =>
        refundUsage(db, { accountId, resource: 'emails', month: monthOf(at).month, amount: count }),
      exceeded: (db, ask, at) => exceeded(db, ask, 'emails', at),
    },
  }
}

async function consumeEmails(
  db: Db,
  asks: readonly EmailCharge[],
  month: string,
  settings: SettingsReader,
): Promise<readonly boolean[]> {
  const totals = new Map<string, number>()
  for (const { accountId, count } of asks) totals.set(accountId, (totals.get(accountId) ?? 0) + count)
  const known = await settings.getOn(db, [...totals.keys()])
  const limitOf = (accountId: string): number | null => {
    const account = known.get(accountId)
    return account === undefined ? 0 : account.limits.emails
  }
  const charges = [...totals]
    .filter(([, amount]) => amount > 0)
    .map(([accountId, amount]) => ({ accountId, amount, limit: limitOf(accountId) }))
  const whole = charges.length === 0 ? new Set() : await consumeUsageOfMany(db, 'emails', month, charges)
  const granted = asks.map(({ accountId, count }) => count === 0 || whole.has(accountId))
  const alone = new Set(charges.map(({ accountId }) => accountId).filter((id) => !whole.has(id)))
  // Sorted like the statement above, so that two transactions never deadlock.
  const rest = asks
    .map((ask, index) => ({ ...ask, index }))
    .filter(({ accountId, count }) => count > 0 && alone.has(accountId))
    .sort((a, b) => (a.accountId < b.accountId ? -1 : Number(a.accountId > b.accountId)))
  for (const { accountId, count, index } of rest) {
    const charge = { accountId, amount: count, limit: limitOf(accountId) }
    granted[index] = (await consumeUsage(db, 'emails', month, charge)) !== null
  }
  return granted
}

/** A message when credits are left but too few; null when none are left, where the default message fits. */
function quotaWords(resource: Resource, asked: number, { limit, remaining }: Usage): string | null {
  if (remaining === null || remaining === 0) return null
  return `${remaining} of the month's quota of ${limit} ${resource.replaceAll('_', ' ')} are left, and ${asked} were asked for`
}

function usageOf(used: number, limit: number | null): Usage {
  return { used, limit, remaining: limit === null ? null : Math.max(0, limit - used) }
}

/** The UTC month that contains `now`, and the moment it ends. */
export function monthOf(now: Date): { readonly month: string; readonly resetAt: Date } {
  return {
    month: `${now.toISOString().slice(0, 7)}-01`,
    resetAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)),
  }
}
