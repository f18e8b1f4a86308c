// Ctrl-C during a command, and the SIGTERM with which an assistant ends its MCP server: nothing is left behind.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import pg from 'pg'
import { systemClock } from '../src/platform/clock.ts'
import { createLogger } from '../src/platform/log.ts'
import { processesIn } from '../src/platform/postgres/processes.ts'
import { attachOrStart } from '../src/platform/postgres.ts'

const MAIN = path.join(import.meta.dirname, '..', 'src', 'main.ts')
const WITHIN_MS = 60_000
/** Held while a process migrates. */
const MIGRATION_LOCK = 7_461_839

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const clock = systemClock()
  const giveUpAt = clock.monotonicMs() + WITHIN_MS
  while (!(await holds())) {
    assert.ok(clock.monotonicMs() < giveUpAt, `not within ${WITHIN_MS} ms: ${what}`)
    await clock.sleep(10, AbortSignal.timeout(WITHIN_MS))
  }
}

test('an interrupted command stops the database that was started for it, and a backup removes what it has copied', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-interrupted-'))
  const [dataDir, target] = [path.join(folder, 'data'), path.join(folder, 'backup')]
  const cluster = path.join(dataDir, 'postgres')
  const others = Object.entries(process.env).filter(([name]) => !/^(?:POSTHORN_|DATABASE_URL$)/.test(name))
  const env = { ...Object.fromEntries(others), POSTHORN_DATA_DIR: dataDir, POSTHORN_API_KEY: 'ph_test_none' }
  const begin = (...words: string[]): ChildProcess =>
    spawn(process.execPath, [MAIN, ...words], { env, stdio: ['pipe', 'ignore', 'pipe'] })
  const interrupted = async (
    words: string[],
    signal: NodeJS.Signals,
    when: () => Promise<boolean>,
    isLast = true,
  ): Promise<void> => {
    const child = begin(...words)
    assert.ok(child.stderr !== null)
    const ended = Promise.all([text(child.stderr), once(child, 'exit')])
    await until(`${words[0]} is under way`, when)
    child.kill(signal)
    // As from a launcher that passes on what the terminal has told both.
    child.kill('SIGTERM')
    const [said, [code]] = await ended
    assert.deepEqual([code, said], [128 + os.constants.signals[signal], 'posthorn: interrupted\n'], words[0])
    if (isLast) assert.deepEqual(await processesIn(cluster), [], words[0])
  }
  const isUp = async (): Promise<boolean> => (await processesIn(cluster)).length > 6
  try {
    const [code] = await once(begin('migrate'), 'exit')
    assert.equal(code, 0)
    // Copying this takes seconds.
    await using large = await open(path.join(dataDir, 'large'), 'w')
    await large.truncate(2 * 1_073_741_824)
    const copied = (): Promise<string[]> => readdir(path.join(target, 'data')).catch(() => [])
    const isCopying = async (): Promise<boolean> => (await copied()).includes('large')
    await interrupted(['backup', target], 'SIGINT', isCopying)
    assert.deepEqual(await readdir(target), [])
    await interrupted(['mcp'], 'SIGTERM', isUp)
    await using held = await attachOrStart({ dataDir, log: createLogger('silent'), clock: systemClock() })
    const other = new pg.Client({ connectionString: held.url() })
    await other.connect()
    try {
      await other.query(`select pg_advisory_lock(${MIGRATION_LOCK})`)
      const isWaiting = async (): Promise<boolean> =>
        (await other.query(`select from pg_stat_activity where application_name = 'posthorn_migrate'`)).rowCount === 1
      await interrupted(['account', 'list'], 'SIGINT', isWaiting, false)
    } finally {
      await other.end()
    }
  } finally {
    for (const pid of await processesIn(cluster)) process.kill(pid, 'SIGKILL')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})
