import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseMessage } from './parse.ts'

const corpora = process.env['POSTHORN_CORPORA']

test('a message is read into its parts', async () => {
  const message = await parseMessage(readFileSync(new URL('../../../test/golden/everything.eml', import.meta.url)))
  assert.equal(message.unparsed, null)
  assert.deepEqual(message.from, { name: 'The Shop', address: 'news@shop.example' })
  assert.deepEqual(message.to, [{ name: '', address: 'ann@example.net' }])
  assert.equal(message.subject, 'Your order')
  assert.equal(message.text?.trimEnd(), '日本語のテキスト')
  assert.deepEqual(
    message.attachments.map((one) => [one.filename, one.contentType, one.disposition, one.contentId, one.size]),
    [
      ['logo.gif', 'image/gif', 'inline', 'logo@shop', 37],
      ['Rechnung für März.pdf', 'application/pdf', 'attachment', null, 200],
    ],
  )
})

// Each row: the header of a text part after the letter, and its name as an attachment; null when it belongs to the letter.
const TEXTS: [header: string, attachment: string | null][] = [
  ['Content-Disposition: inline; filename=a.txt', 'a.txt'],
  ['Content-Type: text/html; name=a.html', 'a.html'],
  ['Content-Type: text/html\r\nContent-ID: <a@b>', '(a@b)'],
  ['Content-Disposition: attachment', '(null)'],
  ['Content-Disposition: inline', null],
  ['Content-Type: text/plain', null],
]
for (const [header, attachment] of TEXTS) {
  test(`a text of ${JSON.stringify(header)} is ${attachment === null ? 'a piece of the letter' : 'an attachment'}`, async () => {
    const letter = '--o\r\nContent-Type: text/plain; name=body\r\nContent-ID: <l@b>\r\n\r\nletter'
    const raw = `Content-Type: multipart/mixed; boundary=o\r\n\r\n${letter}\r\n--o\r\n${header}\r\n\r\nmore\r\n--o--\r\n`
    const { text, html, attachments } = await parseMessage(Buffer.from(raw))
    const isPiece = attachment === null
    assert.deepEqual([text?.replaceAll(/\s+/g, ' ').trim(), html], [isPiece ? 'letter more' : 'letter', null])
    const named = attachments.map((one) => one.filename ?? `(${one.contentId})`)
    assert.deepEqual(named, isPiece ? [] : [attachment])
    if (!isPiece) assert.equal(attachments[0]?.content.toString().trim(), 'more')
  })
}

test('every part has the line ends that its sender gave it', async () => {
  const body = (encoding: string, content: string): string =>
    `Content-Transfer-Encoding: ${encoding}\r\n\r\n${content}\r\n`
  const parts = [
    `Content-Type: multipart/alternative; boundary=a\r\n\r\n`,
    `--a\r\nContent-Type: text/plain\r\n${body('7bit', 'one\r\ntwo\r\n')}`,
    `--a\r\nContent-Type: text/html\r\n${body('quoted-printable', '<p>=3D</p>')}--a--\r\n`,
    `--o\r\nContent-Type: text/csv; name=7bit\r\n${body('7bit', 'a,b\r\nc,d')}`,
    `--o\r\nContent-Type: text/csv; name=qp\r\n${body('quoted-printable', 'a=0Ab')}`,
    `--o\r\nContent-Type: text/calendar; name=base64\r\n${body('base64', 'Yg0KYw==')}`,
    `--o\r\nContent-Type: message/rfc822; name=letter\r\n\r\nSubject: s\r\n\r\nbody\r\n\r\n--o--\r\n`,
  ]
  const message = await parseMessage(Buffer.from(`${open('o')}--o\r\n${parts.join('')}`))
  assert.deepEqual([message.text, message.html], ['one\ntwo\n', '<p>=</p>'])
  assert.deepEqual(
    message.attachments.map(({ filename, content }) => [filename, content.toString()]),
    [
      ['7bit', 'a,b\r\nc,d'],
      ['qp', 'a\nb'],
      ['base64', 'b\r\nc'],
      ['letter', 'Subject: s\r\n\r\nbody\r\n'],
    ],
  )
  assert.equal((await parseMessage(Buffer.from('Subject: s\r\n\r\nHello\r\n'))).text, 'Hello')
})

test('parts of many lines are read like parts of few', async () => {
  const text = (lines: number): string =>
    Array.from({ length: lines }, (_, n) => (n % 7 === 3 ? '' : `line ${n}`)).join('\r\n')
  const lineCounts = [1, 1_023, 1_024, 1_025, 5_000]
  const parts = lineCounts.flatMap((lines) => [
    `Content-Type: text/plain\r\n\r\n${text(lines)}`,
    `Content-Type: text/csv; name=a.csv\r\nContent-Disposition: attachment\r\n\r\n${text(lines)}`,
    `Content-Type: text/csv; name=b.csv\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${text(lines)}`,
  ])
  const body = parts.map((part) => `--b\r\n${part}\r\n`).join('')
  const read = await parseMessage(Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${body}--b--\r\n`))
  assert.equal(read.text, lineCounts.map((lines) => text(lines).replaceAll('\r\n', '\n')).join('\n'))
  const named = (name: string): string[] =>
    read.attachments.filter(({ filename }) => filename === name).map(({ content }) => content.toString())
  assert.deepEqual(named('a.csv'), lineCounts.map(text))
  assert.deepEqual(
    named('b.csv').map((one) => one.replaceAll('\r\n', '\n')),
    lineCounts.map((lines) => text(lines).replaceAll('\r\n', '\n')),
  )
})

test('a letter with a name is a letter: alone, as an alternative and beside its related parts', async () => {
  const html =
    'Content-Type: text/html; name=l.html\r\nContent-ID: <l@b>\r\nContent-Disposition: inline; filename=l.html\r\n\r\n<p>l</p>\r\n'
  const within = (kind: string, ...parts: string[]): string =>
    `Content-Type: multipart/${kind}; boundary=${kind}\r\n\r\n${parts.map((part) => `--${kind}\r\n${part}`).join('')}--${kind}--\r\n`
  const plain = 'Content-Type: text/plain\r\n\r\nl\r\n'
  const related = within('related', html, 'Content-Type: image/png\r\nContent-ID: <i@b>\r\n\r\nx\r\n')
  for (const raw of [
    html,
    within('alternative', plain, html),
    within('mixed', within('alternative', plain, related)),
    related,
  ]) {
    const message = await parseMessage(Buffer.from(raw))
    assert.equal(message.html?.trim(), '<p>l</p>', raw)
    assert.ok(message.attachments.every(({ filename }) => filename !== 'l.html'))
  }
})

test('hostile header names are only names', async () => {
  const message = await parseMessage(
    Buffer.from('__proto__: x\r\nconstructor: y\r\nhasOwnProperty: z\r\nSubject: s\r\n\r\nb'),
  )
  assert.deepEqual(
    message.headers.map(([name]) => name),
    ['__proto__', 'constructor', 'hasOwnProperty', 'Subject'],
  )
  assert.equal(message.subject, 's')
  assert.equal(({} as Record<string, unknown>)['admin'], undefined)
})

const open = (boundary: string): string => `Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n`
// Each row: a description, the message, and the result.
const BOMBS: [what: string, raw: string, unparsed: string | null][] = [
  ['a million header fields', `${'A: b\r\n'.repeat(1_000_000)}\r\nbody`, null],
  ['a header of 5 MB', `A: ${'x'.repeat(5_000_000)}\r\nSubject: s\r\n\r\nbody`, null],
  ['100,000 parts', `${open('o')}${'--o\r\n\r\nx\r\n'.repeat(100_000)}`, 'too_many_parts'],
  // The parser takes the boundary of an unclosed quoted string.
  [
    '2,000 parts with an unclosed boundary',
    `Content-Type: multipart/mixed; boundary="o\r\n\r\n${'--o\r\n\r\nx\r\n'.repeat(2_000)}`,
    'too_many_parts',
  ],
  ['1,000 parts', `${open('o')}${'--o\r\n\r\nx\r\n'.repeat(1_000)}--o--\r\n`, null],
  ['1,001 parts', `${open('o')}${'--o\r\n\r\nx\r\n'.repeat(1_001)}--o--\r\n`, 'too_many_parts'],
  ['100,000 dashed lines of text', `Subject: s\r\n\r\n${'-- \r\n'.repeat(100_000)}`, null],
  ['5,000 levels', Array.from({ length: 5_000 }, (_, n) => `${open(`b${n}`)}--b${n}\r\n`).join(''), 'malformed'],
  ['500 levels', Array.from({ length: 500 }, (_, n) => `${open(`b${n}`)}--b${n}\r\n`).join(''), 'malformed'],
  ['1,000 messages in messages', 'Content-Type: message/rfc822\r\n\r\n'.repeat(1_000), null],
  ['a boundary of 1 MB', `${open('b'.repeat(1_000_000))}--${'b'.repeat(1_000_000)}\r\n\r\nx`, null],
  ['4,000 encoded words', `Subject: ${'=?utf-8?q?a?=\r\n '.repeat(4_000)}\r\n\r\nx`, null],
  [
    '3,000 continuations',
    `Content-Type: text/plain; ${Array.from({ length: 3_000 }, (_, n) => `a*${n}*=b;`).join('\r\n ')}\r\n\r\nx`,
    null,
  ],
  ['an unknown charset', 'Content-Type: text/plain; charset=utf-7\r\n\r\n+ADw-', null],
  ['a million empty lines', `Subject: s\r\n\r\n${'\r\n'.repeat(1_000_000)}`, 'too_large'],
  ['a million line ends in a row', `Subject: s\n\n${'\n'.repeat(1_000_000)}`, 'too_large'],
  ['no header', '\r\nbody', null],
  ['nothing', '', null],
]
for (const [what, raw, expected] of BOMBS) {
  test(`a message of ${what} is survived`, async () => {
    assert.equal((await parseMessage(Buffer.from(raw))).unparsed, expected)
  })
}

test('fields within the header limit are returned, and the body after a longer header is read', async () => {
  const message = await parseMessage(Buffer.from(`Subject: s\r\n${'A: b\r\n'.repeat(20_000)}Late: x\r\n\r\nbody`))
  assert.equal(message.subject, 's')
  assert.equal(message.text?.trimEnd(), 'body')
  assert.ok(!message.headers.some(([name]) => name === 'Late'))
})

test('no bytes make it throw', async () => {
  const piece = fc.constantFrom(
    ...['Content-Type: multipart/mixed; boundary=o\r\n', '\r\n', '--o\r\n', '--o--', 'é', '\0', 'From: ', '<a@b>', ','],
    ...[
      '=?utf-8?b?',
      '?=',
      'Content-Type: message/rfc822\r\n',
      'filename*0*=',
      ';',
      '"',
      'Content-Transfer-Encoding: base64\r\n',
    ],
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      await parseMessage(Buffer.from(pieces.join('')))
    }),
    { numRuns: 500 },
  )
})

test('mails of the corpora are all read', { skip: corpora === undefined && 'POSTHORN_CORPORA is unset' }, async () => {
  let read = 0
  for (const folder of [
    'mime/resources/eml/rfc',
    'mime/resources/eml/malformed',
    'bounce/mails',
    'arf/resources/arf',
  ]) {
    for (const name of readdirSync(`${corpora}/${folder}`).filter((one) => one.endsWith('.eml'))) {
      const message = await parseMessage(readFileSync(`${corpora}/${folder}/${name}`))
      assert.equal(message.unparsed, null, name)
      read++
    }
  }
  assert.ok(read > 100)
})
