import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { freshDb, type TestDatabase } from '../../../test/world/database.ts'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { connect, type Database, statement } from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import { type Gate, type HttpServer, httpServer } from '../../platform/http.ts'
import { systemIds } from '../../platform/ids.ts'
import { createLogger } from '../../platform/log.ts'
import { ensureEventPartitions } from '../events/index.ts'
import { mayWeSend, suppress, suppressionRoutes } from './index.ts'

let now = new Date('2026-03-01T12:00:00Z')
const clock: Clock = { ...systemClock(), now: () => now }
const ids = systemIds()
const V1 = '/api/v1/customer'

let store: TestDatabase
let database: Database
let server: HttpServer

/** The key is the account's id; a key that ends in `!reads` may only read. */
const gate: Gate = {
  admit: async ({ apiKeyHeader }, { scope }) => {
    if (typeof apiKeyHeader !== 'string') throw new ApiError(401, 'missing_api_key', 'No key')
    const [accountId = '', reads] = apiKeyHeader.split('!')
    if (reads !== undefined && !scope.endsWith(':read')) throw new ApiError(403, 'insufficient_scope', 'No')
    return { accountId, keyId: ids.next(), mode: 'live', scopes: ['full'], domainIds: null }
  },
}

before(async () => {
  store = await freshDb()
  database = connect({ url: store.url, onError: () => undefined })
  await ensureEventPartitions(database.system, now)
  const openapi = { publicUrl: 'http://127.0.0.1', euUrl: null }
  server = await httpServer({ gate, log: createLogger('error'), ids, trustedProxies: [], openapi })
  server.add(suppressionRoutes({ database, clock, ids }))
  await server.app.ready()
})
after(async () => {
  await server.app.close()
  await database.close()
  await store[Symbol.asyncDispose]()
})

interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the body of any answer
  readonly body: any
  readonly headers: Record<string, unknown>
  readonly text: string
}

type Method = 'GET' | 'POST' | 'DELETE'

async function ask(
  key: string | null,
  method: Method,
  url: string,
  body?: object | string,
  type?: string,
  coding?: string,
): Promise<Answered> {
  const contentType = type ?? (body === undefined ? undefined : 'application/json')
  const answer = await server.app.inject({
    method,
    url,
    headers: {
      ...(key !== null && { 'x-api-key': key }),
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(coding !== undefined && { 'content-encoding': coding }),
    },
    ...(body !== undefined && { payload: body }),
  })
  const json = String(answer.headers['content-type']).includes('json')
  return { status: answer.statusCode, body: json ? answer.json() : null, headers: answer.headers, text: answer.payload }
}

const EVENT_TYPES_OF = statement('test_event_types', 'select type from event where account_id = $1 order by seq')

async function blocked(accountId: string, recipient: string): Promise<boolean> {
  const [refusal] = await mayWeSend(database.system, [{ accountId, recipient, sandbox: false }], now)
  return refusal !== null
}

test('an address is unsubscribed once, in lower case, on both paths', async () => {
  const a = ids.next()
  const made = await ask(a, 'POST', '/api/customer/unsubscribes', {
    email: 'Ann@EXAMPLE.test',
    reason: 'asked',
    extra: 1,
  })
  assert.equal(made.status, 201)
  const { id, created_at, ...rest } = made.body.unsubscribe
  assert.deepEqual(rest, { email: 'ann@example.test', source: 'api', reason: 'asked', sandbox: false })
  assert.deepEqual(made.body.data, made.body.unsubscribe)
  assert.equal(typeof made.body.message, 'string')
  assert.equal(made.headers['link'], '</api/v1/customer/unsubscribes>; rel="successor-version"')
  const known = await ask(a, 'POST', `${V1}/unsubscribes`, { email: 'ann@example.test', reason: 'other' })
  assert.equal(known.status, 200)
  assert.deepEqual(known.body.data, made.body.data)
  assert.equal(await blocked(a, 'ann@example.test'), true)
  const events = await database.system.query<{ type: number }>(EVENT_TYPES_OF, [a])
  assert.equal(events.length, 1)
})

test('an address can be removed however it is encoded in the path; an absent one is 404', async () => {
  const a = ids.next()
  for (const path of ['a%2Bb%40x.test', 'a+b@x.test', 'A+B@X.TEST', 'a%252Bb%2540x.test', 'a+b%2540x.test']) {
    await ask(a, 'POST', `${V1}/unsubscribes`, { email: 'a+b@x.test' })
    const gone = await ask(a, 'DELETE', `/api/customer/unsubscribes/${path}`)
    assert.equal(gone.status, 200, path)
    assert.equal(gone.body.email, 'a+b@x.test')
    assert.deepEqual(gone.body.data, { email: 'a+b@x.test' })
    assert.equal(typeof gone.body.message, 'string')
    assert.equal(await blocked(a, 'a+b@x.test'), false)
    const absent = await ask(a, 'DELETE', `${V1}/unsubscribes/${path}`)
    assert.deepEqual([absent.status, absent.body.code], [404, 'not_found'])
  }
})

test('an invalid address is refused: 422 in a body, 400 in a path', async () => {
  const a = ids.next()
  for (const email of [
    '',
    'x',
    'a@b@c',
    'a@x.test, b@x.test',
    'a@[127.0.0.1]',
    'a\r\n@x.test',
    'a\0@x.test',
    'a'.repeat(1_000_000),
  ]) {
    for (const list of ['unsubscribes', 'suppressions']) {
      const refused = await ask(a, 'POST', `${V1}/${list}`, { email })
      assert.equal(refused.status, 422)
      assert.equal(refused.body.details.fields[0].field, 'email')
    }
  }
  assert.equal((await ask(a, 'POST', `${V1}/unsubscribes`, { email: 5 })).status, 422)
  assert.equal((await ask(a, 'POST', `${V1}/unsubscribes`, {})).status, 422)
  assert.equal((await ask(a, 'POST', `${V1}/unsubscribes`, { email: 'a@x.test', extra: 1 })).status, 422)
  assert.equal((await ask(a, 'POST', `${V1}/suppressions`, { email: 'a@x.test', reason: 'none' })).status, 422)
  for (const text of ['two\nlines', 'a bell \u0007']) {
    assert.equal((await ask(a, 'POST', `${V1}/suppressions`, { email: 'a@x.test', details: text })).status, 422)
    assert.equal((await ask(a, 'POST', `${V1}/unsubscribes`, { email: 'a@x.test', reason: text })).status, 422)
  }
  assert.equal(
    (await ask(a, 'POST', `${V1}/suppressions`, { email: 'a@x.test', expires_at: '2020-01-01T00:00:00Z' })).status,
    422,
  )
  for (const path of ['x', '%00', '%252e%252e', 'a@b@c', '%ZZ']) {
    const refused = await ask(a, 'DELETE', `${V1}/unsubscribes/${path}`)
    assert.ok(refused.status === 400 || refused.status === 404, `${path}: ${refused.status}`)
  }
  for (const query of ['page=0', 'limit=101', 'from_date=yesterday', 'search=%00', 'include_sandbox=maybe']) {
    const refused = await ask(a, 'GET', `${V1}/unsubscribes?${query}`)
    assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_parameter'], query)
  }
})

test('without a key 401, without the scope 403', async () => {
  for (const list of ['unsubscribes', 'suppressions']) {
    assert.equal((await ask(null, 'GET', `${V1}/${list}`)).status, 401)
    assert.equal((await ask(`${ids.next()}!reads`, 'POST', `${V1}/${list}`, { email: 'a@x.test' })).status, 403)
    assert.equal((await ask(`${ids.next()}!reads`, 'GET', `${V1}/${list}`)).status, 200)
  }
})

test('the list is newest first, with pages and filters for parts of addresses and for days', async () => {
  const a = ids.next()
  const start = now
  for (let i = 0; i < 5; i++) {
    now = new Date(start.getTime() + i * 86_400_000 * 0.5) // 1 March 12:00, 2 March 00:00, 12:00, 3 March 00:00, 12:00
    await ensureEventPartitions(database.system, now)
    await ask(a, 'POST', `${V1}/unsubscribes`, { email: `p${i}_100%@x.test` })
  }
  now = start
  const emails = async (query: string): Promise<string> => {
    const found = await ask(a, 'GET', `/api/customer/unsubscribes?${query}`)
    assert.deepEqual(found.body.data, found.body.unsubscribes)
    return found.body.unsubscribes.map(({ email }: { email: string }) => email.slice(1, 2)).join('')
  }
  assert.equal(await emails(''), '43210')
  assert.equal(await emails('page=2&limit=2'), '21')
  assert.equal(await emails('search=P3_1'), '3')
  assert.equal(await emails('search=_'), '43210')
  assert.equal(await emails('search=p_'), '')
  assert.equal(await emails('search=0%25@x'), '43210')
  assert.equal(await emails('search=%5C'), '')
  assert.equal(await emails('from_date=2026-03-02&to_date=2026-03-02'), '21')
  assert.equal(await emails('from_date=2026-03-03'), '43')
  assert.equal(await emails('to_date=2026-03-01'), '0')
  const paged = await ask(a, 'GET', `${V1}/unsubscribes?page=2&limit=2`)
  assert.deepEqual(paged.body.pagination, { page: 2, limit: 2, total: 5, pages: 3 })
  const other = await ask(ids.next(), 'GET', `${V1}/unsubscribes`)
  assert.deepEqual(other.body.pagination, { page: 1, limit: 50, total: 0, pages: 0 })
})

test('a suppression is made, shown, listed and removed with its events', async () => {
  const a = ids.next()
  const body = { email: 'S@x.test', reason: 'complaint', details: 'by phone', expires_at: '2026-04-01T00:00:00Z' }
  const made = await ask(a, 'POST', `${V1}/suppressions`, body)
  assert.equal(made.status, 201)
  assert.deepEqual(made.body.data, {
    id: made.body.data.id,
    email: 's@x.test',
    reason: 'complaint',
    source: 'api',
    domain_id: null,
    email_id: null,
    bounce_id: null,
    details: 'by phone',
    sandbox: false,
    expires_at: '2026-04-01T00:00:00.000Z',
    created_at: now.toISOString(),
  })
  assert.equal((await ask(a, 'POST', `${V1}/suppressions`, body)).status, 200)
  assert.deepEqual((await ask(a, 'GET', `${V1}/suppressions/s%40x.test`)).body, { data: made.body.data })
  assert.deepEqual((await ask(a, 'GET', `${V1}/suppressions?reason=complaint`)).body.data, [made.body.data])
  assert.deepEqual((await ask(a, 'GET', `${V1}/suppressions?reason=manual`)).body.data, [])
  const b = ids.next()
  assert.equal((await ask(b, 'GET', `${V1}/suppressions/s@x.test`)).status, 404)
  assert.equal((await ask(b, 'DELETE', `${V1}/suppressions/s@x.test`)).status, 404)
  assert.equal((await ask(a, 'DELETE', `${V1}/suppressions/s@x.test`)).status, 200)
  assert.equal((await ask(a, 'GET', `${V1}/suppressions/s@x.test`)).status, 404)
  const events = await database.system.query<{ type: number }>(EVENT_TYPES_OF, [a])
  assert.deepEqual(
    events.map(({ type }) => type),
    [30, 31],
  )
})

test('sandbox entries and expired entries are not listed', async () => {
  const a = ids.next()
  const entry = {
    accountId: a,
    reason: 'hard_bounce',
    source: 'smtp',
    domainId: null,
    emailId: null,
    bounceId: null,
    details: null,
  } as const
  await database.transaction((db) =>
    suppress(db, { clock, ids }, [
      { ...entry, recipient: 's@x.test', sandbox: true, expiresAt: null },
      { ...entry, recipient: 'e@x.test', sandbox: false, expiresAt: now },
    ]),
  )
  assert.deepEqual((await ask(a, 'GET', `${V1}/suppressions`)).body.data, [])
  const all = await ask(a, 'GET', `${V1}/suppressions?include_sandbox=true`)
  assert.deepEqual(
    all.body.data.map(({ email, sandbox }: { email: string; sandbox: boolean }) => [email, sandbox]),
    [['s@x.test', true]],
  )
  assert.equal((await ask(a, 'GET', `${V1}/suppressions/export`)).text.split('\r\n').length, 2)
  assert.equal((await ask(a, 'GET', `${V1}/suppressions/export?include_sandbox=true`)).text.split('\r\n').length, 3)
  assert.equal((await ask(a, 'DELETE', `${V1}/suppressions/e@x.test`)).status, 404)
})

test('an import takes good rows, reports bad ones with their line, and can be sent again', async () => {
  const a = ids.next()
  const file = [
    'Email,Reason,note',
    'a@x.test,hard_bounce,1',
    'not an address,manual',
    'B@x.test',
    '',
    'c@x.test,no_such_reason',
    'b@x.test,complaint',
    '"d@x.test"x,manual',
    "'+e@x.test,",
  ].join('\r\n')
  const answer = await ask(a, 'POST', `${V1}/suppressions/import`, file, 'text/csv; charset=utf-8')
  assert.equal(answer.status, 200)
  const { errors, ...counts } = answer.body.data
  assert.deepEqual(counts, { imported: 3, updated: 1, failed: 3, ignored_columns: ['note'] })
  assert.deepEqual(
    errors.map(({ line, email }: { line: number; email: string }) => [line, email]),
    [
      [3, 'not an address'],
      [6, 'c@x.test'],
      [8, null],
    ],
  )
  const shown = await ask(a, 'GET', `${V1}/suppressions/b@x.test`)
  assert.deepEqual([shown.body.data.reason, shown.body.data.source], ['complaint', 'import'])
  assert.equal((await ask(a, 'GET', `${V1}/suppressions/%2Be@x.test`)).status, 200)
  const again = await ask(a, 'POST', `${V1}/suppressions/import`, file, 'text/csv')
  assert.deepEqual([again.body.data.imported, again.body.data.updated], [0, 4])
})

test("other services' exports are read as spreadsheets save them, and ignored columns are named", async () => {
  const a = ids.next()
  const into = async (file: string): Promise<Record<string, unknown>> =>
    (await ask(a, 'POST', `${V1}/suppressions/import`, file, 'text/csv')).body.data
  assert.deepEqual(await into('\ufeffemail;reason\r\na@y.test;complaint\r\nb@y.test;spamtrap\r\n'), {
    imported: 2,
    updated: 0,
    failed: 0,
    errors: [],
    ignored_columns: [],
  })
  const reasons = [
    'hard bounce',
    'HARD_BOUNCE',
    'HardBounce',
    'MARKED_AS_SPAM',
    'SpamComplaint',
    'spam report',
    'UNSUBSCRIBED',
  ]
  const rows = reasons.map((reason, i) => `r${i}@y.test\t${reason}\tJo`)
  const {
    imported,
    errors,
    ignored_columns: ignored,
  } = await into(`Email Address\tReason\tFirst Name\n${rows.join('\n')}\n`)
  assert.deepEqual([imported, ignored], [6, ['first name']])
  const [fault] = errors as { line: number; message: string }[]
  assert.deepEqual([fault?.line, fault?.message.endsWith('POST /api/v1/customer/unsubscribes/import')], [8, true])
  const shown = await Promise.all(reasons.slice(0, 6).map((_, i) => ask(a, 'GET', `${V1}/suppressions/r${i}@y.test`)))
  assert.deepEqual(
    shown.map(({ body }) => body.data.reason),
    [...Array(3).fill('hard_bounce'), ...Array(3).fill('complaint')],
  )
  for (const name of ['E-Mail', 'email_address', 'Recipient', 'ADDRESS']) {
    assert.equal((await into(`${name},Tags\n${name.length}${name.at(0)}@z.test,x\n`))['failed'], 0, name)
  }
})

test('a JSON import counts entries as lines; a body that is not a list is refused', async () => {
  const a = ids.next()
  const entries = [
    { email: 'j@x.test' },
    { email: 'j@x.test', reason: 5 },
    null,
    'x',
    { email: 'k@x.test', reason: 'spamtrap' },
  ]
  const answer = await ask(a, 'POST', `${V1}/suppressions/import`, { entries })
  assert.deepEqual([answer.body.data.imported, answer.body.data.failed], [2, 3])
  assert.deepEqual(
    answer.body.data.errors.map(({ line }: { line: number }) => line),
    [2, 3, 4],
  )
  assert.equal((await ask(a, 'POST', `${V1}/suppressions/import`, {})).status, 422)
  assert.equal((await ask(a, 'POST', `${V1}/suppressions/import`, { entries: 1 })).status, 422)
  assert.equal((await ask(a, 'POST', `${V1}/suppressions/import`, 'a@x.test\n', 'text/csv')).status, 422)
  for (const [type, coding, said] of [
    ['text/plain', undefined, 'The body must be text/csv or application/json'],
    ['text/csv; charset=utf-16', undefined, 'The body must be text/csv or application/json, in UTF-8'],
    ['text/csv', 'gzip', 'The body must not be compressed: without Content-Encoding'],
  ] as const) {
    const { status, body } = await ask(a, 'POST', `${V1}/suppressions/import`, 'x', type, coding)
    assert.deepEqual([status, body.code, body.error, body.details], [415, 'unsupported_media_type', said, {}])
  }
})

test('an entry with an unknown field is refused; the answers of the list can be imported', async () => {
  const [a, b] = [ids.next(), ids.next()]
  const into = (account: string, entries: readonly object[]) =>
    ask(account, 'POST', `${V1}/suppressions/import`, { entries })
  const { body } = await into(a, [
    { email: 'typo@x.test', raeson: 'complaint' },
    { email: 'kind@x.test', sandbox: 'yes' },
    { email: 'trial@x.test', sandbox: true },
    { email: 'good@x.test', reason: 'complaint', details: null, expires_at: null },
  ])
  assert.deepEqual([body.data.imported, body.data.failed], [2, 2])
  assert.deepEqual(body.data.errors, [
    { line: 1, email: 'typo@x.test', message: 'raeson is not a known field' },
    { line: 2, email: 'kind@x.test', message: 'sandbox is true or false' },
  ])
  const listed = async (account: string): Promise<{ email: string; sandbox: boolean }[]> =>
    (await ask(account, 'GET', `${V1}/suppressions?include_sandbox=true`)).body.data
  const entries = await listed(a)
  assert.deepEqual((await into(b, entries)).body.data, {
    imported: 2,
    updated: 0,
    failed: 0,
    errors: [],
    ignored_columns: [],
  })
  const kept = (rows: readonly { email: string; sandbox: boolean }[]) =>
    rows.map(({ email, sandbox }) => `${email} ${sandbox}`).sort()
  assert.deepEqual(kept(await listed(b)), ['good@x.test false', 'trial@x.test true'])
})

test('unsubscribes from elsewhere are imported: one event per address, and known addresses stay unchanged', async () => {
  const a = ids.next()
  const url = `${V1}/unsubscribes/import`
  await ask(a, 'POST', `${V1}/unsubscribes`, { email: 'known@x.test', reason: 'by hand' })
  const file = [
    'E-Mail;Reason;Date',
    'Ann@X.test;"too many\nmails";2025-01-01',
    'known@x.test;other;',
    'not an address;;',
    'ann@x.test;again;',
    `bob@x.test;${'x'.repeat(3_000)};`,
    'cleo@x.test',
  ].join('\r\n')
  const answer = await ask(a, 'POST', url, file, 'text/csv')
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.body.data, {
    imported: 3,
    updated: 2,
    failed: 1,
    errors: [{ line: 5, email: 'not an address', message: 'is not an email address: it has no @' }],
    ignored_columns: ['date'],
  })
  const listed = async (
    account: string,
  ): Promise<{ email: string; source: string; reason: string; sandbox: boolean }[]> =>
    (await ask(account, 'GET', `${V1}/unsubscribes?include_sandbox=true`)).body.data
  const told = (rows: Awaited<ReturnType<typeof listed>>) =>
    rows.map(({ email, source, reason }) => `${email} ${source} ${reason?.length}`).sort()
  const known = ['ann@x.test import 14', 'bob@x.test import 2000', 'cleo@x.test import undefined', 'known@x.test api 7']
  assert.deepEqual(told(await listed(a)), known)
  assert.equal(await blocked(a, 'ann@x.test'), true)
  assert.equal((await database.system.query(EVENT_TYPES_OF, [a])).length, 4)
  const again = await ask(a, 'POST', url, file, 'text/csv')
  assert.deepEqual([again.body.data.imported, again.body.data.updated], [0, 5])
  assert.equal((await database.system.query(EVENT_TYPES_OF, [a])).length, 4)
  assert.deepEqual(told(await listed(a)), known)

  const b = ids.next()
  assert.deepEqual((await ask(b, 'POST', url, { entries: await listed(a) })).body.data, {
    imported: 4,
    updated: 0,
    failed: 0,
    errors: [],
    ignored_columns: [],
  })
  assert.deepEqual((await ask(a, 'GET', `${V1}/suppressions`)).body.data, [])
})

test('an import of unsubscribes reports faults by entry, and refuses a body that is not a list', async () => {
  const [a, url] = [ids.next(), `${V1}/unsubscribes/import`]
  const entries = [
    { email: 'trial@x.test', sandbox: true },
    { email: 'j@x.test', reason: 5 },
    { email: 5 },
    { email: 'k@x.test', details: 'x' },
    { email: 'l@x.test', reason: 'hard_bounce' },
  ]
  const { body } = await ask(a, 'POST', url, { entries })
  assert.equal(body.data.imported, 2)
  assert.deepEqual(body.data.errors, [
    { line: 2, email: 'j@x.test', message: 'email and reason are strings' },
    { line: 3, email: null, message: 'email and reason are strings' },
    { line: 4, email: 'k@x.test', message: 'details is not a known field' },
  ])
  assert.deepEqual([await blocked(a, 'trial@x.test'), await blocked(a, 'l@x.test')], [false, true])
  assert.equal((await ask(a, 'POST', url, { list: [] })).status, 422)
  assert.equal((await ask(a, 'POST', url, 'name\nJo\n', 'text/csv')).body.details.fields[0].field, 'header')
  assert.equal((await ask(a, 'POST', url, 'x', 'text/plain')).status, 415)
  assert.equal((await ask(`${a}!reads`, 'POST', url, { entries })).status, 403)
  assert.equal((await ask(null, 'POST', url, { entries })).status, 401)
  assert.equal((await ask(a, 'POST', '/api/customer/unsubscribes/import', { entries })).status, 405)
})

test('20,000 rows are imported and exported again, and the export can be imported', async () => {
  const [a, b] = [ids.next(), ids.next()]
  const rows = Array.from({ length: 20_000 }, (_, i) => `${i % 2 ? '=' : ''}user${i}@x${i % 100}.test,hard_bounce`)
  const file = `email,reason\n${rows.join('\n')}\n`
  const answer = await ask(a, 'POST', `${V1}/suppressions/import`, file, 'text/csv')
  assert.deepEqual(answer.body.data, { imported: 20_000, updated: 0, failed: 0, errors: [], ignored_columns: [] })
  const exported = await ask(a, 'GET', `${V1}/suppressions/export`)
  assert.match(String(exported.headers['content-type']), /^text\/csv/)
  const lines = exported.text.split('\r\n')
  assert.equal(lines.length, 20_002)
  assert.equal(lines[0], 'id,email,reason,source,domain_id,email_id,bounce_id,details,sandbox,expires_at,created_at')
  assert.ok(!lines.some((line) => /(?:^|,)"?[=+@-]/.test(line)), 'no cell begins as a formula')
  const moved = await ask(b, 'POST', `${V1}/suppressions/import`, exported.text, 'text/csv')
  assert.deepEqual(moved.body.data, { imported: 20_000, updated: 0, failed: 0, errors: [], ignored_columns: [] })
  const difference = await database.system.one<{ n: number }>(
    statement(
      'test_difference',
      'select count(*) as n from suppression s where account_id = $1 and not exists (select from suppression o where o.account_id = $2 and o.email = s.email)',
    ),
    [a, b],
  )
  assert.equal(difference?.n, 0)
})
