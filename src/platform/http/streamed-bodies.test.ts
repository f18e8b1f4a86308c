import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { fastify } from 'fastify'
import type { ApiError } from '../errors.ts'
import { largeTurns } from '../files/body-spool.ts'
import { readBodies } from './bodies.ts'

const BYTES = 20_000_000

test('a client that is still writing when its endpoint has read enough gets its answer', async () => {
  const app = fastify({ forceCloseConnections: true })
  readBodies(app)
  app.post('/', { config: { stream: ['text/csv'] } as object }, async ({ body }) => {
    for await (const _ of body as Readable) break
    return 'enough'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const signal = AbortSignal.timeout(10_000)
  try {
    const { port } = app.server.address() as AddressInfo
    const headers = { 'content-type': 'text/csv', 'content-length': BYTES }
    const asked = http.request({ host: '127.0.0.1', port, method: 'POST', headers, signal })
    const written = once(asked, 'finish', { signal })
    asked.end(Buffer.alloc(BYTES, 'x\n'))
    const [reply] = (await once(asked, 'response', { signal })) as [IncomingMessage]
    assert.equal((await reply.toArray()).join(''), 'enough')
    await written
  } finally {
    await app.close()
  }
})

test('a list is broken off when the disk has no room left for its entries, and other streams are not', async () => {
  const app = fastify({ forceCloseConnections: true })
  let hasRoom = true
  readBodies(app, { folder: tmpdir(), turns: largeTurns(), disk: { hasRoom: () => hasRoom, takesMail: () => hasRoom } })
  app.setErrorHandler<ApiError>((error, _, reply) => reply.code(error.status).send(error.code))
  app.post('/', { config: { stream: ['text/csv', 'message/rfc822'] } as object }, async ({ body }) => {
    let bytes = 0
    for await (const chunk of body as Readable) {
      bytes += (chunk as Buffer).length
      if (bytes > BYTES / 4) hasRoom = false
    }
    return String(bytes)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const signal = AbortSignal.timeout(10_000)
  const answerTo = async (type: string): Promise<readonly [status: number | undefined, text: string]> => {
    const { port } = app.server.address() as AddressInfo
    const headers = { 'content-type': type, 'content-length': BYTES }
    const asked = http.request({ host: '127.0.0.1', port, method: 'POST', headers, signal })
    asked.end(Buffer.alloc(BYTES, 'x\n'))
    const [reply] = (await once(asked, 'response', { signal })) as [IncomingMessage]
    return [reply.statusCode, (await reply.toArray()).join('')]
  }
  try {
    assert.deepEqual(await answerTo('text/csv'), [503, 'service_unavailable'])
    assert.equal(hasRoom, false, 'it was read up to then')
    assert.deepEqual(await answerTo('text/csv'), [503, 'service_unavailable'])
    assert.deepEqual(await answerTo('message/rfc822'), [200, String(BYTES)])
  } finally {
    await app.close()
  }
})

test('a client that goes away before its endpoint reads fails the reading alone', async () => {
  const app = fastify({ forceCloseConnections: true })
  readBodies(app)
  const arrived = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<unknown>()
  app.post('/', { config: { stream: ['text/csv'] } as object }, async ({ body, raw }) => {
    arrived.resolve()
    await new Promise((resolve) => raw.once('close', resolve))
    await new Promise(setImmediate)
    await (body as Readable).toArray().catch(failed.resolve)
    return ''
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  try {
    const { port } = app.server.address() as AddressInfo
    const headers = { 'content-type': 'text/csv', 'content-length': BYTES }
    const asked = http.request({ host: '127.0.0.1', port, method: 'POST', headers })
    asked.on('error', () => undefined)
    asked.write('email')
    await arrived.promise
    asked.destroy()
    assert.match(String(await failed.promise), /the client went away|aborted/)
  } finally {
    await app.close()
  }
})

const REFUSALS: readonly (readonly [path: string, expected: RegExp])[] = [
  ['/unsigned', /^HTTP\/1\.1 401 .*unsigned$/s],
  ['/small', /^HTTP\/1\.1 413 /],
]
for (const [path, expected] of REFUSALS) {
  test(`a proxy that asks for the connection to be closed can send all of a body that ${path} refuses, and reads why`, async () => {
    const app = fastify({ forceCloseConnections: true })
    readBodies(app)
    app.post('/unsigned', { onRequest: async (_, reply) => reply.code(401).send('unsigned') }, async () => 'never')
    app.post('/small', { bodyLimit: 1_000 }, async () => 'never')
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const socket = net.connect({ host: '127.0.0.1', port })
    try {
      socket.write(
        `POST ${path} HTTP/1.0\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${BYTES}\r\n\r\n`,
      )
      const part = Buffer.alloc(BYTES / 20, 'x')
      for (let written = 0; written < BYTES; written += part.length) {
        if (!socket.write(part)) await once(socket, 'drain')
        // The answer is on its way before the body is over.
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      assert.match(Buffer.concat(await socket.toArray()).toString(), expected)
    } finally {
      socket.destroy()
      await app.close()
    }
  })
}

test('a client that writes on and on after its refusal is disconnected', async () => {
  const app = fastify({ forceCloseConnections: true })
  readBodies(app)
  app.post('/', { bodyLimit: 1_000 }, async () => 'never')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const socket = net.connect({ host: '127.0.0.1', port })
  try {
    socket.on('error', () => undefined)
    socket.resume()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${1e12}\r\n\r\n`)
    const part = Buffer.alloc(BYTES / 20, 'x')
    let written = 0
    for (; written < 20 * BYTES && !socket.destroyed; written += part.length) {
      if (!socket.write(part)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
    }
    assert.ok(written > 5 * BYTES && written < 20 * BYTES, `${written} bytes`)
  } finally {
    socket.destroy()
    await app.close()
  }
})

test('an answer waits for no body on a connection that stays open', async () => {
  const app = fastify({ forceCloseConnections: true })
  readBodies(app)
  app.post('/', { onRequest: async (_, reply) => reply.code(401).send('unsigned') }, async () => 'never')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const socket = net.connect({ host: '127.0.0.1', port })
  try {
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nfirst')
    const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(10_000) })
    assert.match(String(answer), /^HTTP\/1\.1 401 /)
  } finally {
    socket.destroy()
    await app.close()
  }
})
