// Unknown paths and methods: one answer, whether the router or Node's parser refuses the request.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import tls, { createSecureContext } from 'node:tls'
import { Type } from 'typebox'
import { endpoint, type HttpServer, httpServer, IdParams, single } from '../http.ts'
import { httpsService } from '../https.ts'
import { systemIds } from '../ids.ts'
import { createLogger } from '../log.ts'
import { selfSigned } from '../network/certificates.ts'

const ID = '01980000-0000-7000-8000-000000000000'

let server: HttpServer

before(async () => {
  server = await httpServer({
    gate: {
      admit: async () => ({ accountId: ID, keyId: null, mode: 'live', scopes: ['full'], domainIds: null }),
    },
    log: createLogger('silent'),
    ids: systemIds(),
    trustedProxies: [],
    openapi: { publicUrl: 'http://mail.example', euUrl: null },
    isWithheld: (host) => host === 'go.shop.example',
  })
  const about = {
    access: { scope: 'things:read' },
    summary: 'Things',
    tag: 'Things',
    answers: { 200: Type.Object({}) },
  }
  const handle = async ({ query }: { readonly query: unknown }) => single(query as object)
  const query = Type.Object({
    cursor: Type.Optional(Type.String({ format: 'uuid' })),
    kind: Type.Optional(Type.Union([Type.Literal('hard'), Type.Literal('soft')])),
    type: Type.Optional(Type.Enum(['hard', 'soft'])),
    at: Type.Optional(Type.String({ format: 'date-time' })),
  })
  server.add([
    endpoint({ ...about, method: 'GET', path: '/api/v1/things', query, handle }),
    endpoint({ ...about, method: 'GET', path: '/api/v1/things/{id}', params: IdParams, handle }),
    endpoint({ ...about, method: 'POST', path: '/api/v1/things/{id}/turn', params: IdParams, handle }),
  ])
  await server.app.listen({ port: 0, host: '127.0.0.1' })
})
after(() => server.app.close())

async function asked(method: 'GET' | 'POST' | 'DELETE', url: string): Promise<readonly [number, string]> {
  const answer = await server.app.inject({ method, url })
  return [answer.statusCode, answer.json().code]
}

test('a path with an empty id does not exist, and a malformed id is reported', async () => {
  assert.deepEqual(await asked('GET', '/api/v1/things/x'), [400, 'invalid_parameter'])
  for (const url of ['/api/v1/things/', `/api/v1/things/${ID}/`, '/api/v1/things/?a=b', '/api/v1/things//turn']) {
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      assert.deepEqual(await asked(method, url), [404, 'not_found'], `${method} ${url}`)
    }
  }
})

test('a path that is not percent-encoded UTF-8 is refused, not taken for one that is absent', async () => {
  for (const odd of ['%', '%zz', '50%off@shop.example', '%ff', '%ED%A0%80']) {
    const url = `/api/v1/things/${odd}`
    const answer = await server.app.inject({ method: 'GET', url })
    assert.deepEqual([answer.statusCode, answer.json().details.parameter], [400, 'url'], odd)
    const withheld = await server.app.inject({ method: 'GET', url, headers: { host: 'go.shop.example' } })
    assert.deepEqual([withheld.statusCode, typeof withheld.headers['x-request-id']], [404, 'string'], odd)
  }
})

test('an empty cursor is the beginning of a list, whatever the format of cursors', async () => {
  const answer = await server.app.inject({ method: 'GET', url: '/api/v1/things?cursor=' })
  assert.deepEqual([answer.statusCode, answer.json().data], [200, {}])
  assert.equal((await asked('GET', '/api/v1/things?cursor=x'))[0], 400)
})

test('an empty filter of fixed words filters nothing, like an empty text; an empty time is not valid', async () => {
  const answer = await server.app.inject({ method: 'GET', url: '/api/v1/things?kind=&type=' })
  assert.deepEqual([answer.statusCode, answer.json().data], [200, {}])
  for (const wrong of ['kind=x', 'kind=HARD', 'type=x', 'type=HARD', 'at='])
    assert.deepEqual(await asked('GET', `/api/v1/things?${wrong}`), [400, 'invalid_parameter'], wrong)
})

test('what no path or no method has is told ahead of what is wrong with its body', async () => {
  const bodies: [type: string | null, body: string][] = [
    ['application/json', '{"a":'],
    ['text/plain', 'x'],
    ['application/json', ' '.repeat(2_000_000)],
    [null, ''],
  ]
  for (const [type, payload] of bodies) {
    for (const method of ['POST', 'DELETE', 'PROPFIND', 'QUERY']) {
      for (const [url, code] of [
        ['/nothing', 'not_found'],
        ['/api/v1/things', 'method_not_allowed'],
      ]) {
        const headers = type === null ? {} : { 'content-type': type }
        const answer = await server.app.inject({ method: method as 'POST', url: url ?? '', headers, payload })
        assert.equal(answer.json().code, code, `${method} ${url} ${type} ${payload.slice(0, 5)}`)
        assert.equal(answer.headers.allow, code === 'not_found' ? undefined : 'GET, HEAD')
      }
    }
  }
})

function onTheWire(text: string): Promise<string> {
  return answerOf(net.connect((server.app.server.address() as AddressInfo).port, '127.0.0.1'), text)
}

async function answerOf(socket: net.Socket, text: string): Promise<string> {
  let answer = ''
  socket.on('data', (data: Buffer) => {
    answer += data.toString()
  })
  socket.write(text)
  await once(socket, 'close')
  return answer
}

const END = 'Host: mail.example\r\n\r\n'

test('an unregistered method is refused like any other that the path does not support', async () => {
  for (const method of ['FOO', 'get', 'X-Y']) {
    const answer = await onTheWire(`${method} /api/v1/things/${ID}?a=b HTTP/1.1\r\n${END}`)
    assert.match(answer, /^HTTP\/1\.1 405 Method Not Allowed\r\n/, method)
    assert.match(answer, /\r\nallow: GET, HEAD\r\n/i)
    const { code, details, request_id: id } = JSON.parse(answer.split('\r\n\r\n')[1] ?? '')
    assert.deepEqual([code, details], ['method_not_allowed', { allow: 'GET, HEAD' }])
    assert.ok(answer.includes(`X-Request-ID: ${id}`))
  }
  assert.match(await onTheWire(`FOO /nothing HTTP/1.1\r\n${END}`), /^HTTP\/1\.1 404 .*"not_found"/s)
  const withheld = await onTheWire('FOO /api/v1/things HTTP/1.1\r\nHost: go.shop.example:80\r\n\r\n')
  assert.match(withheld, /^HTTP\/1\.1 400 /, 'under the name of another nothing of ours is at any path')
  assert.match(await onTheWire('\u0016\u0003\u0001 nonsense\r\n\r\n'), /^HTTP\/1\.1 400 /)
})

test('what is not HTTP is answered over TLS as it is without, by the name of the handshake', async () => {
  const own = selfSigned({ names: ['mail.example'] })
  const secure = httpsService({
    host: '127.0.0.1',
    port: 0,
    log: createLogger('silent'),
    own,
    ownNames: ['mail.example'],
    contextFor: () => createSecureContext(own),
    handle: () => (request, response) => server.app.routing(request, response),
    answerBroken: server.answerBroken,
    fastPath: null,
  })
  await secure.start()
  const asked = (servername: string, text: string): Promise<string> =>
    answerOf(tls.connect({ port: secure.port() ?? 0, servername, rejectUnauthorized: false }), text)
  try {
    const known = await asked('mail.example', `FOO /api/v1/things HTTP/1.1\r\n${END}`)
    assert.match(known, /^HTTP\/1\.1 405 .*\r\nallow: GET, HEAD\r\n.*"method_not_allowed"/is)
    assert.match(
      await asked('go.shop.example', `FOO /api/v1/things HTTP/1.1\r\n${END}`),
      /^HTTP\/1\.1 400 .*"request_id"/s,
    )
    const large = `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n${END}`
    assert.match(
      await asked('mail.example', large),
      /^HTTP\/1\.1 431 .*"The header of the request is too large.*"request_id"/s,
    )
  } finally {
    await secure.stop(AbortSignal.abort())
  }
})
