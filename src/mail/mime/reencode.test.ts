import assert from 'node:assert/strict'
import { isAscii } from 'node:buffer'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { headerNeedsSmtpUtf8 } from './field-encoding.ts'
import { parseHeaderBlock } from './headers.ts'
import { reencode } from './reencode.ts'

const corpora = process.env['POSTHORN_CORPORA']

const nested = [
  'From: a@b.test',
  'Subject:   kept   as  it is',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="o"',
  'content-transfer-encoding: 8bit',
  '',
  'preamble',
  '--o',
  'Content-Type: multipart/alternative;',
  ' boundary=i',
  '',
  '--i',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: 8bit',
  'X-Kept:  yes',
  '',
  'Grüße',
  '',
  '--i',
  'Content-Type: text/html',
  '',
  '<p>plain = plain</p>',
  '--i--',
  '--o',
  'Content-Type: image/png',
  'Content-Transfer-Encoding: binary',
  '',
  'PNG\0é',
  '--o',
  '',
  'no header, é',
  '--o--',
  'epilogue',
  '',
].join('\r\n')

test('only the parts that need it are encoded, and every other byte is kept', () => {
  const { message, changed } = reencode(Buffer.from(nested))
  assert.equal(changed, true)
  const expected = nested
    .replace('content-transfer-encoding: 8bit', 'Content-Transfer-Encoding: 7bit')
    .replace('Content-Type: multipart/alternative;\r\n boundary=i\r\n', '$&Content-Transfer-Encoding: 7bit\r\n')
    .replace('Content-Transfer-Encoding: 8bit', 'Content-Transfer-Encoding: quoted-printable')
    .replace('Grüße', 'Gr=C3=BC=C3=9Fe')
    .replace('Content-Transfer-Encoding: binary', 'Content-Transfer-Encoding: base64')
    .replace('PNG\0é', Buffer.from('PNG\0é').toString('base64'))
    .replace('--o\r\n\r\nno header, é', '--o\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nno header, =C3=A9')
  assert.equal(message.toString(), expected)
})

test('a non-ASCII preamble or epilogue, which nobody sees, does not keep mail from servers without 8BITMIME', () => {
  const mail = (words: string): string =>
    `Content-Type: multipart/mixed; boundary=o\r\n\r\nDies ist ${words} Sie\r\n--o\r\n\r\nplain\r\n--o--\r\n${words} Ende\r\n`
  const { message, changed } = reencode(Buffer.from(mail('f\u00fcr')))
  assert.equal(changed, true)
  assert.equal(
    message.toString('latin1'),
    mail('f??r').replace('boundary=o\r\n', '$&Content-Transfer-Encoding: 7bit\r\n'),
  )
})

test('a 7-bit message comes back as the same buffer', () => {
  const raw = Buffer.from(nested.replace(/[^\x01-\x7f]/g, 'x'))
  assert.equal(reencode(raw).message, raw)
})

test('a single part, an attached message and a line of 60 KB become lines that every server takes', async () => {
  const single = reencode(Buffer.from('Subject: x\r\n\r\nhé\r\n')).message.toString()
  assert.equal(single, 'Subject: x\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nh=C3=A9\r\n')
  const attached = 'Content-Type: message/rfc822\r\n\r\nContent-Transfer-Encoding: 8bit\r\n\r\né\r\n'
  assert.equal(
    reencode(Buffer.from(attached)).message.toString(),
    'Content-Type: message/rfc822\r\nContent-Transfer-Encoding: 7bit\r\n\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=C3=A9\r\n',
  )
  const long = reencode(Buffer.from(`Subject: x\r\n\r\n${'word '.repeat(12_000)}\r\n`)).message
  for (const line of long.toString().split('\r\n')) assert.ok(line.length <= 76)
  assert.equal((await PostalMime.parse(long)).text?.trimEnd(), 'word '.repeat(12_000).trimEnd())
})

/** A multipart of one attachment with these header lines. */
const attached = (body: string, ...head: string[]): string =>
  `Content-Type: multipart/mixed; boundary=o\r\n\r\n--o\r\n${head.map((line) => `${line}\r\n`).join('')}\r\n${body}\r\n--o--\r\n`

// Each row: a header field of a part as received, and as sent.
const FIELDS: [came: string, goes: string][] = [
  [
    'Content-Disposition: attachment; filename="Grüße an alle.pdf"; size=4',
    "Content-Disposition: attachment;\r\n filename*=utf-8''Gr%C3%BC%C3%9Fe%20an%20alle.pdf; size=4",
  ],
  ['Content-Type: image/png; name=ü.png', "Content-Type: image/png; name*=utf-8''%C3%BC.png"],
  ['Content-Type: image/png;\r\n\tname=a ü.png ;', "Content-Type: image/png; name*=utf-8''a%20%C3%BC.png"],
  [
    'Content-Disposition: attachment; filename="ü.pdf"; filename*=utf-8\'\'%C3%BC.pdf',
    "Content-Disposition: attachment; filename*=utf-8''%C3%BC.pdf",
  ],
  ['Content-Description: Übersicht', 'Content-Description: =?utf-8?q?=C3=9Cbersicht?='],
  ['X-Name: ü', 'X-Name: =?utf-8?b?w7w=?='],
]
for (const [came, goes] of FIELDS) {
  test(`"${came}" in the header of a part becomes ASCII`, () => {
    const { message, changed } = reencode(Buffer.from(attached('plain', came)))
    assert.equal(changed, true)
    assert.match(
      message.toString(),
      /^Content-Type: multipart\/mixed; boundary=o\r\nContent-Transfer-Encoding: 7bit\r\n/,
    )
    assert.ok(message.toString().endsWith(`\r\n--o\r\n${goes}\r\n\r\nplain\r\n--o--\r\n`), message.toString())
  })
}

test('names of files and attached messages are read as before', async () => {
  const name = `Übergrößenträger „Müller & Söhne“ ${'日本語'.repeat(30)}.pdf`
  const raw = Buffer.from(
    attached(
      'From: Jürgen <a@b.test>\r\nSubject: Grüße\r\n\r\nplain',
      'Content-Type: message/rfc822',
      `Content-Disposition: attachment; filename="${name}"`,
    ),
  )
  const { message } = reencode(raw)
  assert.ok(isAscii(message))
  for (const line of message.toString().split('\r\n')) assert.ok(line.length <= 78)
  const [found] = (await PostalMime.parse(message, { forceRfc822Attachments: true })).attachments
  assert.equal(found?.filename, name)
  const inner = await PostalMime.parse(found?.content as ArrayBuffer)
  assert.deepEqual([inner.from?.name, inner.from?.address, inner.subject], ['Jürgen', 'a@b.test', 'Grüße'])
})

test('text that cannot be encoded in ASCII stays unchanged', () => {
  const kept = [
    Buffer.from(attached('plain', 'Content-Disposition: attachment; filename="Grüße.pdf"'), 'latin1'),
    Buffer.from(attached('plain', 'Content-Type: multipart/mixed; boundary="ü"')),
    Buffer.from(attached('plain', 'Content-Disposition: attachment; "ü"')),
    Buffer.from(attached('plain', 'List-Id: ü <x.test>')),
    Buffer.from(attached('From: ü@ü.test\r\n\r\nplain', 'Content-Type: message/rfc822')),
  ]
  for (const raw of kept) assert.equal(reencode(raw).message, raw)
})

test('nothing changes inside signed content', () => {
  const signed = attached('é', 'Content-Type: text/plain; charset=utf-8; name="ü"').replace('mixed', 'signed')
  const raw = Buffer.from(signed)
  assert.equal(reencode(raw).message, raw)
})

const SIGNED =
  'Content-Type: multipart/signed; boundary=s\r\n\r\n--s\r\nContent-Transfer-Encoding: 8bit\r\n\r\né\r\n--s--\r\n'

// Each row: the encoding that a multipart names, a part that stays unchanged, and the label of the multipart after another
// part was encoded.
const STAYING: [given: string, stays: string, label: string][] = [
  ['', SIGNED, 'Content-Transfer-Encoding: 8bit\r\n'],
  ['Content-Transfer-Encoding: 7bit\r\n', SIGNED, 'Content-Transfer-Encoding: 8bit\r\n'],
  ['Content-Transfer-Encoding: 8bit\r\n', SIGNED, 'Content-Transfer-Encoding: 8bit\r\n'],
  ['Content-Transfer-Encoding: binary\r\n', SIGNED, 'Content-Transfer-Encoding: binary\r\n'],
  ['', SIGNED.replace('é', 'x'.repeat(1_000)), ''],
  ['Content-Transfer-Encoding: binary\r\n', SIGNED.replace('é', '\0'), 'Content-Transfer-Encoding: binary\r\n'],
  ['Content-Transfer-Encoding: 8bit\r\n', SIGNED.replace('é', 'e'), 'Content-Transfer-Encoding: 7bit\r\n'],
]
for (const [given, stays, label] of STAYING) {
  test(`a multipart that came with ${JSON.stringify(given)} over ${JSON.stringify(stays.slice(75, 130))} goes out with ${JSON.stringify(label)}`, () => {
    const mixed = 'Content-Type: multipart/mixed; boundary=o\r\n'
    const attachedMail = `--o\r\nContent-Type: message/rfc822\r\n\r\n${stays}`
    for (const part of [`--o\r\n${stays}`, attachedMail]) {
      const { message } = reencode(Buffer.from(`${mixed}${given}\r\n--o\r\n\r\né\r\n${part}--o--\r\n`))
      assert.equal(message.toString().split('\r\n\r\n', 1)[0], `${mixed}${label}`.trimEnd())
      assert.ok(message.toString().endsWith(`${stays}--o--\r\n`))
      assert.ok(message.includes('quoted-printable\r\n\r\n=C3=A9\r\n'))
    }
  })
}

test('a soft break cannot turn text into a delimiter', () => {
  const raw = `Content-Type: multipart/mixed; boundary=o\r\n\r\n--o\r\n\r\n${'a'.repeat(75)}--o\r\né\r\n--o--\r\n`
  assert.match(reencode(Buffer.from(raw)).message.toString(), /Content-Transfer-Encoding: base64/)
})

const LONG = Buffer.from('Grüße aus dem Norden. '.repeat(200))

// Each row: the encoding that a part names, its body as received, and the resulting lines.
const MISLABELLED: [name: string, encoding: string, body: Buffer, content: Buffer][] = [
  ['base64 in one line', 'base64', Buffer.from(LONG.toString('base64')), LONG],
  [
    'base64 with bytes outside its alphabet',
    'BASE64',
    Buffer.from(`${LONG.toString('base64', 0, 57)}\r\né\0 ${LONG.toString('base64', 57)}\r\n`),
    LONG,
  ],
  [
    'quoted-printable in one line',
    'quoted-printable',
    Buffer.from(`=C3=BC${'. --o From =E2=82=AC '.repeat(80)}\r\nshort=\r\n line\r\n`),
    Buffer.from(`ü${'. --o From € '.repeat(80)}\r\nshort line\r\n`),
  ],
  [
    'quoted-printable with raw bytes',
    'quoted-printable',
    Buffer.from(`Gr=C3=BC\xc3\x9f\x00e = 1=3D1=\r\n${'é'.repeat(30)}=\r\nend\r\n`.replace('\xc3\x9f', 'ß')),
    Buffer.from(`Grüß\x00e = 1=1${'é'.repeat(30)}end\r\n`),
  ],
]
for (const [name, encoding, body, content] of MISLABELLED) {
  test(`a part of ${name} is sent in short lines of ASCII with the same content`, async () => {
    const part = attached(body.toString('latin1'), 'Content-Type: a/b', `Content-Transfer-Encoding: ${encoding}`)
    const single = `Content-Transfer-Encoding: ${encoding}\r\n\r\n${body.toString('latin1')}`
    for (const raw of [part, single]) {
      const { message, changed } = reencode(Buffer.from(raw, 'latin1'))
      assert.equal(changed, true)
      assert.ok(isAscii(message) && !message.includes(0))
      for (const line of message.toString().split('\r\n')) assert.ok(line.length <= 76, line)
      assert.deepEqual(reencode(message).message, message)
      if (raw === single) continue
      const [found, ...more] = (await PostalMime.parse(message)).attachments
      assert.equal(more.length, 0)
      // Its line ends are LF; the one before a delimiter belongs to the delimiter.
      assert.equal(
        Buffer.from(found?.content as ArrayBuffer)
          .toString()
          .trimEnd(),
        content.toString().replaceAll('\r\n', '\n').trimEnd(),
      )
    }
  })
}

test('valid quoted-printable lines stay unchanged beside invalid ones', () => {
  const raw = attached('a = b =3d \r\né\r\nc=', 'Content-Transfer-Encoding: quoted-printable')
  assert.ok(reencode(Buffer.from(raw)).message.toString().includes('\r\n\r\na = b =3d \r\n=C3=A9\r\nc=\r\n--o--'))
})

test('nothing is rewrapped inside signed content', () => {
  const raw = Buffer.from(
    attached(LONG.toString('base64'), 'Content-Transfer-Encoding: base64').replace('mixed', 'signed'),
  )
  assert.equal(reencode(raw).message, raw)
})

// Each row: the number of multiparts, the parts in each, and whether the message becomes 7-bit.
const COUNTS: [multiparts: number, each: number, changed: boolean][] = [
  [1, 9_999, true],
  [1, 10_000, false],
  [2, 4_999, true],
  [2, 5_001, false],
  [1, 1_000_000, false],
]
for (const [multiparts, each, changed] of COUNTS) {
  test(`a message of ${multiparts} times ${each} parts is ${changed ? 'made 7-bit' : 'left as it is'}`, () => {
    const inner = `--o\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n'.repeat(each)}\r\né\r\n--b--\r\n`
    const raw = Buffer.from(`Content-Type: multipart/mixed; boundary=o\r\n\r\n${inner.repeat(multiparts)}--o--\r\n`)
    const made = reencode(raw)
    assert.equal(made.changed, changed)
    if (changed) assert.ok(isAscii(made.message))
    else assert.equal(made.message, raw)
  })
}

// Each row: a header, and whether only a server with SMTPUTF8 may receive it.
const NEEDS: [header: string, needs: boolean][] = [
  ['To: jörg@example.net', true],
  ['Cc: a@b.test,\r\n "Jörg" <jörg@example.net>', true],
  ['From: a@b.test\r\nReply-To: a@exämple.net', false],
  ['To: Jörg <joerg@example.net>', false],
  ['Subject: jörg@example.net', false],
  ['List-Id: ü <x.test>', false],
  ['To: joerg@example.net\r\n\r\nTo: jörg@example.net', false],
]
for (const [header, needs] of NEEDS) {
  test(`"${header}" ${needs ? 'needs' : 'needs no'} SMTPUTF8`, () => {
    assert.equal(headerNeedsSmtpUtf8(Buffer.from(`${header}\r\n\r\nx`)), needs)
  })
}

test('no bytes make it throw, and a second run changes nothing', () => {
  const piece = fc.constantFrom(
    ...[
      'Content-Type: multipart/mixed; boundary=o\r\n',
      'Content-Transfer-Encoding: 8bit\r\n',
      'Content-Transfer-Encoding: quoted-printable\r\n',
      'Content-Transfer-Encoding: base64\r\n',
      '=',
      '\r\n',
      '--o\r\n',
      '--o--',
    ],
    ...['é', 'a', '\n', '\0', 'Content-Type: message/rfc822\r\n', 'Content-Type: text/html\r\n', '--o--\r\n', '--o'],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const once = reencode(Buffer.from(pieces.join(''))).message
      assert.deepEqual(reencode(once).message, once)
    }),
    { numRuns: 2_000 },
  )
})

test('real mails have the same content before and after', {
  skip: corpora === undefined && 'POSTHORN_CORPORA is unset',
}, async () => {
  const folder = `${corpora}/mime/resources/eml/legacy`
  let changes = 0
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.eml'))) {
    const raw = Buffer.from(readFileSync(`${folder}/${name}`, 'latin1').replace(/\r?\n/g, '\r\n'), 'latin1')
    const { message, changed } = reencode(raw)
    if (changed) changes++
    if (changed && isAscii(raw.subarray(0, parseHeaderBlock(raw).bodyStart))) assert.ok(isAscii(message), name)
    const [before, after] = await Promise.all([PostalMime.parse(raw), PostalMime.parse(message)])
    assert.equal(after.text, before.text, name)
    assert.equal(after.html, before.html, name)
    assert.deepEqual(after.attachments, before.attachments, name)
  }
  assert.ok(changes > 0)
})
