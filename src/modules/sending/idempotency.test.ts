import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/database.ts'
import { connect } from '../../platform/db.ts'
import { claimKeys, forgetKeys, type IdempotencyKey } from './idempotency.ts'

const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
const NOW = new Date('2026-03-02T10:00:00Z')
const keyOf = (key: string): IdempotencyKey => ({
  accountId: ACCOUNT,
  path: '/api/v1/send',
  key,
  bodyHash: Buffer.alloc(32),
})

test('keys older than a day are deleted in lots, and younger ones stay', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, maxConnections: 1, onError: () => undefined })
  try {
    await claimKeys(database.system, ['a', 'b', 'c'].map(keyOf), new Date(NOW.getTime() - 86_400_001))
    await claimKeys(database.system, [keyOf('d')], new Date(NOW.getTime() - 86_399_000))
    const gone = async (): Promise<number> => forgetKeys(database.system, NOW, 2)
    assert.deepEqual([await gone(), await gone(), await gone()], [2, 1, 0])
    const known = await claimKeys(database.system, ['a', 'd'].map(keyOf), NOW)
    assert.deepEqual(
      [...known.keys()].map((name) => name.at(-1)),
      ['d'],
    )
  } finally {
    await database.close()
  }
})
