import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownMx } from './own-mx.ts'

const US = { hostname: 'Mail.Posthorn.test', bind: '0.0.0.0', mxPort: 2525, smtpPort: 25 }

test('with port 25 our own host name is this service, with any other port only the listener is', () => {
  assert.equal(ownMx(US)('mail.posthorn.test', '192.0.2.1'), true)
  assert.equal(ownMx(US)('mx.example.net', '127.0.0.1'), false)
  assert.equal(ownMx(US)('mail.posthorn.test', null), true)
  assert.equal(ownMx({ ...US, smtpPort: 2525 })('mail.posthorn.test', null), false)
  const elsewhere = ownMx({ ...US, smtpPort: 2526 })
  assert.equal(elsewhere('mail.posthorn.test', '127.0.0.1'), false)
  const listening = ownMx({ ...US, smtpPort: 2525 })
  assert.equal(listening('mx.example.net', '127.0.0.1'), true)
  assert.equal(listening('mx.example.net', '192.0.2.1'), false)
  const loopback = ownMx({ ...US, bind: '127.0.0.1', smtpPort: 2525 })
  assert.equal(loopback('mx.example.net', '127.0.0.1'), true)
  assert.equal(loopback('mx.example.net', '127.0.0.2'), false)
})
