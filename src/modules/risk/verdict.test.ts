import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type RiskFacts, type RiskPolicy, verdict } from './verdict.ts'

const CLEAN: RiskFacts = {
  spamtrap: false,
  complained: false,
  hardBounced: false,
  suppressed: false,
  unsubscribed: false,
  onList: false,
  disposableConfidence: null,
  role: false,
  senderVerified: true,
  contentLevel: 'low',
  firstSendBulk: false,
  volumeSpike: false,
}
const POLICY: RiskPolicy = {
  blockDisposableEmails: true,
  enforceSenderVerification: true,
  disposableConfidenceThreshold: 0.85,
  plan: 'enterprise',
}

// Each row: the facts, and the verdict by contract section 14.
const ROWS: [
  what: string,
  Partial<RiskFacts>,
  Partial<RiskPolicy>,
  score: number,
  action: string,
  code: string | null,
][] = [
  ['nothing', {}, {}, 0, 'allow', null],
  ['a role address', { role: true }, {}, 10, 'allow', null],
  ['a spam trap', { spamtrap: true, onList: true }, {}, 100, 'block', 'spamtrap_detected'],
  ['a complaint', { complained: true, onList: true }, {}, 90, 'block', 'previous_complaint'],
  ['a hard bounce', { hardBounced: true, onList: true }, {}, 55, 'soft_block', 'previous_hard_bounce'],
  ['a suppression', { suppressed: true, onList: true }, {}, 100, 'block', 'recipient_suppressed'],
  ['an unsubscribe', { unsubscribed: true, onList: true }, {}, 100, 'block', 'recipient_unsubscribed'],
  [
    'a hard bounce and an unsubscribe',
    { hardBounced: true, unsubscribed: true, onList: true },
    {},
    100,
    'block',
    'recipient_unsubscribed',
  ],
  ['a disposable domain', { disposableConfidence: 0.97 }, {}, 80, 'block', 'disposable_high_confidence'],
  ['a confidence at the threshold', { disposableConfidence: 0.85 }, {}, 40, 'warn', 'disposable_medium_confidence'],
  ['a confidence of a half', { disposableConfidence: 0.5 }, {}, 40, 'warn', 'disposable_medium_confidence'],
  ['a confidence below a half', { disposableConfidence: 0.49 }, {}, 0, 'allow', null],
  [
    'a disposable domain that may pass',
    { disposableConfidence: 0.97 },
    { blockDisposableEmails: false },
    0,
    'allow',
    null,
  ],
  ['an unverified sender', { senderVerified: false }, {}, 75, 'block', 'sender_not_verified'],
  [
    'an unverified sender without enforcement',
    { senderVerified: false },
    { enforceSenderVerification: false },
    15,
    'allow',
    null,
  ],
  ['risky content', { contentLevel: 'high' }, {}, 35, 'warn', 'content_risk_high'],
  ['critical content', { contentLevel: 'critical' }, {}, 55, 'soft_block', 'content_risk_high'],
  ['a first bulk send', { firstSendBulk: true }, {}, 30, 'warn', 'velocity_first_send_bulk'],
  ['a spike', { volumeSpike: true }, {}, 25, 'allow', null],
  [
    'a first bulk send in a spike',
    { firstSendBulk: true, volumeSpike: true },
    {},
    55,
    'soft_block',
    'velocity_first_send_bulk',
  ],
  [
    'two that come to 50',
    { contentLevel: 'high', senderVerified: false },
    { enforceSenderVerification: false },
    50,
    'soft_block',
    'content_risk_high',
  ],
  [
    'two that come to 70',
    { contentLevel: 'critical', senderVerified: false },
    { enforceSenderVerification: false },
    70,
    'block',
    'risk_score_critical',
  ],
  [
    'several that reach 70 together',
    { contentLevel: 'high', disposableConfidence: 0.6 },
    {},
    75,
    'block',
    'risk_score_critical',
  ],
  [
    'a hard bounce that was taken off the list, in a spike',
    { hardBounced: true, volumeSpike: true },
    {},
    80,
    'block',
    'risk_score_critical',
  ],
  [
    'a hard bounce on the list, in a spike',
    { hardBounced: true, onList: true, volumeSpike: true },
    {},
    80,
    'block',
    'previous_hard_bounce',
  ],
  [
    'a hard bounce on the list, with critical content',
    { hardBounced: true, onList: true, contentLevel: 'critical' },
    {},
    100,
    'block',
    'previous_hard_bounce',
  ],
]
for (const [what, facts, policy, score, action, code] of ROWS) {
  test(`${what}: ${score}, ${action}, ${code}`, () => {
    const found = verdict({ ...CLEAN, ...facts }, { ...POLICY, ...policy })
    assert.deepEqual([found.score, found.action, found.reasonCode], [score, action, code])
    assert.equal(found.wouldBlock, action === 'soft_block' || action === 'block')
    assert.equal(found.blockReason === null, !found.wouldBlock)
    assert.equal(found.overridable, action === 'soft_block' && facts.onList !== true)
    assert.equal(found.level, { allow: 'safe', warn: 'low', soft_block: 'medium', block: 'high' }[action])
  })
}

const facts: fc.Arbitrary<RiskFacts> = fc.record({
  spamtrap: fc.boolean(),
  complained: fc.boolean(),
  hardBounced: fc.boolean(),
  suppressed: fc.boolean(),
  unsubscribed: fc.boolean(),
  onList: fc.boolean(),
  disposableConfidence: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  role: fc.boolean(),
  senderVerified: fc.boolean(),
  contentLevel: fc.constantFrom(null, 'low' as const, 'medium' as const, 'high' as const, 'critical' as const),
  firstSendBulk: fc.boolean(),
  volumeSpike: fc.boolean(),
})

test('the breakdown adds up, the level follows the score, and an address on a list is never overridable', () => {
  fc.assert(
    fc.property(facts, (known) => {
      const found = verdict(known, POLICY)
      const total = Object.values(found.breakdown).reduce((sum, points) => sum + points, 0)
      assert.equal(found.score, Math.min(100, total))
      assert.equal(
        found.level,
        found.score >= 70 ? 'high' : found.score >= 50 ? 'medium' : found.score >= 30 ? 'low' : 'safe',
      )
      if (known.onList) assert.equal(found.overridable, false)
      if (found.action === 'allow') assert.equal(found.reasonCode, null)
      if (found.wouldBlock) assert.notEqual(found.reasonCode, null)
    }),
  )
})
