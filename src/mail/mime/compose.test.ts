import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { parseMailbox } from '../address.ts'
import { compose, composeMessage, type Envelope, prepare, prepareAttachment } from './compose.ts'
import { base64Bytes, encodeBase64, encodedTextBytes, encodeQuotedPrintable, encodeText } from './encodings.ts'

const corpora = process.env['POSTHORN_CORPORA']
const golden = new URL('../../../test/golden/', import.meta.url)

function box(text: string) {
  const parsed = parseMailbox(text)
  assert.ok(parsed.ok, text)
  return parsed.mailbox
}

const envelope: Envelope = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  messageId: '01890a5d-ac96-774b-bcce-b302099a8057@shop.example',
  date: new Date('2026-02-03T04:05:06Z'),
  from: box('The Shop <news@shop.example>'),
  to: [box('ann@example.net')],
  cc: [],
  replyTo: [],
  subject: 'Your order',
  headers: [],
}
const nothing = { html: null, text: null, attachments: [] }
const pixel = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64')
const image = {
  filename: 'logo.gif',
  content: pixel,
  contentType: 'image/gif',
  contentId: 'logo@shop',
  disposition: 'inline',
} as const
const file = {
  filename: 'Rechnung für März.pdf',
  content: Buffer.from(Array.from({ length: 200 }, (_, n) => n)),
  contentType: 'application/pdf',
  contentId: null,
  disposition: 'attachment',
} as const
const links = { https: 'https://t.shop.example/u/abc', mailto: 'mailto:u+abc@shop.example' }

function assertSound(message: Buffer, ascii = true): void {
  const text = message.toString('latin1')
  assert.doesNotMatch(text, /[^\r]\n|\r[^\n]|\0/)
  if (ascii) assert.doesNotMatch(text, /[^\x09\x0a\x0d\x20-\x7e]/)
  assert.ok(text.endsWith('\r\n'))
  const body = text.slice(text.indexOf('\r\n\r\n') + 4)
  for (const line of body.split('\r\n')) {
    assert.ok(line.length <= 78, line)
    assert.doesNotMatch(line, /[ \t]$/)
  }
  for (const line of text.split('\r\n')) assert.doesNotMatch(line, /^(\.|From )/)
}

/** A body with uniform line ends. Mail readers drop a leading byte order mark and add or drop final line ends. */
function lines(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n|\r|\n/g, '\n')
    .replace(/^\ufeff|\n+$/g, '')
}

// Each row: the name of the golden file, and the message to compose.
const GOLDEN: [name: string, message: Buffer, smtpUtf8: boolean][] = [
  ['text-only', composeMessage({ ...envelope, ...nothing, text: 'Hello Ann,\n\nit is on its way.\n' })],
  ['empty', composeMessage({ ...envelope, ...nothing })],
  [
    'text-and-html',
    composeMessage({
      ...envelope,
      ...nothing,
      subject: 'Grüße aus Köln: 20 % auf alles, nur noch bis Sonntag um Mitternacht – schnell sein lohnt sich',
      from: box('"Müller, Köln" <news@shop.example>'),
      to: [box('Ann <ann@example.net>'), box('Žofie <zofie@bücher.example>')],
      cc: [box('c@example.net')],
      replyTo: [box('Help <help@shop.example>')],
      headers: [
        ['X-Campaign', 'spring'],
        ['References', '<a@b.example> <c@d.example>'],
      ],
      listUnsubscribe: links,
      text: 'Grüße,\n.\n..dots\nFrom here on\ntrailing \t\n=E4 is not ä\n',
      html: `<p style="color: #333">${'Grüße aus Köln. '.repeat(12)}</p>\n`,
    }),
  ],
  [
    'everything',
    composeMessage({
      ...envelope,
      text: '日本語のテキスト',
      html: '<p>日本語<img src="cid:logo@shop"></p>',
      attachments: [image, file],
    }),
  ],
  ['smtputf8', composeMessage({ ...envelope, ...nothing, to: [box('Jørgen <jørgen@bücher.example>')], text: 'Hej' })],
].map(([name, composed]) => {
  const { message, smtpUtf8 } = composed as { message: Buffer; smtpUtf8: boolean }
  return [name as string, message, smtpUtf8]
})
for (const [name, message, smtpUtf8] of GOLDEN) {
  test(`the message "${name}" has the bytes of its golden file`, () => {
    const path = new URL(`${name}.eml`, golden)
    assertSound(message, !smtpUtf8)
    if (process.env['UPDATE'] === '1') {
      mkdirSync(golden, { recursive: true })
      writeFileSync(path, message)
    }
    assert.equal(message.toString('latin1'), readFileSync(path, 'latin1'), 'run with UPDATE=1 to accept')
    assert.equal(smtpUtf8, name === 'smtputf8')
  })
}

test('an independent reader finds every part as it was given', async () => {
  const mail = await PostalMime.parse(GOLDEN[3]?.[1] ?? '')
  assert.equal(mail.text?.trimEnd(), '日本語のテキスト')
  assert.equal(mail.html?.trimEnd(), '<p>日本語<img src="cid:logo@shop"></p>')
  assert.deepEqual(
    mail.attachments.map((one) => [one.filename, one.mimeType, one.disposition, one.contentId]),
    [
      ['logo.gif', 'image/gif', 'inline', '<logo@shop>'],
      ['Rechnung für März.pdf', 'application/pdf', 'attachment', undefined],
    ],
  )
  assert.deepEqual(Buffer.from(mail.attachments[1]?.content as ArrayBuffer), file.content)
})

test('the same input gives the same bytes, prepared once or each time', () => {
  const content = { text: 'a', html: '<b>a</b>', attachments: [file] }
  const once = prepare({ ...content, attachments: [prepareAttachment(file)] })
  const direct = composeMessage({ ...envelope, ...content }).message
  assert.deepEqual(compose(once, envelope).message, direct)
  assert.deepEqual(compose(once, envelope).message, direct)
})

test('a message with its own List-Unsubscribe keeps it and does not get ours', () => {
  const headers = [['List-unsubscribe', '<https://own.example/u>']] as const
  const { message } = composeMessage({ ...envelope, ...nothing, headers, listUnsubscribe: links })
  assert.equal(message.toString().match(/^list-unsubscribe/gim)?.length, 1)
  assert.match(message.toString(), /^List-unsubscribe: <https:\/\/own.example\/u>\r\n/m)
})

test('our List-Unsubscribe comes with exactly one List-Unsubscribe-Post, whatever the sender sets', () => {
  const headers = [['list-unsubscribe-post', 'List-Unsubscribe=One-Click']] as const
  const { message } = composeMessage({ ...envelope, ...nothing, headers, listUnsubscribe: links })
  assert.equal(message.toString().match(/^list-unsubscribe-post:/gim)?.length, 1)
})

test('a header that a sender may not set is a bug of the caller', () => {
  for (const name of ['Bcc', 'X Bad', 'X\r\nBcc', '']) {
    assert.throws(() => composeMessage({ ...envelope, ...nothing, headers: [[name, 'x']] }), TypeError)
  }
})

test('an attached message stays unencoded if possible, else it is sent as octets', async () => {
  const attach = (content: string) =>
    composeMessage({
      ...envelope,
      ...nothing,
      attachments: [{ ...file, contentType: 'message/rfc822', content: Buffer.from(content) }],
    }).message
  assert.match(attach('Subject: x\r\n\r\nhello\r\n').toString(), /message\/rfc822;?[^]*7bit[^]*\r\n\r\nSubject: x/)
  assert.match(attach('Subject: x\r\n\r\nhéllo\r\n').toString(), /application\/octet-stream/)
  assert.match(
    attach('Subject: x\n\n--=_Part_1\n').toString(),
    /message\/rfc822;?[^]*7bit[^]*\r\n\r\nSubject: x\r\n\r\n--=_Part_1\r\n/,
  )
  assert.match(attach(`Subject: x\r\n\r\n${'y'.repeat(999)}\r\n`).toString(), /application\/octet-stream/)
})

test('an attachment keeps the parameters of its type, except those that we set', async () => {
  const contentType = 'text/calendar; method=REQUEST; charset="utf-8"; name=x.ics; boundary=y'
  const { message } = composeMessage({ ...envelope, ...nothing, attachments: [{ ...file, contentType }] })
  assertSound(message)
  assert.match(message.toString(), /^Content-Type: text\/calendar; method=REQUEST; charset=utf-8\r\n/m)
  const [attachment] = (await PostalMime.parse(message)).attachments
  assert.deepEqual([attachment?.mimeType, attachment?.method], ['text/calendar', 'REQUEST'])
})

test('a content type with a line break or a parameter of its own adds no header', () => {
  for (const contentType of [
    'text/plain\r\nBcc: v@evil.test',
    'a',
    '',
    'multipart/mixed; boundary=x',
    'a/b; x="\r\n',
  ]) {
    const { message } = composeMessage({ ...envelope, ...nothing, attachments: [{ ...file, contentType }] })
    assertSound(message)
    assert.doesNotMatch(message.toString(), /^Bcc|boundary=x/m)
  }
})

test('lines of every length around the limit round-trip', () => {
  for (let length = 70; length < 160; length++) {
    for (const text of [
      'a'.repeat(length),
      'é'.repeat(length),
      `${'a'.repeat(length)} `,
      '. '.repeat(length),
      'From '.repeat(length),
    ]) {
      const encoded = encodeQuotedPrintable(Buffer.from(text)).toString()
      for (const line of encoded.split('\r\n')) {
        assert.ok(line.length <= 76)
        assert.doesNotMatch(line, /^\.|^From |[ \t]$/)
      }
      assert.equal(decodeQuotedPrintable(encoded), text)
    }
  }
})

function decodeQuotedPrintable(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

test('any bytes survive both encodings', () => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 500 }), fc.array(fc.constantFrom(13, 10, 32, 46, 61, 70, 200)))
  fc.assert(
    fc.property(bytes, (array) => {
      const content = Buffer.from(array)
      const base64 = encodeBase64(content).toString()
      for (const line of base64.split('\r\n')) assert.ok(line.length <= 76)
      assert.deepEqual(Buffer.from(base64, 'base64'), content)
      const quoted = encodeQuotedPrintable(content).toString('latin1')
      for (const line of quoted.split('\r\n')) assert.ok(line.length <= 76)
      const expected = content.toString('latin1').replace(/\r\n|\r|\n/g, '\r\n')
      assert.equal(Buffer.from(decodeQuotedPrintableBytes(quoted)).toString('latin1'), expected)
      const counted = encodeText(content)
      assert.doesNotMatch(counted.bytes.toString('latin1'), /=_|[^\x09\x0a\x0d\x20-\x7e]/)
    }),
    { numRuns: 500 },
  )
})

function decodeQuotedPrintableBytes(text: string): Buffer {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1')
}

async function roundTrip(text: string): Promise<void> {
  const from = { ...envelope.from, name: text }
  const attachments = [{ ...file, filename: text === '' ? 'x' : text, content: Buffer.from(text) }]
  const { message } = composeMessage({ ...envelope, from, subject: text, html: text, text, attachments })
  assertSound(message)
  const mail = await PostalMime.parse(message)
  assert.equal(lines(mail.text ?? ''), lines(text))
  assert.equal(lines(mail.html ?? ''), lines(text))
  assert.equal(mail.attachments.length, 1)
  assert.deepEqual(Buffer.from(mail.attachments[0]?.content as ArrayBuffer), Buffer.from(text))
}

test('naughty strings round-trip in every field', {
  skip: corpora === undefined && 'POSTHORN_CORPORA is unset',
}, async () => {
  const strings = JSON.parse(readFileSync(`${corpora}/naughty/blns.json`, 'utf8')) as string[]
  assert.ok(strings.length > 400)
  for (const text of strings) await roundTrip(text)
})

test('any text round-trips in every field', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 300 }).filter((text) => !text.includes('\0')),
      roundTrip,
    ),
  )
})

test('the size of an encoded text is computed without encoding it', () => {
  const texts = [
    'hello world ',
    'é',
    '日本語',
    '🙂a',
    'Grüße aus Köln. ',
    '<a b="c=d">\n',
    'ab\r\n',
    '.\n',
    'a \n',
    '\n',
    '=',
    '\r',
  ]
  const unit = fc.constantFrom(...texts, '\t\r\n', '\0')
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 30 }), fc.nat({ max: 60 }), (units, times) => {
      const text = units.join('').repeat(times)
      const size = encodeText(Buffer.from(text.toWellFormed())).bytes.length
      const told = encodedTextBytes(text)
      assert.ok(Math.abs(told - size) <= 80 + size / 25, `${told} for ${size} of ${JSON.stringify(units)}`)
    }),
    { numRuns: 300 },
  )
  for (const text of texts) {
    const many = text.repeat(10_000)
    const size = encodeText(Buffer.from(many)).bytes.length
    assert.ok(Math.abs(encodedTextBytes(many) - size) < size / 200, JSON.stringify(text))
  }
  for (const bytes of [0, 1, 57, 58, 1_000]) {
    const size = encodeBase64(Buffer.alloc(bytes)).length
    assert.ok(base64Bytes(bytes) >= size && base64Bytes(bytes) - size < 80)
  }
})
