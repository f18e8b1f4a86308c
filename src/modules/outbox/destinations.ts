// Manual control of a destination: pause, resume, retry now. It only uses the tables, so it can run on any machine: the claim
// checks whether a destination is paused, so no more emails to it are leased after the commit. Those leased before are sent
// or come back. An email to a paused destination still ends when it expires (overdue.ts).

import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { platformErrors as errors } from '../../platform/errors.ts'
import type { Ids } from '../../platform/ids.ts'
import { type Operator, recordOperatorAction } from '../accounts/index.ts'
import { flushQueue } from './queue-figures.ts'
import * as sql from './sql.ts'

export interface DestinationOptions {
  readonly database: Database
  readonly ids: Ids
  readonly clock: Clock
}

/** @throws ApiError not_found when nothing was ever sent to the destination */
export async function holdDestination(
  options: DestinationOptions,
  by: Operator,
  destination: string,
  held: boolean,
): Promise<void> {
  await options.database.transaction(async (db) => {
    const changed = await db.execute(sql.pauseSite, [destination, held, options.clock.now()])
    if (changed === 0) throw errors.not_found()
    const action = held ? 'queue.pause' : 'queue.resume'
    await recordOperatorAction(db, options, by, { action, detail: { destination } })
  })
}

/**
 * Makes deferred emails ready now, those of one destination or all (null); scheduled ones keep their time. It works in pieces
 * and writes the audit entry at the end: if the process dies midway, some emails are ready and the caller gets no answer.
 *
 * @returns how many it made ready
 * @throws ApiError not_found when nothing was ever sent to the destination
 */
export async function retryDestination(
  options: DestinationOptions,
  by: Operator,
  destination: string | null,
): Promise<number> {
  const { system } = options.database
  if (destination !== null && (await system.one(sql.siteExists, [destination])) === null) throw errors.not_found()
  const emails = await flushQueue(system, destination, options.clock.now())
  const action = { action: 'queue.retry', detail: { destination: destination ?? 'all', emails } } as const
  await options.database.transaction((db) => recordOperatorAction(db, options, by, action))
  return emails
}
