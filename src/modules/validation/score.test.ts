import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UNKNOWN_PROVIDER } from '../../mail/dns/providers.ts'
import { type Facts, score } from './score.ts'

const PLAIN: Facts = {
  syntaxValid: true,
  exchanger: 'usable',
  disposable: 0,
  aliasRelay: false,
  pattern: 'generic',
  provider: UNKNOWN_PROVIDER,
  smtp: 'deliverable',
  catchAllUnclear: false,
  latencyMs: null,
  didYouMean: null,
  notes: [],
}
const tier = (of: Facts['provider']['tier']): Partial<Facts> => ({ provider: { ...UNKNOWN_PROVIDER, tier: of } })

// Each row: facts beyond a mailbox confirmed by an unknown server, and both scores (docs/validation.md).
const ROWS: readonly (readonly [what: string, facts: Partial<Facts>, deliverability: number, confidence: number])[] = [
  ['nothing more', {}, 95, 86],
  ['a provider of the first tier', tier('tier_1'), 100, 92],
  ['of the second', tier('tier_2'), 95, 89],
  ['of the third', tier('tier_3'), 95, 86],
  ['a name', { pattern: 'human_name' }, 95, 90],
  ['a role', { pattern: 'role' }, 80, 82],
  ['a random local part', { pattern: 'random' }, 85, 78],
  ['an answer within a second', { latencyMs: 1_000 }, 95, 88],
  ['an answer within five', { latencyMs: 5_000 }, 95, 86],
  ['a slow answer', { latencyMs: 5_001 }, 95, 82],
  ['all that speaks for it', { ...tier('tier_1'), pattern: 'human_name', latencyMs: 1 }, 100, 98],
  ['all that speaks against it', { pattern: 'random', latencyMs: 9_000 }, 85, 74],
  ['only an address record', { exchanger: 'implicit' }, 80, 86],
  ['a slip of the finger', { didYouMean: 'a@gmail.com' }, 70, 86],
  ['an alias', { aliasRelay: true }, 92, 86],
  ['an alias of a role that was mistyped', { aliasRelay: true, pattern: 'role', didYouMean: 'a@b.test' }, 52, 82],
  ['a disposable domain', { disposable: 0.5 }, 15, 86],
  ['a domain that is hardly disposable', { disposable: 0.49 }, 95, 86],
  ['a refusal', { smtp: 'rejected' }, 5, 3],
  ['a refusal by the first tier', { smtp: 'rejected', ...tier('tier_1') }, 5, 3],
  ['a refusal of a role', { smtp: 'rejected', pattern: 'role' }, 0, 3],
  ['a mailbox where all may be taken', { catchAllUnclear: true }, 95, 60],
  [
    'the same, with all that speaks for it',
    { catchAllUnclear: true, ...tier('tier_1'), pattern: 'human_name', latencyMs: 1 },
    100,
    69,
  ],
  ['a catch-all', { smtp: 'catch_all' }, 65, 45],
  ['a catch-all of the first tier', { smtp: 'catch_all', ...tier('tier_1') }, 70, 55],
  ['a catch-all of the second', { smtp: 'catch_all', ...tier('tier_2') }, 65, 50],
  ['a catch-all and a name', { smtp: 'catch_all', pattern: 'human_name' }, 65, 51],
  ['a catch-all and a role', { smtp: 'catch_all', pattern: 'role' }, 50, 42],
  ['a catch-all and a random local part', { smtp: 'catch_all', pattern: 'random' }, 55, 33],
  ['no probe', { smtp: 'skipped' }, 78, 50],
  ['no probe at the first tier', { smtp: 'skipped', ...tier('tier_1'), pattern: 'human_name' }, 83, 66],
  ['greylisting', { smtp: 'greylisted' }, 75, 50],
  ['a block', { smtp: 'blocked' }, 70, 50],
  ['a silence', { smtp: 'timeout' }, 70, 50],
  ['a silence of the DNS', { smtp: 'skipped', exchanger: 'unknown' }, 60, 35],
  [
    'a silence of the DNS about a random local part',
    { smtp: 'skipped', exchanger: 'unknown', pattern: 'random' },
    50,
    30,
  ],
  ['no exchanger', { smtp: 'skipped', exchanger: 'none' }, 0, 2],
  ['an exchanger that does not exist', { smtp: 'skipped', exchanger: 'dead' }, 0, 2],
  ['a null MX', { smtp: 'skipped', exchanger: 'null_mx' }, 0, 2],
  ['an exchanger at a private address', { smtp: 'skipped', exchanger: 'private' }, 0, 2],
  ['no domain', { smtp: 'skipped', exchanger: 'no_domain' }, 0, 0],
  ['no address', { smtp: 'skipped', syntaxValid: false }, 0, 0],
]
for (const [what, facts, deliverability, confidence] of ROWS) {
  test(`${what}: ${deliverability} and ${confidence}`, () => {
    const found = score({ ...PLAIN, ...facts })
    assert.deepEqual([found.deliverability_score, found.confidence_score], [deliverability, confidence])
  })
}

test('a note from the probe replaces the general text for a block', () => {
  const blocked = { ...PLAIN, smtp: 'blocked' } as const
  assert.deepEqual(score(blocked).suggestions, [
    'The mail server did not let us ask; this says nothing about the address',
  ])
  assert.deepEqual(score({ ...blocked, notes: ['it said so'] }).suggestions, ['it said so'])
  assert.deepEqual(score({ ...PLAIN, smtp: 'catch_all', notes: ['and more'] }).suggestions, [
    'The domain accepts every address (catch-all): this mailbox cannot be confirmed',
    'and more',
  ])
})

test('the risk is low from 70 and medium from 40 on, and a domain counts as disposable from a half on', () => {
  const levels = (
    [
      { smtp: 'blocked' },
      { smtp: 'blocked', aliasRelay: true },
      { smtp: 'catch_all', didYouMean: 'a@b.test' },
      { smtp: 'catch_all', didYouMean: 'a@b.test', aliasRelay: true },
    ] satisfies Partial<Facts>[]
  ).map((facts) => score({ ...PLAIN, ...facts }))
  assert.deepEqual(
    levels.map(({ deliverability_score: points, risk_level: level }) => [points, level]),
    [
      [70, 'low'],
      [67, 'medium'],
      [40, 'medium'],
      [37, 'high'],
    ],
  )
  const isDisposable = (disposable: number): boolean => score({ ...PLAIN, disposable }).validation_checks.is_disposable
  assert.deepEqual([isDisposable(0.49), isDisposable(0.5)], [false, true])
})
