import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDbOfToday } from '../../../test/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, statement } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { reportStorage } from './report-storage.ts'

const KEPT = statement(
  'test_kept',
  `insert into inbound_report (id, hash, kind, local_part, received_at, free_at, state, outcome, raw)
   values ($1, uuid_send($1), 'operator', 'abuse', now(), now(), $2, 'kept', repeat('x', $3::int)::bytea)`,
)

test('mail that has ended is kept up to a limit, counted anew each minute', async () => {
  await using fresh = await freshDbOfToday()
  await using closing = new AsyncDisposableStack()
  const database = connect({ url: fresh.url, onError: () => undefined })
  closing.defer(() => database.close())
  const { next } = systemIds()
  const db = database.system
  let ms = 0
  const mayKeep = reportStorage({ ...systemClock(), monotonicMs: () => ms }, 1_000)
  await db.execute(KEPT, [next(), 1, 500])
  await db.execute(KEPT, [next(), 0, 900])
  assert.equal(await mayKeep(db, 300), true)
  assert.equal(await mayKeep(db, 300), false)
  assert.equal(await mayKeep(db, 200), true)
  assert.equal(await mayKeep(db, 1), false)
  ms += 60_000
  assert.equal(await mayKeep(db, 300), true, 'what was not kept after all')
})
