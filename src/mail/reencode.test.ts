import assert from 'node:assert/strict'
import { isAscii } from 'node:buffer'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { headerNeedsSmtpUtf8, reencode } from './reencode.ts'

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

test('a soft break cannot make a delimiter out of text', () => {
  const raw = `Content-Type: multipart/mixed; boundary=o\r\n\r\n--o\r\n\r\n${'a'.repeat(75)}--o\r\né\r\n--o--\r\n`
  assert.match(reencode(Buffer.from(raw)).message.toString(), /Content-Transfer-Encoding: base64/)
})

// Each row: how many parts stand in how many multiparts, and whether the message is made 7-bit.
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

test('raw UTF-8 in a header of the message is told', () => {
  assert.equal(headerNeedsSmtpUtf8(Buffer.from('Subject: é\r\n\r\nx')), true)
  assert.equal(headerNeedsSmtpUtf8(Buffer.from('Subject: e\r\n\r\né')), false)
})

test('no bytes make it throw, and a second time changes nothing', () => {
  const piece = fc.constantFrom(
    ...[
      'Content-Type: multipart/mixed; boundary=o\r\n',
      'Content-Transfer-Encoding: 8bit\r\n',
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

test('real mails say the same before and after', {
  skip: corpora === undefined && 'POSTHORN_CORPORA is unset',
}, async () => {
  const folder = `${corpora}/mime/resources/eml/legacy`
  let changes = 0
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.eml'))) {
    const raw = Buffer.from(readFileSync(`${folder}/${name}`, 'latin1').replace(/\r?\n/g, '\r\n'), 'latin1')
    const { message, changed } = reencode(raw)
    if (changed) changes++
    if (changed && headerNeedsSmtpUtf8(raw) === false) assert.ok(isAscii(message), name)
    const [before, after] = await Promise.all([PostalMime.parse(raw), PostalMime.parse(message)])
    assert.equal(after.text, before.text, name)
    assert.equal(after.html, before.html, name)
    assert.deepEqual(after.attachments, before.attachments, name)
  }
  assert.ok(changes > 0)
})
