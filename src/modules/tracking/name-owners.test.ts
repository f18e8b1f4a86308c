import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '../../platform/db.ts'
import { nameOwners } from './name-owners.ts'

test('a name that has become the host of the public URL belongs to no account', async () => {
  const rows = ['mail.shop.example', 'go.shop.example'].map((name) => ({ name, account_id: 'a' }))
  const system = { query: async () => rows } as unknown as Db
  const clock = { now: () => new Date(0) }
  const owners = nameOwners({ database: { system }, clock, publicUrl: 'https://mail.shop.example:8443' })
  assert.equal(owners.isOfAnother('go.shop.example', 'b'), false, 'nothing is known yet')
  await owners.refresh()
  assert.equal(owners.isOfAnother('go.shop.example', 'b'), true)
  assert.equal(owners.isOfAnother('Go.Shop.Example.:443', 'b'), true)
  assert.equal(owners.isOfAnother('go.shop.example', 'a'), false)
  assert.equal(owners.isOfAnother('mail.shop.example:8443', 'b'), false)
  assert.equal(owners.isOfAnother(undefined, 'b'), false)
})
