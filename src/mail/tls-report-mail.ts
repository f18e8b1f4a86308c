// Reads TLS reports that arrive by mail (RFC 8460 section 5.3) and extracts the data we keep.
//
// The report address is public in the DNS, so anyone can write to it and reading is bounded: 5 levels and 50 parts of a mail,
// 64 KB of a part's header, 10 MB packed and as much unpacked. A report may have at most 100 policies. For each domain, 10
// policies and 100 failures are kept. Each text is truncated. Nothing is fetched, and nothing throws. The sender is not
// verified here (see dkim-check.ts), so the content is only a claim.

import { fieldValue, parseHeaderBlock } from './headers.ts'
import { boundaryOf, partsBetween, type ReadingBudget, readingBudget } from './multipart.ts'
import { parseTlsReport, type TlsFailure, type TlsReport, type TlsReportPolicy } from './tls-report.ts'

export interface ReceivedTlsFailure {
  readonly result_type: string
  readonly sending_mta_ip: string | null
  readonly receiving_mx_hostname: string | null
  readonly receiving_ip: string | null
  readonly failed_sessions: number
}

export interface ReceivedTlsPolicy {
  readonly type: string
  readonly strings: readonly string[]
  readonly mx: readonly string[]
  readonly successful_sessions: number
  readonly failed_sessions: number
  readonly failures: readonly ReceivedTlsFailure[]
}

/** What a report says about one domain. */
export interface ReceivedTlsDomain {
  /** In lower case, without a final dot. */
  readonly domain: string
  readonly successful: number
  readonly failed: number
  readonly policies: readonly ReceivedTlsPolicy[]
}

export interface ReceivedTlsReport {
  readonly organization: string
  readonly reportId: string
  readonly contact: string | null
  readonly begin: Date
  readonly end: Date
  readonly domains: readonly ReceivedTlsDomain[]
}

const LEVELS_MOST = 5
const PARTS_MOST = 50
const HEADER_BYTES = 65_536
const PACKED_BYTES = 10 * 1_048_576
const POLICIES_MOST = 100
const POLICIES_KEPT = 10
const FAILURES_KEPT = 100
const LINES_KEPT = 20
const TEXT_CHARS = 255
const COUNT_MOST = 1e12
const EARLIEST = Date.UTC(2018, 0)
const LATEST = Date.UTC(2100, 0)
const TYPES = /^application\/(?:tlsrpt\+)?(?:gzip|x-gzip|json)$/

/** The first part of a mail that is a report; null when there is none. @param raw the mail as received */
export function readTlsReportMail(raw: Buffer): ReceivedTlsReport | null {
  const left = { parts: PARTS_MOST, budget: readingBudget() }
  const found = reportIn(raw, 0, left)
  return found === null ? null : receivedReport(found)
}

function reportIn(
  entity: Buffer,
  level: number,
  left: { parts: number; readonly budget: ReadingBudget },
): TlsReport | null {
  if (left.parts-- <= 0) return null
  const { fields, bodyStart } = parseHeaderBlock(entity, HEADER_BYTES)
  const value = (key: string): string => {
    const field = fields.find((one) => one.key === key)
    return field === undefined ? '' : fieldValue(entity, field).slice(0, 1_000)
  }
  const content = value('content-type')
  const type = (content.split(';', 1)[0] ?? '').trim().toLowerCase()
  const body = entity.subarray(bodyStart)
  if (type.startsWith('multipart/')) {
    const boundary = level < LEVELS_MOST ? boundaryOf(content) : null
    if (boundary === null) return null
    for (const { start, end } of partsBetween(body, boundary, left.budget)) {
      const found = reportIn(body.subarray(start, end), level + 1, left)
      if (found !== null) return found
    }
    return null
  }
  if (!TYPES.test(type)) return null
  const isBase64 = value('content-transfer-encoding').trim().toLowerCase() === 'base64'
  const bytes = isBase64 ? Buffer.from(body.toString('latin1', 0, PACKED_BYTES * 2), 'base64') : body
  return bytes.length > PACKED_BYTES ? null : parseTlsReport(bytes)
}

function receivedReport(report: TlsReport): ReceivedTlsReport | null {
  const begin = Date.parse(report['date-range']['start-datetime'])
  const end = Date.parse(report['date-range']['end-datetime'])
  const { policies } = report
  if (begin < EARLIEST || end < begin || end > LATEST || policies.length > POLICIES_MOST) return null
  const byDomain = Map.groupBy(policies, ({ policy }) => nameOf(policy['policy-domain']))
  return {
    organization: text(report['organization-name']) ?? '',
    reportId: text(report['report-id']) ?? '',
    contact: text(report['contact-info']),
    begin: new Date(begin),
    end: new Date(end),
    domains: [...byDomain].map(([domain, some]) => receivedDomain(domain, some)),
  }
}

function receivedDomain(domain: string, policies: readonly TlsReportPolicy[]): ReceivedTlsDomain {
  const sum = (key: keyof TlsReportPolicy['summary']): number =>
    policies.reduce((total, { summary }) => total + count(summary[key]), 0)
  let room = FAILURES_KEPT
  const kept = policies
    .slice(0, POLICIES_KEPT)
    .map(({ policy, summary, 'failure-details': details }): ReceivedTlsPolicy => {
      const failures = listOf(details)
        .slice(0, room)
        .flatMap((detail) => failureOf(detail))
      room -= failures.length
      return {
        type: text(policy['policy-type']) ?? '',
        strings: texts(policy['policy-string']),
        mx: texts(policy['mx-host']),
        successful_sessions: count(summary['total-successful-session-count']),
        failed_sessions: count(summary['total-failure-session-count']),
        failures,
      }
    })
  return {
    domain,
    successful: sum('total-successful-session-count'),
    failed: sum('total-failure-session-count'),
    policies: kept,
  }
}

function failureOf(found: unknown): readonly ReceivedTlsFailure[] {
  if (typeof found !== 'object' || found === null) return []
  const detail: Partial<Record<keyof TlsFailure, unknown>> = found
  return [
    {
      result_type: text(detail['result-type']) ?? '',
      sending_mta_ip: text(detail['sending-mta-ip']),
      receiving_mx_hostname: text(detail['receiving-mx-hostname']),
      receiving_ip: text(detail['receiving-ip']),
      failed_sessions: count(detail['failed-session-count']),
    },
  ]
}

function nameOf(domain: string): string {
  return domain.slice(0, TEXT_CHARS).trim().toLowerCase().replace(/\.$/, '')
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) ? Math.min(Math.max(value, 0), COUNT_MOST) : 0
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Accepts a single string, because some reporters write one host where the RFC has a list. */
function texts(value: unknown): readonly string[] {
  const list = typeof value === 'string' ? [value] : listOf(value)
  return list.slice(0, LINES_KEPT).flatMap((one) => text(one) ?? [])
}

/** Cleans a text for the database and for display; null for anything but a string. */
function text(value: unknown): string | null {
  if (typeof value !== 'string') return null
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  const clean = value.slice(0, TEXT_CHARS).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ')
  return clean.toWellFormed().trim()
}
