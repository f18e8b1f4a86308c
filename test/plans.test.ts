import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { ensureOutboxPartitions } from '../src/modules/outbox/index.ts'
import { systemClock } from '../src/platform/clock.ts'
import { connect, type Database, type Statement, statement } from '../src/platform/db.ts'
import { freshDb } from './world/database.ts'
import { explainPrepared } from './world/plan.ts'

interface Node {
  readonly 'Node Type': string
  readonly 'Join Filter'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Node[]
}

const isStatement = (value: unknown): value is Statement =>
  typeof value === 'object' && value !== null && 'name' in value && 'text' in value && typeof value.text === 'string'

/** Statements that take a batch of the queue instead of values. */
const OF_LOTS = new Set(['outbox_claim_overdue'])

/** The statements of the rooms that look up many rows at once. */
async function statementsOfMany(): Promise<readonly Statement[]> {
  const rooms = globSync('src/modules/*/sql*.ts').filter((file) => !file.endsWith('.test.ts'))
  const loaded: readonly object[] = await Promise.all(rooms.map((file) => import(`../${file}`)))
  return loaded
    .flatMap((room) => Object.values(room).filter(isStatement))
    .filter(({ name, text }) => text.includes('unnest($') || OF_LOTS.has(name))
}

/** The plan as the service's own connections get it: made once, without parameter values. */
async function planOf(database: Database, asked: Statement): Promise<Node> {
  const values = Math.max(...[...asked.text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  const nulls = Array<string>(values).fill('null')
  const [plans] = await explainPrepared<readonly { Plan: Node }[]>(database, asked, 'format json', nulls)
  assert.ok(plans?.[0], asked.name)
  return plans[0].Plan
}

const within = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(within)]
/** An index condition on another row of the join names its relation: `(id = k.id)`. */
const readsByNoKey = (node: Node): boolean =>
  within(node).some(
    (one) => /^(Index|Seq|Bitmap Heap)\b.*Scan$/.test(one['Node Type']) && !one['Index Cond']?.includes('.'),
  )
const joinsByNoKey = (plan: Node): readonly Node[] =>
  within(plan).filter((node) => node['Join Filter'] !== undefined && (node.Plans ?? []).some(readsByNoKey))

const HELD = /^(?:CTE|Function|Subquery|Values) Scan$|^(?:Append|Materialize)$/
/** Joins of two lists that the statement already holds, which compare each row of one with every row of the other. */
const joinsOfHeld = (plan: Node): readonly Node[] =>
  within(plan).filter(
    ({ 'Join Filter': filter, Plans: sides }) =>
      filter?.includes(' = ') && sides?.length === 2 && sides.every((side) => HELD.test(side['Node Type'])),
  )

test('on empty tables, statements about many rows find each row by its key', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, maxConnections: 2, onError: () => undefined })
  try {
    await ensureOutboxPartitions(database.system, systemClock().now())
    const asked = await statementsOfMany()
    assert.ok(asked.length > 50)
    for (const one of asked) {
      const wrong = joinsByNoKey(await planOf(database, one))
      assert.deepEqual(wrong, [], `${one.name}\n${JSON.stringify(wrong, null, 1)}`)
    }
    const crossed = statement(
      'test_crossed',
      'select q.id from unnest($1::uuid[]) as k(id) join queue q on q.id > k.id',
    )
    assert.equal(joinsByNoKey(await planOf(database, crossed)).length, 0)
    const byNoKey = statement(
      'test_by_no_key',
      'select q.id from unnest($1::text[]) as k(id) join queue q on q.id::text = k.id',
    )
    assert.equal(joinsByNoKey(await planOf(database, byNoKey)).length, 1)
  } finally {
    await database.close()
  }
})

test('statements about many rows never compare each row with all the others', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, maxConnections: 2, onError: () => undefined })
  try {
    await ensureOutboxPartitions(database.system, systemClock().now())
    const wrong = new Map<string, string>()
    for (const one of await statementsOfMany()) {
      const found = joinsOfHeld(await planOf(database, one))
      if (found.length > 0) wrong.set(one.name, JSON.stringify(found, null, 1).slice(0, 2000))
    }
    assert.deepEqual([...wrong], [])
  } finally {
    await database.close()
  }
})
