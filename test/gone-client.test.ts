// A client that goes away while its list is read leaves no statement behind in the database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statement } from '../src/platform/db.ts'
import { untilBlocked } from './world/blocked.ts'
import { startWorld } from './world/world.ts'

const LOCK = statement('test_lock', 'lock table email, contact, stat_provider in access exclusive mode')
// Of tables that nothing else reads here.
const PATHS = [
  '/api/v1/emails?search=nobody',
  '/api/v1/customer/contacts?search=nobody',
  '/api/v1/stats/outbound/providers',
]

test('a list or report that its client no longer waits for is broken off', { timeout: 60_000 }, async () => {
  await using world = await startWorld()
  const { database } = world.rooms
  const unlocked = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const locking = database.transaction(async (db) => {
    await db.execute(LOCK)
    locked.resolve()
    await unlocked.promise
  })
  await locked.promise
  for (const path of PATHS) {
    const gone = new AbortController()
    const asked = fetch(world.url + path, { headers: { 'x-api-key': world.account.apiKey }, signal: gone.signal })
    await untilBlocked(database, 1)
    gone.abort()
    await assert.rejects(asked, { name: 'AbortError' })
    await untilBlocked(database, 0)
  }
  unlocked.resolve()
  await locking
})
