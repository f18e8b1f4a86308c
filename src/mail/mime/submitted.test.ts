import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeWords } from 'postal-mime'
import { fieldValue, parseHeaderBlock } from './headers.ts'
import { parseMessage } from './parse.ts'
import { prepareSubmitted, type SubmissionRefusal, type SubmittedMessage } from './submitted.ts'

const NOW = new Date('2026-11-21T03:46:21Z')
const TRACE = 'Received: by mail.test with ESMTPSA\r\n\tid x; Sat, 21 Nov 2026 03:46:21 +0000\r\n'

function prepare(raw: string | Buffer): SubmittedMessage {
  const prepared = prepareSubmitted(Buffer.from(raw as string), { now: NOW, id: 'id-1', trace: TRACE })
  assert.ok(prepared.ok, JSON.stringify(prepared))
  return prepared.submitted
}

function refusal(raw: string | Buffer): SubmissionRefusal {
  const prepared = prepareSubmitted(Buffer.from(raw as string), { now: NOW, id: 'id-1', trace: TRACE })
  assert.ok(!prepared.ok)
  return prepared.refusal
}

function text({ message }: SubmittedMessage): string {
  return message.toString('utf8')
}

const DATED = 'Date: Fri, 20 Nov 2026 10:00:00 +0000\r\nMessage-ID: <a@shop.example>\r\n'

test('a message that needs no change keeps every byte after our trace field', () => {
  const raw = `${DATED}From:   "Shop,  Inc."  <a@shop.example>\r\nCc: b@x.test\r\nX-Odd:\t folded\r\n  twice \r\nSubject: x\r\n\r\nbody\r\n..\r\n`
  assert.equal(text(prepare(raw)), TRACE + raw)
})

test('a missing To, Date and Message-ID are added', () => {
  const made = prepare('From: a@shop.example\r\n\r\nx')
  assert.equal(
    text(made),
    `${TRACE}From: a@shop.example\r\nTo: undisclosed-recipients:;\r\nDate: Sat, 21 Nov 2026 03:46:21 +0000\r\nMessage-ID: <id-1@shop.example>\r\n\r\nx`,
  )
  assert.equal(made.messageId, 'id-1@shop.example')
  assert.doesNotMatch(text(prepare('From: a@shop.example\r\nDKIM-Signature: h=From:To\r\n\r\nx')), /^To:/m)
})

test('a header of more than 2,000 fields, or 256 KB, is refused', () => {
  const of = (header: string) =>
    prepareSubmitted(Buffer.from(`From: a@shop.example\r\n${header}\r\nx`), { now: NOW, id: 'id-1', trace: TRACE })
  const line = `X-Long: ${'x'.repeat(900)}\r\n`
  const most = 262_144 - 'From: a@shop.example\r\n'.length
  const full = line.repeat(Math.floor(most / line.length))
  const rest = `X: ${'y'.repeat(most - full.length - 5)}\r\n`
  assert.equal(of('X: y\r\n'.repeat(1_999)).ok, true)
  assert.equal(of(full + rest).ok, true)
  const refused = { ok: false, refusal: { code: 552, text: '5.3.4 the header is too large' } }
  assert.deepEqual(of('X: y\r\n'.repeat(2_000)), refused)
  assert.deepEqual(of(`${full}X${rest}`), refused)
})

// Each row: Message-ID fields as received, and the one that is sent.
const MESSAGE_IDS: [fields: string, id: string][] = [
  ['Message-ID: <x@y.example>\r\n', 'x@y.example'],
  ['Message-ID: <x@y.example>\r\nMessage-ID: <z@y.example>\r\n', 'x@y.example'],
  ['Message-ID: <grüße@y.example>\r\n', 'id-1@shop.example'],
  ['Message-ID: nothing\r\n', 'id-1@shop.example'],
  ['Message-ID: <nothing>\r\n', 'id-1@shop.example'],
  ['Message-ID: <@y.example>\r\n', 'id-1@shop.example'],
  ['Message-ID: <x@>\r\n', 'id-1@shop.example'],
  ['Message-ID: <x@[192.0.2.1]>\r\n', 'x@[192.0.2.1]'],
  ['Message-ID: <x@y@z.example>\r\n', 'x@y@z.example'],
  ['Message-ID: <nothing>\r\nMessage-ID: <x@y.example>\r\n', 'x@y.example'],
  ['Message-ID:\r\n <x@y.example>\r\n', 'x@y.example'],
]
for (const [fields, id] of MESSAGE_IDS) {
  test(`${JSON.stringify(fields)} is sent as ${id} alone`, () => {
    const made = prepare(`${fields}From: a@shop.example\r\n\r\nx`)
    assert.equal(made.messageId, id)
    const ids = parseHeaderBlock(made.message).fields.filter(({ key }) => key === 'message-id')
    assert.equal(ids.length, 1)
    assert.equal(fieldValue(made.message, ids[0] as never), `<${id}>`)
  })
}

// Each row: Date fields as received, and the one that is sent.
const DATES: [fields: string, date: string][] = [
  ['Date: Fri, 20 Nov 2026 10:00:00 +0100\r\n', 'Fri, 20 Nov 2026 10:00:00 +0100'],
  ['Date: 20 Nov 2026 10:00 -0000\r\n', '20 Nov 2026 10:00 -0000'],
  ['Date: fri,  1 nov 2026 1:00:00 GMT\r\n', 'fri,  1 nov 2026 1:00:00 GMT'],
  ['Date: Fri, 20 Nov 26 10:00:60 CEST (by the clock)\r\n', 'Fri, 20 Nov 26 10:00:60 CEST (by the clock)'],
  ['Date: Fri,\r\n 20 Nov 2026 10:00:00 +0000 (UTC)\r\n', 'Fri, 20 Nov 2026 10:00:00 +0000 (UTC)'],
  ...[
    ...[
      'yesterday',
      '',
      '2026-11-20T10:00:00Z',
      '1795171581',
      'Fri Nov 20 10:00:00 2026',
      'Fr, 20 Nov 2026 10:00:00 +0000',
    ],
    ...['Fri, 20 Nov 2026 10:00:00', 'Fri, 32 Nov 2026 10:00:00 +0000', 'Fri, 20 Nov 2026 24:00:00 +0000'],
    ...['Fri, 20 Nov 2026 10:60:00 +0000', 'Fri, 20 Nov 2026 10:00:00 +01:00', 'Fri, 20 Nov 2026 10:00:00 AM +0000'],
    ...['Fri, 20 Okt 2026 10:00:00 +0000', 'Fri, 20 Nov 2026 10:00:00 +0000 x', `${'('.repeat(99_999)}`],
  ].map((text): [string, string] => [`Date: ${text.replaceAll('((', '( (')}\r\n`, 'Sat, 21 Nov 2026 03:46:21 +0000']),
  ['Date: yesterday\r\nDate: 20 Nov 2026 10:00 +0000\r\n', '20 Nov 2026 10:00 +0000'],
]
for (const [fields, date] of DATES) {
  test(`${JSON.stringify(fields.slice(0, 90))} is sent as ${date} alone`, () => {
    const { message } = prepare(`${fields}From: a@shop.example\r\n\r\nx`)
    const dates = parseHeaderBlock(message).fields.filter(({ key }) => key === 'date')
    assert.deepEqual(
      dates.map((field) => fieldValue(message, field)),
      [date],
    )
  })
}

test('line ends of every kind become CRLF', () => {
  const made = prepare('From: a@shop.example\nSubject: x\r\rone\ntwo\rthree\r\n')
  assert.match(text(made), /\r\n\r\none\r\ntwo\r\nthree\r\n$/)
  assert.doesNotMatch(text(made), /\r(?!\n)|(?<!\r)\n/)
})

test('Bcc, Return-Path, Authentication-Results, control and complaint headers are removed; signatures stay', () => {
  const made = prepare(
    [
      'Return-Path: <x@y.example>',
      'Authentication-Results: mail.test; dkim=pass',
      'Feedback-ID: theirs:1:2:3',
      'CFBL-Address: fbl@shop.example; report=arf',
      'cfbl-feedback-id: b+forged',
      'Errors-To: errors@shop.example',
      'Apparently-To: secret@example.net',
      'DomainKey-Signature: a=rsa-sha1; b=x',
      'DKIM-Signature: v=1; a=rsa-sha256',
      'From: a@shop.example',
      'BCC: secret@example.net,',
      ' more@example.net',
      'x-tag : welcome',
      'X-Metadata: =?utf-8?q?{=22k=22:=22=C3=BC=22}?=',
      'X-Scheduled-At: 2026-12-01T00:00:00Z',
      'Subject: =?utf-8?b?R3LDvMOfZQ==?=',
      'To: B <b@example.net>, c@example.net',
      'List-Unsubscribe: <https://x.example>',
      '',
      'x',
    ].join('\r\n'),
  )
  assert.doesNotMatch(
    text(made),
    /secret|more@|x-tag|X-Metadata|X-Scheduled|Return-Path|Authentication-Results|Feedback-ID|CFBL|Errors-To|Apparently-To|DomainKey/i,
  )
  assert.match(text(made), /DKIM-Signature: v=1; a=rsa-sha256\r\n/)
  assert.deepEqual(Object.fromEntries(made.controls), {
    'x-tag': 'welcome',
    'x-metadata': '{"k":"ü"}',
    'x-scheduled-at': '2026-12-01T00:00:00Z',
  })
  assert.equal(made.subject, 'Grüße')
  assert.deepEqual(made.to, ['b@example.net', 'c@example.net'])
  assert.equal(made.hasListUnsubscribe, true)
})

// Each row: the From fields, and the address and name, or null when the message is refused with 550 5.6.0.
const FROMS: [fields: string, from: { address: string; name: string } | null][] = [
  ['', null],
  ['From: a@shop.example\r\nFrom: ceo@bank.example\r\n', null],
  ['From: a@shop.example, ceo@bank.example\r\n', null],
  ['From: group: a@shop.example;\r\n', null],
  ['From: a@shop.example (ceo@bank.example)\r\n', null],
  ['From: a@shop.example (a) (b)\r\n', null],
  ['From: a@shop.example(x)\r\n', null],
  ['From: (x) a@shop.example\r\n', null],
  ['From: a@shop.example (=?utf-8?q?ceo=40bank.example?=)\r\n', null],
  ['From: @bank.example:a@shop.example\r\n', null],
  ['From: =?utf-8?q?a=40bank.example=3e=00?=@shop.example\r\n', null],
  ['From: <>\r\n', null],
  ['From: "ceo@bank.example" <a@shop.example>\r\n', { address: 'a@shop.example', name: 'ceo@bank.example' }],
  ['From: a@shop.example (Cron Daemon)\r\n', { address: 'a@shop.example', name: 'Cron Daemon' }],
  ['From: a@shop.example\r\n (J. =?utf-8?q?J=C3=BCrgen?=)\r\n', { address: 'a@shop.example', name: 'J. Jürgen' }],
  ['From: a@shop.example ()\r\n', { address: 'a@shop.example', name: '' }],
  ['From : a@shop.example\r\n', { address: 'a@shop.example', name: '' }],
  ['From:\r\n a@shop.example\r\n', { address: 'a@shop.example', name: '' }],
  ['fRoM: =?utf-8?q?J=C3=BCrgen?= <a@SHOP.example>\r\n', { address: 'a@shop.example', name: 'Jürgen' }],
  ['From: =?utf-8?q?A=0D=0ABcc=3A_v?= <a@shop.example>\r\n', { address: 'a@shop.example', name: 'A  Bcc: v' }],
]
for (const [fields, from] of FROMS) {
  test(`${JSON.stringify(fields)} is ${from === null ? 'refused' : JSON.stringify(from)}`, () => {
    const raw = `${fields}Subject: x\r\n\r\nx`
    if (from !== null) assert.deepEqual(prepare(raw).from, from)
    else assert.match(`${refusal(raw).code} ${refusal(raw).text}`, /^550 5\.7\.1 /)
  })
}

test('a name in brackets after the address is sent before it', () => {
  const made = prepare(`${DATED}From: a@shop.example (J. R. Example)\r\nTo: b@x.test\r\n\r\nx`)
  assert.equal(text(made), `${TRACE}${DATED}From: "J. R. Example" <a@shop.example>\r\nTo: b@x.test\r\n\r\nx`)
})

// Each row: a message that is refused, and the reply.
const REFUSED: [raw: string | Buffer, answer: RegExp][] = [
  [`${'Received: by x\r\n'.repeat(51)}From: a@shop.example\r\n\r\n`, /^554 5\.4\.6/],
  ['From: a@shop.example\r\nno field\r\n\r\nx', /^550 5\.6\.0/],
  ['From: a@shop.example\r\nSubject: a\0b\r\n\r\nx', /^550 5\.6\.0/],
  ['From: a@shop.example\r\nX-Tag: a\r\nX-Tag: b\r\n\r\nx', /^550 5\.6\.0/],
  [`From: a@shop.example\r\nX-Long: ${'x'.repeat(1_000)}\r\n\r\nx`, /^550 5\.6\.0/],
  [`From: a@shop.example\r\n${'X: y\r\n'.repeat(50_000)}\r\nx`, /^552 5\.3\.4/],
]
for (const [raw, answer] of REFUSED) {
  test(`${JSON.stringify(raw.toString().slice(0, 60))}... is answered ${answer.source.replaceAll('\\', '')}`, () => {
    assert.match(`${refusal(raw).code} ${refusal(raw).text}`, answer)
  })
}

test('50 Received fields are not yet a loop', () => {
  prepare(`${'Received: by x\r\n'.repeat(50)}From: a@shop.example\r\n\r\n`)
})

test('a header line over 998 bytes is folded at a blank, and unfolds to the original', () => {
  const value = Array.from({ length: 300 }, (_, i) => `<id-${i}@example.net>`).join(' ')
  const made = prepare(`From: a@shop.example\r\nReferences: ${value}\r\n\r\nx`)
  const field = parseHeaderBlock(made.message).fields.find(({ key }) => key === 'references')
  assert.equal(fieldValue(made.message, field as never), value)
  for (const line of text(made).split('\r\n')) assert.ok(line.length <= 998)
})

// Each row: the length of a header line, the position of its last blank (null: none), and the resulting lines.
const LONG_LINES: [length: number, blank: number | null, lines: number[] | null][] = [
  [998, null, [998]],
  [998, 500, [998]],
  [999, null, null],
  [999, 998, [998, 1]],
  [999, 500, [500, 499]],
  [1_000, null, null],
  [1_000, 998, [998, 2]],
  [1_000, 500, [500, 500]],
  [1_000, 999, null],
]
for (const [length, blank, lines] of LONG_LINES) {
  const where = blank === null ? 'without a blank' : `with a blank at ${blank}`
  test(`a header line of ${length} bytes ${where} is ${lines === null ? 'refused' : `${lines.join(' and ')} bytes`}`, () => {
    const line = `X-Foo:${'x'.repeat(length - 6)}`
    const field = blank === null ? line : `${line.slice(0, blank)} ${line.slice(blank + 1)}`
    const raw = `${field}\r\nFrom: a@shop.example\r\n\r\nx`
    if (lines === null) {
      assert.deepEqual(refusal(raw), { code: 550, text: '5.6.0 the header X-Foo has a line of more than 998 bytes' })
      return
    }
    const made = text(prepare(raw)).slice(TRACE.length).split('\r\nFrom:', 1)[0] as string
    assert.deepEqual(
      made.split('\r\n').map((one) => one.length),
      lines,
    )
    assert.equal(made.replaceAll('\r\n', ''), field)
  })
}

test('of fields allowed once, the first is sent and read; several To and Cc become one', () => {
  const once = 'Subject: one\r\nReply-To: r@x.test\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n'
  const again = 'subject: two\r\nReply-To: s@x.test\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n'
  const many = 'To: b@x.test\r\nTo: c@x.test\r\nCc: d@x.test\r\nCc: e@x.test\r\n'
  const one = 'To: b@x.test,\r\n c@x.test\r\nCc: d@x.test,\r\n e@x.test\r\n'
  const made = prepare(`${DATED}From: a@shop.example\r\n${once}${again}${many}\r\n<b>x</b>`)
  assert.equal(text(made), `${TRACE}${DATED}From: a@shop.example\r\n${once}${one}\r\n<b>x</b>`)
  assert.deepEqual(
    [made.subject, made.replyTo, made.to, made.cc],
    ['one', ['r@x.test'], ['b@x.test', 'c@x.test'], ['d@x.test', 'e@x.test']],
  )
})

// Each row: To fields as received, and as sent.
const RECIPIENTS: [fields: string, sent: string][] = [
  ['To: b@x.test\r\nX-A: 1\r\nto : c@x.test\r\n', 'To: b@x.test,\r\n c@x.test\r\nX-A: 1\r\n'],
  ['To:\r\n B <b@x.test>,\r\n\tc@x.test\r\nTo: \td@x.test \r\n', 'To: B <b@x.test>,\r\n\tc@x.test,\r\n d@x.test\r\n'],
  ['To: b@x.test,\r\nTo: c@x.test,,\r\nTo: d@x.test\r\n', 'To: b@x.test,\r\n c@x.test,\r\n d@x.test\r\n'],
  ['To:\r\nTo: c@x.test\r\nTo: \r\n', 'To: c@x.test\r\n'],
  ['To: undisclosed-recipients:;\r\nTo: c@x.test\r\n', 'To: undisclosed-recipients:;,\r\n c@x.test\r\n'],
  ['To: Zoë <b@x.test>\r\nTo: c@x.test\r\n', 'To: =?utf-8?q?Zo=C3=AB?= <b@x.test>,\r\n c@x.test\r\n'],
  ['To: "B \\" (\r\nTo: c@x.test\r\n', 'To: "B \\" (\r\n'],
  ['To: "B \\\\" <b@x.test>\r\nTo: c@x.test\r\n', 'To: "B \\\\" <b@x.test>,\r\n c@x.test\r\n'],
  ['To: b@x.test ("B)\r\nTo: c@x.test\r\n', 'To: b@x.test ("B),\r\n c@x.test\r\n'],
  ['To: <b@x.test\r\nTo: c@x.test\r\n', 'To: <b@x.test\r\n'],
  ['To: "B\r\nTo: c@x.test\r\n', 'To: "B\r\n'],
  ['To: b@x.test (B\r\nTo: c@x.test\r\n', 'To: b@x.test (B\r\n'],
  ['To:\r\nX-A: 1\r\n', 'To:\r\nX-A: 1\r\n'],
]
for (const [fields, sent] of RECIPIENTS) {
  test(`${JSON.stringify(fields)} is sent as ${JSON.stringify(sent)}`, () => {
    assert.equal(
      text(prepare(`${DATED}From: a@shop.example\r\n${fields}\r\nx`)),
      `${TRACE}${DATED}From: a@shop.example\r\n${sent}\r\nx`,
    )
  })
}

test('List-Unsubscribe-Post is removed without a List-Unsubscribe, and stays beside one', () => {
  const post = 'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n'
  const own = 'List-Unsubscribe: <https://shop.example/u>\r\n'
  assert.doesNotMatch(text(prepare(`From: a@shop.example\r\n${post}\r\nx`)), /List-Unsubscribe/)
  assert.ok(text(prepare(`From: a@shop.example\r\n${post}${own}\r\nx`)).includes(post + own))
})

test('a List-Unsubscribe with the placeholder is removed and requests ours', () => {
  const wish = 'List-Unsubscribe:\r\n <{{unsubscribe}}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n'
  const made = prepare(`From: a@shop.example\r\n${wish}\r\nx`)
  assert.deepEqual([made.hasListUnsubscribe, made.wantsListUnsubscribe], [false, true])
  assert.doesNotMatch(text(made), /List-Unsubscribe/)
})

test('text without a type is labelled by its own bytes, not by those of the header', () => {
  const head = Buffer.from('From: a@shop.example\r\nComments: \xff\r\n\r\n', 'latin1')
  const utf8 = text(prepare(Buffer.concat([head, Buffer.from('Körper\r\n')])))
  assert.match(utf8, /charset=utf-8\r\n\r\nK=C3=B6rper/)
  const latin1 = text(prepare(Buffer.concat([head, Buffer.from('Körper\r\n', 'latin1')])))
  assert.match(latin1, /charset=iso-8859-1\r\n\r\nK=F6rper/)
})

test('addresses are read even beside comments, groups and malformed ones', () => {
  const to = 'b@x.test (Bob, "the (older)" \\) one), "Doe, John" <c@x.test>, Doe, Jane <d@x.test>'
  const cc = 'Team: e@x.test, F <f@x.test>;, undisclosed-recipients:;, broken@, "a@b" <g@x.test>, "h i"@x.test'
  const made = prepare(`From: a@shop.example\r\nTo: ${to}\r\nCc: ${cc}\r\n\r\nx`)
  assert.deepEqual(made.to, ['b@x.test', 'c@x.test', 'd@x.test'])
  assert.deepEqual(made.cc, ['e@x.test', 'f@x.test', 'g@x.test', '"h i"@x.test'])
})

test('non-ASCII header text becomes encoded words, addresses stay', () => {
  const made = prepare('From: Jürgen <a@shop.example>\r\nTo: Zoë <b@example.net>\r\nSubject: Grüße\r\n\r\nx')
  assert.doesNotMatch(text(made), /[^\0-\x7f]/)
  assert.deepEqual([made.from.name, made.subject, made.to], ['Jürgen', 'Grüße', ['b@example.net']])
  assert.equal(prepare(Buffer.from('From: a@shop.example\r\nSubject: Grüße\r\n\r\nx', 'latin1')).subject, 'Grüße')
  const long = prepare(`From: a@shop.example\r\nSubject: ${'x'.repeat(900)}\r\n ${'y'.repeat(96)}📬\r\n\r\nx`).subject
  assert.deepEqual([long.length, long.isWellFormed()], [998, true], 'it is not cut within a character')
})

/** Each text in its charset, without the surrounding line. */
const RAW_TEXTS = {
  windows1252: [Buffer.from('934772fcdf65942080', 'hex'), '“Grüße” €'],
  koi8: [Buffer.from('f0d2c9d7c5d420cdc9d2', 'hex'), 'Привет мир'],
  gbk: [Buffer.from('c4e3bac3a3accac0bde7', 'hex'), '你好，世界'],
  shiftJis: [Buffer.from('82b182f182c982bf82cd955c', 'hex'), 'こんにちは表'],
  windows1251: [Buffer.from('cff0e8e2e5f2', 'hex'), 'Привет'],
  utf8: [Buffer.from('Grüße \ufffd'), 'Grüße \ufffd'],
} as const satisfies Record<string, readonly [Buffer, string]>

const parted = (...types: string[]): string =>
  `Content-Type: multipart/mixed; boundary=o\r\n\r\n${types.map((type) => `--o\r\nContent-Type: ${type}\r\n\r\nx\r\n`).join('')}--o--\r\n`

// Each row: the bytes of a Subject and of names, and the part of the message that gives their charset.
const CHARSETS: [text: keyof typeof RAW_TEXTS, rest: string][] = [
  ['windows1252', 'Content-Type: text/plain; charset=windows-1252\r\n\r\nx'],
  ['windows1252', 'Content-Type: text/plain; charset=ISO-8859-1\r\n\r\nx'],
  ['windows1252', 'Content-Type: text/plain; charset=us-ascii\r\n\r\nx'],
  ['windows1252', 'Content-Type: text/plain; charset=utf-8\r\n\r\nx'],
  ['windows1252', 'Content-Type: text/plain; charset=utf-16\r\n\r\nx'],
  ['windows1252', 'Content-Type: text/plain; charset=nobody-knows\r\n\r\nx'],
  ['windows1252', 'Content-Type: text/plain; charset=shift_jis\r\n\r\nx'],
  ['windows1252', '\r\nx'],
  ['koi8', 'Content-Type: text/plain;\r\n format=flowed; charset="KOI8-R"\r\n\r\nx'],
  ['gbk', 'Content-Type: text/html; charset=gb2312\r\n\r\nx'],
  ['gbk', 'Content-Type: text/html; charset=gb18030\r\n\r\nx'],
  ['shiftJis', 'Content-Type: text/plain; charset=shift_jis\r\n\r\nx'],
  [
    'windows1251',
    parted('text/plain; charset=us-ascii', 'text/html; charset=windows-1251', 'text/html; charset=koi8-r'),
  ],
  ['koi8', parted('image/png; charset=windows-1251', 'text/plain', 'text/plain; charset=koi8-r')],
  ['koi8', parted(parted('text/plain; charset=koi8-r').slice('Content-Type: '.length))],
  ['utf8', 'Content-Type: text/plain; charset=koi8-r\r\n\r\nx'],
]
for (const [name, rest] of CHARSETS) {
  test(`header text in the bytes of ${name} is read beside ${JSON.stringify(rest.slice(0, 200))}`, async () => {
    const [bytes, said] = RAW_TEXTS[name]
    const raw = Buffer.concat([
      ...[Buffer.from('From: "'), bytes],
      ...[Buffer.from('" <a@shop.example>\r\nSubject: '), bytes, Buffer.from('\r\nX-Tag: '), bytes],
      ...[
        Buffer.from('\r\nTo: "'),
        bytes,
        Buffer.from('" <b@example.net>\r\nX-Odd:\r\n '),
        bytes,
        Buffer.from(`\r\n${rest}`),
      ],
    ])
    const made = prepare(raw)
    const { fields, bodyStart } = parseHeaderBlock(made.message)
    assert.doesNotMatch(made.message.toString('latin1', 0, bodyStart), /[^\0-\x7f]/)
    assert.deepEqual([made.subject, made.from.name, made.controls.get('x-tag')], [said, said, said])
    const read = await parseMessage(made.message)
    assert.deepEqual([read.subject, read.from?.name, read.to[0]?.name], [said, said, said])
    assert.deepEqual(made.to, ['b@example.net'])
    const odd = fields.find(({ key }) => key === 'x-odd')
    assert.equal(decodeWords(fieldValue(made.message, odd as never)), said)
  })
}

test('non-ASCII file names take the form of RFC 2231, in the header of the message and of a part', () => {
  const named = 'Content-Type: image/png; name="Grüße.png"\r\n\r\nplain\r\n'
  const goes = /Content-Type: image\/png; name\*=utf-8''Gr%C3%BC%C3%9Fe\.png\r\n/
  assert.match(text(prepare(`From: a@shop.example\r\n${named}`)), goes)
  const mixed = 'Content-Type: multipart/mixed; boundary=o\r\n\r\n--o\r\n'
  const made = text(prepare(`From: a@shop.example\r\n${mixed}${named}--o--\r\n`))
  assert.match(made, goes)
  assert.doesNotMatch(made, /[^\0-\x7f]/)
})

test('an 8-bit part is encoded here, once', () => {
  const made = prepare(`${DATED}From: a@shop.example\r\n\r\nGrüße\r\n`)
  assert.match(text(made), /MIME-Version: 1\.0\r\nContent-Type: text\/plain; charset=utf-8\r\n\r\nGr=C3=BC=C3=9Fe\r\n$/)
})

test('any output has one From, only CRLF and short lines, and preparing never throws', () => {
  const part = fc.oneof(
    fc.constantFrom(
      'From: a@shop.example',
      'Bcc: b@x.example',
      'Subject: ü',
      ':',
      ' ',
      '\r',
      '\n',
      '\r\n',
      '\0',
      'X: y',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const raw = Buffer.from(`From: a@shop.example\r\n${parts.join('')}`)
      const prepared = prepareSubmitted(raw, { now: NOW, id: 'id-1', trace: TRACE })
      if (!prepared.ok) return
      const { message } = prepared.submitted
      const out = message.toString('latin1')
      assert.doesNotMatch(out, /\r(?!\n)|(?<!\r)\n/)
      for (const line of out.split('\r\n')) assert.ok(line.length <= 998)
      const { fields } = parseHeaderBlock(message)
      for (const key of ['from', 'date', 'message-id']) assert.equal(fields.filter((one) => one.key === key).length, 1)
      assert.ok(!fields.some(({ key }) => key === 'bcc'))
    }),
  )
})

const corpora = process.env['POSTHORN_CORPORA']
test('the parts of every readable mail of the corpora are preserved', {
  skip: corpora === undefined && 'POSTHORN_CORPORA is not set',
}, async () => {
  let seen = 0
  for (const file of mailsIn(path.join(corpora ?? '', 'mime')).slice(0, 1_500)) {
    const raw = readFileSync(file)
    const prepared = prepareSubmitted(raw, { now: NOW, id: 'id-1', trace: TRACE })
    if (!prepared.ok) continue
    const before = await parseMessage(raw)
    // A text without a type gets one when it is encoded, which makes it more readable.
    const typed = before.headers.some(([name]) => name.toLowerCase() === 'content-type')
    if (before.unparsed !== null || (!typed && raw.some((byte) => byte > 0x7f))) continue
    const after = await parseMessage(prepared.submitted.message)
    seen++
    const plain = (value: string | null): string => (value ?? '').replaceAll(/\r\n?/g, '\n').trimEnd()
    assert.equal(plain(after.text), plain(before.text), file)
    assert.equal(plain(after.html), plain(before.html), file)
    assert.equal(after.attachments.length, before.attachments.length, file)
    for (const [i, { content }] of after.attachments.entries()) {
      const text = (bytes: Buffer | undefined): string => plain(bytes?.toString('latin1') ?? null)
      assert.equal(text(content), text(before.attachments[i]?.content), file)
    }
  }
  assert.ok(seen > 50, `only ${seen} mails`)
})

function mailsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(eml|msg|txt)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
}

// Each row: fields beside From, their domains with the field of each, and how many of these fields are kept.
const ACTING: [fields: string, domains: string[], kept: number][] = [
  ['Sender: Desk <desk@Shop.example>', ['shop.example Sender'], 1],
  ['Sender: desk@bank.example\r\nSender: desk@shop.example', ['bank.example Sender'], 1],
  ['Sender: desk@bank.example (Desk)', [], 0],
  ['Sender: root', [], 0],
  ['Resent-From: a@shop.example, CEO <ceo@Bank.example>', ['bank.example Resent-From', 'shop.example Resent-From'], 1],
  [
    'Resent-From: a@one.example\r\nResent-From: a@two.example',
    ['one.example Resent-From', 'two.example Resent-From'],
    2,
  ],
  ['resent-sender: ceo@bank.example\r\nSender: ceo@bank.example', ['bank.example resent-sender'], 2],
  ['Resent-Sender: a@shop.example, ceo at bank', [], 0],
]
for (const [given, domains, kept] of ACTING) {
  test(`of "${given.replace('\r\n', ' | ')}" beside From, the domains are found or the field is removed`, () => {
    const raw = Buffer.from(`From: a@shop.example\r\n${given}\r\nSubject: s\r\n\r\nx\r\n`)
    const prepared = prepareSubmitted(raw, { now: NOW, id: 'id-1', trace: TRACE })
    assert.ok(prepared.ok)
    assert.deepEqual(Array.from(prepared.submitted.beside, (one) => one.join(' ')).sort(), domains)
    const found = prepared.submitted.message.toString().match(/^(?:Sender|Resent-\w+):/gim)
    assert.equal(found?.length ?? 0, kept)
  })
}
