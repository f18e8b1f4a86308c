// Debian's Postfix as a receiver: a separate instance with maildirs, and optionally with the real postgrey for greylisting and
// Dovecot's quota-status for quotas.

import { chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { accepts, freePort, type Running, run, start, waitFor } from './fixture.ts'

export interface PostfixOptions {
  readonly folder: string
  /** A separate loopback address, so that several receivers share one port. */
  readonly address: string
  readonly port: number
  readonly domain: string
  /** Domains with the same mailboxes. */
  readonly alsoDomains?: readonly string[]
  /** Further addresses at the same port, each with its own settings. */
  readonly alsoAt?: readonly Listener[]
  /** Local parts. */
  readonly mailboxes: readonly string[]
  /** A local part whose mailbox is full. */
  readonly full?: string
  /** A local part that is greylisted. */
  readonly greylisted?: string
  /** Port of an LMTP server that knows the mailboxes: Postfix asks it to verify every recipient. */
  readonly lmtp?: number
}

export interface Listener {
  readonly address: string
  readonly settings: Readonly<Record<string, string>>
}

export interface Mailboxes extends AsyncDisposable {
  /** The messages of a mailbox as stored, with the lines that the receiver added at the top. */
  messages(localPart: string): Promise<readonly Buffer[]>
}

const MAIL_UID = 5_000
const GREYLIST_SECONDS = 3

export async function startPostfix(options: PostfixOptions): Promise<Mailboxes> {
  const { address, port, domain, mailboxes, full, greylisted } = options
  // Postfix checks its own folder for files of the wrong owner, so the mail has a folder beside it.
  const folder = path.join(options.folder, 'postfix')
  const mail = path.join(options.folder, 'mail')
  const known = [...mailboxes, ...(full === undefined ? [] : [full]), ...(greylisted === undefined ? [] : [greylisted])]
  for (const name of ['spool', 'data']) await mkdir(path.join(folder, name), { recursive: true })
  await mkdir(mail, { recursive: true })
  await chown(mail, MAIL_UID, MAIL_UID)
  await run('chown', ['postfix', path.join(folder, 'data')])
  const domains = [domain, ...(options.alsoDomains ?? [])]
  const users = domains.flatMap((host) => known.map((name) => `${name}@${host} ${name}/\n`))
  await writeFile(path.join(folder, 'users'), users.join(''))
  const grey = greylisted === undefined ? null : await startPostgrey(options.folder)
  const quota = full === undefined ? null : await startQuota(options.folder, `${full}@${domain}`)
  const policies = {
    ...(greylisted !== undefined && { [greylisted]: 'grey' }),
    ...(full !== undefined && { [full]: 'quota' }),
  }
  const rules = Object.entries(policies).map(([name, policy]) => `${name}@${domain} ${policy}\n`)
  await writeFile(path.join(folder, 'policies'), rules.join(''))
  const verified = options.lmtp === undefined ? '' : verifiedBy(options.lmtp)
  await writeFile(path.join(folder, 'main.cf'), mainConf(folder, options) + classes(grey, quota) + verified)
  await writeFile(path.join(folder, 'master.cf'), masterConf(address, port, options.alsoAt))
  await selfSigned(folder, `mx.${domain}`)
  await run('postfix', ['-c', folder, 'start'])
  await waitFor('Postfix', () => accepts(port, address))
  return {
    messages: (localPart) => maildir(path.join(mail, localPart, 'new')),
    [Symbol.asyncDispose]: async () => {
      await run('postfix', ['-c', folder, 'stop']).catch(() => undefined)
      await grey?.running[Symbol.asyncDispose]()
      await quota?.running[Symbol.asyncDispose]()
    },
  }
}

async function selfSigned(folder: string, name: string): Promise<void> {
  const files = ['-keyout', path.join(folder, 'tls.key'), '-out', path.join(folder, 'tls.crt')]
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
    ...files,
  ])
}

export async function maildir(folder: string): Promise<readonly Buffer[]> {
  const names = await readdir(folder).catch(() => [])
  return Promise.all(names.sort().map((name) => readFile(path.join(folder, name))))
}

interface Policy {
  readonly where: string
  readonly running: Running
}

function classes(grey: Policy | null, quota: Policy | null): string {
  const ask = (policy: Policy | null): string => (policy === null ? 'permit' : `check_policy_service ${policy.where}`)
  return `smtpd_restriction_classes = grey, quota\ngrey = ${ask(grey)}\nquota = ${ask(quota)}\n`
}

/** The head of a main.cf: an instance of its own in `folder`, on loopback over IPv4, which delivers to nobody by itself. */
export function ownFolders(folder: string, hostname: string): string {
  return `compatibility_level = 3.6
queue_directory = ${folder}/spool
data_directory = ${folder}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
maillog_file = ${folder}/maillog
maillog_file_prefixes = ${folder}
myhostname = ${hostname}
mydestination =
local_recipient_maps =
alias_maps =
alias_database =
inet_interfaces = loopback-only
inet_protocols = ipv4
`
}

function mainConf(folder: string, { domain, alsoDomains = [] }: PostfixOptions): string {
  return `${ownFolders(folder, `mx.${domain}`)}mynetworks = 127.99.99.99/32
local_header_rewrite_clients =
smtpd_peername_lookup = no
smtp_dns_support_level = disabled
smtputf8_enable = yes
smtpd_tls_security_level = may
smtpd_tls_cert_file = ${folder}/tls.crt
smtpd_tls_key_file = ${folder}/tls.key
smtpd_forbid_bare_newline = yes
message_size_limit = 26214400
virtual_mailbox_limit = 0
virtual_mailbox_domains = ${[domain, ...alsoDomains].join(', ')}
virtual_mailbox_base = ${path.dirname(folder)}/mail
virtual_mailbox_maps = texthash:${folder}/users
virtual_uid_maps = static:${MAIL_UID}
virtual_gid_maps = static:${MAIL_UID}
smtpd_relay_restrictions = reject_unauth_destination
smtpd_recipient_restrictions = reject_unauth_destination, reject_unlisted_recipient, check_recipient_access texthash:${folder}/policies
smtpd_client_connection_count_limit = 0
`
}

/** Later lines win over earlier ones. */
function verifiedBy(port: number): string {
  return `virtual_transport = lmtp:inet:127.0.0.1:${port}
virtual_mailbox_maps =
smtpd_recipient_restrictions = reject_unauth_destination, reject_unverified_recipient
unverified_recipient_reject_code = 550
address_verify_map =
address_verify_poll_delay = 1s
address_verify_sender_ttl = 0
`
}

/** Services with sockets in `public`. */
const OPEN_SERVICES = new Set(['pickup', 'cleanup', 'qmgr', 'flush', 'postlog'])

export function masterConf(address: string, port: number, others: readonly Listener[] = []): string {
  const smtpd = ({ address: at, settings }: Listener): string => {
    const options = Object.entries(settings).map(([name, value]) => ` -o ${name}=${value}`)
    return `${at}:${port} inet n - n - - smtpd${options.join('')}\n`
  }
  const unix = (name: string, command: string, wakeup = '-', limit = '-'): string =>
    `${name} unix ${OPEN_SERVICES.has(name) ? 'n' : '-'} ${name === 'virtual' ? 'n' : '-'} n ${wakeup} ${limit} ${command}\n`
  return [
    smtpd({ address, settings: {} }),
    ...others.map(smtpd),
    unix('pickup', 'pickup', '60', '1'),
    unix('cleanup', 'cleanup', '-', '0'),
    unix('qmgr', 'qmgr', '300', '1'),
    unix('tlsmgr', 'tlsmgr', '1000?', '1'),
    unix('rewrite', 'trivial-rewrite'),
    unix('bounce', 'bounce', '-', '0'),
    unix('defer', 'bounce', '-', '0'),
    unix('trace', 'bounce', '-', '0'),
    unix('verify', 'verify', '-', '1'),
    unix('flush', 'flush', '1000?', '0'),
    unix('proxymap', 'proxymap'),
    unix('smtp', 'smtp'),
    unix('error', 'error'),
    unix('retry', 'error'),
    unix('discard', 'discard'),
    unix('virtual', 'virtual'),
    unix('lmtp', 'lmtp'),
    unix('anvil', 'anvil', '-', '1'),
    unix('scache', 'scache', '-', '1'),
    'postlog unix-dgram n - n - 1 postlogd\n',
  ].join('')
}

async function startPostgrey(folder: string): Promise<Policy> {
  const port = await freePort()
  const data = path.join(folder, 'greylist')
  await mkdir(data, { recursive: true })
  await run('chown', ['postgrey', data])
  const running = start('postgrey', [
    `--inet=127.0.0.1:${port}`,
    `--delay=${GREYLIST_SECONDS}`,
    `--dbdir=${data}`,
    '--auto-whitelist-clients=0',
  ])
  await waitFor('postgrey', () => accepts(port))
  return { where: `inet:127.0.0.1:${port}`, running }
}

/** Dovecot's quota-status, which answers for a mailbox over its quota. */
async function startQuota(folder: string, full: string): Promise<Policy> {
  const port = await freePort()
  const home = path.join(folder, 'dovecot')
  await mkdir(path.join(home, 'full', 'Maildir', 'cur'), { recursive: true })
  await mkdir(path.join(home, 'run'), { recursive: true })
  await writeFile(path.join(home, 'full', 'Maildir', 'cur', '1.full:2,S'), 'Subject: full\r\n\r\n'.padEnd(4_000, 'x'))
  await run('chown', ['-R', `${MAIL_UID}:${MAIL_UID}`, path.join(home, 'full')])
  await writeFile(
    path.join(home, 'users'),
    `${full}::${MAIL_UID}:${MAIL_UID}::${home}/full::userdb_quota_rule=*:bytes=1000\n`,
  )
  const conf = path.join(home, 'dovecot.conf')
  await writeFile(
    conf,
    `base_dir = ${home}/run
log_path = ${home}/log
protocols =
ssl = no
mail_location = maildir:~/Maildir
mail_plugins = quota
first_valid_uid = 1000
passdb {
  driver = passwd-file
  args = ${home}/users
}
userdb {
  driver = passwd-file
  args = ${home}/users
}
plugin {
  quota = maildir:User quota
  quota_status_success = DUNNO
  quota_status_nouser = DUNNO
  quota_status_overquota = "552 5.2.2 Mailbox is full"
}
service quota-status {
  executable = quota-status -p postfix
  client_limit = 1
  inet_listener {
    address = 127.0.0.1
    port = ${port}
  }
}
`,
  )
  const running = start('dovecot', ['-F', '-c', conf])
  await waitFor('Dovecot', async () => {
    if (running.child.exitCode !== null) throw new Error(running.said())
    return accepts(port)
  })
  return { where: `inet:127.0.0.1:${port}`, running }
}
