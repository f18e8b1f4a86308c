// Two spellings of an address that differ only in case are one address, in any script. The lower case of a capital sigma
// depends on its place in the word; the identity of an address does not.

import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { migrate } from '../src/platform/db/migrate.ts'
import { emptyDb } from './world/database.ts'
import { startWorld } from './world/world.ts'

const SPELLINGS = ['νικοσ@cust.test', 'ΝΙΚΟΣ@cust.test', 'νικος@cust.test', 'Νικος@CUST.test']
const MIGRATION = '0067-letters-one-in-upper-case.sql'

test('an address unsubscribed in one spelling gets no mail in another, and is found by each', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  await world.verifiedDomain('shop.example')
  const LISTS = ['contacts', 'suppressions', 'unsubscribes'].map((name) => `/api/v1/customer/${name}`)
  for (const path of LISTS) {
    const answers: [number, string][] = []
    for (const email of SPELLINGS) {
      const { status, body } = await world.api.post(path, {
        email,
        ...(path.endsWith('contacts') && { double_opt_in: false }),
      })
      answers.push([status, body.data?.email ?? body.code])
    }
    const again = path.endsWith('contacts') ? [409, 'already_exists'] : [200, 'νικοσ@cust.test']
    assert.deepEqual(answers, [[201, 'νικοσ@cust.test'], again, again, again], path)
    for (const search of ['ικος', 'νικος@cust', 'νικοσ']) {
      const { total } = (await world.api.get(`${path}?search=${encodeURIComponent(search)}`)).body.pagination
      assert.equal(total, 1, `${path} ${search}`)
    }
  }
  for (const to of SPELLINGS) {
    const { status } = await world.api.post('/api/v1/send', { from: 'a@shop.example', to, subject: 's', text: 't' })
    assert.equal(status, 422, to)
  }
})

test('addresses stored in several case variants are merged and stay blocked', async () => {
  await using db = await emptyDb()
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-letters-'))
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const FOLDER = path.join(import.meta.dirname, '..', 'migrations')
  await cp(FOLDER, folder, { recursive: true, filter: (file) => path.basename(file) < MIGRATION || file === FOLDER })
  await migrate(db.url, { folder })
  const client = new pg.Client({ connectionString: db.url, options: '-c search_path=posthorn' })
  await client.connect()
  cleanup.defer(() => client.end())
  const rows = async (text: string): Promise<unknown[]> =>
    (await client.query({ text, rowMode: 'array' })).rows.map((row: unknown[]) => (row.length === 1 ? row[0] : row))
  await client.query('set role posthorn_system')
  const id = (n: number): string => `'0192f000-0000-7000-8000-00000000000${n}'`
  await client.query(`
    insert into unsubscribe (account_id, email, id, source, created_at) values
      (${id(1)}, 'νικος@cust.test', ${id(1)}, 'api', '2026-01-01'), (${id(1)}, 'νικοσ@cust.test', ${id(2)}, 'api', '2026-01-02'),
      (${id(2)}, 'νικος@cust.test', ${id(3)}, 'api', '2026-01-03'), (${id(2)}, 'straße@cust.test', ${id(4)}, 'api', '2026-01-03');
    insert into suppression (account_id, email, id, reason, source, created_at, expires_at) values
      (${id(1)}, 'νικος@cust.test', ${id(1)}, 1, 'api', '2026-01-01', '2026-02-01'),
      (${id(1)}, 'νικοσ@cust.test', ${id(2)}, 3, 'api', '2026-01-02', null);
    insert into contact (account_id, email, id, address, status, source, tags, double_opt_in, created_at, updated_at) values
      (${id(1)}, 'νικος@cust.test', ${id(1)}, 'νικος@cust.test', 'subscribed', 'api', '{}', true, '2026-01-01', '2026-01-01')`)
  assert.equal((await migrate(db.url))[0], MIGRATION.slice(0, -'.sql'.length))
  assert.deepEqual(await rows('select id::text, email from unsubscribe order by id'), [
    ['0192f000-0000-7000-8000-000000000001', 'νικοσ@cust.test'],
    ['0192f000-0000-7000-8000-000000000003', 'νικοσ@cust.test'],
    ['0192f000-0000-7000-8000-000000000004', 'straße@cust.test'],
  ])
  assert.deepEqual(await rows('select email, reason from suppression'), [['νικοσ@cust.test', 3]])
  assert.deepEqual(await rows('select email, address from contact'), [['νικοσ@cust.test', 'νικος@cust.test']])
})
