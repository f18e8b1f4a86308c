// What a deep queue costs: claims, start, memory and pages with a thousand and with a million emails queued.
//
//   npm run bench -- depth [--depths 1000,1000000] [--seconds 25]
//
// There are 1,000 destinations; one holds half of the queue and refuses. The others are delivered to smtp-sink during the
// measurement, and a short queue is refilled to its depth. A node of the benchmark, next to the product's, times claims: it
// takes at most as many rows as the product and hands them back. Their time is split into the server's CPU, waiting for a
// core, the benchmark's own CPU and the rest, which is disk and locks. Also shown: the time of synced 8 KB writes just before,
// and (`alone`) claims and pages while nothing is delivered. Memory: the resident set of Node, the proportional set of
// PostgreSQL's processes. Needs root, bind9 and postfix (smtp-sink); each depth has a data folder of its own.

import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { descendants, scratch } from '../test/peers/fixture.ts'
import { syncs } from './fixture.ts'
import { type Claim, type Deep, startDeep } from './fixture-deep.ts'
import { commandLine } from './fixture-options.ts'
import { percentile } from './fixture-world.ts'

const { depths: DEPTHS, seconds: SECONDS } = commandLine({ depths: [1_000, 1_000_000], seconds: 25 })

const today = new Date().toISOString().slice(0, 10)
const LISTS = [
  '/api/v1/emails?limit=50',
  '/api/v1/emails?limit=50&status=queued',
  '/api/v1/emails?limit=50&recipient=user4711@refuses.dest.test',
  '/api/v1/emails?limit=50&offset=2000',
  '/api/v1/events?limit=50',
]
const STATISTICS = ['', '/sends', '/bounces', '/opens'].map((name) => `/api/v1/stats/outbound${name}?to_date=${today}`)

async function pages(deep: Deep, paths: readonly string[], rounds: number): Promise<readonly number[]> {
  const took: number[] = []
  for (let i = 0; i < rounds; i++) {
    for (const where of paths) {
      const began = performance.now()
      const { status, body } = await deep.posthorn.call(deep.account.api_key, 'GET', where)
      took.push(performance.now() - began)
      if (status !== 200) throw new Error(`${where}: ${JSON.stringify(body)}`)
    }
  }
  return took
}

const LIST_ROUNDS = 6
/** 100 calls: with fewer, the p95 is a single call. */
const STATISTICS_ROUNDS = 25

/** Shortest time over which PostgreSQL's memory is sampled, about ten times, while email is delivered. */
const MEMORY_MS = 5_000

const MB = 1_048_576
const PAGE_BYTES = 4_096

/** Resident memory of Node, in MB: of the product's only process that is not PostgreSQL's. */
function nodeMb(pid: number): number {
  const [, resident = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return (Number(resident) * PAGE_BYTES) / MB
}

/** The largest proportional set of a PostgreSQL process, in MB. Takes about 50 ms, which block this process. */
async function postgresMb(root: number): Promise<number> {
  const shares = (await descendants(root)).map((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')) return 0
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
    } catch {
      return 0 // it has ended meanwhile
    }
  })
  return Math.max(...shares) / 1_024
}

function shareOf(claims: readonly Claim[], part: keyof Claim, share: number): number {
  return percentile(
    claims.map((claim) => claim[part]),
    share,
  )
}

/** The cost of the depth without competition for the cores: claims and pages while nothing is delivered. */
async function alone(deep: Deep): Promise<Record<string, number>> {
  await deep.restart('api,worker')
  const claims = await deep.claims((SECONDS * 1_000) / 4)
  const lists = await pages(deep, LISTS, LIST_ROUNDS)
  const statistics = await pages(deep, STATISTICS, STATISTICS_ROUNDS)
  return {
    alone_claim_p50_ms: shareOf(claims, 'ms', 0.5),
    alone_claim_p99_ms: shareOf(claims, 'ms', 0.99),
    alone_claim_cpu_p99_ms: shareOf(claims, 'cpuMs', 0.99),
    alone_claim_rest_p99_ms: shareOf(claims, 'restMs', 0.99),
    alone_list_max_ms: Math.max(...lists),
    alone_statistics_p50_ms: percentile(statistics, 0.5),
    alone_statistics_p95_ms: percentile(statistics, 0.95),
  }
}

async function measure(folder: string, depth: number): Promise<Record<string, number>> {
  await mkdir(folder)
  await using deep = await startDeep(folder)
  await deep.restart('api,worker') // nothing is delivered while the queue is filled
  const began = performance.now()
  await deep.fill(depth, 'queued')
  await deep.settle(300_000)
  console.error(`${depth} queued after ${Math.round((performance.now() - began) / 1_000)} s`)
  const synced = syncs(folder)
  const startMs = await deep.restart()
  const root = deep.posthorn.running.child.pid ?? 0
  const until = performance.now() + SECONDS * 1_000
  const most = { node: 0, postgres: await postgresMb(root) }
  let running = true
  // Summing PostgreSQL's memory would delay answers and be measured with the claims and pages, so it stops while they are timed.
  let timing = true
  const watching = async (): Promise<void> => {
    while (running) {
      most.node = Math.max(most.node, nodeMb(root))
      if (!timing) most.postgres = Math.max(most.postgres, await postgresMb(root))
      const missing = depth <= 10_000 ? depth - (await deep.ready()) : 0
      if (missing > depth / 2) await deep.fill(missing, 'queued')
      await delay(500)
    }
  }
  const before = deep.sink.count()
  const watch = watching()
  const claims = await deep.claims((SECONDS * 1_000) / 2)
  const rate = (deep.sink.count() - before) / (SECONDS / 2)
  const lists = await pages(deep, LISTS, LIST_ROUNDS)
  const statistics = await pages(deep, STATISTICS, STATISTICS_ROUNDS)
  timing = false
  await delay(Math.max(until - performance.now(), MEMORY_MS))
  running = false
  await watch
  return {
    depth,
    still_queued: await deep.ready(),
    start_ms: startMs,
    claim_p50_ms: shareOf(claims, 'ms', 0.5),
    claim_p99_ms: shareOf(claims, 'ms', 0.99),
    claim_cpu_p50_ms: shareOf(claims, 'cpuMs', 0.5),
    claim_cpu_p99_ms: shareOf(claims, 'cpuMs', 0.99),
    claim_core_p50_ms: shareOf(claims, 'coreMs', 0.5),
    claim_core_p99_ms: shareOf(claims, 'coreMs', 0.99),
    claim_own_p99_ms: shareOf(claims, 'ownMs', 0.99),
    claim_rest_p50_ms: shareOf(claims, 'restMs', 0.5),
    claim_rest_p99_ms: shareOf(claims, 'restMs', 0.99),
    sync_p50_ms: percentile(synced, 0.5),
    sync_p99_ms: percentile(synced, 0.99),
    delivered_per_second: rate,
    list_p50_ms: percentile(lists, 0.5),
    list_p95_ms: percentile(lists, 0.95),
    list_max_ms: Math.max(...lists),
    statistics_p50_ms: percentile(statistics, 0.5),
    statistics_p95_ms: percentile(statistics, 0.95),
    node_mb: most.node,
    postgres_mb: most.postgres,
    ...(await alone(deep)),
  }
}

await using folder = await scratch('bench-depth')
const rows: Record<string, number>[] = []
for (const depth of DEPTHS) {
  const figures = await measure(path.join(folder.path, String(depth)), depth)
  const row = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(1))]))
  console.error(JSON.stringify(row))
  rows.push(row)
}
console.table(rows)
console.log(JSON.stringify(rows))
