// Optional records that a sending domain may publish besides its four records, and their checks. They have no influence on
// whether mail is sent.
//
//   bounce.<domain> CNAME <our host>   puts the return path under the domain itself, so that SPF passes aligned with From
//                                      (RFC 9989); reports still reach our host through the MX of the CNAME's target
//   default._bimi.<domain> TXT         the address of the brand's logo, for receivers that show one (BIMI)

import type { Resolver } from '../../platform/dns.ts'
import { aboutTarget } from './mistakes.ts'
import { checked, dnsError, type Finding, FOUND_CHARACTERS, hostOf, type RecordCheck, VALID } from './records.ts'

export type OptionalPurpose = 'return_path' | 'bimi'

/** A record that may be published. Names are full, without a trailing dot. */
export interface OptionalRecord {
  readonly type: 'CNAME' | 'TXT'
  readonly purpose: OptionalPurpose
  readonly name: string
  readonly host: string
  readonly value: string
  /** Seconds. */
  readonly ttl: number
  readonly required: false
}

export type OptionalChecks = Readonly<Record<OptionalPurpose, RecordCheck>>

/** A path has at most 256 octets (RFC 5321 section 4.5.3.1.3): the local part takes 63; the angle brackets and the @ take 3. */
export const MAX_RETURN_PATH_HOST = 190
const TTL_SECONDS = 3_600
/** First label of a return path host, with its dot. */
export const RETURN_PATH_LABEL = 'bounce.'
const BIMI = /^v=BIMI1\s*;\s*l=\s*(?:https:\/\/[^\s;]+)?\s*(?:;|$)/i

/** The host of return paths under a domain; null when its name would be too long. */
export function returnPathHost(domain: string): string | null {
  const host = `${RETURN_PATH_LABEL}${domain}`
  return host.length <= MAX_RETURN_PATH_HOST ? host : null
}

/** @param hostname of this service, which receives the reports */
export function optionalRecords(domain: string, hostname: string): readonly OptionalRecord[] {
  const record = (type: 'CNAME' | 'TXT', purpose: OptionalPurpose, name: string, value: string): OptionalRecord => {
    return { type, purpose, name, host: hostOf(name, domain), value, ttl: TTL_SECONDS, required: false }
  }
  const host = returnPathHost(domain)
  return [
    ...(host === null ? [] : [record('CNAME', 'return_path', host, hostname.toLowerCase())]),
    record('TXT', 'bimi', `default._bimi.${domain}`, `v=BIMI1; l=https://${domain}/bimi-logo.svg`),
  ]
}

/** No DNS response makes it throw; an aborted `signal` is status `error`. */
export async function checkOptional(
  records: readonly OptionalRecord[],
  resolver: Resolver,
  signal: AbortSignal,
): Promise<Partial<OptionalChecks>> {
  const checks = await Promise.all(
    records.map(async (record) => {
      const find = record.purpose === 'bimi' ? checkBimi : checkReturnPath
      return [record.purpose, await checked(record, () => find(record, resolver, signal), signal)] as const
    }),
  )
  return Object.fromEntries(checks)
}

async function checkReturnPath(
  { name, value }: OptionalRecord,
  resolver: Resolver,
  signal: AbortSignal,
): Promise<Finding> {
  const answer = await resolver.cname(name, signal)
  if (answer.kind === 'servfail' || answer.kind === 'timeout') return dnsError(name, answer.kind)
  const found = answer.kind === 'found' ? answer.records.map(folded).slice(0, 1) : []
  const [target] = found
  if (target === undefined) return { status: 'missing', found, error: `no CNAME at ${name}` }
  const error = aboutTarget(`${name} leads to another host`, target, value)
  if (target !== value) return { status: 'mismatch', found, error }
  return { ...VALID, found }
}

async function checkBimi({ name }: OptionalRecord, resolver: Resolver, signal: AbortSignal): Promise<Finding> {
  const answer = await resolver.txt(name, signal)
  if (answer.kind === 'servfail' || answer.kind === 'timeout') return dnsError(name, answer.kind)
  const texts = answer.kind === 'found' ? answer.records.map((text) => text.slice(0, FOUND_CHARACTERS)) : []
  const found = texts.filter((text) => /^v=BIMI1\b/i.test(text))
  if (found.length === 0) return { status: 'missing', found: texts, error: `no BIMI record at ${name}` }
  if (found.length > 1) return { status: 'multiple', found, error: `${name} holds more than one BIMI record` }
  if (!BIMI.test(found[0] ?? '')) return { status: 'mismatch', found, error: 'its l= is no https address' }
  return { ...VALID, found }
}

function folded(name: string): string {
  return name.toLowerCase().replace(/\.$/, '').slice(0, 255)
}
