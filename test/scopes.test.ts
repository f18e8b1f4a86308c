// Every route with every scope, from the OpenAPI document of the composed service: a new route is tested here without another
// line.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SCOPES } from '../src/modules/accounts/index.ts'
import { startWorld, type World } from './world/world.ts'

interface Route {
  readonly method: string
  /** As written in the document. */
  readonly template: string
  /** With an id that does not exist. */
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
        template: path,
        path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'email' ? NOBODY : NO_ID)),
        scope: operation['x-scope'] ?? null,
      })),
  )
})
after(() => world[Symbol.asyncDispose]())

/** Reads only the head: a stream of events would never end. */
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

test('the document names the scope of every route, and each is in the contract', () => {
  assert.ok(routes.length >= MIN_ROUTES, `${routes.length} routes: a check that checked nothing fails`)
  for (const { method, path, scope } of routes) {
    if (scope === null) continue
    assert.ok((SCOPES as readonly string[]).includes(scope) && scope !== 'full', `${method} ${path} asks for ${scope}`)
  }
})

/** Routes that need no key. A route that needs none and is not listed here is a mistake. */
const PUBLIC = [
  'GET /',
  'GET /inbox',
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/{page}',
  'GET /.well-known/acme-challenge/{token}',
  'GET /track/o/{token}',
  'GET /track/c/{token}',
  'GET /track/u/{token}',
  'POST /track/u/{token}',
  'GET /confirm/{token}',
  'POST /confirm/{token}',
]
/** These need a signed-in person instead of a key. */
const FOR_PEOPLE = /^\w+ \/api\/v1\/(?:sessions?|users|setup|operator)(?:\/|$)/

// The scope of a path in section 3 of the contract: the longest matching prefix. `X` is read for GET, else write.
const CONTRACT: readonly (readonly [beginning: string, scope: string])[] = [
  ['/address/', 'validation'],
  ['/content-score', 'content'],
  ['/content-events', 'content'],
  ['/customer/api-keys', 'X:api_keys'],
  ['/customer/bounces', 'bounces:read'],
  ['/customer/contacts', 'X:contacts'],
  ['/customer/erasures', 'X:contacts'],
  ['/customer/domains', 'X:domains'],
  ['/customer/domains/test-readiness/', 'stats:read'],
  ['/customer/health-score', 'stats:read'],
  ['/customer/limits', 'stats:read'],
  ['/customer/profile', 'X:profile'],
  ['/customer/suppressions', 'X:suppressions'],
  ['/customer/tracking-domains', 'X:tracking_domains'],
  ['/customer/unsubscribes', 'X:unsubscribes'],
  ['/customer/usage', 'stats:read'],
  ['/customer/webhooks', 'X:webhooks'],
  ['/emails', 'emails:read'],
  ['/events', 'stats:read'],
  ['/inbound/', 'bounces:write'],
  ['/inbox', 'X:emails'],
  ['/risk/', 'risk'],
  ['/send', 'send'],
  ['/smtp-credentials', 'X:smtp'],
  ['/stats/', 'stats:read'],
  ['/templates', 'X:templates'],
]
/** Routes whose scope does not follow from prefix and method. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'PATCH /emails/{id}': 'send',
  'POST /emails/cancel': 'send',
  'POST /emails/{id}/cancel': 'send',
  'POST /emails/{id}/retry': 'send',
  'POST /templates/preview': 'templates:read',
  'POST /templates/{id}/preview': 'templates:read',
}

test('every route of the service is in the document with the scope of the contract, or is public on purpose', () => {
  // Endpoints of other vendors are documented by those vendors.
  const own = world.rooms.endpoints.filter(({ foreign }) => foreign === undefined)
  const served = own.flatMap(({ method, path, legacyPath }) =>
    [path, ...(legacyPath === undefined ? [] : [legacyPath])].map((one) => `${method} ${one}`),
  )
  const documented = routes.map(({ method, template }) => `${method} ${template}`)
  assert.deepEqual(
    served.filter((one) => !documented.includes(one)),
    [],
  )
  const open = routes.filter(({ scope }) => scope === null).map(({ method, template }) => `${method} ${template}`)
  assert.deepEqual(
    open.filter((one) => !PUBLIC.includes(one) && !FOR_PEOPLE.test(one)),
    [],
  )
  for (const { method, template, scope } of routes) {
    if (scope === null || !template.startsWith('/api/')) continue
    const path = template.replace(/^\/api(?:\/v1)?/, '')
    const [best] = CONTRACT.filter(([beginning]) => path.startsWith(beginning)).toSorted(
      ([a], [b]) => b.length - a.length,
    )
    const named = `${method} ${path}`
    assert.ok(best, `${named} is no path of the contract`)
    const expected = EXCEPTIONS[named] ?? best[1].replace(/^X:(.+)/, `$1:${method === 'GET' ? 'read' : 'write'}`)
    assert.equal(scope, expected, named)
  }
})

test('every route with a scope refuses requests without a valid key', async () => {
  for (const route of routes) {
    if (route.scope === null) continue
    const named = `${route.method} ${route.path}`
    assert.deepEqual(await ask(route, null), { status: 401, code: 'missing_api_key' }, named)
    assert.deepEqual(await ask(route, 'ph_live_nonsense'), { status: 401, code: 'invalid_api_key' }, named)
  }
})

test('every route admits its own scope and full, and no other', async () => {
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

test('routes that need a person accept no key', async () => {
  for (const { method, template, scope } of routes) {
    if (scope !== null || !FOR_PEOPLE.test(`${method} ${template}`)) continue
    const path = template.replaceAll(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000')
    const reply = await fetch(`${world.url}${path}`, {
      method,
      headers: {
        'x-api-key': world.account.apiKey,
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
      },
      ...(method !== 'GET' && { body: '{}' }),
    })
    assert.ok([401, 422].includes(reply.status), `${method} ${template}: ${reply.status}`)
  }
})
