// Addresses and lists of them.

import assert from 'node:assert/strict'
import {
  type Address,
  parseAddress,
  parseDomain,
  parseMailbox,
  parseMailboxList,
  suppressionKey,
} from '../../../src/mail/address.ts'
import type { Target } from '../frame.ts'

export const target: Target = {
  name: 'address',
  about: 'addresses, mailboxes and lists of them (src/mail/address.ts)',
  seeds: [
    'a@b.test',
    'First.Last+tag@mail.example.org',
    '"quo\\"ted @ local"@example.org',
    'jürgen@bücher.example',
    '用户@例子.测试',
    'a@xn--bcher-kva.example',
    'Name <a@b.test>',
    '"Name, the" <a@b.test>, other@example.com, Third Name <"x y"@example.net>',
    'user@[192.0.2.1]',
    '<@relay.test:a@b.test>',
    '=?utf-8?q?a=40b?=@c.test',
    'group: a@b.test, c@d.test;',
    'a%b!c@d.test',
    `${'x'.repeat(64)}@${'y'.repeat(63)}.${'z'.repeat(63)}.test`,
  ],
  words: [
    '@',
    '"',
    '\\',
    '<',
    '>',
    ',',
    ';',
    ':',
    '(',
    ')',
    '.',
    '..',
    '=?utf-8?q?',
    '?=',
    'xn--',
    'ß',
    '。',
    '．',
    '\u200d',
    '\u202e',
    '[IPv6:::1]',
    '%00',
    '\t',
  ],
  maxBytes: 70_000,
  run: (input) => {
    const text = input.toString('utf8')
    const one = parseAddress(text)
    if (one.ok) whole(one.address)
    const mailbox = parseMailbox(text)
    if (mailbox.ok) whole(mailbox.mailbox.address)
    const list = parseMailboxList(text)
    if (list.ok) for (const { address } of list.mailboxes) whole(address)
    if (mailbox.ok) assert.ok(list.ok && list.mailboxes.length === 1)
    const domain = parseDomain(text)
    if (domain.ok) assert.deepEqual(parseDomain(domain.domain), domain)
    return [one, mailbox, list, domain].map((told) => (told.ok ? 'ok' : told.reason)).join(' ')
  },
}

/** Checks the form of an address for the wire and for suppression lists. */
function whole(address: Address): void {
  assert.doesNotMatch(address.address, /[\p{Cc}\p{Cs}\u2028\u2029]/u)
  assert.ok(Buffer.byteLength(address.address) <= 254)
  assert.match(address.domain, /^[a-z0-9.-]+$/)
  assert.equal(address.address, `${address.local}@${address.domain}`)
  const again = parseAddress(address.address)
  assert.ok(again.ok)
  assert.deepEqual(again.address, address)
  const key = suppressionKey(address)
  const otherCase = address.local.replace(/[a-z]/g, (letter) => letter.toUpperCase())
  assert.equal(suppressionKey({ ...address, local: otherCase }), key, 'the key depends on case')
  const known = parseAddress(key)
  if (known.ok) assert.equal(suppressionKey(known.address), key, 'the key of a key is another one')
}
