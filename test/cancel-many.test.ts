// Somebody started the wrong campaign: one call cancels everything of it that has not been sent, and nothing else.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { statement } from '../src/platform/db.ts'
import { type Api, type Reply, startWorld, type World } from './world/world.ts'

const CANCEL = '/api/v1/emails/cancel'
const UNDER_ATTEMPT = statement('test_under_attempt', 'update queue set state = $2 where id = $1')
const LOCK = statement('test_lock_queue_row', 'select id from queue where id = $1 for update')
const WAITS_FOR_ME = statement(
  'test_waits_for_me',
  'select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid)) limit 1',
)
const QUEUED = statement('test_queued_of', 'select count(*)::int as rows from queue where account_id = $1')

let world: World
let shopId: string

before(async () => {
  world = await startWorld({ settings: { POSTHORN_DELIVERY: 'direct' } })
  shopId = await world.verifiedDomain('shop.example')
  await world.verifiedDomain('news.example')
})
after(() => world[Symbol.asyncDispose]())

const later = (): string => new Date(world.clock.now().getTime() + 3_600_000).toISOString()
const mail = (more: object = {}): object => ({
  ...{ from: 'a@shop.example', to: 'reader@reader.example', subject: 's', text: 't', scheduled_at: later() },
  ...more,
})

async function sent(more: object = {}, api: Api = world.api): Promise<string> {
  const { status, body } = await api.post('/api/v1/send', mail(more))
  assert.equal(status, 202, JSON.stringify(body))
  return body.data.email_id
}

async function statusOf(id: string): Promise<string> {
  return (await world.api.get(`/api/v1/emails/${id}`)).body.data.status
}

async function canceled(body: object, api: Api = world.api): Promise<Reply['body']> {
  const answer = await api.post(CANCEL, body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.data
}

test('all waiting emails of a tag are canceled piece by piece, and each cancellation is reported once', async () => {
  const other = await sent({ tag: 'autumn' })
  for (let batch = 0; batch < 3; batch++) {
    const messages = Array.from({ length: 400 }, () => mail({ tag: 'spring' }))
    const { body } = await world.api.post('/api/v1/send/batch', { messages })
    assert.equal(body.summary.accepted, 400)
  }
  assert.deepEqual(await canceled({ tag: 'spring' }), { canceled: 1_200, in_progress: 0, more: false })
  assert.equal((await world.api.get('/api/v1/emails?tag=spring&status=canceled')).body.pagination.total, 1_200)
  assert.equal((await world.api.get('/api/v1/events?event=email.canceled&tag=spring')).body.pagination.total, 1_200)
  assert.deepEqual(await canceled({ tag: 'spring' }), { canceled: 0, in_progress: 0, more: false })
  assert.equal(await statusOf(other), 'scheduled')
  await canceled({ tag: 'autumn' })
  const { rows } = (await world.rooms.database.system.one<{ rows: number }>(QUEUED, [world.account.accountId])) ?? {}
  assert.equal(rows, 0)
})

test('domain, recipient and time select emails too; combined, they select what matches all of them', async () => {
  const ids = {
    shop: await sent(),
    news: await sent({ from: 'a@news.example' }),
    jo: await sent({ to: 'jo@reader.example' }),
    both: await sent({ from: 'a@news.example', to: 'jo@reader.example' }),
  }
  const left = async (): Promise<string[]> => {
    const states = await Promise.all(Object.entries(ids).map(async ([name, id]) => [name, await statusOf(id)] as const))
    return states.flatMap(([name, status]) => (status === 'scheduled' ? [name] : []))
  }
  assert.equal((await canceled({ from: later() })).canceled, 0)
  assert.equal((await canceled({ to: '2020-01-01T00:00:00Z' })).canceled, 0)
  assert.equal((await canceled({ domain_id: shopId.toUpperCase(), recipient: 'JO@reader.example' })).canceled, 1)
  assert.deepEqual(await left(), ['shop', 'news', 'both'])
  assert.equal((await canceled({ domain_id: shopId })).canceled, 1)
  assert.equal((await canceled({ recipient: 'jo@reader.example' })).canceled, 1)
  assert.deepEqual(await left(), ['news'])
  assert.equal((await canceled({ to: later() })).canceled, 1)
})

test('an email under an attempt may be on the wire: the answer says so, and it can be canceled once it waits again', async () => {
  const [id] = [await sent({ tag: 'wire' }), await sent({ tag: 'wire' })]
  await world.rooms.database.system.execute(UNDER_ATTEMPT, [id, 1])
  assert.deepEqual(await canceled({ tag: 'wire' }), { canceled: 1, in_progress: 1, more: false })
  assert.equal(await statusOf(id), 'scheduled')
  await world.rooms.database.system.execute(UNDER_ATTEMPT, [id, 2])
  assert.deepEqual(await canceled({ tag: 'wire' }), { canceled: 1, in_progress: 0, more: false })
})

test('an email that is being rescheduled is canceled after that, and is not said to be under an attempt', async () => {
  const [id] = [await sent({ tag: 'moved' }), await sent({ tag: 'moved' })]
  const { database } = world.rooms
  const answer = await database.transaction(async (db) => {
    await db.execute(LOCK, [id])
    const call = canceled({ tag: 'moved' })
    let answered = false
    const done = call.finally(() => {
      answered = true
    })
    const isWaiting = async (): Promise<boolean> => (await db.one(WAITS_FOR_ME, [])) !== null
    while (!answered && !(await isWaiting())) await new Promise(setImmediate)
    // In an object: a promise would be waited for inside the transaction.
    return { done }
  })
  assert.deepEqual(await answer.done, { canceled: 2, in_progress: 0, more: false })
  assert.equal(await statusOf(id), 'canceled')
  assert.equal((await world.api.get('/api/v1/events?event=email.canceled&tag=moved')).body.pagination.total, 2)
  assert.deepEqual(await canceled({ tag: 'moved' }), { canceled: 0, in_progress: 0, more: false })
})

test('a key cancels only within its account and its domains, and an empty body cannot cancel everything', async () => {
  const id = await sent({ tag: 'mine' })
  const other = await world.newAccount()
  assert.equal((await canceled({ tag: 'mine' }, other.api)).canceled, 0)
  const key = async (more: object): Promise<Api> => {
    const { body } = await world.api.post('/api/v1/customer/api-keys', { name: 'k', ...more })
    return world.apiWith(body.data.key)
  }
  const domains = (await world.api.get('/api/v1/customer/domains')).body.data
  const news = domains.find(({ domain }: { domain: string }) => domain === 'news.example').id
  const bound = await key({ scopes: ['send'], domain_ids: [news] })
  assert.equal((await canceled({ tag: 'mine' }, bound)).canceled, 0)
  assert.equal(await statusOf(id), 'scheduled')
  const reader = await key({ scopes: ['emails:read'] })
  assert.equal((await reader.post(CANCEL, { tag: 'mine' })).status, 403)
  assert.equal((await world.apiWith(null).post(CANCEL, { tag: 'mine' })).status, 401)
  for (const [body, fields] of [
    [{}, ['tag']],
    [{ recipient: 'nobody', tagg: 'x' }, ['recipient', 'tagg']],
    [{ tag: '', from: 'now' }, ['from', 'tag']],
  ] as const) {
    const answer = await world.api.post(CANCEL, body)
    assert.equal(answer.status, 422)
    assert.deepEqual(answer.body.details.fields.map(({ field }: { field: string }) => field).sort(), fields)
  }
  assert.equal((await canceled({ tag: 'mine' })).canceled, 1)
})
