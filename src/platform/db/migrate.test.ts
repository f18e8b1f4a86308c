import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { emptyDb, freshDb } from '../../../test/world/database.ts'
import { migrate } from './migrate.ts'

async function folderOf(files: Record<string, string>): Promise<{ folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-migrate-'))
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

async function rowsOf(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

const GROUND = `do $$ begin create role posthorn_owner nologin; exception when duplicate_object then null; end $$;
  do $$ begin create role posthorn_system nologin; exception when duplicate_object then null; end $$;
  create schema posthorn authorization posthorn_owner;`

test('a second run applies nothing', async () => {
  await using db = await freshDb()
  assert.deepEqual(await migrate(db.url), [])
})

test('eight runs at once apply each file once', async () => {
  await using db = await emptyDb()
  await using files = await folderOf({ '0001-ground.sql': GROUND, '0002-two.sql': 'create table two ()' })
  const runs = await Promise.all(Array.from({ length: 8 }, () => migrate(db.url, { folder: files.folder })))
  assert.deepEqual(runs.flat(), ['0001-ground', '0002-two'])
})

test('a new instance is one word in the log; an upgrade names each file', async () => {
  await using db = await emptyDb()
  const first = { '0001-ground.sql': GROUND, '0002-two.sql': 'create table two ()' }
  await using release = await folderOf(first)
  await using later = await folderOf({ ...first, '0003-three.sql': 'create table three ()' })
  const told: string[] = []
  const words = { onFile: (name: string) => void told.push(name), onCreated: () => void told.push('created') }
  for (const { folder } of [release, later, later]) await migrate(db.url, { folder, ...words })
  assert.deepEqual(told, ['created', '0003-three'])
})

test('a run that waits for another says so, continues after it, and ends when it is asked to', async () => {
  await using db = await freshDb()
  const other = new pg.Client({ connectionString: db.url })
  await other.connect()
  try {
    await other.query('select pg_advisory_lock(7461839)')
    const stopping = new AbortController()
    const asked = migrate(db.url, { onWait: () => stopping.abort(new Error('SIGTERM')), signal: stopping.signal })
    await assert.rejects(asked, /SIGTERM/)
    const onWait = (): void => void other.query('select pg_advisory_unlock(7461839)')
    assert.deepEqual(await migrate(db.url, { onWait }), [])
  } finally {
    await other.end()
  }
})

test('a failing file leaves nothing behind, says where it failed, and is tried again', async () => {
  await using db = await emptyDb()
  await using files = await folderOf({
    '0001-ground.sql': GROUND,
    '0002-two.sql': 'create table two ();\nselect nonsense',
  })
  await assert.rejects(migrate(db.url, { folder: files.folder }), /0002-two\.sql:2: column "nonsense" does not exist/)
  assert.deepEqual(await rowsOf(db.url, `select to_regclass('posthorn.two') as two`), [{ two: null }])
  await writeFile(path.join(files.folder, '0002-two.sql'), 'create table two ()')
  assert.deepEqual(await migrate(db.url, { folder: files.folder }), ['0002-two'])
})

test('a changed file, a database of a newer release, and an inserted file are refused', async () => {
  await using db = await emptyDb()
  await using files = await folderOf({ '0001-ground.sql': GROUND, '0002-two.sql': 'create table two ()' })
  await migrate(db.url, { folder: files.folder })
  await using changed = await folderOf({ '0001-ground.sql': GROUND, '0002-two.sql': 'create table two (a int)' })
  await assert.rejects(migrate(db.url, { folder: changed.folder }), /0002-two was applied with another text/)
  await using older = await folderOf({ '0001-ground.sql': GROUND })
  await assert.rejects(migrate(db.url, { folder: older.folder }), /newer release \(0002-two\)/)
})

test('a file that waits for a table lets others use it meanwhile', async () => {
  await using db = await emptyDb()
  const ground = { '0001-ground.sql': GROUND, '0002-two.sql': 'create table two ()' }
  await using before = await folderOf(ground)
  await migrate(db.url, { folder: before.folder })
  await using after = await folderOf({ ...ground, '0003-more.sql': 'alter table two add column a int' })
  const dump = new pg.Client({ connectionString: db.url, application_name: 'dump' })
  await dump.connect()
  await dump.query('begin; lock table posthorn.two in access share mode')
  const told: string[] = []
  const migrated = migrate(db.url, {
    folder: after.folder,
    onInUse: (name, by) =>
      void told.push(`${name} ${by?.application}, ${typeof by?.pid}, ${by?.since instanceof Date}`),
  })
  const waits = `select 1 from pg_locks where relation = 'posthorn.two'::regclass and not granted`
  while ((await rowsOf(db.url, waits)).length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  assert.deepEqual(await rowsOf(db.url, 'select * from posthorn.two'), [])
  for (let waited = 0; told.length === 0; waited++) {
    assert.ok(waited < 1_000)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.deepEqual(told, ['0003-more dump, number, true'])
  await dump.end()
  assert.deepEqual(await migrated, ['0003-more'])
})

test('a run ends between two files, and while it waits for a table, when it is asked to; the next one continues', async () => {
  await using db = await emptyDb()
  const two = { '0001-ground.sql': GROUND, '0002-two.sql': 'create table two ()' }
  await using before = await folderOf(two)
  await migrate(db.url, { folder: before.folder })
  const more = { '0003-three.sql': 'create table three ()', '0004-more.sql': 'alter table two add column a int' }
  await using after = await folderOf({ ...two, ...more, '0005-five.sql': 'create table five ()' })
  const other = new pg.Client({ connectionString: db.url })
  await other.connect()
  await other.query('begin; lock table posthorn.two in access share mode')
  const run = (when: 'onFile' | 'onInUse'): Promise<readonly string[]> => {
    const stopping = new AbortController()
    const options = { folder: after.folder, signal: stopping.signal }
    return migrate(db.url, { ...options, [when]: () => stopping.abort(new Error('SIGINT')) })
  }
  const done = async (): Promise<unknown> => {
    const [row] = (await rowsOf(db.url, 'select max(name) as last from posthorn.migration')) as { last: string }[]
    return row?.last
  }
  await assert.rejects(run('onFile'), /SIGINT/)
  assert.equal(await done(), '0002-two')
  await assert.rejects(run('onInUse'), /SIGINT/)
  await other.end()
  assert.equal(await done(), '0003-three')
  assert.deepEqual(await migrate(db.url, { folder: after.folder }), ['0004-more', '0005-five'])
})

test('a number used twice and a file with its own transaction are refused', async () => {
  await using gap = await folderOf({ '0001-ground.sql': GROUND, '0001-again.sql': '' })
  await assert.rejects(migrate('', { folder: gap.folder }), /a number of its own/)
  await using own = await folderOf({ '0001-ground.sql': 'begin; select 1; commit;' })
  await assert.rejects(migrate('', { folder: own.folder }), /handles transactions itself/)
})

test('every migration but the first runs as the owner, a role that cannot log in', async () => {
  await using db = await freshDb()
  const owners = await rowsOf(
    db.url,
    `select distinct relowner::regrole::text as owner from pg_class where relnamespace = 'posthorn'::regnamespace`,
  )
  assert.deepEqual(owners, [{ owner: 'posthorn_owner' }])
  assert.deepEqual(
    await rowsOf(db.url, `select rolname from pg_roles where rolname like 'posthorn\\_%' and rolcanlogin`),
    [],
  )
})

test('a user needs no more than to have created the roles, on a server where that does not let it become them', async () => {
  await using db = await emptyDb()
  const user = `migrating_${db.name}`
  const admin = new pg.Client({ connectionString: db.url })
  await admin.connect()
  try {
    const [{ version }] = (await admin.query(`select current_setting('server_version_num')::int as version`)).rows
    const half = version < 160_000 ? 'with admin option' : 'with admin true, inherit false, set false'
    await admin.query(`create role ${user} login`)
    await admin.query(`alter database ${pg.escapeIdentifier(db.name)} owner to ${user}`)
    const own = db.url.replace(/\/\/[^@]*@/, `//${user}@`)
    await assert.rejects(migrate(own), {
      message: /posthorn_owner"; let the user create roles, or create posthorn_owner, /,
    })
    await admin.query(`grant posthorn_owner, posthorn_system, posthorn_tenant to ${user} ${half}`)
    assert.ok((await migrate(own)).length > 50)
    assert.deepEqual(await migrate(own), [])
  } finally {
    await admin.query(`alter database ${pg.escapeIdentifier(db.name)} owner to current_user`)
    await admin.query(`drop owned by ${user}; drop role ${user}`)
    await admin.end()
  }
})
