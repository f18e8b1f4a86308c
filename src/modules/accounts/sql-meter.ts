// The statements of metering: token buckets and monthly usage.

import { type Db, statement } from '../../platform/db.ts'
import type { Resource } from './plans.ts'

// --- token buckets

export interface Bucket {
  readonly bucketId: string
  readonly rateClass: string
  readonly perSecond: number
  readonly burst: number
  /** Tokens that must be granted, or none are. */
  readonly need: number
  /** Maximum tokens to grant. */
  readonly want: number
}

export interface Lease {
  readonly bucket_id: string
  readonly class: string
  readonly granted: number
  /** Tokens left in the shared bucket. */
  readonly tokens: number
}

const LEASE = statement(
  'accounts_rate_lease',
  `select bucket_id, class, granted, tokens
   from lease_tokens($1::uuid[], $2::text[], $3::float8[], $4::float8[], $5::float8[], $6::float8[], $7)`,
)
const DROP_FULL_BUCKETS = statement('accounts_rate_drop_full', 'delete from rate_bucket where at < $1')

/** One lease per bucket, in no particular order. No bucket may be named twice. */
export function leaseTokens(db: Db, buckets: readonly Bucket[], now: Date): Promise<readonly Lease[]> {
  return db.query<Lease>(LEASE, [
    buckets.map(({ bucketId }) => bucketId),
    buckets.map(({ rateClass }) => rateClass),
    buckets.map(({ perSecond }) => perSecond),
    buckets.map(({ burst }) => burst),
    buckets.map(({ need }) => need),
    buckets.map(({ want }) => want),
    now,
  ])
}

export async function dropBucketsBefore(db: Db, at: Date): Promise<void> {
  await db.execute(DROP_FULL_BUCKETS, [at])
}

// --- usage

export interface Charge {
  readonly accountId: string
  readonly amount: number
  /** Null = unlimited. */
  readonly limit: number | null
}

// The row is locked before the comparison, so simultaneous calls never get more than the limit.
const CONSUME = statement(
  'accounts_usage_consume',
  `insert into usage (account_id, resource, month, used)
   select $1, $2, $3, $4::bigint where $5::bigint is null or $4::bigint <= $5::bigint
   on conflict (account_id, resource, month) do update set used = usage.used + excluded.used
     where $5::bigint is null or usage.used + excluded.used <= $5::bigint
   returning used`,
)
// Sorted, so that two transactions with the same accounts wait for each other but never deadlock.
const CONSUME_MANY = statement(
  'accounts_usage_consume_many',
  `with asked as (
     select * from unnest($3::uuid[], $4::bigint[], $5::bigint[]) as t(account_id, amount, most)
     where most is null or amount <= most
   )
   insert into usage as u (account_id, resource, month, used)
   select account_id, $1, $2, amount from asked order by account_id
   on conflict (account_id, resource, month) do update set used = u.used + excluded.used
     where (select most from asked a where a.account_id = u.account_id) is null
       or u.used + excluded.used <= (select most from asked a where a.account_id = u.account_id)
   returning account_id`,
)
const REFUND = statement(
  'accounts_usage_refund',
  `update usage set used = greatest(used - $4, 0) where account_id = $1 and resource = $2 and month = $3`,
)
const USAGE = statement('accounts_usage', 'select resource, used from usage where account_id = $1 and month = $2')

/** @returns the new usage; null when the limit does not allow the amount, and nothing is counted */
export async function consumeUsage(
  db: Db,
  resource: Resource,
  month: string,
  { accountId, amount, limit }: Charge,
): Promise<number | null> {
  return (await db.one<{ used: number }>(CONSUME, [accountId, resource, month, amount, limit]))?.used ?? null
}

/** @returns the accounts whose amount was counted */
export async function consumeUsageOfMany(
  db: Db,
  resource: Resource,
  month: string,
  charges: readonly Charge[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ account_id: string }>(CONSUME_MANY, [
    resource,
    month,
    charges.map(({ accountId }) => accountId),
    charges.map(({ amount }) => amount),
    charges.map(({ limit }) => limit),
  ])
  return new Set(rows.map(({ account_id }) => account_id))
}

export async function refundUsage(
  db: Db,
  { accountId, resource, month, amount }: { accountId: string; resource: Resource; month: string; amount: number },
): Promise<void> {
  await db.execute(REFUND, [accountId, resource, month, amount])
}

export function selectUsage(
  db: Db,
  accountId: string,
  month: string,
): Promise<readonly { readonly resource: Resource; readonly used: number }[]> {
  return db.query(USAGE, [accountId, month])
}

export interface AccountUsage {
  readonly account_id: string
  readonly resource: Resource
  readonly used: number
}

const USAGE_OF_MONTH = statement(
  'accounts_usage_of_month',
  `select account_id, resource, used from usage where month = $1 and (account_id, resource) > ($2, $3)
   order by account_id, resource limit $4`,
)

/** Usage of all accounts in a month, ordered by account and resource, after `after` (null: from the start). */
export function usageOfMonth(
  db: Db,
  month: string,
  after: AccountUsage | null,
  limit: number,
): Promise<readonly AccountUsage[]> {
  const behind = [after?.account_id ?? '00000000-0000-0000-0000-000000000000', after?.resource ?? '']
  return db.query<AccountUsage>(USAGE_OF_MONTH, [month, ...behind, limit])
}
