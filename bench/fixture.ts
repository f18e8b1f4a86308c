// Shared parts of the comparison benchmarks: CPU time of a group of processes, calibration, medians, a counting sink.

import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { descendants, type Running, run, start, waitFor } from '../test/peers/fixture.ts'

/** The CPU time of all processes started in the group, ended ones included. Needs root and cgroups. */
export interface CpuGroup {
  /** Moves a process, and all that it starts later, into the group. */
  add(pid: number): void
  /** Seconds so far. */
  seconds(): number
}

export function cpuGroup(name: string): CpuGroup {
  const v1 = '/sys/fs/cgroup/cpuacct'
  const base = existsSync(v1) ? `${v1}/posthorn-bench-${name}` : `/sys/fs/cgroup/posthorn-bench-${name}`
  mkdirSync(base, { recursive: true })
  return {
    add: (pid) => writeFileSync(`${base}/cgroup.procs`, String(pid)),
    seconds: () => {
      if (existsSync(`${base}/cpuacct.usage`)) return Number(readFileSync(`${base}/cpuacct.usage`, 'utf8')) / 1e9
      const stat = readFileSync(`${base}/cpu.stat`, 'utf8')
      return Number(/usage_usec (\d+)/.exec(stat)?.[1] ?? 0) / 1e6
    },
  }
}

/** CPU seconds so far of a process's main thread: a PostgreSQL backend has no other. */
export function cpuSeconds(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9
}

/** CPU seconds so far of a product's threads by their purpose; ended ones (a vacuum, for example) are not counted. */
export async function threadSeconds(root: number): Promise<ReadonlyMap<string, number>> {
  const seconds = new Map<string, number>()
  for (const pid of await descendants(root)) {
    for (const tid of unlessEnded(() => readdirSync(`/proc/${pid}/task`)) ?? []) {
      const read = (file: string) => readFileSync(`/proc/${pid}/task/${tid}/${file}`, 'utf8')
      const [comm, stat] = unlessEnded(() => [read('comm').trim(), read('schedstat')] as const) ?? []
      if (comm === undefined || stat === undefined) continue
      const what = comm === 'postgres' ? comm : tid === String(pid) ? 'main thread' : comm
      seconds.set(what, (seconds.get(what) ?? 0) + Number(stat.split(' ')[0]) / 1e9)
    }
  }
  return seconds
}

/** What `read` finds of a process under /proc; undefined if the process ended before (ENOENT) or during the read (ESRCH). */
function unlessEnded<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

/** RSA-2048 signatures per second on one core: the machine's current speed. */
export function calibrate(): number {
  const out = execFileSync('openssl', ['speed', '-seconds', '1', 'rsa2048'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return Number(/^rsa 2048 bits\s+\S+\s+\S+\s+([\d.]+)/m.exec(out)?.[1] ?? 0)
}

/** Milliseconds of each of 100 synced writes of 8 KB, sorted: the disk's current speed. */
export function syncs(folder: string): readonly number[] {
  const file = openSync(path.join(folder, 'syncs'), 'w')
  try {
    const page = Buffer.alloc(8_192, 1)
    for (let at = 0; at < 100; at++) writeSync(file, page, 0, page.length, at * page.length)
    fsyncSync(file)
    return Array.from({ length: 100 }, (_, at) => {
      const began = performance.now()
      writeSync(file, page, 0, page.length, at * page.length)
      fdatasyncSync(file)
      return performance.now() - began
    }).sort((a, b) => a - b)
  } finally {
    closeSync(file)
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const high = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? high : (high + (sorted[middle - 1] ?? 0)) / 2
}

export interface Sink extends AsyncDisposable {
  /** Messages accepted since the start. */
  count(): number
}

/** Postfix's smtp-sink on a loopback port. */
export async function startSink(port: number): Promise<Sink> {
  const running: Running = start('smtp-sink', ['-c', '-u', 'root', '-m', '512', `127.0.0.1:${port}`, '1000'])
  await waitFor('smtp-sink', async () =>
    run('sh', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`.replace('sh', 'bash')]).then(
      () => true,
      () => true,
    ),
  )
  return {
    count: () => Number([...running.said().matchAll(/mesg=(\d+)/g)].at(-1)?.[1] ?? 0),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

const WORDS =
  'your order has been shipped and will arrive on Tuesday thank you for choosing our store please keep this receipt for your records total amount paid by card'.split(
    ' ',
  )

/** A receipt of about 10 KB as html and text, the same in every run. */
export function receipt(): { readonly subject: string; readonly html: string; readonly text: string } {
  let seed = 42
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return seed % below
  }
  const sentence = (words: number): string => Array.from({ length: words }, () => WORDS[next(WORDS.length)]).join(' ')
  let text = 'Grüezi Jürg,\n\n'
  while (text.length < 2_300) text += `${sentence(11)}.\n`
  let html =
    '<!doctype html><html><head><meta charset="utf-8"><title>Receipt</title></head><body><p>Grüezi Jürg,</p><table width="600">'
  while (html.length < 6_200) {
    html += `<tr><td style="padding:8px;border:1px solid #eee">${sentence(9)}</td><td><a href="https://example.test/t/${next(1e6)}">${sentence(2)}</a></td></tr>\n`
  }
  return { subject: 'Ihre Bestellung 4711 – Bestätigung', html: `${html}</table></body></html>`, text }
}
