import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { manualClock } from '../../../test/world/world.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, statement } from '../../platform/db.ts'
import { queueByDestination } from './queue-figures.ts'
import { siteReporter } from './site-reports.ts'
import { siteIds } from './sites.ts'
import * as sql from './sql.ts'

test('what two machines delivered in the last minute is shown together, with the last response', async () => {
  await using fresh = await freshDb()
  const database = connect({ url: fresh.url, onError: () => undefined })
  const db = database.system
  const clock = manualClock()
  const [id = 0] = (await siteIds(db).of(['example.net'])).values()
  await db.execute(sql.pauseSite, ['example.net', true, clock.now()])
  const onError = (error: unknown): void => assert.fail(String(error))
  const one = siteReporter({ db, clock, node: 'one', onError })
  const two = siteReporter({ db, clock, node: 'two', onError })
  one.note(id, 'delivered', '250 ok')
  one.note(id, 'deferred', '451 later')
  await one.flush()
  // Reports carry their time in milliseconds, and both may be written within one.
  clock.advance(1)
  two.note(id, 'delivered', '250 2.0.0 thanks')
  await two.flush()
  const asked = async () => (await queueByDestination(db, { limit: 10, now: clock.now() }))[0]
  const told = await asked()
  assert.deepEqual([told?.attempts, told?.delivered, told?.lastOutcome], [3, 2, 'delivered'])
  assert.equal(told?.lastResponse, '250 2.0.0 thanks')
  // Nothing new: nothing is written, and an old report does not count toward a rate.
  await one.flush()
  const later = await queueByDestination(db, { limit: 10, now: new Date(clock.now().getTime() + 60_000) })
  assert.deepEqual([later[0]?.attempts, later[0]?.lastResponse], [0, '250 2.0.0 thanks'])
  await database.close()
})

test('when more destinations changed than are written at once, those that waited longest come next', async () => {
  await using fresh = await freshDb()
  const database = connect({ url: fresh.url, onError: () => undefined })
  const db = database.system
  const onError = (error: unknown): void => assert.fail(String(error))
  const reporter = siteReporter({ db, clock: systemClock(), node: 'one', onError })
  const names = Array.from({ length: 501 }, (_, n) => `d${n}.example.net`)
  const ids = [...(await siteIds(db).of(names)).values()]
  for (let turn = 0; turn < 2; turn++) {
    for (const id of ids) reporter.note(id, 'delivered', '250 ok')
    await reporter.flush()
  }
  assert.equal(await db.execute(statement('test_written', 'select site_id from site_report')), 501)
  await database.close()
})
