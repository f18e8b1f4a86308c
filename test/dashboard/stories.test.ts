// The sentence on an email's page: the part that needs no browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bouncesBehind, causeOf, factsOf, shownEvents, storyOf } from '../../dashboard/src/emails/story.ts'

type Email = Parameters<typeof storyOf>[0]
const MAIL: Email = {
  ...{ status: '', sandbox: false, attempts_count: 1, attempts: [], delivered_at: null },
  ...{ next_attempt_at: '2026-01-01T12:00:00.000Z', last_response: '451 4.7.1 greylisted' },
}
const deferred = (last: Email['attempts'][0]): string => storyOf({ ...MAIL, status: 'deferred', attempts: [last] })
const bounced = (delivered_at: string | null): string => storyOf({ ...MAIL, status: 'bounced', delivered_at })

test('a server that answers 421 was reached', () => {
  const limited = { outcome: 'error', smtp_code: 421, enhanced_code: '4.7.28' }
  assert.match(deferred(limited), /^The receiving server deferred it\. It will be retried/)
  assert.match(
    deferred({ outcome: 'deferred', smtp_code: 450, enhanced_code: '4.2.0' }),
    /^The receiving server deferred it/,
  )
})

test('a server without the TLS that a rule requires was reached', () => {
  assert.match(deferred({ outcome: 'error', smtp_code: null, enhanced_code: '4.7.5' }), /^TLS is required/)
})

test('a server that did not answer was not reached', () => {
  assert.match(deferred({ outcome: 'error', smtp_code: null, enhanced_code: '4.4.1' }), /^No receiving server could be/)
})

test('a domain without a server is told from a server that did not answer', () => {
  const looked = (enhanced_code: string): string => deferred({ outcome: 'error', smtp_code: null, enhanced_code })
  assert.match(looked('4.1.2'), /^The domain of the address does not exist, or takes no mail\. It will be retried/)
  assert.match(looked('4.4.4'), /^The domain of the address does not exist, or takes no mail\./)
  assert.match(looked('4.4.3'), /^The DNS of the receiving domain did not answer\./)
})

test('of a receiver at a private address it is not said that its DNS did not answer', () => {
  const last_response = '5.4.6 mx.example.net is at an address that mail is not sent to'
  assert.match(storyOf({ ...MAIL, status: 'failed', last_response }), /this service sends no email to the servers/)
  const reason = 'dns_failure'
  assert.match(causeOf({ reason, last_response }) ?? '', /private or reserved addresses/)
  assert.match(causeOf({ reason, last_response: '4.4.3 SERVFAIL' }) ?? '', /DNS of the receiving domain did not answer/)
  assert.equal(causeOf({}), null)
})

test('of an attempt without a connection it is not said that it had no TLS', () => {
  const attempt = { duration_ms: 3, tls: null }
  assert.deepEqual(factsOf({ ...attempt, mx: null, ip: null }), ['took 3 ms'])
  assert.deepEqual(factsOf({ ...attempt, mx: 'mx.example.net', ip: '192.0.2.1', port: 25 }), [
    ...['mx.example.net', '192.0.2.1, port 25', 'no TLS', 'took 3 ms'],
  ])
})

test('a bounce after the delivery is told from a refusal', () => {
  assert.match(bounced(null), /rejected it/)
  assert.match(bounced('2026-01-01T12:00:00.000Z'), /accepted it, and its failure was reported later/)
})

test('an email that waits here is not told as deferred by a receiver', () => {
  const last_response = '4.7.0 not tried: the sending domain is not verified'
  const waiting = { ...MAIL, status: 'deferred', attempts_count: 0, last_response }
  assert.equal(
    storyOf(waiting),
    'Not attempted: the sending domain is not verified. It will be tried again automatically.',
  )
})

test('no retry is promised where none is left', () => {
  const last = { outcome: 'deferred', smtp_code: 451, enhanced_code: '4.7.1' }
  const story = storyOf({ ...MAIL, status: 'deferred', attempts: [last], next_attempt_at: null })
  assert.equal(story, 'The receiving server deferred it. There is no further attempt before it expires.')
})

test('an email that ended without an attempt counts none', () => {
  const ended = (status: string, attempts_count: number): string => storyOf({ ...MAIL, status, attempts_count })
  assert.deepEqual(
    [ended('failed', 0), ended('failed', 1), ended('failed', 14)],
    [
      'Not delivered: gave up before the first attempt.',
      'Not delivered: gave up on the first attempt.',
      'Not delivered: gave up after 14 attempts.',
    ],
  )
  assert.match(ended('suppressed', 0), /^Not sent: /)
  assert.match(ended('suppressed', 2), /^Not delivered: .* before another attempt/)
})

test('an email that arrived after a bounce is not explained by the bounce', () => {
  const bounces = [{ id: 'one' }]
  for (const status of ['delivered', 'queued', 'deferred', 'canceled'])
    assert.deepEqual(bouncesBehind({ status }, bounces), [], status)
  for (const status of ['bounced', 'complained', 'failed'])
    assert.deepEqual(bouncesBehind({ status }, bounces), bounces, status)
})

test('a scheduled email is accepted once, when it was scheduled', () => {
  const shown = (...events: readonly string[]): readonly string[] =>
    shownEvents(events.map((event) => ({ event }))).map(({ event }) => event)
  assert.deepEqual(shown('email.scheduled', 'email.sent', 'email.delivered'), ['email.scheduled', 'due'])
  assert.deepEqual(shown('email.sent', 'email.deferred', 'email.failed'), ['email.sent', 'email.failed'])
})
