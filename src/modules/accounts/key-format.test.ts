import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseNetwork } from '../../platform/addresses.ts'
import { systemIds } from '../../platform/ids.ts'
import { isAllowed } from './addresses.ts'
import { isKey, newKey, prefixOf } from './key-format.ts'
import { passwords } from './passwords.ts'

const { bytes } = systemIds()

test('a key has the form that a scanner looks for, and its checksum', () => {
  for (let i = 0; i < 200; i++) {
    const { key, prefix, last4, hash } = newKey(i % 2 === 0 ? 'live' : 'sandbox', bytes)
    assert.match(key, i % 2 === 0 ? /^ph_live_[0-9A-Za-z]{46}$/ : /^ph_test_[0-9A-Za-z]{46}$/)
    assert.ok(isKey(key))
    assert.equal(prefixOf(key), prefix)
    assert.equal(key.slice(-4), last4)
    assert.equal(hash.length, 32)
  }
})

test('the checksum is the CRC-32 of what precedes, in base62', () => {
  const zero = newKey('live', (length) => Buffer.alloc(length))
  assert.equal(zero.key.slice(0, 48), `ph_live_${'0'.repeat(40)}`)
  assert.equal(valueOf(zero.key.slice(48)), crc32(zero.key.slice(0, 48)))
})

test('one character changed anywhere is no key', () => {
  const { key } = newKey('live', bytes)
  fc.assert(
    fc.property(fc.nat(key.length - 1), fc.constantFrom(...'aZ09_-'), (at, to) => {
      fc.pre(key[at] !== to)
      assert.equal(isKey(key.slice(0, at) + to + key.slice(at + 1)), false)
    }),
  )
})

test('no text from outside makes the parser throw or pass', () => {
  fc.assert(fc.property(fc.string(), (text) => assert.equal(isKey(text), false)))
})

test('only the right password verifies, and a user who does not exist costs the same', async () => {
  const { hash, verify } = passwords(bytes)
  const stored = await hash('correct horse')
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.notEqual(await hash('correct horse'), stored)
  assert.equal(await verify('correct horse', stored), true)
  assert.equal(await verify('correct horsf', stored), false)
  assert.equal(await verify('correct horse', null), false)
  assert.equal(await verify('correct horse', 'rubbish'), false)
})

const NETWORKS: readonly [text: string, parsed: string | null][] = [
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['192.0.2.1', '192.0.2.1/32'],
  ['2001:DB8::/32', '2001:db8::/32'],
  ['::1', '::1/128'],
  ['::ffff:192.0.2.0/120', '::ffff:c000:200/120'],
  ['192.0.2.0/33', null],
  ['192.0.2', null],
  ['3221225985', null],
  ['0x7f.1', null],
  ['example.com', null],
  ['', null],
  ['192.0.2.0/24 ', null],
  ['10.1.2.3/8', '10.1.2.3/8'],
  ['10/8', null],
  ['1.2.3/24', null],
  ['010.0.0.1', null],
  ['2130706433/32', null],
  ['10.0.0.0/8/8', null],
  ['10.0.0.0/', null],
  ['fe80::1%eth0/64', null],
  ['::1%lo', null],
]
for (const [text, parsed] of NETWORKS) {
  test(`«${text}» is ${parsed === null ? 'no network' : `the network ${parsed}`}`, () => {
    assert.equal(parseNetwork(text), parsed)
  })
}

test('IPv4 inside IPv6 is IPv4, in the list and in the address', () => {
  const mapped = [parseNetwork('::ffff:192.0.2.0/120') ?? '']
  assert.equal(isAllowed('192.0.2.9', mapped), true)
  assert.equal(isAllowed('192.0.3.9', mapped), false)
  assert.equal(isAllowed('::ffff:192.0.2.9', ['192.0.2.0/24']), true)
  assert.equal(isAllowed('2001:db8::1', ['192.0.2.0/24', '::/0']), true)
  assert.equal(isAllowed('192.0.2.9', ['::/0']), false)
  assert.equal(isAllowed('not an address', ['0.0.0.0/0']), false)
  assert.equal(isAllowed('anything', []), true)
})

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function valueOf(text: string): number {
  return [...text].reduce((value, digit) => value * 62 + DIGITS.indexOf(digit), 0)
}

/** The polynomial of IEEE 802.3, bit by bit. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
