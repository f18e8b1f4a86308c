// A process of the previous release beside a database that was migrated further: it keeps working until it is stopped, and a
// new process of that release is refused (migrate.ts). The later schema here is the present one with another column in every
// table and another table, which is what a migration may do while the old release works.

import assert from 'node:assert/strict'
import { cp, glob, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { migrate } from '../src/platform/db/migrate.ts'
import type { Statement } from '../src/platform/db.ts'
import { freshDb } from './world/database.ts'
import { startReceiver } from './world/receiver.ts'
import { plain, smtpSession } from './world/submission.ts'
import { webhookReceiver } from './world/webhook-receiver.ts'
import { startWorld, type World } from './world/world.ts'

const ROOT = path.join(import.meta.dirname, '..')
const LATER = `
  do $$ declare t regclass; begin
    for t in select c.oid from pg_class c where relnamespace = 'posthorn'::regnamespace and relkind in ('r', 'p') and not relispartition
    loop execute format('alter table %s add column fact_of_a_later_release text default ''none''', t); end loop;
  end $$;
  create table thing_of_a_later_release (id uuid primary key);`

/** The migrations of a later release. */
async function laterRelease(): Promise<{ readonly folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-later-'))
  await cp(path.join(ROOT, 'migrations'), folder, { recursive: true })
  await writeFile(path.join(folder, '9999-later.sql'), LATER)
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** These statements read no columns, and `prepare` does not accept them. */
const IS_PLANLESS = /^\s*(set|lock|listen|notify|begin|drop|create|alter|analyze|truncate) /i

async function allStatements(): Promise<readonly Statement[]> {
  const found = new Map<string, Statement>()
  for await (const file of glob('src/**/sql*.ts', { cwd: ROOT })) {
    for (const value of Object.values(await import(path.join(ROOT, file)))) {
      const { name, text } = (value ?? {}) as Partial<Statement>
      if (typeof name !== 'string' || typeof text !== 'string' || IS_PLANLESS.test(text)) continue
      found.set(name, { name, text })
    }
  }
  return [...found.values()]
}

test('no prepared statement is disturbed by what a later release adds to the tables', async () => {
  await using db = await freshDb()
  await using later = await laterRelease()
  const client = new pg.Client({ connectionString: db.url, options: '-c search_path=posthorn' })
  await client.connect()
  try {
    const statements = await allStatements()
    assert.ok(statements.length > 300, `${statements.length} statements are seen`)
    for (const { name, text } of statements) await client.query(`prepare ${pg.escapeIdentifier(name)} as ${text}`)
    assert.deepEqual(await migrate(db.url, { folder: later.folder }), ['9999-later'])
    const { rows } = await client.query(
      'select name, cardinality(parameter_types) as takes from pg_prepared_statements',
    )
    const minded: string[] = []
    for (const { name, takes } of rows) {
      const values = takes === 0 ? '' : `(${Array.from({ length: takes }, () => 'null').join(', ')})`
      await client
        .query(`explain execute ${pg.escapeIdentifier(name)}${values}`)
        .catch(({ message }: Error) => minded.push(`${name}: ${message}`))
    }
    assert.deepEqual(minded, [])
  } finally {
    await client.end()
  }
})

/** @returns whether it was accepted; what is refused temporarily, as during a migration, has to be handed in again */
async function submit(world: World, to: string): Promise<boolean> {
  const smtp = await smtpSession(world.submissionPorts.implicitTls[0] ?? 0, { secure: true })
  try {
    const login = `AUTH PLAIN ${plain('apikey', world.account.apiKey)}`
    for (const line of ['EHLO client.test', login, 'MAIL FROM:<a@shop.example>', `RCPT TO:<${to}>`, 'DATA']) {
      const said = await smtp.ask(line)
      assert.match(said, /^[234]/, line)
      if (said.startsWith('4')) return false
    }
    const head = `From: a@shop.example\r\nTo: ${to}\r\nSubject: s\r\nX-Idempotency-Key: ${to}\r\n`
    const said = await smtp.ask(`${head}\r\ntext\r\n.`)
    assert.match(said, /^(250|451) /)
    return said.startsWith('250')
  } finally {
    smtp.close()
  }
}

async function send(world: World, to: string): Promise<boolean> {
  const mail = { from: 'a@shop.example', to, subject: 's', text: 't' }
  const { status, body } = await world.api.post('/api/v1/send', mail, { 'idempotency-key': to })
  assert.ok(status === 202 || status === 503, JSON.stringify(body))
  return status === 202
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(60_000)
  while (!(await holds())) {
    if (deadline.aborted) throw new Error(`not within a minute: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('a process keeps working during and after a later migration: mail comes once by both doors, facts are told, lists answer', async () => {
  await using later = await laterRelease()
  await using mx = await startReceiver({
    rcpt: (to: string) => (to.startsWith('no') ? '550 5.1.1 no such user' : '250 ok'),
  })
  await using hook = await webhookReceiver()
  await using world = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  await world.verifiedDomain('shop.example')
  assert.equal((await world.api.post('/api/v1/customer/webhooks', { url: hook.url, events: ['*'] })).status, 201)
  const to: string[] = []
  const round = async (n: number): Promise<void> => {
    const [yes, no, submitted] = [`yes${n}@example.net`, `no${n}@example.net`, `smtp${n}@example.net`]
    for (const recipient of [yes, no]) await until(`${recipient} is taken`, () => send(world, recipient))
    await until(`${submitted} is taken`, () => submit(world, submitted))
    to.push(yes, no, submitted)
  }
  const listed = async (path: string): Promise<number> => {
    const { status, body } = await world.api.get(path)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.length
  }
  const settled = (rounds: number): Promise<void> =>
    until('every mail has come to its end, and is told', async () => {
      world.clock.advance(1_000)
      const bounces = await listed('/api/v1/customer/bounces?limit=100')
      const delivered = await listed('/api/v1/emails?limit=100&status=delivered')
      const told = hook.received.filter(({ body }) => /delivered|bounced/.test(body.event)).length
      return bounces >= rounds && delivered >= 2 * rounds && told >= 3 * rounds
    })
  for (let n = 0; n < 5; n++) await round(n)
  await settled(5)
  const migrated = migrate(world.rooms.store.adminUrl, { folder: later.folder })
  for (let n = 5; n < 10; n++) await round(n)
  assert.deepEqual(await migrated, ['9999-later'])
  for (let n = 10; n < 15; n++) await round(n)
  await settled(15)
  const came = mx.messages.flatMap(({ recipients }) => recipients).sort()
  assert.deepEqual(came, to.filter((one) => !one.startsWith('no')).sort())
  const ids = hook.received.map(({ body }) => body.event_id)
  assert.equal(new Set(ids).size, ids.length)
  await assert.rejects(
    migrate(world.rooms.store.adminUrl),
    /the database was migrated by a newer release \(9999-later\)/,
  )
})
