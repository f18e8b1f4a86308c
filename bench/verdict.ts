// CPU of the verdict on an email, content included, next to the promises of docs/risk.md.
//
//   npm run bench -- verdict [--mails=2000] [--group=16] [--warm=10]
//
// Does what acceptance does for a verdict, by the modules' own functions: reads and scores the content, gathers the facts in one
// statement for a group of emails, and judges. Figures are CPU time of this process (including its GC threads) and of the
// database backend, the median of several rounds. The tables hold 200,000 spam traps and 20,000 suppressions. The promises
// apply to a warm process: its first thousand emails, while V8 still compiles, have a line of their own, and --warm thousands
// precede the others. Fails when a promise is not met.

import { createHash } from 'node:crypto'
import { type ContentQuestion, type RiskAsk, riskFacts, riskRoom, verdict } from '../src/modules/risk/index.ts'
import { systemClock } from '../src/platform/clock.ts'
import { connect, type Db, statement } from '../src/platform/db.ts'
import { page } from '../test/content-mails/layout.ts'
import { LEGITIMATE } from '../test/content-mails/legitimate.ts'
import { freshDb } from '../test/world/database.ts'
import { cpuSeconds, median } from './fixture.ts'
import { commandLine } from './fixture-options.ts'

const { mails: MAILS, group: GROUP, warm: WARM } = commandLine({ mails: 2_000, group: 16, warm: 10 })
const ROUNDS = 5
const ACCOUNT = '018f0000-0000-7000-8000-000000000001'
const POLICY = {
  blockDisposableEmails: true,
  enforceSenderVerification: true,
  disposableConfidenceThreshold: 0.85,
  plan: 'enterprise',
}
const FILL = [
  `insert into spamtrap (mac, added_at) select sha256(n::text::bytea), now() from generate_series(1, 200000) n`,
  `insert into suppression (account_id, email, sandbox, id, reason, source, created_at)
   select '${ACCOUNT}', 'listed' || n || '@example.net', false, gen_random_uuid(), 1, 'api', now() from generate_series(1, 20000) n`,
  `insert into sent_day (account_id, day, accepted, hour, in_hour, busiest_hour)
   select '${ACCOUNT}', current_date - n, 1000, 12, 100, 200 from generate_series(0, 28) n`,
]
const backendPid = statement('bench_pid', 'select pg_backend_pid() as pid')

const legitimateTexts = LEGITIMATE.map(({ html, text }) => html ?? text ?? '').filter((one) => one.length > 500)

/** A unique email of about this many bytes, made of the legitimate emails' paragraphs. */
function mailOf(bytes: number, n: number): ContentQuestion {
  const paragraphs: string[] = []
  for (let at = n, size = 0; size < bytes - 3_000; at++) {
    const source = (legitimateTexts[at % legitimateTexts.length] ?? '')
      .replaceAll(/<[^>]*>|&[#a-z0-9]+;/gi, ' ')
      .replaceAll(/\s+/g, ' ')
    const part = `<p style="margin:0 0 16px">${source.slice((at * 37) % 200, 700)} <a href="https://shop.example/p/${n}-${at}">More</a></p>`
    paragraphs.push(part)
    size += part.length
  }
  const html = page({
    preheader: `Number ${n}`,
    brand: 'Shop',
    site: 'shop.example',
    body: paragraphs.join('\n'),
    footer: `You get this mail number ${n} because you subscribed. <a href="https://shop.example/u/${n}">Unsubscribe</a>`,
  })
  // As one flat string, like the body of a request, not a rope of its parts.
  const flat = Buffer.from(html).toString()
  return { subject: `Your order ${n} has been shipped`, html: flat, text: null, attachments: [] }
}

interface Cost {
  readonly nodeMs: number
  readonly databaseMs: number
}

/** The cost of one email. */
async function costOf(
  mails: readonly ContentQuestion[],
  db: Db,
  pid: number,
  risk: ReturnType<typeof riskRoom>,
): Promise<Cost> {
  const clock = systemClock()
  const before = { node: process.cpuUsage(), database: 1_000 * cpuSeconds(pid) }
  for (let at = 0; at < mails.length; at += GROUP) {
    const group = mails.slice(at, at + GROUP)
    const contents = await Promise.all(group.map((mail) => risk.content(mail)))
    const asks = group.map(
      (_, i): RiskAsk => ({ accountId: ACCOUNT, recipient: `r${at + i}@example.net`, sandbox: false }),
    )
    const known = await risk.gather(db, asks, clock.now())
    known.forEach((about, i) => {
      const contentLevel = contents[i]?.level ?? null
      verdict(riskFacts(about, { sandbox: false, bulk: false, senderVerified: true, contentLevel }), POLICY)
    })
  }
  const node = process.cpuUsage(before.node)
  return {
    nodeMs: (node.user + node.system) / 1_000 / mails.length,
    databaseMs: (1_000 * cpuSeconds(pid) - before.database) / mails.length,
  }
}

await using fresh = await freshDb()
const database = connect({ url: fresh.url, maxConnections: 1, onError: (error) => console.error(error) })
const clock = systemClock()
for (const [i, text] of FILL.entries()) await database.system.execute(statement(`bench_fill_${i}`, text))
const mac = (text: string): Buffer => createHash('sha256').update(text).digest()
const failures: string[] = []
const table: Record<string, unknown>[] = []
let serial = 0

await database.transaction(async (db) => {
  const { pid } = (await db.one<{ pid: number }>(backendPid)) ?? { pid: 0 }
  const room = (): ReturnType<typeof riskRoom> =>
    riskRoom({ trapMac: mac, monotonicMs: () => clock.monotonicMs(), onUnscored: (error) => console.error(error) })
  const fresh = (bytes: number, count: number): ContentQuestion[] =>
    Array.from({ length: count }, () => mailOf(bytes, ++serial))
  const first = await costOf(fresh(10_240, 1_000), db, pid, room())
  for (let thousand = 1; thousand < WARM; thousand++) await costOf(fresh(10_240, 1_000), db, pid, room())
  const told = (what: string, bytes: number, { nodeMs, databaseMs }: Cost, mostMs: number | null): void => {
    const held = mostMs === null || nodeMs + databaseMs <= mostMs
    if (!held) failures.push(what)
    table.push({
      what,
      bytes,
      node_ms: nodeMs.toFixed(3),
      database_ms: databaseMs.toFixed(3),
      whole_ms: (nodeMs + databaseMs).toFixed(3),
      promised_ms: mostMs ?? '',
      held,
    })
  }
  told('10 KB, the first thousand', 10_240, first, null)
  const measure = async (what: string, bytes: number, mostMs: number | null, isSeen: boolean): Promise<void> => {
    const count = bytes > 50_000 ? Math.ceil(MAILS / 10) : MAILS
    const rounds: Cost[] = []
    let size = 0
    for (let round = 0; round < ROUNDS; round++) {
      const mails = fresh(bytes, count)
      size = Buffer.byteLength(mails[0]?.html ?? '')
      const risk = room()
      if (isSeen) await costOf(mails, db, pid, risk)
      rounds.push(await costOf(mails, db, pid, risk))
    }
    const nodeMs = median(rounds.map((one) => one.nodeMs))
    const databaseMs = median(rounds.map((one) => one.databaseMs))
    told(what, size, { nodeMs, databaseMs }, mostMs)
  }
  await measure('10 KB, never seen', 10_240, 0.3, false)
  await measure('10 KB, seen before', 10_240, null, true)
  await measure('100 KB, never seen', 102_400, 3, false)
  await measure('100 KB, seen before', 102_400, null, true)
})
console.table(table)
console.log(JSON.stringify({ group: GROUP, table }))
await database.close()
if (failures.length > 0) {
  console.error(`not held: ${failures.join(', ')}`)
  process.exitCode = 1
}
process.exit()
