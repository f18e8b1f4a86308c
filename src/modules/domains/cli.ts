// The operator's commands for sending domains: `posthorn domain ...`. A domain is named by its id, or by its name if only one
// account has it.

import { type Command, type CommandContext, JSON_OPTION, UsageError } from '../../platform/command.ts'
import type { Resolver } from '../../platform/dns.ts'
import { authoritativeResolver } from '../../platform/dns-authoritative.ts'
import { dnsResolver } from '../../platform/dns-resolver.ts'
import { type Domains, domainsOf } from './domains.ts'
import { wireDomain } from './routes.ts'
import { type DomainStatus, STATUSES } from './states.ts'
import type { Domain } from './types.ts'

export const domainCommands: readonly Command[] = [
  {
    path: ['domain', 'verify'],
    summary: 'check the DNS records of a sending domain now',
    usage: '<domain or id>',
    options: JSON_OPTION,
    run: async (context, values, positionals) => {
      const domains = domainsFor(context)
      const domain = await theOne(domains, positionals[0])
      const { domain: after } = await domains.verify({ accountId: domain.accountId, domainIds: null }, domain.id)
      show(context, values['json'] === true, after)
    },
  },
  {
    path: ['domain', 'set-status'],
    summary: `override the status of a sending domain: ${STATUSES.join(', ')}`,
    usage: '<domain or id> <status>',
    options: JSON_OPTION,
    run: async (context, values, positionals) => {
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
