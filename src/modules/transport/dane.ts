// DANE for SMTP (RFC 7672): which of a domain's hosts name their certificates in a signed DNS.
//
// It begins with the MX records: only when they (or that there are none) are signed can the names of the hosts be believed.
// Then each host's addresses: a host in a zone that is not signed has no TLSA records to ask for (section 2.2.2), and name
// servers that choke on the question are left in peace. Of a host that is an alias the records stand at the end of its
// aliases where all that leads there is signed, else, and if there are none, at its own name where the alias itself is
// signed: so who has mail taken by somebody without DNSSEC can vouch for him. The resolver does not tell of which part of an
// answer it is that is not signed, hence the question for the alias alone (section 2.1.3). What fails to validate closes
// the host: that is what somebody in between would make it look like.
//
// A certificate of usage 2 may be for the name with the records (which is what the server is greeted with in TLS, section
// 8.1), for the host's, or for the recipients' domain, as written or at the end of its aliases (section 3.2.2).

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
  const domains = mx.kind === 'found' ? [site, mx.name] : [site]
  const rules = await Promise.all(
    hosts.map(async (host): Promise<[string, HostRule]> => {
      return [
        host,
        named.has(host) ? await hostRule(resolver, { host, port, domains }) : bogus(`${host} as a host of ${site}`),
      ]
    }),
  )
  return new Map(rules)
}

interface Host {
  readonly host: string
  readonly port: number
  /** Of the recipients. */
  readonly domains: readonly string[]
}

async function hostRule(resolver: SecureResolver, { host, port, domains }: Host): Promise<HostRule> {
  const bases = await basesOf(resolver, host)
  if ('kind' in bases) return bases
  for (const base of bases) {
    const answer = await resolver.tlsa(`_${port}._tcp.${base}`)
    if (answer.kind === 'failed') return bogus(`the TLSA records of ${base}`)
    if (answer.kind === 'none' || !answer.secure) continue
    const records = answer.records.filter(isUsable)
    if (records.length === 0) return { kind: 'encrypted' }
    return { kind: 'dane', records, names: [...new Set([base, ...bases])], domains }
  }
  return NONE
}

/** Where the records of a host may stand, the better place first. */
async function basesOf(resolver: SecureResolver, host: string): Promise<readonly string[] | HostRule> {
  const addresses = await resolver.addresses(host)
  if (addresses.kind === 'failed') return bogus(`the addresses of ${host}`)
  if (addresses.kind === 'none') return NONE
  if (addresses.secure) return addresses.name === host ? [host] : [addresses.name, host]
  if (addresses.name === host) return NONE
  const alias = await resolver.cname(host)
  // It was one a moment ago.
  if (alias.kind !== 'found') return bogus(`the alias ${host}`)
  return alias.secure ? [host] : NONE
}

function bogus(what: string): HostRule {
  return { kind: 'closed', why: `DNSSEC: ${what} could not be validated`, fault: 'dnssec-invalid' }
}
