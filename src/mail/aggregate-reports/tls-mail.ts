// Reads TLS reports that arrive by mail (RFC 8460 section 5.3) and extracts the data we keep.
//
// Reading is bounded (part.ts). A report may have at most 100 policies. For each domain, 10 policies and 100 failures are
// kept. Nothing throws. The sender is not verified here (see dkim-check.ts), so the content is only a claim.

import { reportDomain, reportIn, reportText } from './part.ts'
import { parseTlsReport, type TlsFailure, type TlsReport, type TlsReportPolicy } from './tls.ts'

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

const POLICIES_MOST = 100
const POLICIES_KEPT = 10
const FAILURES_KEPT = 100
const LINES_KEPT = 20
const COUNT_MOST = 1e12
const EARLIEST = Date.UTC(2018, 0)
const LATEST = Date.UTC(2100, 0)
const TYPES = /^application\/(?:tlsrpt\+)?(?:gzip|x-gzip|json)$/

/** The first part of a mail that is a report; null when there is none. @param raw the mail as received */
export function readTlsReportMail(raw: Buffer): ReceivedTlsReport | null {
  const found = reportIn(raw, { types: TYPES, parse: parseTlsReport })
  return found === null ? null : receivedReport(found)
}

function receivedReport(report: TlsReport): ReceivedTlsReport | null {
  const begin = Date.parse(report['date-range']['start-datetime'])
  const end = Date.parse(report['date-range']['end-datetime'])
  const { policies } = report
  if (begin < EARLIEST || end < begin || end > LATEST || policies.length > POLICIES_MOST) return null
  const byDomain = Map.groupBy(policies, ({ policy }) => reportDomain(policy['policy-domain']))
  return {
    organization: reportText(report['organization-name']) ?? '',
    reportId: reportText(report['report-id']) ?? '',
    contact: reportText(report['contact-info']),
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
        type: reportText(policy['policy-type']) ?? '',
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
      result_type: reportText(detail['result-type']) ?? '',
      sending_mta_ip: reportText(detail['sending-mta-ip']),
      receiving_mx_hostname: reportText(detail['receiving-mx-hostname']),
      receiving_ip: reportText(detail['receiving-ip']),
      failed_sessions: count(detail['failed-session-count']),
    },
  ]
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
  return list.slice(0, LINES_KEPT).flatMap((one) => reportText(one) ?? [])
}
