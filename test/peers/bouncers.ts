// Other people's mail servers that accept a mail and then cannot deliver it: Debian's Postfix, Exim and OpenSMTPD. Each is a
// separate instance that accepts everything for its zone and sends its report to the return path. The first label of a
// mail's domain decides its fate: unknown, quota, size, loop, expiry.

import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import { eximHead } from './exim.ts'
import { accepts, type Running, run, start, waitFor } from './fixture.ts'
import { masterConf, ownFolders } from './postfix.ts'

export interface BouncerOptions {
  readonly folder: string
  /** A separate loopback address, so that several servers share one port. */
  readonly address: string
  readonly port: number
  readonly zone: string
  /** Destination of the reports: the host of the return paths and the port of its inbound MX. */
  readonly home: { readonly host: string; readonly port: number }
  /** Port of a server behind it that refuses recipients. */
  readonly refusing: number
  /** Port of a server behind it that accepts at most 1,000 bytes. */
  readonly small: number
  /** A port without a listener, at `DEAD`. */
  readonly dead: number
}

/** A separate address: a server that cannot reach it may treat every port there as down. */
const DEAD = '127.0.0.99'

async function until(running: Running, name: string, { address, port }: BouncerOptions): Promise<Running> {
  await waitFor(name, async () => {
    if (running.child.exitCode !== null) throw new Error(running.said())
    return accepts(port, address)
  })
  return running
}

export async function postfixBouncer(options: BouncerOptions): Promise<AsyncDisposable> {
  const { address, port, zone, home } = options
  const folder = path.join(options.folder, 'postfix-bouncer')
  for (const name of ['spool', 'data', 'mail']) await mkdir(path.join(folder, name), { recursive: true })
  await run('chown', ['postfix', path.join(folder, 'data')])
  const routes = {
    [home.host]: home.port,
    [`quota.${zone}`]: options.refusing,
    [`size.${zone}`]: options.small,
  }
  const lines = Object.entries(routes).map(([domain, to]) => `${domain} smtp:[127.0.0.1]:${to}\n`)
  lines.push(`loop.${zone} smtp:[${address}]:${port}\n`, `expiry.${zone} smtp:[${DEAD}]:${options.dead}\n`)
  await writeFile(path.join(folder, 'transport'), lines.join(''))
  await writeFile(
    path.join(folder, 'main.cf'),
    `${ownFolders(folder, `mx.${zone}`)}
mynetworks = 127.0.0.0/8
smtp_dns_support_level = disabled
smtpd_peername_lookup = no
smtpd_reject_unlisted_recipient = no
smtpd_relay_restrictions = permit_mynetworks, reject_unauth_destination

virtual_mailbox_domains = unknown.${zone}
virtual_mailbox_base = ${folder}/mail
virtual_mailbox_maps = inline:{someone@unknown.${zone}=someone/}
virtual_uid_maps = static:5000
virtual_gid_maps = static:5000
transport_maps = texthash:${folder}/transport
minimal_backoff_time = 1s
maximal_backoff_time = 1s
queue_run_delay = 1s
maximal_queue_lifetime = 3s
`,
  )
  await writeFile(path.join(folder, 'master.cf'), masterConf(address, port))
  await run('postfix', ['-c', folder, 'start'])
  await waitFor('Postfix', () => accepts(port, address))
  return {
    [Symbol.asyncDispose]: async () => {
      await run('postfix', ['-c', folder, 'stop']).catch(() => undefined)
    },
  }
}

export async function eximBouncer(program: string, options: BouncerOptions): Promise<AsyncDisposable> {
  const { address, port, zone, home } = options
  const folder = path.join(options.folder, 'exim-bouncer')
  for (const name of ['spool', 'log', 'mail']) await mkdir(path.join(folder, name), { recursive: true })
  await run('chown', ['-R', 'mail:mail', folder])
  const conf = path.join(folder, 'exim.conf')
  const router = (name: string, domain: string, rest: string): string => `${name}:\n  domains = ${domain}\n${rest}\n`
  await writeFile(
    conf,
    `${eximHead({ program, home: folder, hostname: `mx.${zone}`, address, port })}received_headers_max = 10
acl_smtp_rcpt = accept
acl_smtp_data = accept
begin routers
${router('home', home.host, `  driver = manualroute\n  transport = home\n  route_list = * 127.0.0.1\n  self = send`)}
${router('quota', `quota.${zone}`, '  driver = accept\n  transport = quota')}
${router('size', `size.${zone}`, '  driver = manualroute\n  transport = size\n  route_list = * 127.0.0.1\n  self = send')}
${router('loop', `loop.${zone}`, `  driver = manualroute\n  transport = loop\n  route_list = * ${address}\n  self = send`)}
${router('expiry', `expiry.${zone}`, `  driver = manualroute\n  transport = dead\n  route_list = * ${DEAD}\n  self = send`)}
begin transports
home:
  driver = smtp
  port = ${home.port}
  allow_localhost
loop:
  driver = smtp
  port = ${port}
  allow_localhost
dead:
  driver = smtp
  port = ${options.dead}
  allow_localhost
quota:
  driver = appendfile
  directory = ${folder}/mail/full
  maildir_format
  quota = 1K
  quota_is_inclusive
  user = mail
  group = mail
size:
  driver = smtp
  port = ${options.small}
  allow_localhost
begin retry
* * F,1s,1s
`,
  )
  await chmod(conf, 0o644)
  return until(start(program, ['-C', conf, '-bdf', '-q2s']), 'Exim', options)
}

/**
 * Its queue has a compiled-in path, so only one instance can run. It retries a host after minutes but a local command after
 * seconds, so the mail that expires goes to a local command. It allows a mail a hundred hops, one a second, so the proxy on
 * the way back to itself adds the trace of sixty hops.
 */
export async function opensmtpdBouncer(program: string, options: BouncerOptions): Promise<AsyncDisposable> {
  const { address, port, zone, home } = options
  const folder = path.join(options.folder, 'opensmtpd-bouncer')
  for (const name of [folder, '/var/lib/opensmtpd/empty', '/var/spool/smtpd']) await mkdir(name, { recursive: true })
  await chmod('/var/spool/smtpd', 0o711)
  const conf = path.join(folder, 'smtpd.conf')
  const round = await tracingProxy(address, port)
  const relay = (name: string, where: string): string => `action "${name}" relay host smtp://${where} helo mx.${zone}\n`
  const route = (domain: string, name: string): string => `match from any for domain "${domain}" action "${name}"\n`
  await writeFile(
    conf,
    `queue ttl 3s
bounce warn-interval 1d
listen on ${address} port ${port} hostname mx.${zone}
table everybody { "@" = "nobody" }
action "later" mda "exit 75" virtual <everybody>
${relay('home', `127.0.0.1:${home.port}`)}${relay('refusing', `127.0.0.1:${options.refusing}`)}${relay('small', `127.0.0.1:${options.small}`)}${relay('round', `127.0.0.1:${round.port}`)}
${route(home.host, 'home')}${route(`loop.${zone}`, 'round')}${route(`expiry.${zone}`, 'later')}${route(`size.${zone}`, 'small')}${route(`*.${zone}`, 'refusing')}`,
  )
  await chmod(conf, 0o600)
  // It looks for its helpers at a compiled-in path.
  const own = `[ -d ${LIBEXEC} ] || { mount -t tmpfs -o mode=755 tmpfs /usr/libexec && mkdir ${LIBEXEC} && mount --bind "$(dirname "$0")/../libexec/opensmtpd" ${LIBEXEC}; } && exec "$0" "$@"`
  const command = ['-m', 'sh', '-c', own, program, '-d', '-f', conf]
  const running = await until(start('unshare', command), 'OpenSMTPD', options)
  return {
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]()
      round.close()
    },
  }
}

const LIBEXEC = '/usr/libexec/opensmtpd'
const ROUNDS = 60

/** Forwards each connection, and writes the trace fields of 60 hops before the message. */
async function tracingProxy(address: string, port: number): Promise<{ readonly port: number; close(): void }> {
  const trace = 'Received: from mx by mx; Mon, 2 Mar 2026 10:00:00 +0000\r\n'.repeat(ROUNDS)
  const server = net.createServer((client) => {
    const behind = net.connect(port, address)
    for (const socket of [client, behind]) socket.on('error', () => socket.destroy())
    client.pipe(behind)
    behind.on('data', (chunk) => {
      if (chunk.toString('latin1').startsWith('354')) behind.write(trace)
      client.write(chunk)
    })
    behind.on('close', () => client.end())
    client.on('close', () => behind.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}
