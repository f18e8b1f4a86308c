// One dead destination among a thousand: how long the others wait because of it, and how much throughput they lose.
//
//   npm run bench -- dead [--rounds 5] [--rate 200] [--seconds 10] [--burst 4000] [--dead 20]
//
// Emails go to 999 destinations that accept them, first at a steady rate and then as fast as possible, plus --dead per cent
// to one that accepts them too; in every other round that one does not answer packets at all. Measured for the 999: time from
// acceptance to delivery, and deliveries a second. Bars: p95 at most twice that of the rounds without, and nine tenths of the
// throughput. Needs root, bind9 and postfix (smtp-sink).

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { scratch, waitFor } from '../test/peers/fixture.ts'
import { unmanned } from '../test/world/unmanned.ts'
import { median } from './fixture.ts'
import { DESTINATIONS, startDeep } from './fixture-deep.ts'
import { commandLine } from './fixture-options.ts'

const options = commandLine({ rounds: 5, rate: 200, seconds: 10, burst: 4_000, dead: 20 })
const { rounds: ROUNDS, rate: RATE, seconds: SECONDS, burst: BURST, dead: PERCENT } = options
const CALL = 50
const WARM = 6_000
const DRAINED_WITHIN_MS = 300_000

await using folder = await scratch('bench-dead')
await using deep = await startDeep(folder.path)
await using _silent = await unmanned('127.0.0.3', deep.smtpPort)
const database = new pg.Client({ connectionString: deep.adminUrl })
await database.connect()
await using _database = { [Symbol.asyncDispose]: () => database.end() }

const mail = JSON.parse(deep.body)
let number = 0
const healthy = (): string => `user${++number}@d${number % (DESTINATIONS - 1)}.dest.test`

async function send(many: number, isDead: boolean): Promise<void> {
  const to = Array.from({ length: many }, healthy)
  const more = Math.round((many * PERCENT) / 100)
  for (let i = 0; i < more; i++)
    to.splice(Math.floor((i * to.length) / more), 0, `user${i}@${isDead ? 'dead' : 'alive'}.dest.test`)
  const messages = to.map((one) => ({ ...mail, to: one }))
  const { status, body } = await deep.posthorn.call(deep.account.api_key, 'POST', '/api/v1/send/batch', { messages })
  if (status !== 200 || body.data.some(({ success }: { success: boolean }) => !success))
    throw new Error(`${status} ${JSON.stringify(body).slice(0, 300)}`)
}

interface Found {
  readonly p50Ms: number
  readonly p95Ms: number
  readonly perSecond: number
}

/** The figures of the healthy emails accepted since then, once all are delivered. */
async function found(since: Date, many: number): Promise<Found> {
  const { rows } = await waitFor(
    'the last delivery',
    async () => {
      const answer = await database.query(
        `select count(delivered_at)::int as delivered,
           percentile_disc(array[0.5, 0.95]) within group (order by extract(epoch from delivered_at - created_at) * 1000) as ms,
           extract(epoch from max(delivered_at) - min(created_at))::float8 as seconds
         from posthorn.email where created_at >= $1 and recipient similar to '%@d[0-9]+.dest.test'`,
        [since],
      )
      return answer.rows[0].delivered >= many ? answer : null
    },
    DRAINED_WITHIN_MS,
  )
  const [p50Ms, p95Ms] = rows[0].ms.map(Number)
  return { p50Ms, p95Ms, perSecond: rows[0].delivered / rows[0].seconds }
}

async function round(isDead: boolean): Promise<{ readonly steady: Found; readonly burst: Found }> {
  let since = new Date()
  const began = performance.now()
  const calls = (RATE * SECONDS) / CALL
  for (let call = 0; call < calls; call++) {
    await delay(Math.max(0, began + (call * CALL * 1_000) / RATE - performance.now()))
    await send(CALL, isDead)
  }
  const steady = await found(since, calls * CALL)
  await delay(1_000)
  since = new Date()
  await Promise.all(
    Array.from({ length: 4 }, async (_, lane) => {
      for (let sent = lane * CALL; sent < BURST; sent += 4 * CALL) await send(CALL, isDead)
    }),
  )
  return { steady, burst: await found(since, BURST) }
}

for (let sent = 0; sent < WARM; sent += CALL) await send(CALL, false)
await delay(10_000)
const all: { dead: boolean; steady: Found; burst: Found }[] = []
for (let n = 0; n < 2 * ROUNDS; n++) {
  // The order alternates, so that what a round leaves behind affects both.
  const dead = n % 4 === 1 || n % 4 === 2
  const { steady, burst } = await round(dead)
  all.push({ dead, steady, burst })
  console.error(
    `${dead ? 'with a dead one' : 'without        '} p50 ${steady.p50Ms.toFixed(0)}, p95 ${steady.p95Ms.toFixed(0)} ms; ${burst.perSecond.toFixed(0)} a second`,
  )
}
const of = (dead: boolean, value: (one: (typeof all)[number]) => number): number =>
  median(all.filter((one) => one.dead === dead).map(value))
const table = [false, true].map((dead) => ({
  dead,
  p50Ms: of(dead, ({ steady }) => steady.p50Ms),
  p95Ms: of(dead, ({ steady }) => steady.p95Ms),
  perSecond: of(dead, ({ burst }) => burst.perSecond),
}))
console.table(table)
const [without, beside] = table
const ratio = (of: number | undefined, to: number | undefined): number => (of ?? 0) / (to ?? 1)
console.log(
  JSON.stringify({
    rounds: all,
    p95_times: ratio(beside?.p95Ms, without?.p95Ms),
    throughput: ratio(beside?.perSecond, without?.perSecond),
  }),
)
