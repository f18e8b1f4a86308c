// TLS to servers that somebody else runs offers no Diffie-Hellman over a prime: the server would choose the prime, and a large
// one blocks the event loop in each handshake.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { connector } from '../src/platform/network/connect.ts'
import { fixture } from './world/delivery-fixture.ts'
import { declaredZones } from './world/zones.ts'

/** DHE_RSA with AES and ChaCha20: RFC 5246, RFC 5288, RFC 6655, RFC 7905. */
const DHE = [0x33, 0x39, 0x67, 0x6b, 0x9e, 0x9f, 0xc09e, 0xc09f, 0xc0a2, 0xc0a3, 0xccaa]
const ECDHE_RSA_AES_128_GCM = 0xc02f
const HANDSHAKE = 0x16

/** The cipher suites of a ClientHello (RFC 8446 section 4.1.2). */
function suitesOf(hello: Buffer): readonly number[] {
  const session = 5 + 4 + 2 + 32
  const list = session + 1 + hello.readUInt8(session)
  return Array.from({ length: hello.readUInt16BE(list) / 2 }, (_, n) => hello.readUInt16BE(list + 2 + 2 * n))
}

/** A server that breaks off each handshake, and speaks SMTP before it. */
async function listener(host: string, port = 0) {
  const offered: (readonly number[])[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1')
      if (chunk[0] === HANDSHAKE) {
        offered.push(suitesOf(chunk))
        socket.destroy()
      } else if (text.startsWith('EHLO')) socket.write('250-mx\r\n250 STARTTLS\r\n')
      else socket.write(text.startsWith('STARTTLS') ? '220 go\r\n' : '451 4.3.0 later\r\n')
    })
    if (port !== 0) socket.write('220 mx\r\n')
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    offered,
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function assertWithoutPrime(offered: readonly (readonly number[])[]): void {
  assert.equal(offered.length, 1)
  const [suites = []] = offered
  assert.ok(suites.includes(ECDHE_RSA_AES_128_GCM))
  assert.deepEqual(
    DHE.filter((suite) => suites.includes(suite)),
    [],
  )
}

test('to a receiver of mail', async () => {
  await using h = await fixture({
    'example.net': { MX: ['10 mx.example.net'] },
    'mx.example.net': { A: ['127.0.0.2'] },
  })
  await using mx = await listener('127.0.0.2', h.options.smtpPort)
  await h.put('b@example.net')
  await h.delivery.turn()
  assertWithoutPrime(mx.offered)
})

test('to a webhook endpoint or the host of a policy', async () => {
  await using server = await listener('127.0.0.1')
  const asker = connector({ resolver: declaredZones({}), allowPrivate: true })
  const request = { method: 'GET', headers: {}, body: null, timeoutMs: 5_000, tenant: 't' } as const
  await asker.request({ ...request, url: `https://127.0.0.1:${server.port}/` })
  await asker.close()
  assertWithoutPrime(server.offered)
})
