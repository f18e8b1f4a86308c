// The rule for each host of a domain: DANE if signed DNS names its certificates, else MTA-STS, else none. DANE takes precedence
// over MTA-STS for each host (RFC 8461 section 2): a policy fetched over HTTPS never opens a host that DANE closes.

import { type StsPolicy, stsAllows } from '../../mail/dns/mta-sts.ts'
import type { SecureResolver } from '../../platform/dns/secure.ts'
import { daneRules } from './dane.ts'
import type { StsFound } from './mta-sts.ts'
import type { HostRule, ReportedPolicy, SitePolicy } from './types.ts'

export interface PoliciesOptions {
  readonly sts: (domain: string) => Promise<StsFound>
  /** Null: no DANE. */
  readonly secure: SecureResolver | null
  /** SMTP port of the hosts. */
  readonly port: number
}

const ANY: HostRule = { kind: 'any', fault: null }
const NO_POLICY: ReportedPolicy = { type: 'no-policy-found', strings: [], mx: [] }

/** @param hosts the MX hosts of the site, in lower case. Rejects when the database does not answer. */
export async function policyOf(
  site: string,
  hosts: readonly string[],
  { sts, secure, port }: PoliciesOptions,
): Promise<SitePolicy> {
  const [dane, { policy, fault }] = await Promise.all([
    secure === null ? new Map<string, HostRule>() : daneRules(secure, { site, hosts, port }),
    sts(site),
  ])
  const byDane = (host: string): HostRule | null => {
    const rule = dane.get(host)
    return rule === undefined || rule.kind === 'any' ? null : rule
  }
  return {
    rule: (host) => byDane(host) ?? (policy === null ? { kind: 'any', fault } : stsRule(policy, host)),
    reported: (host) => {
      const rule = byDane(host)
      if (rule !== null) return { type: 'tlsa', strings: tlsaStrings(rule), mx: [host] }
      if (policy === null) return fault === null ? NO_POLICY : { type: 'sts', strings: [], mx: [] }
      return policy.mode === 'none' ? NO_POLICY : reportedSts(policy)
    },
  }
}

function stsRule(policy: StsPolicy, host: string): HostRule {
  if (policy.mode === 'none') return ANY
  const enforced = policy.mode === 'enforce'
  if (stsAllows(policy, host)) return { kind: 'sts', enforced }
  if (!enforced) return { kind: 'any', fault: 'validation-failure' }
  return { kind: 'closed', why: `the MTA-STS policy of the domain does not name ${host}`, fault: 'validation-failure' }
}

function reportedSts({ mode, mx, maxAge }: StsPolicy): ReportedPolicy {
  const strings = ['version: STSv1', `mode: ${mode}`, ...mx.map((name) => `mx: ${name}`), `max_age: ${maxAge}`]
  return { type: 'sts', strings, mx }
}

function tlsaStrings(rule: HostRule): readonly string[] {
  if (rule.kind !== 'dane') return []
  return rule.records.map(
    ({ usage, selector, matching, data }) => `${usage} ${selector} ${matching} ${data.toString('hex')}`,
  )
}
