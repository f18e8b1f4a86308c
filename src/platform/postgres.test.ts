import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { before, test } from 'node:test'
import pg from 'pg'
import { systemClock } from './clock.ts'
import { connect, isUnavailable, statement } from './db.ts'
import { createLogger } from './log.ts'
import { installedBinaries } from './postgres/binaries.ts'
import { boundLog } from './postgres/cluster.ts'
import { tryLock } from './postgres/lock.ts'
import { alive, processesIn, recordedPostmaster } from './postgres/processes.ts'
import type { UserKind } from './postgres/unprivileged.ts'
import { assertDurable, attachOrStart, type EmbeddedPostgres, embeddedPostgres } from './postgres.ts'

const ROOT = process.getuid?.() === 0
// A killed process loses nothing that it wrote, so these need not wait for the disk; `assertDurable` is tested separately.
const SMALL = { shared_buffers: '16MB', max_wal_size: '64MB', fsync: 'off' }
const STOP_MS = 10_000

interface Folder extends AsyncDisposable {
  readonly dir: string
}

/** A folder with mode 0700; processes that still run in a cluster below it are killed at the end. */
async function folder(): Promise<Folder> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-pg-'))
  const end = async (): Promise<void> => {
    for (const name of await readdir(dir, { recursive: true })) {
      if (!name.endsWith('postmaster.pid')) continue
      for (const pid of await processesIn(path.dirname(path.join(dir, name)))) process.kill(pid, 'SIGKILL')
    }
    await rm(dir, { recursive: true, force: true, maxRetries: 5 })
  }
  return { dir, [Symbol.asyncDispose]: end }
}

function service(
  dataDir: string,
  serverUser: UserKind = 'auto',
  settings: Record<string, string> = {},
): EmbeddedPostgres {
  const log = createLogger('silent')
  return embeddedPostgres({ dataDir, log, clock: systemClock(), settings: { ...SMALL, ...settings }, serverUser })
}

const attach = (dataDir: string) =>
  attachOrStart({ dataDir, log: createLogger('silent'), clock: systemClock(), settings: SMALL })

const stop = (running: EmbeddedPostgres): Promise<void> => running.stop(AbortSignal.timeout(STOP_MS))

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function until(what: string, holds: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  const clock = systemClock()
  const giveUpAt = clock.monotonicMs() + withinMs
  while (!(await holds())) {
    if (clock.monotonicMs() > giveUpAt) assert.fail(`not within ${withinMs} ms: ${what}`)
    await clock.sleep(20, AbortSignal.timeout(withinMs))
  }
}

const postmasters = async (dataDir: string): Promise<number[]> => {
  const found: number[] = []
  const all = await processesIn(path.join(dataDir, 'postgres'))
  for (const pid of all) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    // A child has its parent's command line until it sets its own title.
    const parent = / [A-Z] (\d+) /.exec(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))?.[1]
    if (command.includes('\0-D\0') && !all.includes(Number(parent))) found.push(pid)
  }
  return found
}

// A separate process that owns the database. It prints the connection string when ready, or why it is not.
const OWNER = `
const [root, dataDir] = process.argv.slice(1)
const { embeddedPostgres } = await import(root + '/postgres.ts')
const { systemClock } = await import(root + '/clock.ts')
const { createLogger } = await import(root + '/log.ts')
const settings = ${JSON.stringify(SMALL)}
const postgres = embeddedPostgres({ dataDir, log: createLogger('silent'), clock: systemClock(), settings })
process.on('SIGTERM', async () => { await postgres.stop(AbortSignal.timeout(${STOP_MS})); process.exit(0) })
try {
  await postgres.start()
  console.log('ready ' + postgres.url())
  setInterval(() => {}, 1000)
} catch (error) {
  console.log('refused ' + error.message)
  process.exit(1)
}`

interface Owner {
  readonly child: ChildProcess
  /** `ready <connection string>` or `refused <why>`. */
  readonly said: string
  kill(signal: NodeJS.Signals): Promise<void>
}

async function owner(dataDir: string, uid?: number): Promise<Owner> {
  const args = ['--input-type=module', '-e', OWNER, '--', import.meta.dirname, dataDir]
  const identity = uid === undefined ? {} : { uid, gid: uid }
  const child = spawn(process.execPath, args, { ...identity, stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  const said = await Promise.race([
    once(child.stdout, 'data').then(([data]) => String(data).trim()),
    exit.then(() => ''),
  ])
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    await exit
  }
  return { child, said, kill }
}

const urlOf = (one: Owner): string => {
  assert.match(one.said, /^ready /)
  return one.said.slice('ready '.length)
}

let namespaces = false
before(async () => {
  if (!ROOT) return
  const child = spawn('/usr/bin/unshare', ['--user', '--map-user=1000', '--map-group=1000', '--', '/bin/true'])
  const [code] = await once(child, 'exit').catch(() => [1])
  namespaces = code === 0
})

test('as root it starts in a namespace, below a folder that only root may enter', async (t) => {
  if (!ROOT || !namespaces) return t.skip('needs root and user namespaces')
  await using at = await folder()
  const running = service(path.join(at.dir, 'data'), 'namespace')
  await running.start()
  assert.deepEqual(await ask(running.url(), 'select current_user::text as me'), [{ me: 'posthorn' }])
  assert.equal((await stat(path.join(at.dir, 'data', 'postgres'))).uid, 0)
  await stop(running)
  assert.deepEqual(await postmasters(path.join(at.dir, 'data')), [])
})

test('as root it moves the cluster apart, with its rows, where namespaces are forbidden', async (t) => {
  if (!ROOT || !namespaces) return t.skip('needs root and user namespaces')
  await using at = await folder()
  const first = service(at.dir, 'namespace')
  await first.start()
  await ask(first.url(), 'create table kept as select 42 as answer')
  await stop(first)
  const apart = service(at.dir, 'apart')
  await apart.start()
  const home = (await readFile(path.join(at.dir, 'postgres.apart'), 'utf8')).trim().split('\n').at(-1) ?? ''
  t.after(() => rm(home, { recursive: true, force: true }))
  assert.match(home, /^\/var\/lib\/posthorn\/[0-9a-f]{16}$/)
  assert.deepEqual(await ask(apart.url(), 'select answer from kept'), [{ answer: 42 }])
  assert.equal((await stat(`/proc/${apart.pid()}`)).uid, 60_870)
  await stop(apart)
  // From then on the mark is followed, by commands as well.
  await using command = await attach(at.dir)
  assert.deepEqual(await ask(command.url(), 'select answer from kept'), [{ answer: 42 }])
})

test("an ordinary user starts it, and root uses the user's cluster", async (t) => {
  if (!ROOT) return t.skip('only root can become somebody else; the other tests run as an ordinary user already')
  const reachable = await stat(import.meta.dirname).then(async ({ mode }) => (mode & 0o005) === 0o005)
  if (!reachable) return t.skip('the checkout is in a folder that only root may enter')
  await using at = await folder()
  await chown(at.dir, 23_456, 23_456)
  const one = await owner(at.dir, 23_456)
  if (one.said === '') return t.skip('another user cannot read this checkout')
  await ask(urlOf(one), 'create table kept as select 42 as answer')
  await one.kill('SIGTERM')
  const running = service(at.dir)
  await running.start()
  assert.deepEqual(await ask(running.url(), 'select answer from kept'), [{ answer: 42 }])
  assert.equal((await stat(`/proc/${running.pid()}`)).uid, 23_456)
  await stop(running)
  const again = await owner(at.dir, 23_456)
  urlOf(again)
  await again.kill('SIGTERM')
})

test('after a kill -9 of its owner the running database is adopted with the settings of the new one, and stopped with it', async () => {
  await using at = await folder()
  const first = await owner(at.dir)
  await ask(urlOf(first), 'create table kept as select 42 as answer')
  // As an upgrade to another major version that is killed leaves it.
  const conf = path.join(at.dir, 'postgres', 'postgresql.conf')
  await writeFile(conf, 'default_transaction_read_only = on\n', { flag: 'a' })
  await ask(urlOf(first), 'select pg_reload_conf()')
  const before = await recordedPostmaster(path.join(at.dir, 'postgres'))
  await first.kill('SIGKILL')
  const second = service(at.dir)
  await second.start()
  assert.equal(second.pid(), before)
  assert.deepEqual(await ask(second.url(), 'delete from kept returning answer'), [{ answer: 42 }])
  await stop(second)
  assert.equal(await alive(before ?? 0), false)
})

test('of two owners that start at once on one data directory one runs, and the other names it', async () => {
  await using at = await folder()
  const both = await Promise.all([owner(at.dir), owner(at.dir)])
  await using _ended = {
    [Symbol.asyncDispose]: async () => void (await Promise.all(both.map((one) => one.kill('SIGKILL')))),
  }
  const ready = both.filter(({ said }) => said.startsWith('ready '))
  const refused = both.filter(({ said }) => said.startsWith('refused '))
  assert.equal(ready.length, 1)
  assert.equal(refused[0]?.said, `refused another Posthorn (process ${ready[0]?.child.pid}) is running on ${at.dir}`)
  assert.equal((await postmasters(at.dir)).length, 1)
  await ready[0]?.kill('SIGTERM')
  assert.deepEqual(await postmasters(at.dir), [])
})

test('ten kills of everything, each in a different way, lose no committed row and leave one postmaster', async () => {
  await using at = await folder()
  const cluster = path.join(at.dir, 'postgres')
  for (let round = 0; round < 10; round++) {
    const one = await owner(at.dir)
    const url = urlOf(one)
    assert.equal((await postmasters(at.dir)).length, 1)
    await ask(url, 'create table if not exists kept (round int primary key)')
    await ask(url, `insert into kept values (${round})`)
    const rows = await ask(url, 'select round from kept order by round')
    assert.equal(rows.length, round + 1, `round ${round}`)
    const all = await processesIn(cluster)
    const postmaster = await recordedPostmaster(cluster)
    // In turn: all at once; the owner and the postmaster, whose children linger; the owner alone, then the postmaster.
    const victims = round % 3 === 0 ? all : all.filter((pid) => pid === postmaster)
    const dead = one.kill('SIGKILL')
    if (round % 3 === 2) await dead
    for (const pid of victims) process.kill(pid, 'SIGKILL')
    await dead
  }
})

test('lock files with the pid of an unrelated process do not prevent the start', async () => {
  await using at = await folder()
  const first = service(at.dir)
  await first.start()
  const file = path.join(at.dir, 'postgres', 'postmaster.pid')
  const text = await readFile(file, 'utf8')
  await stop(first)
  await writeFile(file, text.replace(/^\d+/, String(process.pid)))
  await writeFile(path.join(at.dir, 'run', '.s.PGSQL.5432.lock'), text.replace(/^\d+/, String(process.pid)))
  const second = service(at.dir)
  await second.start()
  assert.notEqual(second.pid(), process.pid)
  await stop(second)
})

test('a database that is stopping when the next one starts is waited for', async () => {
  await using at = await folder()
  const first = await owner(at.dir)
  await ask(urlOf(first), 'create table kept as select g from generate_series(1, 200000) g')
  await first.kill('SIGKILL')
  process.kill((await recordedPostmaster(path.join(at.dir, 'postgres'))) ?? 0, 'SIGINT')
  const second = service(at.dir)
  await second.start()
  assert.deepEqual(await ask(second.url(), 'select count(*)::int as n from kept'), [{ n: 200_000 }])
  await stop(second)
})

test('a database that dies is started again', async () => {
  await using at = await folder()
  const running = service(at.dir)
  await running.start()
  const pid = running.pid() ?? 0
  process.kill(pid, 'SIGKILL')
  await until('a new postmaster', async () => running.pid() !== null && running.pid() !== pid)
  assert.deepEqual(await ask(running.url(), 'select 1 as one'), [{ one: 1 }])
  await stop(running)
})

test('a database that cannot be started again is one line of the log, until it can', async () => {
  await using place = await folder()
  const said: string[] = []
  const log = createLogger('error', null, { write: (line) => void said.push(JSON.parse(line).msg) })
  const running = embeddedPostgres({ dataDir: place.dir, log, clock: systemClock(), settings: SMALL })
  await running.start()
  try {
    // As on a read-only file system: the settings, which are written at each start, cannot be.
    const obstacle = path.join(place.dir, 'postgres', 'postgresql.conf.new')
    await mkdir(obstacle)
    process.kill(running.pid() ?? 0, 'SIGKILL')
    await until('a failed start', async () => said.includes('postgres does not start'))
    // Five tries take 1.5 s.
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    await rm(obstacle, { recursive: true })
    await until('a new postmaster', async () => running.pid() !== null)
    assert.deepEqual(said, ['postgres ended by itself, starting it again', 'postgres does not start'])
  } finally {
    await stop(running)
  }
})

test('a data directory with a long path gets a short socket of its own', async () => {
  await using at = await folder()
  const dataDir = path.join(at.dir, 'long'.repeat(30), 'data')
  const running = service(dataDir)
  await running.start()
  const socketDir = (await readFile(path.join(dataDir, 'postgres.socket'), 'utf8')).trim()
  assert.equal((await stat(socketDir)).mode & 0o777, 0o700)
  assert.deepEqual(await ask(running.url(), 'select 1 as one'), [{ one: 1 }])
  // A folder that others can enter is not used again: anyone who enters may log in.
  await stop(running)
  await chmod(socketDir, 0o755)
  const again = service(dataDir)
  await again.start()
  assert.notEqual((await readFile(path.join(dataDir, 'postgres.socket'), 'utf8')).trim(), socketDir)
  const used = (await readFile(path.join(dataDir, 'postgres.socket'), 'utf8')).trim()
  await stop(again)
  await Promise.all([socketDir, used].map((dir) => rm(dir, { recursive: true, force: true })))
})

test('commands share one database, which the last of them stops', async () => {
  await using at = await folder()
  const [one, two] = await Promise.all([attach(at.dir), attach(at.dir)])
  assert.equal((await postmasters(at.dir)).length, 1)
  await one.close()
  assert.deepEqual(await ask(two.url(), 'select 1 as one'), [{ one: 1 }])
  await two.close()
  assert.deepEqual(await postmasters(at.dir), [])
})

test('a command uses the database of a running service and leaves it running; a service takes over from a command', async () => {
  await using at = await folder()
  const command = await attach(at.dir)
  const running = service(at.dir)
  await running.start()
  await command.close()
  const later = await attach(at.dir)
  assert.equal(later.url(), running.url())
  await later.close()
  assert.deepEqual(await ask(running.url(), 'select 1 as one'), [{ one: 1 }])
  await stop(running)
  assert.deepEqual(await postmasters(at.dir), [])
})

test('a database that may lose a commit is refused, and ours is not', async () => {
  await using at = await folder()
  const ours = service(at.dir, 'auto', { fsync: 'on' })
  await ours.start()
  const client = new pg.Client({ connectionString: ours.url() })
  await client.connect()
  await assertDurable(client)
  await client.query('set synchronous_commit = off')
  await assert.rejects(assertDurable(client), /synchronous_commit is off/)
  await client.end()
  await stop(ours)

  const careless = service(at.dir, 'auto', { fsync: 'off', full_page_writes: 'off' })
  await careless.start()
  const other = new pg.Client({ connectionString: careless.url() })
  await other.connect()
  await assert.rejects(assertDurable(other), /fsync is off.*full_page_writes is off/)
  await other.end()
  await stop(careless)
})

test('a server that stops being durable gets no new connections, and is used again once it is fixed', async () => {
  await using at = await folder()
  const ours = service(at.dir, 'auto', { fsync: 'on' })
  await ours.start()
  const heard: unknown[] = []
  const onError = (error: unknown): void => void heard.push(error)
  const url = ours.url()
  await ask(url, 'create role posthorn_system')
  const database = connect({ url, admit: assertDurable, onError })
  const one = statement('test_one', 'select 1 as one')
  await ask(url, 'alter role posthorn set synchronous_commit = off')
  await assert.rejects(database.system.query(one), (error) => isUnavailable(error))
  assert.match(String(heard), /synchronous_commit is off: an accepted mail could be lost/)
  await ask(url, 'alter role posthorn reset synchronous_commit')
  assert.deepEqual(await database.system.query(one), [{ one: 1 }])
  await database.close()
  await stop(ours)
})

test('a server older than 15 is refused', async () => {
  const rows = ['fsync', 'synchronous_commit', 'full_page_writes'].map((name) => ({ name, setting: 'on' }))
  const old = [...rows, { name: 'server_version', setting: '14.9' }, { name: 'server_version_num', setting: '140009' }]
  await assert.rejects(assertDurable({ query: async () => ({ rows: old }) }), /it is PostgreSQL 14\.9; 15 or newer/)
})

test('it listens on no network port and logs no row values', async () => {
  await using at = await folder()
  const running = service(at.dir)
  await running.start()
  const [network] = await ask(running.url(), `select current_setting('listen_addresses') as addresses`)
  assert.deepEqual(network, { addresses: '' })
  await ask(running.url(), 'create table person (email text primary key)')
  await ask(running.url(), `insert into person values ('someone@secret.example')`)
  await assert.rejects(ask(running.url(), `insert into person values ('someone@secret.example')`))
  await stop(running)
  const text = await readFile(path.join(at.dir, 'postgres.log'), 'utf8')
  assert.match(text, /duplicate key/)
  assert.doesNotMatch(text, /secret\.example/)
})

test('the guide to a server of your own names every setting of network and paths', async () => {
  await using at = await folder()
  const running = service(at.dir)
  await running.start()
  await stop(running)
  const settings = (await readFile(path.join(at.dir, 'postgres', 'postgresql.conf'), 'utf8')).split('\n')
  const bound = settings.filter((line) => /^(?:listen_addresses|port) /.test(line) || /^[^#]*\//.test(line))
  const names = bound.map((line) => line.split(' ')[0] ?? '')
  assert.ok(names.includes('unix_socket_directories'), names.join())
  const docs = await readFile(path.join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  const [, steps = ''] = docs.split('**From the embedded one to it**')
  const [way = ''] = steps.split('\n## ')
  for (const name of names) assert.ok(way.includes(`\`${name}\``), `${name} is not told of`)
})

test('the log is bounded while it is written', async () => {
  await using at = await folder()
  const file = path.join(at.dir, 'postgres.log')
  const writer = await open(file, 'a')
  await writer.write('x'.repeat(9 * 1024 * 1024))
  await boundLog(at.dir)
  await writer.write('after')
  await writer.close()
  assert.equal(await readFile(file, 'utf8'), 'after')
  assert.equal((await stat(`${file}.old`)).size, 9 * 1024 * 1024)
})

test('the lock has one holder, even within one process, and ends with it', async () => {
  await using at = await folder()
  const file = path.join(at.dir, 'posthorn.lock')
  const first = tryLock(file)
  assert.equal(tryLock(file), null)
  first?.release()
  const second = tryLock(file)
  assert.notEqual(second, null)
  second?.release()
})

test('the remains of a crashed initdb are not taken for a cluster, and a foreign folder is left alone', async () => {
  await using at = await folder()
  await mkdir(path.join(at.dir, 'postgres.new', 'base'), { recursive: true })
  await writeFile(path.join(at.dir, 'postgres.new', 'PG_VERSION'), '18\n')
  const running = service(at.dir)
  await running.start()
  assert.deepEqual(await ask(running.url(), 'select 1 as one'), [{ one: 1 }])
  await stop(running)

  await using other = await folder()
  await mkdir(path.join(other.dir, 'postgres'))
  await writeFile(path.join(other.dir, 'postgres', 'precious'), '')
  await assert.rejects(service(other.dir).start(), /is not a PostgreSQL cluster; move it away/)
  assert.deepEqual(await readdir(path.join(other.dir, 'postgres')), ['precious'])
})

test('a cluster that cannot be read is not called a foreign folder, since it must not be moved away', async () => {
  await using at = await folder()
  await mkdir(path.join(at.dir, 'postgres', 'PG_VERSION'), { recursive: true })
  await assert.rejects(service(at.dir).start(), /postgres cannot be read .*: EISDIR/)
})

test('as root it starts apart without an earlier cluster, where namespaces are forbidden', async (t) => {
  if (!ROOT) return t.skip('needs root')
  await using at = await folder()
  const running = service(at.dir, 'apart')
  await running.start()
  const home = (await readFile(path.join(at.dir, 'postgres.apart'), 'utf8')).trim().split('\n').at(-1) ?? ''
  t.after(() => rm(home, { recursive: true, force: true }))
  assert.deepEqual(await ask(running.url(), 'select 1 as one'), [{ one: 1 }])
  await stop(running)
})

test("as root it starts apart below another user's folder that only that user may enter", async (t) => {
  if (!ROOT) return t.skip('needs root')
  await using at = await folder()
  await chown(at.dir, 54_321, 54_321)
  const running = service(path.join(at.dir, 'data'))
  await running.start()
  const home = (await readFile(path.join(at.dir, 'data', 'postgres.apart'), 'utf8')).trim().split('\n').at(-1) ?? ''
  t.after(() => rm(home, { recursive: true, force: true }))
  assert.deepEqual(await ask(running.url(), 'select 1 as one'), [{ one: 1 }])
  await stop(running)
})

test('several processes may complete the installed binaries at once', async () => {
  const found = await Promise.all([installedBinaries(), installedBinaries(), installedBinaries()])
  assert.equal(new Set(found.map(({ postgres }) => postgres)).size, 1)
})
