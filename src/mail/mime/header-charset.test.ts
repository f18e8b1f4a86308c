import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeWords } from 'postal-mime'
import { fieldTexts } from './header-charset.ts'
import { parseHeaderBlock } from './headers.ts'

const subjectOf = (value: Buffer): string => {
  const message = Buffer.concat([Buffer.from('Subject: '), value, Buffer.from('\r\n\r\n')])
  const [field] = parseHeaderBlock(message).fields
  assert.ok(field)
  return decodeWords(fieldTexts(message)(field))
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

// Old programs write the bytes of the charset into an encoded word, without encoding them.
const RAW: [value: Buffer, text: string][] = [
  [bytes('=?iso-8859-1?Q?Die_Fr\xf6sche?='), 'Die Frösche'],
  [bytes('Re: =?windows-1251?q?\xcf\xf0\xe8\xe2\xe5\xf2=2C?= hi'), 'Re: Привет, hi'],
  [bytes('=?gb2312?Q?\xd6\xd0\xb9\xfa?= =?iso-8859-1*de?q?\xfc?='), '中国ü'],
  [Buffer.from('=?utf-8?q?Fr=C3=B6sche_und_Frösche?='), 'Frösche und Frösche'],
  // Not in the charset that the word names: read as bytes without a charset are.
  [bytes('=?utf-8?q?Fr\xf6sche?='), 'Frösche'],
  [bytes('=?unknown-8bit?q?Fr\xf6sche?='), 'Frösche'],
  [Buffer.from('Grüße =?iso-8859-1?q?Fr=F6sche?='), 'Grüße Frösche'],
  [bytes('Fr\xf6sche =?iso-8859-1?q?'), 'Frösche =?iso-8859-1?q?'],
]
for (const [value, text] of RAW) {
  test(`bytes that stand unencoded in ${JSON.stringify(value.toString('latin1'))} are read in the charset of their word`, () => {
    assert.equal(subjectOf(value), text)
  })
}

test('a header of nothing but beginnings of encoded words is read in linear time', () => {
  const startedMs = performance.now()
  subjectOf(bytes('=?a?q?\xf6'.repeat(25_000)))
  subjectOf(bytes(`=?${'a?q?\xf6'.repeat(40_000)}`))
  assert.ok(performance.now() - startedMs < 2_000)
})
