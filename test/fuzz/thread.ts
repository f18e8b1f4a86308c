// The thread that fuzzes one target. It writes each input into shared memory before running it, so that the driver knows the
// input when the thread hangs or dies. An input that breaks a promise, or takes more than a second of the thread's CPU
// time, is shrunk while it still does so, and reported.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { MAX_BYTES, mutate, type Random, randomOf, type Target } from './frame.ts'
import { type Job, SHARED_HEAD_BYTES, type WorkerReport } from './job.ts'

const SLOW_MS = 1_000
const POOL_MOST = 2_000
const POOL_BYTES = 64 * 1_048_576
const FINDINGS_MOST = 10
const SMALLER_TRIES = 400
const SMALLER_WITHIN_MS = 5_000
const SEED_BYTES = 65_536

const job = workerData as Job
const { target } = (await import(`./targets/${job.target}.ts`)) as { readonly target: Target }
const maxBytes = target.maxBytes ?? MAX_BYTES
const head = new Int32Array(job.shared, 0, 2)
const bytes = new Uint8Array(job.shared, SHARED_HEAD_BYTES)
const random = randomOf(job.seed)
const pool = [
  ...target.seeds.map((seed) => Buffer.from(seed)),
  ...job.kept.map((one) => Buffer.from(one)),
  ...corpora(),
]
const sorts = new Set<string>()
const told = new Set<string>()
let executions = 0
let slowestMs = 0
let poolBytes = 0

function corpora(): Buffer[] {
  if (job.corpora === null) return []
  return (target.corpora ?? []).flatMap((folder) => {
    const place = path.join(job.corpora ?? '', folder)
    return readdirSync(place, { withFileTypes: true })
      .filter((one) => one.isFile())
      .map(({ name }) => name)
      .sort()
      .map((name) => readFileSync(path.join(place, name)).subarray(0, SEED_BYTES))
  })
}

/** @returns why the input is a finding; null: the promises hold. */
async function tried(input: Buffer, chance: Random): Promise<string | null> {
  bytes.set(input)
  head[1] = input.length
  Atomics.add(head, 0, 1)
  executions++
  const before = process.threadCpuUsage()
  try {
    const sort = await target.run(input, chance)
    const { user, system } = process.threadCpuUsage(before)
    const tookMs = (user + system) / 1_000
    slowestMs = Math.max(slowestMs, tookMs)
    if (tookMs > SLOW_MS) return `took more than ${SLOW_MS} ms`
    // A copy: a substring would keep the whole input in memory.
    const known = Buffer.from(sort).toString()
    if (!sorts.has(known)) {
      sorts.add(known)
      grow(input)
    }
    return null
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

function grow(input: Buffer): void {
  poolBytes += input.length
  if (pool.length < POOL_MOST && poolBytes < POOL_BYTES) pool.push(Buffer.from(input))
}

async function tell(input: Buffer, what: string): Promise<void> {
  const where = what.split('\n').slice(0, 3).join('\n').replaceAll(/\d+/g, '#').slice(0, 300)
  if (told.has(where)) return
  told.add(where)
  const small = await smaller(input, what)
  parentPort?.postMessage({ finding: { what, input: new Uint8Array(small) } } satisfies WorkerReport)
}

/** The smallest input found that still gives the same finding. */
async function smaller(input: Buffer, what: string): Promise<Buffer> {
  const first = what.split('\n', 1)[0]
  let kept = input
  let tries = 0
  const until = performance.now() + SMALLER_WITHIN_MS
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length && tries < SMALLER_TRIES && performance.now() < until; tries++) {
      const less = Buffer.concat([kept.subarray(0, at), kept.subarray(at + size)])
      const again = await tried(less, randomOf(seedOf(less)))
      if (again?.split('\n', 1)[0] === first) kept = less
      else at += size
    }
  }
  return kept
}

/** The target's own randomness depends only on the input, so that a kept input fails the same way again. */
function seedOf(input: Buffer): number {
  return createHash('sha256').update(input).digest().readUInt32LE(0)
}

const until = performance.now() + job.forMs
for (const input of [...pool]) {
  if (performance.now() > until && executions >= job.kept.length + target.seeds.length) break
  const broken = await tried(input, randomOf(seedOf(input)))
  if (broken !== null) await tell(input, broken)
}
while (performance.now() < until && told.size < FINDINGS_MOST) {
  const made = target.make !== undefined && random.below(10) === 0 ? target.make(random) : random.pick(pool)
  const input = mutate(made, random, { others: pool, words: target.words, maxBytes })
  const broken = await tried(input, randomOf(seedOf(input)))
  if (broken !== null) await tell(input, broken)
}
parentPort?.postMessage({ done: { executions, sorts: sorts.size, slowestMs } } satisfies WorkerReport)
