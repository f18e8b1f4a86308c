// Debian's Exim as a receiver. Its package conflicts with Postfix's, so POSTHORN_TEST_EXIM may name the program of an unpacked
// package.

import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { accepts, type Running, run, start, waitFor } from './fixture.ts'
import { type Mailboxes, maildir } from './postfix.ts'

export interface EximOptions {
  readonly folder: string
  readonly address: string
  readonly port: number
  readonly domain: string
  /** `*` accepts every address. */
  readonly mailboxes: readonly string[]
  /** Seconds before it answers RCPT. */
  readonly tarpit?: number
  /** Text that it sends instead of a greeting. */
  readonly blocking?: string
}

/** The program; null when it is not installed. */
export async function eximProgram(): Promise<string | null> {
  const unpacked = process.env['POSTHORN_TEST_EXIM']
  const candidates = [...(unpacked === undefined ? [] : [unpacked]), '/usr/sbin/exim4']
  for (const program of candidates) {
    if (
      await run(program, ['-C', '/dev/null', '-bV']).then(
        () => true,
        () => false,
      )
    )
      return program
  }
  return null
}

interface EximHead {
  readonly program: string
  readonly home: string
  readonly hostname: string
  readonly address: string
  readonly port: number
}

/** The head of a configuration: an instance of its own in `home`, at one address, which asks nobody about its clients. */
export function eximHead({ program, home, hostname, address, port }: EximHead): string {
  return `exim_path = ${program}
exim_user = mail
exim_group = mail
primary_hostname = ${hostname}
spool_directory = ${home}/spool
log_file_path = ${home}/log/%slog
pid_file_path = ${home}/exim.pid
local_interfaces = ${address}
daemon_smtp_ports = ${port}
disable_ipv6 = true
host_lookup =
rfc1413_query_timeout = 0s
dns_dnssec_ok = -1
tls_advertise_hosts =
keep_environment =
`
}

export async function startExim(
  program: string,
  { folder, address, port, domain, mailboxes, tarpit, blocking }: EximOptions,
): Promise<Mailboxes> {
  const home = path.join(folder, `exim-${domain}`)
  for (const name of ['spool', 'log', 'mail']) await mkdir(path.join(home, name), { recursive: true })
  await run('chown', ['-R', 'mail:mail', home])
  const conf = path.join(home, 'exim.conf')
  await writeFile(
    conf,
    `${eximHead({ program, home, hostname: `mx.${domain}`, address, port })}smtputf8_advertise_hosts = *
domainlist local_domains = ${domain}
acl_smtp_rcpt = check_rcpt
acl_smtp_data = accept
${blocking === undefined ? '' : 'acl_smtp_connect = check_connect\n'}begin acl
check_connect:
  drop message = ${blocking ?? 'no'}
check_rcpt:
${tarpit === undefined ? '' : `  warn delay = ${tarpit}s\n`}  deny message = 5.7.1 relaying denied
       domains = !+local_domains
  deny message = 5.1.1 no such user here
       !local_parts = ${mailboxes.join(' : ')}
  accept
begin routers
boxes:
  driver = accept
  local_parts = ${mailboxes.join(' : ')}
  transport = maildir
begin transports
maildir:
  driver = appendfile
  directory = ${home}/mail/$local_part_data
  maildir_format
  user = mail
  group = mail
  return_path_add
begin retry
* * F,1h,1m
`,
  )
  await chmod(conf, 0o644)
  const running: Running = start(program, ['-C', conf, '-bdf', '-q1m'])
  await waitFor('Exim', async () => {
    if (running.child.exitCode !== null) throw new Error(running.said())
    return accepts(port, address)
  })
  return {
    messages: (localPart) => maildir(path.join(home, 'mail', localPart, 'new')),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}
