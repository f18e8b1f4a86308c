// The other mail servers of `relay`, each with a configuration of its own in a scratch folder: Postfix with and without
// OpenDKIM, Exim and Haraka with their own DKIM. All accept mail by plaintext SMTP from smtp-source over the same number of
// connections, write it to disk with fsync, sign it RSA-2048 relaxed/relaxed (except Postfix alone) and relay it at once.
//
// Exim is Debian's program, or the one named by POSTHORN_TEST_EXIM; Haraka is installed from npm into the scratch folder, at
// the versions and the date given here.

import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { compose, prepare } from '../src/mail/mime/compose.ts'
import { eximProgram } from '../test/peers/exim.ts'
import { accepts, freePort, run, start, waitFor } from '../test/peers/fixture.ts'
import { ownFolders } from '../test/peers/postfix.ts'
import { type CpuGroup, cpuGroup, receipt, startSink } from './fixture.ts'

export const DOMAIN = 'bench.test'
const LIMIT_MS = 120_000
const LOOK_MS = 5
const HARAKA = ['Haraka@3.1.1', 'haraka-plugin-dkim@1.0.11']
const HARAKA_DAY = '2026-03-01'

export interface Figure {
  readonly perSecond: number
  readonly cpuPer1000: number
}

export interface Contender {
  readonly name: string
  round(): Promise<Figure>
}

export interface RelayOptions {
  readonly folder: string
  readonly messages: number
  readonly connections: number
  readonly stack: AsyncDisposableStack
}

export async function measure(
  cpu: CpuGroup,
  sinkPort: number,
  messages: number,
  submit: () => Promise<void>,
): Promise<Figure> {
  await using sink = await startSink(sinkPort)
  await delay(300)
  const cpuBefore = cpu.seconds()
  const began = performance.now()
  await submit()
  // Rounds last about 2.5 s: polling every tenth of a second would cost the fastest 2 % and the slowest nothing.
  await waitFor('all deliveries', async () => sink.count() >= messages, LIMIT_MS, LOOK_MS)
  const seconds = (performance.now() - began) / 1_000
  // Writing after the last delivery is part of the cost.
  await delay(500)
  return { perSecond: messages / seconds, cpuPer1000: ((cpu.seconds() - cpuBefore) / messages) * 1_000 }
}

/** The message that all are sent: the receipt as Posthorn composes it. */
export function composed(): Buffer {
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

/** Postfix's own generator, with many messages per connection. */
function fromSource({ messages, connections }: RelayOptions, mail: string, port: number): () => Promise<void> {
  const many = ['-4', '-d', '-s', String(connections), '-m', String(messages)]
  const envelope = ['-f', `news@${DOMAIN}`, '-t', 'user@dest.test', '-F', mail]
  return async () => void (await run('smtp-source', [...many, ...envelope, `127.0.0.1:${port}`]))
}

/** Writes the message and an RSA key to files. */
async function material(home: string): Promise<{ readonly mail: string; readonly key: string }> {
  const mail = path.join(home, 'mail.eml')
  const key = path.join(home, 'dkim.pem')
  await writeFile(mail, composed().toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
  await run('openssl', ['genrsa', '-traditional', '-out', key, '2048'])
  return { mail, key }
}

export async function startPostfix(options: RelayOptions, signing: boolean): Promise<Contender> {
  const { folder, stack, messages } = options
  const name = signing ? 'Postfix + OpenDKIM' : 'Postfix alone'
  const home = path.join(folder, signing ? 'pf' : 'pf0')
  for (const one of ['spool', 'data']) await mkdir(path.join(home, one), { recursive: true })
  await run('chown', ['postfix', path.join(home, 'data')])
  const { mail, key } = await material(home)
  const port = await freePort()
  const sinkPort = await freePort()
  const milter = signing ? await freePort() : null
  const cpu = cpuGroup(signing ? 'postfix' : 'postfix-alone')
  if (milter !== null) {
    await writeFile(path.join(home, 'opendkim.conf'), opendkimConf(key, milter))
    const opendkim = stack.use(start('opendkim', ['-f', '-x', path.join(home, 'opendkim.conf')]))
    cpu.add(opendkim.child.pid ?? 0)
  }
  await writeFile(path.join(home, 'main.cf'), postfixConf(home, sinkPort, milter))
  await writeFile(path.join(home, 'master.cf'), postfixServices(port))
  await run('postfix', ['-c', home, 'start'])
  stack.defer(async () => void (await run('postfix', ['-c', home, 'stop']).catch(() => '')))
  await waitFor('Postfix', () => accepts(port))
  cpu.add(Number((await run('cat', [path.join(home, 'spool/pid/master.pid')])).trim()))
  return { name, round: () => measure(cpu, sinkPort, messages, fromSource(options, mail, port)) }
}

function opendkimConf(key: string, port: number): string {
  return `Syslog no
Mode s
Canonicalization relaxed/relaxed
SignatureAlgorithm rsa-sha256
Domain ${DOMAIN}
Selector s
KeyFile ${key}
RequireSafeKeys no
Socket inet:${port}@127.0.0.1
InternalHosts 127.0.0.1
Background no
`
}

function postfixConf(home: string, sinkPort: number, milter: number | null): string {
  return `${ownFolders(home, `pf.${DOMAIN}`)}mynetworks = 127.0.0.0/8
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
${milter === null ? '' : `smtpd_milters = inet:127.0.0.1:${milter}\n`}`
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

/** @returns null when there is no Exim */
export async function startEximRelay(given: RelayOptions): Promise<Contender | null> {
  // It is the slowest, at a steady pace: with as many messages as the others it would take most of the time.
  const options = { ...given, messages: Math.ceil(given.messages / 4) }
  const { folder, stack, messages } = options
  const program = await eximProgram()
  if (program === null) return null
  const home = path.join(folder, 'exim')
  for (const one of ['spool', 'log']) await mkdir(path.join(home, one), { recursive: true })
  const { mail, key } = await material(home)
  await run('chown', ['-R', 'mail:mail', home])
  const port = await freePort()
  const sinkPort = await freePort()
  const conf = path.join(home, 'exim.conf')
  await writeFile(conf, eximConf({ program, home, port, sinkPort, key }))
  const exim = stack.use(start(program, ['-C', conf, '-bdf', '-q1m']))
  const cpu = cpuGroup('exim')
  cpu.add(exim.child.pid ?? 0)
  await waitFor('Exim', () => accepts(port))
  return { name: 'Exim with DKIM', round: () => measure(cpu, sinkPort, messages, fromSource(options, mail, port)) }
}

interface EximSettings {
  readonly program: string
  readonly home: string
  readonly port: number
  readonly sinkPort: number
  readonly key: string
}

/** Nothing is deferred: a process of its own delivers each message on arrival, without starting the program anew. */
function eximConf({ program, home, port, sinkPort, key }: EximSettings): string {
  return `exim_path = ${program}
exim_user = mail
exim_group = mail
primary_hostname = exim.${DOMAIN}
spool_directory = ${home}/spool
split_spool_directory = true
log_file_path = ${home}/log/%slog
pid_file_path = ${home}/exim.pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
disable_ipv6 = true
host_lookup =
rfc1413_query_timeout = 0s
tls_advertise_hosts =
keep_environment =
smtp_accept_max = 0
smtp_accept_queue_per_connection = 0
deliver_drop_privilege = true
deliver_queue_load_max = 1000
queue_only_load = 1000
acl_smtp_rcpt = accept
acl_smtp_data = accept
begin routers
onward:
  driver = manualroute
  route_list = * 127.0.0.1
  self = send
  transport = onward
begin transports
onward:
  driver = smtp
  port = ${sinkPort}
  allow_localhost
  hosts_try_fastopen = :
  dkim_domain = ${DOMAIN}
  dkim_selector = s
  dkim_private_key = ${key}
  dkim_canon = relaxed
begin retry
* * F,1h,1m
`
}

export async function startHaraka(options: RelayOptions): Promise<Contender> {
  const { folder, stack, messages } = options
  const home = path.join(folder, 'haraka')
  for (const one of ['config', 'plugins', 'queue']) await mkdir(path.join(home, one), { recursive: true })
  await writeFile(path.join(home, 'package.json'), '{"private":true}')
  const wanted = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', `--before=${HARAKA_DAY}`]
  await run('npm', ['install', '--silent', '--prefix', home, ...wanted, ...HARAKA])
  const { mail, key } = await material(home)
  const port = await freePort()
  const sinkPort = await freePort()
  const keys = path.join(home, 'config/dkim', DOMAIN)
  await mkdir(keys, { recursive: true })
  await run('cp', [key, path.join(keys, 'private')])
  await run('cp', [path.join(home, 'node_modules/Haraka/config/connection.ini'), path.join(home, 'config')])
  await writeFile(path.join(keys, 'selector'), 's')
  const settings = {
    'smtp.ini': `listen=127.0.0.1:${port}\nnodes=cpus\n`,
    'outbound.ini': 'enable_tls=false\nreceived_header=bench\n',
    'dkim.ini': '[sign]\nenabled=true\n[verify]\nenabled=false\n',
    'log.ini': '[main]\nlevel=ERROR\n',
    plugins: 'onward\ndkim\n',
    me: `haraka.${DOMAIN}`,
  }
  for (const [name, content] of Object.entries(settings)) await writeFile(path.join(home, 'config', name), content)
  await writeFile(path.join(home, 'plugins/onward.js'), harakaPlugin(sinkPort))
  const haraka = stack.use(start(path.join(home, 'node_modules/Haraka/bin/haraka'), ['-c', home]))
  const cpu = cpuGroup('haraka')
  cpu.add(haraka.child.pid ?? 0)
  await waitFor('Haraka', () => accepts(port))
  await delay(1_000) // its workers start one after the other
  return { name: 'Haraka with DKIM', round: () => measure(cpu, sinkPort, messages, fromSource(options, mail, port)) }
}

/** Every client may relay, and everything goes to the sink. */
function harakaPlugin(sinkPort: number): string {
  return `exports.hook_connect = (next, connection) => { connection.relaying = true; next() }
exports.hook_rcpt = (next) => next(OK)
exports.hook_get_mx = (next) => next(OK, { priority: 0, exchange: '127.0.0.1', port: ${sinkPort} })
`
}
