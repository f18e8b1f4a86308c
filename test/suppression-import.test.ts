// Exporting and importing a whole list over HTTP, in memory that does not grow with the list: the service is a process of its
// own, with the roles it has in operation and nothing else in it. `ROWS=1000000` for the long form.
//
// The test bounds the difference between the memory after a first list of some thousand rows, which loads code and fills
// pools, and the peak while the long list goes in and out. V8 lets a heap grow to a multiple of its live data, more so on
// machines with more memory; the limit here is the one it chooses with 4 GB.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { createAccount, passwords } from '../src/modules/accounts/index.ts'
import { systemClock } from '../src/platform/clock.ts'
import { connect } from '../src/platform/db.ts'
import { systemIds } from '../src/platform/ids.ts'
import { secretsFrom } from '../src/platform/secrets.ts'
import { freshDb } from './world/database.ts'

const ROWS = Number(process.env['ROWS'] ?? 20_000)
const FIRST_ROWS = 5_000
const BAD_EVERY = 997
/** V8 lets a busy heap grow before it is swept, however little of it is live. */
const MOST_MB = ROWS > 150_000 ? 128 : 40
const FLAGS = ['--max-semi-space-size=16', '--max-old-space-size=1024']
const KEY = 'a secret of the tests that nobody else has'
const PATH = '/api/v1/customer/suppressions'

function* lines(rows: number, name: string): Generator<string> {
  yield 'email,reason\n'
  for (let row = 1; row <= rows; row++) {
    yield row % BAD_EVERY === 0 ? `not an address ${row},manual\n` : `${name}${row}@list${row % 97}.example,manual\n`
  }
}

function body(rows: number, name: string): ReadableStream<Uint8Array> {
  const source = lines(rows, name)
  return new ReadableStream({
    pull: (controller) => {
      let text = ''
      while (text.length < 65_536) {
        const { value, done } = source.next()
        if (done === true) {
          if (text !== '') controller.enqueue(Buffer.from(text))
          controller.close()
          return
        }
        text += value
      }
      controller.enqueue(Buffer.from(text))
    },
  })
}

interface Service extends AsyncDisposable {
  readonly url: string
  readonly apiKey: string
  /** Resident memory in MB; null where the system does not report it. */
  memoryMb(): number | null
}

async function startService(): Promise<Service> {
  const stack = new AsyncDisposableStack()
  const database = stack.use(await freshDb())
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-import-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const [port = 0, ...others] = await freePorts(4)
  const child = spawn(process.execPath, [...FLAGS, path.join(import.meta.dirname, 'world', 'worker-process.ts')], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: database.url,
      POSTHORN_DATA_DIR: dataDir,
      POSTHORN_SECRET_KEY: KEY,
      POSTHORN_HTTP_PORT: String(port),
      POSTHORN_SUBMISSION_PORT: String(others[0]),
      POSTHORN_SUBMISSION_TLS_PORT: String(others[1]),
      POSTHORN_MX_PORT: String(others[2]),
      POSTHORN_DELIVERY: 'sandbox',
      POSTHORN_RATE_LIMITS: 'off',
      POSTHORN_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  stack.defer(() => ended(child))
  await Promise.race([
    new Promise<void>((resolve) => {
      child.stdout?.on('data', (said: Buffer) => said.includes('ready') && resolve())
    }),
    once(child, 'exit').then(() => Promise.reject(new Error('the service did not start'))),
  ])
  const operator = connect({ url: database.url, onError: () => undefined })
  const clock = systemClock()
  const ids = systemIds(() => clock.now().getTime())
  const secrets = secretsFrom(Buffer.from(KEY))
  const context = { database: operator, secrets, ids, clock, passwords: passwords(ids.bytes) }
  const { apiKey } = await createAccount(context, { email: 'owner@posthorn.test', name: 'Test' })
  await operator.close()
  const owned = stack.move()
  return {
    url: `http://127.0.0.1:${port}`,
    apiKey,
    memoryMb: () => memoryOf(child.pid),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = net.createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

function memoryOf(pid: number | undefined): number | null {
  const file = `/proc/${pid}/status`
  const kilobytes = existsSync(file) ? /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(file, 'latin1'))?.[1] : undefined
  return kilobytes === undefined ? null : Number(kilobytes) / 1_024
}

interface Answer {
  readonly imported: number
  readonly errors: readonly { readonly line: number }[]
}

async function taken({ url, apiKey }: Service, rows: number, name: string): Promise<Answer> {
  const answer = await fetch(`${url}${PATH}/import`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'text/csv' },
    body: body(rows, name),
    duplex: 'half',
  } as RequestInit)
  assert.equal(answer.status, 200)
  return ((await answer.json()) as { data: Answer }).data
}

async function given({ url, apiKey }: Service): Promise<{ readonly lines: number; readonly bytes: number }> {
  const out = await fetch(`${url}${PATH}/export`, { headers: { 'x-api-key': apiKey } })
  let [newlines, bytes] = [0, 0]
  for await (const piece of out.body ?? []) {
    bytes += piece.length
    for (const byte of piece as Uint8Array) if (byte === 0x0a) newlines++
  }
  return { lines: newlines, bytes }
}

test(`${ROWS} rows are imported and exported in bounded memory, and bad rows are reported with their line`, {
  timeout: 900_000,
}, async (t) => {
  await using service = await startService()
  await taken(service, FIRST_ROWS, 'first')
  await given(service)
  const before = service.memoryMb()
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, service.memoryMb() ?? 0)
  }, 20)
  try {
    const began = performance.now()
    const { imported, errors } = await taken(service, ROWS, 'reader')
    const importedMs = performance.now() - began
    const mostIn = most
    const bad = Math.floor(ROWS / BAD_EVERY)
    assert.equal(imported, ROWS - bad)
    // The first 1,000 are listed.
    assert.deepEqual(
      errors.map(({ line }) => line),
      Array.from({ length: Math.min(bad, 1_000) }, (_, i) => (i + 1) * BAD_EVERY + 1),
    )
    const exportBegan = performance.now()
    const out = await given(service)
    const exportedMs = performance.now() - exportBegan
    assert.equal(out.lines, 1 + FIRST_ROWS - Math.floor(FIRST_ROWS / BAD_EVERY) + ROWS - bad)
    t.diagnostic(
      `in: ${Math.round(importedMs)} ms, out: ${Math.round(exportedMs)} ms (${Math.round(out.bytes / 1e6)} MB); ${Math.round(before ?? 0)} MB before, at most ${Math.round(mostIn)} MB going in, ${Math.round(most)} MB in all`,
    )
  } finally {
    clearInterval(watch)
  }
  if (before === null) t.diagnostic('this system does not tell the memory of a process')
  else assert.ok(most - before < MOST_MB, `${Math.round(most - before)} MB more`)
})
