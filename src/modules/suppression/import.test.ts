// An import meets other writers of the list: what the database breaks off for their sake is written again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, type Database } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { ensureEventPartitions } from '../events/index.ts'
import { type ImportEntry, type ImportFault, importSuppressions, importUnsubscribes } from './import.ts'

async function* entries(count: number): AsyncGenerator<ImportEntry> {
  for (let line = 2; line < count + 2; line++) {
    yield { line, email: `u${line}@example.net`, reason: '', details: '', expiresAt: '', sandbox: '' }
  }
}

for (const importList of [importSuppressions, importUnsubscribes]) {
  test(`${importList.name}: one that loses a deadlock goes on, and counts every row once`, async () => {
    await using store = await freshDb()
    const database = connect({ url: store.url, onError: () => undefined })
    const [clock, ids] = [systemClock(), systemIds()]
    await ensureEventPartitions(database.system, clock.now())
    let tenants = 0
    const tenant: Database['tenant'] = (accountId, work) =>
      database.tenant(accountId, async (db) => {
        const done = await work(db)
        if (++tenants % 2 === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
        return done
      })
    const summary = await importList({ ...database, tenant }, { clock, ids }, ids.next(), entries(1_200))
    await database.close()
    assert.deepEqual(summary, { imported: 1_200, updated: 0, failed: 0, errors: [] })
  })
}

test('rows that are left out give others a turn', async () => {
  let nowMs = 0
  const clock = { ...systemClock(), monotonicMs: () => nowMs }
  async function* broken(): AsyncGenerator<ImportFault> {
    for (let line = 2; line < 102; line++) {
      nowMs++
      yield { line, email: null, message: 'is broken' }
    }
  }
  const importing = importSuppressions(null as never, { clock, ids: systemIds() }, 'a', broken())
  let turns = 0
  let over = false
  const importedAll = importing.then(() => {
    over = true
  })
  while (!over) {
    await new Promise(setImmediate)
    turns++
  }
  await importedAll
  assert.ok(turns > 10, `${turns} turns`)
  assert.equal((await importing).failed, 100)
})
