import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, type Database, type Db, statement } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { type JournalWatch, journalWatch } from './journals.ts'

const ROWS = statement('test_journal_rows', 'select id, pid from journal_node order by id')
const FOLDERS = statement('test_journal_folders', 'select folder_id from journal_node order by id')
const DEAD = statement(
  'test_dead',
  `insert into journal_node (id, folder_id, pid, clear_at)
   select gen_random_uuid(), folder_id, 2147483647, clear_at from journal_node`,
)
const CLAIMS = statement('test_journal_claims', 'select clear_at, seen_at from journal_node')
const AHEAD = statement(
  'test_journal_ahead',
  "update journal_node set clear_at = clock_timestamp() + interval '1 hour', seen_at = clock_timestamp() + interval '1 hour'",
)
const AGE = statement(
  'test_journal_age',
  `update journal_node set clear_at = clear_at - $1::interval, seen_at = seen_at - $2::interval where clear_at =
     (select min(clear_at) from journal_node)`,
)

test('after an outage nothing is known until every running process has handed on its journal', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'journals-'))
  await using fresh = await freshDb()
  const database = connect({ url: fresh.url, onError: () => undefined })
  const clock = systemClock()
  const waits = new Set<string>()
  const watch = (name: string): JournalWatch =>
    journalWatch({
      database,
      clock,
      ids: systemIds(),
      folder: path.join(folder, name),
      waiting: () => waits.has(name),
      inherit: () => undefined,
    })
  try {
    const a = watch('a')
    const b = watch('b')
    const lookUntilKnown = async (...all: readonly JournalWatch[]): Promise<void> => {
      for (let tries = 0; tries < 50 && all.some((one) => one.knownSince() === null); tries++) {
        for (const one of all) await one.look()
      }
    }
    await lookUntilKnown(a)
    assert.notEqual(a.knownSince(), null, 'alone')
    await lookUntilKnown(b, a)
    const known = b.knownSince()
    assert.notEqual(known, null, 'both are clear')

    // An outage is longer than the resolution of the times, one millisecond.
    await new Promise((resolve) => setTimeout(resolve, 5))
    // Both saw the database down; a has a journal that it has not handed on yet.
    waits.add('a')
    for (const one of [a, b]) one.databaseWasAway()
    for (let i = 0; i < 3; i++) {
      await a.look()
      await b.look()
      assert.deepEqual([a.knownSince(), b.knownSince()], [null, null], 'a still holds something')
    }
    waits.delete('a')
    await lookUntilKnown(a, b)
    assert.ok((b.knownSince() ?? 0) > (known ?? 0), 'what was claimed before must be asked again')

    // The process of a is killed and restarts in its folder: the dead row causes no wait.
    await database.system.execute(DEAD, [])
    const again = watch('a')
    // The first look inherits the journal; the next follows a drain.
    await again.look()
    assert.equal(again.knownSince(), null)
    await lookUntilKnown(b, a, again)
    assert.notEqual(again.knownSince(), null)
    await Promise.all([a.leave(), b.leave(), again.leave()])
    assert.equal(
      (await database.system.query<{ pid: number }>(ROWS)).filter(({ pid }) => pid === process.pid).length,
      0,
    )
  } finally {
    await database.close()
    rmSync(folder, { recursive: true })
  }
})

test('the id of a folder that another process is writing is waited for, one that a crash cut short is written anew', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'journals-'))
  await using fresh = await freshDb()
  const database = connect({ url: fresh.url, onError: () => undefined })
  const ids = systemIds()
  const parts = { ...{ database, clock: systemClock(), ids, folder }, waiting: () => false, inherit: () => undefined }
  const file = path.join(folder, 'id')
  const kept = ids.next()
  writeFileSync(file, '')
  setTimeout(() => writeFileSync(file, kept), 120)
  try {
    await journalWatch(parts).look()
    assert.deepEqual(await database.system.query(FOLDERS), [{ folder_id: kept }])
    assert.equal(readFileSync(file, 'utf8'), kept)
    writeFileSync(file, kept.slice(0, 8))
    await journalWatch(parts).look()
    const [, anew] = await database.system.query<{ folder_id: string }>(FOLDERS)
    assert.equal(readFileSync(file, 'utf8'), anew?.folder_id)
  } finally {
    await database.close()
    rmSync(folder, { recursive: true })
  }
})

describe('two processes', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'journals-'))
  after(() => rmSync(folder, { recursive: true }))

  /** `waiting` says whether `a` holds something; `b` waits for running processes. */
  const two = async (
    waiting: () => boolean,
    work: (a: JournalWatch, b: JournalWatch, database: Database) => Promise<void>,
    silentMs = 3_600_000,
  ): Promise<void> => {
    await using fresh = await freshDb()
    const database = connect({ url: fresh.url, onError: () => undefined })
    const parts = { database, clock: systemClock(), ids: systemIds(), inherit: () => undefined, silentMs }
    const a = journalWatch({ ...parts, folder: path.join(folder, 'a'), waiting })
    const b = journalWatch({ ...parts, folder: path.join(folder, 'b'), waiting: () => false })
    try {
      await work(a, b, database)
    } finally {
      await database.close()
    }
  }

  test('a new process that holds something is waited for while it says that it is handing on', async () => {
    let holds = true
    await two(
      () => holds,
      async (a, b, database) => {
        await a.busy()
        // However long b waits, a has just said that it is running.
        await database.system.execute(AGE, ['0', '-2 seconds'])
        for (const until = performance.now() + 300; performance.now() < until; ) await b.look()
        assert.equal(b.knownSince(), null, 'a is up')
        holds = false
        while (b.knownSince() === null) {
          await a.look()
          await b.look()
        }
      },
      100,
    )
  })

  test('a silent process is not waited for', async () => {
    await two(
      () => true,
      async (a, b, database) => {
        await a.busy()
        await database.system.execute(AGE, ['0', '1 hour'])
        while (b.knownSince() === null) await b.look()
        const known = b.knownSince()
        await b.look()
        assert.equal(b.knownSince(), known, 'nor a second time')
      },
      100,
    )
  })

  test('a process that stops claiming may hold something that no other process noticed', async () => {
    await two(
      () => false,
      async (a, b, database) => {
        await a.look()
        while (b.knownSince() === null) {
          await a.look()
          await b.look()
        }
        await database.system.execute(AGE, ['10 seconds', '0'])
        await b.look()
        assert.equal(b.knownSince(), null)
        while (b.knownSince() === null) {
          await a.look()
          await b.look()
        }
      },
    )
  })

  test('claims from before the clock of the database was put back do not hide what a process holds', async () => {
    let holds = false
    await two(
      () => holds,
      async (a, b, database) => {
        const look = async (): Promise<void> => {
          await a.look()
          await b.look()
        }
        while (b.knownSince() === null) await look()
        holds = true
        // As an hour later, when the clock was an hour ahead.
        await database.system.execute(AHEAD, [])
        b.databaseWasAway()
        for (let i = 0; i < 3; i++) {
          await look()
          assert.equal(b.knownSince(), null, 'a holds something')
        }
        holds = false
        await database.system.execute(AHEAD, [])
        for (let tries = 0; tries < 50 && b.knownSince() === null; tries++) await look()
        assert.notEqual(b.knownSince(), null, 'nobody waits for the clock to come there again')
      },
    )
  })

  test('an outage that another part of the process meets during a look is not forgotten after it', async () => {
    await using fresh = await freshDb()
    const database = connect({ url: fresh.url, onError: () => undefined })
    let isMet = false
    const system: Db = {
      ...database.system,
      execute: (what, values) => {
        if (!isMet) watch.databaseWasAway()
        isMet = true
        return database.system.execute(what, values)
      },
    }
    const watch = journalWatch({
      ...{ database: { ...database, system }, clock: systemClock(), ids: systemIds() },
      ...{ folder: path.join(folder, 'met'), waiting: () => false, inherit: () => undefined },
    })
    try {
      await watch.look()
      assert.deepEqual([isMet, watch.knownSince()], [true, null])
      await watch.look()
      assert.notEqual(watch.knownSince(), null)
    } finally {
      await database.close()
    }
  })

  test('a claim covers only what was true when it was made', async () => {
    const answers = [false, true]
    await two(
      () => answers.shift() ?? true,
      async (a, _b, database) => {
        // The claim does not cover what came in while the database was asked.
        await a.look()
        assert.equal(a.knownSince(), null)
        const claims = await database.system.query<{ clear_at: Date }>(CLAIMS)
        assert.deepEqual(
          claims.filter(({ clear_at: at }) => at.getTime() > 0),
          [],
        )
      },
    )
  })
})
