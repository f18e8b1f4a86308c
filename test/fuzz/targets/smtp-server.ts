// The server side of SMTP: commands, AUTH and DATA from a client that sends arbitrary bytes, in pieces cut anywhere.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { SubmissionServer } from '../../../src/roles/submission-protocol.ts'
import type { Random, Target } from '../frame.ts'

const PASSWORD = 'secret'
const plain = Buffer.from(`\0user\0${PASSWORD}`).toString('base64')
const MAIL = 'MAIL FROM:<a@shop.test> SIZE=100 BODY=8BITMIME\r\nRCPT TO:<b@dest.test>\r\nDATA\r\n'

interface Taken {
  logins: number
  mails: number
}
let taken: Taken = { logins: 0, mails: 0 }

const server = new SubmissionServer(
  {
    name: 'mail.test',
    secure: false,
    allowInsecureAuth: true,
    authOptional: false,
    authMethods: ['PLAIN', 'LOGIN'],
    size: 10_000,
    maxRecipients: 10,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    socketTimeout: 10_000,
    onAuth: ({ username, password }, _session, done) => {
      if (username !== 'user' || password !== PASSWORD) return done(new Error('no'))
      taken.logins++
      done(null, { user: 'user' })
    },
    onData: (stream, session, done) => {
      assert.ok(session.user !== undefined, 'a mail of somebody who did not log in')
      assert.ok(session.envelope.rcptTo.length > 0 && session.envelope.rcptTo.length <= 10)
      for (const { address } of session.envelope.rcptTo) assert.doesNotMatch(address, /[\r\n\0]/)
      stream.resume()
      stream.on('end', () => {
        taken.mails++
        done(null, '2.0.0 taken')
      })
    },
  },
  { mayConnect: () => true },
)
server.on('error', () => undefined)
server.listen(0, '127.0.0.1')
await once(server.server, 'listening')
server.server.unref()
const { port } = server.server.address() as AddressInfo

export const target: Target = {
  name: 'smtp-server',
  about: 'the server side of SMTP: commands, AUTH, DATA (submission-protocol over smtp-server)',
  seeds: [
    `EHLO client.test\r\nAUTH PLAIN ${plain}\r\n${MAIL}`,
    `EHLO client.test\r\nAUTH LOGIN\r\n${Buffer.from('user').toString('base64')}\r\n${Buffer.from(PASSWORD).toString('base64')}\r\nRSET\r\nNOOP\r\n`,
    `HELO x\r\n${MAIL}From: a@shop.test\r\n\r\n..dot\r\n.\r\nQUIT\r\n`,
    'EHLO [127.0.0.1]\r\nMAIL FROM:<>\r\nRCPT TO:<"a b"@dest.test> NOTIFY=NEVER\r\nVRFY x\r\nHELP\r\nSTARTTLS\r\n',
    `EHLO a\r\nAUTH PLAIN\r\n${plain}\r\nBDAT 5 LAST\r\nMAIL FROM:<@a.test:b@c.test>\r\n`,
    'AUTH PLAIN =\r\nAUTH CRAM-MD5\r\n*\r\nEXPN x\r\n',
  ],
  words: [
    'EHLO a\r\n',
    'AUTH PLAIN ',
    'AUTH LOGIN ',
    plain,
    '*\r\n',
    'MAIL FROM:<',
    'RCPT TO:<',
    '>',
    'DATA\r\n',
    '\r\n.\r\n',
    '\n.\n',
    '\r.\r',
    '\r\n',
    '\r',
    '\n',
    '\0',
    'RSET\r\n',
    ' SIZE=',
    ' SMTPUTF8',
    '=',
    '"',
    '@',
    'XCLIENT ADDR=1.2.3.4\r\n',
    'PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\n',
  ],
  maxBytes: 40_000,
  run: async (input, random) => {
    taken = { logins: 0, mails: 0 }
    const answered = await conversation(input, random)
    const lines = answered.split('\r\n')
    assert.equal(lines.pop(), '', 'a reply without its end')
    for (const line of lines) assert.match(line, /^[2345]\d\d[ -][\x20-\x7e]*$/, 'no reply')
    assert.ok(answered.length < 100 * input.length + 10_000)
    if (taken.mails > 0) assert.ok(taken.logins > 0 && input.includes(plain))
    return [...new Set(lines.map((line) => line.slice(0, 9)))].slice(0, 6).join()
  },
}

interface Greeted {
  readonly socket: net.Socket
  /** Replies after the greeting. */
  text: string
  readonly closed: Promise<unknown>
}

/** Connections opened in advance: the server delays its greeting by 0.1 s to detect clients that talk first. */
const AHEAD = 50
const waiting: Promise<Greeted>[] = []

async function greeted(): Promise<Greeted> {
  const socket = net.connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const one = { socket, text: '', closed }
  await Promise.race([once(socket, 'data'), closed])
  socket.on('data', (chunk) => {
    one.text += chunk.toString('latin1')
  })
  return one
}

async function conversation(input: Buffer, random: Random): Promise<string> {
  while (waiting.length < AHEAD) waiting.push(greeted())
  const one = (await waiting.shift()) ?? (await greeted())
  const { socket, closed } = one
  const pieces = 1 + random.below(4)
  let from = 0
  for (let left = pieces; left > 0; left--) {
    const to = left === 1 ? input.length : from + random.below(input.length - from + 1)
    socket.write(input.subarray(from, to))
    from = to
    if (left > 1) await new Promise((resolve) => setImmediate(resolve))
  }
  socket.end()
  await closed
  return one.text
}
