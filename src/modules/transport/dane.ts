// DANE for SMTP (RFC 7672): which of a domain's hosts name their certificates in a signed DNS.
//
// It begins with the MX records: only when they (or that there are none) are signed can the names of the hosts be believed.
// Then each host's addresses: a host in a zone that is not signed has no TLSA records to ask for (section 2.2.2), and name
// servers that choke on the question are left in peace. The records stand at the end of the host's aliases, or at its own
// name. What fails to validate closes the host: that is what somebody in between would make it look like.

import { isUsable } from '../../mail/tlsa.ts'
import type { SecureResolver } from '../../platform/dns-secure.ts'
import type { HostRule } from './types.ts'

const NONE: HostRule = { kind: 'any', fault: null }

/** By host. `any`: DANE has nothing to say about it. */
export async function daneRules(
  resolver: SecureResolver,
  { site, hosts, port }: { readonly site: string; readonly hosts: readonly string[]; readonly port: number },
): Promise<ReadonlyMap<string, HostRule>> {
  const mx = await resolver.mx(site)
  if (mx.kind === 'failed') return new Map(hosts.map((host) => [host, bogus(`the MX records of ${site}`)]))
  if (!mx.secure) return new Map()
  // The hosts were found by another look-up: one that the signed answer does not name is not the domain's.
  const named = mx.kind === 'found' ? new Set(mx.records) : new Set([site.toLowerCase()])
  const rules = await Promise.all(
    hosts.map(async (host): Promise<[string, HostRule]> => {
      return [host, named.has(host) ? await hostRule(resolver, host, port) : bogus(`${host} as a host of ${site}`)]
    }),
  )
  return new Map(rules)
}

async function hostRule(resolver: SecureResolver, host: string, port: number): Promise<HostRule> {
  const addresses = await resolver.addresses(host)
  if (addresses.kind === 'failed') return bogus(`the addresses of ${host}`)
  if (addresses.kind === 'none' || !addresses.secure) return NONE
  const names = addresses.name === host ? [host] : [addresses.name, host]
  for (const name of names) {
    const answer = await resolver.tlsa(`_${port}._tcp.${name}`)
    if (answer.kind === 'failed') return bogus(`the TLSA records of ${name}`)
    if (answer.kind === 'none' || !answer.secure) continue
    const records = answer.records.filter(isUsable)
    return records.length === 0 ? { kind: 'encrypted' } : { kind: 'dane', records, names: [name, ...names] }
  }
  return NONE
}

function bogus(what: string): HostRule {
  return { kind: 'closed', why: `DNSSEC: ${what} could not be validated`, fault: 'dnssec-invalid' }
}
