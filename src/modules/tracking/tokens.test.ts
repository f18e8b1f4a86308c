import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { secretsFrom } from '../../platform/secrets.ts'
import { type Purpose, type Token, tokensOf } from './tokens.ts'

const secrets = secretsFrom(Buffer.alloc(32, 3))
const tokens = tokensOf(secrets)
const mail = {
  accountId: '0190a000-0000-7000-8000-000000000001',
  emailId: '0190a000-0000-7000-8000-000000000002',
  sandbox: false,
}
const click: Token = { purpose: 'click', ...mail, linkIndex: 3, hidden: false, url: 'https://x.test/?a=1&b=ü#f' }

const anyMail = fc.record({ accountId: fc.uuid(), emailId: fc.uuid(), sandbox: fc.boolean() })
const anyToken: fc.Arbitrary<Token> = fc.oneof(
  anyMail.map((m): Token => ({ purpose: 'open', ...m })),
  fc
    .tuple(anyMail, fc.integer({ min: 0, max: 65_535 }), fc.boolean(), fc.webUrl())
    .map(([m, linkIndex, hidden, url]): Token => ({ purpose: 'click', ...m, linkIndex, hidden, url })),
  fc.tuple(anyMail, fc.emailAddress()).map(([m, recipient]): Token => ({ purpose: 'unsubscribe', ...m, recipient })),
)

test('what is written is read back, and is the same on every try', () => {
  fc.assert(
    fc.property(anyToken, (token) => {
      const text = tokens.write(token)
      assert.equal(tokens.write(token), text)
      assert.deepEqual(tokens.read(token.purpose, text), token)
    }),
  )
})

test('a token of one purpose opens nothing at another', () => {
  fc.assert(
    fc.property(anyToken, fc.constantFrom<Purpose>('open', 'click', 'unsubscribe'), (token, purpose) => {
      if (purpose !== token.purpose) assert.equal(tokens.read(purpose, tokens.write(token)), null)
    }),
  )
})

test('a bit flipped anywhere, a cut or a longer token is no token', () => {
  const text = tokens.write(click)
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

test('no text makes reading throw', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom<Purpose>('open', 'click', 'unsubscribe'), (text, purpose) => {
      assert.equal(tokens.read(purpose, text), null)
    }),
  )
})

test('after the keys are rotated old links work, until they are told not to', () => {
  const old = tokens.write(click)
  const rotated = tokensOf(secrets, { currentKey: 2, oldestKey: 1 })
  assert.deepEqual(rotated.read('click', old), click)
  assert.notEqual(rotated.write(click), old)
  assert.deepEqual(rotated.read('click', rotated.write(click)), click)
  assert.equal(tokensOf(secrets, { currentKey: 2, oldestKey: 2 }).read('click', old), null)
  assert.equal(tokens.read('click', rotated.write(click)), null)
  assert.equal(tokensOf(secretsFrom(Buffer.alloc(32, 4))).read('click', old), null)
})
