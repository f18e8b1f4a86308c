// Answers that their clients do not read, over plain connections and over TLS.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import net, { type AddressInfo, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import tls from 'node:tls'
import { Type } from 'typebox'
import { endpoint, httpServer, raw } from '../http.ts'
import { systemIds } from '../ids.ts'
import { createLogger } from '../log.ts'
import { selfSigned } from '../network/certificates.ts'

const UNREAD_MS = 1_000
const LARGE_BYTES = 30_000_000

for (const over of ['plain', 'tls'] as const) {
  test(`${over}: an answer that nobody reads is cut off; a slow reader, and a request that takes long, are not`, async () => {
    await using stack = new AsyncDisposableStack()
    const { app, add } = await httpServer({
      gate: { admit: () => Promise.reject(new Error('no keys here')) },
      log: createLogger('silent'),
      ids: systemIds(),
      trustedProxies: [],
      openapi: { publicUrl: 'http://mail.example', euUrl: null },
      unreadMs: UNREAD_MS,
    })
    const shown = { access: null, summary: 'Text', tag: 'Texts', answers: { 200: Type.String() }, errors: [] } as const
    add([
      endpoint({
        ...shown,
        method: 'GET',
        path: '/large',
        operationId: 'large',
        handle: async () => raw('text/plain', 'x'.repeat(LARGE_BYTES)),
      }),
      endpoint({
        ...shown,
        method: 'GET',
        path: '/late',
        operationId: 'late',
        handle: async () => {
          await delay(2 * UNREAD_MS)
          return raw('text/plain', 'late')
        },
      }),
    ])
    await app.listen({ host: '127.0.0.1', port: 0 })
    stack.defer(() => app.close())
    let server: Server = app.server
    if (over === 'tls') {
      server = createServer(selfSigned(), (request, response) => app.routing(request, response))
      await once(server.listen(0, '127.0.0.1'), 'listening')
      stack.defer(() => void server.close())
    }
    const { port } = server.address() as AddressInfo
    const ask = async (path: string): Promise<Socket> => {
      const to = { port, host: '127.0.0.1' }
      const socket = over === 'plain' ? net.connect(to) : tls.connect({ ...to, rejectUnauthorized: false })
      socket.on('error', () => undefined)
      await once(socket, over === 'plain' ? 'connect' : 'secureConnect')
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
      return socket
    }
    const readAll = async (socket: Socket): Promise<number> => {
      let bytes = 0
      for await (const chunk of socket) {
        bytes += (chunk as Buffer).length
        if (bytes < LARGE_BYTES / 2) await delay(10)
      }
      return bytes
    }
    const [silent, slow, late] = await Promise.all([ask('/large'), ask('/large'), ask('/late')])
    const began = performance.now()
    const [read, small] = await Promise.all([readAll(slow), readAll(late)])
    assert.ok(performance.now() - began > UNREAD_MS)
    assert.ok(read > LARGE_BYTES && small > 0, `${read} and ${small} bytes`)
    const open = (): Promise<number> =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      )
    for (const end = performance.now() + 10_000; (await open()) > 0; await delay(20))
      assert.ok(performance.now() < end, 'the silent client is still connected')
    silent.destroy()
  })
}
