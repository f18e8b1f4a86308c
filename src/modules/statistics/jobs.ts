import type { Database, Db } from '../../platform/db.ts'
import { FIRST_ID, firstIdAt } from '../../platform/ids.ts'
import { type Loop, loop } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import { forgottenSince } from '../accounts/index.ts'
import { type FollowedEvent, follow, followerLags, logBegins, rewind } from '../events/index.ts'
import { COUNTED_BY_DATA } from './counters.ts'
import { rollUpProviders } from './providers.ts'
import { rollUp } from './roll-up.ts'
import * as sql from './sql.ts'
import { dropAnswers } from './sql-providers.ts'

const NAME = 'statistics'
const AT_ONCE = 5_000
/** In the running service, where other work waits for the thread. */
const AT_ONCE_BESIDE = 500
const POLL_MS = 500
/** In a rebuild: no statement deletes what all accounts have, which takes longer than a statement may. */
const ACCOUNTS_AT_ONCE = 50
const REBUILT = [
  { accounts: sql.someAccountsIn('stat_bucket'), drops: [sql.dropBuckets] },
  { accounts: sql.someAccountsIn('stat_provider'), drops: [dropAnswers] },
  { accounts: sql.someAccountsIn('stat_first'), drops: [sql.dropFirsts, sql.clearFirsts] },
]

/** Counts the next stretch of the log. @returns the number of its events; 0 when there is nothing new */
export function followStatistics(database: Database, limit = AT_ONCE): Promise<number> {
  return follow(database, { name: NAME, limit, dataOf: COUNTED_BY_DATA, effect: count })
}

async function count(db: Db, events: readonly FollowedEvent[]): Promise<void> {
  await rollUp(db, events)
  await rollUpProviders(db, events)
}

export function statisticsLoop({ database, log }: { readonly database: Database; readonly log: Logger }): Loop {
  return loop({
    name: 'statistics',
    turn: async () => ((await followStatistics(database, AT_ONCE_BESIDE)) === AT_ONCE_BESIDE ? 0 : POLL_MS),
    onError: (err) => log.warn({ err }, 'statistics will be tried again'),
  })
}

/**
 * Counts the log anew. Days that retention has removed from the log keep their figures. Followers may keep running; requests in
 * the meantime see what has been counted so far.
 *
 * @returns the number of events counted by this call
 */
export async function rebuildStatistics(database: Database): Promise<number> {
  const begins = await logBegins(database.system)
  await database.transaction(async (db) => {
    // Like followers, this locks the cursor's row first, so that none of them counts while the figures are deleted.
    await rewind(db, NAME)
    if (begins === null) return
    const forgetting = await forgottenSince(db, begins)
    for (const { accounts, drops } of REBUILT) {
      for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
        const rows: readonly { account_id: string }[] = await db.query(accounts, [after, ACCOUNTS_AT_ONCE])
        const some = rows.map(({ account_id: id }) => id)
        const whole = [some, some.map((id) => later(begins, forgetting.get(id)))]
        for (const drop of drops) await db.execute(drop, whole)
        after = some.at(-1)
      }
    }
  })
  let counted = 0
  for (let taken = AT_ONCE; taken > 0; counted += taken) taken = await followStatistics(database)
  return counted
}

function later(begins: Date, whole: Date = begins): Date {
  return whole > begins ? whole : begins
}

/** Whether all events from before `from` are counted. They are not while a rebuild or a backlog of the follower lasts. */
export async function isCountedUpTo(db: Db, from: Date, now: Date): Promise<boolean> {
  const lag = (await followerLags(db, now)).find(({ name }) => name === NAME)?.lagSeconds ?? 0
  return now.getTime() - lag * 1_000 >= from.getTime()
}

/** Deletes the firsts of an account's oldest emails from before `before`, at most `most`. @returns the number deleted */
export function forgetFirsts(db: Db, accountId: string, before: Date, most: number): Promise<number> {
  return db.execute(sql.forgetFirsts, [accountId, firstIdAt(before), most])
}
