import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOf, readParts, splitHeader, wordsOf } from './parts.ts'

const read = (text: string | Buffer): (readonly [type: string, text: string])[] =>
  readParts(Buffer.from(text)).parts.map(({ type, text: content }) => [type, content])

const base64 = (text: string): string => Buffer.from(text).toString('base64').replaceAll(/.{20}/g, '$&\n')

// Each row: a message, and its parts.
const MESSAGES: readonly (readonly [
  what: string,
  message: string | Buffer,
  parts: readonly (readonly [string, string])[],
])[] = [
  ['text that says nothing of itself', 'Subject: s\n\nGrüße\n', [['text/plain', 'Grüße\n']]],
  [
    'base64, its line ends made one',
    `Content-Transfer-Encoding: BASE64\n\n${base64('550 no such user\r\nSorry ü\rend')}`,
    [['text/plain', '550 no such user\nSorry ü\nend']],
  ],
  [
    'quoted-printable, with blanks before a soft line end',
    'Content-Transfer-Encoding: quoted-printable\n\n550 no =  \nsuch=20user=0D=0AGr=C3=BC=C3=9Fe=\n',
    [['text/plain', '550 no such user\nGrüße']],
  ],
  [
    'another charset',
    Buffer.concat([
      Buffer.from('Content-Type: text/plain; charset="ISO-8859-1"\n\nGr'),
      Buffer.of(0xfc),
      Buffer.from('n'),
    ]),
    [['text/plain', 'Grün']],
  ],
  [
    'bytes that are not in the charset named',
    Buffer.concat([Buffer.from('Content-Type: text/plain; charset=utf-8\n\nGr'), Buffer.of(0xfc), Buffer.from('n')]),
    [['text/plain', 'Grün']],
  ],
  ['a charset that nobody knows', 'Content-Type: text/plain; charset=x-none\n\nGrün', [['text/plain', 'Grün']]],
  ['ISO-2022-JP that is not named', 'Subject: s\n\n\x1b$B86J8\x1b(B', [['text/plain', '原文']]],
  [
    'html as lines of words, without what is not shown',
    'Content-Type: text/html\n\n<title>t</title><STYLE>x{}</STYLE><p>No&nbsp;&lt;a@b.test&gt;</p>\n <b>here</b>  now<script>y()</script><br>end',
    [['text/html', ' No\u00a0<a@b.test>\nhere now\nend']],
  ],
  ['html whose style has no end', 'Content-Type: text/html\n\nabc<style>x{}', [['text/html', 'abc x{}']]],
  ['a mailbox file', 'From a@b.test Thu Jan 1\nContent-Type: text/x\n\nhello', [['text/x', 'hello']]],
  [
    'empty lines before the header',
    '\n\nContent-Type: text/x\n\nhello',
    [['text/plain', '\nContent-Type: text/x\n\nhello']],
  ],
  ['blank lines before the header', ' \n \nContent-Type: text/x\n\nhello', [['text/x', 'hello']]],
  [
    'parts within parts',
    'Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/related; boundary="c d"\n\n--c d\n\none\n--c d--\n--b\nContent-Type: text/x\n\ntwo\n--b--\n--b\n\nnone',
    [
      ['text/plain', 'one'],
      ['text/x', 'two'],
    ],
  ],
  ['no end', 'Content-Type: multipart/mixed; boundary=b\n\n--b\n\none', [['text/plain', 'one']]],
  ['no delimiter', 'Content-Type: multipart/mixed; boundary=b\n\none', [['multipart/mixed', 'one']]],
  ['no boundary', 'Content-Type: multipart/mixed\n\n--b\n\none', [['multipart/mixed', '--b\n\none']]],
  [
    'a boundary of more than 200 characters',
    `Content-Type: multipart/mixed; boundary=${'b'.repeat(201)}\n\n--${'b'.repeat(201)}\n\none`,
    [['multipart/mixed', `--${'b'.repeat(201)}\n\none`]],
  ],
]
for (const [what, message, parts] of MESSAGES) {
  test(`the parts of a report: ${what}`, () => {
    assert.deepEqual(read(message), parts)
  })
}

test('at most ten levels and a thousand parts are read', () => {
  const nested = (levels: number): string =>
    levels === 0
      ? 'Content-Type: text/x\n\nhello\n'
      : `Content-Type: multipart/mixed; boundary=b${levels}-\n\n--b${levels}-\n${nested(levels - 1)}\n--b${levels}---\n`
  assert.deepEqual(read(nested(10)), [['text/x', 'hello\n']])
  assert.equal(read(nested(11))[0]?.[0], 'multipart/mixed')
  const many = `Content-Type: multipart/mixed; boundary=b\n\n${'--b\n\nx\n'.repeat(1_005)}--b--`
  assert.equal(read(many).length, 1_000)
})

test('fields are unfolded and in lower case, and other lines are skipped', () => {
  const { fields, body } = splitHeader('A-b: one\n\ttwo\n  three\nnone\n: x\nC :four\0\n \nbody')
  assert.deepEqual(fields, [
    ['a-b', 'one two three'],
    ['c', 'four'],
  ])
  assert.equal(body, 'body')
  assert.equal(fieldOf(fields, 'c'), 'four')
  assert.equal(fieldOf(fields, 'd'), null)
})

test('header text is read with and without encoded words', () => {
  assert.equal(wordsOf('=?utf-8?Q?Gr=C3=BC=C3=9Fe?='), 'Grüße')
  assert.equal(wordsOf(Buffer.from('Grüße').toString('latin1')), 'Grüße')
  assert.equal(wordsOf('Gr\xfcn'), 'Grün')
  assert.equal(wordsOf(null), '')
})

test('a delimiter that merely starts with a boundary does not end its parts', () => {
  const inner = ['--b10', 'Content-Type: text/plain', '', 'first', '--b10 ', '', 'second', '--b10--', '']
  const lines = ['--b1', 'Content-Type: multipart/mixed; boundary=b10', '', ...inner, '--b1', '', 'third', '--b1--', '']
  const head = 'Content-Type: multipart/mixed; boundary="b1"\r\n\r\n'
  const { parts } = readParts(Buffer.from(head + lines.join('\r\n')))
  assert.deepEqual(
    parts.map(({ text }) => text.trim()),
    ['first', 'second', 'third'],
  )
})
