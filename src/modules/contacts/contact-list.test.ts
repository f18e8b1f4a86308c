import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { freshDb, type TestDatabase } from '../../../test/world/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, type Database, type Statement, statement } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { type ContactFilter, everyContact, listContacts } from './contacts.ts'
import * as sql from './sql.ts'

const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
const ALL: ContactFilter = { search: null, tag: null, status: null }
const STATUSES = ['pending_confirmation', 'subscribed', 'unsubscribed', 'bounced', 'complained'] as const

// A contact for each combination of what decides its status.
const FILL = statement(
  'test_fill_contacts',
  `with made as (
     select row_number() over () as n, stored, reason, ended, of_sandbox, left_list, complained, erased
     from unnest(array['pending_confirmation', 'subscribed']) stored, unnest(array[null, 1, 2, 3, 4, 5]) reason,
       unnest(array[false, true]) ended, unnest(array[false, true]) of_sandbox, unnest(array[false, true]) left_list,
       unnest(array[false, true]) complained, unnest(array[null, 0, 4]) erased),
   c as (insert into contact (id, account_id, email, address, status, source, tags, double_opt_in, created_at, updated_at)
     select gen_random_uuid(), $1, n || '@a.example', n || '@a.example', stored, 'api', '{}', false, now(), now() from made),
   s as (insert into suppression (account_id, email, sandbox, id, reason, source, expires_at, created_at)
     select $1, n || '@a.example', of_sandbox, gen_random_uuid(), reason, 'api',
       case when ended then now() - interval '1 day' else now() + interval '1 day' end, now()
     from made where reason is not null),
   u as (insert into unsubscribe (account_id, email, sandbox, id, source, created_at)
     select $1, n || '@a.example', of_sandbox, gen_random_uuid(), 'api', now() from made where left_list),
   p as (insert into past_refusal (account_id, email, reason, at)
     select $1, n || '@a.example', 'complaint', now() from made where complained),
   e as (insert into erased_address (account_id, address_key, id, reason, created_at)
     select $1, sha256((select salt from erasure_salt) || convert_to($1::text || ' ' || n || '@a.example', 'UTF8')), gen_random_uuid(),
       nullif(erased, 0), now() from made where erased is not null)
   select count(*)::int as contacts from made`,
)

const clock = systemClock()
let store: TestDatabase
let database: Database
let contacts = 0
before(async () => {
  store = await freshDb()
  database = connect({ url: store.url, maxConnections: 2, onError: () => undefined })
  contacts = (await database.system.one<{ contacts: number }>(FILL, [ACCOUNT]))?.contacts ?? 0
})
after(async () => {
  await database.close()
  await store[Symbol.asyncDispose]()
})

const context = () => ({ database, clock, ids: systemIds() })
const idsOf = (some: readonly sql.ContactRow[]): readonly string[] => some.map(({ id }) => id)
const listOf = (filter: ContactFilter, limit: number, offset = 0) =>
  listContacts(context(), ACCOUNT, filter, { limit, offset }, new AbortController().signal)

test('a list by status holds the contacts that are shown with it, and an export too', async () => {
  const all = await listOf(ALL, 1_000)
  assert.equal(all.total, contacts)
  assert.equal(all.contacts.length, contacts)
  for (const status of STATUSES) {
    const expected = idsOf(all.contacts.filter((one) => one.status === status))
    assert.ok(expected.length > 0, status)
    const { contacts: found, total } = await listOf({ ...ALL, status }, 1_000)
    assert.deepEqual(idsOf(found), expected)
    assert.equal(total, expected.length)
    const exported: string[] = []
    for await (const page of everyContact(context(), ACCOUNT, { ...ALL, status })) exported.push(...idsOf(page))
    assert.deepEqual(exported, expected.toReversed())
  }
})

test('a later page looks up its own contacts on the lists, not those before it', async () => {
  const values = [clock.now(), ACCOUNT, null, null, null]
  const text = await plan(sql.list, [...values, 10, 500])
  assert.equal(Math.max(...lookUps(text)), 10, text)
  assert.doesNotMatch(await plan(sql.count, values), /suppression|unsubscribe|past_refusal/)
})

test('contacts of a status are found and counted by reading each list once, and their own entries', async () => {
  const text = await plan(sql.listOfStatus, [clock.now(), ACCOUNT, null, null, null, 'bounced', 10, 20])
  assert.deepEqual(new Set(lookUps(text)), new Set([1, 10]), text)
})

test('a page behind the last contact of a status is empty and has the total', async () => {
  const { total } = await listOf({ ...ALL, status: 'bounced' }, 1)
  assert.ok(total > 0)
  assert.deepEqual(await listOf({ ...ALL, status: 'bounced' }, 10, total), { contacts: [], total })
})

/** How often each part of the plan that reads a list was run. */
function lookUps(text: string): readonly number[] {
  const runs = [...text.matchAll(/Scan.* on (?:suppression|unsubscribe) .*loops=(\d+)/g)].map(([, loops]) =>
    Number(loops),
  )
  assert.ok(runs.length > 0, text)
  return runs
}

async function plan(what: Statement, values: readonly unknown[]): Promise<string> {
  const asked = statement(`explained_${what.name}`, `explain (analyze, costs off, timing off) ${what.text}`)
  const lines = await database.tenant(ACCOUNT, async (db) => {
    await db.execute(sql.dontLoop)
    return db.query<{ 'QUERY PLAN': string }>(asked, values)
  })
  return lines.map((line) => line['QUERY PLAN']).join('\n')
}
