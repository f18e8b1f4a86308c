// Hostile clients at submission.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { plain, type SmtpSession, smtpSession, submissionWorld, USER } from '../../test/world/submission.ts'

const MAIL = 'From: Shop <a@shop.example>\r\nTo: b@example.net\r\nSubject: hello\r\n\r\nbody\r\n'
const FAKE_ENDS = ['\n.\n', '\r.\r', '\n.\r\n', '\r\n.\n', '\r\n.\r', '\r\r\n.\r\r\n', '\r\n\0.\r\n', '\r\n.\0\r\n']

test('a fake end across the 16 KB and 64 KB boundaries does not end the data, and a real end does', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  const smuggled = `MAIL FROM:<a@shop.example>\r\nRCPT TO:<v@example.net>\r\nDATA\r\n${MAIL}`
  let sent = 0
  for (const edge of [16_384, 65_536]) {
    for (const fake of FAKE_ENDS) {
      for (let before = 0; before <= fake.length; before++) {
        await smtp.ask('MAIL FROM:<a@shop.example>')
        await smtp.ask('RCPT TO:<b@example.net>')
        await smtp.ask('DATA')
        const filling = edge - before - MAIL.length - 2
        const body = `${MAIL.slice(0, -2)}\r\n${`${'x'.repeat(70)}\r\n`
          .repeat(Math.ceil(filling / 72))
          .slice(0, filling)
          .replace(/\r$/, 'x')}`
        smtp.write(`${body}${fake}${smuggled}\r\n.\r\n`)
        assert.match(await smtp.reply(), /^250 2\.0\.0 queued as /)
        sent++
        assert.match(await smtp.ask('NOOP'), /^250/, `${JSON.stringify(fake)} ${before} bytes before ${edge}`)
      }
    }
  }
  const mails = await world.mails()
  assert.equal(mails.length, sent)
  for (const { recipient, message } of mails) {
    assert.equal(recipient, 'b@example.net')
    assert.doesNotMatch(message, /\r(?!\n)|(?<!\r)\n/)
  }
})

// Each row: the message's From, and the answer.
const SENDERS: [name: string, head: string, answer: RegExp][] = [
  ['no From', 'Subject: x', /^550 5\.7\.1/],
  ['an empty From', 'From:', /^550 5\.7\.1/],
  ['a From of two mailboxes', 'From: a@shop.example, ceo@bank.example', /^550 5\.7\.1/],
  ['a From of two own mailboxes', 'From: a@shop.example, b@other.example', /^550 5\.7\.1/],
  ['a From that is a group', 'From: all: a@shop.example, ceo@bank.example;', /^550 5\.7\.1/],
  ['a From of a comment and a foreign domain', 'From: (a@shop.example) ceo@bank.example', /^550 5\.7\.1/],
  ['a From with a blank before its colon', 'From : ceo@bank.example', /^550 5\.7\.1/],
  ['a folded From of a foreign domain', 'From:\r\n ceo@bank.example', /^550 5\.7\.1/],
  ['a folded From of our domain', 'From:\r\n a@shop.example', /^250/],
  ['our domain, and a tag that is empty', 'From: a@shop.example\r\nX-Tag:', /^250/],
  ['an obsolete route', 'From: <@bank.example:a@shop.example>', /^550 5\.7\.1/],
  [
    'an encoded word that hides an address',
    'From: =?utf-8?q?ceo=40bank.example=3e=00?= <a@shop.example>',
    /^(?:250|550)/,
  ],
  ['From in another case twice', 'from: a@shop.example\r\nFROM: ceo@bank.example', /^550 5\.7\.1/],
]
for (const [name, head, answer] of SENDERS) {
  test(`${name}: ${answer.source.replaceAll('\\', '')}`, async () => {
    await using world = await submissionWorld()
    const smtp = await world.session()
    await smtp.ask('MAIL FROM:<a@shop.example>')
    await smtp.ask('RCPT TO:<b@example.net>')
    await smtp.ask('DATA')
    const said = await smtp.ask(`${head}\r\nTo: b@example.net\r\n\r\nbody\r\n.`)
    assert.match(said, answer)
    const mails = await world.mails()
    assert.equal(mails.length, said.startsWith('250') ? 1 : 0)
    assert.match(await smtp.ask('NOOP'), /^250/)
  })
}

// Each row: a control header with an invalid value.
const CONTROLS = [
  `X-Tag: ${'x'.repeat(129)}`,
  'X-Metadata: []',
  'X-Metadata: "x"',
  `X-Metadata: {"k":"${'v'.repeat(4_096)}"}`,
  'X-Track-Opens: perhaps',
  'X-Track-Clicks: 2',
  'X-Sandbox: yes please',
  'X-Stream: other',
  'X-Scheduled-At: tomorrow',
  'X-Scheduled-At: 2099-01-01T00:00:00Z',
  'X-Scheduled-At: 2026-02-30T10:00:00Z',
  'X-Scheduled-At: 2026-02-28T24:00:00Z',
  `X-Idempotency-Key: ${'k'.repeat(257)}`,
  'X-Tag: one\r\nX-Tag: two',
]
test('a bad value of a control header is 550 5.6.0, and nothing is stored', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  const taken: string[] = []
  for (const header of CONTROLS) {
    await smtp.ask('MAIL FROM:<a@shop.example>')
    await smtp.ask('RCPT TO:<b@example.net>')
    await smtp.ask('DATA')
    const said = await smtp.ask(`From: a@shop.example\r\n${header}\r\n\r\nbody\r\n.`)
    if (!said.startsWith('550 5.6.0')) taken.push(`${header.slice(0, 40)}: ${said}`)
  }
  assert.deepEqual(taken, [])
  assert.deepEqual(await world.mails(), [])
  await smtp.ask('MAIL FROM:<a@shop.example>')
  await smtp.ask('RCPT TO:<b@example.net>')
  await smtp.ask('DATA')
  const said = await smtp.ask('From: a@shop.example\r\nX-Scheduled-At: tomorrow\r\n\r\nbody\r\n.')
  assert.match(said, /^550 5\.6\.0 x-scheduled-at must be a date and time with its offset, such as /)
})

test('invalid and unsupported commands are refused, and end a session that continues with them', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  for (const [command, answer] of [
    ['VRFY root', /^252|^502/],
    ['EXPN list', /^502/],
    ['HELP', /^5\d\d|^214/],
    ['BDAT 5 LAST', /^5\d\d/],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 1 2', /^5\d\d/],
    ['XCLIENT ADDR=192.0.2.1', /^5\d\d/],
    ['__proto__', /^5\d\d/],
    ['TURN', /^5\d\d/],
    ['\x1b[31mEHLO', /^5\d\d/],
  ] as const) {
    const said = await smtp.ask(command)
    assert.match(said, answer, command)
    assert.doesNotMatch(said, /smtp-server|nodemailer|node/i, 'it names no software')
  }
  let answers = 0
  while (answers < 200 && (await smtp.ask(`JUNK ${answers}`)) !== '') answers++
  assert.ok(answers <= 110, `${answers} junk commands were answered`)
})

test('an EHLO with control characters is refused', async () => {
  await using world = await submissionWorld()
  for (const name of ['a\x00b', 'a\x1b[31mb', 'a\x7fb', '']) {
    const smtp = await smtpSession(world.port)
    assert.match(await smtp.ask(`EHLO ${name}`), /^5\d\d/, JSON.stringify(name))
    smtp.close()
  }
})

test('odd user names are refused like a wrong one, and the right one still works', async () => {
  await using world = await submissionWorld({ rateLimits: false })
  const smtp = await smtpSession(world.tlsPort, { secure: true })
  await smtp.ask('EHLO client.test')
  for (const username of [
    'a\r\nb',
    '\x1b[31mred',
    'a\0b',
    '__proto__',
    'x'.repeat(8_000),
    USER.username.toUpperCase(),
  ]) {
    assert.match(await smtp.ask(`AUTH PLAIN ${plain(username, 'nope')}`), /^5(?:35|01)/, JSON.stringify(username))
  }
  assert.match(await smtp.ask(`AUTH PLAIN ${plain(USER.username, USER.password)}`), /^235/)
})

test('data and commands that arrive too slowly are ended, and nothing of them is stored', async () => {
  await using world = await submissionWorld({ patience: { commandMs: 300, dataMs: 300 } })
  const drips = async (smtp: SmtpSession, bytes: string): Promise<string> => {
    for (const byte of bytes) {
      smtp.write(byte)
      await delay(20)
    }
    return smtp.reply()
  }
  const data = await world.session()
  await data.ask('MAIL FROM:<a@shop.example>')
  await data.ask('RCPT TO:<b@example.net>')
  await data.ask('DATA')
  const [slow, late, quick] = [
    drips(data, MAIL),
    drips(await world.session(), 'NOOP'.repeat(20)),
    await world.session(),
  ]
  await quick.ask('MAIL FROM:<a@shop.example>')
  await quick.ask('RCPT TO:<c@example.net>')
  await quick.ask('DATA')
  quick.write(`${MAIL}.\r\n`)
  assert.match(await quick.reply(), /^250 2\.0\.0 queued as /)
  assert.match(await slow, /^421 4\.4\.2 the message comes too slowly/)
  assert.match(await late, /^421 4\.4\.2 the command took too long/)
  assert.deepEqual(
    (await world.mails()).map(({ recipient }) => recipient),
    ['c@example.net'],
  )
})

// Each row: a header or body with characters that a text column cannot store.
const UNKEEPABLE: [name: string, mail: string][] = [
  ['NULs between letters', 'Subject: x\r\n\r\nh\0e\0l\0l\0o\0 V\0I\0A\0G\0R\0A\0'],
  ['UTF-16 without its charset', `Content-Type: text/plain\r\n\r\n${'V I A G R A '.replaceAll(' ', '\0 \0')}`],
  ['NULs within words of fraud', 'Subject: x\r\n\r\nYour acco\0unt\0 has been\0 suspended\0. https://bit.ly/\0x'],
  [
    'NULs in html',
    'Subject: x\r\nContent-Type: text/html\r\n\r\n<a href="http://evil.ex\0ample/">https://ba\0nk.com/</a>\0',
  ],
  ['a NUL in an encoded subject', 'Subject: =?utf-8?q?V=00I=00A=00G=00R=00A=00?=\r\n\r\nbody'],
  ['a NUL in an encoded tag', 'Subject: x\r\nX-Tag: =?utf-8?q?a=00b?=\r\n\r\nbody'],
  ['a NUL in metadata', 'Subject: x\r\nX-Metadata: {"k":"a\\u0000b\\ud800"}\r\n\r\nbody'],
  ['a NUL in an idempotency key', 'Subject: x\r\nX-Idempotency-Key: =?utf-8?q?a=00b?=\r\n\r\nbody'],
  [
    'a NUL in the name of a file',
    'Content-Type: application/pdf\r\nContent-Disposition: attachment; filename="=?utf-8?q?a=00.js?="\r\n\r\nx',
  ],
  [
    'a NUL in the name of a file as RFC 2231 has it',
    "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename*=utf-8''a%00.js\r\n\r\nx",
  ],
  ['half of a pair', 'Subject: x\r\nContent-Type: text/plain; charset=utf-16le\r\n\r\nV\0 \0I\0 \0A\0\x00\xd8G\0'],
]
test('a mail with characters that no text column can store is taken or refused for good, never deferred', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  const said = new Map<string, string>()
  for (const [name, mail] of UNKEEPABLE) {
    await smtp.ask('MAIL FROM:<a@shop.example>')
    await smtp.ask('RCPT TO:<b@example.net>')
    await smtp.ask('DATA')
    smtp.write(Buffer.from(`From: a@shop.example\r\n${mail}\r\n.\r\n`, 'latin1'))
    said.set(name, await smtp.reply())
  }
  const refused = [...said].filter(([, reply]) => !reply.startsWith('250'))
  assert.deepEqual(
    refused.filter(([, reply]) => !reply.startsWith('550 ')),
    [],
  )
  assert.ok(!refused.some(([name]) => name.startsWith('NULs') || name.startsWith('UTF-16')))
})
