import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { emptyDb, freshDb, type TestDatabase } from '../../test/world/database.ts'
import { inTimeZone } from '../../test/world/time-zone.ts'
import { migrate } from './db/migrate.ts'
import { connect, type Database, isUnavailable, statement } from './db.ts'

const MAKE = statement('test_make', 'create table if not exists posthorn.kept (n int primary key)')
const ADD = statement('test_add', 'insert into kept (n) values ($1)')
const LIST = statement('test_list', 'select n from kept order by n')
const SLEEP = statement('test_sleep', 'select pg_sleep($1)')
const BACKEND = statement('test_backend', 'select pg_backend_pid() as pid')
const READ_ONLY = statement('test_read_only', 'set transaction read only')
const FIND = statement(
  'test_find',
  'select 1 from generate_series(1, 1000) n where n = $1 and ($2::int is null or n = $2)',
)
const PLANS = statement('test_plans', 'select generic_plans, custom_plans from pg_prepared_statements where name = $1')
const LISTENING = statement(
  'test_listening',
  `select pid from pg_stat_activity where datname = current_database() and application_name = 'posthorn_listen' order by pid`,
)
const ONE = statement('test_one', 'select 1 as one')
const DAYS = statement('test_days', 'select $1::date as late, $2::date as early, $3::date[]::text as both')
const OTHER_DEFAULTS = [
  ['timezone', 'Asia/Tokyo'],
  ['datestyle', 'German, DMY'],
  ['bytea_output', 'escape'],
  ['default_transaction_isolation', 'repeatable read'],
  ['row_security', 'off'],
  ['statement_timeout', '1ms'],
  ['array_nulls', 'off'],
] as const
const ANSWER = statement(
  'test_answer',
  `select $1::text::timestamptz as at, $2::text::bytea as bytes, current_setting('transaction_isolation') as isolation,
     $3::text[] as list`,
)
const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
const OTHER = '01980000-0000-7000-8000-00000000000b'

let store: TestDatabase
let database: Database
before(async () => {
  store = await freshDb()
  database = connect({ url: store.url, maxConnections: 1, onError: () => undefined })
  const admin = new pg.Client({ connectionString: store.url })
  await admin.connect()
  await admin.query(MAKE.text)
  await admin.query('grant all on posthorn.kept to posthorn_system, posthorn_tenant')
  await admin.end()
})
after(async () => {
  await database.close()
  await store[Symbol.asyncDispose]()
})

const kept = async (): Promise<number[]> => (await database.system.query<{ n: number }>(LIST)).map(({ n }) => n)

test("a date's day is that of UTC, whatever the time zone of the machine", async () => {
  const late = new Date('2026-11-26T23:30:00Z')
  const early = new Date('2026-11-26T00:30:00Z')
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    await inTimeZone(zone, async () => {
      assert.notEqual(late.getDate(), early.getDate(), 'the zone is in effect')
      const days = await database.system.one(DAYS, [late, early, [late, early]])
      assert.deepEqual(days, { late: '2026-11-26', early: '2026-11-26', both: '{2026-11-26,2026-11-26}' }, zone)
    })
  }
})

test('work that continues after a failed transaction writes nothing, neither alone nor in the next one', async () => {
  const late = Promise.withResolvers<void>()
  const written = Promise.withResolvers<unknown>()
  const failed = database.transaction(async (db) => {
    const other = async (): Promise<void> => {
      await db.execute(ADD, [1])
      await late.promise
      await db.execute(ADD, [2])
    }
    const going = other()
    written.resolve(going.catch((error: unknown) => error))
    await Promise.all([going, db.execute(ADD, ['x'])])
  })
  await assert.rejects(failed, /invalid input syntax/)
  const next = database.transaction(async (db) => {
    late.resolve()
    const told = await written.promise
    await db.execute(ADD, [3])
    return told
  })
  assert.match(String(await next), /test_add came after its transaction/)
  assert.deepEqual(await kept(), [3])
})

test('posted statements are committed with the rest, and undone with the rest', async () => {
  const before = await kept()
  const told = await database.transaction(async (db, posting) => {
    assert.equal(await posting.execute(ADD, [101]), 0)
    await db.execute(ADD, [102])
    await posting.execute(ADD, [103])
    return 'done'
  })
  assert.equal(told, 'done')
  assert.deepEqual(await kept(), [...before, 101, 102, 103])
  const failed = database.transaction(async (db, posting) => {
    await db.execute(ADD, [104])
    await posting.execute(ADD, [101])
    await posting.execute(ADD, [105])
  })
  await assert.rejects(failed, { code: '23505' })
  const refused = database.transaction(async (_db, posting) => {
    await posting.execute(ADD, [106])
    throw new Error('no')
  })
  await assert.rejects(refused, /no/)
  assert.deepEqual(await kept(), [...before, 101, 102, 103])
})

test('a posted statement that the driver cannot encode undoes everything: the server never sees it', async () => {
  const before = await kept()
  const failed = database.transaction(async (_db, posting) => {
    await posting.execute(ADD, [107])
    await posting.execute(ADD, [
      {
        toPostgres: () => {
          throw new Error('cannot be written')
        },
      },
    ])
  })
  await assert.rejects(failed, /test_add has values that cannot be posted/)
  assert.deepEqual(await kept(), before)
})

test('a statement posted after its transaction is refused', async () => {
  const before = await kept()
  const late = Promise.withResolvers<void>()
  let going: Promise<unknown> = Promise.resolve()
  await database.transaction(async (_db, posting) => {
    going = late.promise.then(() => posting.execute(ADD, [108]))
  })
  late.resolve()
  await assert.rejects(going, /test_add came after its transaction/)
  assert.deepEqual(await kept(), before)
})

test('a transaction that the server rolled back does not succeed, even if the failure was ignored', async () => {
  const overlooked = database.transaction(async (db) => {
    await db.execute(ADD, [4])
    await db.execute(ADD, [4]).catch(() => undefined)
  })
  await assert.rejects(overlooked, /rolled back/)
  assert.ok(!(await kept()).includes(4))
})

test('what nobody waits for any more is broken off, in the server too; what is quick may end', {
  timeout: 20_000,
}, async () => {
  const gone = new AbortController()
  const long = database.reading(ACCOUNT, (db) => db.query(SLEEP, [60]), gone.signal)
  const admin = new pg.Client({ connectionString: store.url })
  await admin.connect()
  const untilSleepers = async (count: number): Promise<void> => {
    const sleeping = `select 1 from pg_stat_activity where state = 'active' and query = 'select pg_sleep($1)'`
    while ((await admin.query(sleeping)).rowCount !== count) await delay(50)
  }
  await untilSleepers(1)
  gone.abort()
  await assert.rejects(long, isUnavailable)
  await untilSleepers(0)
  await admin.end()
  await assert.rejects(
    database.reading(ACCOUNT, () => Promise.reject(new Error('it ran')), gone.signal),
    /nobody waits/,
  )
  const queued = new AbortController()
  const held = Promise.withResolvers<void>()
  const holding = database.tenant(ACCOUNT, () => held.promise)
  const waiting = database.reading(OTHER, () => Promise.reject(new Error('it ran')), queued.signal)
  while (database.pools().find(({ name }) => name === 'tenant')?.waiting !== 1) await delay(10)
  queued.abort()
  held.resolve()
  await assert.rejects(waiting, /nobody waits/)
  await holding
  const later = new AbortController()
  const quick = database.reading(
    ACCOUNT,
    async (db) => {
      later.abort()
      await db.query(SLEEP, [0.05])
      return db.one(ONE)
    },
    later.signal,
  )
  assert.deepEqual(await quick, { one: 1 })
})

test('a read-only transaction delivers its result before it ends, and can write nothing', async () => {
  const one = { name: 'tenant', open: 1, idle: 1, waiting: 0 }
  const tenants = (): object | undefined => database.pools().find(({ name }) => name === 'tenant')
  assert.deepEqual(await database.tenant(ACCOUNT, (db) => db.one(ONE)), { one: 1 })
  assert.deepEqual(tenants(), one)
  assert.deepEqual(await database.reading(ACCOUNT, (db) => db.one(ONE)), { one: 1 })
  assert.deepEqual(tenants(), { ...one, idle: 0 }, 'the end is on its way')
  assert.deepEqual(await database.reading(ACCOUNT, (db) => db.one(ONE)), { one: 1 }, 'and then the connection is free')
  await assert.rejects(
    database.reading(ACCOUNT, (db) => db.execute(ADD, [9])),
    /cannot execute INSERT in a read-only transaction/,
  )
  await assert.rejects(
    database.reading(ACCOUNT, () => Promise.reject(new Error('not that one'))),
    /not that one/,
  )
})

test('all socket errors of a lost database or machine count as unavailable, not as a wrong statement', () => {
  const said = (code: string): Error => Object.assign(new Error(code), { code })
  for (const code of ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'EAI_AGAIN', 'ECONNABORTED'])
    assert.ok(isUnavailable(said(code)), code)
  for (const code of ['ENOSPC', 'EMFILE', '23505', '42P01', 'ERR_INVALID_ARG_TYPE'])
    assert.ok(!isUnavailable(said(code)), code)
  assert.ok(
    isUnavailable(new Error('timeout expired')),
    'the driver, of a server that takes a connection and says nothing',
  )
})

test('a server that has become read-only counts as unavailable, and its connection is not used again', async () => {
  const [before] = await database.system.query<{ pid: number }>(BACKEND)
  const refused = database.transaction(async (db) => {
    await db.execute(READ_ONLY)
    await db.execute(ADD, [6])
  })
  await assert.rejects(refused, isUnavailable)
  const [then] = await database.system.query<{ pid: number }>(BACKEND)
  assert.notEqual(then?.pid, before?.pid)
})

test('a server that disappears silently is given up, and the next connection is used', async () => {
  const way = await stoppableWay(store.url)
  const gone = connect({ url: way.url, maxConnections: 2, answerWithinMs: 1_000, onError: () => undefined })
  try {
    await Promise.all([gone.system.one(SLEEP, [0.1]), gone.system.one(SLEEP, [0.1])])
    way.freeze()
    const heard = Promise.allSettled([gone.system.one(ONE), gone.transaction((db) => db.one(ONE))])
    for (const told of await heard) {
      assert.equal(told.status, 'rejected')
      assert.ok(told.status === 'rejected' && isUnavailable(told.reason), JSON.stringify(told))
    }
    assert.deepEqual(await gone.system.one(ONE), { one: 1 })
    assert.deepEqual(await gone.transaction((db) => db.one(ONE)), { one: 1 })
  } finally {
    way.close()
    await gone.close()
  }
})

test('when the server accepts no new connection either, waiting ones are given up long before the answer timeout', async () => {
  const way = await stoppableWay(store.url)
  const gone = connect({ url: way.url, silentAfterMs: 250, onError: () => undefined })
  try {
    await gone.listen('test', () => undefined)
    await Promise.all([gone.system.one(SLEEP, [0.1]), gone.system.one(SLEEP, [0.1])])
    way.freeze()
    way.shut()
    const began = performance.now()
    for (const told of await Promise.allSettled([gone.system.one(ONE), gone.transaction((db) => db.one(ONE))]))
      assert.ok(told.status === 'rejected' && isUnavailable(told.reason), JSON.stringify(told))
    assert.ok(performance.now() - began < 30_000, 'it was the minute of a late answer')
  } finally {
    way.close()
    await gone.close()
  }
})

test('a slow statement is waited for while its server is there', async () => {
  const patient = connect({ url: store.url, silentAfterMs: 50, onError: () => undefined })
  try {
    assert.equal((await patient.system.query(SLEEP, [1])).length, 1)
  } finally {
    await patient.close()
  }
  const way = await stoppableWay(store.url)
  const slow = connect({ url: way.url, silentAfterMs: 50, onError: () => undefined })
  try {
    assert.equal((await slow.system.query(SLEEP, [1])).length, 1)
  } finally {
    way.close()
    await slow.close()
  }
})

test('close does not wait for a server that has disappeared silently', async () => {
  const way = await stoppableWay(store.url)
  const gone = connect({ url: way.url, onError: () => undefined })
  try {
    await gone.listen('test', () => undefined)
    await gone.system.one(ONE)
    way.freeze()
    const waiting = gone.system.one(ONE).catch(() => null)
    await gone.close()
    way.close()
    await waiting
  } finally {
    way.close()
  }
})

test('a listening connection that ends long after its error does not take the next one with it', async () => {
  const { host, port, user, database: name } = new pg.Client({ connectionString: store.url })
  const server = net.createServer((near) => {
    const far = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host)
    for (const socket of [near, far]) socket.on('error', () => undefined)
    near.pipe(far)
    far.pipe(near, { end: false })
    far.once('close', () => setTimeout(() => near.destroy(), 1_500).unref())
    near.once('close', () => far.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as net.AddressInfo
  const listening = connect({ url: `postgresql://${user}@127.0.0.1:${own}/${name}`, onError: () => undefined })
  const admin = new pg.Client({ connectionString: store.url })
  await admin.connect()
  const backends = async (): Promise<number[]> =>
    (await database.system.query<{ pid: number }>(LISTENING)).map(({ pid }) => pid)
  try {
    await listening.listen('test', () => undefined)
    const [first] = await backends()
    await admin.query('select pg_terminate_backend($1)', [first])
    while (!(await backends()).some((pid) => pid !== first)) await delay(20)
    const after = await backends()
    await delay(2_500)
    assert.deepEqual(await backends(), after)
  } finally {
    await listening.close()
    await admin.end()
    server.close()
  }
})

/** A proxy to the database whose connections can be left hanging, as if the other end had lost power. */
async function stoppableWay(url: string) {
  const { host, port } = new pg.Client({ connectionString: url })
  const pairs = new Set<readonly [net.Socket, net.Socket]>()
  const server = net.createServer((near) => {
    const far = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host)
    for (const socket of [near, far]) socket.on('error', () => undefined)
    near.pipe(far)
    far.pipe(near)
    pairs.add([near, far])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as net.AddressInfo
  const { user, database: name } = new pg.Client({ connectionString: url })
  return {
    url: `postgresql://${user}@127.0.0.1:${own}/${name}`,
    freeze: (): void => {
      for (const [near, far] of pairs) {
        near.unpipe(far)
        far.unpipe(near)
        near.pause()
        far.destroy()
      }
    },
    /** Accepts no new connections. */
    shut: (): void => void server.close(),
    close: (): void => {
      server.close()
      for (const pair of pairs) for (const socket of pair) socket.destroy()
    },
  }
}

test("the API's queries as an account are planned for the actual values, however often they run", async () => {
  const account = '00000000-0000-7000-8000-000000000001'
  const plans = await database.tenant(account, async (db) => {
    for (let i = 0; i < 12; i++) await db.query(FIND, [i, null])
    return await db.one(PLANS, [FIND.name])
  })
  assert.deepEqual(plans, { generic_plans: 0, custom_plans: 12 })
})

test('what a server or database has by default does not change what statements mean and answers say', async () => {
  await using other = await emptyDb()
  const admin = new pg.Client({ connectionString: other.url })
  await admin.connect()
  try {
    for (const [setting, value] of OTHER_DEFAULTS) {
      await admin.query(`alter database ${pg.escapeIdentifier(other.name)} set ${setting} = ${pg.escapeLiteral(value)}`)
    }
  } finally {
    await admin.end()
  }
  assert.notDeepEqual(await migrate(other.url), [])
  const strange = connect({ url: other.url, maxConnections: 1, onError: () => undefined })
  try {
    const expected = {
      at: new Date('2026-11-26T23:30:00Z'),
      bytes: Buffer.from([0, 255]),
      isolation: 'read committed',
      list: [null, 'a'],
    }
    const asked = ['2026-11-26T23:30:00Z', '\\x00ff', [null, 'a']]
    assert.deepEqual(await strange.system.one(ANSWER, asked), expected)
    assert.deepEqual(await strange.tenant(ACCOUNT, (db) => db.one(ANSWER, asked)), expected)
  } finally {
    await strange.close()
  }
})
