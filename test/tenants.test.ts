// Two accounts with the same data. Neither can find, read, change or count what the other has: not through any route of
// the OpenAPI document, and not through the database, whose row level security is the second lock.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startWorld, type TestAccount, type World } from './world.ts'

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
}

let world: World
let other: TestAccount
let operations: readonly Operation[]
/** What the other account has, by the beginning of the paths that take its id. */
let ids: Readonly<Record<string, string>>

before(async () => {
  world = await startWorld()
  other = await world.newAccount()
  const { body } = await world.api.get('/openapi.json')
  operations = Object.entries(
    body.paths as Record<string, Record<string, { requestBody?: unknown; 'x-scope'?: string }>>,
  ).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation['x-scope'] !== undefined && !path.endsWith('/stream'))
      .map(([method, { requestBody }]) => ({ method: method.toUpperCase(), path, hasBody: requestBody !== undefined })),
  )
  ids = await furnish(other)
})
after(() => world[Symbol.asyncDispose]())

async function furnish({ api, testApi }: TestAccount): Promise<Record<string, string>> {
  const made = async (path: string, body: object): Promise<string> => {
    const reply = await api.post(path, body)
    assert.equal(reply.status, 201, JSON.stringify(reply.body))
    return reply.body.data.id
  }
  const sent = await testApi.post('/api/v1/send', MAIL)
  await world.rooms.delivery?.turn()
  const inbox = await api.get('/api/v1/inbox')
  await api.post('/api/v1/customer/suppressions', { email: `s@${CANARY}.example` })
  await api.post('/api/v1/customer/unsubscribes', { email: `u@${CANARY}.example` })
  return {
    domains: await made('/api/v1/customer/domains', { domain: `${CANARY}.example` }),
    templates: await made('/api/v1/templates', { name: CANARY, subject: CANARY, text: CANARY }),
    'api-keys': await made('/api/v1/customer/api-keys', { name: CANARY }),
    emails: sent.body.data.email_id,
    inbox: inbox.body.data[0].id,
  }
}

async function ask({ method, path, hasBody }: Operation, id: string): Promise<{ status: number; text: string }> {
  const reply = await fetch(world.url + path.replaceAll(/\{\w+\}/g, encodeURIComponent(id)), {
    method,
    headers: { 'x-api-key': world.account.apiKey, ...(hasBody && { 'content-type': 'application/json' }) },
    ...(hasBody && { body: '{}' }),
  })
  const text = (await reply.text()).replaceAll(/"request_id":"[^"]*"/g, '')
  return { status: reply.status, text }
}

test("another account's id is answered like one that nobody has", async () => {
  const withId = operations.filter(({ path }) => path.includes('{id}'))
  assert.ok(withId.length >= 15, 'a check that checked nothing fails')
  for (const operation of withId) {
    const kind = Object.keys(ids).find((one) => operation.path.includes(`/${one}/`))
    if (kind === undefined) continue
    const theirs = await ask(operation, ids[kind] ?? '')
    const nobodys = await ask(operation, NO_ID)
    const what = `${operation.method} ${operation.path}: ${theirs.status} ${theirs.text}`
    assert.deepEqual(theirs, nobodys, what)
    // A body that lacks what is required is told so before anything is looked up.
    assert.ok(theirs.status === 404 || (operation.hasBody && theirs.status === 422), what)
  }
  for (const [kind, id] of Object.entries(ids)) {
    const path = kind === 'domains' || kind === 'api-keys' ? `/api/v1/customer/${kind}/${id}` : `/api/v1/${kind}/${id}`
    assert.equal((await other.api.get(path)).status, 200, `${path} is still there`)
  }
})

test('whatever is read or deleted with a key shows nothing of the other account', async () => {
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
  ]) {
    const { status, body } = await world.api.get(where)
    assert.deepEqual([status, body.pagination.total], [200, 0], where)
  }
  assert.equal((await other.api.get(`/api/v1/emails?search=${CANARY}`)).body.pagination.total, 1)
  assert.equal((await other.api.get('/api/v1/customer/suppressions')).body.pagination.total, 1)
  assert.equal((await other.api.get('/api/v1/customer/unsubscribes')).body.pagination.total, 1)
})

test('lists, idempotency keys and domain names are each account’s own', async () => {
  const key = { 'idempotency-key': 'the same' }
  const first = await world.account.testApi.post('/api/v1/send', MAIL, key)
  const second = await other.testApi.post('/api/v1/send', { ...MAIL, subject: 'another body' }, key)
  assert.deepEqual([first.status, second.status], [202, 202])
  assert.notEqual(first.body.data.email_id, second.body.data.email_id)
  const suppressed = await world.account.testApi.post('/api/v1/send', { ...MAIL, to: `s@${CANARY}.example` })
  assert.equal(suppressed.body.data?.recipients[0].status, 'queued', JSON.stringify(suppressed.body))
  const same = await world.api.post('/api/v1/customer/domains', { domain: `${CANARY}.example` })
  assert.equal(same.status, 201)
  assert.notEqual(same.body.data.id, ids['domains'])
  const bound = await world.api.post('/api/v1/customer/api-keys', { name: 'x', domain_ids: [ids['domains']] })
  assert.deepEqual([bound.status, bound.body.code], [422, 'validation_error'])
})

test('fields that are ours to set are refused in every body', async () => {
  const bodies = operations.filter(
    ({ path, hasBody }) => hasBody && path.startsWith('/api/v1/') && !/\/(batch|verify)$/.test(path),
  )
  for (const { method, path } of bodies) {
    for (const field of ['account_id', 'plan', 'is_admin', 'verified_at', 'id']) {
      const call = { POST: world.api.post, PUT: world.api.put, PATCH: world.api.patch }[method]
      const reply = await call?.(path.replaceAll(/\{\w+\}/g, NO_ID), { [field]: 'x' })
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

test('each table with an account is under forced row level security, and no setting means no rows', async () => {
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
