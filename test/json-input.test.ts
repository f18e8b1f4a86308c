// Requests that are built to break a parser, a database or a log. Each is answered in the documented error format, stores
// nothing and leaves the process unharmed.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { systemClock } from '../src/platform/clock.ts'
import { documentOf, isOfType, type Typed } from './world/document.ts'
import { everyDoor } from './world/every-endpoint.ts'
import { type Api, type Reply, startWorld, type World } from './world/world.ts'

const MAIL = { from: 'you@example.com', to: 'someone@example.net', subject: 'Hello', text: 'Hello' }
const NO_ID = '0192f000-0000-7000-8000-00000000dead'
const JSON_TYPE = { 'content-type': 'application/json' }
const clock = systemClock()

let world: World
let api: Api
before(async () => {
  world = await startWorld()
  api = world.account.testApi
})
after(() => world[Symbol.asyncDispose]())
afterEach(async () => {
  assert.equal(({} as { admin?: unknown }).admin, undefined, 'a prototype was written to')
  assert.equal((await world.api.get('/readyz')).status, 200)
})

function mailWith(json: string): string {
  return `${JSON.stringify(MAIL).slice(0, -1)},${json}}`
}

function refused(reply: Reply, status: number, code: string, what = ''): void {
  const shown = `${what.slice(0, 200)}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 500)}`
  assert.deepEqual([reply.status, reply.body.code], [status, code], shown)
  assert.deepEqual(Object.keys(reply.body), ['error', 'code', 'details', 'request_id'], shown)
  assert.equal(reply.headers.get('x-request-id'), reply.body.request_id)
  assert.doesNotMatch(JSON.stringify(reply.body), /\bat \w+.*:\d+:\d+|node_modules|\.ts\b|select |insert |SQLSTATE/i)
}

/** Writes the bytes as they are, and reads until the server has answered. */
async function rawExchange(text: string | Buffer, more?: (write: (bytes: Buffer) => boolean) => void): Promise<string> {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  let answer = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    answer += chunk
  })
  const over = once(socket, 'close')
  socket.write(text)
  more?.((bytes) => !socket.destroyed && socket.write(bytes))
  const answered = clock.sleep(10, AbortSignal.timeout(61_000)).then(async () => {
    while (!/\r\n\r\n[\s\S]*\}$/.test(answer)) await clock.sleep(10, AbortSignal.timeout(61_000))
  })
  await Promise.race([over.catch(() => undefined), answered, clock.sleep(60_000, AbortSignal.timeout(61_000))])
  socket.destroy()
  return answer
}

const head = (method: string, path: string, ...lines: string[]): string =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: posthorn.test', `X-API-Key: ${world.account.testApiKey}`, ...lines].join('\r\n')}\r\n\r\n`

test('a key named __proto__ is refused, wherever it stands', async () => {
  for (const json of [
    '"metadata":{"__proto__":{"admin":1}}',
    '"__proto__":{"admin":1}',
    '"variables":{"a":[{"__proto__":{"admin":1}}]}',
    '"headers":{"__proto__":"1"}',
  ]) {
    refused(await api.post('/api/v1/send', mailWith(json)), 422, 'validation_error', json)
  }
})

test('keys named like inherited properties are data', async () => {
  const metadata = { constructor: { prototype: { admin: 1 } }, toString: 'x', hasOwnProperty: 1, valueOf: null }
  const sent = await api.post('/api/v1/send', { ...MAIL, metadata })
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  assert.deepEqual((await api.get(`/api/v1/emails/${sent.body.data.email_id}`)).body.data.metadata, metadata)
})

test('the last of two equal keys counts, for every check alike', async () => {
  const twice = await api.post('/api/v1/send', mailWith('"to":"a@example.net","to":"last@example.net"'))
  assert.deepEqual(twice.body.data.to, ['last@example.net'])
  refused(
    await api.post('/api/v1/send', mailWith('"subject":"fine","subject":"A\\r\\nBcc: x"')),
    422,
    'validation_error',
  )
})

test('the depth and the number of values are limited, and refusing them takes bounded work', async () => {
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
  const deepObject = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  const keys = `{${Array.from({ length: 1_000_000 }, (_, i) => `"k${i}":1`).join(',')}}`
  for (const json of [deep, deepObject, keys]) {
    const beganMs = clock.monotonicMs()
    refused(await api.post('/api/v1/send', mailWith(`"metadata":{"a":${json}}`)), 422, 'validation_error', json)
    assert.ok(clock.monotonicMs() - beganMs < 30_000)
  }
  for (const json of [deep, deepObject]) {
    const reply = await api.post('/api/v1/customer/domains', json)
    refused(reply, 422, 'validation_error', json)
  }
})

test('a number that JavaScript cannot represent is refused, and one that it can is returned unchanged', async () => {
  for (const json of ['1e400', '-1e400']) {
    refused(await api.post('/api/v1/send', mailWith(`"metadata":{"n":${json}}`)), 422, 'validation_error', json)
  }
  const sent = await api.post('/api/v1/send', mailWith('"metadata":{"n":-0.5,"big":9007199254740991,"e":1e21,"z":-0}'))
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  const { metadata } = (await api.get(`/api/v1/emails/${sent.body.data.email_id}`)).body.data
  assert.deepEqual(metadata, { n: -0.5, big: 9_007_199_254_740_991, e: 1e21, z: 0 })
})

test('an integer that would silently change is refused', async () => {
  for (const json of ['9007199254740993', '-9007199254740993', '[12345678901234567890]']) {
    refused(await api.post('/api/v1/send', mailWith(`"metadata":{"n":${json}}`)), 422, 'validation_error', json)
  }
})

const NOT_JSON: readonly (readonly [string, Buffer | string])[] = [
  ['half', '{"from":"a@b.test"'],
  ['text', 'hello'],
  ['a comment', '{/* */}'],
  ['not UTF-8', Buffer.from('{"subject":"\xff\xfe"}', 'latin1')],
  ['overlong NUL', Buffer.from([0x7b, 0x22, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
  ['UTF-16 LE', Buffer.from(JSON.stringify(MAIL), 'utf16le')],
  ['UTF-16 LE with a mark', Buffer.from(`\ufeff${JSON.stringify(MAIL)}`, 'utf16le')],
  ['NaN', '{"a":NaN}'],
  ['a raw control', '{"a":"\x01"}'],
]

async function postBytes(
  path: string,
  body: Buffer | string,
  headers: Record<string, string> = JSON_TYPE,
): Promise<Reply> {
  const reply = await fetch(world.url + path, {
    method: 'POST',
    headers: { 'x-api-key': world.account.testApiKey, ...headers },
    body: typeof body === 'string' ? Buffer.from(body) : new Uint8Array(body),
  })
  return { status: reply.status, headers: reply.headers, body: await reply.json() }
}

test('a body that is not JSON in UTF-8 is refused as such', async () => {
  for (const [name, body] of NOT_JSON) refused(await postBytes('/api/v1/send', body), 400, 'invalid_json', name)
  for (const body of ['null', '[]', '1', '"text"', 'true']) {
    refused(await postBytes('/api/v1/send', body), 422, 'validation_error', body)
    refused(await postBytes('/api/v1/send/batch', body), 422, 'validation_error', body)
    refused(await postBytes('/api/v1/customer/domains', body), 422, 'validation_error', body)
  }
  refused(await postBytes('/api/v1/send', ''), 422, 'validation_error', 'empty')
})

test('a byte order mark before JSON is ignored', async () => {
  assert.equal((await postBytes('/api/v1/send', `\ufeff${JSON.stringify(MAIL)}`)).status, 202)
})

test('another media type, charset or coding is refused, and no spelling bypasses the schema', async () => {
  const bad = JSON.stringify({ ...MAIL, subject: 'A\nB' })
  for (const type of [
    'text/plain',
    'application/jsonx',
    'application/json; charset=utf-7',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
  ]) {
    refused(await postBytes('/api/v1/send', bad, { 'content-type': type }), 415, 'unsupported_media_type', type)
  }
  for (const type of [
    'application/json;',
    'APPLICATION/JSON',
    'application/json; charset=UTF-8',
    'application/json ;charset="utf-8"',
  ]) {
    refused(await postBytes('/api/v1/send', bad, { 'content-type': type }), 422, 'validation_error', type)
  }
  for (const type of ['application/json\ta', ' application/json']) {
    const { status } = await postBytes('/api/v1/send', bad, { 'content-type': type })
    assert.ok(status === 415 || status === 422, `${type}: ${status}`)
  }
  for (const coding of ['gzip', 'br', 'deflate', 'gzip, identity']) {
    const headers = { ...JSON_TYPE, 'content-encoding': coding }
    refused(
      await postBytes('/api/v1/send', gzipSync(JSON.stringify(MAIL)), headers),
      415,
      'unsupported_media_type',
      coding,
    )
  }
  assert.equal(
    (await postBytes('/api/v1/send', JSON.stringify(MAIL), { ...JSON_TYPE, 'content-encoding': 'identity' })).status,
    202,
  )
})

interface Shape extends Typed {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

/** One body for each string in the schema, with `text` in its place. */
function poisoned(shape: Shape, text: string): unknown[] {
  if (shape.anyOf !== undefined) return shape.anyOf.flatMap((one) => poisoned(one, text))
  if (isOfType(shape, 'string')) return [text]
  if (isOfType(shape, 'array')) return poisoned(shape.items ?? {}, text).map((one) => [one])
  if (shape.properties === undefined) return isOfType(shape, 'object') ? [{ key: text }, { [text]: 'value' }] : []
  return Object.entries(shape.properties).flatMap(([name, inner]) =>
    poisoned(inner, text).map((one) => ({ [name]: one })),
  )
}

test('NUL and lone surrogates are refused in every string of every route', async () => {
  const { paths } = await documentOf(world.api)
  const signedIn = await everyDoor(world)
  let asked = 0
  for (const [path, operations] of Object.entries(
    paths as Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Shape }> } }>>,
  )) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const schema = requestBody?.content['application/json']?.schema
      if (schema === undefined) continue
      for (const text of ['a\0b', '\ud800', '\udc00x']) {
        for (const body of poisoned(schema, text)) {
          const where = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
            name === 'email' ? 'a%40example.net' : NO_ID,
          )
          const call = { post: world.api.post, put: world.api.put, patch: world.api.patch }[method]
          assert.ok(call !== undefined, method)
          refused(
            await call(where, body, signedIn),
            422,
            'validation_error',
            `${method} ${path} ${JSON.stringify(body)}`,
          )
          asked++
        }
      }
    }
  }
  assert.ok(asked > 100, `${asked} bodies: a check that checked nothing fails`)
})

test('every operation refuses a body that is not an object and, under /api/v1, unknown fields', async () => {
  const { paths } = await documentOf(world.api)
  let asked = 0
  for (const [path, operations] of Object.entries(paths as Record<string, Record<string, { 'x-scope'?: string }>>)) {
    for (const [method, { 'x-scope': scope }] of Object.entries(operations)) {
      if (scope === undefined || method === 'get') continue
      const filled = new Map([
        ['email', 'a%40example.net'],
        ['version', '1'],
      ])
      const where = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => filled.get(name) ?? NO_ID)
      const known = path.startsWith('/api/v1/') ? ['{"no_such_field":1}'] : []
      for (const body of ['null', '[]', '5', '"text"', 'false', ...known]) {
        const reply = await fetch(world.url + where, {
          method: method.toUpperCase(),
          headers: { 'x-api-key': world.account.apiKey, ...JSON_TYPE },
          body,
        })
        const { code } = (await reply.json()) as { readonly code?: string }
        assert.deepEqual([reply.status, code], [422, 'validation_error'], `${method} ${path} ${body}`)
        asked++
      }
    }
  }
  assert.ok(asked > 200, `${asked} bodies: a check that checked nothing fails`)
})

test('NUL and lone surrogates in a path or query are refused and never cause a 500', async () => {
  const { paths } = await documentOf(world.api)
  for (const [path, operations] of Object.entries(
    paths as Record<string, Record<string, { parameters?: { name: string; in: string }[]; 'x-scope'?: string }>>,
  )) {
    const { get } = operations
    if (get?.['x-scope'] === undefined || path.endsWith('/stream')) continue
    const queries = (get.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name)
    for (const text of ['%00', 'a%00b', '%ED%A0%80', '%FF', '%', '%zz']) {
      const where = path.replaceAll(/\{\w+\}/g, path.includes('{') ? text : '')
      for (const query of ['', ...queries.map((name) => `?${name}=${text}`)]) {
        const reply = await world.api.get(where + query)
        assert.ok(reply.status < 500, `${where}${query}: ${reply.status}`)
        if (reply.status >= 400) refused(reply, reply.status, reply.body.code, where + query)
      }
    }
  }
})

const LISTS = [
  '/api/v1/emails',
  '/api/v1/inbox',
  '/api/v1/customer/bounces',
  '/api/v1/customer/suppressions',
  '/api/v1/customer/unsubscribes',
  '/api/v1/customer/api-keys',
  '/api/v1/customer/domains',
  '/api/v1/templates',
]

test('page limits out of range are refused, and a page past the end is empty', async () => {
  for (const list of LISTS) {
    for (const query of ['limit=-1', 'limit=0', 'limit=1001', 'limit=1;--', 'limit=abc', 'limit=1e99', 'limit=1.5']) {
      refused(await world.api.get(`${list}?${query}`), 400, 'invalid_parameter', `${list}?${query}`)
    }
    for (const query of [
      'page=1e9',
      'page=-1',
      'page=99999999999999999999',
      'offset=2147483648',
      'offset=-1',
      'page=1000000',
      'cursor=x',
      'limit=1&limit=2',
    ]) {
      const reply = await world.api.get(`${list}?${query}`)
      assert.ok([200, 400].includes(reply.status), `${list}?${query}: ${reply.status}`)
    }
  }
})

test('dates that do not exist are refused', async () => {
  for (const [list, names] of [
    ['/api/v1/emails', ['from', 'to']],
    ['/api/v1/customer/bounces', ['from', 'to']],
    ['/api/v1/customer/suppressions', ['from_date', 'to_date']],
  ] as const) {
    for (const name of names) {
      for (const value of [
        '2026-02-30',
        '2026-02-30T00:00:00Z',
        '99999-01-01',
        '+99999-01-01T00:00:00Z',
        'yesterday',
        '2026-13-01T00:00:00Z',
        '2026-01-01T25:00:00Z',
      ]) {
        const where = `${list}?${name}=${encodeURIComponent(value)}`
        refused(await world.api.get(where), 400, 'invalid_parameter', where)
      }
    }
  }
})

test('a search takes its text literally', async () => {
  await api.post('/api/v1/send', { ...MAIL, subject: 'one hundred 100% sure_thing back\\slash' })
  const found = async (text: string): Promise<number> => {
    const reply = await world.api.get(`/api/v1/emails?search=${encodeURIComponent(text)}`)
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
    return reply.body.pagination.total
  }
  for (const text of ['100% sure_thing', 'sure_thing', 'back\\slash']) assert.equal(await found(text), 1, text)
  for (const text of ['one%sure', 'sure_thin_', "' or 1=1 --", 'back%slash', '$1'])
    assert.equal(await found(text), 0, text)
  for (const text of ['%', '_', '\\']) assert.equal(await found(text), 1, text)
})

test('a body that is too large is refused by its announced size, before it is sent', async () => {
  const announced = `Content-Length: ${36 * 1_048_576}`
  const answer = await rawExchange(head('POST', '/api/v1/send', 'Content-Type: application/json', announced))
  assert.match(answer, /^HTTP\/1\.1 413 /)
  assert.match(answer, /"code":"payload_too_large","details":\{"limit_bytes":36700160\}/)
})

test('chunks without end are cut off at the limit, with an answer', async () => {
  const chunk = Buffer.from(`10000\r\n${' '.repeat(65_536)}\r\n`)
  const start = head('POST', '/api/v1/customer/domains', 'Content-Type: application/json', 'Transfer-Encoding: chunked')
  const answer = await rawExchange(start, (write) => {
    const more = (left: number): void => {
      if (left > 0 && write(chunk)) setImmediate(more, left - 1)
      else if (left > 0) setTimeout(more, 5, left - 1)
    }
    more(400)
  })
  assert.match(answer, /^HTTP\/1\.1 413 /)
})

test('too many header bytes and too long a URL are refused in the documented error format', async () => {
  const big = await rawExchange(head('GET', '/api/v1/emails', `X-Big: ${'x'.repeat(20_000)}`))
  assert.match(big, /^HTTP\/1\.1 431 /)
  assert.match(big, /"request_id":"[0-9a-f-]{36}"/)
  refused(await world.api.get(`/api/v1/emails?search=${'x'.repeat(8_192)}`), 400, 'invalid_parameter', 'url')
  const garbage = await rawExchange('this is not HTTP\r\n\r\n')
  assert.match(garbage, /^HTTP\/1\.1 400 [\s\S]*"request_id":/)
})

test("a client's request id is returned only when it is harmless", async () => {
  for (const id of ['a', 'A-1.b_2', 'x'.repeat(128)]) {
    assert.equal((await world.api.get('/healthz', { 'x-request-id': id })).headers.get('x-request-id'), id)
  }
  for (const id of ['x'.repeat(129), 'a b', '{"level":60}', 'a;b', '<script>', 'a%0d%0ab', '\u00e9']) {
    const { headers } = await world.api.get('/healthz', { 'x-request-id': id })
    assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/, id)
  }
  const twice = await rawExchange(head('GET', '/healthz', 'X-Request-ID: one', 'X-Request-ID: two'))
  assert.match(twice, /x-request-id: [0-9a-f-]{36}\r/i)
})

test('many query parameters do not exceed a limit of time or memory', async () => {
  const query = Array.from({ length: 700 }, (_, i) => `p${i}=1`).join('&')
  assert.equal((await world.api.get(`/api/v1/emails?${query}`)).status, 200)
})
