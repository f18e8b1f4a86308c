// The database is unavailable while a report arrives, and between the 250 and the reading: nothing is lost or doubled.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { statement } from '../src/platform/db.ts'
import { startReceiver } from './world/receiver.ts'
import { mailFromNobody } from './world/submission.ts'
import { startWorld, type World } from './world/world.ts'

const COUNT = statement('test_reports', 'select state, outcome from inbound_report order by id')
const HOLD = statement(
  'test_hold',
  "update inbound_report set free_at = now() + interval '1 hour', tries = 1 where state = 0",
)

async function delivered(
  world: World,
  received: (count: number) => Promise<readonly { from: string }[]>,
): Promise<string> {
  const mail = { from: 'a@shop.example', to: 'bob@example.net', subject: 's', text: 't' }
  const { body } = await world.api.post('/api/v1/send', mail)
  const [got] = await received(1)
  for (let tries = 0; tries < 2_400; tries++) {
    const { data } = (await world.api.get(`/api/v1/emails/${body.data.email_id}`)).body
    if (data.status === 'delivered') break
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return got?.from ?? ''
}

const BOUNCE =
  'From: MAILER-DAEMON@x\r\nSubject: failure notice\r\n\r\n<bob@example.net>:\r\n550 5.1.1 <bob@example.net>: no such user'

test('a report that cannot be stored is answered 451 and taken when it is sent again; one held by a dead reader is read', async () => {
  await using mx = await startReceiver({})
  await using world = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  await world.verifiedDomain('shop.example')
  const { database, store } = world.rooms
  const owner = new pg.Client({ connectionString: store.adminUrl })
  owner.on('error', () => undefined)
  await owner.connect()
  await owner.query('set search_path to posthorn')
  const to = await delivered(world, (count) => mx.received(count))
  const send = (): Promise<string> => mailFromNobody(world.mxPort, to, BOUNCE)
  // The table is missing while one report arrives: what is not durable is not answered 250.
  await owner.query('alter table inbound_report rename to inbound_report_away')
  assert.match(await send(), /^451 4\.3\.0 /)
  await owner.query('alter table inbound_report_away rename to inbound_report')
  assert.equal((await database.system.query(COUNT, [])).length, 0)
  // This report is answered 250 and held by a reader that died: it becomes free again and is read once.
  await owner.query('begin')
  await owner.query('lock table inbound_report in access exclusive mode')
  const taken = send()
  await new Promise((resolve) => setTimeout(resolve, 200))
  await owner.query('commit')
  assert.match(await taken, /^250 /)
  await database.system.execute(HOLD, [])
  world.clock.advance(2 * 3_600_000)
  let rows: readonly { state: number; outcome: string | null }[] = []
  for (let tries = 0; tries < 2_400 && rows[0]?.state !== 1; tries++) {
    rows = await database.system.query(COUNT, [])
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.deepEqual(rows, [{ state: 1, outcome: 'bounced' }])
  const { data } = (await world.api.get('/api/v1/customer/bounces')).body
  assert.equal(data.length, 1)
  await owner.end()
})
