// When a hit becomes an event.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { freshDb, type TestDatabase } from '../../../test/world/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, type Database, statement } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { ensureEventPartitions } from '../events/index.ts'
import { judgeDueHits } from './hit-judging.ts'
import type { Hit } from './hits.ts'
import { ensureHitPartitions } from './partitions.ts'
import { recordAll } from './record-hits.ts'
import type { EmailKey, EmailLedger, EngagedEmail } from './types.ts'

const ids = systemIds()
const clock = systemClock()
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const TELL = statement(
  'test_tell',
  `insert into journal_node (id, folder_id, pid, clear_at, hits_until, told_at)
   values ($1, $1, 1, now(), $2, clock_timestamp() - $3::interval)`,
)
const FORGET = statement('test_forget_nodes', 'delete from journal_node')
const OPENS = statement('test_opens', `select data from event where email_id = $1 order by seq`)

let store: TestDatabase
let database: Database
before(async () => {
  store = await freshDb()
  database = connect({ url: store.url, onError: () => undefined })
  await ensureHitPartitions(database.system, clock.now())
  await ensureEventPartitions(database.system, clock.now())
})
after(async () => {
  await database.close()
  await store[Symbol.asyncDispose]()
})

/** One email, delivered an hour ago, which `held` says is locked by another transaction. */
function ledgerOf(key: EmailKey, held: () => boolean): EmailLedger {
  const facts = { domainId: null, stream: 'transactional', sandbox: false, tag: null } as const
  const deliveredAt = new Date(clock.now().getTime() - 3_600_000)
  const email: EngagedEmail = { id: key.id, ...facts, deliveredAt, openCount: 4, clickCount: 0 }
  const known = async (): Promise<ReadonlyMap<string, EngagedEmail>> => new Map([[key.id, email]])
  return {
    facts: known,
    lock: async () => (held() ? new Map<string, EngagedEmail>() : known()),
    byToken: async () => null,
    count: async () => undefined,
  }
}

/** An open of one email, ten seconds ago. */
async function opened(held: () => boolean = () => false) {
  const key = { accountId: ids.next(), id: ids.next() }
  const at = new Date(clock.now().getTime() - 10_000)
  const none = { domainId: null, linkIndex: null, url: null, hidden: false, recipient: null } as const
  const hit: Hit = {
    ...{ id: ids.next(), kind: 'open', at, accountId: key.accountId, emailId: key.id, stream: 'transactional' },
    ...{ sandbox: false, head: false, prefetch: false, userAgent: PERSON, ip: '192.0.2.7', ...none },
  }
  const options = { database, clock, ids, ledger: ledgerOf(key, held) }
  await recordAll(options, [hit])
  const judged = async (): Promise<readonly unknown[]> => {
    await judgeDueHits(options)
    const events = await database.system.query<{ data: Record<string, unknown> }>(OPENS, [key.id])
    return events.map(({ data }) => data['open_count'])
  }
  return { at, judged }
}

// Each row: up to when another process has handed on its hits, before the open or after it; how long ago it said so; the opens.
const TOLD: [handedOnMs: number, saidAgo: string, opens: readonly number[]][] = [
  [-1, '0 s', []],
  [1_999, '0 s', []],
  [2_001, '0 s', [5]],
  [-1, '11 s', [5]],
]
for (const [handedOnMs, saidAgo, opens] of TOLD) {
  test(`an open counts ${opens.length} times while a process has, ${saidAgo} ago, handed on hits up to ${handedOnMs} ms after it`, async () => {
    const { at, judged } = await opened()
    await database.system.execute(TELL, [ids.next(), new Date(at.getTime() + handedOnMs), saidAgo])
    assert.deepEqual(await judged(), opens)
    await database.system.execute(FORGET)
    assert.deepEqual(await judged(), [5])
  })
}

test('a hit of an email that another transaction has locked counts once that one is over', async () => {
  let isHeld = true
  const { judged } = await opened(() => isHeld)
  assert.deepEqual(await judged(), [])
  isHeld = false
  assert.deepEqual(await judged(), [5])
  assert.deepEqual(await judged(), [5])
})
