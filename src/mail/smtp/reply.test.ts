import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseReply, type Reply, type ReplyFault, ReplyReader, replyOf } from './reply.ts'

function read(bytes: string | Buffer, pieceBytes = Number.POSITIVE_INFINITY): (Reply | ReplyFault)[] {
  const reader = new ReplyReader()
  const buffer = Buffer.from(bytes)
  const found: (Reply | ReplyFault)[] = []
  for (let at = 0; at < buffer.length; at += pieceBytes)
    found.push(...reader.push(buffer.subarray(at, at + pieceBytes)))
  return found
}

// Each row: the bytes on the wire, their codes (or `fault`), and the text of the first reply.
const ROWS: [wire: string, codes: (number | 'fault')[], text?: string, enhanced?: string | null][] = [
  ['250 ok\r\n', [250], '250 ok', null],
  ['250\r\n', [250], '250', null],
  ['250 \r\n', [250], '250', null],
  ['250-\r\n250 \r\n', [250], '250'],
  ['250 ok\n', [250], '250 ok'],
  ['250-a\r\n250-b\r\n250 c\r\n', [250], '250 a b c'],
  ['250 a\r\n354 b\r\n', [250, 354]],
  [
    '550-5.1.1 The account\r\n550-5.1.1 that you\r\n550 5.1.1 tried\r\n',
    [550],
    '550 5.1.1 The account that you tried',
    '5.1.1',
  ],
  ['550 #5.1.1 no\r\n', [550], '550 5.1.1 no', '5.1.1'],
  ['550 sorry, no mailbox (#5.1.1)\r\n', [550], '550 sorry, no mailbox (#5.1.1)', '5.1.1'],
  ['550 5.7.606 banned\r\n', [550], '550 5.7.606 banned', '5.7.606'],
  ['550 5.7.1.2 is no status\r\n', [550], '550 5.7.1.2 is no status', null],
  ['550 3.1.1 is no class\r\n', [550], '550 3.1.1 is no class', null],
  ['550 4.2.2 contradicts\r\n', [550], '550 4.2.2 contradicts', '4.2.2'],
  ['450 5.1.1 contradicts\r\n', [450], '450 5.1.1 contradicts', '5.1.1'],
  ['299 a\r\n399 b\r\n', [299, 399]],
  ['199 a\r\n', ['fault']],
  ['600 a\r\n', ['fault']],
  ['abc\r\n', ['fault']],
  ['\r\n', ['fault']],
  ['25 a\r\n', ['fault']],
  ['2500 a\r\n', ['fault']],
  ['250.a\r\n', ['fault']],
  [' 250 a\r\n', ['fault']],
  ['HTTP/1.1 400 Bad Request\r\n\r\n', ['fault']],
  ['250 a\r\nnonsense\r\n250 b\r\n', [250, 'fault']],
  ['554-no service\r\nread our page\r\n554 bye\r\n', [554], '554 no service read our page bye'],
  ['250-accepted\r\n550 5.1.1 no such user\r\n250 next\r\n', ['fault']],
  ['450-4.2.0 later\r\n550 5.1.1 no such user\r\n', ['fault']],
  ['552-5.2.2 full\r\n550 5.1.1 no such user\r\n', [550], '552-5.2.2 full / 550 5.1.1 no such user', '5.1.1'],
  ['550-5.1.1 bad\r\n250 ok\r\n', [250], '550-5.1.1 bad / 250 ok', null],
  ['550-5.1.1 bad\r\n250 5.1.1 ok\r\n', [250], '550-5.1.1 bad / 250 5.1.1 ok', null],
  ['250-a\r\n550-b\r\n250 c\r\n', [250], '250-a / 550-b / 250 c', null],
  ['550 a\0b\x1b[31mc\x7f\r\n', [550], '550 a b [31mc'],
  ['', []],
  ['250 unfinished', []],
]

for (const pieceBytes of [Number.POSITIVE_INFINITY, 1, 3]) {
  for (const [wire, codes, text, enhanced] of ROWS) {
    test(`${JSON.stringify(wire)} in pieces of ${pieceBytes} is read as ${codes.join() || 'nothing'}`, () => {
      const found = [...new Set(read(wire, pieceBytes))]
      assert.deepEqual(
        found.map((one) => ('fault' in one ? 'fault' : one.code)),
        codes,
      )
      const [first] = found
      if (first === undefined || 'fault' in first) return
      if (text !== undefined) assert.equal(first.text, text)
      if (enhanced !== undefined) assert.equal(first.enhanced, enhanced)
    })
  }
}

test('bytes that are not UTF-8 are tolerated', () => {
  const [reply] = read(Buffer.concat([Buffer.from('550 caf'), Buffer.from([0xe9, 0xff]), Buffer.from('\r\n')]))
  assert.deepEqual(reply, replyOf(550, ['caf\ufffd\ufffd']))
})

test('a long line is truncated, an endless one is a fault', () => {
  const [long] = read(`250 ${'x'.repeat(60_000)}\r\n`, 1_000)
  assert.ok(long !== undefined && 'lines' in long && (long.lines[0]?.length ?? 0) <= 4_096)
  const [endless] = read('2'.repeat(100_000), 1_000)
  assert.ok(endless !== undefined && 'fault' in endless)
})

test('10,000 lines become a reply of 1,000, endless lines are a fault', () => {
  const [many, ...rest] = read(`${'250-more\r\n'.repeat(10_000)}250 end\r\n`, 777)
  assert.ok(many !== undefined && 'lines' in many && many.lines.length === 1_000)
  assert.equal(rest.length, 0)
  const [endless] = read('250-more\r\n'.repeat(500_000), 65_536)
  assert.ok(endless !== undefined && 'fault' in endless)
})

test('no bytes make it throw, and their chunking does not matter', () => {
  const piece = fc.constantFrom(
    '2',
    '5',
    '0',
    '250',
    '550 ',
    '250-',
    '-',
    ' ',
    '\r',
    '\n',
    '\r\n',
    '5.1.1',
    'a',
    '\xff',
    '\0',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (pieces, cut) => {
      const wire = Buffer.from(pieces.join(''), 'latin1')
      const whole = read(wire)
      const parts = read(wire, cut)
      assert.deepEqual([...new Set(parts)], whole)
    }),
  )
})

test('a reply that we write is read back unchanged', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'B', '5', '.', ' ', 'é', '-'), maxLength: 40 })
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 599 }), fc.array(line, { minLength: 1, maxLength: 5 }), (code, lines) => {
      const wire = lines.map((text, index) => `${code}${index < lines.length - 1 ? '-' : ' '}${text}`).join('\r\n')
      assert.deepEqual(parseReply(wire), replyOf(code, lines))
    }),
  )
})

test('if the lines contradict each other, the last code decides, with a status of its class', () => {
  const mixed = parseReply('550-5.1.1 no such\r\n450 4.1.1 mixed')
  assert.deepEqual([mixed?.code, mixed?.enhanced, mixed?.text], [450, '4.1.1', '550-5.1.1 no such / 450 4.1.1 mixed'])
  assert.equal(parseReply('550-5.1.1 no such\r\n550 5.7.1 or not for you')?.enhanced, '5.1.1')
  assert.equal(parseReply('550-4.2.1 disabled\r\n550 for good')?.enhanced, '4.2.1')
})
