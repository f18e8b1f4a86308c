import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { emptyDb, freshDb, serverUrl, withDatabase } from '../../test/world/database.ts'
import { systemClock } from './clock.ts'
import { connect as connectDb } from './db.ts'
import { createLogger, type Logger } from './log.ts'
import { embeddedCluster } from './postgres.ts'
import { announceSecret, openSecrets } from './secrets/keys.ts'
import { attachBegun, attachStore, openStore } from './store.ts'

const NEVER = new AbortController().signal

/** The message with which a server refuses a connection for now. */
function refusal(state: string, text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${state}\0M${text}\0\0`)
  const head = Buffer.from('E0000')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** A proxy to the tests' server that refuses the given number of connections and then lets everybody in. */
async function slowServer(refusals: number): Promise<AsyncDisposable & { readonly url: string; asked: number }> {
  const own = await serverUrl()
  const { host, port, user } = new pg.Client({ connectionString: own })
  const where = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  const server = createServer((client) => {
    client.on('error', () => undefined)
    if (++door.asked <= refusals) {
      client.once('data', () => client.end(refusal('57P03', 'the database system is starting up')))
      return
    }
    const inside = connect(where)
    inside.on('error', () => client.destroy())
    client.on('close', () => inside.destroy())
    client.pipe(inside).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const door = {
    url: `postgresql://${user}@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`,
    asked: 0,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
  return door
}

/** Time passes only while somebody sleeps. */
function turnedClock() {
  let ms = 0
  const sleep = async (byMs: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted()
    ms += byMs
  }
  return { ...systemClock(), monotonicMs: () => ms, sleep }
}

function heard(): Logger & { readonly warnings: unknown[] } {
  const warnings: unknown[] = []
  return { ...createLogger('silent'), warnings, warn: (fields) => void warnings.push(fields['why']) }
}

async function open(databaseUrl: string, log = heard(), clock = turnedClock(), signal = NEVER): Promise<Error> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-store-'))
  try {
    const store = await openStore({ dataDir, databaseUrl, secretKey: null, log, clock }, signal)
    await store.close()
    throw new Error('it was opened')
  } catch (error) {
    return error as Error
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

// The tests' server does not fsync, so a connection that gets this far is refused for that.
const LET_IN = /^DATABASE_URL: .*fsync/

test('a server that is still starting is waited for, and the log says so now and then', async () => {
  await using server = await slowServer(50)
  const log = heard()
  const { message } = await open(server.url, log)
  assert.match(message, LET_IN)
  assert.equal(server.asked, 51)
  assert.deepEqual(log.warnings, Array(3).fill('DATABASE_URL: the database system is starting up'))
})

test('a server that does not come up, or does not exist, is given up after a minute', async () => {
  await using server = await slowServer(Number.POSITIVE_INFINITY)
  const { message } = await open(server.url)
  assert.equal(message, 'DATABASE_URL: the database system is starting up (waited for 60 s)')
  await server[Symbol.asyncDispose]()
  assert.match((await open(server.url)).message, /^DATABASE_URL: .*ECONNREFUSED.* \(waited for 60 s\)$/)
})

test("a server's refusal is reported at once", async () => {
  const log = heard()
  const own = await serverUrl()
  for (const [url, wanted] of [
    [withDatabase(own, 'no_such_database'), /^DATABASE_URL: database "no_such_database" does not exist$/],
    [own.replace(/\/\/\w+/, '//nobody_of_ours'), /^DATABASE_URL: role "nobody_of_ours" does not exist$/],
  ] as const)
    assert.match((await open(url, log)).message, wanted)
  assert.deepEqual(log.warnings, [])
})

test('a command on a database without an instance says so and creates none', async () => {
  await using empty = await emptyDb()
  await using begun = await freshDb()
  const options = { dataDir: '/dev/null/posthorn', secretKey: null, log: createLogger('silent'), clock: systemClock() }
  await assert.rejects(
    attachBegun({ ...options, databaseUrl: empty.url }, NEVER),
    /^Error: DATABASE_URL: there is no instance in this database; create one with posthorn start, /,
  )
  // Its folder is checked next, and cannot be created.
  await assert.rejects(attachBegun({ ...options, databaseUrl: begun.url }, NEVER), /POSTHORN_DATA_DIR: /)
  const client = new pg.Client({ connectionString: empty.url })
  await client.connect()
  const { rows } = await client.query(`select 1 from pg_namespace where nspname = 'posthorn'`)
  await client.end()
  assert.deepEqual(rows, [])
})

test('no secret is made when the database has one: the error asks for the lost one by name', async () => {
  await using db = await freshDb()
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-store-'))
  const database = connectDb({ url: db.url, onError: () => undefined })
  const file = path.join(dataDir, 'secret.key')
  try {
    await openSecrets(database, { dataDir, secretKey: null })
    const kept = await readFile(file)
    await rm(file)
    const missing = openSecrets(database, { dataDir, secretKey: null })
    await assert.rejects(missing, (error: Error) => error.message.startsWith(`${file} is missing, and this database`))
    assert.ok(!existsSync(file), 'none is made')
    await writeFile(file, kept)
    await openSecrets(database, { dataDir, secretKey: null })
  } finally {
    await database.close()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test("a secret that root makes in another user's folder belongs to that user", {
  skip: process.getuid?.() !== 0,
}, async () => {
  await using db = await freshDb()
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-store-'))
  const database = connectDb({ url: db.url, onError: () => undefined })
  const source = { dataDir, secretKey: null }
  const owner = async (): Promise<readonly number[]> => {
    const { uid, gid } = await stat(path.join(dataDir, 'secret.key'))
    return [uid, gid]
  }
  try {
    await chown(dataDir, 12_345, 12_346)
    await openSecrets(database, source)
    assert.deepEqual(await owner(), [12_345, 12_346])
    await announceSecret(database, source, null, new Date(0))
    assert.deepEqual(await owner(), [12_345, 12_346], 'and the one that a command of root puts in its place')
  } finally {
    await database.close()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('a refused command leaves no database running', async () => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-store-'))
  const options = { dataDir, databaseUrl: null, secretKey: null, log: createLogger('silent'), clock: systemClock() }
  try {
    const store = await attachStore(options, NEVER)
    const client = new pg.Client({ connectionString: store.adminUrl })
    await client.connect()
    await client.query("insert into posthorn.migration (name, checksum) values ('9999-later', 'x')")
    await client.end()
    await store.close()
    const lock = path.join(await embeddedCluster(dataDir), 'postmaster.pid')
    assert.ok(!existsSync(lock), 'the last to leave stops it')
    await assert.rejects(attachStore(options, NEVER), /migrated by a newer release \(9999-later\)/)
    assert.ok(!existsSync(lock), 'whatever made it leave')
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('a start that waits for an embedded database ends when a stop is requested, and leaves that database alone', async () => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-store-'))
  const options = { dataDir, databaseUrl: null, secretKey: null, log: createLogger('silent'), clock: systemClock() }
  try {
    const store = await attachStore(options, NEVER)
    const pid = Number.parseInt(await readFile(path.join(await embeddedCluster(dataDir), 'postmaster.pid'), 'utf8'), 10)
    process.kill(pid, 'SIGSTOP')
    const stopping = new AbortController()
    const opened = openStore(options, stopping.signal)
    stopping.abort(new Error('SIGTERM'))
    await assert.rejects(opened, { message: 'SIGTERM' })
    process.kill(pid, 'SIGCONT')
    await store.close()
    await (await openStore(options, NEVER)).close()
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('a wait ends when a stop is requested', async () => {
  await using server = await slowServer(Number.POSITIVE_INFINITY)
  const stopping = new AbortController()
  const log = { ...heard(), warn: () => stopping.abort(new Error('SIGTERM')) }
  assert.equal((await open(server.url, log, turnedClock(), stopping.signal)).message, 'SIGTERM')
})
