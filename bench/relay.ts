// Accept to delivered: 10 KB html+text mails, durable, DKIM RSA-2048, beside Postfix with OpenDKIM on the same mails.
//
//   npm run bench -- relay [--rounds 5] [--messages 3000] [--connections 32] [--only rest|smtp|postfix,...]
//
// Posthorn takes them by REST and by SMTP, Postfix by SMTP; all relay to Postfix's smtp-sink. Rounds are interleaved, each
// framed by `openssl speed rsa2048`; a round's figure is messages over the time from the first submission to the last
// delivery, and CPU seconds of all processes of the product (PostgreSQL included) per 1,000 messages. For Posthorn the
// threads' shares and the WAL are told too. Needs root, postfix, opendkim and bind9.

import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { compose, prepare } from '../src/mail/mime.ts'
import { startBind, txt } from '../test/peers/bind.ts'
import { accepts, descendants, freePort, run, scratch, start, waitFor } from '../test/peers/ground.ts'
import { type Account, type Posthorn, startPosthorn } from '../test/peers/posthorn.ts'
import { type CpuGroup, calibrate, cpuGroup, median, receipt, startSink, threadSeconds } from './ground.ts'
import { httpLoad, type Load, smtpLoad } from './ground-load.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    messages: { type: 'string', default: '3000' },
    connections: { type: 'string', default: '32' },
    only: { type: 'string', default: 'postfix,rest,smtp' },
  },
})
const ROUNDS = Number(values.rounds)
const MESSAGES = Number(values.messages)
const CONNECTIONS = Number(values.connections)
const ONLY = values.only.split(',')
const DOMAIN = 'bench.test'
const LIMIT_MS = 60_000

interface Figure {
  readonly perSecond: number
  readonly cpuPer1000: number
}

async function measure(cpu: CpuGroup, sinkPort: number, submit: () => Promise<void>): Promise<Figure> {
  await using sink = await startSink(sinkPort)
  await delay(300)
  const cpuBefore = cpu.seconds()
  const began = performance.now()
  await submit()
  await waitFor('all deliveries', async () => sink.count() >= MESSAGES, LIMIT_MS)
  const seconds = (performance.now() - began) / 1_000
  // What is left to write down after the last delivery belongs to the price of it.
  await delay(500)
  return { perSecond: MESSAGES / seconds, cpuPer1000: ((cpu.seconds() - cpuBefore) / MESSAGES) * 1_000 }
}

interface Contender {
  readonly name: string
  round(): Promise<Figure>
}

async function startPostfixWithOpendkim(folder: string, stack: AsyncDisposableStack): Promise<Contender> {
  const home = path.join(folder, 'pf')
  for (const name of ['spool', 'data']) await mkdir(path.join(home, name), { recursive: true })
  await run('chown', ['postfix', path.join(home, 'data')])
  const port = await freePort()
  const sinkPort = await freePort()
  const milter = await freePort()
  await run('openssl', ['genrsa', '-traditional', '-out', path.join(home, 'dkim.pem'), '2048'])
  await writeFile(
    path.join(home, 'opendkim.conf'),
    `Syslog no\nMode s\nCanonicalization relaxed/relaxed\nSignatureAlgorithm rsa-sha256\nDomain ${DOMAIN}\nSelector s\nKeyFile ${home}/dkim.pem\nRequireSafeKeys no\nSocket inet:${milter}@127.0.0.1\nInternalHosts 127.0.0.1\nBackground no\n`,
  )
  await writeFile(path.join(home, 'main.cf'), postfixConf(home, sinkPort, milter))
  await writeFile(path.join(home, 'master.cf'), postfixServices(port))
  await writeFile(path.join(home, 'mail.eml'), composed().toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
  const cpu = cpuGroup('postfix')
  const opendkim = stack.use(start('opendkim', ['-f', '-x', path.join(home, 'opendkim.conf')]))
  cpu.add(opendkim.child.pid ?? 0)
  await run('postfix', ['-c', home, 'start'])
  stack.defer(async () => void (await run('postfix', ['-c', home, 'stop']).catch(() => '')))
  await waitFor('Postfix', () => accepts(port))
  const master = (await run('cat', [path.join(home, 'spool/pid/master.pid')])).trim()
  cpu.add(Number(master))
  const source = [
    '-4',
    '-d',
    '-s',
    String(CONNECTIONS),
    '-m',
    String(MESSAGES),
    '-f',
    `news@${DOMAIN}`,
    '-t',
    'user@dest.test',
    '-F',
    path.join(home, 'mail.eml'),
    `127.0.0.1:${port}`,
  ]
  return {
    name: 'Postfix + OpenDKIM',
    round: () => measure(cpu, sinkPort, async () => void (await run('smtp-source', source))),
  }
}

function postfixConf(home: string, sinkPort: number, milter: number): string {
  return `compatibility_level = 3.6
queue_directory = ${home}/spool
data_directory = ${home}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
maillog_file = ${home}/maillog
maillog_file_prefixes = ${home}
myhostname = pf.${DOMAIN}
mydestination =
local_recipient_maps =
alias_maps =
alias_database =
inet_interfaces = loopback-only
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtpd_peername_lookup = no
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_tls_security_level = none
smtp_tls_security_level = none
relayhost = [127.0.0.1]:${sinkPort}
smtp_dns_support_level = disabled
default_process_limit = 100
initial_destination_concurrency = 20
default_destination_concurrency_limit = 20
smtpd_client_connection_count_limit = 0
in_flow_delay = 0
milter_default_action = tempfail
smtpd_milters = inet:127.0.0.1:${milter}
`
}

function postfixServices(port: number): string {
  const unix = (name: string, command: string, open = '-', wakeup = '-', limit = '-'): string =>
    `${name} unix ${open} - n ${wakeup} ${limit} ${command}\n`
  return [
    `127.0.0.1:${port} inet n - n - - smtpd\n`,
    unix('pickup', 'pickup', 'n', '60', '1'),
    unix('cleanup', 'cleanup', 'n', '-', '0'),
    unix('qmgr', 'qmgr', 'n', '300', '1'),
    unix('rewrite', 'trivial-rewrite'),
    unix('bounce', 'bounce', '-', '-', '0'),
    unix('defer', 'bounce', '-', '-', '0'),
    unix('trace', 'bounce', '-', '-', '0'),
    unix('proxymap', 'proxymap'),
    unix('smtp', 'smtp'),
    unix('relay', 'smtp'),
    unix('error', 'error'),
    unix('retry', 'error'),
    unix('anvil', 'anvil', '-', '-', '1'),
    unix('scache', 'scache', '-', '-', '1'),
    'postlog unix-dgram n - n - 1 postlogd\n',
  ].join('')
}

function composed(): Buffer {
  const { subject, html, text } = receipt()
  const address = (of: string): never => ({ name: 'Shöp', address: { address: of } }) as never
  return compose(prepare({ html, text, attachments: [] }), {
    id: 'bench',
    messageId: `bench@${DOMAIN}`,
    date: new Date(0),
    from: address(`news@${DOMAIN}`),
    to: [address('user@dest.test')],
    cc: [],
    replyTo: [],
    subject,
    headers: [],
  } as never).message
}

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
  const rest = httpLoad(`${posthorn.url}/api/v1/send`, account.api_key, body, CONNECTIONS)
  const port = Number(posthorn.env['POSTHORN_SUBMISSION_TLS_PORT'])
  const smtp = await smtpLoad({ port, key: account.api_key, from, to: () => to, message: composed() }, CONNECTIONS)
  stack.defer(() => rest.close())
  stack.defer(() => smtp.close())
  const contender = (name: string, load: Load): Contender => ({
    name: `Posthorn (${name})`,
    round: async () => {
      const threads = await threadSeconds(root)
      const wal = await walBytes(posthorn.env['POSTHORN_DATA_DIR'] ?? '')
      const figure = await measure(cpu, sinkPort, () => load.send(MESSAGES))
      const walPerMail = ((await walBytes(posthorn.env['POSTHORN_DATA_DIR'] ?? '')) - wal) / MESSAGES
      const now = await threadSeconds(root)
      const perMail = [...now].map(
        ([what, seconds]) => [what, (seconds - (threads.get(what) ?? 0)) / MESSAGES] as const,
      )
      const told = perMail.map(([what, seconds]) => `${what} ${(seconds * 1_000).toFixed(3)}`)
      console.error(`  CPU-ms per mail: ${told.join(', ')}; WAL ${Math.round(walPerMail)} bytes`)
      return figure
    },
  })
  return [contender('REST', rest), contender('SMTP', smtp)]
}

/** Where the log of the embedded PostgreSQL stands. */
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
if (ONLY.includes('postfix')) contenders.push(await startPostfixWithOpendkim(folder, stack))
if (ONLY.includes('rest') || ONLY.includes('smtp')) {
  const ours = await startOurs(folder, stack)
  contenders.push(...ours.filter((_, at) => ONLY.includes(at === 0 ? 'rest' : 'smtp')))
}
const figures = new Map(contenders.map(({ name }) => [name, [] as Figure[]]))
const calibrations: number[] = []
for (const { round } of contenders) await round() // warm
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
}))
console.table(table)
const [theirs] = table
const ratios = table.slice(1).map(({ name, per_second, cpu_s_per_1000 }) => ({
  name,
  per_second: per_second / (theirs?.per_second ?? 1),
  cpu: cpu_s_per_1000 / (theirs?.cpu_s_per_1000 ?? 1),
}))
console.log(
  JSON.stringify({
    rounds: ROUNDS,
    messages: MESSAGES,
    connections: CONNECTIONS,
    rsa2048_signs_per_second: median(calibrations),
    table,
    ratios,
  }),
)
