// What may go wrong between a claim and its record, and must not keep mail waiting or send it twice.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { house } from '../../../test/delivery-house.ts'
import type { Db } from '../../platform/db.ts'

const ZONE = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.2'] } }
const WITHIN_MS = 30_000
/** Nothing that is waited for here may come of it. */
const RARELY = { renewEveryMs: 600_000 }

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(WITHIN_MS)
  while (!(await holds())) {
    if (deadline.aborted) throw new Error(`not within ${WITHIN_MS} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('after a claim whose answer was lost the next epoch begins at once, and what was claimed goes out under it', async () => {
  await using h = await house(ZONE)
  const mx = await h.receiver('127.0.0.2')
  let lost = 0
  const system: Db = {
    ...h.database.system,
    query: async (what, values) => {
      const rows = await h.database.system.query<never>(what, values)
      if (what.name !== 'outbox_claim' || rows[0]?.['id'] === null || lost++ > 0) return rows
      throw Object.assign(new Error('lost'), { code: 'ECONNRESET' })
    },
  }
  const delivery = h.another({ database: { ...h.database, system }, limits: RARELY })
  const id = await h.put('bob@example.net')
  await delivery.start()
  await until('delivered', async () => (await h.status(id)) === 'delivered')
  assert.equal(lost > 1, true)
  assert.equal(mx.messageCount, 1)
})

test('a lease that ran out while the process stood still is renewed as soon as it is missed', async () => {
  await using h = await house(ZONE)
  await h.receiver('127.0.0.2')
  let stoodMs = 0
  const clock = { ...h.clock, monotonicMs: () => h.clock.monotonicMs() + stoodMs }
  const delivery = h.another({ clock, limits: RARELY })
  await delivery.start()
  const first = await h.put('bob@example.net')
  await until('the first is delivered', async () => (await h.status(first)) === 'delivered')
  stoodMs = 25_000
  const second = await h.put('ann@example.net')
  await until('the second is delivered', async () => (await h.status(second)) === 'delivered')
})
