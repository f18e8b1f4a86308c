// A server that speaks out of turn: nothing it sends before it has the dot counts as the reply to the dot.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { systemClock } from '../../platform/clock.ts'
import { SmtpConnection } from './client.ts'

const GOES: Readonly<Record<string, string>> = { EHLO: '250 mx', MAIL: '250 ok', RCPT: '250 ok', DATA: '354 go' }

for (const early of ['250 2.0.0 taken', '550 5.7.1 enough']) {
  test(`"${early}" while the sender still checks whether it may send the dot does not count as a delivery`, async () => {
    let heard = ''
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined))
      socket.write('220 mx\r\n')
      socket.on('data', (chunk) => {
        heard += chunk.toString('latin1')
        const reply = GOES[chunk.toString('latin1', 0, 4)]
        if (reply !== undefined) socket.write(`${reply}\r\n`)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const { port } = server.address() as AddressInfo
      const clock = systemClock()
      const place = { ip: '127.0.0.1', host: 'mx.test', port, ehloName: 'out.test', tls: 'off' as const, clock }
      const opened = await SmtpConnection.open({ ...place, timeouts: { dot: 2_000, quit: 1 } })
      assert.ok(opened.kind === 'open')
      const { connection } = opened
      const sent = await connection.send({
        from: 'a@shop.example',
        recipients: ['b@example.net'],
        message: Buffer.from('Subject: s\r\n\r\nx\r\n'),
        beforeDot: async () => {
          sockets[0]?.write(`${early}\r\n`)
          while (connection.usable) await new Promise((resolve) => setImmediate(resolve))
          return true
        },
      })
      const [outcome] = sent.recipients
      if (early.startsWith('5')) assert.ok(outcome?.kind === 'replied' && outcome.reply.code === 550)
      else assert.ok(outcome?.kind === 'failed' && !outcome.dotSent)
      assert.doesNotMatch(heard, /^\.\r\n/m)
      assert.equal(connection.usable, false)
    } finally {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  })
}
