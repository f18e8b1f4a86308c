// Addresses that the dashboard's pages share with another interface.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { Type } from 'typebox'
import type { ApiError } from '../errors.ts'
import { endpoint, type HttpOptions, httpServer } from '../http.ts'
import { systemIds } from '../ids.ts'
import { createLogger } from '../log.ts'

/** A server with a dashboard of one page, `the page`, at these addresses. Nobody has a key. */
async function serverWithPages(addresses: readonly string[], more: Partial<HttpOptions> = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'pages-'))
  await writeFile(path.join(folder, 'index.html'), 'the page')
  const server = await httpServer({
    gate: { admit: async () => Promise.reject(new Error('nobody comes in here')) },
    log: createLogger('silent'),
    ids: systemIds(),
    trustedProxies: [],
    openapi: { publicUrl: 'http://mail.example', euUrl: null },
    pages: { folder, addresses },
    // Its timers outlast the requests that are injected.
    unreadMs: 100,
    ...more,
  })
  const close = async (): Promise<void> => {
    await server.app.close()
    await rm(folder, { recursive: true })
  }
  return { ...server, [Symbol.asyncDispose]: close }
}

test('at an address that the dashboard shares a browser gets the page, a program an error of the other interface', async () => {
  await using made = await serverWithPages(['/letters', '/letters/:id', '/keys'])
  const errorAnswer = ({ status, code, message }: ApiError) => ({ status, body: { theirs: code, message } })
  made.add([
    endpoint({
      method: 'POST',
      path: '/letters',
      access: null,
      summary: 'Theirs',
      tag: 'Theirs',
      answers: { 200: Type.Object({}) },
      foreign: { folder: '/letters', missing: 'Not here', errorAnswer },
      handle: async () => ({ status: 200, body: {} }),
    }),
  ])
  await made.app.ready()
  const get = async (url: string, headers: Record<string, string>) => {
    const { statusCode, body } = await made.app.inject({ method: 'GET', url, headers })
    return [statusCode, body]
  }
  const page = [200, 'the page']
  const typed = { accept: 'text/html,*/*;q=0.8' }
  const program = { accept: 'application/json', authorization: 'Bearer x' }
  for (const url of ['/letters', '/letters/5', '/keys']) assert.deepEqual(await get(url, typed), page, url)
  assert.deepEqual(await get('/keys', { accept: '*/*' }), page)
  assert.equal((await get('/keys', program))[0], 404, 'a client of another interface reads no page for an answer')
  for (const headers of [program, { ...typed, authorization: 'Bearer x' }, { accept: '*/*' }]) {
    assert.deepEqual(await get('/letters/5', headers), [404, '{"theirs":"not_found","message":"Not here"}'])
    assert.equal((await get('/letters', headers))[0], 405)
  }
  assert.deepEqual(await get('/letters/5/6', program), [404, '{"theirs":"not_found","message":"Not here"}'])
  assert.match((await get('/letters/%zz', program)).join(), /^400,\{"theirs":"invalid_parameter"/)
})

test('where another interface reads at the address of a view a program gets its answer, and a browser the page', async () => {
  await using made = await serverWithPages(['/letters', '/letters/:id'])
  made.add([
    endpoint({
      method: 'GET',
      path: '/letters/{id}',
      access: null,
      summary: 'Theirs',
      tag: 'Theirs',
      params: Type.Object({ id: Type.String() }),
      answers: { 200: Type.Object({}) },
      foreign: {
        folder: '/letters',
        missing: 'Not here',
        errorAnswer: ({ status, code }) => ({ status, body: { code } }),
      },
      handle: async ({ params }) => ({ status: 200, body: { letter: params.id } }),
    }),
  ])
  await made.app.ready()
  const asked = async (method: 'GET' | 'HEAD' | 'POST', url: string, headers: Record<string, string>) => {
    const { statusCode, body } = await made.app.inject({ method, url, headers })
    return [statusCode, body]
  }
  const typed = { accept: 'text/html,*/*;q=0.8' }
  const program = { accept: 'application/json', authorization: 'Bearer x' }
  assert.deepEqual(await asked('GET', '/letters/5', typed), [200, 'the page'])
  for (const headers of [program, { ...typed, authorization: 'Bearer x' }, { accept: '*/*' }, {}])
    assert.deepEqual(await asked('GET', '/letters/5', headers), [200, '{"letter":"5"}'])
  assert.deepEqual(await asked('HEAD', '/letters/5', program), [200, ''])
  assert.deepEqual(await asked('POST', '/letters/5', program), [405, '{"code":"method_not_allowed"}'])
  assert.deepEqual(await asked('GET', '/letters', program), [404, '{"code":"not_found"}'])
})

test('a page requested without TLS is redirected to TLS where we serve it there; nothing else is redirected', async () => {
  await using made = await serverWithPages(['/', '/keys'], {
    trustedProxies: ['127.0.0.1'],
    openapi: { publicUrl: 'https://mail.example', euUrl: null },
    secure: new URL('https://mail.example'),
  })
  await made.app.ready()
  const get = async (url: string, headers: Record<string, string> = {}) => {
    const all = { host: 'mail.example', accept: 'text/html', ...headers }
    const { statusCode, headers: answered } = await made.app.inject({ method: 'GET', url, headers: all })
    return [statusCode, answered['location'], answered['strict-transport-security']]
  }
  const stands = [200, undefined, undefined]
  assert.deepEqual(await get('/'), [302, 'https://mail.example/', undefined])
  assert.deepEqual(await get('/keys?a=%2f'), [302, 'https://mail.example/keys?a=%2f', undefined])
  assert.deepEqual(await get('/keyz'), [302, 'https://mail.example/keyz', undefined])
  assert.deepEqual(await get('//evil.example/'), [302, 'https://mail.example//evil.example/', undefined])
  assert.deepEqual(await get('/', { host: 'localhost:8080' }), stands)
  assert.deepEqual(await get('/', { host: 'evil.example' }), stands)
  // Behind a proxy that ends TLS without saying so, a redirect would loop for ever.
  for (const header of ['x-forwarded-for', 'via', 'forwarded']) {
    assert.deepEqual(await get('/', { [header]: '192.0.2.1' }), stands, header)
  }
  assert.deepEqual(await get('/', { 'x-forwarded-proto': 'https' }), [200, undefined, 'max-age=2592000'])
  const [status, location] = await get('/api/v1/nothing')
  assert.deepEqual([status, location], [404, undefined])
})

test('only a public URL at the usual port asks browsers to come over TLS alone: it would hold for every port of the host', async () => {
  for (const [publicUrl, asks] of [
    ['https://mail.example', 'max-age=2592000'],
    ['https://mail.example:8443', undefined],
  ] as const) {
    await using made = await serverWithPages(['/'], {
      trustedProxies: ['127.0.0.1'],
      openapi: { publicUrl, euUrl: null },
      secure: new URL(publicUrl),
    })
    await made.app.ready()
    const headers = { host: new URL(publicUrl).host, accept: 'text/html', 'x-forwarded-proto': 'https' }
    const { statusCode, headers: answered } = await made.app.inject({ method: 'GET', url: '/', headers })
    assert.deepEqual([statusCode, answered['strict-transport-security']], [200, asks], publicUrl)
  }
})
