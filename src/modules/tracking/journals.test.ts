import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { freshDb } from '../../../test/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, statement } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { type JournalWatch, journalWatch } from './journals.ts'

const ROWS = statement('test_journal_rows', 'select id, pid from journal_node order by id')
const DEAD = statement(
  'test_dead',
  `insert into journal_node (id, folder_id, pid, clear_at)
   select gen_random_uuid(), folder_id, 2147483647, clear_at from journal_node`,
)

test('after an outage nothing is known before every process that is up has handed on its journal', async () => {
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
    })
  try {
    const a = watch('a')
    const b = watch('b')
    // A look writes and then reads the time: where a millisecond ends in between, the next look knows.
    const lookUntilKnown = async (...all: readonly JournalWatch[]): Promise<void> => {
      for (let tries = 0; tries < 5 && all.some((one) => one.knownSince() === null); tries++) {
        for (const one of all) await one.look()
      }
    }
    await lookUntilKnown(a)
    assert.notEqual(a.knownSince(), null, 'alone')
    await lookUntilKnown(b, a)
    const known = b.knownSince()
    assert.notEqual(known, null, 'both are clear')

    // An outage is longer than the millisecond to which times are told.
    await new Promise((resolve) => setTimeout(resolve, 5))
    // Both saw the database away; a has a journal that it has not handed on yet.
    waits.add('a')
    for (const one of [a, b]) one.doubt()
    for (let i = 0; i < 3; i++) {
      await a.look()
      await b.look()
      assert.deepEqual([a.knownSince(), b.knownSince()], [null, null], 'a still holds something')
    }
    waits.delete('a')
    await lookUntilKnown(a, b)
    assert.ok((b.knownSince() ?? 0) > (known ?? 0), 'what was claimed before must be asked again')

    // The process of a is killed and comes back in its folder: the dead row costs no wait.
    await database.system.execute(DEAD, [])
    const again = watch('a')
    await again.look()
    await b.look()
    await a.look()
    await again.look()
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
