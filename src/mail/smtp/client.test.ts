import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selfSigned } from '../../../test/world/certificate.ts'
import { type Answer, type Receiver, type ReceiverScript, startReceiver } from '../../../test/world/receiver.ts'
import { systemClock } from '../../platform/clock.ts'
import { type OpenOptions, type SendResult, SmtpConnection, type Transaction } from './client.ts'

const MESSAGE = Buffer.from('Subject: hello\r\n\r\n.one dot\r\n..two\r\nbye\r\n')
const TRANSACTION: Transaction = { from: 'a@shop.example', recipients: ['b@example.net'], message: MESSAGE }

function options(mx: Receiver, more: Partial<OpenOptions> = {}): OpenOptions {
  const timeouts = { connect: 2_000, tls: 300, banner: 300, ehlo: 300, auth: 300, mail: 300, rcpt: 300, data: 300 }
  return {
    host: 'mx.test',
    ip: mx.ip,
    port: mx.port,
    ehloName: 'out.shop.example',
    tls: 'opportunistic',
    clock: systemClock(),
    ...more,
    timeouts: { ...timeouts, block: 300, dot: 400, quit: 100, ...more.timeouts },
  }
}

async function opened(mx: Receiver, more: Partial<OpenOptions> = {}): Promise<SmtpConnection> {
  const result = await SmtpConnection.open(options(mx, more))
  assert.equal(result.kind, 'open', JSON.stringify(result))
  return (result as { connection: SmtpConnection }).connection
}

/** `open`, or `phase code` of the failure. */
async function opening(script: ReceiverScript, more: Partial<OpenOptions> = {}): Promise<string> {
  await using mx = await startReceiver(script)
  const result = await SmtpConnection.open(options(mx, more))
  if (result.kind === 'open') {
    await result.connection.quit()
    return `open ${result.connection.tls === null ? 'plain' : 'tls'}`
  }
  assert.ok(result.dialogue.length > 0)
  return result.kind === 'refused' ? `${result.phase} ${result.reply.code}` : `${result.phase} ${result.fault.code}`
}

function told({ recipients }: SendResult): string[] {
  return recipients.map((outcome) => {
    if (outcome.kind === 'failed') return `${outcome.phase} ${outcome.fault.code}${outcome.dotSent ? ' dot sent' : ''}`
    return `${outcome.command} ${outcome.reply.code}${outcome.kind === 'unsupported' ? ` ${outcome.reply.enhanced}` : ''}`
  })
}

const stall: Answer = { then: 'stall' }
const close: Answer = { then: 'close' }
const afterTls = (answer: Answer): ReceiverScript => ({ tls: true, ehlo: (_, { tls }) => (tls ? answer : 'default') })

const OPENINGS: [name: string, script: ReceiverScript, expected: string, more?: Partial<OpenOptions>][] = [
  ['a greeting of 554', { banner: '554 no' }, 'banner 554'],
  ['a greeting of 421', { banner: '421 busy' }, 'banner 421'],
  ['no greeting', { banner: stall }, 'banner timeout'],
  ['a close instead of a greeting', { banner: close }, 'banner closed'],
  ['a reset instead of a greeting', { banner: { then: 'reset', afterMs: 20 } }, 'banner reset'],
  ['a greeting of 1 MB', { banner: { raw: `220 ${'x'.repeat(1_048_576)}\r\n` } }, 'banner protocol'],
  ['an HTTP greeting', { banner: { raw: 'HTTP/1.1 400 Bad Request\r\n\r\n' } }, 'banner protocol'],
  ['a greeting of 600', { banner: '600 hm' }, 'banner protocol'],
  ['a greeting of 354', { banner: '354 hm' }, 'banner protocol'],
  ['EHLO refused, HELO taken', { ehlo: '502 no' }, 'open plain'],
  ['EHLO and HELO refused', { ehlo: '502 no', helo: '550 no' }, 'ehlo 550'],
  ['EHLO put off', { ehlo: '451 later' }, 'ehlo 451'],
  ['EHLO closes', { ehlo: close }, 'ehlo closed'],
  ['EHLO unanswered', { ehlo: stall }, 'ehlo timeout'],
  ['STARTTLS', { tls: true }, 'open tls'],
  ['STARTTLS refused', { tls: true, starttls: '454 not now' }, 'open plain'],
  ['STARTTLS refused though required', { tls: true, starttls: '454 not now' }, 'starttls 454', { tls: 'required' }],
  ['STARTTLS answered 421', { tls: true, starttls: '421 bye' }, 'starttls 421'],
  ['STARTTLS absent though required', {}, 'starttls tls', { tls: 'required' }],
  ['TLS garbage', { tls: true, handshake: { raw: 'garbage garbage\r\n', afterMs: 20 } }, 'open plain'],
  [
    'TLS garbage though required',
    { tls: true, handshake: { raw: 'garbage garbage\r\n', afterMs: 20 } },
    'tls tls',
    { tls: 'required' },
  ],
  ['TLS that hangs', { tls: true, handshake: stall }, 'open plain'],
  ['TLS that hangs though required', { tls: true, handshake: stall }, 'tls timeout', { tls: 'required' }],
  ['TLS that closes', { tls: true, handshake: close }, 'open plain'],
  ['TLS 1.0 alone', { tls: true, maxTlsVersion: 'TLSv1' }, 'open plain'],
  ['an expired certificate', { tls: selfSigned({ notAfter: new Date('2021-01-01') }) }, 'open tls'],
  ['a foreign certificate', { tls: selfSigned({ names: ['other.test'] }) }, 'open tls'],
  [
    'a certificate that a policy refuses',
    { tls: true },
    'tls tls',
    { tls: 'required', verify: () => ({ refused: 'not the right one' }) },
  ],
  [
    'a connection that breaks just behind the handshake',
    { tls: true },
    'tls closed',
    {
      tls: 'required',
      verify: (socket) => {
        socket.destroy()
        return 'none'
      },
    },
  ],
  ['a close behind the handshake', afterTls(close), 'open plain'],
  ['silence behind the handshake', afterTls(stall), 'tls timeout', { tls: 'required' }],
  ['nonsense behind the handshake', afterTls({ raw: 'hello\r\n' }), 'ehlo protocol'],
  ['EHLO put off behind the handshake', afterTls('451 later'), 'ehlo 451'],
  ['TLS from the first byte', { tls: 'implicit' }, 'open tls', { tls: 'implicit' }],
  ['no TLS where it is due from the first byte', {}, 'tls tls', { tls: 'implicit' }],
  ['TLS off', { tls: true }, 'open plain', { tls: 'off' }],
]

for (const [name, script, expected, more] of OPENINGS) {
  test(`opening: ${name} gives "${expected}"`, async () => {
    assert.equal(await opening(script, more), expected)
  })
}

test('opening: nobody listens', async () => {
  const mx = await startReceiver()
  await mx.close()
  const result = await SmtpConnection.open(options(mx))
  assert.equal(
    result.kind === 'failed' && `${result.phase} ${result.fault.code} ${result.enhanced}`,
    'connect refused 4.4.1',
  )
})

test('opening: an abort ends it at once', async () => {
  await using mx = await startReceiver({ banner: stall })
  const result = await SmtpConnection.open(
    options(mx, { signal: AbortSignal.timeout(30), timeouts: { banner: 60_000 } }),
  )
  assert.equal(result.kind === 'failed' && result.fault.code, 'aborted')
})

test('a certificate that cannot be inspected is refused, and nothing stays open', async () => {
  await using mx = await startReceiver({ tls: true })
  const verify = (): never => {
    throw new Error('unsupported key')
  }
  const result = await SmtpConnection.open(options(mx, { tls: 'required', verify }))
  assert.ok(result.kind === 'failed')
  assert.deepEqual([result.phase, result.fault.code], ['tls', 'tls'])
  while (mx.openCount > 0) await new Promise((resolve) => setTimeout(resolve, 5))
})

test('plain text after the reply to STARTTLS is discarded', async () => {
  await using mx = await startReceiver({
    tls: true,
    starttls: { raw: '220 ok\r\n250-evil.test\r\n250-AUTH PLAIN\r\n250 SIZE 1\r\n' },
    login: { username: 'u', password: 'p', mechanisms: 'LOGIN' },
  })
  const connection = await opened(mx)
  assert.equal(connection.tls?.verified, 'none')
  assert.deepEqual(connection.capabilities.auth, ['LOGIN'])
  assert.equal(connection.capabilities.maxSizeBytes, 52_428_800)
  assert.deepEqual(told(await connection.send(TRANSACTION)), ['data 250'])
  await connection.quit()
})

test('extensions offered before TLS are discarded', async () => {
  let greetings = 0
  await using mx = await startReceiver({
    tls: true,
    ehlo: () => (++greetings === 1 ? '250-mx\n250-STARTTLS\n250-PIPELINING\n250 SMTPUTF8' : '250 mx'),
  })
  const connection = await opened(mx)
  assert.deepEqual([connection.capabilities.pipelining, connection.capabilities.smtpUtf8], [false, false])
  connection.destroy()
})

for (const mechanisms of ['PLAIN LOGIN', 'LOGIN']) {
  test(`AUTH ${mechanisms}: the password is used, and kept out of the dialogue`, async () => {
    const login = { username: 'user', password: 'the secret', mechanisms }
    await using mx = await startReceiver({ tls: true, login })
    const connection = await opened(mx, { tls: 'required', auth: login })
    await connection.send(TRANSACTION)
    assert.equal(mx.messages[0]?.authenticatedAs, 'user')
    const shown = JSON.stringify(connection.opening)
    for (const secret of ['the secret', 'user', '\0user\0the secret']) {
      assert.ok(!shown.includes(secret) && !shown.includes(Buffer.from(secret).toString('base64')))
    }
    await connection.quit()
  })
}

test('AUTH: a wrong password is a refusal, and no password is sent without TLS unless TLS is off', async () => {
  const login = { username: 'user', password: 'right' }
  const auth = { username: 'user', password: 'wrong' }
  assert.equal(await opening({ tls: true, login }, { auth }), 'auth 535')
  assert.equal(await opening({ login }, { auth }), 'auth other')
  assert.equal(await opening({ login }, { auth: login, tls: 'off' }), 'open plain')
  assert.equal(await opening({ tls: true }, { auth }), 'auth other')
})

// Each row: what the receiver does, the outcome of the recipient, and whether the connection can be reused.
const SENDINGS: [
  name: string,
  script: ReceiverScript,
  expected: string,
  usable: boolean,
  more?: Partial<Transaction>,
][] = [
  ['an ordinary receiver', {}, 'data 250', true],
  ['a receiver without extensions', { ehlo: '250 mx' }, 'data 250', true],
  ['MAIL 451', { mail: '451 later' }, 'mail 451', true],
  ['MAIL 550', { mail: '550 no' }, 'mail 550', true],
  ['MAIL closes', { mail: close }, 'mail closed', false],
  ['MAIL 421', { mail: '421 bye' }, 'mail 421', false],
  ['MAIL 354', { mail: '354 hm' }, 'mail protocol', true],
  ['RCPT 354', { rcpt: '354 hm' }, 'rcpt protocol', true],
  ['RCPT 251', { rcpt: '251 will forward' }, 'data 250', true],
  ['RCPT 252', { rcpt: '252 perhaps' }, 'data 250', true],
  ['RCPT 450', { rcpt: '450 later' }, 'rcpt 450', true],
  ['RCPT 550', { rcpt: '550 5.1.1 no such user' }, 'rcpt 550', true],
  ['RCPT 421', { rcpt: '421 bye' }, 'rcpt 421', false],
  ['RCPT unanswered', { rcpt: stall }, 'rcpt timeout', false],
  ['DATA 451', { data: '451 later' }, 'data 451', true],
  ['DATA 554', { data: '554 no valid recipients' }, 'data 554', true],
  ['DATA 250 instead of 354', { data: '250 ok' }, 'data protocol', false],
  ['DATA 399', { data: '399 go' }, 'data 250', true],
  ['DATA accepted though no recipient was', { rcpt: '550 no', data: '354 go' }, 'rcpt 550', false],
  ['a close after 354', { data: { reply: '354 go', then: 'close' } }, 'dot closed dot sent', false],
  ['the dot answered 451', { dot: '451 later' }, 'data 451', true],
  ['the dot answered 552', { dot: '552 too big' }, 'data 552', true],
  ['the dot answered 554', { dot: '554 spam' }, 'data 554', true],
  ['the dot answered 421', { dot: '421 bye' }, 'data 421', false],
  ['the dot answered 354', { dot: '354 go on' }, 'dot protocol dot sent', false],
  ['the dot answered 299', { dot: '299 fine' }, 'data 299', true],
  ['the dot answered 399', { dot: '399 hm' }, 'dot protocol dot sent', false],
  ['the dot answered 600', { dot: '600 hm' }, 'dot protocol dot sent', false],
  ['the dot answered abc', { dot: { raw: 'abc\r\n' } }, 'dot protocol dot sent', false],
  ['the dot unanswered', { dot: stall }, 'dot timeout dot sent', false],
  ['the dot closes', { dot: close }, 'dot closed dot sent', false],
  ['the dot resets', { dot: { then: 'reset' } }, 'dot reset dot sent', false],
  ['the dot answered after a long while', { dot: { reply: '250 ok', afterMs: 300 } }, 'data 250', true],
  [
    '10,000 lines after the dot',
    { dot: { raw: '250-more\r\n'.repeat(10_000).concat('250 end\r\n') } },
    'data 250',
    true,
  ],
  ['a reply without text', { dot: '250' }, 'data 250', true],
  ['a reply that ends with a bare LF', { dot: { raw: '250 ok\n' } }, 'data 250', true],
  [
    'a reply that is not UTF-8',
    { dot: { raw: Buffer.from([0x35, 0x35, 0x30, 0x20, 0xe9, 0xff, 0x0d, 0x0a]) } },
    'data 550',
    true,
  ],
  ['broken PIPELINING', { pipelining: 'broken' }, 'rcpt timeout', false],
  ['SIZE 10', { size: 10 }, 'mail 552 5.3.4', true],
  ['SIZE without a limit', { size: 0 }, 'data 250', true],
  ['8-bit without 8BITMIME', { eightBitMime: false }, 'mail 554 5.6.3', true, { eightBit: true }],
  [
    'a UTF-8 address without SMTPUTF8',
    { smtpUtf8: false },
    'rcpt 553 5.6.7',
    true,
    { recipients: ['böb@example.net'] },
  ],
  ['a UTF-8 address', {}, 'data 250', true, { recipients: ['böb@example.net'] }],
  ['UTF-8 headers without SMTPUTF8', { smtpUtf8: false }, 'rcpt 553 5.6.7', true, { smtpUtf8: true }],
  ['an empty message', {}, 'data 250', true, { message: Buffer.alloc(0) }],
]

for (const [name, script, expected, usable, more] of SENDINGS) {
  test(`sending: ${name} gives "${expected}" and a connection that is ${usable ? 'kept' : 'dropped'}`, async () => {
    await using mx = await startReceiver(script)
    const connection = await opened(mx)
    let dots = 0
    const result = await connection.send({ ...TRANSACTION, ...more, beforeDot: () => ++dots > 0 })
    assert.deepEqual(told(result), [expected])
    assert.equal(connection.usable, usable)
    assert.equal(result.stale, false)
    assert.equal(dots, mx.messages.length === 0 && !expected.includes('dot') ? 0 : 1)
    if (usable) {
      mx.script({ mail: 'default', rcpt: 'default', data: 'default', dot: 'default' })
      assert.deepEqual(
        told(await connection.send(TRANSACTION)),
        [script.size === 10 ? expected : 'data 250'],
        'the next message',
      )
    }
    await connection.quit()
  })
}

test('broken PIPELINING is reported, and without it the message is delivered', async () => {
  await using mx = await startReceiver({ pipelining: 'broken' })
  const first = await opened(mx)
  assert.equal((await first.send(TRANSACTION)).pipeliningSuspect, true)
  const second = await opened(mx, { pipelining: false })
  assert.deepEqual(told(await second.send(TRANSACTION)), ['data 250'])
  await second.quit()
})

for (const pipelining of [true, false]) {
  test(`each of 100 recipients gets its own reply, pipelining ${pipelining}`, async () => {
    const replies = ['250 ok', '450 later', '550 5.1.1 no', '552 5.2.2 full', '251 yes', '252 well']
    await using mx = await startReceiver({
      pipelining,
      rcpt: (address) => replies[Number.parseInt(address, 10) % replies.length] ?? '',
    })
    const connection = await opened(mx)
    const recipients = Array.from({ length: 100 }, (_, index) => `${index}@example.net`)
    const result = await connection.send({ ...TRANSACTION, recipients })
    const expected = ['data 250', 'rcpt 450', 'rcpt 550', 'rcpt 552', 'data 250', 'data 250']
    assert.deepEqual(
      told(result),
      recipients.map((_, index) => expected[index % expected.length]),
    )
    assert.equal(mx.messages[0]?.recipients.length, 49)
    assert.ok(result.dialogue.length <= 100)
    await connection.quit()
  })
}

test('a recipient whose address the server cannot accept does not affect the others', async () => {
  await using mx = await startReceiver({ smtpUtf8: false })
  const connection = await opened(mx)
  const result = await connection.send({ ...TRANSACTION, recipients: ['a@example.net', 'ü@example.net'] })
  assert.deepEqual(told(result), ['data 250', 'rcpt 553 5.6.7'])
  assert.deepEqual(mx.messages[0]?.recipients, ['a@example.net'])
  await connection.quit()
})

test('MAIL states size, 8-bit and SMTPUTF8 if the server supports them', async () => {
  await using mx = await startReceiver()
  const connection = await opened(mx)
  await connection.send({ ...TRANSACTION, from: '', recipients: ['ü@example.net'], eightBit: true })
  assert.deepEqual(mx.messages[0]?.mailParameters, [`SIZE=${MESSAGE.length}`, 'SMTPUTF8', 'BODY=8BITMIME'])
  await connection.quit()
})

test('the dialogue contains all commands and replies, with the body as one line', async () => {
  await using mx = await startReceiver()
  const connection = await opened(mx)
  const { dialogue } = await connection.send(TRANSACTION)
  assert.deepEqual(
    dialogue.map(({ from, line }) => `${from === 'client' ? 'C' : 'S'}: ${line}`),
    [
      `C: MAIL FROM:<a@shop.example> SIZE=${MESSAGE.length}`,
      'C: RCPT TO:<b@example.net>',
      'C: DATA',
      'S: 250 2.1.0 ok',
      'S: 250 2.1.5 ok',
      'S: 354 go',
      `C: (${MESSAGE.length} bytes)`,
      'S: 250 2.0.0 taken',
    ],
  )
  assert.ok(connection.opening.some(({ line }) => line === 'EHLO out.shop.example'))
  await connection.quit()
})

test('many messages over one connection arrive byte for byte', async () => {
  await using mx = await startReceiver({ tls: true })
  const connection = await opened(mx)
  const messages = [
    MESSAGE,
    Buffer.from('.\r\n'),
    Buffer.from('a\r\n.\r\nb\r\n'),
    Buffer.from(`${'x'.repeat(200_000)}\r\n.`.repeat(5)),
  ]
  for (const message of messages) {
    assert.deepEqual(told(await connection.send({ ...TRANSACTION, message })), ['data 250'])
  }
  const got = mx.messages.map(({ data }) => data.toString())
  assert.deepEqual(got, [...messages.slice(0, 3).map(String), `${messages[3]}\r\n`])
  assert.deepEqual([mx.connectionCount, connection.delivered], [1, 4])
  await connection.quit()
})

const BIG = Buffer.alloc(20 * 1_048_576, 'some text that goes on and on\r\n')

const BIG_SENDINGS: [name: string, script: ReceiverScript, expected: RegExp][] = [
  ['a close in the body', { midBody: { bytes: 100_000, answer: close } }, /^data (closed|reset)$/],
  ['a reset in the body', { midBody: { bytes: 100_000, answer: { then: 'reset' } } }, /^data (closed|reset)$/],
  ['no more reading', { rests: { fromBytes: 100_000, ms: 60_000 } }, /^data timeout$/],
  [
    'a 550 before the dot',
    { midBody: { bytes: 100_000, answer: { reply: '550 enough', then: 'stall' } } },
    /^data 550$/,
  ],
  [
    'a 250 before the dot',
    { midBody: { bytes: 100_000, answer: { reply: '250 enough', then: 'stall' } } },
    /^data protocol$/,
  ],
  ['20 MB', {}, /^data 250$/],
]

for (const [name, script, expected] of BIG_SENDINGS) {
  test(`sending a large message: ${name} gives ${expected}`, async () => {
    await using mx = await startReceiver(script)
    // The whole message must get through even on a busy machine; a receiver that stops reading is given up soon.
    const block = name === 'no more reading' ? 300 : 10_000
    const connection = await opened(mx, { timeouts: { block, data: 10_000, dot: 10_000 } })
    assert.match(told(await connection.send({ ...TRANSACTION, message: BIG }))[0] ?? '', expected)
    assert.equal(connection.usable, name === '20 MB')
    connection.destroy()
  })
}

test('a server that reads a large message too slowly is given up', async () => {
  await using mx = await startReceiver({ rests: { fromBytes: 0, ms: 100 } })
  const connection = await opened(mx, {
    timeouts: { block: 2_000, bytesPerSecond: BIG.length, data: 10_000, dot: 10_000 },
  })
  assert.deepEqual(told(await connection.send({ ...TRANSACTION, message: BIG })), ['data timeout'])
})

test('the wait before the final dot is ours, and no fault of the server', async () => {
  await using mx = await startReceiver()
  const connection = await opened(mx)
  const beforeDot = async (): Promise<boolean> => {
    await new Promise((resolve) => setTimeout(resolve, 1_600))
    return true
  }
  assert.deepEqual(told(await connection.send({ ...TRANSACTION, beforeDot })), ['data 250'])
  await connection.quit()
})

test('a reused connection that the server has closed is stale, a new one is not', async () => {
  await using mx = await startReceiver()
  const connection = await opened(mx)
  await connection.send(TRANSACTION)
  mx.script({ mail: '421 4.4.2 idle too long' })
  const late = await connection.send(TRANSACTION)
  assert.deepEqual([told(late), late.stale, connection.usable], [['mail 421'], true, false])
  const after = await connection.send(TRANSACTION)
  assert.deepEqual([told(after), after.stale], [['mail closed'], true])
  const fresh = await opened(mx)
  const first = await fresh.send(TRANSACTION)
  assert.deepEqual([told(first), first.stale], [['mail 421'], false])
})

for (const pipelining of [true, false]) {
  test(`a refused RSET makes the connection stale and does not refuse the next mail, pipelining ${pipelining}`, async () => {
    await using mx = await startReceiver({ rcpt: '550 5.1.1 nobody', pipelining })
    const connection = await opened(mx)
    assert.deepEqual(told(await connection.send(TRANSACTION)), ['rcpt 550'])
    mx.script({ rset: '502 5.5.1 not here', mail: '503 5.5.1 nested MAIL', rcpt: 'default' })
    const second = await connection.send(TRANSACTION)
    assert.deepEqual([told(second), second.stale, connection.usable], [['mail protocol'], true, false])
  })
}

test('an unsolicited 2xx never counts as a delivery', async () => {
  await using mx = await startReceiver({ dot: { raw: '250 ok\r\n250 ok\r\n250 ok\r\n250 ok\r\n' } })
  const connection = await opened(mx)
  await connection.send(TRANSACTION)
  const second = await connection.send(TRANSACTION)
  assert.deepEqual([told(second), second.stale, mx.messages.length], [['mail protocol'], true, 1])
})

test('an unanswered QUIT takes no longer than its time-out', async () => {
  await using mx = await startReceiver({ quit: stall })
  const connection = await opened(mx)
  const startedMs = performance.now()
  await connection.quit()
  assert.ok(performance.now() - startedMs < 10_000)
})

test('a control character never reaches the wire', async () => {
  await using mx = await startReceiver()
  const connection = await opened(mx)
  for (const bad of ['a\r\nRCPT TO:<x@y>@z', 'a\n@z', 'a\0@z', 'a\u0085@z']) {
    await assert.rejects(connection.send({ ...TRANSACTION, recipients: [bad] }), TypeError)
    await assert.rejects(connection.send({ ...TRANSACTION, from: bad }), TypeError)
  }
  await assert.rejects(SmtpConnection.open(options(mx, { ehloName: 'a\r\nb' })), TypeError)
  connection.destroy()
})
