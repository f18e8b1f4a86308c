// What an email costs in tables that have grown: CPU per email, of Node and of PostgreSQL, with few and with many in them.
//
//   npm run bench -- growth [--sizes 10000,100000,1000000] [--messages 3000] [--rounds 3] [--cycles 0]
//
// 10 KB mails by REST to smtp-sink, as bench/relay's, from acceptance to the last delivery, beside tables that hold so many
// delivered emails with their attempts and events; each size is reached by adding to the one before. `--cycles` goes on
// sending through the product until so many emails have passed, and measures again. Needs root, bind9 and postfix (smtp-sink).

import { setTimeout as delay } from 'node:timers/promises'
import { descendants, scratch, waitFor } from '../test/peers/ground.ts'
import { calibrate, cpuGroup, median, threadSeconds } from './ground.ts'
import { type Deep, startDeep } from './ground-deep.ts'
import { httpLoad } from './ground-load.ts'
import { commandLine } from './ground-options.ts'

const {
  sizes: SIZES,
  messages: MESSAGES,
  rounds: ROUNDS,
  cycles: CYCLES,
} = commandLine({ sizes: [10_000, 100_000, 1_000_000], messages: 3_000, rounds: 3, cycles: 0 })
const CONNECTIONS = 32
/** Sent before anything is measured: what a process does first is dearer, which would flatter whatever comes later. */
const WARM = 6_000
const LIMIT_MS = 120_000

interface Cost {
  readonly node: number
  readonly postgres: number
}

/** CPU milliseconds per email. */
async function round(deep: Deep, messages: number): Promise<Cost> {
  const load = httpLoad(`${deep.posthorn.url}/api/v1/send`, deep.account.api_key, deep.body, CONNECTIONS)
  const root = deep.posthorn.running.child.pid ?? 0
  const seconds = async (): Promise<Cost> => {
    const threads = await threadSeconds(root)
    const node = [...threads].reduce((sum, [what, one]) => sum + (what === 'postgres' ? 0 : one), 0)
    return { node, postgres: cpu.seconds() - node }
  }
  const before = await seconds()
  const goal = deep.sink.count() + messages
  await load.send(messages)
  await waitFor('all deliveries', async () => deep.sink.count() >= goal, LIMIT_MS)
  await delay(500)
  const after = await seconds()
  load.close()
  const per = (which: keyof Cost): number => ((after[which] - before[which]) / messages) * 1_000
  return { node: per('node'), postgres: per('postgres') }
}

interface Row extends Cost {
  readonly emails: number
  readonly together: number
  readonly signs: number
}

async function measure(deep: Deep, emails: number): Promise<Row> {
  await round(deep, 1_000) // warm
  const signs = calibrate()
  const rounds: Cost[] = []
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round(deep, MESSAGES))
  const of = (value: (cost: Cost) => number): number => Number(median(rounds.map(value)).toFixed(3))
  const row = {
    emails,
    node: of(({ node }) => node),
    postgres: of(({ postgres }) => postgres),
    together: of(({ node, postgres }) => node + postgres),
    signs: Math.round(signs),
  }
  console.error(JSON.stringify(row))
  return row
}

await using folder = await scratch('bench-growth')
await using deep = await startDeep(folder.path)
// PostgreSQL's helpers come and go: what the group has spent beyond Node's threads is theirs.
const cpu = cpuGroup('growth')
for (const pid of await descendants(deep.posthorn.running.child.pid ?? 0)) cpu.add(pid)
const rows: Row[] = []
await round(deep, WARM)
let filled = WARM
let sent = WARM
for (const size of SIZES) {
  await deep.fill(size - filled, 'delivered')
  await deep.settle(600_000)
  filled = size
  rows.push(await measure(deep, size))
  sent += MESSAGES * ROUNDS + 1_000
}
if (CYCLES > 0) {
  while (sent < CYCLES) {
    await round(deep, 20_000)
    sent += 20_000
  }
  rows.push(await measure(deep, filled + sent))
}
const [first] = rows
const table = rows.map((row) => ({ ...row, of_first: Number((row.together / (first?.together ?? 1)).toFixed(3)) }))
console.table(table)
console.log(JSON.stringify(table))
