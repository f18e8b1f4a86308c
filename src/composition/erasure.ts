// Deletes the data of deleted accounts. A part of the composition root.
//
// One account at a time, in batches of some hundred rows, each followed by a rest. A deleted account is looked at again until
// nothing is left, and then, since links and reports of its mail still arrive, hourly for a day and daily for 400 days. A worker
// that dies over it is followed by another after ten minutes, which goes on with what is left.

import {
  accountOwnTables,
  claimErasure,
  type DueErasure,
  noteErasure,
  recordOperatorAction,
  SERVICE,
} from '../modules/accounts/index.ts'
import { bounceTables } from '../modules/bounces/index.ts'
import { contactTables } from '../modules/contacts/index.ts'
import { inboxTables } from '../modules/delivery/index.ts'
import { dmarcTables } from '../modules/dmarc/index.ts'
import { domainTables } from '../modules/domains/index.ts'
import { forgetEvents, hasEvents } from '../modules/events/index.ts'
import { healthTables } from '../modules/health/index.ts'
import { noticeTables } from '../modules/notices/index.ts'
import { forgetOutbox, hasEmails, hasLeasedEmails } from '../modules/outbox/index.ts'
import { riskTables } from '../modules/risk/index.ts'
import { sendingTables } from '../modules/sending/index.ts'
import { statisticsTables } from '../modules/statistics/index.ts'
import { suppressionTables } from '../modules/suppression/index.ts'
import { trackingTables } from '../modules/tracking/index.ts'
import { transportTables } from '../modules/transport/index.ts'
import { validationTables } from '../modules/validation/index.ts'
import { webhookTables } from '../modules/webhooks/index.ts'
import type { AccountTable } from '../platform/db/account-tables.ts'
import type { Database } from '../platform/db.ts'
import { type Loop, loop } from '../platform/lifecycle.ts'
import type { Ground } from './ground.ts'
import { paced } from './paced.ts'

const DAY_MS = 86_400_000
const LOOK_EVERY_MS = 10_000
const AT_ONCE = 500
/** Less than the lease of an erasure. */
const TURN_MS = 300_000

/** In order: what waits to be sent first, then what people have entered, then what was counted. */
export const ACCOUNT_TABLES: readonly AccountTable[] = [
  ...webhookTables,
  ...domainTables,
  ...trackingTables,
  ...inboxTables,
  ...bounceTables,
  ...sendingTables,
  ...contactTables,
  ...suppressionTables,
  ...validationTables,
  ...riskTables,
  ...noticeTables,
  ...transportTables,
  ...dmarcTables,
  ...statisticsTables,
  ...healthTables,
  ...accountOwnTables,
]

export interface ErasureOptions {
  readonly database: Database
  readonly ground: Pick<Ground, 'clock' | 'ids' | 'log'>
}

export function erasureLoop(options: ErasureOptions): Loop {
  return loop({
    name: 'data of deleted accounts',
    turn: async (signal) => ((await eraseNext(options, signal)) ? 0 : LOOK_EVERY_MS),
    onError: (err) => options.ground.log.warn({ err }, 'the data of a deleted account will be deleted later'),
    retryMs: LOOK_EVERY_MS,
  })
}

/** Deletes what the account that is due first has. @returns false when none is due. Rejects when `signal` aborts. */
export async function eraseNext(options: ErasureOptions, signal: AbortSignal): Promise<boolean> {
  const { database, ground } = options
  const { system } = database
  const due = await claimErasure(system, ground.clock.now())
  if (due === null) return false
  const { accountId } = due
  // Their attempts end first: the receiver's answer decides what became of them.
  if (await hasLeasedEmails(system, accountId)) {
    await noteErasure(system, due, false, ground.clock.now())
    return true
  }
  const { rows, isDone } = await eraseAll(options, due, signal)
  const isEmpty = isDone && !(await hasEmails(system, accountId)) && !(await hasEvents(system, accountId))
  const now = ground.clock.now()
  await database.transaction(async (db) => {
    await noteErasure(db, due, isEmpty, now)
    if (!isEmpty || due.erasedAt !== null) return
    await recordOperatorAction(db, ground, SERVICE, { action: 'account.erased', accountId })
  })
  if (rows > 0 || due.erasedAt === null)
    ground.log.info({ account_id: accountId, rows, erased: isEmpty }, 'data of a deleted account was deleted')
  return true
}

/** Works for five minutes at most. @returns `rows` without emails and events; `isDone`: false when the time was over first */
async function eraseAll(
  { database, ground }: ErasureOptions,
  { accountId, createdAt }: DueErasure,
  signal: AbortSignal,
): Promise<{ readonly rows: number; readonly isDone: boolean }> {
  const { clock } = ground
  const untilMs = clock.monotonicMs() + TURN_MS
  const inSteps = (step: () => Promise<boolean>): Promise<void> => paced(clock, signal, step, untilMs)
  const before = new Date(clock.now().getTime() + DAY_MS)
  for (const forget of [forgetOutbox, forgetEvents]) {
    let from: Date | null = new Date(createdAt.getTime() - DAY_MS)
    await inSteps(async () => {
      from = from === null ? null : await forget(database, accountId, { from, before })
      return from !== null
    })
  }
  let rows = 0
  for (const { erase } of ACCOUNT_TABLES) {
    await inSteps(async () => {
      const deleted = await database.system.execute(erase, [accountId, AT_ONCE])
      rows += deleted
      return deleted > 0
    })
  }
  return { rows, isDone: clock.monotonicMs() < untilMs }
}
