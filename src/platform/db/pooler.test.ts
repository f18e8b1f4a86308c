// A pooler that drops the start-up options of connections, as PgBouncer does with ignore_startup_parameters = options.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import pg from 'pg'
import { emptyDb, freshDb } from '../../../test/world/database.ts'
import { connect, isUnavailable, statement } from '../db.ts'
import { migrate } from './migrate.ts'

const WHO = statement('test_who', 'select current_user as name')
const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
const REFUSED = /drops the start-up options/

test('a connection whose start-up options are dropped is not used: it would lack its role', async () => {
  await using db = await freshDb()
  await using way = await droppingWay(db.url)
  const heard: unknown[] = []
  const options = { admit: async () => undefined, onError: (error: unknown) => void heard.push(error) }
  const straight = connect({ url: db.url, ...options })
  assert.deepEqual(await straight.system.one(WHO), { name: 'posthorn_system' })
  await straight.close()
  const database = connect({ url: way.url, ...options })
  try {
    await assert.rejects(database.system.one(WHO), isUnavailable)
    await assert.rejects(
      database.tenant(ACCOUNT, (tenant) => tenant.one(WHO)),
      isUnavailable,
    )
    assert.equal(heard.length, 2)
    for (const error of heard) assert.match(String(error), REFUSED)
  } finally {
    await database.close()
  }
})

test('nothing is migrated through it, and no lock is left', async () => {
  await using db = await emptyDb()
  await using way = await droppingWay(db.url)
  await assert.rejects(migrate(way.url), REFUSED)
  const client = new pg.Client({ connectionString: db.url })
  await client.connect()
  const { rows } = await client.query(
    `select to_regclass('posthorn.migration') as begun,
       (select count(*)::int from pg_locks l join pg_database d on d.oid = l.database
        where l.locktype = 'advisory' and d.datname = current_database()) as locks`,
  )
  await client.end()
  assert.deepEqual(rows, [{ begun: null, locks: 0 }])
})

interface DroppingWay extends AsyncDisposable {
  readonly url: string
}

async function droppingWay(url: string): Promise<DroppingWay> {
  const { host, port, user, password, database } = new pg.Client({ connectionString: url })
  const sockets = new Set<net.Socket>()
  const server = net.createServer((near) => {
    const far = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    // The driver sends it in one packet and waits for the answer.
    near.once('data', (start) => {
      far.write(withoutOptions(start))
      near.pipe(far)
    })
    far.pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const login = `${encodeURIComponent(user ?? '')}${password ? `:${encodeURIComponent(password)}` : ''}`
  return {
    url: `postgresql://${login}@127.0.0.1:${(server.address() as net.AddressInfo).port}/${database}`,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** The start-up message: its length, the protocol version, then names and values, each followed by a zero. */
function withoutOptions(start: Buffer): Buffer {
  const words = start.toString('utf8', 8).split('\0')
  const at = words.findIndex((word, i) => i % 2 === 0 && word === 'options')
  const rest = Buffer.from(words.toSpliced(at, at < 0 ? 0 : 2).join('\0'))
  const head = Buffer.from(start.subarray(0, 8))
  head.writeUInt32BE(head.length + rest.length)
  return Buffer.concat([head, rest])
}
