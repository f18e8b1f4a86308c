// What has become of a transaction whose connection broke at its commit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { freshDb } from '../../../test/world/database.ts'
import { systemClock } from '../clock.ts'
import { connect, UnknownCommitOutcome } from '../db.ts'
import { wasCommitted } from './commit-outcome.ts'
import { hasBackend } from './sql-server.ts'

test('a transaction that is committed between the two questions is not taken for undone', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, onError: () => undefined })
  const other = new pg.Client({ connectionString: store.url })
  await other.connect()
  const unknown = new UnknownCommitOutcome('the connection broke', other)
  const backend = unknown.backend ?? assert.fail('the server has named its process')
  let looks = 0
  const committed = await wasCommitted(
    database,
    unknown,
    async () => {
      if (++looks > 1) return true
      // The rows are not there yet. Then the transaction is committed, and its server process ends.
      await other.end()
      // A transaction keeps seeing the processes that it saw first.
      while (await hasBackend(database.system, backend)) await new Promise((resolve) => setTimeout(resolve, 5))
      return false
    },
    { clock: systemClock(), withinMs: 10_000 },
  )
  assert.equal(committed, true)
  await database.close()
})
