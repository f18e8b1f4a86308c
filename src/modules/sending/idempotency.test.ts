import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { connect } from '../../platform/db.ts'
import { claimKeys, forgetKeys, type IdempotencyKey, nameOf, storeAnswers } from './idempotency.ts'

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

// Each row: the age of the key in ms, and whether it still stands for the first call.
const AGES: [ageMs: number, isKept: boolean][] = [
  [86_399_000, true],
  [86_401_000, false],
]
for (const [ageMs, isKept] of AGES) {
  test(`a key ${ageMs} ms old that nobody has deleted ${isKept ? 'has its answer' : 'is a new one, with another body'}`, async () => {
    await using store = await freshDb()
    const database = connect({ url: store.url, maxConnections: 1, onError: () => undefined })
    try {
      const first = keyOf('a')
      await claimKeys(database.system, [first], new Date(NOW.getTime() - ageMs))
      await storeAnswers(database.system, [{ key: first, status: 202, body: { id: 1 } }])
      const other = { ...first, bodyHash: Buffer.alloc(32, 1) }
      assert.equal((await claimKeys(database.system, [other], NOW)).size, isKept ? 1 : 0)
      const known = (await claimKeys(database.system, [other], NOW)).get(nameOf(other))
      assert.deepEqual(known?.bodyHash, isKept ? first.bodyHash : other.bodyHash)
      assert.deepEqual(known?.body, isKept ? { id: 1 } : null)
    } finally {
      await database.close()
    }
  })
}

test('the same key of another path or another account is another one', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, maxConnections: 1, onError: () => undefined })
  try {
    const keys = [
      keyOf('a'),
      { ...keyOf('a'), path: '/api/v1/send/batch' },
      { ...keyOf('a'), accountId: ACCOUNT.replace(/a$/, 'b') },
    ]
    for (const key of keys) assert.equal((await claimKeys(database.system, [key], NOW)).size, 0)
    await storeAnswers(
      database.system,
      keys.map((key, body) => ({ key, status: 202, body })),
    )
    const known = await claimKeys(database.system, keys, NOW)
    assert.deepEqual(
      keys.map((key) => known.get(nameOf(key))?.body),
      [0, 1, 2],
    )
  } finally {
    await database.close()
  }
})
