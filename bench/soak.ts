// What hours of work leave behind: memory, open files, dead rows and the time of a claim.
//
//   npm run bench -- soak [--rate 300] [--minutes 120] [--full 10] [--idle 3]
//
// Sends 10 KB emails by REST to smtp-sink, --rate a second for --minutes, then as fast as possible for `full` minutes, then
// nothing. Heap: the minimum of each minute, which is what garbage collection left, and its slope over the second half of the
// steady load, in MB per ten minutes. Files: those of the product's process, at rest before and after. Also the p99 of a claim
// before and after. Bars: slope under 1 MB, at most 5 files more than before, a claim at most twice as long. Needs root, bind9
// and postfix (smtp-sink).

import { readdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { scratch, waitFor } from '../test/peers/fixture.ts'
import { startDeep } from './fixture-deep.ts'
import { httpLoad, type Load } from './fixture-load.ts'
import { commandLine } from './fixture-options.ts'
import { percentile } from './fixture-world.ts'

const {
  rate: RATE,
  minutes: MINUTES,
  full: FULL_MINUTES,
  idle: IDLE_MINUTES,
} = commandLine({ rate: 300, minutes: 120, full: 10, idle: 3 })
const CONNECTIONS = 32
const WARM = 12_000
const CLAIMS_MS = 10_000
const DRAINED_WITHIN_MS = 300_000
const MB = 1_048_576

interface Minute {
  readonly heapMb: number
  readonly residentMb: number
}

await using folder = await scratch('bench-soak')
await using deep = await startDeep(folder.path)
const pid = deep.posthorn.running.child.pid ?? 0
const files = (): number => readdirSync(`/proc/${pid}/fd`).length
const connected = (): Load => httpLoad(`${deep.posthorn.url}/api/v1/send`, deep.account.api_key, deep.body, CONNECTIONS)
let load = connected()
let sent = 0
const first = deep.sink.count()
const send = async (messages: number): Promise<void> => {
  await load.send(messages)
  sent += messages
}
const drained = (): Promise<unknown> =>
  waitFor('the last delivery', async () => deep.sink.count() - first >= sent, DRAINED_WITHIN_MS)

async function memory(): Promise<Minute> {
  const text = await (await fetch(`${deep.posthorn.url}/metrics`)).text()
  const of = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]) / MB
  return { heapMb: of('nodejs_heap_size_used_bytes'), residentMb: of('process_resident_memory_bytes') }
}

/** Works for this many minutes. @returns the minimum of each */
async function minutes(many: number, second: () => Promise<void>): Promise<readonly Minute[]> {
  const found: Minute[] = []
  for (let minute = 1; minute <= many; minute++) {
    const end = performance.now() + 60_000
    let least: Minute = { heapMb: Number.POSITIVE_INFINITY, residentMb: Number.POSITIVE_INFINITY }
    while (performance.now() < end) {
      await second()
      const { heapMb, residentMb } = await memory()
      least = { heapMb: Math.min(least.heapMb, heapMb), residentMb: Math.min(least.residentMb, residentMb) }
    }
    found.push(least)
    const { heapMb, residentMb } = least
    console.error(
      `${minute}: ${sent} sent, heap ${heapMb.toFixed(1)}, resident ${residentMb.toFixed(0)} MB, ${files()} files`,
    )
  }
  return found
}

/** Slope of the least-squares line, per step. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const over = values.reduce((sum, value, i) => sum + (i - middle) * (value - mean), 0)
  return over / values.reduce((sum, _, i) => sum + (i - middle) ** 2, 0)
}

const claimP99 = async (): Promise<number> =>
  percentile(
    (await deep.claims(CLAIMS_MS)).map(({ ms }) => ms),
    0.99,
  )

await send(WARM)
load.close()
await drained()
await delay(60_000)
const base = { files: files(), claimP99: await claimP99() }
load = connected()
const even = await minutes(MINUTES, async () => {
  const next = performance.now() + 1_000
  await send(RATE)
  await delay(Math.max(0, next - performance.now()))
})
const half = even.slice(even.length >> 1).map(({ heapMb }) => heapMb)
const full = await minutes(FULL_MINUTES, () => send(1_000))
load.close()
await drained()
const rest = await minutes(IDLE_MINUTES, () => delay(1_000))
const figures = {
  sent,
  delivered: deep.sink.count() - first,
  heap_mb_first: even[0]?.heapMb ?? 0,
  heap_mb_last: even.at(-1)?.heapMb ?? 0,
  heap_mb_per_10_minutes: slope(half) * 10,
  heap_mb_full: full.at(-1)?.heapMb ?? 0,
  heap_mb_at_rest: rest.at(-1)?.heapMb ?? 0,
  resident_mb_at_rest: rest.at(-1)?.residentMb ?? 0,
  files_before: base.files,
  files_after: files(),
  claim_p99_ms_before: base.claimP99,
  claim_p99_ms_after: await claimP99(),
}
const row = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(2))]))
console.table([row])
console.log(JSON.stringify(row))
