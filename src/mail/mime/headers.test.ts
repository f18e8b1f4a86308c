import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressParser, decodeWords } from 'postal-mime'
import { type EmailAddress, parseAddress } from '../address.ts'
import {
  addressHeader,
  checkHeaderText,
  fieldValue,
  formatDate,
  isForbiddenHeader,
  isHeaderName,
  parameter,
  parseHeaderBlock,
  textHeader,
  tokenHeader,
} from './headers.ts'

const corpora = process.env['POSTHORN_CORPORA']
const naughty: string[] =
  corpora === undefined ? [] : (JSON.parse(readFileSync(`${corpora}/naughty/blns.json`, 'utf8')) as string[])
const noCorpora = corpora === undefined ? 'POSTHORN_CORPORA is unset' : false

/** Checks a written field: ASCII, lines within the limit, exactly one field, valid encoded words. */
function assertSound(field: string): void {
  assert.ok(field.endsWith('\r\n'))
  assert.match(field, /^[\x20-\x7e\r\n]*$/)
  const bytes = Buffer.from(field)
  const { fields } = parseHeaderBlock(Buffer.concat([bytes, Buffer.from('\r\nbody')]))
  assert.equal(fields.length, 1)
  for (const line of field.slice(0, -2).split('\r\n')) {
    assert.ok(line.length <= 998, `a line of ${line.length}`)
    assert.doesNotMatch(line, /[\r\n]/)
    assert.notEqual(line.trim(), '')
  }
  for (const word of field.match(/=\?utf-8\?[bq]\?[^? ]*\?=/g) ?? []) assert.ok(word.length <= 75)
}

function valueOf(field: string): string {
  const raw = Buffer.from(`${field}\r\n`)
  const [only] = parseHeaderBlock(raw).fields
  assert.ok(only)
  return fieldValue(raw, only)
}

/** The part of a text that the composer promises to keep. */
function kept(text: string): string {
  return text
    .replace(/[\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\p{Cs}]/gu, ' ')
    .replaceAll('\t', ' ')
    .trim()
}

const HOSTILE: [text: string, forbidden: boolean][] = [
  ['A\r\nBcc: v@evil.test', true],
  ['A\nBcc: v@evil.test', true],
  ['A\rBcc: v@evil.test', true],
  ['A\r\n\r\n<b>body</b>', true],
  ['A\0B', true],
  ['A\x0bB', true],
  ['A\x7f', true],
  ['A\u2028Bcc:', true],
  ['A\u0085B', true],
  ['\ud800', true],
  ['A%0d%0aBcc: x', false],
  ['A\u010d\u010aBcc: x', false],
  ['=?utf-8?q?A=0D=0ABcc:_v@evil.test?=', false],
  ['x'.repeat(10_000), false],
  ['safe\u202etxt.exe', false],
  [`a${'\u0301'.repeat(5_000)}`, false],
  ['=?', false],
  ['?= =?utf-8?b?QQ==?=', false],
]
for (const [text, forbidden] of HOSTILE) {
  test(`${JSON.stringify(text.slice(0, 40))} in a header is detected or written safely`, () => {
    assert.equal(checkHeaderText(text) !== null, forbidden)
    for (const field of [
      textHeader('Subject', text),
      addressHeader('From', [{ name: text, address: { address: 'a@b.test' as EmailAddress } }]),
      tokenHeader('Content-Disposition', ['attachment;', ...parameter('filename', text)]),
    ]) {
      assertSound(field)
    }
    assert.equal(decodeWords(valueOf(textHeader('Subject', text))), kept(text))
  })
}

test('the fault of a text includes its position', () => {
  assert.deepEqual(checkHeaderText('ab\ncd'), { index: 2, character: 'U+000A' })
  assert.deepEqual(checkHeaderText('ab\udc00'), { index: 2, character: 'U+DC00' })
  assert.equal(checkHeaderText('tab\t and 🙂'), null)
})

test('plain text stays readable and folds only at spaces', () => {
  assert.equal(textHeader('Subject', 'Hello, world (100% =ok=)'), 'Subject: Hello, world (100% =ok=)\r\n')
  const long = Array.from({ length: 60 }, (_, n) => `word${n}`).join(' ')
  const field = textHeader('Subject', long)
  for (const line of field.split('\r\n')) assert.ok(line.length <= 78)
  assert.equal(valueOf(field), long)
  assert.equal(textHeader('X-Empty', ''), 'X-Empty:\r\n')
})

test('a word of 996 characters stays on one line of its own', () => {
  const word = `<https://a.test/${'u'.repeat(980)}>`
  const field = textHeader('X-Link-With-A-Name', word.slice(0, 996))
  assertSound(field)
  assert.equal(valueOf(field), word.slice(0, 996))
})

test('only the words that need it are encoded, with the shorter of Q and B', () => {
  assert.equal(
    textHeader('Subject', 'Re: Umst\u00e4ndehalber are'),
    'Subject: Re: =?utf-8?q?Umst=C3=A4ndehalber?= are\r\n',
  )
  assert.equal(textHeader('Subject', '\u65e5\u672c\u8a9e'), 'Subject: =?utf-8?b?5pel5pys6Kqe?=\r\n')
})

test('a line with an encoded word has at most 76 characters', () => {
  const address = (text: string) => ({ address: text as EmailAddress })
  for (let length = 1; length < 60; length++) {
    const name = `${'Ünïcode '.repeat(length % 13)}${'é'.repeat(length)}`
    for (const field of [
      textHeader(
        'Subject',
        `${'\u0645\u0631\u062d\u0628\u0627 '.repeat(10)}${'x'.repeat(length)} and ${'y'.repeat(length)}`,
      ),
      textHeader(`X-${'n'.repeat(length)}`, name),
      addressHeader('From', [{ name, address: address(`${'a'.repeat(length)}@b.test`) }]),
      addressHeader('To', [
        { name: 'Ann', address: address(`${'a'.repeat(length)}@b.test`) },
        { name, address: address('a@b.test') },
      ]),
    ]) {
      assertSound(field)
      for (const line of field.split('\r\n')) assert.ok(!line.includes('=?') || line.length <= 76, line)
    }
  }
})

test('no encoded word splits a character', () => {
  for (const text of ['🙂'.repeat(300), `a${'é'.repeat(300)}`, '\u65e5 '.repeat(200), `${'abc '.repeat(80)}é`]) {
    const field = textHeader('Subject', text)
    assertSound(field)
    for (const line of field.slice(0, -2).split('\r\n')) assert.ok(line.length <= 78)
    for (const word of valueOf(field).split(' ')) assert.doesNotMatch(decodeWords(word), /\ufffd/)
    assert.equal(decodeWords(valueOf(field)), text.trim())
  }
})

const ADDRESSES: [name: string, written: string][] = [
  ['', 'a@b.test'],
  ['Ann B', 'Ann B <a@b.test>'],
  ['B, Ann', '"B, Ann" <a@b.test>'],
  ['Ann "the" B\\', '"Ann \\"the\\" B\\\\" <a@b.test>'],
  ['ceo@bank.test', '"ceo@bank.test" <a@b.test>'],
  ['Žofie', '=?utf-8?b?xb1vZmll?= <a@b.test>'],
  ['a <v@evil.test>, b', '"a <v@evil.test>, b" <a@b.test>'],
]
for (const [name, written] of ADDRESSES) {
  test(`the display name ${JSON.stringify(name)} cannot become an address`, () => {
    const field = addressHeader('From', [{ name, address: { address: 'a@b.test' as EmailAddress } }])
    assert.equal(valueOf(field), written)
    assert.deepEqual(addressParser(valueOf(field)), [{ name, address: 'a@b.test' }])
  })
}

test('addresses fold between mailboxes and stay in UTF-8 only where SMTPUTF8 is needed', () => {
  const parsed = parseAddress('jørgen@bücher.test')
  assert.ok(parsed.ok)
  assert.equal(
    addressHeader('To', [{ name: 'Jørgen', address: parsed.address }]),
    'To: =?utf-8?q?J=C3=B8rgen?= <jørgen@xn--bcher-kva.test>\r\n',
  )
  const many = Array.from({ length: 50 }, (_, n) => ({
    name: `Person number ${n}`,
    address: { address: `person${n}@example.test` as EmailAddress },
  }))
  const field = addressHeader('To', many)
  for (const line of field.split('\r\n')) assert.ok(line.length <= 78)
  assert.equal(addressParser(valueOf(field)).length, 50)
})

test('header names that would break a message, a signature or our own headers are refused', () => {
  for (const name of ['X Bad', 'X-Bad:', '', 'x\r\nBcc', 'X'.repeat(200), 'Ünicode', 'a;b', 'a,b', 'X-\0']) {
    assert.equal(isHeaderName(name), false, name)
  }
  for (const name of ['X-Good', '__proto__', 'constructor', 'toString', 'x'.repeat(76)]) assert.ok(isHeaderName(name))
  for (const name of [
    ...['From', 'sender', 'TO', 'Cc', 'Bcc', 'Subject', 'Date', 'Message-ID', 'Return-Path', 'Received'],
    ...['MIME-Version', 'Content-Type', 'content-anything', 'DKIM-Signature', 'ARC-Seal', 'Authentication-Results'],
    ...['Resent-From', 'Delivered-To'],
  ]) {
    assert.ok(isForbiddenHeader(name), name)
  }
  for (const name of ['X-Tag', 'List-Unsubscribe', 'Reply-To', 'References', '__proto__', 'constructor']) {
    assert.equal(isForbiddenHeader(name), false, name)
  }
})

test('parameters are plain, quoted or RFC 2231, whichever the text allows', () => {
  assert.deepEqual(parameter('filename', 'a.pdf'), ['filename=a.pdf'])
  assert.deepEqual(parameter('filename', 'a "b".pdf'), ['filename="a \\"b\\".pdf"'])
  assert.deepEqual(parameter('filename', 'é.pdf'), ["filename*=utf-8''%C3%A9.pdf"])
  const long = parameter('filename', `${'é'.repeat(100)}.pdf`)
  assert.ok(long.length > 1)
  for (const [index, piece] of long.entries()) {
    assert.ok(piece.startsWith(`filename*${index}*=`) && piece.length <= 76, piece)
  }
  const whole = long.map((piece) => piece.slice(piece.indexOf('=') + 1)).join('')
  assert.equal(decodeURIComponent(whole.slice("utf-8''".length)), `${'é'.repeat(100)}.pdf`)
})

test('dates are those of RFC 5322', () => {
  assert.equal(formatDate(new Date('2026-02-01T03:04:05.678Z')), 'Sun, 01 Feb 2026 03:04:05 +0000')
})

test('a raw header block is read byte for byte', () => {
  const text =
    'From : a@b.test\r\nTo:\r\n c@d.test\r\nnonsense\r\n__proto__: x\r\nSubject: a\r\n\tb\r\nX-Lf: y\nX:\r\n\r\nFrom: body\r\n'
  const raw = Buffer.from(text)
  const { fields, bodyStart } = parseHeaderBlock(raw)
  assert.deepEqual(
    fields.map((field) => [field.name, fieldValue(raw, field)]),
    [
      ['From', 'a@b.test'],
      ['To', 'c@d.test'],
      ['', 'nonsense'],
      ['__proto__', 'x'],
      ['Subject', 'a\tb'],
      ['X-Lf', 'y'],
      ['X', ''],
    ],
  )
  assert.equal(raw.subarray(bodyStart).toString(), 'From: body\r\n')
  assert.equal(
    fields.map((field) => raw.toString('utf8', field.start, field.end)).join(''),
    text.slice(0, bodyStart - 2),
  )
})

test('a header block over the limit keeps the fields before it, and the body is still found', () => {
  const raw = Buffer.from(`A: 1\r\nB: ${'x'.repeat(1_000)}\r\nC: 3\r\n\r\nbody`)
  const { fields, bodyStart, truncated } = parseHeaderBlock(raw, 500)
  assert.deepEqual([fields.length, truncated, raw.toString('utf8', bodyStart)], [1, true, 'body'])
})

test('no bytes make the header reader throw, and its fields join without a gap', () => {
  const piece = fc.constantFrom('A', ':', ' ', '\t', '\r', '\n', '\r\n', '\0', 'é', '\r\n\r\n', 'From: a')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const raw = Buffer.from(pieces.join(''))
      const { fields, bodyStart } = parseHeaderBlock(raw)
      let at = 0
      for (const field of fields) {
        assert.equal(field.start, at)
        assert.ok(field.valueStart <= field.end)
        at = field.end
      }
      assert.ok(bodyStart >= at && bodyStart <= raw.length)
    }),
  )
})

test('any text comes back as it went in', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const field = textHeader('Subject', text)
      assertSound(field)
      assert.equal(decodeWords(valueOf(field)), kept(text))
    }),
  )
})

test('naughty strings come back as they went in', { skip: noCorpora }, () => {
  assert.ok(naughty.length > 400)
  for (const text of naughty) {
    const field = textHeader('Subject', text)
    assertSound(field)
    assert.equal(decodeWords(valueOf(field)), kept(text))
    const from = addressHeader('From', [{ name: text, address: { address: 'a@b.test' as EmailAddress } }])
    assertSound(from)
    const [only, ...more] = addressParser(valueOf(from))
    assert.deepEqual(more, [])
    assert.equal(only?.address, 'a@b.test')
    assert.equal(only?.name.replace(/\s+/g, ' '), kept(text).replace(/\s+/g, ' ').trim())
    assertSound(tokenHeader('Content-Disposition', ['attachment;', ...parameter('filename', text)]))
  }
})
