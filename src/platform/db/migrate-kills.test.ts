// Kills a migration with -9: at a file's first statement, in its text, at its row in the list, and after the server has
// committed it but before anyone heard. The next run resumes, and the result is the complete schema.
//
// MIGRATION_KILLS=n: n kills instead of the few.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { emptyDb, freshDb } from '../../../test/world/database.ts'
import { databaseProxy, type Fault } from '../../../test/world/database-proxy.ts'
import { migrate } from './migrate.ts'

const KILLS = Number(process.env['MIGRATION_KILLS'] ?? 6)
const MIGRATE = `import { migrate } from ${JSON.stringify(path.join(import.meta.dirname, 'migrate.ts'))}
await migrate(process.env.TO)`

// The parts of a schema as text: tables with columns and rights, indexes, constraints, policies, functions, rows of the list.
const SHAPE = `
  select 'relation ' || c.relname || ' ' || c.relkind::text || ' ' || coalesce(c.relacl::text, '') || ' ' || c.relrowsecurity::text as what
    from pg_class c where c.relnamespace = 'posthorn'::regnamespace
  union all select 'column ' || attrelid::regclass || '.' || attname || ' ' || format_type(atttypid, atttypmod) || attnotnull::text
    from pg_attribute join pg_class c on c.oid = attrelid where c.relnamespace = 'posthorn'::regnamespace and attnum > 0
  union all select 'index ' || indexdef from pg_indexes where schemaname = 'posthorn'
  union all select 'constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid)
    from pg_constraint where connamespace = 'posthorn'::regnamespace
  union all select 'policy ' || tablename || ' ' || policyname || coalesce(qual, '') || coalesce(with_check, '')
    from pg_policies where schemaname = 'posthorn'
  union all select 'function ' || pg_get_functiondef(oid) || coalesce(proacl::text, '')
    from pg_proc where pronamespace = 'posthorn'::regnamespace
  union all select 'migration ' || name || ' ' || checksum from posthorn.migration
  order by 1`

async function shapeOf(url: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('set search_path = posthorn')
    return (await client.query<{ what: string }>(SHAPE)).rows.map(({ what }) => what)
  } finally {
    await client.end()
  }
}

/** Where a run is killed: at the `file`-th file that it applies, at this statement of it. */
interface Kill {
  readonly file: number
  readonly at: RegExp
  readonly fault: Fault | null
}

// The killed process has not sent the statement, has sent it, or the statement was done.
const KINDS: readonly Omit<Kill, 'file'>[] = [
  { at: /^begin; /, fault: null },
  { at: /create table|alter table|create function/, fault: null },
  { at: /^insert into posthorn\.migration/, fault: 'before' },
  { at: /^commit$/, fault: null },
  { at: /^commit$/, fault: 'after' },
]

test(`after ${KILLS} kills in the middle, the next run finishes the schema`, async () => {
  await using whole = await freshDb()
  await using db = await emptyDb()
  await using proxy = await databaseProxy(db.url)
  let child: ChildProcess | null = null
  for (let n = 0; n < KILLS; n++) {
    const kill: Kill = { file: 2 + (n % 4), ...(KINDS[n % KINDS.length] ?? { at: /^commit$/, fault: null }) }
    let files = 0
    let isKilled = false
    proxy.fault = ({ name }) => {
      if (name.startsWith('begin')) files++
      // The list is read in a transaction of its own.
      if (isKilled || files < kill.file || !kill.at.test(name)) return null
      isKilled = true
      child?.kill('SIGKILL')
      return kill.fault
    }
    child = spawn(process.execPath, ['--input-type=module', '-e', MIGRATE], {
      env: { ...process.env, TO: proxy.url },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    // The last runs may find everything done.
    assert.ok(signal === 'SIGKILL' || (n > 20 && code === 0), `${n}: ${code}`)
  }
  proxy.fault = () => null
  const finished = await migrate(db.url)
  assert.ok(finished.length > 0 || KILLS > 20)
  assert.deepEqual(await migrate(db.url), [])
  assert.deepEqual(await shapeOf(db.url), await shapeOf(whole.url))
})
