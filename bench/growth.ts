// What an email costs as tables grow: CPU per email, of Node and of PostgreSQL, with few and with many rows in them.
//
//   npm run bench -- growth [--sizes 10000,100000,1000000] [--messages 3000] [--rounds 3]
//   npm run bench -- growth --cycles 5000000 [--day 20000] [--keep FOLDER] [--seconds 200] [--turns 3]
//
// Sends 10 KB emails by REST to smtp-sink, like bench/relay, and measures from acceptance to the last delivery. The tables
// hold the given number of delivered emails with their attempts and events; each size is reached by adding to the one before.
//
// With `--cycles`, the tables have seen that many lives of emails (fixture-cycles.ts), `--day` of them per day, of which the last
// 90 days are still there. Then two services are measured in turns, each time in a process of its own: one with young tables
// and one whose tables have seen the cycles. With --keep it runs in parts: each run continues for --seconds, and the run that
// completes the cycles measures. Needs root, bind9 and postfix (smtp-sink).

import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { descendants, scratch, waitFor } from '../test/peers/fixture.ts'
import { calibrate, cpuGroup, median, threadSeconds } from './fixture.ts'
import { cycle } from './fixture-cycles.ts'
import { type Deep, type Kept, keptIn, startDeep } from './fixture-deep.ts'
import { httpLoad } from './fixture-load.ts'
import { commandLine } from './fixture-options.ts'
import { type Standing, standing } from './fixture-standing.ts'

const {
  sizes: SIZES,
  messages: MESSAGES,
  rounds: ROUNDS,
  cycles: CYCLES,
  day: DAY,
  keep: KEEP,
  seconds: SECONDS,
  turns: TURNS,
} = commandLine({
  ...{ sizes: [10_000, 100_000, 1_000_000], messages: 3_000, rounds: 3 },
  ...{ cycles: 0, day: 20_000, keep: '', seconds: 200, turns: 3 },
})
const CONNECTIONS = 32
/** Sent before anything is measured: a process's first emails cost more, which would favor whatever is measured later. */
const WARM = 6_000
/** Emails in the tables before the first cycle. */
const FEW = 10_000
const LIMIT_MS = 120_000

interface Cost {
  readonly node: number
  readonly postgres: number
}

// PostgreSQL's helper processes come and go: what the group has spent beyond Node's threads is PostgreSQL's.
const cpu = cpuGroup('growth')

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
  readonly tables: string
  readonly together: number
  readonly signs: number
}

async function measure(deep: Deep, tables: string): Promise<Row> {
  await round(deep, 1_000) // warm
  const signs = calibrate()
  const rounds: Cost[] = []
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round(deep, MESSAGES))
  const of = (value: (cost: Cost) => number): number => Number(median(rounds.map(value)).toFixed(3))
  const row = {
    tables,
    node: of(({ node }) => node),
    postgres: of(({ postgres }) => postgres),
    together: of(({ node, postgres }) => node + postgres),
    signs: Math.round(signs),
  }
  console.error(JSON.stringify(row))
  return row
}

async function counted(deep: Deep): Promise<void> {
  for (const pid of await descendants(deep.posthorn.running.child.pid ?? 0)) cpu.add(pid)
}

async function bySize(folder: string): Promise<readonly Row[]> {
  await using deep = await startDeep(folder)
  await counted(deep)
  const rows: Row[] = []
  await round(deep, WARM)
  let filled = WARM
  for (const size of SIZES) {
    await deep.fill(size - filled, 'delivered')
    await deep.settle(600_000)
    filled = size
    rows.push(await measure(deep, `${size} emails`))
  }
  return rows
}

async function made(folder: string): Promise<Kept> {
  const known = keptIn(folder)
  if (known !== null) return known
  await mkdir(folder, { recursive: true })
  await using deep = await startDeep(folder)
  await deep.fill(FEW, 'delivered')
  await deep.settle(LIMIT_MS)
  const kept = keptIn(folder)
  if (kept === null) throw new Error(`${folder} has kept nothing`)
  return kept
}

/** @returns null: more cycles are left for another run */
async function byCycles(folder: string): Promise<readonly Row[] | null> {
  const sides = ['young', 'old'].map((name) => ({ name, folder: path.join(folder, name) }))
  await made(path.join(folder, 'young'))
  const old = await made(path.join(folder, 'old'))
  const seconds = KEEP === '' ? Number.POSITIVE_INFINITY : SECONDS
  const { account_id: accountId } = old.account
  const done = await cycle({ folder: path.join(folder, 'old'), accountId, cycles: CYCLES, perDay: DAY, seconds })
  console.error(JSON.stringify(done))
  if (done.accepted < CYCLES) {
    console.log(`${done.accepted} of ${CYCLES} cycles: the same command goes on`)
    return null
  }
  const rows: Row[] = []
  const stands: Record<string, readonly Standing[]> = {}
  for (let turn = 0; turn < TURNS; turn++) {
    for (const side of sides) {
      await using deep = await startDeep(side.folder)
      await counted(deep)
      stands[side.name] ??= await standing(deep.adminUrl)
      if (turn === 0) await deep.settle(LIMIT_MS) // so that measurements do not pay for vacuuming after the cycles
      await round(deep, WARM)
      rows.push(await measure(deep, side.name))
    }
  }
  for (const [name, tables] of Object.entries(stands)) {
    console.log(name)
    console.table(tables)
  }
  console.log(JSON.stringify(stands))
  return [...rows, ...sides.map(({ name }) => medianOf(rows.filter(({ tables }) => tables === name)))]
}

function medianOf(rows: readonly Row[]): Row {
  const of = (value: (row: Row) => number): number => Number(median(rows.map(value)).toFixed(3))
  return {
    tables: `${rows[0]?.tables}, median`,
    node: of(({ node }) => node),
    postgres: of(({ postgres }) => postgres),
    together: of(({ together }) => together),
    signs: of(({ signs }) => signs),
  }
}

async function main(): Promise<void> {
  await using own = KEEP === '' ? await scratch('bench-growth') : null
  const folder = own?.path ?? KEEP
  const rows = CYCLES > 0 ? await byCycles(folder) : await bySize(folder)
  if (rows === null) return
  const first = CYCLES > 0 ? rows.at(-2) : rows[0]
  const table = rows.map((row) => ({ ...row, of_first: Number((row.together / (first?.together ?? 1)).toFixed(3)) }))
  console.table(table)
  console.log(JSON.stringify(table))
}

await main()
