import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { connect, isUnavailable, statement } from '../db.ts'
import { connectionShare } from './connection-share.ts'

const BUSY = '01980000-0000-7000-8000-00000000000a'
const OTHER = '01980000-0000-7000-8000-00000000000b'
const nothing = async (): Promise<void> => undefined

test('an account with many transactions under way leaves connections to others', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, maxConnections: 4, onError: () => undefined })
  const held = Promise.withResolvers<void>()
  const both = Promise.withResolvers<void>()
  let running = 0
  const hold = async (): Promise<void> => {
    if (++running === 2) both.resolve()
    await held.promise
  }
  try {
    const works = Array.from({ length: 10 }, (_, n) =>
      n % 2 === 0 ? database.tenant(BUSY, hold) : database.reading(BUSY, hold),
    )
    await both.promise
    const one = await database.reading(OTHER, (db) => db.one(statement('test_one', 'select 1 as one')))
    assert.deepEqual([one, running], [{ one: 1 }, 2])
    held.resolve()
    await Promise.all(works)
    assert.equal(running, 10)
  } finally {
    await database.close()
  }
})

test('work beyond the share runs in order, and where its wait is too long counts as not available', async () => {
  const share = connectionShare(1, 50)
  const held = Promise.withResolvers<void>()
  const first = share(BUSY, () => held.promise)
  await assert.rejects(share(BUSY, nothing), isUnavailable)
  const order: string[] = []
  const next = ['a', 'b'].map((name) => share(BUSY, async () => void order.push(name)))
  held.reject(new Error('failed'))
  await assert.rejects(first, /failed/)
  await Promise.all(next)
  assert.deepEqual(order, ['a', 'b'])
  await share(BUSY, nothing)
})
