// Runs a target in its own thread, and detects what the thread cannot report itself: a hang, exhausted memory, an uncaught
// error. Each of these ends the thread and becomes a finding with the current input. A new thread with the next seed uses
// the remaining time.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { MAX_BYTES } from './frame.ts'
import { type Finding, type Job, SHARED_HEAD_BYTES, type WorkerReport } from './job.ts'

const CRASHES = path.join(import.meta.dirname, 'crashes')
const HANGS_AFTER_MS = 15_000
const LOOK_MS = 500
const MEMORY_MB = 256
const LARGEST_BYTES = 16 * MAX_BYTES

export interface Campaign {
  readonly target: string
  readonly seed: number
  readonly forMs: number
  readonly corpora: string | null
}

export interface Result {
  readonly executions: number
  readonly sorts: number
  readonly slowestMs: number
  readonly findings: readonly Finding[]
}

export function targetNames(): readonly string[] {
  return readdirSync(path.join(import.meta.dirname, 'targets'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.basename(file, '.ts'))
    .sort()
}

export async function fuzz({ target, seed, forMs, corpora }: Campaign): Promise<Result> {
  const kept = keptOf(target)
  const until = performance.now() + forMs
  let sum: Result = { executions: 0, sorts: 0, slowestMs: 0, findings: [] }
  for (let round = 0; round === 0 || performance.now() < until; round++) {
    const shared = new SharedArrayBuffer(SHARED_HEAD_BYTES + LARGEST_BYTES)
    const leftMs = Math.max(0, until - performance.now())
    // Only the first thread runs the kept inputs: one that ends its thread would end the next thread too.
    const job = { target, seed: seed + round, forMs: leftMs, corpora, kept: round === 0 ? kept : [], shared }
    const one = await watched(job)
    sum = {
      executions: sum.executions + one.executions,
      sorts: Math.max(sum.sorts, one.sorts),
      slowestMs: Math.max(sum.slowestMs, one.slowestMs),
      findings: [...sum.findings, ...one.findings],
    }
    if (one.ended || sum.findings.length >= 10) break
  }
  return sum
}

function watched(job: Job): Promise<Result & { readonly ended: boolean }> {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })
  const head = new Int32Array(job.shared, 0, 2)
  const findings: Finding[] = []
  const underWay = (what: string): Finding => ({
    what,
    input: new Uint8Array(job.shared, SHARED_HEAD_BYTES, head[1] ?? 0).slice(),
  })
  return new Promise((resolve) => {
    let seen = -1
    let since = performance.now()
    const end = (told: WorkerReport['done'] | null): void => {
      clearInterval(looking)
      const { executions, sorts, slowestMs } = told ?? { executions: head[0] ?? 0, sorts: 0, slowestMs: 0 }
      worker.removeAllListeners()
      worker.on('error', () => undefined)
      void worker.terminate().then(() => resolve({ executions, sorts, slowestMs, findings, ended: told !== null }))
    }
    const looking = setInterval(() => {
      if (head[0] !== seen) {
        seen = head[0] ?? 0
        since = performance.now()
      } else if (performance.now() - since > HANGS_AFTER_MS) {
        findings.push(underWay('hangs'))
        end(null)
      }
    }, LOOK_MS)
    worker.on('message', ({ finding, done }: WorkerReport) => {
      if (finding !== undefined) findings.push(finding)
      if (done !== undefined) end(done)
    })
    worker.on('error', (error) => {
      findings.push(underWay(error instanceof Error ? (error.stack ?? error.message) : String(error)))
      end(null)
    })
    worker.on('exit', () => {
      findings.push(underWay('the thread ended'))
      end(null)
    })
  })
}

/** Inputs that once broke the target. Every run tries them first. */
function keptOf(target: string): readonly Uint8Array[] {
  try {
    const folder = path.join(CRASHES, target)
    return readdirSync(folder)
      .sort()
      .map((file) => readFileSync(path.join(folder, file)))
  } catch {
    return []
  }
}

/** @returns the file, to be committed with the fix */
export function keep(target: string, { input }: Finding): string {
  const folder = path.join(CRASHES, target)
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, `${createHash('sha256').update(input).digest('hex').slice(0, 16)}.crash`)
  writeFileSync(file, input)
  return file
}
