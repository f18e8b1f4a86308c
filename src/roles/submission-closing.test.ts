// Connections that end before their TLS handshake, or never begin it. A handshake on a closed socket would crash the process.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { selfSigned } from '../../test/world/certificate.ts'
import { plain, smtpSession, submissionWorld } from '../../test/world/submission.ts'
import { SubmissionServer } from './submission-protocol.ts'

async function listening(): Promise<{ readonly server: SubmissionServer; readonly port: number }> {
  const { key, cert } = selfSigned()
  const onAuth = (_auth: unknown, _session: unknown, done: (error: null, answer: { user: string }) => void): void =>
    done(null, { user: 'x' })
  const server = new SubmissionServer(
    { secure: true, key, cert, disableReverseLookup: true, onAuth },
    { mayConnect: () => true },
  )
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return { server, port: (server.server.address() as AddressInfo).port }
}

test('a connection accepted at the moment of a stop is closed', async () => {
  const { server, port } = await listening()
  const closed = new Promise<void>((resolve) => server.server.once('connection', () => server.close(() => resolve())))
  const client = net.connect(port, '127.0.0.1')
  client.on('error', () => undefined)
  await once(client, 'close')
  await closed
})

test('a connection that is gone before its handshake does not affect others', async () => {
  const { server, port } = await listening()
  server.server.once('connection', (socket) => socket.destroy())
  const client = net.connect(port, '127.0.0.1')
  client.on('error', () => undefined)
  await once(client, 'close')
  const next = await smtpSession(port, { secure: true })
  await next.ask('EHLO client.example')
  assert.match(await next.ask(`AUTH PLAIN ${plain('a', 'b')}`), /^235/)
  next.close()
  await new Promise<void>((resolve) => server.close(() => resolve()))
})

test('connections that never begin their handshake are limited for each address, and no session counts among them', async () => {
  await using world = await submissionWorld({ rateLimits: true })
  const connected = async (): Promise<net.Socket> => {
    const socket = net.connect(world.tlsPort, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  const session = await world.session()
  const silent = await Promise.all(Array.from({ length: 50 }, connected))
  await once(await connected(), 'close')
  assert.ok(silent.every(({ readyState }) => readyState === 'open'))
  assert.match(await session.ask('NOOP'), /^250/)
  silent[0]?.destroy()
  // The service sees the end of a connection a moment after its client.
  for (let said = ''; !said.startsWith('250'); ) said = await (await world.session()).ask('NOOP')
  for (const socket of silent) socket.destroy()
})
