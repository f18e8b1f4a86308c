// Every route with every scope, from the OpenAPI document of the service as it is composed: a route that is added is
// tested here without a line more.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SCOPES } from '../src/modules/accounts/index.ts'
import { startWorld, type World } from './world.ts'

interface Route {
  readonly method: string
  readonly path: string
  /** Null: public. */
  readonly scope: string | null
}

const NO_ID = '0192f000-0000-7000-8000-00000000dead'
const NOBODY = 'nobody%40example.com'
const MIN_ROUTES = 20

let world: World
let routes: readonly Route[]

before(async () => {
  world = await startWorld()
  const { body } = await world.api.get('/openapi.json')
  routes = Object.entries(body.paths as Record<string, Record<string, { 'x-scope'?: string }>>).flatMap(
    ([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'email' ? NOBODY : NO_ID)),
        scope: operation['x-scope'] ?? null,
      })),
  )
})
after(() => world[Symbol.asyncDispose]())

/** Reads no further than the head: a stream of events would never end. */
async function ask({ method, path }: Route, key: string | null): Promise<{ status: number; code: string | null }> {
  const reply = await fetch(world.url + path, {
    method,
    headers: key === null ? {} : { 'x-api-key': key },
    redirect: 'manual',
  })
  if (reply.status < 400) {
    await reply.body?.cancel()
    return { status: reply.status, code: null }
  }
  const text = await reply.text()
  return { status: reply.status, code: JSON.parse(text).code }
}

test('the document names the scope of every route, and each is one of the contract', () => {
  assert.ok(routes.length >= MIN_ROUTES, `${routes.length} routes: a check that checked nothing fails`)
  for (const { method, path, scope } of routes) {
    if (scope === null) continue
    assert.ok((SCOPES as readonly string[]).includes(scope) && scope !== 'full', `${method} ${path} asks for ${scope}`)
  }
})

test('every route that asks for a scope refuses whoever has no key, or none of ours', async () => {
  for (const route of routes) {
    if (route.scope === null) continue
    const named = `${route.method} ${route.path}`
    assert.deepEqual(await ask(route, null), { status: 401, code: 'missing_api_key' }, named)
    assert.deepEqual(await ask(route, 'ph_live_nonsense'), { status: 401, code: 'invalid_api_key' }, named)
  }
})

test('every route opens to its own scope and to full, and to no other', async () => {
  for (const scope of SCOPES) {
    const made = await world.api.post('/api/v1/customer/api-keys', { name: scope, scopes: [scope] })
    assert.equal(made.status, 201)
    await Promise.all(
      routes.map(async (route) => {
        if (route.scope === null) return
        const { status, code } = await ask(route, made.body.data.key)
        const named = `${route.method} ${route.path} with ${scope}: ${status} ${code}`
        assert.notEqual(status, 401, named)
        assert.ok(status < 500, named)
        assert.equal(code === 'insufficient_scope', scope !== 'full' && scope !== route.scope, named)
      }),
    )
  }
})
