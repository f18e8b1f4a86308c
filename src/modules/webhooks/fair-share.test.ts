import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Candidate,
  COMMON_WINDOW,
  FIRST_WINDOW,
  fairShare,
  maxDeliveriesOf,
  type Pace,
  ROOM,
  type UnansweredDelivery,
} from './fair-share.ts'

const pace = fc.constantFrom<Pace>('quick', 'slow', 'failing')
const endpoint = fc.record({
  account: fc.nat({ max: 5 }),
  window: fc.constantFrom(2, 4, 8, 16),
  pace,
  held: fc.nat({ max: 40 }),
})

test('no endpoint, account or process gets more than its room, and free room is used', () => {
  fc.assert(
    fc.property(fc.array(endpoint, { maxLength: 60 }), (made) => {
      const candidates = made.map((one, i): Candidate => ({ webhookId: `${i}`, accountId: `${one.account}`, ...one }))
      const held = candidates.flatMap((one, i): UnansweredDelivery[] =>
        Array.from({ length: made[i]?.held ?? 0 }, () => one),
      )
      const given = fairShare(candidates, held, chances())
      for (const kind of ['quick', 'slow', 'failing'] as const) {
        const own = candidates.filter((one) => one.pace === kind)
        const count = (some: readonly Candidate[]): [before: number, more: number] => [
          held.filter(({ webhookId }) => some.some((one) => one.webhookId === webhookId)).length,
          some.reduce((sum, { webhookId }) => sum + (given.get(webhookId) ?? 0), 0),
        ]
        const [before, more] = count(own)
        assert.ok(more === 0 || before + more <= ROOM[kind].process)
        for (const [, some] of Map.groupBy(own, ({ accountId }) => accountId)) {
          const [had, got] = count(some)
          assert.ok(got === 0 || had + got <= ROOM[kind].account)
          if (before + more >= ROOM[kind].process || had + got >= ROOM[kind].account) continue
          for (const one of some)
            assert.ok(count([one]).reduce((a, b) => a + b) >= maxDeliveriesOf(one), 'room was left')
        }
        for (const one of own) {
          const [had, got] = count([one])
          assert.ok(got === 0 || had + got <= maxDeliveriesOf(one))
        }
      }
    }),
  )
})

test('accounts with many endpoints and with one share the room', () => {
  const crowd = Array.from(
    { length: 100 },
    (_, i): Candidate => ({
      webhookId: `a${i}`,
      accountId: 'a',
      pace: 'quick',
      window: COMMON_WINDOW,
    }),
  )
  const others = Array.from(
    { length: 9 },
    (_, i): Candidate => ({
      webhookId: `b${i}`,
      accountId: `b${i}`,
      pace: 'quick',
      window: COMMON_WINDOW,
    }),
  )
  const given = fairShare([...crowd, ...others], [], chances())
  for (const { webhookId } of others) assert.equal(given.get(webhookId), 2 * COMMON_WINDOW)
})

for (const [what, accountOf] of [
  ['accounts', (i: number) => `a${i}`],
  ['endpoints of one account', () => 'a'],
] as const) {
  test(`of many failing ${what}, which all have more due than is tried, each is tried`, () => {
    const candidates = Array.from(
      { length: 150 },
      (_, i): Candidate => ({ webhookId: `w${i}`, accountId: accountOf(i), pace: 'failing', window: FIRST_WINDOW }),
    )
    const chance = chances()
    const tried = new Set<string>()
    let held: readonly UnansweredDelivery[] = []
    for (let round = 0; round < 500; round++) {
      const given = fairShare(candidates, held, chance)
      for (const id of given.keys()) tried.add(id)
      const claimed = candidates.flatMap((one) => Array.from({ length: given.get(one.webhookId) ?? 0 }, () => one))
      // The oldest attempts end first.
      held = [...held, ...claimed].slice(8)
    }
    assert.equal(tried.size, candidates.length)
  })
}

/** The same numbers in [0, 1) in each run. */
function chances(): () => number {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
