// The keys that write and read the tokens in links. A new key takes effect ten seconds after the command, once every process
// has loaded it; mails accepted before then keep their key. Old links work until their key is retired.

import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import * as sql from './sql.ts'
import { FIRST_KEYS, MAX_KEY, type TokenKeys } from './tokens.ts'

const LOADED_WITHIN_MS = 10_000

export async function tokenKeys(db: Db): Promise<TokenKeys> {
  const rows = await db.query<sql.TokenKeyRow>(sql.tokenKeys)
  const begun = rows.filter(({ number }) => number > 1).map(({ number, since, secret }) => ({ number, since, secret }))
  const oldest = 1 + (rows.findLast(({ retired }) => retired)?.number ?? 0)
  return { begun: [...FIRST_KEYS.begun, ...begun], oldest }
}

/** @param secret number of the instance's secret that the new key is derived from @throws when there are 255 keys already */
export async function rotateTokenKey(
  db: Db,
  clock: Clock,
  secret: number,
): Promise<{ readonly number: number; readonly since: Date }> {
  const { begun } = await tokenKeys(db)
  if (begun.length >= MAX_KEY) throw new Error(`the limit of ${MAX_KEY} keys is reached`)
  const row = await db.one<sql.TokenKeyRow>(sql.addTokenKey, [
    new Date(clock.now().getTime() + LOADED_WITHIN_MS),
    secret,
  ])
  if (row === null) throw new Error('the key was not written')
  return row
}

/** Ends all links under keys with smaller numbers. @throws when key `oldest` is not in use */
export async function retireTokenKeys(db: Db, clock: Clock, oldest: number): Promise<void> {
  const { begun } = await tokenKeys(db)
  const key = begun.find(({ number }) => number === oldest)
  if (key === undefined || key.since > clock.now()) throw new Error(`key ${oldest} is not in use`)
  await db.execute(sql.retireTokenKeys, [oldest])
}
