// The answers of mailbox providers, reported through the public interfaces: mail goes to hosts that have the providers'
// names.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver } from './world/receiver.ts'
import { startWorld, type World } from './world/world.ts'

const REPORT = '/api/v1/stats/outbound/providers'
const LIMIT_MS = 60_000

const HOSTS: Record<string, string> = {
  'shop-a.example': 'aspmx.l.google.com',
  'shop-b.example': 'alt1.aspmx.l.google.com',
  'work.example': 'work-example.mail.protection.outlook.com',
  'home.example': 'mta7.am0.yahoodns.net',
  'fruit.example': 'mx01.mail.icloud.com',
  'own.example': 'mx.own.example',
  'other.example': 'mx.somebody.example',
}

const REPLIES: Record<string, string> = {
  gone: '550 5.1.1 no such user',
  full: '552 5.2.2 mailbox full',
  blocked: '550 5.7.1 blocked by policy',
  later: '451 4.7.1 greylisted',
}

const TRIES: readonly (readonly [to: string, provider: string | null, answer: string])[] = [
  ['jo@shop-a.example', 'google', 'accepted'],
  ['ann@shop-a.example', 'google', 'accepted'],
  ['jo@shop-b.example', 'google', 'accepted'],
  ['gone@shop-b.example', 'google', 'bounced'],
  ['jo@work.example', 'microsoft', 'accepted'],
  ['blocked@work.example', 'microsoft', 'blocked'],
  ['later@home.example', 'yahoo', 'deferred'],
  ['full@fruit.example', 'apple', 'bounced'],
  ['jo@own.example', 'self_hosted', 'accepted'],
  ['jo@other.example', 'unknown', 'accepted'],
  // No host answers for a domain that does not exist.
  ['jo@nowhere.example', null, ''],
]

const NONE = { attempts: 0, accepted: 0, deferred: 0, bounced: 0, blocked: 0 }

/** The report once it has counted this many attempts. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function counted(world: World, attempts: number, query = ''): Promise<any> {
  let seen: unknown
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; ) {
    const { status, body } = await world.api.get(`${REPORT}${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    if (body.totals.attempts === attempts) return body
    seen = body.totals
    world.clock.advance(100)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return assert.fail(`${attempts} tries were not counted: ${JSON.stringify(seen)}`)
}

test('each attempt counts once, for the provider whose host answered it, and in /metrics too', async () => {
  await using mx = await startReceiver({ rcpt: (address) => REPLIES[address.split('@')[0] ?? ''] ?? '250 2.1.5 ok' })
  await using world = await startWorld({
    zones: Object.fromEntries(
      Object.entries(HOSTS).flatMap(([domain, host]) => [
        [domain, { MX: [`10 ${host}`] }],
        [host, { A: ['127.0.0.1'] }],
      ]),
    ),
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  const domainId = await world.verifiedDomain('shop.example')
  for (const [to] of TRIES) {
    const mail = { from: 'a@shop.example', to, subject: 's', text: 't', ...(to.startsWith('jo') && { tag: 'jo' }) }
    assert.equal((await world.api.post('/api/v1/send', mail)).status, 202)
  }
  const sandboxed = { from: 'a@shop.example', to: 'jo@shop-a.example', subject: 's', text: 't' }
  assert.equal((await world.account.testApi.post('/api/v1/send', sandboxed)).status, 202)

  const answered = TRIES.filter(([, provider]) => provider !== null)
  const { data, totals, period } = await counted(world, answered.length)
  const byProvider = Map.groupBy(answered, ([, provider]) => String(provider))
  assert.equal(totals.providers.length, byProvider.size)
  assert.equal(totals.providers[0].provider, 'google')
  for (const figures of totals.providers) {
    const tries = byProvider.get(figures.provider) ?? []
    assert.equal(figures.attempts, tries.length)
    for (const answer of ['accepted', 'deferred', 'bounced', 'blocked']) {
      const expected = tries.filter(([, , one]) => one === answer).length
      assert.equal(figures[answer], expected, `${figures.provider} ${answer}`)
      assert.equal(figures[`${answer}_rate`], Math.round((expected / tries.length) * 10_000) / 10_000)
    }
  }
  assert.deepEqual(
    [totals.accepted, totals.deferred, totals.bounced, totals.blocked, totals.accepted_rate],
    [6, 1, 2, 1, 0.6],
  )
  assert.equal(data.length, 30)
  assert.deepEqual(data[0], { date: period.from_date, ...NONE, providers: [] })
  assert.equal(data.at(-1).attempts, answered.length)
  assert.deepEqual(
    data.at(-1).providers.find(({ provider }: { provider: string }) => provider === 'microsoft'),
    { provider: 'microsoft', attempts: 2, accepted: 1, deferred: 0, bounced: 0, blocked: 1 },
  )

  const page = await (await fetch(`${world.url}/metrics`)).text()
  assert.match(page, /posthorn_attempts_total\{outcome="delivered",provider="google"\} 3/)
  assert.match(page, /posthorn_attempts_total\{outcome="bounced",provider="microsoft"\} 1/)
  assert.match(page, /posthorn_deliveries_total\{provider="google",tls="none"\} 3/)
  assert.ok(!page.includes('posthorn_deliveries_total{provider="sandbox"'))

  assert.equal((await counted(world, 5, '?tag=jo')).totals.accepted, 5)
  await counted(world, answered.length, `?domain_id=${domainId}&timezone=Asia/Kathmandu`)
  const withSandbox = await counted(world, answered.length + 1, '?include_sandbox=true')
  assert.equal(
    withSandbox.totals.providers.find(({ provider }: { provider: string }) => provider === 'sandbox').accepted,
    1,
  )

  const made = await world.api.post('/api/v1/customer/api-keys', { name: 'bound', domain_ids: [domainId] })
  const bound = await world.apiWith(made.body.data.key).get(`${REPORT}?domain_id=${made.body.data.id}`)
  assert.deepEqual([bound.status, bound.body.totals.attempts], [200, 0])
  const sender = await world.api.post('/api/v1/customer/api-keys', { name: 'sender', scopes: ['send'] })
  assert.equal((await world.apiWith(sender.body.data.key).get(REPORT)).status, 403)
  assert.equal((await world.api.get(`${REPORT}?timezone=Mars/Base`)).body.code, 'invalid_parameter')
})

test('a mail that is deferred and then accepted is two attempts at its provider', async () => {
  let asked = 0
  await using mx = await startReceiver({ rcpt: () => (++asked === 1 ? '451 4.7.1 greylisted' : '250 2.1.5 ok') })
  await using world = await startWorld({
    zones: { 'home.example': { MX: ['10 mx1.gmx.net'] }, 'mx1.gmx.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  await world.verifiedDomain('shop.example')
  const mail = { from: 'a@shop.example', to: 'jo@home.example', subject: 's', text: 't' }
  assert.equal((await world.api.post('/api/v1/send', mail)).status, 202)
  assert.equal((await counted(world, 1)).totals.providers[0].deferred, 1)
  world.clock.advance(3_600_000)
  const { providers } = (await counted(world, 2)).totals
  assert.deepEqual(
    [providers.length, providers[0].provider, providers[0].accepted, providers[0].deferred_rate],
    [1, 'gmx', 1, 0.5],
  )
})

test('a delivery over TLS counts in /metrics with its version', async () => {
  await using mx = await startReceiver({ tls: true })
  await using world = await startWorld({
    zones: { 'shop-a.example': { MX: ['10 aspmx.l.google.com'] }, 'aspmx.l.google.com': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  await world.verifiedDomain('shop.example')
  const mail = { from: 'a@shop.example', to: 'jo@shop-a.example', subject: 's', text: 't' }
  assert.equal((await world.api.post('/api/v1/send', mail)).status, 202)
  await counted(world, 1)
  const page = await (await fetch(`${world.url}/metrics`)).text()
  assert.match(page, /posthorn_deliveries_total\{provider="google",tls="TLSv1\.3"\} 1/)
})
