import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sessionCookie, sessionToken } from './session-cookie.ts'

const OURS = 'o'.repeat(43)
const TOSSED = 't'.repeat(43)

test('over TLS only the __Host- cookie is accepted, whatever other cookies come with it', () => {
  assert.equal(sessionToken(`posthorn=${TOSSED}; __Host-posthorn=${OURS}`, true), OURS)
  assert.equal(sessionToken(`posthorn=${TOSSED}`, true), null)
  assert.equal(sessionToken(`x__Host-posthorn=${TOSSED}`, true), null)
  assert.equal(sessionToken(`__Host-posthorn=${OURS}`, false), null)
  assert.equal(sessionToken(`a=b;posthorn=${OURS} ; c=d`, false), OURS)
  for (const cookie of [undefined, '', 'posthorn=', `posthorn=${OURS}x`])
    assert.equal(sessionToken(cookie, false), null)
})

test('the cookie that is set is the one that is accepted', () => {
  for (const secure of [true, false]) {
    const [pair] = sessionCookie(OURS, { secure, maxAgeSeconds: 60 }).split(';')
    assert.equal(sessionToken(pair, secure), OURS)
  }
  assert.match(
    sessionCookie(OURS, { secure: true, maxAgeSeconds: 60 }),
    /^__Host-.*; Path=\/; HttpOnly; SameSite=Strict; .*Secure$/,
  )
})
