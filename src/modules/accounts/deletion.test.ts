import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixture } from '../../../test/world/accounts-fixture.ts'
import { claimErasure, type DueErasure, deleteAccount, noteErasure } from './deletion.ts'

const START = new Date('2026-03-01T12:00:00Z')
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000]

test('a deleted account is looked at until nothing is left, then hourly for a day and daily for 400 days', async () => {
  await using home = await fixture()
  const { system } = home.database
  const { accountId } = await home.account()
  const at = (ms: number): Date => new Date(START.getTime() + ms)
  await deleteAccount(
    { ...home.operator, clock: { ...home.operator.clock, now: () => START } },
    accountId,
    'owner1@example.com',
  )
  /** Due at `ms` after the deletion, and not before. */
  const due = async (ms: number): Promise<DueErasure> => {
    assert.equal(await claimErasure(system, at(ms - 1)), null, `not before ${ms} ms`)
    return (await claimErasure(system, at(ms))) ?? assert.fail(`not at ${ms} ms`)
  }
  const first = await due(30 * SECOND)
  assert.equal(first.erasedAt, null)
  await noteErasure(system, first, false, at(40 * SECOND))
  await noteErasure(system, await due(40 * SECOND + MINUTE), true, at(2 * MINUTE))
  const hourly = await due(2 * MINUTE + HOUR)
  assert.deepEqual(hourly.erasedAt, at(2 * MINUTE))
  // A click has added something: the next look comes as after an empty one, and the account stays erased.
  await noteErasure(system, hourly, false, at(2 * HOUR))
  const still = await due(3 * HOUR)
  assert.deepEqual(still.erasedAt, at(2 * MINUTE))
  await noteErasure(system, still, true, at(DAY - 1))
  await noteErasure(system, await due(DAY - 1 + HOUR), true, at(DAY))
  await noteErasure(system, await due(2 * DAY), true, at(400 * DAY - 1))
  const last = await due(401 * DAY - 1)
  assert.deepEqual(last.erasedAt, at(2 * MINUTE))
  await noteErasure(system, last, true, at(401 * DAY))
  assert.equal(await claimErasure(system, at(4_000 * DAY)), null)
})
