// Acceptance by REST: latency of POST /api/v1/send at 100, 500 and 1,000 a second, and the highest rate, on slower disks too.
//
//   npm run bench -- accept [--rounds 5] [--seconds 4] [--rates 100,500,1000] [--added 0,1,5] [--connections 64]
//
// Posthorn runs with the role api and a test key; each call has 10 KB of html and text and is answered 202 after its commit.
// PostgreSQL is Debian's (fsync on); a library that is compiled here and loaded only into its processes delays each fsync by
// the given milliseconds. Calls start on schedule, whatever became of earlier ones, and their latency counts from then. The
// highest rate is that of 64 connections that call again as soon as they are answered. Rounds are interleaved; p50, p99 and
// the rate are medians of the rounds, p99.9 is over all calls. Client, service and database share the machine. Needs root,
// postgresql and a C compiler.

import { chmod, writeFile } from 'node:fs/promises'
import http from 'node:http'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { run, scratch } from '../test/peers/fixture.ts'
import { startPostgres } from '../test/peers/postgres.ts'
import { startPosthorn } from '../test/peers/posthorn.ts'
import { calibrate, median, receipt } from './fixture.ts'
import { httpLoad } from './fixture-load.ts'
import { commandLine } from './fixture-options.ts'
import { percentile } from './fixture-world.ts'

const {
  rounds: ROUNDS,
  seconds: SECONDS,
  rates: RATES,
  added: ADDED_MS,
  connections: CONNECTIONS,
} = commandLine({ rounds: 5, seconds: 4, rates: [100, 500, 1_000], added: [0, 1, 5], connections: 64 })

// The microseconds to wait are in a file that all processes map, so that they can change while the server runs.
const SHIM = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile unsigned *added;
__attribute__((constructor)) static void begin(void) {
  const char *file = getenv("BENCH_FSYNC_FILE");
  int fd = file ? open(file, O_RDONLY) : -1;
  void *at = fd < 0 ? MAP_FAILED : mmap(0, sizeof *added, PROT_READ, MAP_SHARED, fd, 0);
  if (at != MAP_FAILED) added = at;
  if (fd >= 0) close(fd);
}
static int slowly(const char *name, int fd) {
  if (added && *added) usleep(*added);
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}
int fsync(int fd) { return slowly("fsync", fd); }
int fdatasync(int fd) { return slowly("fdatasync", fd); }
`

interface SlowDisk {
  readonly env: Record<string, string>
  add(ms: number): Promise<void>
}

async function slowDisk(folder: string): Promise<SlowDisk> {
  const source = path.join(folder, 'slow-fsync.c')
  const library = path.join(folder, 'slow-fsync.so')
  const file = path.join(folder, 'added-us')
  const add = async (ms: number): Promise<void> => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(ms * 1_000)
    await writeFile(file, bytes, { flag: 'r+' }).catch(() => writeFile(file, bytes))
  }
  await add(0)
  await writeFile(source, SHIM)
  await run('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'])
  for (const one of [library, file]) await chmod(one, 0o755)
  return { env: { LD_PRELOAD: library, BENCH_FSYNC_FILE: file }, add }
}

/** Calls at a steady rate. @returns the latency of each call in milliseconds, from when it was due */
async function latencies(call: () => Promise<void>, perSecond: number): Promise<readonly number[]> {
  const began = performance.now()
  const one = async (number: number): Promise<number> => {
    const due = began + (number / perSecond) * 1_000
    await delay(Math.max(0, due - performance.now()))
    await call()
    return performance.now() - due
  }
  return Promise.all(Array.from({ length: perSecond * SECONDS }, (_, number) => one(number)))
}

/** One call over a free connection of the agent; it waits when there is none. */
function caller(url: string, key: string, body: string, agent: http.Agent): () => Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return () =>
    new Promise((resolve, reject) => {
      const request = http.request(url, { method: 'POST', headers, agent }, (reply) => {
        reply.resume()
        reply.on('end', () => (reply.statusCode === 202 ? resolve() : reject(new Error(`${reply.statusCode}`))))
      })
      request.on('error', reject)
      request.end(body)
    })
}

await using stack = new AsyncDisposableStack()
const folder = stack.use(await scratch('accept')).path
await chmod(folder, 0o711)
const disk = await slowDisk(folder)
const postgres = stack.use(await startPostgres(folder, disk.env))
const posthorn = stack.use(
  await startPosthorn(folder, {
    DATABASE_URL: postgres.url,
    POSTHORN_ROLES: 'api',
    POSTHORN_RATE_LIMITS: 'off',
  }),
)
const { api_key: live, test_api_key: key } = await posthorn.account('Bench')
await posthorn.call(live, 'POST', '/api/v1/customer/domains', { domain: 'shop.example' })
const { subject, html, text } = receipt()
const body = JSON.stringify({ from: 'Shop <news@shop.example>', to: 'user@dest.test', subject, html, text })
const url = `${posthorn.url}/api/v1/send`
const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS * 4 })
const call = caller(url, key, body, agent)
const load = httpLoad(url, key, body, CONNECTIONS)
stack.defer(() => load.close())
stack.defer(() => agent.destroy())

interface Rounds {
  readonly name: string
  readonly addedMs: number
  /** Calls a second. Null: the highest rate. */
  readonly rate: number | null
  readonly times: (readonly number[])[]
  readonly perSecond: number[]
}

const rows: Rounds[] = ADDED_MS.flatMap((addedMs) =>
  [...RATES, null].map((rate) => ({
    ...{ name: `${rate ?? 'most'}/s, ${addedMs} ms added`, addedMs, rate },
    ...{ times: [], perSecond: [] },
  })),
)

/** Makes about as many calls as fit into the wanted time at the previous rate. */
async function highest(row: Rounds): Promise<void> {
  const calls = Math.round((row.perSecond.at(-1) ?? 300) * SECONDS)
  const began = performance.now()
  await load.send(calls)
  row.perSecond.push((calls * 1_000) / (performance.now() - began))
}

const signs: number[] = []
await load.send(2_000) // warm
for (let round = 0; round < ROUNDS; round++) {
  signs.push(calibrate())
  for (const row of rows) {
    await disk.add(row.addedMs)
    if (row.rate === null) await highest(row)
    else row.times.push(await latencies(call, row.rate))
  }
  console.error(`round ${round + 1} of ${ROUNDS}`)
}

const rounded = (value: number): number => Math.round(value * 10) / 10
const table = rows.map(({ name, addedMs, rate, times, perSecond }) => ({
  ...{ name, added_ms: addedMs },
  ...(rate === null
    ? { per_second: Math.round(median(perSecond)) }
    : {
        per_second: rate,
        p50_ms: rounded(median(times.map((one) => percentile(one, 0.5)))),
        p99_ms: rounded(median(times.map((one) => percentile(one, 0.99)))),
        p999_ms: rounded(percentile(times.flat(), 0.999)),
      }),
}))
console.table(table)
console.log(JSON.stringify({ rounds: ROUNDS, seconds: SECONDS, rsa2048_signs_per_second: median(signs), table }))
