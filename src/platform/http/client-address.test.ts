import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientAddress } from './client-address.ts'

const PROXY = '10.0.0.1'

test('the client is the last address that is no trusted proxy, without port, brackets and zone', () => {
  const addressOf = clientAddress(['10.0.0.0/8', 'fd00::/8'])
  for (const [forwardedFor, expected] of [
    [undefined, PROXY],
    ['', PROXY],
    ['203.0.113.9', '203.0.113.9'],
    [' 203.0.113.9 ,', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['203.0.113.9:5555', '203.0.113.9'],
    ['198.51.100.1:1, 203.0.113.9:5555, 10.0.0.2:443', '203.0.113.9'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:5555', '2001:db8::1'],
    ['203.0.113.9, [fd00::2]:443', '203.0.113.9'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['[::FFFF:203.0.113.9]:5555', '203.0.113.9'],
    // Nothing before an entry that is no address counts: the proxy behind it does not know who it was.
    ['unknown', PROXY],
    ['203.0.113.9, unknown', PROXY],
    ['203.0.113.9, unknown, 10.0.0.2', '10.0.0.2'],
    ['<script>, 203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:', PROXY],
    ['203.0.113.999:5555', PROXY],
    ['[203.0.113.9', PROXY],
  ] as const)
    assert.equal(addressOf(PROXY, forwardedFor), expected, forwardedFor)
})

test('the header counts only from a trusted proxy', () => {
  const addressOf = clientAddress(['10.0.0.0/8'])
  assert.equal(addressOf('198.51.100.7', '203.0.113.9'), '198.51.100.7')
  assert.equal(clientAddress([])(PROXY, '203.0.113.9'), PROXY)
})

test('a client that a socket for both protocols shows as IPv6 has its IPv4 address', () => {
  for (const proxies of [[], ['10.0.0.0/8']]) {
    const addressOf = clientAddress(proxies)
    assert.equal(addressOf('::ffff:198.51.100.7', undefined), '198.51.100.7')
    assert.equal(addressOf('2001:db8::ffff:1', undefined), '2001:db8::ffff:1')
  }
  assert.equal(clientAddress(['10.0.0.0/8'])('::ffff:10.0.0.1', '203.0.113.9'), '203.0.113.9')
})
