// The operator's commands for sending domains: `posthorn domain ...`. A domain is named by its id, or by its name if only one
// account has it.

import { type Command, type CommandContext, JSON_OPTION, noMore, UsageError } from '../../platform/command.ts'
import { authoritativeResolver } from '../../platform/dns/authoritative.ts'
import { dnsResolver } from '../../platform/dns/resolver.ts'
import type { Resolver } from '../../platform/dns.ts'
import { type Domains, domainsOf } from './domains.ts'
import { type DomainStatus, STATUSES } from './states.ts'
import type { Domain } from './types.ts'
import { wireDomain, wireNextKeys } from './wire.ts'

export const domainCommands: readonly Command[] = [
  {
    path: ['domain', 'verify'],
    summary: 'check the DNS records of a sending domain now',
    usage: '<domain or id>',
    options: JSON_OPTION,
    run: async (context, values, positionals) => {
      noMore(positionals, 1)
      const domains = domainsFor(context)
      const domain = await theOne(domains, positionals[0])
      const { domain: after } = await domains.verify({ accountId: domain.accountId, domainIds: null }, domain.id)
      show(context, values['json'] === true, after)
    },
  },
  {
    path: ['domain', 'rotate-dkim'],
    summary: 'make new DKIM keys for a sending domain, used once their record is found',
    usage: '<domain or id> [--cancel]',
    options: { ...JSON_OPTION, cancel: { type: 'boolean', about: 'drop the new keys and keep the current ones' } },
    run: async (context, values, positionals) => {
      noMore(positionals, 1)
      const domains = domainsFor(context)
      const { accountId, id } = await theOne(domains, positionals[0])
      const holder = { accountId, domainIds: null }
      if (values['cancel'] === true) {
        showRotation(context, values['json'] === true, await domains.cancelDkimRotation(holder, id))
      } else {
        showRotation(context, values['json'] === true, await domains.beginDkimRotation(holder, id))
      }
    },
  },
  {
    path: ['domain', 'set-status'],
    summary: `override the status of a sending domain: ${STATUSES.join(', ')}`,
    usage: '<domain or id> <status>',
    options: JSON_OPTION,
    run: async (context, values, positionals) => {
      noMore(positionals, 2)
      const domains = domainsFor(context)
      const status = STATUSES.find((one) => one === positionals[1])
      if (status === undefined) throw new UsageError(`the status must be one of ${STATUSES.join(', ')}`)
      const domain = await theOne(domains, positionals[0])
      show(
        context,
        values['json'] === true,
        await domains.setStatus(domain.accountId, domain.id, status as DomainStatus),
      )
    },
  },
]

function domainsFor({ config, database, clock, ids, secrets }: CommandContext): Domains {
  const cached = dnsResolver({ clock, servers: config.dnsServers })
  const resolver: Resolver =
    config.dnsServers.length > 0
      ? cached.fresh()
      : authoritativeResolver(cached, { clock, allowPrivate: config.allowPrivateNetworks })
  return domainsOf({
    database,
    clock,
    ids,
    resolver,
    secrets,
    spfMechanism: config.spfMechanism,
    hostname: config.hostname,
  })
}

async function theOne(domains: Domains, nameOrId: string | undefined): Promise<Domain> {
  if (nameOrId === undefined) throw new UsageError('name one domain, or its id')
  const found = await domains.find(nameOrId)
  const [first] = found
  if (first === undefined) throw new Error(`there is no sending domain "${nameOrId}"`)
  if (found.length > 1)
    throw new Error(
      `several accounts have the domain "${nameOrId}"; name one by its id: ${found.map(({ id }) => id).join(', ')}`,
    )
  return first
}

function show({ print, config }: CommandContext, json: boolean, domain: Domain): void {
  print(json ? JSON.stringify(wireDomain(domain, config.spfMechanism)) : `${domain.name} is ${domain.status}`)
}

function showRotation({ print, config }: CommandContext, json: boolean, domain: Domain): void {
  const records = wireNextKeys(domain, config.spfMechanism)
  if (json) {
    print(JSON.stringify({ ...wireDomain(domain, config.spfMechanism), dns_records: records }))
    return
  }
  if (domain.dkimRotation === null) {
    print(`${domain.name} keeps its DKIM keys, selector ${domain.dkimSelector}`)
    return
  }
  print(`Publish these records beside those of the selector ${domain.dkimSelector}. The second is optional.`)
  for (const { name, value } of records) print(`${name} TXT ${value}`)
  print(`Once the first is found, mail of ${domain.name} is signed with its key. "domain verify" looks at once.`)
}
