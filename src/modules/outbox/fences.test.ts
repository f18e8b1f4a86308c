// Only the holder of a lease writes about it: the epoch of the claim, the number of the claim, and while the epoch lives.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT, type Fixture, fixture } from '../../../test/world/delivery-fixture.ts'
import { FIRST_ID } from '../../platform/ids.ts'
import {
  type Claimed,
  claim,
  claimOverdue,
  complete,
  handBack,
  joinAsNode,
  leaveAsNode,
  type Result,
  renewLease,
  takeOver,
} from './index.ts'

const HOUR = 3_600_000

async function claimed({ database, clock }: Fixture, epoch: number): Promise<readonly Claimed[]> {
  const slots = { limit: 10, cursor: null, free: new Map(), defaultFree: 10 }
  return (await claim(database.system, { epoch, ...slots, suspended: [], now: clock.now() })).claimed
}

async function leased(h: Fixture): Promise<{ readonly epoch: number; readonly row: Claimed }> {
  await h.put('bob@example.net')
  const { epoch } = await joinAsNode(h.database.system, h.clock, 'a')
  const [row] = await claimed(h, epoch)
  assert.ok(row !== undefined)
  return { epoch, row }
}

// Each row: what differs from the claim, and how many results pass.
const FENCES: [what: string, epochs: number, fences: number, passed: number][] = [
  ['another number', 0, 1, 0],
  ['another epoch', 1, 0, 0],
  ['its own number and epoch', 0, 0, 1],
]

for (const [what, epochs, fences, passed] of FENCES) {
  test(`a deferral under ${what} is written ${passed} times`, async () => {
    await using h = await fixture()
    const { epoch, row } = await leased(h)
    const nothing = { smtpCode: null, response: null, sizeBytes: null, attempt: null }
    const result: Result = {
      ...{ id: row.id, accountId: row.accountId, fence: row.fence + fences, status: 'deferred', ...nothing },
      ...{ next: new Date(h.clock.now().getTime() + HOUR), at: h.clock.now() },
    }
    const written = await h.database.transaction((db) => complete(db, epoch + epochs, [result]))
    assert.equal(written.size, passed)
    assert.equal(await h.status(row.id), passed === 1 ? 'deferred' : 'queued')
  })

  test(`a lease handed back under ${what} is given up ${passed} times`, async () => {
    await using h = await fixture()
    const { epoch, row } = await leased(h)
    await handBack(h.database.system, epoch + epochs, [{ id: row.id, fence: row.fence + fences }])
    const { epoch: other } = await joinAsNode(h.database.system, h.clock, 'b')
    assert.equal((await claimed(h, other)).length, passed)
  })
}

test('a node that was declared dead leases no expired mail', async () => {
  await using h = await fixture()
  await h.put('bob@example.net', { expiresAt: new Date(h.clock.now().getTime() + HOUR) })
  h.clock.advance(HOUR)
  const node = await joinAsNode(h.database.system, h.clock, 'a')
  const overdue = { epoch: node.epoch, after: FIRST_ID, sites: [], accounts: [ACCOUNT], now: h.clock.now() }
  await leaveAsNode(h.database.system, node)
  assert.equal((await claimOverdue(h.database.system, overdue)).claimed.length, 0)
  const { epoch } = await joinAsNode(h.database.system, h.clock, 'b')
  assert.equal((await claimOverdue(h.database.system, { ...overdue, epoch })).claimed.length, 1)
})

test('a machine that stood still for a minute, its monotonic clock too, takes nothing from a node that has renewed', async () => {
  await using h = await fixture()
  await h.put('bob@example.net')
  const node = await joinAsNode(h.database.system, h.clock, 'a')
  assert.equal((await claimed(h, node.epoch)).length, 1)
  const asItThinks = new Date(node.databaseNow.getTime() - 60_000)
  assert.equal(await takeOver(h.database.system, asItThinks), 0)
  assert.notEqual(await renewLease(h.database.system, h.clock, node), null)
})
