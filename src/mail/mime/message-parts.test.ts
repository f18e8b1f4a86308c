import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeQuotedPrintable, encodeQuotedPrintable } from './encodings.ts'
import { mayHavePlaceholder, messageParts, plainMessage, withoutBulk } from './message-parts.ts'
import { parseMessage } from './parse.ts'

const MB = 1_048_576

const message = (...lines: string[]): Buffer => Buffer.from(lines.join('\r\n'))

const alternative = (...parts: string[][]): Buffer =>
  message(
    'From: a@shop.example',
    'Content-Type: multipart/alternative; boundary=b1',
    '',
    ...parts.flatMap((part) => ['--b1', ...part]),
    '--b1--',
    '',
  )
const TEXT = ['Content-Type: text/plain; charset=utf-8', '', 'Hello {name}', 'second line']
const HTML = [
  'Content-Type: text/html; charset=UTF-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<p>Gr=C3=BC=C3=9Fe, click <a href=3D"http://x.ex=',
  'ample/">here</a></p>',
]

test('a message of html and text is read as the parser reads it', async () => {
  for (const one of [alternative(TEXT, HTML), alternative(HTML), message(...TEXT, ''), message(...HTML, '')]) {
    const { html, text } = await parseMessage(one)
    const plain = plainMessage(one)
    assert.equal(plain?.html?.trim(), html?.trim())
    assert.equal(plain?.text?.trim(), text?.trim())
  }
})

// Each row: the content before a letter in the same multipart, and whether the letter is still found.
const BEFORE: [name: string, parts: string, found: boolean][] = [
  ['a thousand parts', '--b1\r\nContent-Type: image/png\r\n\r\n'.repeat(1_000), true],
  ['a million parts', '--b1\r\nContent-Type: a/b\r\n\r\n'.repeat(900_000), false],
  ['a million lines that are nearly a delimiter', '--b1-x\r\n'.repeat(1_000_000), false],
  ['a header of 2 MB', `--b1\r\n${'x:\r\n'.repeat(400_000)}\r\n`, false],
  ['headers of 2 MB together', `--b1\r\n${'x:\r\n'.repeat(5_000)}\r\n`.repeat(100), false],
]
for (const [name, parts, found] of BEFORE) {
  test(`after ${name} a letter is ${found ? 'found' : 'no longer looked for, so that reading ends'}`, () => {
    const head = 'From: a@shop.example\r\nContent-Type: multipart/mixed; boundary=b1\r\n\r\n'
    const letter = `--b1\r\n${TEXT.join('\r\n')}\r\n--b1--\r\n`
    const one = Buffer.from(`${head}${parts}${letter}`)
    const texts = messageParts(one).filter(({ bodyStart, end }) =>
      one.toString('latin1', bodyStart, end).startsWith('Hello'),
    )
    assert.equal(texts.length, found ? 1 : 0)
  })
}

test('a message with more than html and text is left to the parser', () => {
  const attachment = ['Content-Type: text/html; charset=utf-8', 'Content-Disposition: attachment', '', '<p>x</p>']
  const latin = ['Content-Type: text/plain; charset=iso-8859-1', '', 'ü']
  const twice = ['Content-Type: text/plain; charset=utf-8', 'Content-Type: text/html; charset=utf-8', '', 'x']
  for (const parts of [[TEXT, attachment], [TEXT, latin], [TEXT, TEXT], [twice, HTML], [TEXT, HTML, HTML], []]) {
    assert.equal(plainMessage(alternative(...parts)), null)
  }
  assert.equal(plainMessage(message('Content-Type: multipart/mixed; boundary=b1', '', '--b1', ...TEXT, '--b1--')), null)
  assert.equal(plainMessage(message(...twice)), null)
})

test('no spelling of the placeholder in quoted-printable is overlooked', () => {
  const spellings = [
    '{{unsubscribe}}',
    '{{ Unsubscribe }}',
    '%7b%7bunsubscribe%7D%7D',
    '{={unsubscribe}}',
    '=7b=7Bunsubscribe=7D=7D',
    '=257b',
  ]
  for (const spelling of spellings) {
    const one = message(...HTML.slice(0, 3), `<p>${spelling}</p>`)
    assert.ok(messageParts(one).every((part) => mayHavePlaceholder(one, part)))
  }
  const without = message(...HTML)
  assert.ok(messageParts(without).every((part) => !mayHavePlaceholder(without, part)))
})

// Each row: a body in base64, and whether its html can be replaced.
const LINE = Buffer.from('<p>Hello</p>\n').toString('base64')
const IN_BASE64: [name: string, body: string, replaceable: boolean][] = [
  ['in one piece', `${Buffer.from('<p>Hello</p><p>and more</p>').toString('base64')}\r\n`, true],
  ['with blanks', `PHA+\r\n \tSGk=\r\n\r\n`, true],
  ['in pieces that are padded each', `${LINE}\r\n${LINE}\r\n`, false],
  ['with a line in clear behind it', `${LINE}\r\n-- sent by a list\r\n`, false],
  ['that is nothing but padding', '='.repeat(1_000_000), false],
  ['with a long blank before a foreign character', `${' '.repeat(1_000_000)}!`, false],
]
for (const [name, body, replaceable] of IN_BASE64) {
  test(`html in base64 ${name} ${replaceable ? 'can be replaced' : 'is left alone, since readers see more than we would write'}`, () => {
    const one = message('Content-Type: text/html', 'Content-Transfer-Encoding: base64', '', body)
    assert.equal(messageParts(one).length, replaceable ? 1 : 0)
  })
}

test('a part that ends with its header is left alone: text behind it would belong to the header', () => {
  assert.equal(messageParts(alternative(['Content-Type: text/html'])).length, 0)
  assert.equal(messageParts(alternative(['Content-Type: text/html', '', ''])).length, 1)
  assert.equal(messageParts(alternative(['', 'text'])).length, 1)
  assert.equal(messageParts(alternative([''])).length, 0)
})

test('quoted-printable round-trips, with or without blanks before line ends', () => {
  const bytes = fc
    .array(fc.constantFrom(...'=3Da \t\r\n.é'), { maxLength: 300 })
    .map((all) => Buffer.from(all.join('')))
  fc.assert(
    fc.property(bytes, (some) => {
      const lines = some.toString().replaceAll(/\r?\n|\r/g, '\r\n')
      assert.equal(decodeQuotedPrintable(encodeQuotedPrintable(Buffer.from(lines))).toString(), lines)
      // A blank at the end of a line selects the decoder's other path, which must give the same result.
      const other = decodeQuotedPrintable(Buffer.concat([some, Buffer.from('\r\nx \r\n')])).toString('latin1')
      const [, stripped] = /^([^]*)\r\nx\r\n$/.exec(other) ?? []
      if (!/[ \t=]$/.test(some.toString()) && !/[ \t]\r?\n/.test(some.toString()))
        assert.equal(stripped, decodeQuotedPrintable(some).toString('latin1'))
    }),
  )
})

test('a message without its bulk has the same letter and the same names', async () => {
  const bulk = Buffer.alloc(300_000, 'a').toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  const attached = (name: string, type: string, body: string): string =>
    `--out\r\nContent-Type: ${type}; name="${name}"\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\n${body}\r\n`
  const long = 'word '.repeat(20_000)
  const message = Buffer.from(
    `Subject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=out\r\n\r\n` +
      `--out\r\nContent-Type: multipart/alternative; boundary=in\r\n\r\n` +
      `--in\r\nContent-Type: text/plain\r\n\r\n${long}\r\n--in\r\nContent-Type: text/html\r\n\r\n<p>html</p>\r\n--in--\r\n` +
      `${attached('one.pdf', 'application/pdf', bulk)}${attached('two.txt', 'text/plain', bulk)}${attached('small.exe', 'application/x-dosexec', 'AAAA')}--out--\r\n`,
  )
  const slim = withoutBulk(message, 5 * MB)
  assert.ok(slim.length < 120_000, `${slim.length} bytes of ${message.length}`)
  const [whole, less] = [await parseMessage(message), await parseMessage(slim)]
  assert.equal(less.text, whole.text)
  assert.equal(less.html, whole.html)
  const named = ({ attachments }: typeof whole) =>
    attachments.map(({ filename, contentType }) => [filename, contentType])
  assert.deepEqual(named(less), named(whole))
  // Small parts stay, wherever they are.
  const exe = whole.attachments.find(({ filename }) => filename === 'small.exe')
  assert.deepEqual(less.attachments.find(({ filename }) => filename === 'small.exe')?.content, exe?.content)
  const plain = Buffer.from(`Subject: s\r\n\r\n${long}`)
  assert.equal(withoutBulk(plain, 5 * MB), plain)
})

test('of a long letter, whole lines within the limit are left, and what follows it', async () => {
  const line = `${'word '.repeat(14)}\r\n`
  const long = line.repeat(2_000)
  const raw = Buffer.from(
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n${long}` +
      '--b\r\nContent-Type: text/html\r\n\r\n<p>short</p>\r\n--b--\r\n',
  )
  const { text, html } = await parseMessage(withoutBulk(raw, 100_000))
  const kept = Math.floor(100_000 / line.length)
  assert.equal(text?.slice(0, kept * (line.length - 1)), line.replace('\r', '').repeat(kept))
  assert.ok((text?.length ?? 0) < kept * line.length + 100)
  assert.match(html ?? '', /<p>short<\/p>/)
  const alone = Buffer.from(`Subject: s\r\n\r\n${long}`)
  assert.equal(
    withoutBulk(alone, 1_000).toString(),
    `Subject: s\r\n\r\n${line.repeat(Math.floor(1_000 / line.length))}`,
  )
})
