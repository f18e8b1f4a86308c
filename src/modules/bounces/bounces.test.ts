import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { freshDb, type TestDatabase } from '../../../test/world/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, type Database, statement } from '../../platform/db.ts'
import { type HttpServer, httpServer } from '../../platform/http.ts'
import { systemIds } from '../../platform/ids.ts'
import { createLogger } from '../../platform/log.ts'
import { append, ensureEventPartitions } from '../events/index.ts'
import { mayWeSend } from '../suppression/index.ts'
import { bounceRoutes, eraseBounces, type NewBounce, recordBounces } from './index.ts'

const clock = systemClock()
const ids = systemIds()
const context = { clock, ids }

let store: TestDatabase
let database: Database
let server: HttpServer
before(async () => {
  store = await freshDb()
  database = connect({ url: store.url, onError: () => undefined })
  await ensureEventPartitions(database.system, clock.now())
  server = await httpServer({
    gate: {
      admit: async ({ apiKeyHeader }) => ({
        accountId: String(apiKeyHeader),
        keyId: null,
        mode: 'live',
        scopes: ['full'],
        domainIds: null,
      }),
    },
    log: createLogger('error'),
    ids,
    trustedProxies: [],
    openapi: { publicUrl: 'http://127.0.0.1', euUrl: null },
  })
  server.add(bounceRoutes({ database }))
})
after(async () => {
  await server.app.close()
  await database.close()
  await store[Symbol.asyncDispose]()
})

function bounce(accountId: string, over: Partial<NewBounce> = {}): NewBounce {
  return {
    accountId,
    emailId: ids.next(),
    domainId: null,
    recipient: 'Ann@x.test',
    recipientKey: 'ann@x.test',
    stream: 'transactional',
    sandbox: false,
    tag: null,
    type: 'hard',
    category: 'invalid_recipient',
    smtpCode: 550,
    enhancedCode: '5.1.1',
    diagnosticCode: 'smtp; 550 5.1.1 no such user',
    errorMessage: 'no such user\0',
    command: 'rcpt',
    remoteMta: { host: 'mx.x.test', ip: '192.0.2.1' },
    provider: null,
    source: 'smtp',
    feedbackType: null,
    attempt: 1,
    bouncedAt: clock.now(),
    endsAs: 'bounced',
    ...over,
  }
}

const record = (news: readonly NewBounce[]) => database.transaction((db) => recordBounces(db, context, news))

async function refusal(accountId: string): Promise<string | null> {
  const [answer] = await mayWeSend(
    database.system,
    [{ accountId, recipient: 'ann@x.test', sandbox: false }],
    clock.now(),
  )
  return answer?.reason ?? null
}

// biome-ignore lint/suspicious/noExplicitAny: the body of any answer
async function listed(key: string, query = '', path = '/api/v1/customer/bounces'): Promise<any> {
  const answer = await server.app.inject({ method: 'GET', url: `${path}${query}`, headers: { 'x-api-key': key } })
  return { status: answer.statusCode, ...answer.json() }
}

const SUPPRESSES: [NewBounce['type'], NewBounce['category'], string | null][] = [
  ['hard', 'invalid_recipient', 'hard_bounce'],
  ['hard', 'bad_domain', 'hard_bounce'],
  ['complaint', 'spam_complaint', 'complaint'],
  ['soft', 'mailbox_full', null],
  ['block', 'policy', null],
  ['unknown', 'protocol', null],
]
for (const [type, category, reason] of SUPPRESSES) {
  test(`one bounce ${type}, ${category} ${reason === null ? 'suppresses nothing' : `suppresses for ${reason}`}`, async () => {
    const a = ids.next()
    const [made] = await record([bounce(a, { type, category })])
    assert.equal(await refusal(a), reason)
    assert.equal(made?.suppressed, reason !== null)
    assert.equal(made?.suppression_id !== null, reason !== null)
  })
}

test('the third soft bounce suppresses, and says so', async () => {
  const a = ids.next()
  const soft = { type: 'soft', category: 'mailbox_full' } as const
  const made = [...(await record([bounce(a, soft), bounce(a, soft)])), ...(await record([bounce(a, soft)]))]
  assert.deepEqual(
    made.map(({ suppressed }) => suppressed),
    [false, false, true],
  )
  assert.equal(await refusal(a), 'repeated_soft_bounce')
})

test('a suppression for a bad domain ends after 90 days, one for a recipient or a complaint never', async () => {
  const rows = [
    [{ category: 'bad_domain' }, 90],
    [{ category: 'invalid_recipient' }, null],
    [{ type: 'complaint', category: 'spam_complaint' }, null],
  ] as const
  for (const [over, days] of rows) {
    const a = ids.next()
    await record([bounce(a, over)])
    const row = await database.system.one<{ days: number | null; details: string }>(
      statement(
        'test_days',
        'select round(extract(epoch from expires_at - created_at) / 86400)::int as days, details from suppression where account_id = $1',
      ),
      [a],
    )
    assert.deepEqual(row, { days, details: 'smtp; 550 5.1.1 no such user' }, over.category)
  }
})

test('a bounce has the facts of its mail in the history and in its only event', async () => {
  const a = ids.next()
  const emailId = ids.next()
  const facts = {
    recipient: 'Ann@x.test',
    from: 'shop@y.test',
    from_name: null,
    subject: 'Hello',
    message_id: 'm@y.test',
    metadata: { order: 1 },
  }
  await append(database.system, [
    {
      eventId: ids.next(),
      at: clock.now(),
      accountId: a,
      domainId: null,
      emailId,
      type: 'email.sent',
      stream: 'transactional',
      sandbox: false,
      tag: 't',
      data: null,
      facts,
    },
  ])
  const [made] = await record([bounce(a, { emailId, tag: 't' })])
  const answer = await listed(a)
  assert.deepEqual(answer.data, [made], 'the list and the event have one shape')
  assert.equal(answer.success, true)
  assert.deepEqual(
    [made?.from, made?.subject, made?.message_id, made?.metadata, made?.error_message],
    ['shop@y.test', 'Hello', 'm@y.test', { order: 1 }, 'no such user'],
  )
  const events = await database.system.query<{ data: { id: string } | null }>(
    statement('test_bounced', 'select data from event where account_id = $1 and type = 5'),
    [a],
  )
  assert.deepEqual(
    events.map(({ data }) => data?.id),
    [made?.id],
  )
  // The first has email.failed, the second email.complained.
  await record([bounce(a, { type: 'soft', category: 'expired', endsAs: 'failed' })])
  await record([bounce(a, { type: 'complaint', category: 'spam_complaint', endsAs: null })])
  assert.equal(
    (
      await database.system.query(
        statement('test_bounced', 'select data from event where account_id = $1 and type = 5'),
        [a],
      )
    ).length,
    1,
  )
})

test("the history has filters, pages and cursors, and shows only the account's own bounces", async () => {
  const a = ids.next()
  const domainId = ids.next()
  const start = clock.now().getTime()
  const at = (minute: number): Date => new Date(start + minute * 60_000)
  await record([
    bounce(a, { bouncedAt: at(0), type: 'block', category: 'policy' }),
    bounce(a, { bouncedAt: at(1), type: 'soft', category: 'mailbox_full', domainId }),
    bounce(a, { bouncedAt: at(2), recipient: 'bo@x.test', recipientKey: 'bo@x.test' }),
    bounce(a, { bouncedAt: at(2) }),
    bounce(a, { bouncedAt: at(3), sandbox: true }),
  ])
  const b = ids.next()
  await record([bounce(b, {}), bounce(b, { type: 'complaint', category: 'spam_complaint' })])
  assert.equal((await listed(b)).pagination.total, 2)
  const { data: bounced, pagination } = await listed(b, '?include_complaints=false')
  assert.deepEqual([bounced[0].type, bounced.length, pagination.total], ['hard', 1, 1])
  const count = async (query: string): Promise<number> => (await listed(a, query)).data.length
  assert.equal(await count(''), 4)
  assert.equal(await count('?include_sandbox=true'), 5)
  assert.equal(await count('?type=hard'), 2)
  assert.equal(await count('?category=policy'), 1)
  assert.equal(await count(`?domain_id=${domainId}`), 1)
  assert.equal(await count('?recipient=BO@x.test'), 1)
  assert.equal(await count(`?from=${at(1).toISOString()}&to=${at(2).toISOString()}`), 1)
  const all = (await listed(a, '', '/api/customer/bounces')).data.map(({ id }: { id: string }) => id)
  const walked: string[] = []
  for (let query = '?limit=1'; query !== ''; ) {
    const page = await listed(a, query)
    assert.equal(page.pagination.total, 4)
    walked.push(page.data[0].id)
    query = page.pagination.next_cursor === null ? '' : `?limit=1&cursor=${page.pagination.next_cursor}`
  }
  assert.deepEqual(walked, all)
  assert.deepEqual(
    (await listed(a, '?limit=2&offset=1')).data.map(({ id }: { id: string }) => id),
    all.slice(1, 3),
  )
  assert.deepEqual((await listed(ids.next())).pagination, { total: 0, limit: 100, offset: 0, next_cursor: null })
  for (const query of [
    '?category=none',
    '?type=none',
    '?limit=1001',
    '?from=x',
    '?recipient=x',
    '?cursor=x',
    '?offset=-1',
  ]) {
    assert.deepEqual(
      [(await listed(a, query)).status, (await listed(a, query)).code],
      [400, 'invalid_parameter'],
      query,
    )
  }
})

test('a page continues after a bounce that was erased meanwhile', async () => {
  const a = ids.next()
  const nowMs = clock.now().getTime()
  const recipients = ['ann', 'bob', 'cy', 'dora'].map((name) => `${name}@x.test`)
  await record(
    recipients.map((recipient, index) =>
      bounce(a, { recipient, recipientKey: recipient, bouncedAt: new Date(nowMs - 1_000 * index) }),
    ),
  )
  const first = await listed(a, '?limit=2')
  await database.transaction((db) => eraseBounces(db, a, 'bob@x.test'))
  const rest = await listed(a, `?limit=2&cursor=${first.pagination.next_cursor}`)
  const shown = [...first.data, ...rest.data].map(({ recipient }: { recipient: string }) => recipient)
  assert.deepEqual([shown, rest.pagination.next_cursor], [recipients, null])
  const id = first.pagination.next_cursor.split('.').at(-1)
  const [without, latest] = [await listed(a, `?cursor=${id}`), await listed(a, `?cursor=${'9'.repeat(14)}.${id}`)]
  assert.deepEqual([without.status, latest.data.length], [200, 3])
})
