// Acceptance to delivery: 10 KB html+text emails, durable, DKIM RSA-2048, next to Postfix, Exim and Haraka on the same emails.
//
//   npm run bench -- relay [--rounds 5] [--messages 3000] [--connections 32] [--warm 40]
//     [--only postfix,postfix-alone,exim,haraka,rest,smtp]
//
// Posthorn takes them by REST and by SMTP (TLS, logged in), the others by plaintext SMTP; all relay to Postfix's smtp-sink.
// Each first works as in the rounds for `--warm` seconds: a service is up for weeks, and V8 still compiles during its first tens
// of thousands of emails; the first round of a fresh process is shown separately. Rounds are interleaved, each framed by
// `openssl speed rsa2048`. A round's figures are messages over the time from the first submission to the last delivery, and CPU
// seconds of all processes of the product (PostgreSQL included) per 1,000 messages. For Posthorn, the threads' shares and the
// WAL are shown too. Needs root, postfix, opendkim and bind9; bench/fixture-relay.ts says what Exim and Haraka need.

import path from 'node:path'
import pg from 'pg'
import { startBind, txt } from '../test/peers/bind.ts'
import { descendants, freePort, scratch, waitFor } from '../test/peers/fixture.ts'
import { type Account, type Posthorn, startPosthorn } from '../test/peers/posthorn.ts'
import { calibrate, cpuGroup, median, receipt, threadSeconds } from './fixture.ts'
import { httpLoad, type Load, smtpLoad } from './fixture-load.ts'
import { commandLine } from './fixture-options.ts'
import {
  type Contender,
  composed,
  DOMAIN,
  type Figure,
  measure,
  startEximRelay,
  startHaraka,
  startPostfix,
} from './fixture-relay.ts'

const {
  rounds: ROUNDS,
  messages: MESSAGES,
  connections: CONNECTIONS,
  warm: WARM_SECONDS,
  only: ONLY,
} = commandLine({
  rounds: 5,
  messages: 3_000,
  connections: 32,
  warm: 40,
  only: ['postfix', 'postfix-alone', 'exim', 'haraka', 'rest', 'smtp'],
})

async function startOurs(folder: string, stack: AsyncDisposableStack): Promise<readonly Contender[]> {
  const sinkPort = await freePort()
  const bind = stack.use(await startBind(folder, { [DOMAIN]: [], 'posthorn.test': ['mail A 127.0.0.1'] }))
  const posthorn = stack.use(
    await startPosthorn(folder, {
      POSTHORN_DELIVERY: `relay:127.0.0.1:${sinkPort}`,
      POSTHORN_RELAY_TLS: 'off',
      POSTHORN_DNS_SERVERS: bind.server,
      POSTHORN_HOSTNAME: 'mail.posthorn.test',
      POSTHORN_RATE_LIMITS: 'off',
    }),
  )
  const root = posthorn.running.child.pid ?? 0
  const cpu = cpuGroup('posthorn')
  for (const pid of await descendants(root)) cpu.add(pid)
  const account = await posthorn.account('Bench')
  await verify(posthorn, account, bind.publish)
  const { subject, html, text } = receipt()
  const from = `news@${DOMAIN}`
  const to = 'user@dest.test'
  const body = JSON.stringify({ from, from_name: 'Shöp', to, subject, html, text })
  const url = `${posthorn.url}/api/v1/send`
  const port = Number(posthorn.env['POSTHORN_SUBMISSION_TLS_PORT'])
  const submission = { port, key: account.api_key, from, to: () => to, message: composed() }
  const contender = (name: string, connect: () => Load | Promise<Load>): Contender => ({
    name: `Posthorn (${name})`,
    round: async () => {
      // Connections would time out during the rounds of the others.
      const load = await connect()
      using _closed = { [Symbol.dispose]: () => load.close() }
      const threads = await threadSeconds(root)
      const wal = await walBytes(posthorn.env['POSTHORN_DATA_DIR'] ?? '')
      const own = process.cpuUsage()
      const figure = await measure(cpu, sinkPort, MESSAGES, () => load.send(MESSAGES))
      const walPerMail = ((await walBytes(posthorn.env['POSTHORN_DATA_DIR'] ?? '')) - wal) / MESSAGES
      const now = await threadSeconds(root)
      const perMail = [...now].map(
        ([what, seconds]) => [what, (seconds - (threads.get(what) ?? 0)) / MESSAGES] as const,
      )
      const told = perMail.map(([what, seconds]) => `${what} ${(seconds * 1_000).toFixed(3)}`)
      const { user, system } = process.cpuUsage(own)
      const generator = ((user + system) / 1_000 / MESSAGES).toFixed(3)
      console.error(
        `  CPU-ms per mail: generator ${generator}, ${told.join(', ')}; WAL ${Math.round(walPerMail)} bytes`,
      )
      return figure
    },
  })
  return [
    contender('REST', () => httpLoad(url, account.api_key, body, CONNECTIONS)),
    contender('SMTP', () => smtpLoad(submission, CONNECTIONS)),
  ]
}

/** The current WAL position of the embedded PostgreSQL. */
async function walBytes(dataDir: string): Promise<number> {
  const client = new pg.Client({ host: path.join(dataDir, 'run'), user: 'posthorn', database: 'posthorn' })
  await client.connect()
  const { rows } = await client.query(`select (pg_current_wal_lsn() - '0/0')::bigint as bytes`)
  await client.end()
  return Number(rows[0]?.bytes ?? 0)
}

async function verify(
  { call }: Posthorn,
  { api_key: key }: Account,
  publish: (zone: string, records: string[]) => Promise<void>,
): Promise<void> {
  const made = await call(key, 'POST', '/api/v1/customer/domains', { domain: DOMAIN })
  const { id } = made.body.data
  const { body } = await call(key, 'GET', `/api/v1/customer/domains/${id}/dns`)
  await publish(
    DOMAIN,
    body.dns_records.map(({ host, value }: { host: string; value: string }) => txt(host, value)),
  )
  await waitFor(
    'verification',
    async () => (await call(key, 'POST', `/api/v1/customer/domains/${id}/verify`)).body.verified,
  )
}

await using stack = new AsyncDisposableStack()
const folder = stack.use(await scratch('relay')).path
const contenders: Contender[] = []
const peers = { folder, stack, messages: MESSAGES, connections: CONNECTIONS }
if (ONLY.includes('postfix')) contenders.push(await startPostfix(peers, true))
if (ONLY.includes('postfix-alone')) contenders.push(await startPostfix(peers, false))
if (ONLY.includes('exim')) {
  const exim = await startEximRelay(peers)
  if (exim === null) console.error('no Exim: neither /usr/sbin/exim4 nor POSTHORN_TEST_EXIM')
  else contenders.push(exim)
}
if (ONLY.includes('haraka')) contenders.push(await startHaraka(peers))
if (ONLY.includes('rest') || ONLY.includes('smtp')) {
  const ours = await startOurs(folder, stack)
  contenders.push(...ours.filter((_, at) => ONLY.includes(at === 0 ? 'rest' : 'smtp')))
}
const figures = new Map(contenders.map(({ name }) => [name, [] as Figure[]]))
const calibrations: number[] = []
/** The figure of a fresh process. */
const first = new Map<string, Figure>()
for (const { name, round } of contenders) {
  const until = performance.now() + WARM_SECONDS * 1_000
  do {
    const figure = await round()
    if (!first.has(name)) first.set(name, figure)
  } while (performance.now() < until)
}
for (let i = 0; i < ROUNDS; i++) {
  for (const { name, round } of contenders) {
    calibrations.push(calibrate())
    const figure = await round()
    figures.get(name)?.push(figure)
    console.error(
      `round ${i + 1} ${name}: ${Math.round(figure.perSecond)}/s, ${figure.cpuPer1000.toFixed(3)} CPU-s per 1,000`,
    )
  }
}
const table = [...figures].map(([name, all]) => ({
  name,
  per_second: Math.round(median(all.map(({ perSecond }) => perSecond))),
  cpu_s_per_1000: Number(median(all.map(({ cpuPer1000 }) => cpuPer1000)).toFixed(3)),
  first_per_second: Math.round(first.get(name)?.perSecond ?? 0),
  first_cpu: Number((first.get(name)?.cpuPer1000 ?? 0).toFixed(3)),
}))
console.table(table)
const isOurs = ({ name }: { readonly name: string }): boolean => name.startsWith('Posthorn')
const ratios = table.filter(isOurs).flatMap((ours) =>
  table
    .filter((one) => !isOurs(one))
    .map((theirs) => ({
      name: `${ours.name} / ${theirs.name}`,
      per_second: Number((ours.per_second / theirs.per_second).toFixed(2)),
      cpu: Number((ours.cpu_s_per_1000 / theirs.cpu_s_per_1000).toFixed(2)),
    })),
)
console.table(ratios)
console.log(
  JSON.stringify({
    rounds: ROUNDS,
    messages: MESSAGES,
    connections: CONNECTIONS,
    warm_seconds: WARM_SECONDS,
    rsa2048_signs_per_second: median(calibrations),
    table,
    ratios,
  }),
)
