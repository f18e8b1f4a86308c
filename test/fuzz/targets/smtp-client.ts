// The client side of SMTP against a server that says anything: capabilities, STARTTLS, AUTH, a message to two recipients.
//
// An input is the server's output: one piece at the connect, then one for each line from the client and for each final dot.
// A line `%%` separates the pieces. After the last piece the server closes the connection.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { type OpenOptions, type Outcome, SmtpConnection } from '../../../src/mail/smtp/client.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import type { Random, Target } from '../frame.ts'

const PASSWORD = 'hunter2-very-secret'
const SECRETS = [
  PASSWORD,
  Buffer.from(PASSWORD).toString('base64'),
  Buffer.from(`\0user\0${PASSWORD}`).toString('base64'),
]
const MESSAGE = Buffer.from('Subject: x\r\n\r\n.dot\r\nBODY-OF-THE-MESSAGE\r\n')
const RECIPIENTS = ['b@dest.test', 'c@dest.test']
const TLS_MODES = ['off', 'off', 'off', 'opportunistic', 'required', 'implicit'] as const
const WAIT_MS = 25
const talk = (...pieces: string[]): string => pieces.join('\r\n%%\r\n')
const EHLO = '250-mx.test\r\n250-PIPELINING\r\n250-SIZE 9999\r\n250-AUTH PLAIN LOGIN\r\n250-8BITMIME\r\n250 SMTPUTF8'

/** Everything that the client said in one run. */
interface Recorded {
  readonly lines: string[]
  readonly pieces: string[]
  sawBody: boolean
  /** Open connections: a client may connect twice. */
  open: number
}

let next: Recorded = heardOf('')
const server = net.createServer((socket) => converse(socket, next))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
server.unref()
const { port } = server.address() as AddressInfo

export const target: Target = {
  name: 'smtp-client',
  about: 'our side of SMTP: EHLO, STARTTLS, AUTH, pipelining, DATA (smtp-client, smtp-opening, smtp-stream)',
  seeds: [
    talk('220 mx.test', EHLO, '235 2.7.0 in', '250 ok', '250 ok', '250 ok', '354 go', '250 2.0.0 queued', '221 bye'),
    talk('220 mx.test', EHLO, '235 in', '250 a\r\n250 b\r\n550 5.1.1 no\r\n354 go', '', '', '', '250 taken'),
    talk(
      '220 a',
      '250-b\r\n250 AUTH LOGIN',
      '334 VXNlcm5hbWU6',
      '334 UGFzc3dvcmQ6',
      '235 in',
      '250 a',
      '250 b',
      '451 c',
      '354 d',
      '452 full',
    ),
    talk('220 a', '250-b\r\n250-STARTTLS\r\n250 AUTH=PLAIN', '220 go', 'garbage'),
    talk('220 a', '502 no', '250 b', '250', '250', '250', '354', '554 5.7.1 spam'),
    talk('554 no'),
    talk('220 a', '250-b\r\n250-SIZE 3\r\n250 AUTH PLAIN', '535 no'),
  ],
  words: [
    '220 ',
    '250 ',
    '250-',
    '334 ',
    '354 ',
    '421 4.7.0 x\r\n',
    '550 5.1.1 ',
    '235 ',
    '\r\n',
    '\r\n%%\r\n',
    'AUTH PLAIN',
    'AUTH LOGIN',
    'STARTTLS',
    'PIPELINING',
    'SIZE 0',
    'SMTPUTF8',
    '\0',
  ],
  maxBytes: 20_000,
  run: async (input, random) => {
    const heard = heardOf(input.toString('latin1'))
    next = heard
    const tls = random.pick(TLS_MODES)
    const opened = await SmtpConnection.open(options(tls, random))
    if (opened.kind !== 'open') {
      await over(heard)
      discreet(opened.dialogue, heard, tls)
      return opened.kind === 'refused' ? `${opened.phase} ${opened.reply.code}` : `${opened.phase} ${opened.fault.code}`
    }
    const { connection } = opened
    const sent = await connection.send({ from: 'a@shop.test', recipients: RECIPIENTS, message: MESSAGE })
    await connection.quit()
    await over(heard)
    discreet([...connection.opening, ...sent.dialogue], heard, tls)
    assert.equal(sent.recipients.length, RECIPIENTS.length)
    const taken = sent.recipients.some((one) => one.kind === 'replied' && one.reply.code < 300)
    if (taken) assert.ok(heard.sawBody && sent.reply !== null && sent.reply.code < 300, 'taken, though nobody took it')
    return sent.recipients.map(shown).join(' / ')
  },
}

function options(tls: OpenOptions['tls'], random: Random): OpenOptions {
  const limits = ['connect', 'tls', 'banner', 'ehlo', 'auth', 'mail', 'rcpt', 'data', 'block', 'dot', 'quit']
  return {
    host: 'mx.test',
    ip: '127.0.0.1',
    port,
    ehloName: 'out.shop.test',
    tls,
    clock: systemClock(),
    pipelining: random.below(2) === 0,
    ...(random.below(3) > 0 && { auth: { username: 'user', password: PASSWORD } }),
    timeouts: Object.fromEntries(limits.map((name) => [name, WAIT_MS])),
  }
}

function shown(outcome: Outcome): string {
  return outcome.kind === 'failed'
    ? `${outcome.phase} ${outcome.fault.code}`
    : `${outcome.command} ${outcome.reply.code}`
}

function discreet(dialogue: readonly { readonly line: string }[], heard: Recorded, tls: OpenOptions['tls']): void {
  const told = dialogue.map(({ line }) => line).join('\n')
  assert.ok(dialogue.length <= 200 && told.length < 100_000)
  for (const secret of SECRETS) assert.ok(!told.includes(secret), 'the dialogue tells the password')
  if (tls === 'off') return
  // This server never gets as far as TLS.
  const said = heard.lines.join('\n')
  for (const secret of SECRETS) assert.ok(!said.includes(secret), 'the password was sent without TLS')
  if (tls !== 'opportunistic') assert.ok(!heard.sawBody, 'the message was sent without TLS')
}

function heardOf(script: string): Recorded {
  return { lines: [], pieces: script.split(/\r?\n%%\r?\n/).slice(0, 40), sawBody: false, open: 0 }
}

/** Waits until the server has closed every connection, and thus read all input. */
async function over(heard: Recorded): Promise<void> {
  while (heard.open > 0) await new Promise((resolve) => setTimeout(resolve, 1))
}

function converse(socket: net.Socket, heard: Recorded): void {
  heard.open++
  socket.on('close', () => heard.open--)
  let text = ''
  let inData = false
  const answer = (): void => {
    const piece = heard.pieces.shift()
    if (piece === undefined) socket.end()
    else if (piece !== '') socket.write(Buffer.from(`${piece}\r\n`, 'latin1'))
  }
  socket.on('error', () => undefined)
  socket.setTimeout(1_000, () => socket.destroy())
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
      const line = text.slice(0, end)
      text = text.slice(end + 2)
      if (line.includes('BODY-OF-THE-MESSAGE')) heard.sawBody = true
      if (!inData) heard.lines.push(line)
      if (inData && line !== '.') continue
      if (inData) inData = false
      else inData = line === 'DATA'
      answer()
    }
  })
  answer()
}
