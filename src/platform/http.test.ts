import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Type } from 'typebox'
import { defineErrors } from './errors.ts'
import { withoutRefs } from './http/openapi-schemas.ts'
import {
  bare,
  endpoint,
  type Gate,
  type HttpServer,
  httpServer,
  IdParams,
  LONGEST_BODY_MS,
  list,
  pageWindow,
  paginationOf,
  single,
} from './http.ts'
import { systemIds } from './ids.ts'
import { createLogger } from './log.ts'

const errors = defineErrors({ already_exists: [409, 'It is there already'], plan_required: [403, 'Not on this plan'] })
const ID = '01980000-0000-7000-8000-000000000000'
const JSON_TYPE = { 'content-type': 'application/json' }

const openGate: Gate = {
  admit: async () => ({ accountId: ID, keyId: null, mode: 'live', scopes: ['full'], domainIds: null }),
}

async function server(gate: Gate = openGate): Promise<HttpServer> {
  const made = await httpServer({
    gate,
    log: createLogger('silent'),
    ids: systemIds(),
    trustedProxies: [],
    openapi: { publicUrl: 'http://mail.example', euUrl: null },
  })
  made.add([
    endpoint({
      method: 'POST',
      path: '/api/v1/customer/things',
      legacyPath: '/api/customer/things',
      legacyDeprecatedSince: '2026-01-01T00:00:00Z',
      access: { scope: 'things:write' },
      summary: 'Add a thing',
      tag: 'Things',
      body: Type.Object(
        {
          name: Type.String(),
          tags: Type.Optional(Type.Array(Type.String())),
          on: Type.Optional(Type.Boolean()),
          size: Type.Optional(Type.Union([Type.Literal('big'), Type.Literal('small'), Type.Null()])),
          who: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Object({ email: Type.String() }))])),
        },
        { additionalProperties: false },
      ),
      answers: { 201: Type.Object({}) },
      errors: [errors.already_exists],
      handle: async ({ body }) => {
        if (body.name === 'known') throw errors.already_exists({ name: body.name })
        if (body.name === 'bug') throw new Error('select secret from account')
        return single(body, { status: 201, also: { thing: body } })
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/customer/things/{id}',
      access: { scope: 'things:read' },
      summary: 'One thing',
      tag: 'Things',
      params: IdParams,
      query: Type.Object({
        limit: Type.Optional(Type.Integer({ minimum: 1 })),
        tag: Type.Optional(Type.String()),
        kind: Type.Optional(Type.Union([Type.Literal('big'), Type.Literal('small')])),
      }),
      answers: { 200: Type.Object({}) },
      handle: async ({ params, query }) => bare({ id: params.id, limit: query.limit, tag: query.tag }),
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/customer/things',
      access: null,
      summary: 'All things',
      tag: 'Things',
      answers: { 200: Type.Object({}) },
      handle: async () => list([1], paginationOf(pageWindow({}), 1, 1), { things: [1] }),
    }),
  ])
  await made.app.ready()
  return made
}

interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes are inspected
  readonly body: any
  readonly headers: Record<string, unknown>
}

async function ask(
  { app }: HttpServer,
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  payload?: string | Buffer,
  headers: Record<string, string> = payload === undefined ? {} : JSON_TYPE,
): Promise<Answered> {
  const reply = await app.inject({ method, url, headers, ...(payload !== undefined && { payload }) })
  return { status: reply.statusCode, body: reply.body === '' ? null : reply.json(), headers: reply.headers }
}

test('a single object is answered under data and under the legacy key; a bare one at top level too', async () => {
  const http = await server()
  const made = await ask(http, 'POST', '/api/v1/customer/things', '{"name":"a"}')
  assert.deepEqual([made.status, made.body], [201, { data: { name: 'a' }, thing: { name: 'a' } }])
  const one = await ask(http, 'GET', `/api/v1/customer/things/${ID}?limit=5&other=1`)
  assert.deepEqual(one.body, { id: ID, limit: 5, data: { id: ID, limit: 5 } })
  for (const { headers } of [made, one]) assert.equal(headers['cache-control'], 'private, no-store')
  const all = await ask(http, 'GET', '/api/v1/customer/things')
  assert.deepEqual(all.body, { data: [1], pagination: { page: 1, limit: 50, total: 1, pages: 1 }, things: [1] })
})

test('every answer carries a request id: the client’s own if it is usable, otherwise a fresh one', async () => {
  const http = await server()
  const own = await ask(http, 'GET', '/nowhere', undefined, { 'x-request-id': 'my.id_1-2' })
  assert.equal(own.headers['x-request-id'], 'my.id_1-2')
  assert.equal(own.body.request_id, 'my.id_1-2')
  for (const unfit of ['a b', 'x'.repeat(129), 'ä', 'a"b']) {
    const fresh = await ask(http, 'GET', '/nowhere', undefined, {
      'x-request-id': Buffer.from(unfit).toString('latin1'),
    })
    assert.match(String(fresh.headers['x-request-id']), /^[0-9a-f-]{36}$/)
  }
})

test('all faults of a body are reported at once, by path', async () => {
  const told = await ask(await server(), 'POST', '/api/v1/customer/things', '{"tags":["a",2],"x":1,"on":"true"}')
  assert.equal(told.status, 422)
  assert.equal(told.body.code, 'validation_error')
  const fields = told.body.details.fields as { field: string; rule: string }[]
  assert.deepEqual(fields.map(({ field, rule }) => `${field} ${rule}`).sort(), [
    'name required',
    'on type',
    'tags[1] type',
    'x unknown_field',
  ])
  const union = await ask(await server(), 'POST', '/api/v1/customer/things', '{"name":"a","who":[{"email":"b"},{}]}')
  assert.deepEqual(
    (union.body.details.fields as { field: string }[]).map(({ field }) => field),
    ['who[1].email'],
    'the fault, and not the field around it',
  )
})

// Each row: what is sent, its media type, and the answer.
const BODIES: [what: string, payload: string | Buffer, type: string | null, status: number, code: string][] = [
  ['no JSON', '{bad', 'application/json', 400, 'invalid_json'],
  ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'application/json', 400, 'invalid_json'],
  ['UTF-16', Buffer.from('{"name":"a"}', 'utf16le'), 'application/json', 400, 'invalid_json'],
  ['another type', 'x=1', 'text/plain', 415, 'unsupported_media_type'],
  ['a tab behind the type', '{"name":"a"}', 'application/json\ta', 415, 'unsupported_media_type'],
  ['another charset', '{"name":"a"}', 'application/json; charset=utf-7', 415, 'unsupported_media_type'],
  ['an empty body of any type', '', 'text/plain', 422, 'validation_error'],
  ['no body', '', null, 422, 'validation_error'],
  ['a prototype', '{"name":"a","__proto__":{"admin":1}}', 'application/json', 422, 'validation_error'],
  ['a NUL', '{"name":"a\\u0000"}', 'application/json', 422, 'validation_error'],
  ['a lone surrogate', '{"name":"\\ud800"}', 'application/json', 422, 'validation_error'],
  ['an endless number', '{"name":1e400}', 'application/json', 422, 'validation_error'],
  [
    '10,000 levels',
    `{"name":"a","tags":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    'application/json',
    422,
    'validation_error',
  ],
  ['a body past the limit', `{"name":"${'a'.repeat(1_048_576)}"}`, 'application/json', 413, 'payload_too_large'],
  ['a list', '[]', 'application/json', 422, 'validation_error'],
]
for (const [what, payload, type, status, code] of BODIES) {
  test(`${what} is answered ${status} ${code}`, async () => {
    const http = await server()
    const told = await ask(
      http,
      'POST',
      '/api/v1/customer/things',
      payload,
      type === null ? {} : { 'content-type': type },
    )
    assert.deepEqual([told.status, told.body.code], [status, code])
    assert.deepEqual(Object.keys(told.body).sort(), ['code', 'details', 'error', 'request_id'])
    assert.equal(({} as { admin?: unknown }).admin, undefined)
  })
}

test('an empty body is {}, whatever its Content-Type', async () => {
  const http = await server()
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'garbage', 'a/b/c']) {
    const { status, body } = await ask(http, 'POST', '/api/v1/customer/things', '', { 'content-type': type })
    assert.deepEqual([status, body.details.fields?.[0]?.rule], [422, 'required'], type)
  }
})

test('a client that writes its whole body before it reads still gets the refusal, and its connection stays open', async () => {
  const { app } = await server()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as net.AddressInfo
  const path = '/api/v1/customer/things'
  const whole = Buffer.alloc(24_000_000, ' ')
  const chunk = Buffer.concat([Buffer.from(`${whole.length.toString(16)}\r\n`), whole, Buffer.from('\r\n0\r\n\r\n')])
  try {
    for (const [head, body, status] of [
      [`content-length: ${whole.length}`, whole, 413],
      ['transfer-encoding: chunked', chunk, 413],
      ['content-encoding: gzip\r\ntransfer-encoding: chunked', chunk, 415],
    ] as const) {
      const socket = net.connect(port, '127.0.0.1')
      try {
        await new Promise<void>((resolve, reject) => {
          socket.once('error', reject)
          socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${head}\r\n\r\n`)
          socket.write(body, (error) => (error == null ? resolve() : reject(error)))
        })
        socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
        let answers = ''
        for await (const bytes of socket) answers += String(bytes)
        assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), [`HTTP/1.1 ${status}`, 'HTTP/1.1 200'], head)
      } finally {
        socket.destroy()
      }
    }
  } finally {
    await app.close()
  }
})

test('charset=utf-8 is accepted as JSON', async () => {
  const http = await server()
  for (const type of ['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'application/json;']) {
    assert.equal(
      (await ask(http, 'POST', '/api/v1/customer/things', '{"name":"a"}', { 'content-type': type })).status,
      201,
    )
  }
})

test('faults of path and query are 400, unknown query names are ignored', async () => {
  const http = await server()
  const id = await ask(http, 'GET', '/api/v1/customer/things/abc')
  assert.deepEqual([id.status, id.body.code, id.body.details.parameter], [400, 'invalid_parameter', 'id'])
  const limit = await ask(http, 'GET', `/api/v1/customer/things/${ID}?limit=0`)
  assert.deepEqual([limit.status, limit.body.details], [400, { parameter: 'limit', rule: 'minimum' }])
  for (const other of ['1e1', '0x10', '1.0', '%2B5', '%205', 'ten', '']) {
    const told = await ask(http, 'GET', `/api/v1/customer/things/${ID}?limit=${other}`)
    assert.deepEqual([told.status, told.body.details], [400, { parameter: 'limit', rule: 'type' }], other)
  }
  assert.equal((await ask(http, 'GET', `/api/v1/customer/things/${ID}?limit=10&more=1e1`)).status, 200)
  const kind = await ask(http, 'GET', `/api/v1/customer/things/${ID}?kind=huge`)
  assert.deepEqual([kind.status, kind.body.details], [400, { parameter: 'kind', rule: 'enum' }])
  assert.equal(kind.body.error, 'kind must be one of big, small')
})

test('an empty text in a query counts as absent', async () => {
  const http = await server()
  assert.equal((await ask(http, 'GET', `/api/v1/customer/things/${ID}?tag=`)).body.tag, undefined)
  assert.equal((await ask(http, 'GET', `/api/v1/customer/things/${ID}?tag=a`)).body.tag, 'a')
})

test('the fault of a disallowed value lists the allowed ones; a body that is not an object has one fault', async () => {
  const http = await server()
  const faults = async (payload: string) =>
    (await ask(http, 'POST', '/api/v1/customer/things', payload)).body.details.fields
  const size = { field: 'size', rule: 'enum', message: 'must be one of big, small' }
  for (const value of ['"huge"', '5', '{}'])
    assert.deepEqual(await faults(`{"name":"a","size":${value}}`), [size], value)
  const whole = { field: '', rule: 'type', message: 'must be a JSON object' }
  for (const body of ['[]', 'null', '"x"', '5']) assert.deepEqual(await faults(body), [whole], body)
})

test('an unknown path is 404, a known one with another method 405 with Allow', async () => {
  const http = await server()
  assert.equal((await ask(http, 'GET', '/api/v1/customer/thing')).body.code, 'not_found')
  assert.equal((await ask(http, 'GET', `/api/v1/customer/things/${ID}/`)).body.code, 'not_found')
  assert.equal((await ask(http, 'GET', '/api/v1/customer/thing%00')).body.code, 'not_found')
  const put = await ask(http, 'PUT', `/api/v1/customer/things/${ID}`)
  assert.deepEqual([put.status, put.body.code, put.headers['allow']], [405, 'method_not_allowed', 'GET, HEAD'])
  assert.equal(put.headers['cache-control'], 'no-store')
})

test('a legacy path ignores unknown fields, names its successor and the date of its deprecation', async () => {
  const told = await ask(await server(), 'POST', '/api/customer/things', '{"name":"a","more":1}')
  assert.equal(told.status, 201)
  assert.equal(told.headers['link'], '</api/v1/customer/things>; rel="successor-version"')
  assert.equal(told.headers['deprecation'], '@1767225600')
})

test('the gate decides before the body is read', async () => {
  const http = await server({
    admit: async () => {
      throw errors.plan_required()
    },
  })
  assert.equal((await ask(http, 'POST', '/api/v1/customer/things', '{bad')).body.code, 'plan_required')
})

test('a room’s error keeps its code and details, a bug reveals nothing', async () => {
  const http = await server()
  const known = await ask(http, 'POST', '/api/v1/customer/things', '{"name":"known"}')
  assert.deepEqual([known.status, known.body.code, known.body.details], [409, 'already_exists', { name: 'known' }])
  const bug = await ask(http, 'POST', '/api/v1/customer/things', '{"name":"bug"}')
  assert.deepEqual([bug.status, bug.body.code], [500, 'internal_error'])
  assert.doesNotMatch(JSON.stringify(bug.body), /select|secret/)
})

test('the OpenAPI document lists both paths, the scope and the machine codes', async () => {
  const document = (await server()).document() as { info: { version: string }; paths: Record<string, unknown> }
  assert.equal(document.info.version, '1.4.0')
  const text = JSON.stringify(withoutRefs(document).paths)
  assert.match(text, /"x-scope":"things:write"/)
  assert.match(text, /already_exists/)
  assert.match(JSON.stringify(document.paths['/api/customer/things']), /"deprecated":true/)
})

test('large bodies are read completely and wait for their turn, which ends with the answer, whatever it is', async () => {
  const http = await httpServer({
    gate: openGate,
    log: createLogger('silent'),
    ids: systemIds(),
    trustedProxies: [],
    openapi: { publicUrl: 'http://mail.example', euUrl: null },
  })
  let running = 0
  let most = 0
  http.add([
    endpoint({
      method: 'POST',
      path: '/api/v1/customer/large',
      access: { scope: 'things:write' },
      summary: 'Take much',
      tag: 'Things',
      body: Type.Object({ text: Type.String(), fails: Type.Optional(Type.Boolean()) }),
      bodyLimitBytes: 40_000_000,
      answers: { 200: Type.Object({}) },
      handle: async ({ body }) => {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 20))
        running--
        if (body.fails === true) throw errors.already_exists()
        return bare({ length: body.text.length })
      },
    }),
  ])
  const url = await http.app.listen({ port: 0, host: '127.0.0.1' })
  const post = async (body: string): Promise<[number, unknown]> => {
    const reply = await fetch(`${url}/api/v1/customer/large`, { method: 'POST', headers: JSON_TYPE, body })
    const { length = null } = (await reply.json()) as { length?: number }
    return [reply.status, length]
  }
  try {
    const text = 'x'.repeat(21_000_000)
    const whole = JSON.stringify({ text })
    const answers = await Promise.all([
      post(whole),
      post(whole.slice(0, -1)),
      post(JSON.stringify({ text, fails: true })),
      post(JSON.stringify({ name: text })),
      post(whole),
    ])
    assert.deepEqual(answers, [
      [200, text.length],
      [400, null],
      [409, null],
      [422, null],
      [200, text.length],
    ])
    assert.equal(most, 1)
    const gone = new AbortController()
    const left = fetch(`${url}/api/v1/customer/large`, {
      ...{ method: 'POST', headers: JSON_TYPE, body: whole, signal: gone.signal },
    })
    while (running === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    gone.abort()
    await assert.rejects(left)
    assert.deepEqual(await post(whole), [200, text.length], 'a client that went away has left its turn')
    await Promise.all(Array.from({ length: 5 }, () => post('{"text":"small"}')))
    assert.ok(most > 1, 'small ones wait for nobody')
  } finally {
    await http.app.close()
  }
})

test('a late body ends with 408, and one that was given more time continues', async () => {
  const http = await httpServer({
    gate: openGate,
    log: createLogger('silent'),
    ids: systemIds(),
    trustedProxies: [],
    openapi: { publicUrl: 'http://mail.example', euUrl: null },
  })
  const taking = (path: string, bodyWithinMs: number) =>
    endpoint({
      method: 'POST',
      path,
      access: { scope: 'things:write' },
      summary: 'Take slowly',
      tag: 'Things',
      stream: ['text/csv'],
      bodyWithinMs,
      answers: { 200: Type.Object({}) },
      handle: async ({ stream }) => {
        let bytes = 0
        for await (const piece of stream) bytes += piece.length
        return bare({ bytes })
      },
    })
  http.add([taking('/api/v1/customer/late', 50), taking('/api/v1/customer/long', LONGEST_BODY_MS)])
  await http.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = http.app.server.address() as AddressInfo
  assert.equal(http.app.server.requestTimeout, LONGEST_BODY_MS)
  const begun = (path: string): { socket: net.Socket; answer: Promise<string> } => {
    const socket = net.connect(port, '127.0.0.1')
    let said = ''
    socket.on('data', (piece) => {
      said += piece
    })
    socket.on('error', () => undefined)
    socket.write(
      `POST /api/v1/customer/${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: 4\r\nConnection: close\r\n\r\nab`,
    )
    return { socket, answer: once(socket, 'close').then(() => said) }
  }
  try {
    const long = begun('long')
    const late = await begun('late').answer
    assert.match(late, /^HTTP\/1\.1 408 /)
    assert.match(late, /"request_id":"/)
    long.socket.write('cd')
    const answer = await long.answer
    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.match(answer, /"bytes":4/)
  } finally {
    await http.app.close()
  }
})

test('answers to requests that Node would refuse itself have our usual form, and a request id', async () => {
  const http = await server()
  await http.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = http.app.server.address() as AddressInfo
  const answerTo = async (...lines: string[]): Promise<string> => {
    const socket = net.connect(port, '127.0.0.1')
    let said = ''
    socket.on('data', (piece) => {
      said += piece
    })
    socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`)
    await once(socket, 'close')
    return said
  }
  try {
    const path = `/api/v1/customer/things/${ID}`
    const hostless = await answerTo(`GET ${path} HTTP/1.1`, 'X-Request-ID: mine')
    assert.match(hostless, /^HTTP\/1\.1 400 .*x-request-id: mine\r\n.*"code":"invalid_parameter".*"parameter":"host"/s)
    assert.match(await answerTo(`GET ${path} HTTP/1.0`), /^HTTP\/1\.1 200 /)
    for (const version of ['1.0', '1.1']) {
      const twice = await answerTo(`GET ${path} HTTP/${version}`, 'Host: x', 'hOST: x')
      assert.match(twice, /^HTTP\/1\.1 400 .*"code":"invalid_parameter".*"parameter":"host","rule":"unique"/s)
    }
    const expecting = await answerTo(`GET ${path} HTTP/1.1`, 'Host: x', 'Expect: foo')
    assert.match(expecting, /^HTTP\/1\.1 200 .*x-request-id: /s)
  } finally {
    await http.app.close()
  }
})

// By default Node would check for the first time after 30 s.
test('unfinished headers are answered with 408 after 15 s', { timeout: 25_000 }, async () => {
  const { app } = await server()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = net.connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  try {
    socket.write('GET /api/v1/customer/things HTTP/1.1\r\nhost: mail.example\r\nx-slow: ')
    const drip = setInterval(() => socket.write('a'), 1_000)
    let answer = ''
    for await (const chunk of socket.setEncoding('latin1')) answer += String(chunk)
    clearInterval(drip)
    assert.match(answer, /^HTTP\/1\.1 408 .*did not arrive in time/s)
  } finally {
    socket.destroy()
    await app.close()
  }
})
