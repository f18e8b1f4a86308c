// One account's mail to many destinations, and that of others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixture } from '../../../test/world/delivery-fixture.ts'
import { accountShares } from './account-shares.ts'

const [MANY, OTHER] = ['01980000-0000-7000-8000-00000000000a', '01980000-0000-7000-8000-00000000000b']
const SITES = Array.from({ length: 30 }, (_, n) => `d${n}.test`)

test('the mail of another account does not wait until the walk has come to all destinations of one with much mail', async () => {
  const zones: Record<string, { A: string[] }> = { 'last.test': { A: ['127.0.0.3'] } }
  for (const site of SITES) zones[site] = { A: ['127.0.0.2'] }
  await using h = await fixture(zones, { limits: { maxClaim: 10, maxEmails: 80 } })
  const { promise: after, resolve: answer } = Promise.withResolvers<void>()
  const many = await h.receiver('127.0.0.2', { dot: () => ({ reply: '250 taken', after }) })
  const other = await h.receiver('127.0.0.3')
  for (const site of SITES) for (let n = 0; n < 5; n++) await h.put(`u${n}@${site}`)
  for (const name of ['ann', 'bob']) await h.put(`${name}@last.test`, { accountId: OTHER })
  await h.delivery.start()
  await other.received(2)
  answer()
  await many.received(150)
})

test('accounts with less mail to one person than the average go ahead; mail to many does not count', () => {
  const shares = accountShares()
  const one = { accountId: OTHER, bulk: false }
  shares.enter(one)
  assert.deepEqual(shares.ample(), [])
  for (let n = 0; n < 5; n++) shares.enter({ accountId: MANY, bulk: false })
  for (let n = 0; n < 9; n++) shares.enter({ accountId: OTHER, bulk: true })
  assert.deepEqual(shares.ample(), [MANY])
  for (let n = 0; n < 4; n++) shares.enter(one)
  assert.deepEqual(shares.ample().toSorted(), [MANY, OTHER])
  for (let n = 0; n < 5; n++) shares.leave(one)
  assert.deepEqual(shares.ample(), [MANY])
})
