// How long accounts keep their data, and how far deletion has come.

import { type Db, statement } from '../../platform/db.ts'

const LONGEST = statement(
  'accounts_longest_retention',
  'select coalesce(max(retention_days), 90) as days from account where deleted_at is null',
)
const KEEPINGS = statement(
  'accounts_keepings',
  `select a.account_id, a.retention_days,
     coalesce(f.done_before, a.created_at - interval '1 day') as done_before,
     coalesce(f.emails_before, a.created_at - interval '1 day') as emails_before
   from account a left join forgetting f on f.account_id = a.account_id
   where a.account_id > $1 and a.deleted_at is null order by a.account_id limit $2`,
)
const BEGIN = statement(
  'accounts_begin_forgetting',
  `insert into forgetting as f (account_id, begun_before) values ($1, $2)
   on conflict (account_id) do update set begun_before = greatest(f.begun_before, excluded.begun_before)`,
)
const END = statement(
  'accounts_end_forgetting',
  `update forgetting set done_before = greatest(done_before, $2), emails_before = greatest(emails_before, $3)
   where account_id = $1`,
)
const OF_SINCE = statement(
  'accounts_forgotten_of_since',
  'select account_id, begun_before from forgetting where account_id = any($1::uuid[]) and begun_before > $2',
)
const SINCE = statement(
  'accounts_forgotten_since',
  'select account_id, begun_before from forgetting where begun_before > $1',
)

/** Days to keep data that all accounts share, so that every account gets its retention time. */
export async function longestRetentionDays(db: Db): Promise<number> {
  return (await db.one<{ days: number }>(LONGEST))?.days ?? 90
}

export interface Keeping {
  readonly accountId: string
  readonly days: number
  /** Everything before this moment is deleted except emails; there was nothing before the account was created. */
  readonly doneBefore: Date
  /** Emails before this moment are deleted. */
  readonly emailsBefore: Date
}

/** Accounts in order of id, after `afterId`. */
export async function keepings(db: Db, afterId: string, limit: number): Promise<readonly Keeping[]> {
  const rows = await db.query<{ account_id: string; retention_days: number; done_before: Date; emails_before: Date }>(
    KEEPINGS,
    [afterId, limit],
  )
  return rows.map((row) => ({
    accountId: row.account_id,
    days: row.retention_days,
    doneBefore: row.done_before,
    emailsBefore: row.emails_before,
  }))
}

/** Records, before anything is deleted, that the log is no longer complete before `before`. */
export async function beginForgetting(db: Db, accountId: string, before: Date): Promise<void> {
  await db.execute(BEGIN, [accountId, before])
}

export async function endForgetting(
  db: Db,
  accountId: string,
  { doneBefore, emailsBefore }: Pick<Keeping, 'doneBefore' | 'emailsBefore'>,
): Promise<void> {
  await db.execute(END, [accountId, doneBefore, emailsBefore])
}

type Forgotten = readonly { readonly account_id: string; readonly begun_before: Date }[]

/** Accounts whose log is not complete since `from`, each with the time from which it is complete. */
export async function forgottenSince(db: Db, from: Date): Promise<ReadonlyMap<string, Date>> {
  return byAccount(await db.query<Forgotten[number]>(SINCE, [from]))
}

/** Those of the given accounts. */
export async function forgottenOfSince(
  db: Db,
  accountIds: readonly string[],
  from: Date,
): Promise<ReadonlyMap<string, Date>> {
  return byAccount(await db.query<Forgotten[number]>(OF_SINCE, [accountIds, from]))
}

function byAccount(rows: Forgotten): ReadonlyMap<string, Date> {
  return new Map(rows.map(({ account_id: accountId, begun_before: at }) => [accountId, at]))
}
