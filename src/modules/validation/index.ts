// Validation: what can be known of an address before mail goes to it.

import type { Db } from '../../platform/db.ts'
import type { AnyEndpoint } from '../../platform/http.ts'
import { loop, type Service } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Accounts } from '../accounts/index.ts'
import { SHUN_MS, SLOT_MS } from './probe-limits.ts'
import { type ValidationRoutesOptions, validationRoutes } from './routes.ts'
import * as sql from './sql.ts'
import { type CheckerOptions, checkerOf, LONGEST_KEPT_MS, MAX_REPROBES, REPROBE_AFTER_MS } from './validation.ts'

export { validationTables } from './account-tables.ts'
export { disposableConfidence, isAliasRelay } from './disposable.ts'
export { isRole } from './local-part.ts'

export interface ValidationRoomOptions extends Omit<CheckerOptions, 'buckets'> {
  readonly accounts: ValidationRoutesOptions['accounts'] & Pick<Accounts, 'buckets'>
  readonly log: Logger
}

export interface ValidationRoom {
  readonly endpoints: readonly AnyEndpoint[]
  /** Runs in the worker role: asks again about greylisted addresses. */
  readonly worker: Service
}

const REPROBES_EVERY_MS = 10_000

export function validationRoom({ accounts, log, ...options }: ValidationRoomOptions): ValidationRoom {
  const { database } = options
  const checker = checkerOf({ ...options, buckets: accounts.buckets })
  return {
    endpoints: validationRoutes({ accounts, database, checker }),
    worker: loop({
      name: 'greylisted addresses',
      turn: async () => ((await checker.reprobe()) === MAX_REPROBES ? 0 : REPROBES_EVERY_MS),
      onError: (err) => log.warn({ err }, 'greylisted addresses will be asked about again'),
    }),
  }
}

/** Deletes expired results, catch-all entries, shunned hosts and slots. @returns the largest number deleted from one table */
export async function forgetValidations(db: Db, now: Date, limit: number): Promise<number> {
  const forgotten = await Promise.all([
    db.execute(sql.FORGET_RESULTS, [now, limit, new Date(now.getTime() - LONGEST_KEPT_MS)]),
    db.execute(sql.FORGET_CATCH_ALLS, [now, limit]),
    db.execute(sql.FORGET_SHUNNED, [now, limit]),
    db.execute(sql.FORGET_SLOTS, [now, limit]),
  ])
  return Math.max(...forgotten)
}

/** Deletes what was learnt of one recipient's mailbox for the account. */
export async function eraseValidations(db: Db, accountId: string, recipient: string): Promise<void> {
  await db.execute(sql.ERASE_RESULTS, [accountId, recipient])
}

/** Ends what a clock that was ahead has put off, or keeps, for longer than anything is. */
export async function recallValidations(db: Db, now: Date): Promise<void> {
  const latest = (waitMs: number): Date => new Date(now.getTime() + waitMs)
  await db.execute(sql.RECALL_SLOTS, [latest(SLOT_MS)])
  await db.execute(sql.RECALL_SHUNNED, [latest(SHUN_MS)])
  await db.execute(sql.RECALL_REPROBES, [now, latest(Math.max(...REPROBE_AFTER_MS))])
  await db.execute(sql.RECALL_RESULTS, [latest(LONGEST_KEPT_MS)])
  await db.execute(sql.RECALL_CATCH_ALLS, [latest(LONGEST_KEPT_MS)])
}
