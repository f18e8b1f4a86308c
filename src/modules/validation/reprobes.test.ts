import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { declaredZones } from '../../../test/world/zones.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, statement } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { eraseValidations, forgetValidations } from './index.ts'
import * as sql from './sql.ts'
import { checkerOf } from './validation.ts'

const START = Date.parse('2026-03-01T12:00:00Z')
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const GREYLISTED = statement(
  'test_greylisted',
  `insert into validation_result (account_id, address, result, expires_at, reprobe_at)
   values ($1, 'greta@silent.test', 'greylisted', $2, $2)`,
)
const STANDING = statement(
  'test_standing',
  'select result, reprobe_at, reprobes from validation_result where account_id = $1',
)

test('an address that stays greylisted is asked about again 2, 6, 20 and 65 minutes later, and then no more', async () => {
  await using store = await freshDb()
  await using closing = new AsyncDisposableStack()
  const database = connect({ url: store.url, onError: () => undefined })
  closing.defer(() => database.close())
  const ids = systemIds()
  const accountId = ids.next()
  const none = (): never => assert.fail('no server is asked')
  let nowMs = START
  const clock = { ...systemClock(), now: () => new Date(nowMs) }
  const { reprobe } = checkerOf({
    ...{ database, clock, ids, hostname: 'mail.posthorn.test', smtpPort: 25, sourceIps: [], probes: true },
    resolver: declaredZones({ 'silent.test': 'servfail' }),
    allowPrivateNetworks: false,
    buckets: { take: none, giveBack: none },
    mac: () => Buffer.alloc(32),
  })
  const standing = async (): Promise<readonly unknown[]> => {
    const row = await database.system.one<{ result: string; reprobe_at: Date | null; reprobes: number }>(STANDING, [
      accountId,
    ])
    const waitMs = row?.reprobe_at == null ? null : row.reprobe_at.getTime() - nowMs
    return [row?.result, row?.reprobes, waitMs === null ? null : waitMs / MINUTE_MS]
  }
  nowMs += 2 * MINUTE_MS
  await database.system.execute(GREYLISTED, [accountId, new Date(nowMs)])
  for (const [reprobes, minutes] of [
    [1, 6],
    [2, 20],
    [3, 65],
    [4, null],
  ] as const) {
    nowMs -= 1
    assert.equal(await reprobe(), 0)
    nowMs += 1
    assert.equal(await reprobe(), 1)
    assert.deepEqual(await standing(), ['greylisted', reprobes, minutes])
    nowMs += (minutes ?? 0) * MINUTE_MS
  }
  nowMs += 30 * DAY_MS
  assert.equal(await reprobe(), 0)
})

test('a greylisted address that is not asked about again, since probes are off, is forgotten after a day', async () => {
  await using store = await freshDb()
  await using closing = new AsyncDisposableStack()
  const database = connect({ url: store.url, onError: () => undefined })
  closing.defer(() => database.close())
  const accountId = systemIds().next()
  await database.system.execute(GREYLISTED, [accountId, new Date(START)])
  const isKept = async (): Promise<boolean> => (await database.system.one(STANDING, [accountId])) !== null
  await forgetValidations(database.system, new Date(START + DAY_MS - 1), 10)
  assert.equal(await isKept(), true)
  await forgetValidations(database.system, new Date(START + DAY_MS), 10)
  assert.equal(await isKept(), false)
})

test('an answer that was found, or a recipient who was erased, while the address was asked about again stays so', async () => {
  await using store = await freshDb()
  await using closing = new AsyncDisposableStack()
  const database = connect({ url: store.url, onError: () => undefined })
  closing.defer(() => database.close())
  const ids = systemIds()
  const clock = { ...systemClock(), now: () => new Date(START) }
  const none = (): never => assert.fail('no server is asked')
  const later = new Date(START + DAY_MS)
  for (const [isErased, expected] of [
    [false, { result: 'deliverable', reprobe_at: null, reprobes: 0 }],
    [true, null],
  ] as const) {
    const accountId = ids.next()
    const meanwhile = (): Promise<unknown> =>
      isErased
        ? eraseValidations(database.system, accountId, 'greta@silent.test')
        : database.system.execute(sql.KEEP_RESULT, [
            ...[accountId, 'greta@silent.test', 'deliverable', 5],
            ...[null, later, null, 0],
          ])
    const zones = declaredZones({ 'silent.test': 'servfail' })
    const { reprobe } = checkerOf({
      ...{ database, clock, ids, hostname: 'mail.posthorn.test', smtpPort: 25, sourceIps: [], probes: true },
      resolver: {
        ...zones,
        mx: async (name, signal) => {
          await meanwhile()
          return zones.mx(name, signal)
        },
      },
      allowPrivateNetworks: false,
      buckets: { take: none, giveBack: none },
      mac: () => Buffer.alloc(32),
    })
    await database.system.execute(GREYLISTED, [accountId, new Date(START)])
    assert.equal(await reprobe(), 1)
    assert.deepEqual(await database.system.one(STANDING, [accountId]), expected)
  }
})
