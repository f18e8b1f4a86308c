import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { freshDb, type TestDatabase } from '../../../test/world/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, type Database } from '../../platform/db.ts'
import { sharedBuckets } from './buckets.ts'
import { leaseTokens } from './sql-meter.ts'

const RATE = { rateClass: 'default', perSecond: 10, burst: 20 }
const START = Date.parse('2026-03-01T12:00:00Z')
const THREE_DAYS_MS = 3 * 86_400_000

let store: TestDatabase
let database: Database
before(async () => {
  store = await freshDb()
  database = connect({ url: store.url, maxConnections: 1, onError: () => undefined })
})
after(async () => {
  await database.close()
  await store[Symbol.asyncDispose]()
})

/** @returns the tokens granted to a machine that asks for all, at a time by its clock */
async function leased(bucketId: string, ms: number): Promise<number> {
  const bucket = { ...RATE, bucketId, need: 1, want: RATE.burst }
  const [lease] = await leaseTokens(database.system, [bucket], new Date(START + ms))
  return Math.round(lease?.granted ?? -1)
}

test('a clock that was days ahead and is corrected holds nobody back', async () => {
  const id = '01980000-0000-7000-8000-0000000000b1'
  assert.equal(await leased(id, 0), 20)
  assert.equal(await leased(id, THREE_DAYS_MS), 20)
  assert.equal(await leased(id, 1_000), 0)
  assert.equal(await leased(id, 2_000), 10)
  assert.equal(await leased(id, 3_500), 15)
})

test('machines whose clocks differ by seconds do not gain the same second twice', async () => {
  const id = '01980000-0000-7000-8000-0000000000b2'
  assert.equal(await leased(id, 5_000), 20)
  assert.equal(await leased(id, 0), 0)
  assert.equal(await leased(id, 4_000), 0)
  assert.equal(await leased(id, 6_000), 10)
})

test('a call that asks for more than there is takes nothing from a smaller one beside it', async () => {
  const id = '01980000-0000-7000-8000-0000000000b3'
  const clock = { ...systemClock(), now: () => new Date(START), monotonicMs: () => 0 }
  const buckets = sharedBuckets(database, clock)
  const take = async (tokens: number): Promise<boolean> => (await buckets.take(id, 'default', RATE, tokens)).granted
  assert.equal(await take(15), true)
  // The first call is asked alone, and the others meanwhile gather for the next statement.
  assert.deepEqual(await Promise.all([take(1), take(50), take(2)]), [true, false, true])
  assert.equal(await take(3), false, 'two are left')
  assert.equal(await take(2), true)
})
