// The sentences with which the dashboard's pages open: the part that needs no browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedBy, deliveryIn, sendingFrom } from '../dashboard/src/answers.ts'

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
  const on = { url: 'https://a.example/', is_active: true, consecutive_failures: 0, disabled_reason: null }
  const all = acceptedBy([])
  assert.match(all, /^Events sent to your own servers/)
  assert.equal(acceptedBy([{ ...on, name: 'CRM' }]), all)
  // Turned off by a person.
  assert.equal(acceptedBy([{ ...on, name: 'CRM', is_active: false }]), all)
  assert.equal(
    acceptedBy([
      { ...on, name: 'CRM' },
      { ...on, name: '', consecutive_failures: 3 },
      { ...on, name: 'Old', is_active: false, disabled_reason: 'gone' },
    ]),
    'Of 3 endpoints, https://a.example/ is failing; Old was disabled automatically.',
  )
})
