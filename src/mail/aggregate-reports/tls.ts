// TLS-RPT (RFC 8460): where a domain wants its TLS reports, the format of a report, and a parser for it.

import { unpacked } from './part.ts'

export interface TlsReportAddress {
  readonly scheme: 'mailto' | 'https'
  /** An email address, or a URL. */
  readonly target: string
}

const MAX_ADDRESSES = 2

/**
 * The addresses for reports about a domain, from the TXT records of `_smtp._tls.<domain>` (RFC 8460 section 3). At most two;
 * empty when the domain wants none.
 */
export function tlsReportAddresses(records: readonly string[]): readonly TlsReportAddress[] {
  const ours = records.filter((record) => /^v=TLSRPTv1[ \t]*;/.test(record))
  const [record] = ours
  if (record === undefined || ours.length > 1) return []
  const rua = record
    .split(';')
    .map((field) => /^[ \t]*rua=(.*)$/.exec(field)?.[1])
    .find((found) => found !== undefined)
  return (rua ?? '')
    .split(',')
    .flatMap((uri) => addressOf(uri.trim()))
    .slice(0, MAX_ADDRESSES)
}

function addressOf(uri: string): readonly TlsReportAddress[] {
  if (/^https:\/\//i.test(uri) && URL.canParse(uri)) return [{ scheme: 'https', target: uri }]
  const [, address = ''] = /^mailto:([^?]+)/i.exec(uri) ?? []
  try {
    return address.includes('@') ? [{ scheme: 'mailto', target: decodeURIComponent(address) }] : []
  } catch {
    return []
  }
}

export interface TlsFailure {
  readonly 'result-type': string
  readonly 'sending-mta-ip'?: string
  readonly 'receiving-mx-hostname'?: string
  readonly 'receiving-ip'?: string
  readonly 'failed-session-count': number
}

export interface TlsReportPolicy {
  readonly policy: {
    readonly 'policy-type': string
    readonly 'policy-string'?: readonly string[]
    readonly 'policy-domain': string
    readonly 'mx-host'?: readonly string[]
  }
  readonly summary: {
    readonly 'total-successful-session-count': number
    readonly 'total-failure-session-count': number
  }
  readonly 'failure-details'?: readonly TlsFailure[]
}

/** RFC 8460 section 4.4. */
export interface TlsReport {
  readonly 'organization-name': string
  readonly 'date-range': { readonly 'start-datetime': string; readonly 'end-datetime': string }
  readonly 'contact-info': string
  readonly 'report-id': string
  readonly policies: readonly TlsReportPolicy[]
}

/**
 * Parses a report from a mail or a request: JSON, packed or not. Null when it is not a report, or unpacks to too much (part.ts).
 */
export function parseTlsReport(bytes: Buffer): TlsReport | null {
  try {
    const found: unknown = JSON.parse(unpacked(bytes)?.toString('utf8') ?? 'null')
    return isReport(found) ? found : null
  } catch {
    return null
  }
}

function isReport(found: unknown): found is TlsReport {
  if (!isRecord(found) || !isRecord(found['date-range']) || !Array.isArray(found['policies'])) return false
  const { 'start-datetime': start, 'end-datetime': end } = found['date-range']
  if (Number.isNaN(Date.parse(String(start))) || Number.isNaN(Date.parse(String(end)))) return false
  if (typeof found['organization-name'] !== 'string' || typeof found['report-id'] !== 'string') return false
  return found['policies'].every(isReportPolicy)
}

function isReportPolicy(found: unknown): boolean {
  if (!isRecord(found) || !isRecord(found['policy']) || !isRecord(found['summary'])) return false
  const { 'policy-type': type, 'policy-domain': domain } = found['policy']
  const counts = [found['summary']['total-successful-session-count'], found['summary']['total-failure-session-count']]
  return (
    typeof type === 'string' &&
    typeof domain === 'string' &&
    counts.every((count) => Number.isSafeInteger(count) && (count as number) >= 0)
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
