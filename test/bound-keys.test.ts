// A key that is bound to domains: of the emails of the account's other domains it is told nothing, and it moves none.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startReceiver } from './receiver.ts'
import { type Api, startWorld, type World } from './world.ts'

const LISTS = ['/api/v1/emails', '/api/v1/events?event=email.bounced', '/api/v1/customer/bounces']

const SPAM =
  '<h1>CLICK HERE NOW!!! FREE MONEY $$$ WINNER!!!</h1><p>Act now, 100% free, no risk, buy cheap viagra!!!</p>'

const stack = new AsyncDisposableStack()
let world: World
let ours: string
let theirs: string
let bound: Api
/** Of each domain one that bounced. */
const bounced: Record<string, string> = {}

before(async () => {
  const mx = stack.use(await startReceiver({ rcpt: '550 5.7.1 blocked' }))
  world = stack.use(
    await startWorld({
      zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
      settings: { POSTHORN_SMTP_PORT: String(mx.port) },
    }),
  )
  ours = await world.verifiedDomain('ours.example')
  theirs = await world.verifiedDomain('theirs.example')
  bound = await keyOf({ domain_ids: [ours] })
  for (const name of ['ours', 'theirs']) bounced[name] = await send(`a@${name}.example`)
  for (const id of Object.values(bounced)) await until(async () => (await statusOf(id)) === 'bounced')
})
after(() => stack.disposeAsync())

async function keyOf(more: object): Promise<Api> {
  const made = await world.api.post('/api/v1/customer/api-keys', { name: 'k', ...more })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return world.apiWith(made.body.data.key)
}

async function send(from: string, more: object = {}, api = world.api): Promise<string> {
  const { status, body } = await api.post('/api/v1/send', {
    from,
    to: 'b@example.net',
    subject: 's',
    html: '<p>t</p>',
    ...more,
  })
  assert.equal(status, 202, JSON.stringify(body))
  return body.data.email_id
}

async function statusOf(id: string): Promise<string> {
  return (await world.api.get(`/api/v1/emails/${id}`)).body.data.status
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await holds()); waited += 50) {
    if (waited > 60_000) throw new Error('it did not come about')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

for (const path of LISTS) {
  test(`${path} tells a bound key of its domains alone`, async () => {
    const at = (query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`
    const idOf = (row: { email_id?: string; id: string }): string => row.email_id ?? row.id
    const mine = (await bound.get(path)).body
    assert.deepEqual([mine.data.map(idOf), mine.pagination.total], [[bounced['ours']], 1])
    assert.equal((await bound.get(at(`domain_id=${theirs}`))).body.pagination.total, 0)
    assert.equal((await bound.get(at(`domain_id=${ours.toUpperCase()}`))).body.pagination.total, 1)
    assert.equal((await world.api.get(path)).body.pagination.total, 2)
    const both = await keyOf({ domain_ids: [ours, theirs] })
    assert.equal((await both.get(path)).body.pagination.total, 2)
  })
}

test('what the contents of mails were found to be is told of its domains alone', async () => {
  for (const name of ['ours', 'theirs']) {
    const message = { from: `a@${name}.example`, to: 'b@example.net', subject: 'FREE MONEY!!!', html: SPAM }
    await world.api.post('/api/v1/send', message)
  }
  const of = async (api: Api, query = ''): Promise<readonly number[]> => {
    const { data, pagination } = (await api.get(`/api/v1/content-events${query}`)).body
    return [data.length, pagination.total]
  }
  const all = (await of(world.api))[0] ?? 0
  assert.ok(all >= 2)
  assert.deepEqual(await of(bound), [all / 2, all / 2])
  assert.deepEqual(await of(bound, `?domain_id=${theirs}`), [0, 0])
})

test('an email of another domain is as one that is not there', async () => {
  const [own, other] = [`/api/v1/emails/${bounced['ours']}`, `/api/v1/emails/${bounced['theirs']}`]
  for (const part of ['', '/raw', '/preview']) {
    assert.equal((await bound.get(own + part)).status, 200)
    assert.deepEqual([(await bound.get(other + part)).status, (await world.api.get(other + part)).status], [404, 200])
  }
  const soon = new Date(world.clock.now().getTime() + 3_600_000).toISOString()
  const planned = await send('a@theirs.example', { scheduled_at: soon })
  const later = new Date(world.clock.now().getTime() + 7_200_000).toISOString()
  const answers = [
    await bound.post(`${other}/retry`),
    await bound.post(`/api/v1/emails/${planned}/cancel`),
    await bound.patch(`/api/v1/emails/${planned}`, { scheduled_at: later }),
  ]
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.code]),
    answers.map(() => [404, 'not_found']),
  )
  assert.deepEqual([await statusOf(bounced['theirs'] ?? ''), await statusOf(planned)], ['bounced', 'scheduled'])
  assert.equal((await bound.post(`${own}/retry`)).status, 200)
})

test('sandbox mail of a domain that nobody has is seen by whoever sent it', async () => {
  const sandbox = await keyOf({ mode: 'sandbox', domain_ids: [ours] })
  const id = await send('a@elsewhere.example', {}, sandbox)
  assert.equal((await sandbox.get(`/api/v1/emails/${id}`)).status, 200)
})

test('a bound key adds no domain, which it would not see', async () => {
  const { status, body } = await bound.post('/api/v1/customer/domains', { domain: 'new.example' })
  assert.deepEqual([status, body.code], [403, 'insufficient_scope'])
})
