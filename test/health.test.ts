// Every process reports whether it is healthy, whatever its roles.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from './world/world.ts'

test('a process without a web role serves the pages of health and metrics, and no other', async () => {
  const settings = { POSTHORN_ROLES: 'delivery', POSTHORN_METRICS_TOKEN: 'let-prometheus-in' }
  await using world = await startWorld({ settings })
  const ask = async (path: string, init: RequestInit = {}): Promise<{ status: number; text: string }> => {
    const reply = await fetch(world.url + path, init)
    assert.ok(reply.headers.get('x-request-id'))
    return { status: reply.status, text: await reply.text() }
  }
  assert.equal((await ask('/healthz')).status, 200)
  assert.deepEqual(await ask('/readyz'), { status: 200, text: '{"status":"ready","roles":["delivery"]}' })
  assert.match((await ask('/metrics')).text, /^posthorn_ready 1$/m)
  const forwarded = { 'x-forwarded-for': '203.0.113.9' }
  assert.equal((await ask('/metrics', { headers: forwarded })).status, 404)
  const authorization = 'Bearer let-prometheus-in'
  assert.equal((await ask('/metrics', { headers: { ...forwarded, authorization } })).status, 200)
  for (const path of ['/', '/docs', '/openapi.json', '/api/v1/emails', '/track/o/x', '/inbox']) {
    const headers = { 'x-api-key': world.account.apiKey }
    const { status, text } = await ask(path, { headers })
    assert.deepEqual([status, JSON.parse(text).code], [404, 'not_found'], path)
  }
  assert.equal((await ask('/healthz', { method: 'POST' })).status, 405)
})

test('a process that is not ready says whether the roles or the database are the cause', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'delivery' } })
  const ready = async () => {
    const { status, headers, body } = await world.api.get('/readyz')
    return [status, headers.get('retry-after'), body.code, body.error, body.details]
  }
  const told = (error: string, missing: string) => [503, '5', 'service_unavailable', error, { missing }]
  Object.assign(world.rooms, { isUp: false })
  assert.deepEqual(await ready(), told('Not every role is up', 'roles'))
  Object.assign(world.rooms, { isUp: true })
  Object.assign(world.rooms.database, { ping: () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1:5432')) })
  assert.deepEqual(await ready(), told('The database does not answer', 'database'))
})

test('a process that only serves links answers these, and nothing of the API or the dashboard', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'tracking' } })
  const ask = async (path: string, method = 'GET'): Promise<number> =>
    (await fetch(world.url + path, { method, headers: { 'x-api-key': world.account.apiKey } })).status
  for (const path of ['/healthz', '/readyz', '/metrics', '/track/o/x']) assert.equal(await ask(path), 200, path)
  // These pages answer themselves: the token is unknown.
  for (const path of ['/track/c/x', '/track/u/x', '/confirm/x']) {
    const page = await fetch(world.url + path)
    assert.deepEqual([page.status, page.headers.get('content-type')], [404, 'text/html; charset=utf-8'], path)
  }
  for (const path of ['/', '/docs', '/inbox', '/openapi.json', '/api/v1/emails', '/api/v1/operator/accounts'])
    assert.equal(await ask(path), 404, path)
  for (const path of ['/api/v1/send', '/api/v1/session']) assert.equal(await ask(path, 'POST'), 404, path)
})

test('where the port is taken, a process without a web role runs without these pages, and any other does not start', async () => {
  await using world = await startWorld()
  const taken = { POSTHORN_HTTP_PORT: new URL(world.url).port }
  await using other = await startWorld({ settings: { ...taken, POSTHORN_ROLES: 'delivery' } })
  assert.equal(other.rooms.isUp, true)
  assert.equal((await fetch(`${world.url}/readyz`)).status, 200)
  await assert.rejects(startWorld({ settings: { ...taken, POSTHORN_ROLES: 'tracking' } }), (error: Error) => {
    assert.match(error.message, /^http did not start \(POSTHORN_HTTP_PORT, /)
    assert.equal((error.cause as NodeJS.ErrnoException).code, 'EADDRINUSE')
    return true
  })
})
