import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import nodemailer from 'nodemailer'
import { ACCOUNT, hastyClock, plain, smtpSession, submissionWorld, USER } from '../../test/world/submission.ts'
import { systemClock } from '../platform/clock.ts'

const MAIL = 'From: Shop <a@shop.example>\r\nTo: b@example.net\r\nSubject: hello\r\n\r\nbody\r\n'

test('a message is answered 250 with its email id after it has been stored', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^250 2\.1\.0/)
  assert.match(await smtp.ask('RCPT TO:<b@example.net>'), /^250 2\.1\.5/)
  assert.match(await smtp.ask('DATA'), /^354/)
  smtp.write(`${MAIL}.\r\n`)
  const answer = await smtp.reply()
  const [mail, ...more] = await world.mails()
  assert.equal(answer, `250 2.0.0 queued as ${mail?.id}`)
  assert.equal(more.length, 0)
  assert.equal(mail?.subject, 'hello')
  assert.match(await smtp.ask('QUIT'), /^221/)
})

test('missing partitions of today are created, and each message of a group is stored once', async () => {
  await using world = await submissionWorld({ partitions: false })
  const sessions = await Promise.all(Array.from({ length: 8 }, () => world.session()))
  const answers = await Promise.all(
    sessions.map(async (smtp, n) => {
      await smtp.ask('MAIL FROM:<a@shop.example>')
      await smtp.ask(`RCPT TO:<b${n}@example.net>`)
      await smtp.ask('DATA')
      smtp.write(`${MAIL}.\r\n`)
      return smtp.reply()
    }),
  )
  const mails = await world.mails()
  assert.deepEqual(answers.toSorted(), mails.map(({ id }) => `250 2.0.0 queued as ${id}`).toSorted())
  assert.equal(new Set(mails.map(({ recipient }) => recipient)).size, 8)
  for (const smtp of sessions) smtp.close()
})

for (const secure of [true, false]) {
  for (const method of ['PLAIN', 'LOGIN']) {
    test(`nodemailer sends through ${secure ? 'implicit TLS' : 'STARTTLS'} and logs in with ${method}`, async () => {
      await using world = await submissionWorld()
      const transport = nodemailer.createTransport({
        host: '127.0.0.1',
        port: secure ? world.tlsPort : world.port,
        secure,
        requireTLS: true,
        tls: { rejectUnauthorized: false },
        auth: { user: USER.username, pass: USER.password },
        authMethod: method,
      })
      const info = await transport.sendMail({
        from: 'Schön <a@shop.example>',
        to: 'b@example.net, c@example.net',
        bcc: 'd@example.org',
        subject: 'Grüße',
        html: '<p>hallo</p>',
        attachments: [{ filename: 'a.bin', content: Buffer.from([0, 1, 2]) }],
        headers: { 'X-Tag': 'welcome', 'X-Sandbox': 'true' },
      })
      transport.close()
      const mails = await world.mails()
      assert.equal(info.response, `250 2.0.0 queued as ${mails[0]?.id}`)
      assert.deepEqual(
        mails.map(({ recipient, subject, tag, sandbox }) => ({ recipient, subject, tag, sandbox })),
        ['b@example.net', 'c@example.net', 'd@example.org'].map((recipient) => ({
          recipient,
          subject: 'Grüße',
          tag: 'welcome',
          sandbox: true,
        })),
      )
      assert.doesNotMatch(mails[0]?.message ?? '', /X-Tag|X-Sandbox|d@example\.org/)
    })
  }
}

// Byte sequences that some servers take for the end of the data. Each is in a message that continues after it with the
// commands of a second message.
const FAKE_ENDS = [
  '\n.\n',
  '\n.\r',
  '\r.\n',
  '\r.\r',
  '\n.\r\n',
  '\r.\r\n',
  '\r\n.\r',
  '\r\n.\n',
  '\r\n.\r\r\n',
  '\r\r\n.\r\r\n',
  '\r\n\0.\r\n',
  '\r\n.\0\r\n',
]

for (const fake of FAKE_ENDS) {
  test(`${JSON.stringify(fake)} does not end the data, however it is cut into segments`, async () => {
    await using world = await submissionWorld()
    const smtp = await world.session()
    const smuggled = `MAIL FROM:<a@shop.example>\r\nRCPT TO:<v@example.net>\r\nDATA\r\n${MAIL}`
    let sent = 0
    for (let cut = 0; cut <= fake.length; cut++) {
      await smtp.ask('MAIL FROM:<a@shop.example>')
      await smtp.ask('RCPT TO:<b@example.net>')
      await smtp.ask('DATA')
      smtp.write(MAIL.slice(0, -2) + fake.slice(0, cut))
      await new Promise((resolve) => setTimeout(resolve, 5))
      smtp.write(fake.slice(cut) + smuggled)
      await new Promise((resolve) => setTimeout(resolve, 5))
      smtp.write('\r\n.\r\n')
      assert.match(await smtp.reply(), /^250 2\.0\.0 queued as /)
      sent++
      assert.match(await smtp.ask('NOOP'), /^250/)
    }
    const mails = await world.mails()
    assert.equal(mails.length, sent)
    for (const { recipient, message } of mails) {
      assert.equal(recipient, 'b@example.net')
      assert.doesNotMatch(message, /\r(?!\n)|(?<!\r)\n/)
      assert.match(message, /MAIL FROM:<a@shop\.example>/)
    }
  })
}

test('the real end of the data ends it, cut at every byte', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  const end = '\r\n.\r\n'
  for (let cut = 0; cut <= end.length; cut++) {
    await smtp.ask('MAIL FROM:<a@shop.example>')
    await smtp.ask('RCPT TO:<b@example.net>')
    await smtp.ask('DATA')
    smtp.write(`${MAIL.slice(0, -2)}\r\n..dotted${end.slice(0, cut)}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
    smtp.write(`${end.slice(cut)}NOOP\r\n`)
    assert.match(await smtp.reply(), /^250 2\.0\.0 queued as /)
    assert.match(await smtp.reply(), /^250/)
  }
  const mails = await world.mails()
  assert.equal(mails.length, end.length + 1)
  for (const { message } of mails) assert.match(message, /body\r\n\.dotted\r\n$/)
})

test('commands with a bare CR or LF are refused', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  smtp.write('MAIL FROM:<a@shop.example>\nNOOP\r\n')
  assert.match(await smtp.reply(), /^500 5\.5\.2/)
  assert.match(await smtp.reply(), /^250/)
  assert.match(await smtp.ask('MAIL FROM:<a@shop.example>\rRCPT TO:<b@example.net>'), /^500 5\.5\.2/)
})

test('data that comes before the reply to DATA is refused and the connection closed', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  smtp.write(`MAIL FROM:<a@shop.example>\r\nRCPT TO:<b@example.net>\r\nDATA\r\n${MAIL}.\r\n`)
  assert.match(await smtp.rest(2_000), /503 5\.5\.1/)
  assert.deepEqual(await world.mails(), [])
})

test('data sent together with STARTTLS is discarded', async () => {
  await using world = await submissionWorld()
  const smtp = await smtpSession(world.port)
  await smtp.ask('EHLO client.test')
  smtp.write('STARTTLS\r\nMAIL FROM:<x@shop.example>\r\nRSET\r\n')
  assert.match(await smtp.reply(), /^220/)
  await smtp.secure()
  assert.match(await smtp.ask('NOOP'), /^250 2\.0\.0 OK/)
  assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^503/, 'the EHLO before TLS is forgotten')
  assert.match(await smtp.ask('STARTTLS'), /^503/)
})

test('data between the 220 and the handshake ends the connection and is not executed', async () => {
  await using world = await submissionWorld()
  const smtp = await smtpSession(world.port)
  await smtp.ask('EHLO client.test')
  smtp.write('STARTTLS\r\n')
  assert.match(await smtp.reply(), /^220/)
  smtp.write('MAIL FROM:<x@shop.example>\r\nRSET\r\n')
  assert.doesNotMatch(await smtp.rest(2_000), /^250/m)
  assert.equal(await smtp.ask('NOOP'), '')
})

test('AUTH is neither offered nor accepted before TLS', async () => {
  let asked = 0
  await using world = await submissionWorld({
    authenticate: async () => {
      asked++
      return { kind: 'refused' }
    },
  })
  const smtp = await smtpSession(world.port)
  const greeting = await smtp.ask('EHLO client.test')
  assert.doesNotMatch(greeting, /AUTH|CHUNKING/)
  for (const extension of ['SIZE 26214400', 'PIPELINING', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES', 'STARTTLS']) {
    assert.ok(greeting.includes(extension), extension)
  }
  assert.match(await smtp.ask(`AUTH PLAIN ${plain('a', 'b')}`), /^530 5\.7\.0/)
  assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^530 5\.7\.0/)
  assert.match(await smtp.ask('STARTTLS foo'), /^501/)
  assert.match(await smtp.ask('EXPN list'), /^502/)
  assert.equal(asked, 0)
})

test('malformed and wrong log-ins are refused alike', async () => {
  await using world = await submissionWorld({ rateLimits: false })
  const smtp = await smtpSession(world.tlsPort, { secure: true })
  assert.match(await smtp.ask('EHLO client.test'), /AUTH PLAIN LOGIN/)
  const wrong = await smtp.ask(`AUTH PLAIN ${plain(USER.username, 'nope')}`)
  assert.match(wrong, /^535 5\.7\.8/)
  assert.equal(await smtp.ask(`AUTH PLAIN ${plain('nobody', 'nope')}`), wrong)
  assert.match(await smtp.ask(`AUTH PLAIN ${plain(USER.username, USER.password, 'boss')}`), /^535 5\.7\.8/)
  assert.match(await smtp.ask('AUTH PLAIN !!!!'), /^501/)
  assert.match(await smtp.ask('AUTH PLAIN'), /^334/)
  assert.match(await smtp.ask('*'), /^501/)
  assert.match(await smtp.ask('AUTH __proto__ x'), /^504/)
  assert.match(await smtp.ask(`AUTH LOGIN ${Buffer.from('a\nb').toString('base64')}`), /^501/)
  assert.match(await smtp.ask(`AUTH PLAIN ${plain(USER.username, USER.password)}`), /^235/)
  assert.match(await smtp.ask(`AUTH PLAIN ${plain(USER.username, USER.password)}`), /^503/)
})

test('an AUTH line of a megabyte closes the connection', async () => {
  await using world = await submissionWorld()
  const smtp = await smtpSession(world.tlsPort, { secure: true })
  await smtp.ask('EHLO client.test')
  smtp.write(`AUTH PLAIN ${'A'.repeat(1_048_576)}`)
  assert.match(await smtp.rest(60_000), /^500 5\.5\.6/)
})

test('after 20 failed log-ins an address gets 421, and the right password still works', async () => {
  await using world = await submissionWorld({ clock: hastyClock() })
  const answers: string[] = []
  for (let round = 0; round < 3; round++) {
    const smtp = await smtpSession(world.tlsPort, { secure: true })
    await smtp.ask('EHLO client.test')
    for (let i = 0; i < 8; i++) {
      const answer = await smtp.ask(`AUTH PLAIN ${plain('nobody', 'nope')}`)
      if (answer !== '') answers.push(answer.slice(0, 9))
    }
    smtp.close()
  }
  assert.deepEqual(answers, [...Array.from({ length: 20 }, () => '535 5.7.8'), '421 4.7.0'])
  const smtp = await world.session()
  assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^250/)
})

test('the 51st connection from one address is refused', async () => {
  await using world = await submissionWorld()
  const held = await Promise.all(Array.from({ length: 50 }, () => smtpSession(world.port)))
  const smtp = await smtpSession(world.port)
  assert.equal(await smtp.rest(1_000), '')
  assert.equal(await smtp.ask('NOOP'), '')
  held[0]?.close()
  let answer = ''
  for (const end = performance.now() + 60_000; !answer.startsWith('250') && performance.now() < end; ) {
    const next = await smtpSession(world.port)
    answer = await next.ask('NOOP')
    next.close()
  }
  assert.match(answer, /^250/)
  for (const session of held) session.close()
})

test('while some addresses guess passwords over and over, another logs in and sends', async () => {
  await using world = await submissionWorld({ host: '0.0.0.0', clock: hastyClock() })
  let guessing = true
  let guesses = 0
  const guess = async (number: number): Promise<void> => {
    while (guessing) {
      const smtp = await smtpSession(world.tlsPort, { secure: true, localAddress: `127.1.0.${number}` })
      await smtp.ask('EHLO client.test')
      while (guessing && (await smtp.ask(`AUTH PLAIN ${plain(USER.username, 'nope')}`)) !== '') guesses++
      smtp.close()
    }
  }
  const flood = Array.from({ length: 20 }, (_, number) => guess(number + 1))
  try {
    const guessed = async (most: number): Promise<void> => {
      while (guesses < most) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await guessed(20)
    for (let i = 0; i < 5; i++) {
      const began = performance.now()
      const smtp = await smtpSession(world.tlsPort, { secure: true, localAddress: '127.2.0.1' })
      await smtp.ask('EHLO client.test')
      assert.match(await smtp.ask(`AUTH PLAIN ${plain(USER.username, USER.password)}`), /^235/)
      assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^250/)
      assert.match(await smtp.ask('RCPT TO:<b@example.net>'), /^250/)
      assert.match(await smtp.ask('DATA'), /^354/)
      assert.match(await smtp.ask(`${MAIL}.`), /^250/)
      const ms = performance.now() - began
      assert.ok(ms < 30_000, `${Math.round(ms)} ms beside ${guesses} guesses`)
      smtp.close()
    }
    await guessed(20 * 20)
  } finally {
    guessing = false
    await Promise.all(flood)
  }
})

test('5,000 connections from all over do not keep a good client out', { timeout: 120_000 }, async () => {
  await using world = await submissionWorld({ host: '0.0.0.0' })
  const held: net.Socket[] = []
  try {
    for (let group = 0; group < 100; group++) {
      const sockets = Array.from({ length: 50 }, () =>
        net.connect({ port: world.port, host: '127.0.0.1', localAddress: `127.1.0.${group + 1}` }),
      )
      held.push(...sockets)
      // Each gets 220 or a refusal.
      await Promise.all(sockets.map((socket) => once(socket, 'data')))
    }
    const began = performance.now()
    const smtp = await smtpSession(world.tlsPort, { secure: true, localAddress: '127.2.0.1' })
    await smtp.ask('EHLO client.test')
    assert.match(await smtp.ask(`AUTH PLAIN ${plain(USER.username, USER.password)}`), /^235/)
    assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^250/)
    const ms = performance.now() - began
    assert.ok(ms < 20_000, `${Math.round(ms)} ms`)
    smtp.close()
  } finally {
    for (const socket of held) socket.destroy()
  }
})

// Each row: the client's commands before DATA, and the answer to the last one.
const STEPS: [name: string, steps: string[], answer: RegExp][] = [
  ['the null sender', ['MAIL FROM:<>'], /^550 5\.7\.1/],
  ['a SIZE beyond the limit', ['MAIL FROM:<a@shop.example> SIZE=26214401'], /^552 5\.3\.4/],
  ['a SIZE at the limit', ['MAIL FROM:<a@shop.example> SIZE=26214400'], /^250/],
  ['RCPT without MAIL', ['RCPT TO:<b@example.net>'], /^503/],
  ['a recipient without a domain', ['MAIL FROM:<a@shop.example>', 'RCPT TO:<b>'], /^501 5\.1\.3/],
  ['an address literal', ['MAIL FROM:<a@shop.example>', 'RCPT TO:<b@[127.0.0.1]>'], /^501 5\.1\.3/],
  ['two addresses in one', ['MAIL FROM:<a@shop.example>', 'RCPT TO:<b@x.example,v@y.example>'], /^501 5\.1\.3/],
]
for (const [name, steps, answer] of STEPS) {
  test(`${name}: ${answer.source.replaceAll('\\', '')}`, async () => {
    await using world = await submissionWorld()
    const smtp = await world.session()
    let last = ''
    for (const step of steps) last = await smtp.ask(step)
    assert.match(last, answer)
  })
}

// Each row: a message, and the answer.
const MESSAGES: [name: string, message: string, answer: RegExp][] = [
  ['From of a foreign domain', 'From: ceo@bank.example\r\n\r\nx', /^550 5\.7\.1/],
  ['two From', 'From: a@shop.example\r\nFrom: ceo@bank.example\r\n\r\nx', /^550 5\.7\.1/],
  ['a bad tag', `From: a@shop.example\r\nX-Tag: ${'x'.repeat(129)}\r\n\r\nx`, /^550 5\.6\.0/],
  ['metadata that is no JSON', 'From: a@shop.example\r\nX-Metadata: {\r\n\r\nx', /^550 5\.6\.0/],
  ['a loop', `${'Received: by x\r\n'.repeat(51)}From: a@shop.example\r\n\r\nx`, /^554 5\.4\.6/],
  ['a quoted name that looks like an address', 'From: "ceo@bank.example" <a@shop.example>\r\n\r\nx', /^250/],
]
for (const [name, message, answer] of MESSAGES) {
  test(`${name}: ${answer.source.replaceAll('\\', '')}`, async () => {
    await using world = await submissionWorld()
    const smtp = await world.session()
    await smtp.ask('MAIL FROM:<a@shop.example>')
    await smtp.ask('RCPT TO:<b@example.net>')
    await smtp.ask('DATA')
    assert.match(await smtp.ask(`${message}\r\n.`), answer)
    assert.equal((await world.mails()).length, answer.source.startsWith('^250') ? 1 : 0)
    assert.match(await smtp.ask('NOOP'), /^250/)
  })
}

test('more than 50 recipients: 452 4.5.3; a used-up quota: 451 4.7.0', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  await smtp.ask('MAIL FROM:<a@shop.example>')
  for (let i = 0; i < 50; i++) assert.match(await smtp.ask(`RCPT TO:<b${i}@example.net>`), /^250/)
  assert.match(await smtp.ask('RCPT TO:<b50@example.net>'), /^452 4\.5\.3/)
  await smtp.ask('DATA')
  assert.match(await smtp.ask(`${MAIL}.`), /^451 4\.7\.0/)
})

test('a message over 25 MB is refused after DATA, and the session continues', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  await smtp.ask('MAIL FROM:<a@shop.example>')
  await smtp.ask('RCPT TO:<b@example.net>')
  await smtp.ask('DATA')
  smtp.write(MAIL)
  const line = Buffer.from(`${'x'.repeat(998)}\r\n`.repeat(1_000))
  for (let i = 0; i < 27; i++) smtp.write(line)
  assert.match(await smtp.ask('.'), /^552 5\.3\.4/)
  assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^250/)
})

test('one idempotency key makes one email, although date, id and boundaries differ', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  const answers: string[] = []
  for (const [boundary, text] of [
    ['one', 'x'],
    ['two', 'x'],
    ['two', 'y'],
  ]) {
    await smtp.ask('MAIL FROM:<a@shop.example>')
    await smtp.ask('RCPT TO:<b@example.net>')
    await smtp.ask('DATA')
    const head = `X-Idempotency-Key: k1\r\nFrom: a@shop.example\r\nMessage-ID: <${boundary}@shop.example>`
    const body = `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n\r\n${text}\r\n--${boundary}--`
    answers.push(await smtp.ask(`${head}\r\n${body}\r\n.`))
  }
  assert.match(answers[0] ?? '', /^250 2\.0\.0 queued as /)
  assert.equal(answers[1], answers[0])
  assert.match(answers[2] ?? '', /^550 5\.6\.0/)
  assert.equal((await world.mails()).length, 1)
})

test('no room on the disk is 452 4.3.1, a used-up rate 451 4.7.0, a store that does not answer 451 4.3.0', async () => {
  let room = false
  const { ApiError } = await import('../platform/errors.ts')
  await using world = await submissionWorld({
    disk: { hasRoom: () => room, takesMail: () => room },
    takeRate: async () => new ApiError(429, 'rate_limit_exceeded', 'too fast'),
  })
  const smtp = await world.session()
  assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^452 4\.3\.1/)
  room = true
  assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^451 4\.7\.0/)
  await using down = await submissionWorld({ authenticate: () => Promise.reject(new Error('down')) })
  const other = await smtpSession(down.tlsPort, { secure: true })
  await other.ask('EHLO client.test')
  assert.match(await other.ask(`AUTH PLAIN ${plain('a', 'b')}`), /^451 4\.3\.0/)
})

test('a stop answers 421 to idle sessions and 250 to the message under way', async () => {
  await using world = await submissionWorld()
  const idle = await world.session()
  const busy = await world.session()
  await busy.ask('MAIL FROM:<a@shop.example>')
  await busy.ask('RCPT TO:<b@example.net>')
  await busy.ask('DATA')
  busy.write(MAIL)
  const stopped = world.service.stop(AbortSignal.timeout(60_000))
  assert.match(await idle.reply(), /^421 4\.3\.2/)
  assert.match(await busy.ask('.'), /^250 2\.0\.0 queued as /)
  assert.match(await busy.reply(), /^421/)
  idle.close()
  busy.close()
  await stopped
  assert.equal((await world.mails()).length, 1)
})

test('a client that disconnects in the middle of its message leaves nothing behind', async () => {
  await using world = await submissionWorld()
  for (const part of ['', MAIL.slice(0, 20), MAIL, `${MAIL}.`, `${MAIL}.\r`]) {
    const smtp = await world.session()
    await smtp.ask('MAIL FROM:<a@shop.example>')
    await smtp.ask('RCPT TO:<b@example.net>')
    await smtp.ask('DATA')
    smtp.write(part)
    await new Promise((resolve) => setTimeout(resolve, 20))
    smtp.close()
  }
  const smtp = await world.session()
  assert.match(await smtp.ask('NOOP'), /^250/)
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.deepEqual(await world.mails(), [])
})

test('a flood of commands without effect ends the session', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  smtp.write('NOOP\r\n'.repeat(150))
  const answers = await smtp.rest(60_000)
  assert.equal(answers.match(/^250 /gm)?.length, 100)
  assert.match(answers, /^421 4\.7\.0/m)
})

for (const at of ['MAIL', 'the end of its data'] as const)
  test(`a log-in that is no longer valid ends an open session at ${at}`, async () => {
    let good = true
    let turned = 0
    const clock = { ...systemClock(), monotonicMs: () => performance.now() + turned }
    const principal = { accountId: ACCOUNT, keyId: null, mode: 'live' as const, scopes: ['full'], domainIds: null }
    await using world = await submissionWorld({
      clock,
      authenticate: async () => (good ? { kind: 'ok', principal } : { kind: 'refused' }),
    })
    const smtp = await world.session()
    good = false
    assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^250/)
    if (at === 'MAIL') await smtp.ask('RSET')
    else for (const line of ['RCPT TO:<b@example.net>', 'DATA']) await smtp.ask(line)
    turned = 5_000
    assert.match(
      await smtp.ask(at === 'MAIL' ? 'MAIL FROM:<a@shop.example>' : 'Subject: s\r\n\r\nt\r\n.'),
      /^421 4\.7\.0/,
    )
    assert.deepEqual(await world.mails(), [])
  })
