// /metrics has the measured values and is hidden from those who may not read it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { METRICS } from '../src/composition/metrics.ts'
import { CONSOLE, suspend } from '../src/modules/accounts/index.ts'
import { holdDestination } from '../src/modules/outbox/destinations.ts'
import { startWorld } from './world/world.ts'

function figure(page: string, series: string): number | null {
  const line = page.split('\n').find((text) => text.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length + 1))
}

test('requests, acceptances, attempts and the queue are counted where Prometheus reads them', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const mail = { from: 'a@example.com', to: ['b@gmail.com', 'c@example.net'], subject: 's', text: 't' }
  const { body: sent } = await world.account.testApi.post('/api/v1/send', mail)
  const id = sent.data.email_id
  assert.ok(id)
  for (let tries = 0; tries < 1_200; tries++) {
    const { body: story } = await world.account.testApi.get(`/api/v1/emails/${id}`)
    if (story.data.status === 'delivered') break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const later = { ...mail, scheduled_at: new Date(world.clock.now().getTime() + 3_600_000).toISOString() }
  assert.equal((await world.account.testApi.post('/api/v1/send', later)).status, 202)
  world.clock.advance(60_000)
  const answer = await fetch(`${world.url}/metrics`)
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  const page = await answer.text()
  for (const { name } of Object.values(METRICS)) assert.ok(page.includes(`# HELP ${name} `), `${name} is on the page`)
  assert.equal(figure(page, 'posthorn_emails_accepted_total'), 4)
  assert.equal(figure(page, 'posthorn_accept_seconds_count'), 2)
  assert.equal(figure(page, 'posthorn_queue_emails{state="waiting"}'), 2)
  assert.equal(figure(page, 'posthorn_queue_emails{state="ready"}'), 0)
  assert.ok((figure(page, 'posthorn_attempts_total{outcome="delivered",provider="sandbox"}') ?? 0) >= 1)
  assert.ok(!page.includes('provider="gmail"'), 'what stays on this machine is counted for nobody else')
  assert.equal(figure(page, 'posthorn_http_request_seconds_count{method="POST",route="/api/v1/send",status="202"}'), 2)
  assert.equal(figure(page, 'posthorn_database_up'), 1)
  assert.ok(page.includes('nodejs_eventloop_lag_p99_seconds'))
})

test('requests that come through a proxy do not see metrics unless they bear the token', async () => {
  await using world = await startWorld({ settings: { POSTHORN_METRICS_TOKEN: 'let-prometheus-in' } })
  const ask = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${world.url}/metrics`, { headers })).status
  assert.equal(await ask({}), 200)
  assert.equal(await ask({ 'x-forwarded-for': '203.0.113.9' }), 404)
  assert.equal(await ask({ forwarded: 'for=203.0.113.9' }), 404)
  assert.equal(await ask({ 'x-forwarded-for': '127.0.0.1' }), 404)
  assert.equal(await ask({ 'x-forwarded-for': '203.0.113.9', authorization: 'Bearer let-prometheus-in' }), 200)
  assert.equal(await ask({ 'x-forwarded-for': '203.0.113.9', authorization: 'Bearer let-prometheus-out' }), 404)
})

test('when no token is configured, no bearer is let in', async () => {
  await using world = await startWorld()
  const headers = { 'x-forwarded-for': '203.0.113.9', authorization: 'Bearer null' }
  assert.equal((await fetch(`${world.url}/metrics`, { headers })).status, 404)
})

test('mail that the operator holds back is counted and is not overdue', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api', POSTHORN_DELIVERY: 'direct' } })
  await world.verifiedDomain('sender.example')
  const other = await world.newAccount('Other')
  await world.verifiedDomain('other.example', other)
  const mail = { subject: 's', text: 't' }
  await world.api.post('/api/v1/send', { ...mail, from: 'a@sender.example', to: 'b@paused.example' })
  await other.api.post('/api/v1/send', { ...mail, from: 'a@other.example', to: 'b@example.net' })
  await holdDestination({ ...world.rooms.ground, ...world.rooms.store }, CONSOLE, 'paused.example', true)
  const ready = async (): Promise<readonly (number | null)[]> => {
    world.clock.advance(60_000)
    const page = await (await fetch(`${world.url}/metrics`)).text()
    const of = (series: string) => figure(page, `${series}{state="ready"}`)
    return [of('posthorn_queue_emails'), of('posthorn_queue_oldest_seconds')]
  }
  const [count, age] = await ready()
  assert.equal(count, 2)
  assert.ok((age ?? 0) >= 60, 'the mail of the other account waits for a delivery process')
  await suspend(world.operator, other.accountId)
  for (let tries = 0; tries < 100 && (await ready())[1] !== 0; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.deepEqual(await ready(), [2, 0])
})
