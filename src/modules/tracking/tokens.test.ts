import assert from 'node:assert/strict'
import { createCipheriv } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOfId } from '../../platform/ids.ts'
import { secretsFrom } from '../../platform/secrets.ts'
import { FIRST_KEYS, type Purpose, type Token, type TokenKeys, tokensOf } from './tokens.ts'

const secrets = secretsFrom(Buffer.alloc(32, 3))
const tokens = tokensOf(secrets)
const AT = new Date('2026-01-01')
const LATER = new Date('2026-02-01')
const mail = {
  accountId: '0190a000-0000-7000-8000-000000000001',
  emailId: '0190a000-0000-7000-8000-000000000002',
  domainId: '0190a000-0000-7000-8000-000000000003',
  stream: 'broadcast' as const,
  sandbox: false,
}
const click: Token = { purpose: 'click', ...mail, linkIndex: 3, hidden: false, url: 'https://x.test/?a=1&b=ü#f' }

const anyMail = fc.record({
  accountId: fc.uuid(),
  emailId: fc.uuid(),
  domainId: fc.option(fc.uuid()),
  stream: fc.constantFrom('transactional', 'broadcast'),
  sandbox: fc.boolean(),
})
const anyToken: fc.Arbitrary<Token> = fc.oneof(
  anyMail.map((m): Token => ({ purpose: 'open', ...m })),
  fc
    .tuple(anyMail, fc.integer({ min: 0, max: 65_535 }), fc.boolean(), fc.webUrl())
    .map(([m, linkIndex, hidden, url]): Token => ({ purpose: 'click', ...m, linkIndex, hidden, url })),
  fc.tuple(anyMail, fc.emailAddress()).map(([m, recipient]): Token => ({ purpose: 'unsubscribe', ...m, recipient })),
)

test('a token reads back as written, and is the same on every try', () => {
  fc.assert(
    fc.property(anyToken, (token) => {
      const text = tokens.write(token, AT)
      assert.equal(tokens.write(token, AT), text)
      assert.deepEqual(tokens.read(token.purpose, text), token)
    }),
  )
})

test('older tokens without a domain are still read', () => {
  const { domainId: _, stream: __, ...rest } = mail
  const old = { ...rest, domainId: null, stream: 'transactional', sandbox: true } as const
  assert.deepEqual(
    tokens.read('open', 'Af1sxmzmmZ43EOFPvHfKoVORGgAEj4KQCW5jjKX_s4-PHk6B88eS3WzSYbKysrLDRYUy1LJaosUt6qTr0bE'),
    { purpose: 'open', ...old },
  )
  assert.deepEqual(
    tokens.read(
      'click',
      'Aa2NZo9t_5_ixx5IjK_09JKIbcUrvp4F6RoZDnF20rbWOpFkaN7WoHUKus20dcDcnZQi8G6YZUasI41AmJ5hBeSQPqB3E0-X4ocwuhIUpYQRtLI',
    ),
    { purpose: 'click', ...old, linkIndex: 3, hidden: true, url: 'https://x.test/?a=1' },
  )
  assert.deepEqual(
    tokens.read(
      'unsubscribe',
      'ATzMyi52qbw2kIv-LqDqa-dRCEn3QSOSDEBNMuplzm3ORYXnESroSqNDqImIkYNxddUA3luIKTc6NIzf9j2dxkriAuySPDlQhzcr_eQ',
    ),
    { purpose: 'unsubscribe', ...old, recipient: 'ann@example.net' },
  )
})

test('a token with a flag of a later release is not read', () => {
  const sealed = (flags: number): string => {
    const recipient = Buffer.from('ann@example.net')
    const plain = Buffer.concat([bytesOfId(mail.accountId), bytesOfId(mail.emailId), Buffer.of(flags), recipient])
    const nonce = Buffer.alloc(12, 1)
    const aes = createCipheriv('aes-256-gcm', secrets.key('tracking unsubscribe 1', 1), nonce)
    const content = Buffer.concat([aes.update(plain), aes.final()])
    return Buffer.concat([Buffer.of(1), nonce, content, aes.getAuthTag()]).toString('base64url')
  }
  assert.equal(tokens.read('unsubscribe', sealed(0))?.recipient, 'ann@example.net')
  for (const flag of [16, 32, 64, 128]) assert.equal(tokens.read('unsubscribe', sealed(flag)), null)
})

test('a token of one purpose is invalid for another', () => {
  fc.assert(
    fc.property(anyToken, fc.constantFrom<Purpose>('open', 'click', 'unsubscribe'), (token, purpose) => {
      if (purpose !== token.purpose) assert.equal(tokens.read(purpose, tokens.write(token, AT)), null)
    }),
  )
})

test('a token with a flipped bit, a missing end or extra bytes is invalid', () => {
  const text = tokens.write(click, AT)
  const bytes = Buffer.from(text, 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.equal(tokens.read('click', flipped.toString('base64url')), null)
  }
  for (let length = 0; length < text.length; length++) assert.equal(tokens.read('click', text.slice(0, length)), null)
  for (const more of ['A', '=', '%00', '../', ' ', '\n']) assert.equal(tokens.read('click', text + more), null)
  assert.equal(tokens.read('click', 'A'.repeat(100_000)), null)
})

test('a token has one spelling: other text that decodes to the same bytes is invalid', () => {
  const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  let others = 0
  for (const url of ['https://x.test/', 'https://x.test/a', 'https://x.test/ab']) {
    const text = tokens.write({ ...click, url }, AT)
    assert.deepEqual(tokens.read('click', text), { ...click, url })
    for (const last of LETTERS) {
      const other = text.slice(0, -1) + last
      if (other === text || !Buffer.from(other, 'base64url').equals(Buffer.from(text, 'base64url'))) continue
      others++
      assert.equal(tokens.read('click', other), null)
    }
  }
  assert.equal(others, 3 + 15)
})

test('reading never throws, whatever the text', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom<Purpose>('open', 'click', 'unsubscribe'), (text, purpose) => {
      assert.equal(tokens.read(purpose, text), null)
    }),
  )
})

test('after a key rotation old links work until their key is retired', () => {
  let keys: TokenKeys = FIRST_KEYS
  const turned = tokensOf(secrets, () => keys)
  const old = turned.write(click, AT)
  keys = { begun: [...FIRST_KEYS.begun, { number: 2, since: LATER, secret: 1 }], oldest: 1 }
  assert.equal(turned.write(click, AT), old, 'a mail that was accepted before has the same bytes on every try')
  const fresh = turned.write(click, LATER)
  assert.notEqual(fresh, old)
  for (const text of [old, fresh]) assert.deepEqual(turned.read('click', text), click)
  assert.equal(tokens.read('click', fresh), null, 'a key that has not begun opens nothing')
  keys = { ...keys, oldest: 2 }
  assert.equal(turned.read('click', old), null)
  assert.deepEqual(turned.read('click', fresh), click)
  assert.equal(tokensOf(secretsFrom(Buffer.alloc(32, 4))).read('click', old), null)
})

test('a token can hold a link of 4,096 bytes, and a token of more than 6,000 characters is rejected', () => {
  const url = `https://x.test/${'y'.repeat(4_096 - 15)}`
  const text = tokens.write({ ...click, url }, AT)
  assert.deepEqual(tokens.read('click', text), { ...click, url })
  const long = tokens.write({ ...click, url: url + url }, AT)
  assert.ok(long.length > 6_000)
  assert.equal(tokens.read('click', long), null)
})
