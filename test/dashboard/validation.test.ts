// What the dashboard says of a validated address, from the service's own results.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Finding, findingsOf, notesOf, type Validated } from '../../dashboard/src/words/validation-checks.ts'
import { score } from '../../src/modules/validation/score.ts'

type Facts = Parameters<typeof score>[0]
const PLAIN: Facts = {
  ...{ syntaxValid: true, exchanger: 'usable', smtp: 'deliverable', pattern: 'human_name', disposable: 0 },
  ...{
    provider: { name: 'unknown', tier: 'unknown', probed: true },
    catchAllUnclear: false,
    latencyMs: null,
    didYouMean: null,
  },
  ...{ aliasRelay: false, notes: [] },
}

function told(facts: Partial<Facts>): { readonly found: Readonly<Record<string, string>>; readonly notes: string } {
  const result: Validated = score({ ...PLAIN, ...facts })
  const found = findingsOf(result).map(({ words, state }: Finding) => [words, state])
  return { found: Object.fromEntries(found), notes: notesOf(result).join(' ') }
}

test('whether a mailbox exists is said only when its server said so', () => {
  assert.equal(told({}).found['the mailbox exists'], 'ok')
  assert.equal(told({ smtp: 'rejected' }).found['the mailbox does not exist'], 'warning')
  for (const smtp of ['greylisted', 'blocked', 'timeout', 'catch_all'] as const)
    assert.equal(told({ smtp }).found['unknown whether the mailbox exists'], 'robot', smtp)
})

test('whether a domain accepts every address is not said of one that was not asked', () => {
  assert.ok('the domain does not accept every address' in told({}).found)
  assert.ok('the domain accepts every address' in told({ smtp: 'catch_all' }).found)
  assert.ok('unknown whether the domain accepts every address' in told({ smtp: 'blocked' }).found)
})

test('a domain without MX records may have mailboxes, and a text that is no address has no domain', () => {
  const { found, notes } = told({ exchanger: 'implicit' })
  assert.deepEqual([found['the domain has no MX records'], found['the mailbox exists']], ['warning', 'ok'])
  assert.match(notes, /no MX record/)
  assert.deepEqual(told({ syntaxValid: false, smtp: 'skipped' }).found, { 'invalid syntax': 'warning' })
})

test('a correction is not repeated among the notes', () => {
  const { notes } = told({ didYouMean: 'jo@gmail.com', exchanger: 'no_domain', smtp: 'skipped' })
  assert.equal(notes, 'The domain does not exist')
})
