import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disabledNotice } from './words.ts'

test('a text chosen by a customer is in no subject, and not a link in the text', () => {
  const name = `URGENT\u2028verify at https://evil.example/login or www.evil.example, a@evil.example ${'x'.repeat(200)}`
  const endpoint = {
    accountId: 'account-1',
    id: 'id-1',
    name,
    url: 'https://evil.example/hook',
    reason: 'gone',
  } as const
  const { subject, text } = disabledNotice(endpoint, new Date(0), 'key')
  assert.equal(subject, 'A webhook endpoint was disabled')
  assert.doesNotMatch(text, /:\/\/|www\.|evil\.example|@|\u2028|x{90}/)
  assert.match(text, /account-1/)
  assert.match(text, /^URL: {5}evil\[\.\]example\/hook$/m)
})
