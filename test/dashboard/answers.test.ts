// The sentences with which the dashboard's pages open: the part that needs no browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  acceptedBy,
  bouncesIn,
  deferredNow,
  deliveryIn,
  endedIn,
  engagementIn,
  heldUp,
  runningOn,
  sendingFrom,
  subscribedOf,
  suppressedFor,
  trackedBy,
  usedOf,
  withoutScore,
  workingKeys,
} from '../../dashboard/src/words/answers.ts'

const NONE = { sent: 0, delivered: 0, bounces: 0, hard: 0, soft: 0, block: 0, unknown: 0 }
const told = (figures: object): string =>
  deliveryIn({ ...NONE, ...figures }, 'in the last 7 days', []).replaceAll('\u00a0', ' ')

test('how much arrived is told for many emails, few, one and none', () => {
  assert.deepEqual(
    [
      { sent: 12_480, delivered: 12_318, bounces: 41, hard: 40, soft: 1 },
      { sent: 3, delivered: 2, bounces: 1, hard: 1 },
      { sent: 1, delivered: 1 },
      {},
    ].map(told),
    [
      '98.7 % of 12,480 emails in the last 7 days were delivered; 41 bounced: 40 hard, 1 soft.',
      '2 of 3 emails in the last 7 days were delivered; 1 bounced.',
      '1 of 1 email in the last 7 days was delivered; none bounced.',
      'No emails went to real recipients in the last 7 days.',
    ],
  )
})

test('what was sent before the period and ended in it is no part of what was sent in it', () => {
  assert.equal(
    told({ sent: 3, delivered: 5 }),
    '5 emails were delivered in the last 7 days, some of them sent earlier; none bounced.',
  )
  assert.equal(
    told({ bounces: 2, soft: 2 }),
    'No emails went to real recipients in the last 7 days; 2 sent earlier bounced.',
  )
})

test('a reason and a place that most bounces share are named', () => {
  const bounces = ['a', 'b', 'c'].map((name) => ({
    category: 'invalid_recipient',
    recipient: `${name}@example.net`,
  }))
  assert.match(
    deliveryIn({ ...NONE, sent: 100, delivered: 97, bounces: 3, hard: 3 }, 'in the last 7 days', bounces),
    /3 bounced, mostly invalid recipient at example\.net\.$/,
  )
})

test('the domains that cannot send are named', () => {
  const domains = (...states: readonly string[]) =>
    sendingFrom(states.map((verification_status, i) => ({ domain: `${i}.example`, verification_status })))
  assert.match(domains(), /^Domains you can send from, once/)
  assert.equal(domains('verified'), 'You can send from 0.example.')
  assert.equal(domains('verified', 'temporary_failure'), 'You can send from all 2 domains.')
  assert.equal(domains('verified', 'failed'), 'You can send from 1 of 2 domains, not from 1.example.')
  assert.equal(
    domains('verified', 'pending', 'failed', 'suspended', 'failed'),
    'You can send from 1 of 5 domains, not from 1.example, 2.example and 2 more.',
  )
  assert.equal(domains('pending'), 'You cannot send from 0.example yet: its page says what is missing.')
})

test('the endpoints that do not accept their events are named', () => {
  const on = {
    ...{ url: 'https://a.example/', is_active: true, consecutive_failures: 0, disabled_reason: null },
    last_delivery_at: null,
  }
  assert.match(acceptedBy([]), /^Events sent to your own servers/)
  const [new1, new2] = [
    { ...on, name: 'CRM' },
    { ...on, name: 'Shop' },
  ]
  assert.equal(acceptedBy([new1]), 'CRM has received no event yet.')
  assert.equal(acceptedBy([new1, new2]), 'None of 2 endpoints has received an event yet.')
  // Turned off by a person.
  const [off1, off2] = [
    { ...new1, is_active: false },
    { ...new2, is_active: false },
  ]
  assert.equal(acceptedBy([off1]), 'CRM is disabled.')
  assert.equal(acceptedBy([off1, off2]), 'All 2 endpoints are disabled.')
  assert.equal(acceptedBy([new1, off2]), 'CRM has received no event yet.')
  const used = { ...on, last_delivery_at: '2026-01-01T12:00:00.000Z' }
  assert.equal(acceptedBy([{ ...used, name: 'CRM' }]), 'CRM accepts its events.')
  assert.equal(
    acceptedBy([
      { ...used, name: 'A' },
      { ...on, name: 'B' },
    ]),
    '1 of 2 endpoints accepts its events.',
  )
  assert.equal(
    acceptedBy([
      { ...used, name: 'A' },
      { ...used, name: 'B' },
    ]),
    'All 2 endpoints accept their events.',
  )
  assert.equal(
    acceptedBy([
      { ...on, name: 'CRM' },
      { ...on, name: '', consecutive_failures: 3 },
      { ...on, name: 'Old', is_active: false, disabled_reason: 'gone' },
    ]),
    'Of 3 endpoints, https://a.example/ is failing; Old was disabled automatically.',
  )
})

test('opens and clicks are told beside what was delivered', () => {
  const span = 'in the last 7 days'
  const figures = { delivered: 1_200, unique_opens: 340, unique_clicks: 21 }
  assert.equal(
    engagementIn(figures, span),
    '1,200 emails were delivered in the last 7 days; people opened 340 and clicked in 21.',
  )
  assert.equal(
    engagementIn({ delivered: 0, unique_opens: 0, unique_clicks: 0 }, span),
    'No emails were delivered to real recipients in the last 7 days.',
  )
})

test('bounces are told with what they are a part of', () => {
  const bounced = (figures: object): string =>
    bouncesIn({ ...NONE, spam_complaints: 0, ...figures }, 'in the last 30 days').replaceAll('\u00a0', ' ')
  assert.deepEqual(
    [
      { sent: 12_480, bounces: 41, hard: 40, block: 1, spam_complaints: 3 },
      { sent: 5, bounces: 1, soft: 1 },
      { sent: 2, bounces: 4, hard: 4 },
      { sent: 68 },
      { sent: 1, spam_complaints: 2 },
      { spam_complaints: 1 },
      {},
    ].map(bounced),
    [
      '0.33 % of 12,480 emails in the last 30 days bounced: 40 hard, 1 blocked; 3 were marked as spam.',
      '1 of 5 emails in the last 30 days bounced: 1 soft.',
      '4 emails bounced in the last 30 days, some of them sent earlier: 4 hard.',
      'None of 68 emails in the last 30 days bounced.',
      'None of 1 email in the last 30 days bounced; 2 were marked as spam.',
      'No emails went to real recipients in the last 30 days; 1 was marked as spam, sent earlier.',
      'No emails went to real recipients in the last 30 days.',
    ],
  )
})

test('of the emails, what ended is told as a part of what was sent', () => {
  const told = (figures: object): string =>
    endedIn({ ...NONE, ...figures }, 'in the last 7 days').replaceAll('\u00a0', ' ')
  assert.equal(
    told({ sent: 68, delivered: 57, bounces: 4 }),
    '83.8 % of 68 emails in the last 7 days were delivered; 4 bounced',
  )
  assert.equal(told({}), 'No emails went to real recipients in the last 7 days')
  assert.equal(deferredNow(1, true), '1 is deferred now')
  assert.equal(deferredNow(100_000, false), 'at least 100,000 are deferred now')
})

test('without a score it is told how much was sent, and how much it needs', () => {
  const finding = (sent: number) => ({ findings: [{ evidence: { sent, needed: 100 } }] })
  assert.equal(
    withoutScore(finding(68)),
    'No score yet: it needs 100 emails to real recipients in 30 days, and 68 were sent.',
  )
  assert.match(withoutScore(finding(1)), /and 1 was sent\.$/)
  assert.equal(withoutScore({ findings: [] }), 'No score yet.')
})

test('contacts are told by what they said', () => {
  assert.match(subscribedOf(0, null), /^People who gave you their address/)
  assert.equal(subscribedOf(30_000, null), '30,000 contacts, each with a record of consent.')
  assert.deepEqual(
    [
      subscribedOf(9, { subscribed: 9, pending: 0 }),
      subscribedOf(9, { subscribed: 5, pending: 1 }),
      subscribedOf(1, { subscribed: 1, pending: 0 }),
      subscribedOf(1, { subscribed: 0, pending: 1 }),
      subscribedOf(1, { subscribed: 0, pending: 0 }),
    ],
    [
      'All 9 contacts are subscribed.',
      '5 of 9 contacts are subscribed; 1 has not confirmed yet.',
      '1 contact: subscribed.',
      '1 contact: not confirmed yet.',
      '1 contact: gets no email.',
    ],
  )
})

test('suppressions are counted by reason while all reasons are known', () => {
  assert.equal(suppressedFor(0, []), 'No address is suppressed.')
  assert.match(
    suppressedFor(3, ['hard_bounce', 'manual', 'hard_bounce']),
    /^3 addresses are suppressed \(2 hard bounce, 1 manual\): no email is sent there\./,
  )
  assert.match(suppressedFor(51, null), /^51 addresses are suppressed: /)
})

test('the keys that work are counted, and those that soon will not are named', () => {
  const now = Date.parse('2026-01-01T12:00:00.000Z')
  const key = { name: 'Shop', mode: 'live', expires_at: null, revoked_at: null }
  const told = (...keys: readonly (typeof key | object)[]): string =>
    workingKeys(
      keys.map((one) => ({ ...key, ...one })),
      keys.length,
      now,
    )
  const soon = new Date(now + 86_400_000).toISOString()
  const past = new Date(now - 1).toISOString()
  assert.match(workingKeys([], 0, now), /^A live key sends/)
  assert.equal(told({}), '1 live key works.')
  assert.equal(told({}, { mode: 'sandbox' }, { revoked_at: past }), '1 live and 1 test keys work.')
  assert.equal(told({ expires_at: soon }, {}), '2 live keys work. “Shop” expires within 14 days.')
  assert.equal(told({ expires_at: past }), 'No key works: the only one is revoked or expired.')
  assert.match(workingKeys([key], 60, now), /^60 keys, with those revoked or expired\./)
})

test('a tracking domain that is not ready, or soon will not be, is named with the reason', () => {
  const ready = { domain: 'a.example', is_verified: true, ssl_enabled: true, ssl_error: null }
  const bare = { ...ready, domain: 'b.example', ssl_enabled: false, ssl_error: 'refused' }
  const fresh = { ...ready, domain: 'c.example', is_verified: false, ssl_enabled: false }
  const ending = { ...ready, domain: 'd.example', ssl_error: 'the directory did not answer' }
  assert.match(trackedBy([]), /^Your own domains/)
  assert.equal(trackedBy([ready]), 'a.example is ready for links.')
  assert.equal(trackedBy([fresh]), 'c.example lacks a verified CNAME.')
  assert.equal(
    trackedBy([ready, ending]),
    'All 2 tracking domains are ready for links; d.example fails to renew its certificate.',
  )
  assert.equal(
    trackedBy([ready, bare, fresh]),
    '1 of 3 tracking domains is ready for links; c.example lacks a verified CNAME; b.example lacks a certificate.',
  )
})

test('usage names the kinds that are used up', () => {
  const names = [
    ['emails', 'Emails'],
    ['content_checks', 'Content checks'],
  ] as const
  const told = (emails: object, checks: object): string =>
    usedOf({ emails, content_checks: checks } as never, names).replaceAll('\u00a0', ' ')
  assert.equal(told({ used: 69, limit: null }, { used: 1, limit: 9 }), '69 emails this month, without a limit.')
  assert.equal(
    told({ used: 1_250, limit: 10_000 }, { used: 9, limit: 9 }),
    '1,250 of 10,000 emails this month (12.5 %). Used up: content checks.',
  )
})

test('an operator reads what is held up and what is gone', () => {
  const now = Date.parse('2026-01-01T12:00:00.000Z')
  const ago = (minutes: number): string => new Date(now - minutes * 60_000).toISOString()
  const queue = { destination: 'a.example', paused_at: null, ready: 1, oldest_at: ago(1) }
  assert.equal(heldUp([queue], now), '')
  assert.equal(
    heldUp([queue, { ...queue, destination: 'b.example', oldest_at: ago(11) }], now),
    ' Email to b.example has been due for more than 10 minutes.',
  )
  assert.equal(heldUp([{ ...queue, paused_at: ago(90), oldest_at: ago(99) }], now), ' a.example is paused.')
  const one = { host: 'mail1', pid: 7, roles: ['worker'], version: '1', state: 'running' }
  assert.equal(runningOn([one], []), '1 process running.')
  assert.equal(
    runningOn([one, { ...one, pid: 8, state: 'silent' }], [{ name: 'webhooks', lag_seconds: 300 }]),
    '1 process running; no heartbeat from mail1 process 8 (worker); behind in the event log: webhooks.',
  )
  assert.equal(runningOn([{ ...one, state: 'stopped' }], []), 'No process is running.')
})
