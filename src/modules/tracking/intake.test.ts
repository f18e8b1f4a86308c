import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { freshDb } from '../../../test/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, type Database, statement } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { createLogger } from '../../platform/log.ts'
import { ensureEventPartitions } from '../events/index.ts'
import type { Hit } from './hits.ts'
import { type Intake, intakeOf } from './intake.ts'
import { ensureHitPartitions } from './partitions.ts'

const clock = systemClock()
const ids = systemIds()
const ACCOUNT = ids.next()
const NOWHERE = 'postgres://nobody@127.0.0.1:1/nothing'
const HITS = statement('test_hits', 'select id from hit')
const UNSUBSCRIBES = statement('test_unsubscribes', 'select email from unsubscribe')
const EVENTS = statement('test_events', 'select type from event')

function hit(some: Partial<Hit> = {}): Hit {
  return {
    id: ids.next(),
    kind: 'open',
    at: clock.now(),
    accountId: ACCOUNT,
    emailId: ids.next(),
    sandbox: false,
    head: false,
    userAgent: 'ü',
    ip: '127.0.0.1',
    linkIndex: null,
    url: null,
    hidden: false,
    recipient: null,
    ...some,
  }
}

function intake(database: Database, folder: string): Intake {
  const none = async (): Promise<ReadonlyMap<string, never>> => new Map<string, never>()
  const ledger = { facts: none, lock: none, byToken: async () => null, count: async () => undefined }
  return intakeOf({ database, clock, ids, log: createLogger('silent'), ledger, folder })
}

test('while the database is away hits and unsubscribes are kept on disk, and arrive once after it returns', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tracking-'))
  await using fresh = await freshDb()
  const away = connect({ url: NOWHERE, onError: () => undefined })
  const database = connect({ url: fresh.url, onError: () => undefined })
  await ensureHitPartitions(database.system, clock.now())
  await ensureEventPartitions(database.system, clock.now())
  try {
    const without = intake(away, path.join(folder, 'a'))
    const hits = Array.from({ length: 200 }, () => hit())
    const out = { kind: 'one_click', recipient: 'b@example.net' } as const
    await Promise.all([...hits, hit(out), hit(out)].map((each) => without.take(each)))
    assert.equal(without.journals.knownSince(), null, 'delivery must wait')
    await without.service.stop(AbortSignal.timeout(1_000))
    assert.equal(readdirSync(path.join(folder, 'a', 'hits')).length, 1)
    // A crash between the hand-over and the end of the file hands everything on again.
    cpSync(path.join(folder, 'a'), path.join(folder, 'b'), { recursive: true })

    for (const name of ['a', 'b']) {
      const back = intake(database, path.join(folder, name))
      await back.service.start()
      const since = clock.monotonicMs()
      const isLeft = (): boolean =>
        back.journals.knownSince() === null || readdirSync(path.join(folder, name, 'hits')).length > 0
      while (isLeft() && clock.monotonicMs() - since < 15_000) {
        await clock.sleep(20, AbortSignal.timeout(5_000))
      }
      assert.deepEqual(readdirSync(path.join(folder, name)), ['hits', 'id'])
      assert.deepEqual(readdirSync(path.join(folder, name, 'hits')), [])
      await back.service.stop(AbortSignal.timeout(1_000))
    }
    assert.equal((await database.system.query(HITS)).length, 202)
    assert.deepEqual(await database.system.query(UNSUBSCRIBES), [{ email: 'b@example.net' }])
    assert.equal((await database.system.query(EVENTS)).length, 1)
  } finally {
    await Promise.all([away.close(), database.close()])
    rmSync(folder, { recursive: true })
  }
})
