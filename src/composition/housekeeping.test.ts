import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { log } from '../../test/world/accounts-fixture.ts'
import { freshDb } from '../../test/world/database.ts'
import { systemClock } from '../platform/clock.ts'
import { connect, statement } from '../platform/db.ts'
import { systemIds } from '../platform/ids.ts'
import { cleaningLoops } from './housekeeping.ts'

const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
const LEFT = statement('test_cleaning_left', 'select count(*)::int as n from operator_action')

test('what is old goes although something before it cannot be deleted', async () => {
  await using store = await freshDb()
  const admin = new pg.Client({ connectionString: store.url })
  await admin.connect()
  await admin.query(`
    set search_path to posthorn;
    insert into idempotency values ('${ACCOUNT}', '/', 'key', '', null, null, now() - interval '3 years');
    insert into operator_action (id, at, operator, action) values ('01000000-0000-7000-8000-000000000001', now(), 'x', 'x');
    create function refuse() returns trigger language plpgsql as $$ begin raise 'damaged'; end $$;
    create trigger refuse before delete on idempotency for each row execute function refuse()`)
  await admin.end()
  const database = connect({ url: store.url, maxConnections: 2, onError: () => undefined })
  const clock = systemClock()
  const ground = { clock, ids: systemIds(() => clock.now().getTime()), log }
  const [cleaning] = cleaningLoops(database, ground)
  assert.ok(cleaning)
  try {
    await cleaning.start()
    for (let tries = 0; (await database.system.one<{ n: number }>(LEFT))?.n !== 0; tries++) {
      assert.ok(tries < 500, 'it is still there')
      await delay(20)
    }
  } finally {
    await cleaning.stop(new AbortController().signal)
    await database.close()
  }
})
