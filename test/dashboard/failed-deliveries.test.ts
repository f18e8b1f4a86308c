// Events that an endpoint did not take, as the dashboard reads them from the delivery log: the part that needs no browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOf, type Delivery, failedDeliveriesOf } from '../../dashboard/src/webhooks/failed-deliveries.ts'

const AWAY = { http_status: null, error: 'connect ECONNREFUSED', response_body: null }
const BROKEN = { http_status: 500, error: 'answered with 500', response_body: 'out of order' }
const UNTRIED = { http_status: null, error: null, response_body: null }
const TAKEN = { http_status: 200, error: null, response_body: 'ok' }

function told(id: string, status: Delivery['status'], minute: number, others: Partial<Delivery> = {}): Delivery {
  const created_at = new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString()
  return { event_id: id, event: 'email.delivered', status, ...BROKEN, created_at, ...others }
}

const at = (minute: number): string => told('', 'failed', minute).created_at

test('each reason is listed once, with its number of events and their times', () => {
  const failed = failedDeliveriesOf([
    ...Array.from({ length: 200 }, (_, i) => told(`b${i}`, i < 150 ? 'failed' : 'pending', 10 + (i % 7))),
    ...[told('a1', 'failed', 3, AWAY), told('a2', 'failed', 5, { ...AWAY, event: 'email.opened' })],
  ])
  assert.deepEqual([failed.givenUp, failed.waiting, failed.since], [152, 50, at(3)])
  assert.deepEqual(failed.kinds, ['email.delivered', 'email.opened'])
  assert.deepEqual(failed.reasons, [
    { answer: '500 · out of order', count: 200, first: at(10), last: at(16) },
    { answer: 'connect ECONNREFUSED', count: 2, first: at(3), last: at(5) },
  ])
})

// Each row: the log entries of one event, and whether it counts as not taken.
const LOGS: readonly (readonly [what: string, log: readonly Delivery[], counts: boolean])[] = [
  ['taken', [told('a', 'success', 1, TAKEN)], false],
  ['given up', [told('a', 'failed', 1)], true],
  ['not tried yet', [told('a', 'pending', 1, UNTRIED)], false],
  ['tried without success and waiting', [told('a', 'pending', 1)], true],
  ['given up, then resent and taken', [told('a', 'failed', 1), told('a', 'success', 2, TAKEN)], false],
  ['given up, then resent and on its way', [told('a', 'pending', 2, UNTRIED), told('a', 'failed', 1)], false],
  ['given up twice', [told('a', 'failed', 2), told('a', 'failed', 1)], true],
  ['taken, then resent without success', [told('a', 'success', 1, TAKEN), told('a', 'failed', 2)], false],
  ['a test', [told('a', 'failed', 1, { event: 'test' })], false],
]
for (const [what, log, counts] of LOGS) {
  test(`an event that was ${what} is ${counts ? 'one' : 'none'} of those not taken`, () => {
    const { givenUp, waiting, since } = failedDeliveriesOf(log)
    assert.deepEqual([givenUp + waiting, since], counts ? [1, at(1)] : [0, null])
  })
}

test('an answer is shown as it came, and an error that only repeats its status is left out', () => {
  assert.equal(answerOf(BROKEN), '500 · out of order')
  assert.equal(answerOf(AWAY), 'connect ECONNREFUSED')
  assert.equal(answerOf({ ...BROKEN, response_body: '', error: 'too slow' }), '500 · too slow')
  assert.equal(answerOf(UNTRIED), '–')
})
