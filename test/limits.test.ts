// Every limit has a name and a test: at the limit a request passes; one past it is refused in the documented error format, by
// the name of its field, and nothing is stored. Limits of schemas come from the OpenAPI document, so a new one is tested here
// without another line. Limits that schemas cannot express stand in the table.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { documentOf, isOfType, type Typed } from './world/document.ts'
import { everyDoor } from './world/every-endpoint.ts'
import { type Reply, startWorld, type World } from './world/world.ts'

const MB = 1_048_576
const NO_ID = '0192f000-0000-7000-8000-00000000dead'
const MAIL = { from: 'a@shop.example', to: 'b@example.net', subject: 'Hi', text: 'Hi' }

let world: World

before(async () => {
  world = await startWorld()
})
after(() => world[Symbol.asyncDispose]())

interface Shape extends Typed {
  readonly format?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly maxLength?: number
  readonly minLength?: number
  readonly maxItems?: number
  readonly minItems?: number
  readonly maximum?: number
  readonly minimum?: number
}

interface Case {
  /** As it is named in `details.fields`. */
  readonly field: string
  readonly at: unknown
  readonly past: unknown
}

const filled = (length: number, item: unknown): unknown[] => Array.from({ length }, () => item)

/** A value at each limit of a schema, and one past it. */
function casesOf(shape: Shape, field = ''): readonly Case[] {
  const own: Case[] = []
  const limit = (at: unknown, past: unknown): void => void own.push({ field, at, past })
  if (shape.maxLength !== undefined) limit('x'.repeat(shape.maxLength), 'x'.repeat(shape.maxLength + 1))
  if (shape.minLength !== undefined) limit('x'.repeat(shape.minLength), 'x'.repeat(shape.minLength - 1))
  const { items = {} } = shape
  const item = isOfType(items, 'object') ? {} : isOfType(items, 'string') ? 'x' : MAIL.to
  if (shape.maxItems !== undefined) limit(filled(shape.maxItems, item), filled(shape.maxItems + 1, item))
  if (shape.minItems !== undefined) limit(filled(shape.minItems, item), filled(shape.minItems - 1, item))
  if (shape.maximum !== undefined) limit(shape.maximum, shape.maximum + 1)
  if (shape.minimum !== undefined) limit(shape.minimum, shape.minimum - 1)
  const within = (inner: Shape, name: string, wrap: (value: unknown) => unknown): Case[] =>
    casesOf(inner, name).map((one) => ({ field: one.field, at: wrap(one.at), past: wrap(one.past) }))
  return [
    ...own,
    ...(shape.anyOf ?? []).flatMap((one) => casesOf(one, field)),
    ...Object.entries(shape.properties ?? {}).flatMap(([name, inner]) =>
      within(inner, field === '' ? name : `${field}.${name}`, (value) => ({ [name]: value })),
    ),
    ...(shape.items === undefined ? [] : within(shape.items, `${field}[0]`, (value) => [value])),
  ]
}

// `safe_integer`: values past the largest safe integer in JSON are refused before the schema is checked.
const LENGTHS = 'maxLength minLength maxItems minItems maximum minimum max_recipients safe_integer'.split(' ')

/** The size rules that the answer reports for the field. */
function faultsAt({ body }: Reply, field: string): readonly string[] {
  const fields = (body.details?.fields ?? []) as { field: string; rule: string }[]
  return fields.filter((fault) => fault.field === field && LENGTHS.includes(fault.rule)).map(({ rule }) => rule)
}

test('every schema limit of every body is refused one past it and accepted at it', async () => {
  const { paths } = await documentOf(world.api)
  const signedIn = await everyDoor(world)
  let asked = 0
  for (const [path, operations] of Object.entries(
    paths as Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Shape }> } }>>,
  )) {
    if (!path.startsWith('/api/v1/')) continue
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const schema = requestBody?.content['application/json']?.schema
      const call = { post: world.api.post, put: world.api.put, patch: world.api.patch }[method]
      if (schema === undefined || call === undefined) continue
      for (const { field, at, past } of casesOf(schema)) {
        // The messages of a batch are checked one by one with the schema of a send. So are the entries of an import, whose
        // faults are reported by line.
        if (field.startsWith('messages[0]') || field.startsWith('entries[0]')) continue
        asked++
        const where = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'version' ? '1' : NO_ID))
        const named = `${method} ${path} ${field} ${JSON.stringify(past).slice(0, 60)}`
        const refused: Reply = await call(where, past, signedIn)
        assert.deepEqual([refused.status, refused.body.code], [422, 'validation_error'], named)
        assert.ok(faultsAt(refused, field).length > 0, `${named}: ${JSON.stringify(refused.body.details)}`)
        if (method === 'patch' || path.endsWith('/rotate')) continue
        const passed: Reply = await call(where, at, signedIn)
        assert.deepEqual(faultsAt(passed, field), [], `${method} ${path} ${field} at its limit`)
      }
    }
  }
  assert.ok(asked >= 80, `${asked}: a check that checked nothing fails`)
  assert.equal((await world.api.get('/api/v1/emails')).body.pagination.total, 0)
})

interface Asked {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Shape }[]
  readonly requestBody?: { readonly content: Record<string, { schema: Shape }> }
}

// RFC 3339 or ISO 8601 allow a leap second and an offset without minutes, which Date does not; PostgreSQL has no year 0.
const MOMENTS = {
  'date-time': {
    at: ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2026-02-28T23:59:59+05:45'],
    past: [
      '0000-12-31T23:59:59Z',
      '0001-01-01T00:00:00+00:01',
      '9999-12-31T23:59:59-00:01',
      '2026-12-31T23:59:60Z',
      '2026-12-01T00:00:00+02',
      '2026-02-29T00:00:00Z',
    ],
  },
  date: { at: ['0001-01-01', '9999-12-31'], past: ['0000-12-31', '2026-02-29'] },
} as const

const formatOf = ({ format }: Shape): keyof typeof MOMENTS | null =>
  format === 'date' || format === 'date-time' ? format : null

test('no query takes a time that cannot be stored, and each takes the first and the last that can', async () => {
  let asked = 0
  for (const [path, { get }] of Object.entries(
    (await documentOf(world.api)).paths as Record<string, { readonly get?: Asked }>,
  )) {
    for (const { name, in: place, schema } of get?.parameters ?? []) {
      const format = formatOf(schema)
      if (place !== 'query' || format === null) continue
      const where = path.replaceAll(/\{\w+\}/g, NO_ID)
      // A report covers at most 365 days, so the other end of the range goes along.
      const both = (value: string): string =>
        name.endsWith('_date') ? `from_date=${value}&to_date=${value}` : `${name}=${encodeURIComponent(value)}`
      for (const value of MOMENTS[format].past) {
        asked++
        const { status, body } = await world.api.get(`${where}?${both(value)}`)
        assert.deepEqual([status, body.code], [400, 'invalid_parameter'], `${path} ${name}=${value}`)
      }
      for (const value of MOMENTS[format].at) {
        const { status } = await world.api.get(`${where}?${both(value)}`)
        assert.ok(status === 200 || status === 404, `${path} ${name}=${value}: ${status}`)
      }
    }
  }
  assert.ok(asked >= 60, `${asked}: a check that checked nothing fails`)
})

test('no body takes a time that cannot be stored', async () => {
  const { paths } = (await documentOf(world.api)) as { paths: Record<string, Record<string, Asked>> }
  let asked = 0
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const { properties = {} } = requestBody?.content['application/json']?.schema ?? {}
      const call = { post: world.api.post, put: world.api.put, patch: world.api.patch }[method]
      for (const [field, shape] of Object.entries(properties)) {
        if (call === undefined || ![shape, ...(shape.anyOf ?? [])].some((one) => formatOf(one) !== null)) continue
        for (const value of MOMENTS['date-time'].past) {
          asked++
          const { status, body } = await call(path.replaceAll(/\{\w+\}/g, NO_ID), { [field]: value })
          const told = (body.details?.fields ?? []) as { field: string; rule: string }[]
          const named = told.some((fault) => fault.field === field && fault.rule === 'format')
          assert.ok(status === 422 && named, `${method} ${path} ${field}=${value}: ${JSON.stringify(body)}`)
        }
      }
    }
  }
  assert.ok(asked >= 30, `${asked}: a check that checked nothing fails`)
})

const people = (count: number): string[] => Array.from({ length: count }, (_, at) => `b${at}@example.net`)
const record = (count: number, keyChars = 8): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`.padEnd(keyChars, 'k'), 'v']))
/** Metadata with this many bytes of JSON. */
const metadata = (bytes: number): object => ({ k: 'v'.repeat(bytes - '{"k":""}'.length) })
const headers = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-Own-${at}`, 'v']))
const files = (count: number, bytes = 3): object[] =>
  Array.from({ length: count }, () => ({ filename: 'f', content: Buffer.alloc(bytes).toString('base64') }))
// Base64 turns 57 bytes into a line of 78, line end included; headers and boundaries take less than 8 KB.
const WHOLE_MESSAGE = Math.floor((25 * MB - 8_192) / 78) * 57
const later = (ms: number): string => new Date(world.clock.now().getTime() + ms).toISOString()
const DAYS_30 = 30 * 86_400_000

// Each row: the limit of contract section 4, a value at it, a value past it, and the field that is named.
const SENDS: [name: string, at: () => object, past: () => object, field: string][] = [
  ['subject: 998 characters', () => ({ subject: 'x'.repeat(998) }), () => ({ subject: 'x'.repeat(999) }), 'subject'],
  [
    '50 recipients over to, cc and bcc',
    () => ({ to: people(20), cc: people(40).slice(20), bcc: people(50).slice(40) }),
    () => ({ to: people(20), cc: people(40).slice(20), bcc: people(51).slice(40) }),
    'to',
  ],
  ['20 attachments', () => ({ attachments: files(20) }), () => ({ attachments: files(21) }), 'attachments'],
  ['html: 5 MB', () => ({ html: 'x'.repeat(5 * MB) }), () => ({ html: 'x'.repeat(5 * MB + 1) }), 'html'],
  ['html counts bytes', () => ({ html: 'é'.repeat(2.5 * MB) }), () => ({ html: `é${'é'.repeat(2.5 * MB)}` }), 'html'],
  ['text: 5 MB', () => ({ text: 'x'.repeat(5 * MB) }), () => ({ text: 'x'.repeat(5 * MB + 1) }), 'text'],
  [
    'subject: a character beyond U+FFFF is one',
    () => ({ subject: '\u{1f4e8}'.repeat(998) }),
    () => ({ subject: '\u{1f4e8}'.repeat(999) }),
    'subject',
  ],
  ['tag: 128 characters', () => ({ tag: 'x'.repeat(128) }), () => ({ tag: 'x'.repeat(129) }), 'tag'],
  ['metadata: 20 keys', () => ({ metadata: record(20) }), () => ({ metadata: record(21) }), 'metadata'],
  ['metadata: keys of 64', () => ({ metadata: record(1, 64) }), () => ({ metadata: record(1, 65) }), 'metadata'],
  [
    'metadata: a character beyond U+FFFF is one',
    () => ({ metadata: { ['\u{1f4e8}'.repeat(64)]: 'v' } }),
    () => ({ metadata: { ['\u{1f4e8}'.repeat(65)]: 'v' } }),
    'metadata',
  ],
  ['metadata: 4 KB', () => ({ metadata: metadata(4_096) }), () => ({ metadata: metadata(4_097) }), 'metadata'],
  ['30 headers', () => ({ headers: headers(30) }), () => ({ headers: headers(31) }), 'headers'],
  [
    'a header: 998 characters',
    () => ({ headers: { 'X-Own': 'x'.repeat(998) } }),
    () => ({ headers: { 'X-Own': 'x'.repeat(999) } }),
    'headers.X-Own',
  ],
  ['from_name: 998', () => ({ from_name: 'x'.repeat(998) }), () => ({ from_name: 'x'.repeat(999) }), 'from_name'],
  [
    'a file name: 255 characters',
    () => ({ attachments: [{ ...files(1)[0], filename: 'x'.repeat(255) }] }),
    () => ({ attachments: [{ ...files(1)[0], filename: 'x'.repeat(256) }] }),
    'attachments[0].filename',
  ],
  [
    'scheduled: 30 days ahead',
    () => ({ scheduled_at: later(DAYS_30 - 60_000) }),
    () => ({ scheduled_at: later(DAYS_30 + 60_000) }),
    'scheduled_at',
  ],
]
for (const [name, at, past, field] of SENDS) {
  test(`${name}: at the limit it is sent, past it nothing is stored`, async () => {
    const { testApi, api } = world.account
    const count = async (): Promise<number> => (await api.get('/api/v1/emails')).body.pagination.total
    const before = await count()
    const refused = await testApi.post('/api/v1/send', { ...MAIL, ...past() })
    assert.deepEqual([refused.status, refused.body.code], [422, 'validation_error'])
    const named = refused.body.details.fields.map((fault: { field: string }) => fault.field)
    assert.deepEqual(named, [field])
    assert.equal(await count(), before)
    const sent = await testApi.post('/api/v1/send', { ...MAIL, ...at() })
    assert.equal(sent.status, 202, JSON.stringify(sent.body))
    assert.ok((await count()) > before)
  })
}

test('an encoded message has at most 25 MB, in whichever of its parts they are', async () => {
  const { testApi } = world.account
  const sent = await testApi.post('/api/v1/send', { ...MAIL, attachments: files(1, WHOLE_MESSAGE) })
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  const attachments = await testApi.post('/api/v1/send', { ...MAIL, attachments: files(1, WHOLE_MESSAGE + 8_192) })
  assert.deepEqual([attachments.status, attachments.body.details.fields?.[0].field], [422, 'attachments'])
  const together = await testApi.post('/api/v1/send', {
    ...MAIL,
    html: 'x'.repeat(3 * MB),
    attachments: files(1, WHOLE_MESSAGE - MB),
  })
  assert.deepEqual([together.status, together.body.code], [413, 'payload_too_large'])
  assert.deepEqual(together.body.details, { limit_bytes: 25 * MB })
})

test('a batch has at most 500 messages', async () => {
  const { testApi, api } = world.account
  const total = async (): Promise<number> => (await api.get('/api/v1/emails?limit=1')).body.pagination.total
  const before = await total()
  const refused = await testApi.post('/api/v1/send/batch', { messages: filled(501, MAIL) })
  assert.deepEqual([refused.status, refused.body.details.fields[0].field], [422, 'messages'])
  assert.equal(await total(), before)
  const sent = await testApi.post('/api/v1/send/batch', { messages: filled(500, MAIL) })
  assert.deepEqual(sent.body.summary, { total: 500, accepted: 500, rejected: 0 })
  assert.equal(await total(), before + 500)
})

test('an idempotency key has 1 to 256 characters', async () => {
  const { testApi } = world.account
  const asked = (key: string): Promise<Reply> => testApi.post('/api/v1/send', MAIL, { 'idempotency-key': key })
  assert.equal((await asked('k'.repeat(256))).status, 202)
  for (const key of ['k'.repeat(257), '', 'é']) {
    const refused = await asked(key)
    assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_parameter'])
  }
})

// Each row: a path and the size limit of its JSON. White space around the JSON counts too.
const BODIES: [path: string, limitBytes: number, body: object][] = [
  ['/api/v1/send', 35 * MB, MAIL],
  ['/api/v1/send/batch', 50 * MB, { messages: [MAIL] }],
  ['/api/v1/content-score', 12 * MB, { subject: 'Hi', text: 'Hi' }],
  ['/api/v1/risk/preview', 12 * MB, { to: 'b@example.net', subject: 'Hi', text: 'Hi' }],
  ['/api/v1/templates', 12 * MB, { name: 'x', subject: 'x', text: 'x' }],
  ['/api/v1/customer/unsubscribes', MB, { email: 'u@example.net' }],
  ['/api/v1/customer/webhooks', MB, { url: 'http://127.0.0.1:9/', events: ['*'] }],
]
for (const [path, limitBytes, body] of BODIES) {
  test(`${path} takes a body of ${limitBytes / MB} MB, and not a byte more`, async () => {
    const json = JSON.stringify(body)
    const { testApi } = world.account
    const refused = await testApi.post(path, json.padEnd(limitBytes + 1))
    assert.deepEqual([refused.status, refused.body.code], [413, 'payload_too_large'])
    assert.deepEqual(refused.body.details, { limit_bytes: limitBytes })
    const taken = await testApi.post(path, json.padEnd(limitBytes))
    assert.ok(taken.status < 300 || taken.body.code === 'sender_not_verified', JSON.stringify(taken.body))
  })
}

test('an html or text over 5 MB is not scored, previewed or sent', async () => {
  const { testApi } = world.account
  for (const [path, body] of [
    ['/api/v1/send', MAIL],
    ['/api/v1/risk/preview', { to: 'b@example.net', subject: 'Hi' }],
    ['/api/v1/content-score', { subject: 'Hi' }],
  ] as const) {
    const { status, body: told } = await testApi.post(path, { ...body, html: 'x'.repeat(5 * MB + 1), text: 'x' })
    assert.deepEqual([status, told.details.fields.map(({ field }: { field: string }) => field)], [422, ['html']], path)
  }
})

/** The answer to the head of a request; null when the server still waits for the body after `withinMs`. */
function answerTo(path: string, type: string, bytes: number, withinMs = 60_000): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const asked = request(world.url + path, {
      method: 'POST',
      headers: { 'x-api-key': world.account.testApiKey, 'content-type': type, 'content-length': bytes },
    })
    const done = (status: number | null): void => {
      clearTimeout(timer)
      asked.destroy()
      resolve(status)
    }
    const timer = setTimeout(done, withinMs, null)
    asked.once('response', ({ statusCode }) => done(statusCode ?? null))
    asked.once('error', reject)
    asked.flushHeaders()
  })
}

test('streamed bodies have their own limits: CSV 256 MB, a report 25 MB', async () => {
  for (const list of ['suppressions', 'unsubscribes']) {
    const csv = `/api/v1/customer/${list}/import`
    assert.equal(await answerTo(csv, 'text/csv', 256 * MB + 1), 413)
    assert.equal(await answerTo(csv, 'text/csv', 256 * MB, 500), null)
  }
  for (const path of ['/api/v1/inbound/bounces', '/api/v1/inbound/complaints']) {
    for (const [bytes, status] of [
      [25 * MB, 202],
      [25 * MB + 1, 413],
    ] as const) {
      const body = 'Subject: x\r\n\r\n'.padEnd(bytes, 'x')
      const reply = await world.account.testApi.post(path, body, { 'content-type': 'message/rfc822' })
      assert.equal(reply.status, status, `${path} ${bytes}: ${JSON.stringify(reply.body)}`)
    }
  }
})
