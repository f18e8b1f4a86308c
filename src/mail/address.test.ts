import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addressesIn,
  addressFault,
  foldCase,
  parseAddress,
  parseDomain,
  parseMailbox,
  parseMailboxList,
  suppressionKey,
} from './address.ts'

function address(text: string) {
  const parsed = parseAddress(text)
  assert.ok(parsed.ok, `${text} was refused`)
  return parsed.address
}

const label63 = 'l'.repeat(63)
const local64 = 'a'.repeat(64)
const total254 = `${local64}@${label63}.${label63}.${'d'.repeat(56)}.test`

// Each row: the input, and why it is refused.
const REFUSED: [text: string, reason: string][] = [
  ['user@good.test(x)evil.test', 'comment'],
  ['user@x.test(a(b)c)', 'comment'],
  ['(x)user@good.test', 'comment'],
  ['v@evil.test>@good.test', 'invalid_local_part'],
  ['<a@b.test> SIZE=1', 'invalid_local_part'],
  ['a@b.test> SIZE=1', 'invalid_domain'],
  ['a@b.test\r\nRCPT TO:<v@evil.test>', 'forbidden_character'],
  ['a@b.test\n', 'forbidden_character'],
  ['a\0@b.test', 'forbidden_character'],
  ['a\u0085@b.test', 'forbidden_character'],
  ['a\u2028@b.test', 'forbidden_character'],
  ['a\u202e@b.test', 'forbidden_character'],
  ['a\u200b@b.test', 'forbidden_character'],
  ['\ud800@b.test', 'forbidden_character'],
  ['@r1,@r2:a@b.test', 'route'],
  ['a@good.test,b@evil.test', 'more_than_one'],
  ['=?utf-8?q?a=40evil.test=3e=00?=@good.test', 'encoded_word'],
  ['=?x?q?=41?=@good.test', 'encoded_word'],
  ['a\uff20good.test', 'missing_at'],
  ['a@good\u3002test', 'invalid_domain'],
  ['a@good\uff0etest', 'invalid_domain'],
  ['a@xn--...', 'invalid_domain'],
  ['a@xn--a.test', 'invalid_domain'],
  ['a@[127.0.0.1]', 'domain_literal'],
  ['a@[IPv6:::1]', 'domain_literal'],
  ['a@127.0.0.1', 'invalid_domain'],
  ['a@localhost', 'single_label_domain'],
  ['a@good.test.', 'invalid_domain'],
  ['a@-b.test', 'invalid_domain'],
  ['a@b-.test', 'invalid_domain'],
  ['a@b_c.test', 'invalid_domain'],
  ['a@b..test', 'invalid_domain'],
  ['a@.test', 'invalid_domain'],
  ['a@good .test', 'invalid_domain'],
  ['a@ good.test', 'invalid_domain'],
  ['a..b@c.test', 'invalid_local_part'],
  ['.a@c.test', 'invalid_local_part'],
  ['a.@c.test', 'invalid_local_part'],
  ['a b@c.test', 'invalid_local_part'],
  ['a@b@c.test', 'invalid_local_part'],
  ['@c.test', 'invalid_local_part'],
  ['a@', 'invalid_domain'],
  ['', 'empty'],
  ['a', 'missing_at'],
  ['"a@c.test', 'invalid_local_part'],
  ['"a"b@c.test', 'invalid_local_part'],
  ['"a\\"@c.test', 'invalid_local_part'],
  ['""a""@c.test', 'invalid_local_part'],
  ['"a"."b"@c.test', 'invalid_local_part'],
  [`${local64}a@c.test`, 'local_part_too_long'],
  [`${'é'.repeat(33)}@c.test`, 'local_part_too_long'],
  [`a@${label63}l.test`, 'invalid_domain'],
  [total254.replace('.test', 'd.test'), 'too_long'],
  // A label that begins with a digit and continues right to left (RFC 5893 section 2).
  ['a@1\u05d0.test', 'invalid_domain'],
  ['g:g:g:;', 'missing_at'],
  ['g:a@b.test;', 'invalid_local_part'],
]
for (const [text, reason] of REFUSED) {
  test(`an address such as ${JSON.stringify(text.slice(0, 60))} is refused as ${reason}`, () => {
    assert.deepEqual(parseAddress(text), { ok: false, reason })
  })
}

// Each row: the input, and the form that policy, envelope and header use.
const ACCEPTED: [text: string, normal: string][] = [
  ['a@b.test', 'a@b.test'],
  ['Ann.B@EXAMPLE.Test', 'Ann.B@example.test'],
  ['a%evil.test@good.test', 'a%evil.test@good.test'],
  ['evil.test!a@good.test', 'evil.test!a@good.test'],
  ["o'hara+tag@good.test", "o'hara+tag@good.test"],
  ['"v@evil.test x"@good.test', '"v@evil.test x"@good.test'],
  ['"a\\"b"@good.test', '"a\\"b"@good.test'],
  ['a@go\u043ed.test', 'a@xn--god-ted.test'],
  ['a@BÜCHER.test', 'a@xn--bcher-kva.test'],
  ['a@straße.test', 'a@xn--strae-oqa.test'],
  ['a@XN--BCHER-KVA.test', 'a@xn--bcher-kva.test'],
  ['a@💌.test', 'a@xn--rr8h.test'],
  [total254, total254],
  [`a@${label63}.test`, `a@${label63}.test`],
]
for (const [text, normal] of ACCEPTED) {
  test(`an address such as ${JSON.stringify(text.slice(0, 60))} has one normal form`, () => {
    const parsed = address(text)
    assert.equal(parsed.address, normal)
    assert.equal(parsed.address, `${parsed.local}@${parsed.domain}`)
    assert.equal(parsed.smtpUtf8, false)
    assert.deepEqual(address(parsed.address).address, parsed.address)
  })
}

test('a non-ASCII local part needs SMTPUTF8, an international domain alone does not', () => {
  assert.equal(address('jørgen@bücher.test').smtpUtf8, true)
  assert.equal(address('jørgen@bücher.test').address, 'jørgen@xn--bcher-kva.test')
  assert.equal(address('jorgen@bücher.test').unicodeDomain, 'bücher.test')
})

test('all spellings of one mailbox have one suppression key', () => {
  const key = 'ann.b@xn--bcher-kva.test'
  for (const text of [
    'ann.b@bücher.test',
    'ANN.B@BÜCHER.TEST',
    '"Ann.B"@xn--bcher-kva.test',
    '"A\\nn.B"@bücher.test',
  ]) {
    assert.equal(suppressionKey(address(text)), key)
  }
  assert.equal(suppressionKey(address('"a b"@c.test')), '"a b"@c.test')
  assert.equal(suppressionKey(address('"\\a b\\""@c.test')), '"a b\\""@c.test')
  assert.equal(suppressionKey(address('e\u0301@c.test')), suppressionKey(address('É@c.test')))
  for (const text of ['ΝΙΚΟΣ@c.test', 'νικος@c.test', 'νικοσ@c.test', '"Νικος"@c.test'])
    assert.equal(suppressionKey(address(text)), 'νικοσ@c.test')
})

test('spellings that differ only in case fold to the same text, and folding again changes nothing', () => {
  let letters = 0
  // Letters beyond this have no case.
  for (let code = 0; code < 0x2_0000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    const letter = String.fromCodePoint(code)
    const folded = foldCase(letter)
    if (foldCase(folded) !== folded || folded.normalize('NFC') !== folded)
      assert.fail(`${letter} is not folded at once`)
    // A letter that expands to several (SS) is a different spelling, and the dotless i differs from the dotted one.
    const others = [letter.toLowerCase(), letter.toUpperCase()].filter((one) => [...one].length === 1)
    const apart = letter === '\u0131' ? undefined : others.find((other) => foldCase(other) !== folded)
    if (apart !== undefined) assert.fail(`${letter} and ${apart} are not one`)
    if (folded !== letter.normalize('NFC').toLowerCase()) letters++
  }
  assert.equal(letters, 21)
  for (const text of ['ſ\u0301', 'J\u030c', 'ΑΣ.ΑΣ', 'ὈΔΥΣΣΕΎΣ']) {
    assert.equal(foldCase(text.toLowerCase()), foldCase(text), text)
    assert.equal(foldCase(text).normalize('NFC'), foldCase(text), text)
  }
})

test('a megabyte of hostile text is refused unread', () => {
  const million = 1_000_000
  const texts = [
    ','.repeat(million),
    '<'.repeat(million),
    '('.repeat(100_000),
    `${'g:'.repeat(10_000)}${';'.repeat(10_000)}`,
    '"'.repeat(million),
    '\\'.repeat(million),
    `"${'\\"'.repeat(million / 2)}`,
    '@'.repeat(million),
    ' '.repeat(million),
    'a.'.repeat(million / 2),
    `a@${'b.'.repeat(million / 2)}test`,
    `a@${'é'.repeat(million)}.test`,
  ]
  const before = performance.now()
  for (const text of texts) {
    for (const cut of [text, text.slice(0, 65_000)]) {
      assert.equal(parseAddress(cut).ok, false)
      assert.equal(parseMailbox(cut).ok, false)
      assert.equal(parseMailboxList(cut).ok, false)
      assert.equal(parseDomain(cut).ok, false)
    }
  }
  assert.ok(performance.now() - before < 2_000)
})

test('a list of a thousand mailboxes is read completely', () => {
  const list = parseMailboxList(Array.from({ length: 1_000 }, (_, n) => `"N, ${n}" <n${n}@good.test>`).join(', '))
  assert.ok(list.ok)
  assert.equal(list.mailboxes.length, 1_000)
  assert.equal(list.mailboxes[999]?.name, 'N, 999')
})

// Each row: the input, and the name and the address read from it.
const MAILBOXES: [text: string, name: string, address: string][] = [
  ['a@b.test', '', 'a@b.test'],
  [' <a@b.test> ', '', 'a@b.test'],
  ['Ann B. <a@b.test>', 'Ann B.', 'a@b.test'],
  ['Ann<a@b.test>', 'Ann', 'a@b.test'],
  ['"B, Ann" <a@b.test>', 'B, Ann', 'a@b.test'],
  ['"Ann \\"the\\" B" <a@b.test>', 'Ann "the" B', 'a@b.test'],
  ['Žofie 🙂 <a@b.test>', 'Žofie 🙂', 'a@b.test'],
  ['"ceo@bank.test" <a@mine.test>', 'ceo@bank.test', 'a@mine.test'],
  ['=?utf-8?q?Ann?= <a@b.test>', '=?utf-8?q?Ann?=', 'a@b.test'],
  ['"a, b"@good.test', '', '"a, b"@good.test'],
  ['"x <v@evil.test>" <a@good.test>', 'x <v@evil.test>', 'a@good.test'],
]
for (const [text, name, expected] of MAILBOXES) {
  test(`the mailbox ${JSON.stringify(text)} is read as one name and one address`, () => {
    const parsed = parseMailbox(text)
    assert.ok(parsed.ok, JSON.stringify(parsed))
    assert.equal(parsed.mailbox.name, name)
    assert.equal(parsed.mailbox.address.address, expected)
  })
}

const NOT_ONE_MAILBOX = [
  'a@mine.test, ceo@bank.test',
  'a@good.test,b@evil.test',
  'Ann <a@b.test>, ceo@bank.test',
  'Ann <a@b.test> <v@evil.test>',
  'Ann <a@b.test> SIZE=1',
  'v@evil.test <a@b.test>',
  'ceo@bank.test, <a@mine.test>',
  'Ann (x) <a@b.test>',
  'a@b.test (Ann)',
  'g:a@b.test;',
  'g:g:g:;',
  'Ann <@r1,@r2:a@b.test>',
  'Ann <>',
  '<>',
  'Ann <a@b.test',
  'Ann a@b.test>',
  '"Ann <a@b.test>',
  'Ann\r\nBcc: v@evil.test <a@b.test>',
  'Ann\ud800 <a@b.test>',
  'a@b.test,',
  ',a@b.test',
  ' ',
  '',
]
for (const text of NOT_ONE_MAILBOX) {
  test(`${JSON.stringify(text)} is not one mailbox`, () => {
    assert.equal(parseMailbox(text).ok, false)
  })
}

test('a list keeps its order, and is refused for the reason of its first bad mailbox', () => {
  const list = parseMailboxList('a@b.test, "C, D" <c@d.test> ,E <e@f.test>')
  assert.ok(list.ok)
  assert.deepEqual(
    list.mailboxes.map((one) => [one.name, one.address.address]),
    [
      ['', 'a@b.test'],
      ['C, D', 'c@d.test'],
      ['E', 'e@f.test'],
    ],
  )
  assert.deepEqual(parseMailboxList('a@b.test,,c@d.test'), { ok: false, reason: 'empty' })
  assert.deepEqual(parseMailboxList('a@b.test, c@localhost'), { ok: false, reason: 'single_label_domain' })
  assert.deepEqual(parseMailboxList('team: a@b.test, c@d.test;'), { ok: false, reason: 'group' })
})

// Each row: an address header, and the addresses shown from it.
const HEADERS: [text: string, shown: string[]][] = [
  ['a@x.test, B <b@x.test>,<c@x.test>', ['a@x.test', 'b@x.test', 'c@x.test']],
  ['Team: a@x.test, B <b@x.test>; c@x.test', ['a@x.test', 'b@x.test', 'c@x.test']],
  ['undisclosed-recipients:;', []],
  ['"Last, First: \\"x\\"" <a@x.test>, b@x.test', ['a@x.test', 'b@x.test']],
  ['a@x.test (one, (two, \\) <z@x.test>)), b@x.test', ['a@x.test', 'b@x.test']],
  ['(a@x.test) b@x.test ("), c@x.test', ['b@x.test', 'c@x.test']],
  ['"(" <a@x.test>, b@x.test', ['a@x.test', 'b@x.test']],
  ['a@x.test b@x.test, c@, ,d@x.test', ['d@x.test']],
  [`${'x'.repeat(65_536)}, a@x.test`, []],
]
for (const [text, shown] of HEADERS) {
  test(`the header ${JSON.stringify(text.slice(0, 60))} shows the addresses: ${shown.join(' ')}`, () => {
    assert.deepEqual(addressesIn(text), shown)
  })
}

test('only a string gets a reason why it is not an address', () => {
  assert.equal(addressFault(' a@b.test '), null)
  assert.equal(addressFault('a@'), 'is not an email address: the part after the @ is not a domain')
  assert.equal(addressFault(''), 'is not an email address: it is empty')
  // As in the fields of a send: blanks around the address are trimmed, a line end is not.
  for (const text of ['a@b.test\n', '\r\na@b.test', 'a@b.test\u2028']) {
    assert.equal(addressFault(text), 'is not an email address: it contains a character that is not allowed')
  }
  assert.equal(addressFault(7), null)
  assert.equal(addressFault(undefined), null)
})

test('no text makes the parsers throw, and an accepted address is accepted again in normal form', () => {
  const naughty = process.env['POSTHORN_CORPORA']
  const strings: string[] =
    naughty === undefined ? [] : (JSON.parse(readFileSync(`${naughty}/naughty/blns.json`, 'utf8')) as string[])
  const check = (text: string): void => {
    for (const one of [text, `${text}@good.test`, `a@${text}`, `a@${text}.test`, `${text} <a@b.test>`, `<${text}>`]) {
      parseMailbox(one)
      parseMailboxList(one)
      parseDomain(one)
      const parsed = parseAddress(one)
      if (!parsed.ok) continue
      assert.deepEqual(parseAddress(parsed.address.address), parsed)
      assert.doesNotMatch(parsed.address.address, /[\r\n\0]/)
      assert.match(parsed.address.domain, /^[a-z0-9.-]+$/)
      suppressionKey(parsed.address)
    }
  }
  for (const text of strings) check(text)
  const piece = fc.constantFrom(
    'a',
    '@',
    '.',
    '"',
    '\\',
    '<',
    '>',
    ',',
    '(',
    ')',
    ':',
    ';',
    ' ',
    'é',
    '-',
    'xn--',
    '[',
    '\n',
    'test',
  )
  fc.assert(fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => check(pieces.join(''))))
  fc.assert(fc.property(fc.string({ unit: 'binary' }), check))
})
