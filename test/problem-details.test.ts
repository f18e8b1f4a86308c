// Errors as problem details (RFC 9457), for clients that ask for them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from './world/world.ts'

const PROBLEM = 'application/problem+json'
const JSON_TYPE = 'application/json; charset=utf-8'

test('an error has the members of a problem beside its own where the client accepts that type', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const key = { 'x-api-key': world.account.apiKey }
  const json = { ...key, 'content-type': 'application/json' }
  const faults: readonly (readonly [
    method: string,
    path: string,
    headers: Record<string, string>,
    status: number,
    title: string,
  ])[] = [
    ['GET', '/api/v1/emails', {}, 401, 'Unauthorized'],
    ['GET', '/api/v1/nothing?key=s3cret', key, 404, 'Not Found'],
    ['DELETE', '/api/v1/send', key, 405, 'Method Not Allowed'],
    ['GET', '/api/v1/emails?limit=0', key, 400, 'Bad Request'],
    ['POST', '/api/v1/send', json, 422, 'Unprocessable Entity'],
  ]
  for (const [method, path, headers, status, title] of faults) {
    const ask = (accept: string): Promise<Response> =>
      fetch(world.url + path, { method, headers: { ...headers, accept }, ...(method === 'POST' && { body: '{}' }) })
    for (const accept of [PROBLEM, `application/json, ${PROBLEM.toUpperCase()};q=0.9`]) {
      const reply = await ask(accept)
      assert.deepEqual([reply.status, reply.headers.get('content-type')], [status, PROBLEM], path)
      const {
        error,
        code,
        details,
        request_id: requestId,
        ...problem
      } = (await reply.json()) as Record<string, unknown>
      const instance = path.split('?')[0]
      assert.deepEqual(problem, { type: 'about:blank', title, status, detail: error, instance })
      assert.ok(typeof code === 'string' && typeof details === 'object')
      assert.equal(requestId, reply.headers.get('x-request-id'))
    }
    for (const accept of ['*/*', 'application/json', `${PROBLEM};q=0, */*`, 'application/*']) {
      const reply = await ask(accept)
      assert.deepEqual([reply.status, reply.headers.get('content-type')], [status, JSON_TYPE], accept)
      assert.deepEqual(Object.keys((await reply.json()) as object).sort(), ['code', 'details', 'error', 'request_id'])
    }
  }
  const vendor = await fetch(`${world.url}/email`, { method: 'POST', headers: { accept: PROBLEM }, body: '{}' })
  assert.deepEqual(
    [vendor.headers.get('content-type'), 'ErrorCode' in ((await vendor.json()) as object)],
    [JSON_TYPE, true],
  )
  const good = await fetch(`${world.url}/api/v1/emails`, { headers: { ...key, accept: PROBLEM } })
  assert.deepEqual([good.status, good.headers.get('content-type')], [200, JSON_TYPE])
})
