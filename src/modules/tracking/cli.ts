// The operator's commands for targets that no link may lead to, for the keys of links, and for the certificate of the public
// URL's host. Running processes pick up changes within seconds.

import { isIPv6 } from 'node:net'
import { type Command, JSON_OPTION, noMore, UsageError } from '../../platform/command.ts'
import { printRecords } from '../../platform/command-output.ts'
import type { Database } from '../../platform/db.ts'
import { retryOwnCertificate } from './certificates.ts'
import { retireTokenKeys, rotateTokenKey, tokenKeys } from './keys.ts'
import * as sql from './sql.ts'

export const trackingCommands: readonly Command[] = [
  {
    path: ['target', 'block'],
    summary: 'block tracked links to a host and its subdomains, or to an address (they answer 410)',
    usage: '<host>',
    options: {},
    run: async ({ database, print }, _, positionals) => {
      const name = hostOf(positionals)
      await database.system.execute(sql.blockTarget, [name])
      print(`${name} is blocked`)
    },
  },
  {
    path: ['target', 'unblock'],
    summary: 'allow tracked links to a host again',
    usage: '<host>',
    options: {},
    run: async ({ database, print }, _, positionals) => {
      const name = hostOf(positionals)
      if ((await database.system.execute(sql.unblockTarget, [name])) === 0) throw new Error(`${name} is not blocked`)
      print(`${name} is no longer blocked`)
    },
  },
  {
    path: ['target', 'list'],
    summary: 'list the hosts that tracked links may not lead to',
    usage: '',
    options: JSON_OPTION,
    run: async ({ database, print }, values) => {
      const hosts = (await database.system.query<{ host: string }>(sql.blockedTargets)).map(({ host }) => host)
      if (values['json'] === true) print(JSON.stringify(hosts))
      else for (const host of hosts.length === 0 ? ['none'] : hosts) print(host)
    },
  },
  {
    path: ['link-key', 'list'],
    summary: 'list the keys of tracked links',
    usage: '',
    options: JSON_OPTION,
    run: async (context, values) => {
      const keys = await listed(context.database)
      printRecords(context, values, keys, ['number', 'since', 'links'])
    },
  },
  {
    path: ['link-key', 'rotate'],
    summary: 'start a new key for the links of emails accepted from now on; old links keep working',
    usage: '',
    options: JSON_OPTION,
    run: async ({ database, secrets, clock, print }, values) => {
      const { number, since } = await rotateTokenKey(database.system, clock, secrets.present())
      if (values['json'] === true) print(JSON.stringify({ number, since }))
      else print(`key ${number} starts at ${since.toISOString()}`)
    },
  },
  {
    path: ['link-key', 'retire'],
    summary: 'retire all keys before this one: tracked links and unsubscribe links made with them stop working',
    usage: '<number>',
    options: {},
    run: async ({ database, clock, print }, _, positionals) => {
      noMore(positionals, 1)
      const [number] = positionals
      if (number === undefined || !/^\d{1,3}$/.test(number))
        throw new UsageError('name the number of the oldest key to keep')
      await retireTokenKeys(database.system, clock, Number(number))
      print(`keys before ${number} are retired`)
    },
  },
  {
    path: ['certificate', 'retry'],
    summary: 'order the certificate of the host of POSTHORN_PUBLIC_URL now, after an order has failed',
    usage: '',
    options: {},
    run: async ({ config, database, clock, print }, _, more) => {
      if (more.length > 0) throw new UsageError('name nothing: there is one such certificate')
      const host = new URL(config.publicUrl).hostname
      await retryOwnCertificate(database.system, host, clock.now())
      print(`the certificate for ${host} is ordered within seconds; posthorn doctor shows the result`)
    },
  },
]

/** The host as in a parsed URL: lower-case A-labels, or an address in its one spelling, an IPv6 one in brackets. */
function hostOf(positionals: readonly string[]): string {
  noMore(positionals, 1)
  const [text = ''] = positionals
  const address = text.replace(/^\[(.*)\]$/, '$1')
  const host = isIPv6(address) ? `[${address}]` : text.replace(/\.$/, '')
  // The parser would take a port, a user or an escape, and keep an asterisk, which no link has.
  const isName = host.split('.').every((label) => /^[^/\\@:?#*%\s]+$/.test(label))
  if (!(isName || isIPv6(address)) || !URL.canParse(`http://${host}/`))
    throw new UsageError('name one host, such as evil.example')
  return new URL(`http://${host}/`).hostname
}

async function listed(
  database: Database,
): Promise<readonly { number: number; since: Date | null; links: 'work' | 'ended' }[]> {
  const { begun, oldest } = await tokenKeys(database.system)
  return begun.map(({ number, since }) => ({
    number,
    since: number === 1 ? null : since,
    links: number < oldest ? 'ended' : 'work',
  }))
}
