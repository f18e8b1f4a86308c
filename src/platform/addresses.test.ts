import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isPublicAddress, senderNetwork } from './addresses.ts'

const REFUSED = `
  127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 10.0.0.5 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.100.100.200
  169.254.169.254 169.254.170.2 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.7
  203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16
  :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:a9fe:a9fe ::ffff:10.0.0.1 64:ff9b::7f00:1 64:ff9b::10.0.0.1
  64:ff9b:1::1 2002:7f00:1:: 2002:a00:1:: 2001::1 2001:0:1:2::3 2001:10::1 2001:20::1 2001:2::1 2001:db8::1 3fff::1
  5f00::1 100::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 2606:4700::1%eth0 fec0::1 ff02::1 4000::1
  127.1 0177.0.0.1 2130706433 0x7f000001 0x7f.1 8.8.8 localhost localhost. 8.8.8.8.nip.io [::1] 8.8.8.08 1.2.3.256
`
  .trim()
  .split(/\s+/)
REFUSED.push('', ' ', '①②⑦.⓪.⓪.①', '8.8.8.8 ', '8.8.8.8\n')

const PUBLIC = `
  8.8.8.8 1.1.1.1 172.15.0.1 172.32.0.1 100.63.255.255 100.128.0.1 198.17.255.255 198.20.0.1 168.63.129.17 223.255.255.254
  192.0.1.1 2606:4700:4700::1111 2a00:1450:4001:81b::2005 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1 2001:4860::1
`
  .trim()
  .split(/\s+/)

for (const address of REFUSED) {
  test(`"${address}" is never connected to`, () => assert.equal(isPublicAddress(address), false))
}

for (const address of PUBLIC) {
  test(`"${address}" is public`, () => assert.equal(isPublicAddress(address), true))
}

test('it throws for no text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) => typeof isPublicAddress(text) === 'boolean'),
  )
})

test('clients are counted by their IPv4 address or their IPv6 /64', () => {
  assert.equal(senderNetwork('::ffff:192.0.2.7'), senderNetwork('192.0.2.7'))
  assert.notEqual(senderNetwork('192.0.2.8'), senderNetwork('192.0.2.7'))
  assert.equal(senderNetwork('2001:DB8:1:2:3:4:5:6'), senderNetwork('2001:db8:1:2::9'))
  assert.notEqual(senderNetwork('2001:db8:1:3::9'), senderNetwork('2001:db8:1:2::9'))
  assert.notEqual(senderNetwork('2001:db9:1:2::9'), senderNetwork('2001:db8:1:2::9'))
  for (const none of ['', 'unknown']) assert.equal(senderNetwork(none), none)
})
