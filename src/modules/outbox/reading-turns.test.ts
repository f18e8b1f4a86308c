import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay, setImmediate as soon } from 'node:timers/promises'
import { freshDb } from '../../../test/world/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, statement } from '../../platform/db.ts'
import type { Principal } from '../../platform/http.ts'
import { systemIds } from '../../platform/ids.ts'
import { emailCalls, ensureOutboxPartitions } from './index.ts'
import { readingTurns } from './reading-turns.ts'

const MB = 1_048_576
const { signal } = new AbortController()

test('large emails are read within 40 MB, a hundred may wait, and small ones do not', async () => {
  const inTurn = readingTurns()
  const end = Promise.withResolvers<void>()
  let reading = 0
  let most = 0
  const work = async (): Promise<void> => {
    most = Math.max(most, ++reading)
    await end.promise
    reading--
  }
  const asked = Array.from({ length: 101 }, () => inTurn(20 * MB, signal, work))
  await assert.rejects(asked[100] ?? Promise.resolve(), { status: 503, code: 'service_unavailable', retryAfter: 5 })
  assert.equal(await inTurn(1_000, signal, async () => 'small'), 'small')
  end.resolve()
  await Promise.all(asked.slice(0, 100))
  assert.equal(most, 2)
})

test('a request that goes away or fails passes its turn on, and nothing is loaded for one that has gone', async () => {
  const inTurn = readingTurns()
  const end = Promise.withResolvers<void>()
  const gone = new AbortController()
  const first = inTurn(40 * MB, signal, async () => {
    await end.promise
    throw new Error('torn')
  })
  let loaded = false
  const second = inTurn(40 * MB, gone.signal, async () => {
    loaded = true
  })
  const third = inTurn(40 * MB, signal, async () => 'read')
  gone.abort()
  await soon()
  end.resolve()
  await assert.rejects(first, /torn/)
  await assert.rejects(second, { status: 503 })
  assert.equal(await third, 'read')
  assert.equal(loaded, false)
})

test('an email that would not fit into the memory left is refused, and read once there is room', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let freeBytes = 250 * MB
  const memory = { limitBytes: 768 * MB, freeBytes: () => freeBytes, collect: () => undefined }
  const inTurn = readingTurns(memory)
  let loaded = 0
  const asked = inTurn(25 * MB, signal, async () => ++loaded)
  const refused = assert.rejects(asked, { status: 503, code: 'service_unavailable' })
  for (let i = 0; i < 50; i++) {
    t.mock.timers.tick(250)
    await soon()
  }
  await refused
  assert.equal(loaded, 0)
  freeBytes = 310 * MB
  assert.equal(await inTurn(25 * MB, signal, async () => ++loaded), 1)
})

const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
const PUT = statement(
  'test_put_large',
  `insert into email (id, account_id, body_id, created_at, status, sender, recipient, recipient_key, subject, message_id,
     size_bytes, expires_at)
   values ($1, $2, $1, now(), 3, 'a@shop.example', 'b@reader.example', 'b@reader.example', 'Hi', 'm@shop.example', 30000000, now())`,
)

test('a large email that is requested three times at once is in memory once at a time', async () => {
  await using fresh = await freshDb()
  const database = connect({ url: fresh.url, onError: () => undefined })
  const [clock, ids] = [systemClock(), systemIds()]
  await ensureOutboxPartitions(database.system, clock.now())
  const id = ids.next()
  await database.system.execute(PUT, [id, ACCOUNT])
  let composing = 0
  let most = 0
  const compose = async (): Promise<Buffer> => {
    most = Math.max(most, ++composing)
    await delay(100)
    composing--
    return Buffer.from('whole')
  }
  const readMessage = (): never => assert.fail('nothing to read')
  const calls = emailCalls({
    database,
    clock,
    ids,
    onQueued: () => undefined,
    retryRefusal: async () => null,
    compose,
    readMessage,
  })
  const principal = { accountId: ACCOUNT, domainIds: null } as unknown as Principal
  const messages = await Promise.all([1, 2, 3].map(() => calls.raw(principal, id, signal)))
  assert.deepEqual(messages.map(String), ['whole', 'whole', 'whole'])
  assert.equal(most, 1)
  await database.close()
})
