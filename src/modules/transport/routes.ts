// The endpoint for an account's received TLS reports about its domain, with the DNS record that requests such reports.

import { Type } from 'typebox'
import type { ReceivedTlsPolicy } from '../../mail/aggregate-reports/tls-mail.ts'
import { DKIM_REASONS, DKIM_RESULTS, type DkimReason, type DkimResult } from '../../mail/authentication/dkim-check.ts'
import { hostOf } from '../../mail/dns/records.ts'
import type { Database } from '../../platform/db.ts'
import type { ErrorKind } from '../../platform/errors.ts'
import {
  type AnyEndpoint,
  DateTime,
  endpoint,
  IdParams,
  list,
  listOf,
  named,
  nullable,
  Page,
  PageLimit,
  PagePagination,
  type Principal,
  pageWindow,
  paginationOf,
} from '../../platform/http.ts'
import { TLS_REPORTS_AT } from './intake.ts'
import * as sql from './sql.ts'

export interface TlsReportRoutesOptions {
  readonly database: Database
  /** Host name of the inbound MX. */
  readonly hostname: string
  /** The name of a domain that the caller may see. @throws notFound */
  readonly domainName: (principal: Principal, id: string) => Promise<string>
  readonly notFound: ErrorKind
}

const Text = Type.String()
const Nullable = nullable(Type.String())
const Sessions = Type.Integer({ minimum: 0 })
const Failure = named(
  'TlsReportFailure',
  Type.Object({
    result_type: Text,
    sending_mta_ip: Nullable,
    receiving_mx_hostname: Nullable,
    receiving_ip: Nullable,
    failed_sessions: Sessions,
  }),
)
const Policy = named(
  'TlsReportPolicy',
  Type.Object({
    type: Text,
    strings: Type.Array(Text),
    mx: Type.Array(Text),
    successful_sessions: Sessions,
    failed_sessions: Sessions,
    failures: Type.Array(Failure),
  }),
)
const DkimResultName = named('DkimResult', Type.Enum([...DKIM_RESULTS]))
const Dkim = named(
  'TlsReportDkim',
  Type.Object(
    {
      result: DkimResultName,
      domain: Nullable,
      reason: nullable(named('DkimReason', Type.Enum([...DKIM_REASONS]))),
    },
    {
      description:
        'DKIM verification of the report: `pass` with the signing `domain`, or the `reason` why not. A report that did not pass is not valid under RFC 8460 and is for display only.',
    },
  ),
)
const Report = named(
  'TlsReport',
  Type.Object({
    id: Text,
    domain: Text,
    organization: Type.String({ description: 'Organization named in the report. The verified sender is in `dkim`.' }),
    report_id: Text,
    contact: Nullable,
    dkim: Dkim,
    begins_at: DateTime,
    ends_at: DateTime,
    successful_sessions: Sessions,
    failed_sessions: Sessions,
    policies: Type.Array(Policy),
    received_at: DateTime,
  }),
)
const Asking = named(
  'TlsReportingRecord',
  Type.Object({ type: Text, name: Text, host: Text, value: Text, ttl: Type.Integer() }),
)
const TTL_SECONDS = 3_600

export interface ReportRow {
  readonly id: string
  readonly domain: string
  readonly organization: string
  readonly report_id: string
  readonly contact: string | null
  readonly begins_at: Date
  readonly ends_at: Date
  readonly successful: number
  readonly failed: number
  readonly policies: readonly ReceivedTlsPolicy[]
  readonly received_at: Date
  readonly dkim: DkimResult
  readonly dkim_domain: string | null
  readonly dkim_reason: DkimReason | null
}

export function tlsReportRoutes(options: TlsReportRoutesOptions): readonly AnyEndpoint[] {
  const { database, hostname, domainName, notFound } = options
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/customer/domains/{id}/tls-reports',
      access: { scope: 'domains:read' },
      operationId: 'listTlsReports',
      summary:
        'List the TLS reports (TLS-RPT) received for a domain, newest first, with the DNS record that requests them',
      tag: 'Sending domains',
      params: IdParams,
      query: Type.Object({ page: Page, limit: PageLimit, dkim: Type.Optional(DkimResultName) }),
      answers: { 200: listOf(Report, PagePagination, { record: Asking }) },
      errors: [notFound],
      handle: async ({ principal, params, query }) => {
        const name = await domainName(principal, params.id)
        return database.tenant(principal.accountId, async (db) => {
          const asked = [principal.accountId, name, query.dkim ?? null]
          const all = await db.one<{ total: number }>(sql.countAllReports, asked)
          const window = pageWindow(query)
          const rows = await db.query<ReportRow>(sql.listReports, [...asked, window.limit, window.offset])
          const pagination = paginationOf(window, rows.length, all?.total ?? 0)
          return list(rows.map(wireTlsReport), pagination, { record: recordFor(name, hostname) })
        })
      },
    }),
  ]
}

/** RFC 8460 section 3. */
function recordFor(domain: string, hostname: string): object {
  const name = `_smtp._tls.${domain}`
  const value = `v=TLSRPTv1; rua=mailto:${TLS_REPORTS_AT}@${hostname}`
  return { type: 'TXT', name, host: hostOf(name, domain), value, ttl: TTL_SECONDS }
}

export function wireTlsReport(row: ReportRow): object {
  return {
    id: row.id,
    domain: row.domain,
    organization: row.organization,
    report_id: row.report_id,
    contact: row.contact,
    dkim: { result: row.dkim, domain: row.dkim_domain, reason: row.dkim_reason },
    begins_at: row.begins_at.toISOString(),
    ends_at: row.ends_at.toISOString(),
    successful_sessions: row.successful,
    failed_sessions: row.failed,
    policies: row.policies,
    received_at: row.received_at.toISOString(),
  }
}
