import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, type Database, statement } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { createLogger, type Logger } from '../../platform/log.ts'
import { ensureEventPartitions } from '../events/index.ts'
import { type Hit, hitOfLine, journalLine } from './hits.ts'
import { type Intake, intakeOf } from './intake.ts'
import { ensureHitPartitions } from './partitions.ts'

const clock = systemClock()
const ids = systemIds()
const ACCOUNT = ids.next()
const NOWHERE = 'postgres://nobody@127.0.0.1:1/nothing'
const HITS = statement('test_hits', 'select id from hit')
const UNSUBSCRIBES = statement('test_unsubscribes', 'select email from unsubscribe')
const EVENTS = statement('test_events', 'select type from event')
const DEAD_SIBLING = statement(
  'test_dead_sibling',
  `insert into journal_node (id, folder_id, pid, clear_at)
   select gen_random_uuid(), folder_id, 2147483647, clear_at from journal_node`,
)
const ROWS = statement('test_journal_rows', 'select id from journal_node')
const DEAD = statement('test_dead', 'select id from journal_node where pid = 2147483647')

function hit(some: Partial<Hit> = {}): Hit {
  return {
    id: ids.next(),
    kind: 'open',
    at: clock.now(),
    accountId: ACCOUNT,
    emailId: ids.next(),
    domainId: null,
    stream: 'transactional',
    sandbox: false,
    head: false,
    prefetch: false,
    userAgent: 'ü',
    ip: '127.0.0.1',
    linkIndex: null,
    url: null,
    hidden: false,
    recipient: null,
    ...some,
  }
}

function intake(database: Database, folder: string, log: Logger = createLogger('silent')): Intake {
  const none = async (): Promise<ReadonlyMap<string, never>> => new Map<string, never>()
  const ledger = { facts: none, lock: none, byToken: async () => null, count: async () => undefined }
  return intakeOf({ database, clock, ids, log, ledger, folder })
}

test('a journal line reads back as the same hit, whatever the hit contains', () => {
  const odd = '"\\ \u2028 \n\r\t ü 😀 \u0001'
  const hits = [
    hit(),
    hit({ kind: 'click', url: `https://a.test/?q=${odd}`, linkIndex: 7, hidden: true, userAgent: odd, ip: odd }),
    hit({
      kind: 'link',
      recipient: odd,
      domainId: ids.next(),
      stream: 'broadcast',
      sandbox: true,
      head: true,
      prefetch: true,
    }),
  ]
  for (const each of hits) {
    assert.doesNotMatch(journalLine(each), /\n/)
    assert.deepEqual(hitOfLine(journalLine(each)), each)
  }
})

test('while the database is down, hits and unsubscribes stay on disk, and arrive once after it returns', async () => {
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
    // After a crash between the hand-over and the deletion of the file, everything is handed on again.
    cpSync(path.join(folder, 'a'), path.join(folder, 'b'), { recursive: true })

    for (const name of ['a', 'b']) {
      const back = intake(database, path.join(folder, name))
      await back.service.start()
      const since = clock.monotonicMs()
      const isLeft = (): boolean =>
        back.journals.knownSince() === null || readdirSync(path.join(folder, name, 'hits')).length > 0
      while (isLeft() && clock.monotonicMs() - since < 60_000) {
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

test('hits that the disk does not take go to the database, and the log says so once', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tracking-'))
  await using fresh = await freshDb()
  const database = connect({ url: fresh.url, onError: () => undefined })
  await ensureHitPartitions(database.system, clock.now())
  await ensureEventPartitions(database.system, clock.now())
  const said: string[] = []
  const log = createLogger('error', null, { write: (line) => void said.push(JSON.parse(line).msg) })
  try {
    // No file can be made where a folder should be.
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, 'hits'), '')
    const taking = intake(database, folder, log)
    await taking.service.start()
    for (let i = 0; i < 20; i++) await taking.take(hit())
    assert.equal((await database.system.query(HITS)).length, 20)
    assert.deepEqual(said.toSorted(), [
      'hits could not be handed on',
      'the disk takes no hits, they go to the database',
    ])
    await taking.service.stop(AbortSignal.timeout(1_000))
  } finally {
    await database.close()
    rmSync(folder, { recursive: true })
  }
})

test('of hits that are refused together only the faulty one is lost, even if the database goes away meanwhile', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tracking-'))
  await using fresh = await freshDb()
  const database = connect({ url: fresh.url, onError: () => undefined })
  await ensureHitPartitions(database.system, clock.now())
  // The group, the first hit alone, and the second.
  const faults = ['22P02', '22P02', 'ECONNRESET']
  const transaction: Database['transaction'] = (work) => {
    const code = faults.shift()
    return code === undefined
      ? database.transaction(work)
      : Promise.reject(Object.assign(new Error('refused'), { code }))
  }
  const taking = intake({ ...database, transaction }, folder)
  try {
    const [faulty, good] = [hit(), hit()]
    await Promise.all([faulty, good].map((each) => taking.take(each)))
    await taking.service.start()
    for (let tries = 0; tries < 500 && (await database.system.query(HITS)).length === 0; tries++)
      await clock.sleep(20, AbortSignal.timeout(5_000))
    await taking.service.stop(AbortSignal.timeout(5_000))
    assert.ok((await database.system.query<{ id: string }>(HITS)).some(({ id }) => id === good.id))
  } finally {
    await database.close()
    rmSync(folder, { recursive: true })
  }
})

test('an unsubscribe that neither the database nor the disk takes is to be sent again', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tracking-'))
  const database = connect({ url: NOWHERE, onError: () => undefined })
  try {
    const file = path.join(folder, 'no-folder')
    writeFileSync(file, '')
    const out = hit({ kind: 'one_click', recipient: 'b@example.net' })
    await assert.rejects(intake(database, file).take(out), { status: 503, code: 'service_unavailable', retryAfter: 5 })
  } finally {
    await database.close()
    rmSync(folder, { recursive: true })
  }
})

test('a process that stops with unsubscribes in its journal leaves its row, and delivery waits for it', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tracking-'))
  await using fresh = await freshDb()
  const database = connect({ url: fresh.url, onError: () => undefined })
  const gone = (): Promise<never> => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
  const stopping = intake({ ...database, transaction: gone }, folder)
  try {
    await stopping.service.start()
    await stopping.take(hit({ kind: 'one_click', recipient: 'b@example.net' }))
    await stopping.service.stop(AbortSignal.timeout(1_000))
    assert.equal((await database.system.query(ROWS)).length, 1)
    const idle = intake(database, path.join(folder, 'idle'))
    await idle.service.start()
    await idle.service.stop(AbortSignal.timeout(1_000))
    assert.equal((await database.system.query(ROWS)).length, 1, 'one that has nothing leaves none')
  } finally {
    await database.close()
    rmSync(folder, { recursive: true })
  }
})

test('the journal of a dead process of the same folder is in the database before its row is deleted', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tracking-'))
  await using fresh = await freshDb()
  const away = connect({ url: NOWHERE, onError: () => undefined })
  const database = connect({ url: fresh.url, onError: () => undefined })
  await ensureHitPartitions(database.system, clock.now())
  await ensureEventPartitions(database.system, clock.now())
  const until = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> => {
    for (const since = clock.monotonicMs(); !(await isSo()); await clock.sleep(20, AbortSignal.timeout(5_000))) {
      if (clock.monotonicMs() - since > 60_000) throw new Error(`${what} did not come within a minute`)
    }
  }
  const living = intake(database, folder)
  try {
    await living.service.start()
    await until('a clear look', () => living.journals.knownSince() !== null)
    const dead = intake(away, folder)
    await dead.take(hit({ kind: 'one_click', recipient: 'gone@example.net' }))
    await dead.take(hit())
    await database.system.execute(DEAD_SIBLING)
    await until('the end of its row', async () => (await database.system.query(DEAD)).length === 0)
    assert.deepEqual(await database.system.query(UNSUBSCRIBES), [{ email: 'gone@example.net' }])
    await until('its hits', async () => (await database.system.query(HITS)).length === 2)
  } finally {
    await living.service.stop(AbortSignal.timeout(5_000))
    await Promise.all([away.close(), database.close()])
    rmSync(folder, { recursive: true })
  }
})
