import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/world/accounts-fixture.ts'
import { freshDbOfToday } from '../../../test/world/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, statement } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { createLogger } from '../../platform/log.ts'
import { inboundOf } from './inbound.ts'
import { reportStorage } from './report-storage.ts'

const KEPT = statement(
  'test_kept',
  `insert into inbound_report (id, hash, kind, local_part, received_at, free_at, state, outcome, raw)
   values ($1, uuid_send($1), 'operator', 'abuse', now(), now(), $2, 'kept', repeat('x', $3::int)::bytea)`,
)

test('mail that has ended is kept up to a limit, counted anew each minute', async () => {
  await using fresh = await freshDbOfToday()
  await using closing = new AsyncDisposableStack()
  const database = connect({ url: fresh.url, onError: () => undefined })
  closing.defer(() => database.close())
  const { next } = systemIds()
  const db = database.system
  let ms = 0
  const mayKeep = reportStorage({ ...systemClock(), monotonicMs: () => ms }, 1_000)
  await db.execute(KEPT, [next(), 1, 500])
  await db.execute(KEPT, [next(), 0, 900])
  assert.equal(await mayKeep(db, 300), true)
  assert.equal(await mayKeep(db, 300), false)
  assert.equal(await mayKeep(db, 200), true)
  assert.equal(await mayKeep(db, 1), false)
  ms += 60_000
  assert.equal(await mayKeep(db, 300), true, 'what was not kept after all')
})

/** A report that has ended its process three times. */
const POISON = statement(
  'test_poison',
  `insert into inbound_report (id, hash, kind, local_part, received_at, free_at, tries, raw)
   values ($1, uuid_send($1), 'feedback', 'fbl', now(), now(), 3, repeat('x', 600)::bytea)`,
)
const LEFT = statement(
  'test_left',
  `select outcome || ' ' || coalesce(octet_length(raw), 0) as left from inbound_report where state > 0 order by id`,
)

test('beyond the limit a mail for the operator, or one in quarantine, leaves its outcome alone', async () => {
  await using fresh = await freshDbOfToday()
  await using closing = new AsyncDisposableStack()
  const database = connect({ url: fresh.url, onError: () => undefined })
  closing.defer(() => database.close())
  const ids = systemIds()
  const none = (): never => assert.fail('nothing else is asked')
  const aggregates = { read: none, close: async () => undefined }
  const inbound = inboundOf({
    database,
    clock: systemClock(),
    ids,
    log: createLogger('silent'),
    verpMac: none as never,
    emails: { byToken: none, byMessageId: none, markBounced: none, markComplained: none },
    resolver: {} as never,
    forward: async () => ({ outcome: 'kept', keepRaw: true }),
    aggregates: { tls: aggregates, dmarc: aggregates },
    onRead: () => undefined,
    keptMostBytes: 1_500,
  })
  for (const text of ['first', 'second', 'third']) {
    const raw = Buffer.from(`Subject: ${text}\r\n\r\n`.padEnd(600, 'x'))
    await inbound.take({ kind: 'operator', localPart: 'abuse', raw })
  }
  await database.system.execute(POISON, [ids.next()])
  await inbound.service.start()
  closing.defer(() => inbound.service.stop(AbortSignal.timeout(5_000)))
  const left = async (): Promise<readonly string[]> =>
    (await database.system.query<{ left: string }>(LEFT)).map((row) => row.left)
  await until(async () => (await left()).length === 4)
  assert.deepEqual(await left(), ['kept 600', 'kept 600', 'kept 0', 'unparsed 0'])
})
