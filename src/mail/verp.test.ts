import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { feedbackAddress, readFeedbackAddress, readReturnPath, returnPath, type VerpMac } from './verp.ts'

const mac: VerpMac = (text) => createHmac('sha256', 'a key').update(text).digest()
const other: VerpMac = (text) => createHmac('sha256', 'another key').update(text).digest()

test('a return path identifies its email and its account, in any case', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), fc.boolean(), (emailId, accountId, loud) => {
      const path = returnPath(mac, emailId, accountId, 'mail.example')
      const local = path.slice(0, path.indexOf('@'))
      assert.ok(local.length <= 64)
      const ids = readReturnPath(mac, loud ? local.toUpperCase() : local)
      assert.equal(ids?.emailId, emailId)
      assert.ok(ids !== null && ids.firstAccountId <= accountId && accountId <= ids.lastAccountId)
    }),
  )
})

test('a return path that was changed, cut or signed with another key is not ours', () => {
  const path = returnPath(mac, '01912345-6789-7abc-8def-0123456789ab', '01912345-6789-7abc-8def-0123456789ab', 'h')
  const local = path.slice(0, path.indexOf('@'))
  assert.equal(readReturnPath(other, local), null)
  for (let at = 0; at < local.length; at++) {
    const changed = local.slice(0, at) + (local[at] === 'a' ? 'b' : 'a') + local.slice(at + 1)
    assert.equal(readReturnPath(mac, changed), null, changed)
  }
  for (const text of ['', 'b+', local.slice(0, -1), `${local}a`, 'b+__proto__', `${local.slice(0, -1)}1`]) {
    assert.equal(readReturnPath(mac, text), null, text)
  }
})

test('a feedback loop address identifies its provider, in any case, and no other text does', () => {
  const address = feedbackAddress(mac, 'yahoo-2', 'mail.example') ?? ''
  const [local = '', host] = address.split('@')
  assert.equal(host, 'mail.example')
  assert.ok((feedbackAddress(mac, 'a'.repeat(30), 'h')?.indexOf('@') ?? 99) <= 64)
  assert.equal(readFeedbackAddress(mac, local.toUpperCase()), 'yahoo-2')
  assert.equal(readFeedbackAddress(other, local), null)
  for (let at = 0; at < local.length; at++) {
    const changed = local.slice(0, at) + (local[at] === 'a' ? 'b' : 'a') + local.slice(at + 1)
    assert.equal(readFeedbackAddress(mac, changed), null, changed)
  }
  for (const name of ['', '-a', 'A', 'a.b', 'a'.repeat(31), 'a@b', 'ä'])
    assert.equal(feedbackAddress(mac, name, 'h'), null)
  for (const text of ['', 'fbl', 'fbl+', 'fbl+.', 'fbl+yahoo-2', 'fbl+yahoo-2.', `${local}a`, local.slice(0, -1)])
    assert.equal(readFeedbackAddress(mac, text), null, text)
})

test('no text makes reading a return path throw', () => {
  fc.assert(fc.property(fc.string(), (text) => void readReturnPath(mac, text)))
})
