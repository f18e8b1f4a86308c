import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { smtpSession } from '../../test/world/submission.ts'
import { SubmissionServer } from './submission-protocol.ts'

test('a handler that throws is answered 451 without its message, and all connections continue', async () => {
  const server = new SubmissionServer(
    {
      authOptional: true,
      disableReverseLookup: true,
      onMailFrom: ({ address }, _session, done) => {
        if (address.startsWith('bug')) throw new Error('a bug of ours')
        done()
      },
    },
    { mayConnect: () => true },
  )
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const [one, other] = [await smtpSession(port), await smtpSession(port)]
  try {
    for (const each of [one, other]) assert.match(await each.ask('EHLO client.test'), /^250/)
    const said = await one.ask('MAIL FROM:<bug@shop.example>')
    assert.match(said, /^451 /)
    assert.doesNotMatch(said, /of ours/)
    assert.match(await one.ask('MAIL FROM:<b@shop.example>'), /^250/)
    assert.match(await other.ask('MAIL FROM:<a@shop.example>'), /^250/)
  } finally {
    for (const each of [one, other]) each.close()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
})

test('connections from addresses of one IPv6 network count together, others do not', async () => {
  const counted: number[] = []
  const server: SubmissionServer = new SubmissionServer(
    { authOptional: true, disableReverseLookup: true },
    { mayConnect: (ip) => counted.push(server.countFrom(ip)) > 0 },
  )
  const addresses = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::1', '2001:db8:1:3::1', '192.0.2.1', '::ffff:192.0.2.1']
  // A test on one machine cannot choose the origin of a connection, so it is set here.
  server.server.prependListener('connection', (socket) => {
    Object.defineProperty(socket, 'remoteAddress', { value: addresses[counted.length] })
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const sessions: Awaited<ReturnType<typeof smtpSession>>[] = []
  try {
    for (const _ of addresses) sessions.push(await smtpSession(port))
    assert.deepEqual(counted, [0, 1, 0, 0, 1])
  } finally {
    for (const each of sessions) each.close()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
})
