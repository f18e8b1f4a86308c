import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { fastify } from 'fastify'
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
