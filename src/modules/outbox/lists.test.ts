import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { freshDb, type TestDatabase } from '../../../test/world/database.ts'
import { explainPrepared } from '../../../test/world/plan.ts'
import { systemClock } from '../../platform/clock.ts'
import { fullCounts } from '../../platform/db/full-counts.ts'
import { connect, type Database, type Statement, statement } from '../../platform/db.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { COUNT_LIMIT, type EmailFilter, listEmails } from './emails.ts'
import { ensureOutboxPartitions } from './index.ts'
import { complete, fetchEmails, lockEmail } from './sql.ts'
import { dontSort, LISTS, type ListIndex } from './sql-lists.ts'
import { type EmailStatus, STATUS } from './types.ts'

const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
const OTHER = '01980000-0000-7000-8000-00000000000b'
const DOMAINS = ['01980000-0000-7000-8000-0000000000d0', '01980000-0000-7000-8000-0000000000d1']
const NOBODY = '01980000-0000-7000-8000-0000000000ff'
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const DAY_MS = 86_400_000

const PUT = statement(
  'test_put_emails',
  `insert into email (id, account_id, domain_id, body_id, created_at, status, sender, recipient, recipient_key, subject,
     message_id, tag, sandbox, last_response, size_bytes, expires_at)
   select id, account_id, domain_id, id, now(), status, 'a@shop.example', recipient, recipient, subject, message_id, tag, sandbox,
     last_response, 1, now()
   from json_to_recordset($1::json) as e(id uuid, account_id uuid, domain_id uuid, status smallint, recipient text, subject text,
     message_id text, tag text, sandbox boolean, last_response text)`,
)

interface Made {
  readonly id: string
  readonly account_id: string
  readonly domain_id: string | null
  readonly status: number
  readonly recipient: string
  readonly subject: string
  readonly message_id: string
  readonly tag: string | null
  readonly sandbox: boolean
  readonly last_response: string | null
}

const clock = systemClock()
let store: TestDatabase
let database: Database
before(async () => {
  store = await freshDb()
  database = connect({ url: store.url, maxConnections: 2, onError: () => undefined })
  await ensureOutboxPartitions(database.system, clock.now())
})
after(async () => {
  await database.close()
  await store[Symbol.asyncDispose]()
})

const HOW = 'analyze, costs off, timing off'

/** The server's plan for a list of an account, line by line: planned for these values, like every call of the API's role. */
async function plan(account: string, what: Statement, values: readonly unknown[]): Promise<string> {
  const asked = statement(`explained_${what.name}`, `explain (${HOW}) ${what.text}`)
  const lines = await database.tenant(account, async (db) => {
    await db.execute(dontSort)
    return db.query<{ 'QUERY PLAN': string }>(asked, values)
  })
  return lines.map((line) => line['QUERY PLAN']).join('\n')
}

/** Runs as the table's owner: for other roles PostgreSQL skips the table with a warning. */
async function analyzed(): Promise<void> {
  const client = new pg.Client({ connectionString: store.url })
  await client.connect()
  await client.query('analyze posthorn.email')
  const { rows } = await client.query(`select count(*)::int as n from pg_stats where tablename = 'email' and inherited`)
  await client.end()
  assert.ok(rows[0].n > 0, 'nothing is known')
}

type Value = string | number | boolean | Date | null

const literal = (value: Value | readonly Value[]): string => {
  if (value === null) return 'null'
  if (value instanceof Date) return `'${value.toISOString()}'`
  if (typeof value === 'object') return `'{${value.map((one) => literal(one).replaceAll("'", '"')).join()}}'`
  return `'${String(value)}'`
}

test('an email is found by its key alone on a day without statistics', async () => {
  const id = firstIdAt(clock.now())
  const one = [[id], [ACCOUNT]]
  const done = [...one, [1], [3], [clock.now()], [null], 1, [250], ['ok'], [true], id, id, [1_000]]
  for (const [what, values] of [
    [fetchEmails, [[ACCOUNT], [id], id, id]],
    [complete, done],
    [lockEmail, [ACCOUNT, id]],
  ] as const) {
    const text = (await explainPrepared<string>(database, what, HOW, values.map(literal))).join('\n')
    const reads = [...text.matchAll(/using (email_\S+) on email.*\n\s*Index Cond: (.*)/g)]
    assert.ok(reads.length > 0, text)
    for (const [, index, condition] of reads) {
      assert.match(index ?? '', /^email_\d+_pkey$/, text)
      assert.match(condition ?? '', /\(account_id = .*\(id = /, text)
    }
  }
})

test('a page of emails holds what passes every filter, newest first, of this account only', async () => {
  const days = [0, DAY_MS].map((ahead) => firstIdAt(new Date(clock.now().getTime() + ahead)).slice(0, 24))
  const all: Made[] = []
  for (let i = 0; i < 400; i++) {
    all.push({
      id: `${days[i % 2]}${i.toString(16).padStart(12, '0')}`,
      account_id: i % 5 === 0 ? OTHER : ACCOUNT,
      domain_id: [...DOMAINS, null][i % 3] ?? null,
      status: [1, 3, 3, 3, 4, 3, 8][i % 7] ?? 3,
      recipient: `user${i % 9}@example.net`,
      subject: i % 4 === 0 ? 'Invoice 100%' : 'News',
      message_id: `m${i % 50}@shop.example`,
      tag: [null, 'a', 'b'][i % 11] ?? null,
      sandbox: i % 13 < 4,
      last_response: ['250 ok', '421 4.7.28 Rate limited_', null][i % 5] ?? null,
    })
  }
  await database.system.execute(PUT, [JSON.stringify(all)])
  const none: EmailFilter = {
    from: null,
    to: null,
    statuses: null,
    recipientKey: null,
    tag: null,
    domainIds: null,
    messageId: null,
    search: null,
    response: null,
    includeSandbox: true,
  }
  const statuses: (readonly EmailStatus[] | null)[] = [
    null,
    ['bounced'],
    ['delivered'],
    ['queued', 'bounced'],
    ['delivered', 'complained', 'delivered'],
    ['canceled'],
  ]
  const filters = statuses.flatMap((one) =>
    [
      {},
      { tag: 'a' },
      { tag: 'none' },
      { domainIds: DOMAINS.slice(0, 1) },
      { domainIds: DOMAINS },
      { domainIds: [] },
      { domainIds: [NOBODY] },
      { recipientKey: 'user3@example.net' },
      { messageId: 'm7@shop.example' },
      { search: 'INVOICE' },
      { search: '100%' },
      { search: 'USER3@Example' },
      { search: 'M7@SHOP' },
      { response: 'rate LIMITED_' },
      { response: '4.7.28', domainIds: DOMAINS.slice(0, 1) },
      { response: '_ok' },
      { tag: 'b', domainIds: DOMAINS.slice(1) },
      { includeSandbox: false },
      { includeSandbox: false, tag: 'a' },
      { includeSandbox: false, domainIds: DOMAINS },
      { to: new Date(clock.now().getTime() + DAY_MS / 2) },
    ].map((rest): EmailFilter => ({ ...none, statuses: one, ...rest })),
  )
  const lists = { database, counts: fullCounts(clock, COUNT_LIMIT) }
  for (const filter of filters) {
    const below = filter.to === null ? LAST_ID : firstIdAt(filter.to)
    const right = all
      .filter((email) => email.account_id === ACCOUNT && email.id < below)
      .filter((email) => filter.statuses === null || filter.statuses.some((name) => STATUS[name] === email.status))
      .filter((email) => filter.tag === null || email.tag === filter.tag)
      .filter(({ domain_id: of }) => filter.domainIds === null || (of !== null && filter.domainIds.includes(of)))
      .filter((email) => filter.recipientKey === null || email.recipient === filter.recipientKey)
      .filter((email) => filter.includeSandbox || !email.sandbox)
      .filter((email) => filter.messageId === null || email.message_id === filter.messageId)
      .filter(
        ({ last_response: said }) =>
          filter.response === null || said?.toLowerCase().includes(filter.response.toLowerCase()) === true,
      )
      .filter(({ subject, recipient, message_id: id }) =>
        [subject, recipient, id].some((text) => text.toLowerCase().includes(filter.search?.toLowerCase() ?? '')),
      )
      .map(({ id }) => id)
      .sort()
      .reverse()
    const said = JSON.stringify(filter)
    const whole = await listEmails(lists, ACCOUNT, filter, { limit: 500, offset: 0, cursor: null })
    assert.deepEqual(
      [whole.emails.map(({ id }) => id), whole.total, whole.nextCursor],
      [right, right.length, null],
      said,
    )
    const some = await listEmails(lists, ACCOUNT, filter, { limit: 7, offset: 3, cursor: null })
    assert.deepEqual([some.emails.map(({ id }) => id), some.total], [right.slice(3, 10), right.length], said)
    const on = await listEmails(lists, ACCOUNT, filter, { limit: 7, offset: 0, cursor: some.nextCursor })
    if (some.nextCursor !== null)
      assert.deepEqual([on.emails.map(({ id }) => id), on.total], [right.slice(10, 17), right.length], said)
  }
})

test('a page reads its own range of an index, whatever the statistics say', async () => {
  const day = firstIdAt(clock.now()).slice(0, 24)
  const email = (i: number, given: Partial<Made>): Made => ({
    id: `${day}${(1_000_000 + i).toString(16).padStart(12, '0')}`,
    account_id: NOBODY,
    domain_id: DOMAINS[0] ?? null,
    status: 3,
    recipient: `user${i}@example.net`,
    subject: 'News',
    message_id: `${i}@shop.example`,
    tag: 'a',
    sandbox: false,
    last_response: '250 ok',
    ...given,
  })
  const few = { status: 4, tag: 'few', domain_id: DOMAINS[1] ?? null }
  const made = Array.from({ length: 6_000 }, (_, i) => email(i, i < 60 ? few : {}))
  await database.system.execute(PUT, [JSON.stringify(made)])
  const asked = (given: Record<number, unknown>, ...page: number[]): unknown[] => [
    NOBODY,
    FIRST_ID,
    LAST_ID,
    ...[4, 5, 6, 7, 8, 9, 10, 11].map((n) => given[n] ?? null),
    given[12] ?? true,
    ...page,
  ]
  const cases: readonly (readonly [ListIndex, Record<number, unknown>])[] = [
    ['id', {}],
    ['id', { 5: 'user7@example.net' }],
    ['status', { 4: [4] }],
    ['status', { 4: [2] }],
    ['status', { 4: [3, 4] }],
    ['tag', { 6: 'few' }],
    ['tag', { 6: 'none' }],
    ['domain', { 7: DOMAINS.slice(1) }],
    ['domain', { 7: [NOBODY] }],
    ['domain', { 7: DOMAINS }],
    ['status', { 4: [4], 11: '%no such user%' }],
    ['id', { 12: false }],
    ['status', { 4: [3, 4], 12: false }],
  ]
  for (const known of [false, true]) {
    if (known) await analyzed()
    for (const [index, given] of cases) {
      for (const [what, values] of [
        [LISTS[index].page, asked(given, 20, 5)],
        [LISTS[index].count, asked(given, 25)],
      ] as const) {
        const text = await plan(NOBODY, what, values)
        const read = [...text.matchAll(/(?:rows=|Removed by Filter: )(\d+)/g)].map(([, rows]) => Number(rows))
        assert.ok(Math.max(...read) <= 60, `${index} ${JSON.stringify(given)}\n${text}`)
      }
    }
  }
})
