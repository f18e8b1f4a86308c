import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { BUILT_IN, plansFrom, plansWith, readPlans, termsOf } from './plans.ts'

// Contract section 4: emails, validations, content checks, risk previews, webhooks.
const CONTRACT = {
  starter: [10_000, 100, 1_000, 0, 1],
  professional: [100_000, 5_000, 1_000, 10_000, 3],
  business: [1_000_000, 50_000, 1_000, 100_000, 10],
  enterprise: [null, null, 1_000, null, 100],
  custom: [null, null, 1_000, null, 100],
} as const

for (const [plan, limits] of Object.entries(CONTRACT)) {
  test(`${plan} gives what the contract says`, () => {
    const { limits: found, features } = BUILT_IN[plan as keyof typeof CONTRACT]
    assert.deepEqual(
      [found.emails, found.validations, found.content_checks, found.risk_previews, found.webhooks],
      limits,
    )
    assert.equal(features.risk, plan !== 'starter')
    assert.equal(features.content_events, plan === 'enterprise' || plan === 'custom')
  })
}

test('an empty file changes nothing, and a file changes only what it names', () => {
  assert.deepEqual(plansFrom({}), BUILT_IN)
  const plans = plansFrom({
    rates: { send: { per_second: 50, burst: 100 } },
    plans: {
      starter: { limits: { emails: 500, webhooks: null }, features: { risk: true } },
      business: { rates: { send: { per_second: 500, burst: 1_000 } } },
    },
  })
  assert.deepEqual(plans.starter.limits, { ...BUILT_IN.starter.limits, emails: 500, webhooks: null })
  assert.deepEqual(plans.starter.rates.send, { perSecond: 50, burst: 100 })
  assert.deepEqual(plans.business.rates.send, { perSecond: 500, burst: 1_000 })
  assert.deepEqual(plans.business.rates.default, BUILT_IN.business.rates.default)
  assert.deepEqual(plansWith(plans, 'risk')[0], 'starter')
})

const WRONG: readonly unknown[] = [
  [],
  null,
  { plan: {} },
  { plans: { gold: {} } },
  { plans: { starter: { limits: { emails: '500' } } } },
  { plans: { starter: { limits: { emails: -1 } } } },
  { plans: { starter: { limits: { email: 1 } } } },
  { plans: { starter: { features: { risk: 1 } } } },
  { rates: { send: { per_second: 0, burst: 1 } } },
  { rates: { send: { per_second: 1, burst: 0 } } },
  { rates: { send: { per_second: 1 } } },
]
for (const value of WRONG) {
  test(`a plans file that holds ${JSON.stringify(value)} stops the start`, () => {
    assert.throws(() => plansFrom(value), /\S/)
  })
}

test('a fault of the file names the file and the place', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'posthorn-plans-'))
  try {
    const file = path.join(folder, 'plans.json')
    writeFileSync(file, '{"plans": {"starter": {"limits": {"emails": "many"}}}}')
    assert.throws(() => readPlans(file), /plans\.json: .*emails/)
    writeFileSync(file, '{')
    assert.throws(() => readPlans(file), /plans\.json/)
    assert.throws(() => readPlans(path.join(folder, 'none.json')), /none\.json/)
    assert.equal(readPlans(null), BUILT_IN)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the example of the document is a file that can be read', () => {
  const document = readFileSync(path.join(import.meta.dirname, '../../../docs/plans.md'), 'utf8')
  const example = /```json\n([\s\S]*?)```/.exec(document)?.[1] ?? ''
  assert.equal(plansFrom(JSON.parse(example)).starter.limits.emails, 3_000)
})

test("an operator's override wins over the plan, including unlimited and zero", () => {
  const terms = termsOf(BUILT_IN, 'starter', {
    limits: { emails: null, validations: 0, rates: { send: { perSecond: 1, burst: 1 } } },
    features: { risk: true },
  })
  assert.deepEqual(terms.limits, { ...BUILT_IN.starter.limits, emails: null, validations: 0 })
  assert.deepEqual(terms.features, { risk: true, content_events: false })
  assert.deepEqual(terms.rates.send, { perSecond: 1, burst: 1 })
  assert.deepEqual(terms.rates.batch, BUILT_IN.starter.rates.batch)
})
