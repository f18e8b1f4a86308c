// Starts that fail: what is said, and how soon.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { systemClock } from '../clock.ts'
import { createLogger, type Fields } from '../log.ts'
import { attachOrStart, embeddedCluster } from '../postgres.ts'
import { binariesAt } from './binaries.ts'
import { ensureCluster, openLog } from './cluster.ts'
import { bringUp, type Surroundings } from './postmaster.ts'

const run = promisify(execFile)
const NEVER = new AbortController().signal

interface Place extends AsyncDisposable {
  readonly around: Surroundings
  readonly warnings: readonly Fields[]
}

/** A data directory with an empty cluster; without a script there is no server to run. Time passes only while somebody sleeps. */
async function place(script: string | null): Promise<Place> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-postmaster-'))
  await mkdir(path.join(dir, 'bin'))
  await mkdir(path.join(dir, 'postgres'))
  const binaries = binariesAt(dir, '1')
  for (const file of script === null ? [] : [binaries.postgres, binaries.initdb])
    await writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const wrap = (file: string, args: readonly string[]) => ({ file, args, identity: {} })
  const serverUser = { kind: 'self', binaries, home: dir, uid: null, wrap, initdb: [wrap] } as const
  const warnings: Fields[] = []
  let ms = 0
  const sleep = async (byMs: number): Promise<void> => {
    ms += byMs
    await systemClock().sleep(1, NEVER)
  }
  const clock = { ...systemClock(), monotonicMs: () => ms, sleep }
  const log = { ...createLogger('silent'), warn: (fields: Fields) => void warnings.push(fields) }
  const around = { serverUser, dataDir: dir, socketDir: dir, settings: {}, clock, log }
  return { around, warnings, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) }
}

test('a server that cannot be executed is reported at once, with the reason', async () => {
  await using absent = await place(null)
  const isTold = ({ message, cause }: Error): boolean =>
    message === 'PostgreSQL cannot be executed' && /spawn .*\/bin\/postgres ENOENT/.test(String(cause))
  await assert.rejects(bringUp(absent.around, NEVER), isTold)
  assert.deepEqual(absent.warnings, [])
})

test('a server that ends is started again for half a minute; the log says why, once', async () => {
  await using broken = await place('echo no room; exit 1')
  await assert.rejects(
    bringUp(broken.around, NEVER),
    /^Error: PostgreSQL does not start; its log ends with:\n.*no room$/s,
  )
  assert.deepEqual(broken.warnings, [{ why: 'no room' }])
})

test('what initdb said is told once, without its call', async () => {
  await using broken = await place('echo no room >&2; exit 1')
  await rm(path.join(broken.around.dataDir, 'postgres'), { recursive: true })
  await assert.rejects(
    ensureCluster(broken.around.serverUser, false),
    ({ message, cause }: Error) => message === 'initdb failed: no room' && cause === undefined,
  )
})

test('a long log that a full disk has no room to copy does not keep the server from starting', async () => {
  await using full = await place(null)
  const { dataDir } = full.around
  const file = path.join(dataDir, 'postgres.log')
  await writeFile(file, 'x'.repeat(9 * 1_048_576))
  // Nothing can be written to it.
  await symlink('/dev/full', `${file}.old`)
  const log = await openLog(dataDir)
  assert.equal((await log.stat()).size, 0)
  await log.close()
  assert.equal((await stat(`${file}.old`)).size, 9 * 1_048_576)
})

test('a cluster whose copy others may read is closed to them and starts', async () => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-postmaster-'))
  const options = { dataDir, log: createLogger('silent'), clock: systemClock(), settings: { fsync: 'off' } }
  try {
    await (await attachOrStart(options)).close()
    const cluster = await embeddedCluster(dataDir)
    await chmod(cluster, 0o755)
    await (await attachOrStart(options)).close()
    assert.equal((await stat(cluster)).mode & 0o777, 0o700)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('it starts where /dev/shm cannot be written', { skip: process.getuid?.() !== 0 }, async () => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-postmaster-'))
  const start = async (mount: string): Promise<string> => {
    const script = `
      const [, dataDir, here] = process.argv
      const [{ attachOrStart }, { systemClock }, { createLogger }, { default: pg }] = await Promise.all(
        ['../postgres.ts', '../clock.ts', '../log.ts', '../../../node_modules/pg/esm/index.mjs'].map((file) => import(here + '/' + file)),
      )
      const settings = { fsync: 'off' }
      const attached = await attachOrStart({ dataDir, log: createLogger('silent'), clock: systemClock(), settings })
      const client = new pg.Client({ connectionString: attached.url() })
      await client.connect()
      console.log((await client.query('show dynamic_shared_memory_type')).rows[0].dynamic_shared_memory_type)
      await client.end()
      await attached.close()
      process.exit()`
    const node = [process.execPath, '--input-type=module', '-e', script, dataDir, import.meta.dirname]
    const { stdout } = await run('unshare', ['--mount', 'sh', '-c', `${mount} && exec "$@"`, 'sh', ...node])
    return stdout.trim()
  }
  try {
    assert.equal(await start('mount -t tmpfs -o ro none /dev/shm'), 'sysv')
    assert.equal(await start('mount -t tmpfs -o mode=1777 none /dev/shm'), 'posix')
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
