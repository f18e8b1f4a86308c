// DANE for SMTP (RFC 7672): finds the hosts of a domain that name their certificates in signed DNS.
//
// 1. The MX records: the host names can be trusted only when the records, or their absence, are signed.
// 2. Each host's addresses: TLSA records are not looked up for a host in an unsigned zone (section 2.2.2), which spares
//    name servers that fail on such queries.
// 3. The TLSA records. For a host that is an alias they are at the end of its alias chain when the whole chain is signed.
//    Otherwise, or when there are none, they are at the host's own name, provided that the alias itself is signed: so a
//    domain can vouch for a mail provider without DNSSEC. The resolver does not say which part of an answer is unsigned, so
//    the alias is also looked up alone (section 2.1.3).
//
// A look-up that fails to validate closes the host, because an attack looks the same.
//
// For usage 2 the certificate may be for the name with the records (which is also the TLS server name, section 8.1), for the
// host, or for the recipients' domain, as written or at the end of its aliases (section 3.2.2).

import { isUsable } from '../../mail/dns/tlsa.ts'
import type { SecureResolver } from '../../platform/dns/secure.ts'
import type { HostRule } from './types.ts'

const NONE: HostRule = { kind: 'any', fault: null }

/** Rules by host. `any` or no entry: DANE does not apply to the host. */
export async function daneRules(
  resolver: SecureResolver,
  { site, hosts, port }: { readonly site: string; readonly hosts: readonly string[]; readonly port: number },
): Promise<ReadonlyMap<string, HostRule>> {
  const mx = await resolver.mx(site)
  if (mx.kind === 'failed') return new Map(hosts.map((host) => [host, bogus(`the MX records of ${site}`)]))
  if (!mx.secure) return new Map()
  // The hosts come from another look-up: a host that the signed answer does not name is not trusted.
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
  /** Domains of the recipients. */
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

/** The names at which a host's TLSA records may be, the preferred one first. */
async function basesOf(resolver: SecureResolver, host: string): Promise<readonly string[] | HostRule> {
  const addresses = await resolver.addresses(host)
  if (addresses.kind === 'failed') return bogus(`the addresses of ${host}`)
  if (addresses.kind === 'none') return NONE
  if (addresses.secure) return addresses.name === host ? [host] : [addresses.name, host]
  if (addresses.name === host) return NONE
  const alias = await resolver.cname(host)
  // It was an alias in the address look-up.
  if (alias.kind !== 'found') return bogus(`the alias ${host}`)
  return alias.secure ? [host] : NONE
}

function bogus(what: string): HostRule {
  return { kind: 'closed', why: `DNSSEC: ${what} could not be validated`, fault: 'dnssec-invalid' }
}
