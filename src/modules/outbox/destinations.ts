// Steering a destination: holding it back, letting it go, trying now what waits. It works on the tables alone, by
// whichever machine: the claim asks whether a destination is held back, so with the commit nothing more of it is taken.
// What was taken before goes out or comes back. A held-back email still ends when its life is over (overdue.ts).

import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { platformErrors as errors } from '../../platform/errors.ts'
import type { Ids } from '../../platform/ids.ts'
import { noteDeed, type Operator } from '../accounts/index.ts'
import { flushQueue } from './figures.ts'
import * as sql from './sql.ts'

export interface SteerOptions {
  readonly database: Database
  readonly ids: Ids
  readonly clock: Clock
}

/** @throws ApiError not_found when nothing was ever sent there */
export async function holdDestination(
  options: SteerOptions,
  by: Operator,
  destination: string,
  held: boolean,
): Promise<void> {
  await options.database.transaction(async (db) => {
    const changed = await db.execute(sql.pauseSite, [destination, held, options.clock.now()])
    if (changed === 0) throw errors.not_found()
    const action = held ? 'queue.pause' : 'queue.resume'
    await noteDeed(db, options, by, { action, detail: { destination } })
  })
}

/**
 * Makes deferred emails ready now, those of one destination or all (null); scheduled ones keep their time. Piece by piece,
 * and noted at the end: a process that dies over it leaves some ready, and whoever asked without an answer.
 *
 * @returns how many
 * @throws ApiError not_found when nothing was ever sent there
 */
export async function retryDestination(
  options: SteerOptions,
  by: Operator,
  destination: string | null,
): Promise<number> {
  const { system } = options.database
  if (destination !== null && (await system.one(sql.siteExists, [destination])) === null) throw errors.not_found()
  const emails = await flushQueue(system, destination, options.clock.now())
  const deed = { action: 'queue.retry', detail: { destination: destination ?? 'all', emails } } as const
  await options.database.transaction((db) => noteDeed(db, options, by, deed))
  return emails
}
