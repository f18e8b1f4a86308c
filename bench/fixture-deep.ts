// The product with many emails in its tables: a verified sender, a thousand destinations of which one refuses, and rows made by
// the database itself, all with the content of one real email.

import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import pg from 'pg'
import { LIMITS } from '../src/modules/delivery/index.ts'
import { claim, handBack, joinAsNode, leaveAsNode, renewLease } from '../src/modules/outbox/index.ts'
import { systemClock } from '../src/platform/clock.ts'
import { connect, type Database, statement } from '../src/platform/db.ts'
import { type Bind, startBind, txt } from '../test/peers/bind.ts'
import { freePort, waitFor } from '../test/peers/fixture.ts'
import { type Account, type Posthorn, startPosthorn } from '../test/peers/posthorn.ts'
import { receipt, type Sink, startSink } from './fixture.ts'

export const DESTINATIONS = 1_000
export const SENDER = 'bench.test'
const CHUNK = 50_000
const KEPT_FILE = 'deep.json'
const clock = systemClock()

/** $1 account, $2 the email to copy, $3 how many, $4 status; $5: queued, every second one to the destination that refuses. */
const FILL = statement(
  'bench_deep_fill',
  `with t as materialized (select * from email where account_id = $1::uuid and id = $2::uuid),
   told as materialized (
     select * from event where account_id = $1::uuid and email_id = $2::uuid and (type = 1 or not $5)),
   tried as materialized (
     select * from attempt where not $5 and account_id = $1::uuid and email_id = $2::uuid and number = 1),
   n as materialized (
     select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 60000 + i / 50), 12, '0') || '7'
         || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid as id,
       case when $5 and i % 2 = 0 then 'refuses.dest.test' else 'd' || i / 2 % ${DESTINATIONS - 1} || '.dest.test' end as site, i
     from generate_series(0, $3::int - 1) i),
   e as (
     insert into email (id, account_id, domain_id, body_id, created_at, status, sender, sender_name, recipient, cc, reply_to,
       recipient_key, subject, message_id, stream, sandbox, sandbox_result, tag, metadata, size_bytes, expires_at, tls_required,
       risk, next_attempt_at, delivered_at, ended_at, attempts_count)
     select n.id, t.account_id, domain_id, body_id, now(), $4, sender, sender_name, 'user' || i || '@' || site, cc, reply_to,
       'user' || i || '@' || site, subject, n.id || '@${SENDER}', stream, sandbox, sandbox_result, tag, metadata, size_bytes,
       now() + interval '3 days', tls_required, risk, case when $5 then now() end, case when not $5 then now() end,
       case when not $5 then now() end, case when $5 then 0 else 1 end
     from n, t),
   q as (
     insert into queue (id, account_id, domain_id, site_id, at, state, sandbox, recipient_key)
     select n.id, t.account_id, domain_id, s.id, now(), 0, false, 'user' || i || '@' || site
     from n join site s on s.name = n.site, t where $5),
   a as (
     insert into attempt (email_id, account_id, number, started_at, duration_ms, outcome, detail)
     select n.id, a.account_id, 1, now(), 12, 0, a.detail from n, tried a),
   v as (
     insert into event (at, event_id, account_id, domain_id, email_id, type, data, facts)
     select now(), gen_random_uuid(), v.account_id, v.domain_id, n.id, v.type, v.data, v.facts from n, told v)
   select 1`,
)
const SITES = statement(
  'bench_deep_sites',
  `insert into site (name) select 'd' || i || '.dest.test' from generate_series(0, ${DESTINATIONS - 2}) i
   union all select 'refuses.dest.test' on conflict (name) do nothing`,
)
const READY = statement('bench_deep_ready', 'select count(*)::int as ready from queue where state <> 2')
// Webhooks and notices have no recipients here: their followers would read a million events for nothing.
const PASS_BY = statement(
  'bench_deep_pass_by',
  `update follower f set xid = e.xid, seq = e.seq, at = e.at
   from (select xid, seq, at from event order by xid desc, seq desc limit 1) e where f.name in ('webhooks', 'notices')`,
)
const BACKEND = statement('bench_deep_backend', 'select pg_backend_pid() as pid')
const SLOW = statement('bench_deep_slow', 'set local statement_timeout = 0')
const READ = statement(
  'bench_deep_read',
  `select exists (select from event e, follower f where (e.xid, e.seq) > (f.xid, f.seq)) as more`,
)

/** The wall-clock time of one claim and its parts, in milliseconds. */
export interface Claim {
  readonly ms: number
  /** The server's CPU, which depends little on other load of the machine. */
  readonly cpuMs: number
  /** Time during which the server, or the benchmark, was runnable and waited for a core. */
  readonly coreMs: number
  /** The benchmark's own CPU: writing the query and reading the rows. */
  readonly ownMs: number
  /** The rest: disk, mainly the sync of the commit, and locks. */
  readonly restMs: number
}

export interface Deep extends AsyncDisposable {
  readonly account: Account
  /** A connection string of the database's superuser. */
  readonly adminUrl: string
  readonly posthorn: Posthorn
  readonly sink: Sink
  /** The port of all receivers; at 127.0.0.3, the host of `dead.dest.test`, nothing listens. */
  readonly smtpPort: number
  readonly body: string
  /** Adds this many emails to the tables: queued, half of them to the destination that refuses, or delivered. */
  fill(many: number, as: 'queued' | 'delivered'): Promise<void>
  /** Counts the emails that are ready to be sent or are being sent. */
  ready(): Promise<number>
  /** Waits until the followers have read the log, and vacuums the new rows, so that later measurements do not pay for it. */
  settle(limitMs: number): Promise<void>
  /** Stops and starts the service, with all roles unless some are given. @returns milliseconds until it was ready */
  restart(roles?: string): Promise<number>
  /** Claims and hands back for this long, as another node would. */
  claims(forMs: number): Promise<readonly Claim[]>
}

const TABLES = ['email', 'queue', 'attempt', 'event', 'stat_bucket']

/** A superuser of the embedded database. */
export function adminUrlOf({ env }: Posthorn): string {
  const socket = path.join(env['POSTHORN_DATA_DIR'] ?? '', 'run')
  return `postgres://posthorn@localhost/posthorn?host=${encodeURIComponent(socket)}`
}

/** For the main thread of each process: milliseconds running, and milliseconds waiting for a core. */
function ranFor(...pids: readonly number[]): readonly number[] {
  return pids.flatMap((pid) => {
    const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
    return [Number(ran) / 1e6, Number(waited) / 1e6]
  })
}

/** A server that refuses every sender, on an address of its own. */
async function startRefusing(port: number): Promise<AsyncDisposable> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write('220 refuses.dest.test ESMTP\r\n')
    socket.on('data', (data) => {
      for (const line of data.toString().split('\r\n').slice(0, -1)) {
        if (/^quit/i.test(line)) socket.end('221 bye\r\n')
        else socket.write(/^(?:ehlo|helo|rset)/i.test(line) ? '250 refuses.dest.test\r\n' : '451 4.3.0 not now\r\n')
      }
    })
  })
  server.listen(port, '127.0.0.2')
  await once(server, 'listening')
  return { [Symbol.asyncDispose]: async () => void server.close() }
}

/** @returns the DNS records that verify the sender's domain */
async function verified(posthorn: Posthorn, bind: Bind, key: string): Promise<readonly string[]> {
  const made = await posthorn.call(key, 'POST', '/api/v1/customer/domains', { domain: SENDER })
  const { id } = made.body.data
  const { body } = await posthorn.call(key, 'GET', `/api/v1/customer/domains/${id}/dns`)
  const records = body.dns_records.map(({ host, value }: { host: string; value: string }) => txt(host, value))
  await bind.publish(SENDER, records)
  await waitFor(
    'verification',
    async () => (await posthorn.call(key, 'POST', `/api/v1/customer/domains/${id}/verify`)).body.verified,
  )
  return records
}

/** What a folder stores about its service, for the next process. */
export interface Kept {
  readonly account: Account
  readonly records: readonly string[]
  /** The email that others are copied from. */
  readonly model: string
}

/** @returns null for a folder that no service has used */
export function keptIn(folder: string): Kept | null {
  const file = path.join(folder, KEPT_FILE)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : null
}

/** @param folder one that a service has used keeps its account, domain and tables */
export async function startDeep(folder: string): Promise<Deep> {
  const stack = new AsyncDisposableStack()
  const zones = {
    [SENDER]: [],
    'posthorn.test': ['mail A 127.0.0.1'],
    'dest.test': [
      '* MX 10 mx',
      'mx A 127.0.0.1',
      'refuses MX 10 no',
      'no A 127.0.0.2',
      'dead MX 10 silent',
      'silent A 127.0.0.3',
    ],
  }
  const bind = stack.use(await startBind(folder, zones))
  const smtpPort = await freePort()
  const sink = stack.use(await startSink(smtpPort))
  stack.use(await startRefusing(smtpPort))
  const settings = {
    POSTHORN_DELIVERY: 'direct',
    POSTHORN_SMTP_PORT: String(smtpPort),
    POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTHORN_DNS_SERVERS: bind.server,
    POSTHORN_HOSTNAME: 'mail.posthorn.test',
    POSTHORN_RATE_LIMITS: 'off',
  }
  let posthorn = await startPosthorn(folder, settings)
  stack.defer(() => posthorn.stop())
  const { subject, html, text } = receipt()
  const mail = { from: `news@${SENDER}`, from_name: 'Shöp', to: 'user@d0.dest.test', subject, html, text }
  const first = async (): Promise<Kept> => {
    const account = await posthorn.account('Bench')
    const { api_key: key } = account
    const records = await verified(posthorn, bind, key)
    const sent = await posthorn.call(key, 'POST', '/api/v1/send', mail)
    if (sent.status !== 202) throw new Error(JSON.stringify(sent.body))
    const model = sent.body.data.email_id
    await waitFor(
      'the first delivery',
      async () => (await posthorn.call(key, 'GET', `/api/v1/emails/${model}`)).body.data.status === 'delivered',
    )
    return { account, records, model }
  }
  const kept = keptIn(folder) ?? (await first())
  writeFileSync(path.join(folder, KEPT_FILE), JSON.stringify(kept))
  const { account, model, records } = kept
  await bind.publish(SENDER, records)
  const url = adminUrlOf(posthorn)
  const withDatabase = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const database = connect({ url, maxConnections: 1, onError: () => undefined })
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  }
  const fill = (many: number, as: 'queued' | 'delivered'): Promise<void> =>
    withDatabase(async (database) => {
      await database.system.execute(SITES)
      for (let left = many; left > 0; left -= CHUNK) {
        await database.transaction(async (db) => {
          await db.execute(SLOW)
          const some = Math.min(left, CHUNK)
          await db.execute(FILL, [account.account_id, model, some, as === 'queued' ? 1 : 3, as === 'queued'])
          await db.execute(PASS_BY)
        })
      }
    })
  const claims = (forMs: number): Promise<readonly Claim[]> =>
    withDatabase(async ({ system }) => {
      const took: Claim[] = []
      const { pid = 0 } = (await system.one<{ pid: number }>(BACKEND)) ?? {}
      let lease = await joinAsNode(system, clock, 'bench')
      let cursor = null
      const end = performance.now() + forMs
      for (let i = 1; performance.now() < end; i++) {
        const before = ranFor(pid, process.pid)
        const began = performance.now()
        const answer = await claim(system, {
          epoch: lease.epoch,
          limit: LIMITS.maxClaim,
          cursor,
          free: new Map(),
          defaultFree: 20,
          suspended: [],
          now: clock.now(),
        })
        const ms = performance.now() - began
        const [cpuMs = 0, serverWaited = 0, ownMs = 0, ownWaited = 0] = ranFor(pid, process.pid).map(
          (after, i) => after - (before[i] ?? 0),
        )
        const coreMs = serverWaited + ownWaited
        took.push({ ms, cpuMs, coreMs, ownMs, restMs: Math.max(0, ms - cpuMs - coreMs - ownMs) })
        cursor = answer.cursor
        await handBack(system, lease.epoch, answer.claimed)
        if (i % 20 === 0) lease = (await renewLease(system, clock, lease)) ?? (await joinAsNode(system, clock, 'bench'))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await leaveAsNode(system, lease)
      return took
    })
  const owned = stack.move()
  return {
    account,
    adminUrl: url,
    get posthorn() {
      return posthorn
    },
    sink,
    smtpPort,
    body: JSON.stringify(mail),
    fill,
    claims,
    ready: () => withDatabase(async ({ system }) => (await system.one<{ ready: number }>(READY))?.ready ?? 0),
    settle: (limitMs) =>
      withDatabase(async ({ system }) => {
        await waitFor('the followers', async () => (await system.one<{ more: boolean }>(READ))?.more === false, limitMs)
        const client = new pg.Client({ connectionString: url })
        await client.connect()
        for (const table of TABLES) await client.query(`vacuum analyze posthorn.${table}`)
        await client.query('checkpoint')
        await client.end()
      }),
    restart: async (roles = 'all') => {
      await posthorn.stop()
      const began = performance.now()
      posthorn = await startPosthorn(folder, { ...settings, POSTHORN_ROLES: roles })
      return performance.now() - began
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
