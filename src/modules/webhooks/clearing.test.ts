// What waits for an endpoint that is disabled or removed ends in short transactions, however much it is.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { webhookReceiver } from '../../../test/world/webhook-receiver.ts'
import { startWorld, type TestAccount, type World } from '../../../test/world/world.ts'
import { statement } from '../../platform/db.ts'
import { append } from '../events/index.ts'

const PATH = '/api/v1/customer/webhooks'
const LOGGED = 10_000
const WAITING = 25_000

// Due tomorrow. Every fifth was never attempted.
const QUEUE = statement(
  'test_clearing_queue',
  `insert into webhook_queue (id, account_id, webhook_id, event_id, event_at, event, due, attempt, last)
   select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - $3::int + i), 12, '0') || '7000' || '8000'
       || lpad(to_hex(i), 12, '0'))::uuid, $1, $2, gen_random_uuid(), now(), 1,
     now() + interval '1 day' + i * interval '1 microsecond', case when i % 5 = 0 then 0 else 1 end, '{"asked_ms": 0}'
   from generate_series(1, $3::int) i`,
)
const LEFT = statement('test_clearing_left', 'select count(*)::int as n from webhook_queue where webhook_id = $1')
const LOG = statement(
  'test_clearing_log',
  `select count(*)::int as n from webhook_delivery where webhook_id = $1 and not success and attempt = 1`,
)

let world: World
let admin: pg.Client
before(async () => {
  world = await startWorld()
  admin = new pg.Client({ connectionString: world.rooms.store.adminUrl })
  await admin.connect()
  await admin.query(`
    set search_path to posthorn;
    create table ended_together (xact xid8, many bigint);
    create function note_ended() returns trigger language plpgsql security definer set search_path to posthorn as $$ begin
      insert into ended_together select pg_current_xact_id(), count(*) from gone;
      return null;
    end $$;
    create trigger note_ended after delete on webhook_queue referencing old table as gone
      for each statement execute function note_ended()`)
})
after(async () => {
  await admin.end()
  await world[Symbol.asyncDispose]()
})

/** The most deliveries that one transaction has ended since the last call. */
async function mostTogether(): Promise<number> {
  const { rows } = await admin.query<{ most: number }>(`
    with told as (delete from posthorn.ended_together returning *)
    select coalesce(max(many), 0)::int as most from (select sum(many) as many from told group by xact) t`)
  return rows[0]?.most ?? 0
}

const counted = async (what: typeof LEFT, id: string): Promise<number> =>
  (await world.rooms.database.system.one<{ n: number }>(what, [id]))?.n ?? 0

async function backlogged(account: TestAccount, url: string): Promise<string> {
  const { id } = (await account.api.post(PATH, { url, events: ['*'] })).body.data
  await world.rooms.database.system.execute(QUEUE, [account.accountId, id, WAITING])
  await mostTogether()
  return id
}

test('what waits for an endpoint that is switched off ends in parts, and the newest attempted are logged', async () => {
  const account = await world.newAccount()
  const id = await backlogged(account, 'http://x.test/hook')
  assert.equal((await account.api.put(`${PATH}/${id}`, { is_active: false })).status, 200)
  assert.deepEqual([await counted(LEFT, id), await counted(LOG, id)], [0, LOGGED])
  const most = await mostTogether()
  assert.ok(most > 0 && most <= LOGGED, `${most} in one transaction`)
})

test('what waits for an endpoint that its receiver ends with 410 ends in parts too', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  receiver.answer = (_, reply) => void reply.writeHead(410).end()
  const id = await backlogged(account, receiver.url)
  const { clock, ids } = world.rooms.ground
  const told = { eventId: ids.next(), at: clock.now(), accountId: account.accountId, domainId: null, emailId: null }
  const data = { email: 'ann@x.test' }
  const kind = {
    type: 'suppression.created',
    stream: 'transactional',
    sandbox: false,
    tag: null,
    data,
    facts: null,
  } as const
  await append(world.rooms.database.system, [{ ...told, ...kind }])
  for (let tries = 0; (await counted(LEFT, id)) > 0; tries++) {
    assert.ok(tries < 1_000, 'something is left')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.equal((await account.api.get(`${PATH}/${id}`)).body.data.disabled_reason, 'gone')
  const most = await mostTogether()
  assert.ok(most > 0 && most <= LOGGED, `${most} in one transaction`)
})

test('what waits for an endpoint that is removed ends in parts', async () => {
  const account = await world.newAccount()
  const id = await backlogged(account, 'http://x.test/hook')
  assert.equal((await account.api.delete(`${PATH}/${id}`)).status, 200)
  assert.deepEqual([await counted(LEFT, id), await counted(LOG, id)], [0, 0])
  const most = await mostTogether()
  assert.ok(most > 0 && most <= LOGGED, `${most} in one transaction`)
})

test('what a process that stopped has left of a disabled queue is not sent once the endpoint is enabled', async () => {
  const account = await world.newAccount()
  const { id } = (await account.api.post(PATH, { url: 'http://x.test/hook', events: ['*'], is_active: false })).body
    .data
  await world.rooms.database.system.execute(QUEUE, [account.accountId, id, 10])
  const stranger = await world.newAccount()
  assert.equal((await stranger.api.put(`${PATH}/${id}`, { is_active: true })).status, 404)
  assert.equal(await counted(LEFT, id), 10)
  assert.equal((await account.api.put(`${PATH}/${id}`, { is_active: true })).status, 200)
  assert.equal(await counted(LEFT, id), 0)
})
