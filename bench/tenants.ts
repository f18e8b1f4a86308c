// Many accounts on one instance: what it costs at rest, sign-ins of all of them, and the longest lists.
//
//   npm run bench -- tenants [--accounts 20000] [--suppressions 500000] [--contacts 300000] [--rest 60] [--calls 20]
//
// Each account has a verified domain, a branded name, a key, SMTP credentials and an endpoint; one has the long lists
// (fixture-tenants.ts). `rest` is the CPU of the processes while nothing happens, in percent of a core. Then every account calls
// the API once, and a part of them logs in by SMTP, over 32 connections. Pages are requested one at a time; `first` is the first
// call. Names are not looked up anywhere: no DNS server answers.

import { existsSync, readFileSync } from 'node:fs'
import type net from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import tls from 'node:tls'
import { freePort, scratch, waitFor } from '../test/peers/fixture.ts'
import { type Posthorn, startPosthorn } from '../test/peers/posthorn.ts'
import { threadSeconds } from './fixture.ts'
import { adminUrlOf } from './fixture-deep.ts'
import { commandLine } from './fixture-options.ts'
import { makeTenants, type TenantsWorld } from './fixture-tenants.ts'
import { percentile } from './fixture-world.ts'

const {
  accounts: ACCOUNTS,
  suppressions: SUPPRESSIONS,
  contacts: CONTACTS,
  rest: REST_SECONDS,
  calls: CALLS,
} = commandLine({ accounts: 20_000, suppressions: 500_000, contacts: 300_000, rest: 60, calls: 20 })
const AT_ONCE = 32
const LOGINS = 4_000
/** Time limit for the calls of one page. */
const MOST_MS = 8_000
const PASSWORD = 'a long pass phrase for the bench'

const tenth = (value: number): number => Number(value.toFixed(1))

function residentMb(pid: number): number {
  const [, kb = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kb) / 1_024)
}

/** Percent of a core that Node and PostgreSQL use over `seconds`. */
async function usage(pid: number, seconds: number): Promise<{ readonly node: number; readonly postgres: number }> {
  const before = await threadSeconds(pid)
  await delay(seconds * 1_000)
  const after = await threadSeconds(pid)
  const used = (of: (what: string) => boolean): number => {
    const total = (all: ReadonlyMap<string, number>): number =>
      [...all].reduce((sum, [what, value]) => (of(what) ? sum + value : sum), 0)
    return tenth(((total(after) - total(before)) / seconds) * 100)
  }
  return { node: used((what) => what !== 'postgres'), postgres: used((what) => what === 'postgres') }
}

interface Rate {
  readonly per_second: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly node_mb: number
}

/** Does `work` once with each of the keys, 32 at a time. */
async function withEach(pid: number, keys: readonly string[], work: (key: string) => Promise<void>): Promise<Rate> {
  const took: number[] = []
  const left = keys.values()
  const began = performance.now()
  const worker = async (): Promise<void> => {
    for (const key of left) {
      const since = performance.now()
      await work(key)
      took.push(performance.now() - since)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const seconds = (performance.now() - began) / 1_000
  return {
    per_second: Math.round(took.length / seconds),
    p50_ms: tenth(percentile(took, 0.5)),
    p99_ms: tenth(percentile(took, 0.99)),
    node_mb: residentMb(pid),
  }
}

// Made once: with the authorities, which making it reads, a connection costs the client several milliseconds.
const secureContext = tls.createSecureContext()

/** Logs in over TLS and leaves. */
async function logIn(port: number, key: string): Promise<void> {
  const socket: net.Socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false, secureContext })
  const lines = [
    'EHLO bench.test\r\n',
    `AUTH PLAIN ${Buffer.from(`\0apikey\0${key}`).toString('base64')}\r\n`,
    'QUIT\r\n',
  ]
  let text = ''
  let asked = 0
  for await (const chunk of socket) {
    text += String(chunk)
    if (!/^\d{3} [^\n]*\n/m.test(text)) continue
    if (asked === 2 && !text.startsWith('235')) throw new Error(text)
    text = ''
    const line = lines[asked++]
    if (line !== undefined) socket.write(line)
  }
  if (asked < lines.length) throw new Error(`the connection closed after ${asked} lines`)
}

/** The cookie of a signed-in operator. */
async function signInOperator({ cli, url }: Posthorn): Promise<string> {
  const { token } = JSON.parse(await cli('operator', 'token', '--json')) as { readonly token: string }
  const answer = await fetch(`${url}/api/v1/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ token, email: 'operator@bench.test', password: PASSWORD, name: 'Operator' }),
  })
  if (answer.status !== 204) throw new Error(`the set-up answered ${answer.status} ${await answer.text()}`)
  return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

interface Row {
  readonly page: string
  readonly total: number
  readonly first_ms: number
  readonly p50_ms: number
  readonly p95_ms: number
}

const lastPage = (total: number): number => Math.ceil(total / 50)
const PAGES: readonly (readonly [name: string, path: string])[] = [
  ['suppressions', '/customer/suppressions?'],
  ['suppressions, last page', `/customer/suppressions?page=${lastPage(SUPPRESSIONS)}`],
  ['suppressions of a reason', '/customer/suppressions?reason=complaint'],
  ['suppressions, searched', '/customer/suppressions?search=user4711@'],
  ['unsubscribes', '/customer/unsubscribes?'],
  ['contacts', '/customer/contacts?'],
  ['contacts, last page', `/customer/contacts?page=${lastPage(CONTACTS)}`],
  ['contacts, searched', '/customer/contacts?search=person 4711'],
  ['contacts of a tag', '/customer/contacts?tag=list 3'],
  ['contacts subscribed', '/customer/contacts?status=subscribed'],
  ['contacts bounced', '/customer/contacts?status=bounced'],
]
const OPERATOR_PAGES: readonly (readonly [name: string, path: string])[] = [
  ['operator: accounts', '/operator/accounts?'],
  ['operator: accounts, last page', `/operator/accounts?page=${lastPage(ACCOUNTS)}`],
  ['operator: accounts, searched', '/operator/accounts?search=owner4711@'],
  ['operator: accounts suspended', '/operator/accounts?suspended=true'],
]

async function timesOf(
  url: string,
  headers: Record<string, string>,
  [page, path]: (typeof PAGES)[number],
): Promise<Row> {
  const took: number[] = []
  let total = 0
  const end = performance.now() + MOST_MS
  while (took.length < CALLS && performance.now() < end) {
    const began = performance.now()
    const answer = await fetch(`${url}/api/v1${path}&limit=50`, { headers })
    const body = (await answer.json()) as { readonly pagination?: { readonly total: number } }
    took.push(performance.now() - began)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`)
    total = body.pagination?.total ?? 0
  }
  const [first = 0] = took
  const [p50, p95] = [percentile(took, 0.5), percentile(took, 0.95)]
  return { page, total, first_ms: tenth(first), p50_ms: tenth(p50), p95_ms: tenth(p95) }
}

async function pages({ url }: Posthorn, { large }: TenantsWorld, cookie: string): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const one of PAGES) rows.push(await timesOf(url, { 'x-api-key': large.api_key }, one))
  for (const one of OPERATOR_PAGES) rows.push(await timesOf(url, { cookie }, one))
  return rows
}

async function main(): Promise<void> {
  await using house = await scratch('bench-tenants')
  const settings = {
    POSTHORN_RATE_LIMITS: 'off',
    POSTHORN_DNS_SERVERS: `127.0.0.1:${await freePort()}`,
    POSTHORN_HOSTNAME: 'mail.posthorn.test',
  }
  let posthorn = await startPosthorn(house.path, settings)
  try {
    const began = performance.now()
    const options = { accounts: ACCOUNTS, suppressions: SUPPRESSIONS, contacts: CONTACTS }
    const world = await makeTenants(posthorn, adminUrlOf(posthorn), options)
    console.error(`made in ${Math.round((performance.now() - began) / 1_000)} s, ${world.megabytes} MB`)
    const cookie = await signInOperator(posthorn)
    await posthorn.stop()
    const restarted = performance.now()
    posthorn = await startPosthorn(house.path, { ...settings, POSTHORN_HTTP_PORT: new URL(posthorn.url).port })
    const startMs = Math.round(performance.now() - restarted)
    const pid = posthorn.running.child.pid ?? 0
    await waitFor('the process', async () => existsSync(`/proc/${pid}`))
    await delay(20_000) // what follows a start
    const rest = { ...(await usage(pid, REST_SECONDS)), node_mb: residentMb(pid), start_ms: startMs }
    console.table([rest])
    const call = async (key: string): Promise<void> => {
      const { status } = await posthorn.call(key, 'GET', '/api/v1/customer/limits')
      if (status !== 200) throw new Error(`${status}`)
    }
    const calls = await withEach(pid, world.keys, call)
    const port = Number(posthorn.env['POSTHORN_SUBMISSION_TLS_PORT'])
    // Suspended accounts may read, but not send.
    const senders = world.keys.filter((_, i) => (i + 1) % 10 !== 0).slice(-LOGINS)
    const logins = await withEach(pid, senders, (key) => logIn(port, key))
    console.table({ 'first calls': calls, 'SMTP logins': logins })
    const rows = await pages(posthorn, world, cookie)
    console.table(rows)
    console.log(JSON.stringify({ ...options, megabytes: world.megabytes, rest, calls, logins, pages: rows }))
  } finally {
    await posthorn.stop()
  }
}

await main()
