// Two accounts with the same data. Neither can find, read, change or count what the other has, through any route of the
// OpenAPI document or through the database, whose row level security is the second lock.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startWorld, type TestAccount, type World } from './world/world.ts'

const NO_ID = '0192f000-0000-7000-8000-00000000dead'
const CANARY = 'canary-of-the-other'
const MAIL = {
  from: `you@${CANARY}.example`,
  to: `someone@${CANARY}.example`,
  subject: CANARY,
  text: CANARY,
  tag: CANARY,
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly hasBody: boolean
  /** The names of its query parameters. */
  readonly queries: readonly string[]
}

let world: World
let other: TestAccount
let operations: readonly Operation[]
/** Ids of the other account, by the prefix of the path that takes them, the longest first. */
let ids: Readonly<Record<string, string>>

interface Described {
  readonly requestBody?: unknown
  readonly 'x-scope'?: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
}

before(async () => {
  world = await startWorld()
  other = await world.newAccount()
  const { body } = await world.api.get('/openapi.json')
  operations = Object.entries(body.paths as Record<string, Record<string, Described>>).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation['x-scope'] !== undefined && !path.endsWith('/stream'))
      .map(([method, { requestBody, parameters = [] }]) => ({
        method: method.toUpperCase(),
        path,
        hasBody: requestBody !== undefined,
        queries: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
      })),
  )
  ids = await furnish(other)
})
after(() => world[Symbol.asyncDispose]())

// With the id of its domain: a path with two ids gets the same for both.
const ADD_DMARC_REPORT = statement(
  `insert into dmarc_report (account_id, id, domain, organization, report_id, begins_at, ends_at, policy_domain, policy, messages,
     passed, quarantined, rejected, records, received_at, dkim)
   values ($1, $2, $3, $3, $3, now(), now(), $3, '{"testing":false}', 1, 1, 0, 0, '[]', now(), 'none')`,
)

async function furnish({ accountId, api, testApi }: TestAccount): Promise<Record<string, string>> {
  const made = async (path: string, body: object): Promise<string> => {
    const reply = await api.post(path, body)
    assert.equal(reply.status, 201, JSON.stringify(reply.body))
    return reply.body.data.id
  }
  /** The id of the first entry of a list, once there is one. */
  const once = async (path: string): Promise<string> => {
    await until(async () => (await api.get(path)).body.data.length > 0)
    return (await api.get(path)).body.data[0].id
  }
  const sent = await testApi.post('/api/v1/send', MAIL)
  const inbox = await once('/api/v1/inbox')
  await api.post('/api/v1/customer/suppressions', { email: `s@${CANARY}.example` })
  await api.post('/api/v1/customer/unsubscribes', { email: `u@${CANARY}.example` })
  const customer = '/api/v1/customer'
  // Nobody listens there: the delivery fails and stays in the log.
  const hook = { url: 'http://127.0.0.1:9/hook', events: ['*'], name: CANARY }
  const webhook = await made(`${customer}/webhooks`, hook)
  await api.post(`${customer}/webhooks/${webhook}/test`)
  const delivery = await once(`${customer}/webhooks/${webhook}/deliveries`)
  const domain = await made(`${customer}/domains`, { domain: `${CANARY}.example` })
  await world.rooms.database.system.execute(ADD_DMARC_REPORT, [accountId, domain, `${CANARY}.example`])
  return {
    [`${customer}/domains/test-readiness/`]: domain,
    [`${customer}/domains/`]: domain,
    [`${customer}/tracking-domains/`]: await made(`${customer}/tracking-domains`, { domain: `t.${CANARY}.example` }),
    [`${customer}/webhooks/deliveries/`]: delivery,
    [`${customer}/webhooks/`]: webhook,
    [`${customer}/api-keys/`]: await made(`${customer}/api-keys`, { name: CANARY }),
    [`${customer}/contacts/`]: await made(`${customer}/contacts`, {
      email: `c@${CANARY}.example`,
      double_opt_in: false,
    }),
    [`${customer}/erasures/`]: await made(`${customer}/erasures`, { email: `e@${CANARY}.example` }),
    [`${customer}/suppressions/`]: `s@${CANARY}.example`,
    [`${customer}/unsubscribes/`]: `u@${CANARY}.example`,
    '/api/v1/templates/': await made('/api/v1/templates', { name: CANARY, subject: CANARY, text: CANARY }),
    '/api/v1/emails/': sent.body.data.email_id,
    '/api/v1/inbox/': inbox,
  }
}

/** Bodies for the routes that need more than `{}`. */
const bodies = (): Readonly<Record<string, object>> => ({
  'PUT /api/v1/templates/{id}': { name: 'x', subject: 'x', text: 'x' },
  'PATCH /api/v1/emails/{id}': { scheduled_at: new Date(world.clock.now().getTime() + 3_600_000) },
  'POST /api/v1/customer/webhooks/{webhookId}/replay': { from: '2026-01-01T00:00:00Z', to: '2040-01-01T00:00:00Z' },
})

/** The other account's id for a path; fails for a path without one. */
function theirsFor(path: string): string {
  const v1 = path.replace(/^\/api\/(?!v1\/)/, '/api/v1/')
  const kind = Object.keys(ids).find((beginning) => v1.startsWith(beginning))
  return kind === undefined ? assert.fail(`furnish the other account with what ${path} takes`) : (ids[kind] ?? '')
}

/** Fills the path; `{version}` is a number, every other parameter gets the id. */
function filled(path: string, id: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'version' ? '1' : encodeURIComponent(id)))
}

async function ask(
  { method, path, hasBody }: Operation,
  id: string,
): Promise<{ status: number; code: string | null; text: string }> {
  const reply = await fetch(world.url + filled(path, id), {
    method,
    headers: { 'x-api-key': world.account.apiKey, ...(hasBody && { 'content-type': 'application/json' }) },
    ...(hasBody && { body: JSON.stringify(bodies()[`${method} ${path}`] ?? {}) }),
  })
  const text = (await reply.text()).replaceAll(/"request_id":"[^"]*"/g, '')
  const isJson = reply.headers.get('content-type')?.includes('json') === true
  return { status: reply.status, code: isJson ? (JSON.parse(text.replace(',}', '}')).code ?? null) : null, text }
}

/** Paths whose answers follow the log with a delay. */
const FOLLOWS = /\/(?:stats|usage|limits|health-score|test-readiness|deliveries)(?:\/|$)/
/** Fields that change by themselves: when a key was used, how often a webhook was tried. */
const MOVES = /"(?:last_used_at|last_used_ip|last_delivery_at|last_delivery_status|consecutive_failures)":[^,}]*/g

/** Everything that the other account has created, as its owner sees it, by path. */
async function belongings(): Promise<ReadonlyMap<string, string>> {
  const reads = operations.filter(
    ({ method, path }) => method === 'GET' && path.startsWith('/api/v1/') && !FOLLOWS.test(path),
  )
  const seen = new Map<string, string>()
  for (const { path } of reads) {
    const { status, body } = await other.api.get(path.includes('{') ? filled(path, theirsFor(path)) : path)
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
    seen.set(path, JSON.stringify(body).replaceAll(MOVES, '0'))
  }
  assert.ok(seen.size >= 20, 'a check that checked nothing fails')
  return seen
}

test("another account's id is answered like a nonexistent one, on every route that takes one", async () => {
  const withId = operations.filter(({ path }) => path.includes('{'))
  assert.ok(withId.length >= 40, 'a check that checked nothing fails')
  const email = `/api/v1/emails/${theirsFor('/api/v1/emails/')}`
  await until(async () => (await other.api.get(email)).body.data.status === 'delivered')
  const before = await belongings()
  const nowhere = await ask({ method: 'GET', path: '/api/v1/nowhere', hasBody: false, queries: [] }, NO_ID)
  for (const operation of withId) {
    const theirs = theirsFor(operation.path)
    const named = `${operation.method} ${operation.path}`
    const found = await ask(operation, theirs)
    const nobodys = await ask(operation, theirs.includes('@') ? 'nobody@nowhere.example' : NO_ID)
    assert.deepEqual([found.status, found.code], [404, 'not_found'], `${named}: ${found.text}`)
    assert.deepEqual(found, nobodys, named)
    assert.deepEqual(found, nowhere, `${named}, as a path that is none`)
  }
  for (const [path, now] of await belongings()) assert.equal(now, before.get(path), `${path} has changed`)
})

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1_200; turn++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('not within a minute')
}

test("a list filtered by another account's id is as empty as one filtered by a nonexistent id", async () => {
  const filters: [name: string, theirs: string, nobodys: string][] = [
    ['email_id', theirsFor('/api/v1/emails/'), NO_ID],
    ['domain_id', theirsFor('/api/v1/customer/domains/'), NO_ID],
    ['recipient', MAIL.to, 'nobody@nowhere.example'],
    ['to', MAIL.to, 'nobody@nowhere.example'],
    ['tag', CANARY, 'nothing'],
    ['search', CANARY, 'nothing'],
    ['subject', CANARY, 'nothing'],
  ]
  let asked = 0
  for (const { method, path, queries } of operations) {
    if (method !== 'GET' || path.includes('{')) continue
    for (const [name, theirs, nobodys] of filters) {
      if (!queries.includes(name)) continue
      asked++
      const [found, empty] = await Promise.all(
        [theirs, nobodys].map((value) => world.api.get(`${path}?${name}=${encodeURIComponent(value)}`)),
      )
      const what = `${path}?${name}`
      assert.deepEqual([found?.status, found?.body.data], [empty?.status, empty?.body.data], what)
      assert.deepEqual(found?.body.pagination, empty?.body.pagination, what)
    }
  }
  assert.ok(asked >= 12, `${asked}: a check that checked nothing fails`)
})

test("a body with another account's id is answered like one with a nonexistent id", async () => {
  const customer = '/api/v1/customer'
  const own = await world.api.post(`${customer}/domains`, { domain: 'own.example' })
  const hook = { url: 'http://127.0.0.1:9/hook', events: ['*'] }
  const cases: [method: 'post' | 'patch', path: string, body: (id: string) => object, theirs: string][] = [
    ['post', '/api/v1/send', (id) => ({ ...MAIL, template_id: id }), theirsFor('/api/v1/templates/')],
    ['post', `${customer}/api-keys`, (id) => ({ name: 'x', domain_ids: [id] }), theirsFor(`${customer}/domains/`)],
    ['post', `${customer}/webhooks`, (id) => ({ ...hook, domain_ids: [id] }), theirsFor(`${customer}/domains/`)],
    [
      'patch',
      `${customer}/domains/${own.body.data.id}`,
      (id) => ({ tracking_domain_id: id }),
      theirsFor(`${customer}/tracking-domains/`),
    ],
  ]
  for (const [method, path, body, theirs] of cases) {
    const [found, nobodys] = [await world.api[method](path, body(theirs)), await world.api[method](path, body(NO_ID))]
    assert.deepEqual([found.status, found.body.code], [422, 'validation_error'], path)
    assert.deepEqual(found.body.details, nobodys.body.details, path)
  }
  const report = { recipient: MAIL.to, type: 'hard' }
  for (const where of ['bounces', 'complaints']) {
    const reply = await world.api.post(`/api/v1/inbound/${where}`, {
      ...report,
      email_id: theirsFor('/api/v1/emails/'),
    })
    assert.deepEqual([reply.status, reply.body.data?.matched], [202, false], JSON.stringify(reply.body))
  }
  const hit = await other.api.get(`${customer}/bounces`)
  assert.equal(hit.body.pagination.total, 0)
})

test('nothing that is read or deleted with a key shows data of the other account', async () => {
  for (const operation of operations.filter(({ method }) => method === 'GET' || method === 'DELETE')) {
    for (const id of [`s@${CANARY}.example`, `u@${CANARY}.example`]) {
      const { text } = await ask(operation, operation.path.includes('{email}') ? id : NO_ID)
      assert.ok(!text.replaceAll(id, '').includes(CANARY), `${operation.method} ${operation.path}: ${text}`)
    }
  }
  for (const where of [
    `/api/v1/emails?search=${CANARY}`,
    `/api/v1/emails?tag=${CANARY}`,
    `/api/v1/inbox?subject=${CANARY}`,
    `/api/v1/customer/suppressions?search=${CANARY}`,
    `/api/v1/customer/unsubscribes?search=${CANARY}`,
    `/api/v1/customer/contacts?search=${CANARY}`,
  ]) {
    const { status, body } = await world.api.get(where)
    assert.deepEqual([status, body.pagination.total], [200, 0], where)
  }
  assert.equal((await other.api.get(`/api/v1/emails?search=${CANARY}`)).body.pagination.total, 1)
  assert.equal((await other.api.get('/api/v1/customer/suppressions')).body.pagination.total, 1)
  assert.equal((await other.api.get('/api/v1/customer/unsubscribes')).body.pagination.total, 1)
})

test('each account has its own lists, idempotency keys and domain names', async () => {
  const key = { 'idempotency-key': 'the same' }
  const first = await world.account.testApi.post('/api/v1/send', MAIL, key)
  const second = await other.testApi.post('/api/v1/send', { ...MAIL, subject: 'another body' }, key)
  assert.deepEqual([first.status, second.status], [202, 202])
  assert.notEqual(first.body.data.email_id, second.body.data.email_id)
  const suppressed = await world.account.testApi.post('/api/v1/send', { ...MAIL, to: `s@${CANARY}.example` })
  assert.equal(suppressed.body.data?.recipients[0].status, 'queued', JSON.stringify(suppressed.body))
  const same = await world.api.post('/api/v1/customer/domains', { domain: `${CANARY}.example` })
  assert.equal(same.status, 201)
  assert.notEqual(same.body.data.id, theirsFor('/api/v1/customer/domains/'))
  const bound = await world.api.post('/api/v1/customer/api-keys', {
    name: 'x',
    domain_ids: [theirsFor('/api/v1/customer/domains/')],
  })
  assert.deepEqual([bound.status, bound.body.code], [422, 'validation_error'])
})

test('fields that the service sets itself are refused in every body', async () => {
  const bodies = operations.filter(
    ({ path, hasBody }) => hasBody && path.startsWith('/api/v1/') && !/\/(batch|verify)$/.test(path),
  )
  for (const { method, path } of bodies) {
    for (const field of ['account_id', 'plan', 'is_admin', 'verified_at', 'id']) {
      const call = { POST: world.api.post, PUT: world.api.put, PATCH: world.api.patch }[method]
      const reply = await call?.(filled(path, NO_ID), { [field]: 'x' })
      assert.deepEqual([reply?.status, reply?.body.code], [422, 'validation_error'], `${method} ${path} ${field}`)
      const named = reply?.body.details.fields.map((fault: { field: string }) => fault.field)
      assert.ok(named.includes(field), `${method} ${path}: ${named}`)
    }
  }
})

interface Table {
  readonly name: string
  readonly relrowsecurity: boolean
  readonly relforcerowsecurity: boolean
}

test('each table with an account has forced row level security, and no setting means no rows', async () => {
  const { database } = world.rooms
  const tables = await database.system.query<Table>(
    statement(`select c.oid::regclass::text as name, relrowsecurity, relforcerowsecurity from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
     where c.relkind in ('r', 'p') and c.relnamespace = 'posthorn'::regnamespace order by 1`),
  )
  assert.ok(tables.length > 10, 'a check that checked nothing fails')
  const open = tables.filter(({ relrowsecurity, relforcerowsecurity }) => !(relrowsecurity && relforcerowsecurity))
  assert.deepEqual(
    open.map(({ name }) => name),
    [],
  )
  const all = await database.system.query<{ name: string; child: boolean; may: boolean }>(
    statement(`select c.oid::regclass::text as name, exists (select from pg_inherits where inhrelid = c.oid) as child,
       has_table_privilege('posthorn_tenant', c.oid, 'select, insert, update, delete') as may
     from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'posthorn'::regnamespace`),
  )
  assert.ok(all.some(({ child }) => child))
  assert.deepEqual(
    all.filter(({ child, may }) => child && may).map(({ name }) => name),
    [],
  )
  const names = new Set(tables.map(({ name }) => name))
  const readable = all.filter(({ name, may }) => may && names.has(name))
  assert.ok(readable.length > 5, 'a check that checked nothing fails')
  for (const { name } of readable) {
    const count = statement(`select count(*)::int as n from ${name}`)
    const counted = await database.transaction(async (db) => {
      await db.execute(statement('set local role posthorn_tenant'))
      return db.one<{ n: number }>(count).catch((error: Error) => error.message)
    })
    if (typeof counted === 'string') assert.match(counted, /permission denied/, name)
    else assert.equal(counted?.n, 0, name)
  }
})

function statement(text: string): { name: string; text: string } {
  return { name: '', text }
}
