// The endpoints for what receivers report of DMARC: the reports about a domain, the records of one, and who sends in its name.

import { Type } from 'typebox'
import type { DmarcPolicy, DmarcRecord } from '../../mail/aggregate-reports/dmarc.ts'
import {
  DKIM_REASONS,
  DKIM_RESULTS,
  type DkimReason,
  type DkimResult,
  organizationOf,
} from '../../mail/authentication/dkim-check.ts'
import { hostOf } from '../../mail/dns/records.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { type ErrorKind, parameterError } from '../../platform/errors.ts'
import {
  type AnyEndpoint,
  CalendarDate,
  DateTime,
  dataOf,
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
  single,
  Uuid,
} from '../../platform/http.ts'
import { DMARC_REPORTS_AT } from './intake.ts'
import * as sql from './sql.ts'

export interface DmarcReportRoutesOptions {
  readonly database: Database
  readonly clock: Clock
  /** Host name of the inbound MX. */
  readonly hostname: string
  /** Pattern of the selectors that this service signs with. */
  readonly selectorPattern: string
  /** The name of a domain that the caller may see. @throws notFound */
  readonly domainName: (principal: Principal, id: string) => Promise<string>
  readonly notFound: ErrorKind
}

const SOURCES_MOST = 100
/** Of so many reports of the period, the newest, sources are summed up. */
const REPORTS_SUMMED = 1_000
const PERIOD_DAYS = 30
const PERIOD_DAYS_MOST = 90
const TTL_SECONDS = 3_600
/** PostgreSQL has no year 0. */
const FIRST_DAY = Date.parse('0001-01-01')

const day = (description: string) => Type.Optional(Type.String({ ...CalendarDate, description }))
const Text = Type.String()
const Messages = Type.Integer({ minimum: 0 })
const DkimResultName = named('DkimResult', Type.Enum([...DKIM_RESULTS]))
const Dkim = named(
  'DmarcReportDkim',
  Type.Object(
    {
      result: DkimResultName,
      domain: nullable(Text),
      reason: nullable(named('DkimReason', Type.Enum([...DKIM_REASONS]))),
    },
    {
      description:
        'DKIM verification of the report itself: `pass` with the signing `domain`, or the `reason` why not. A report that did not pass proves nothing and is for display only.',
    },
  ),
)
const Policy = named(
  'DmarcPolicy',
  Type.Object(
    {
      domain: Text,
      p: nullable(Text),
      sp: nullable(Text),
      np: nullable(Text),
      adkim: nullable(Text),
      aspf: nullable(Text),
      testing: Type.Boolean(),
    },
    { description: 'The DMARC policy that the receiver found, and the domain that published it.' },
  ),
)
const REPORT = {
  id: Uuid,
  domain: Text,
  organization: Type.String({ description: 'Organization named in the report. The verified sender is in `dkim`.' }),
  report_id: Text,
  contact: nullable(Text),
  dkim: Dkim,
  begins_at: DateTime,
  ends_at: DateTime,
  policy: Policy,
  messages: Messages,
  passed: Type.Integer({ minimum: 0, description: 'Messages that passed DMARC, by DKIM or by SPF.' }),
  quarantined: Messages,
  rejected: Messages,
  records_kept: Type.Integer({ minimum: 0, description: 'Records that are kept: those with the most messages.' }),
  received_at: DateTime,
}
const Report = named('DmarcReport', Type.Object(REPORT))
const Result = { domain: Text, result: Text }
const Record_ = named(
  'DmarcReportRecord',
  Type.Object({
    source_ip: nullable(Text),
    count: Messages,
    disposition: Type.String({ description: 'What the receiver did: none, pass, quarantine or reject.' }),
    dkim_aligned: Type.Boolean(),
    spf_aligned: Type.Boolean(),
    reasons: Type.Array(Type.Object({ type: Text, comment: nullable(Text) })),
    header_from: Text,
    envelope_from: nullable(Text),
    envelope_to: nullable(Text),
    dkim: Type.Array(Type.Object({ ...Result, selector: nullable(Text) })),
    spf: Type.Array(Type.Object({ ...Result, scope: nullable(Text) })),
  }),
)
const FullReport = named('DmarcReportWithRecords', Type.Object({ ...REPORT, records: Type.Array(Record_) }))
const Source = named(
  'DmarcSource',
  Type.Object({
    source_ip: nullable(Text),
    messages: Messages,
    passed: Messages,
    dkim_aligned: Messages,
    spf_aligned: Messages,
    signed_by_posthorn: Type.Integer({
      minimum: 0,
      description:
        'Messages with a good signature of this domain by a key of Posthorn. From an address that is not ours they were forwarded.',
    }),
    quarantined: Messages,
    rejected: Messages,
    organizations: Type.Integer({ minimum: 1, description: 'Organizations that reported the address.' }),
    last_seen_at: DateTime,
  }),
)
const RecordOfDns = named(
  'DmarcReportingRecord',
  Type.Object({ type: Text, name: Text, host: Text, value: Text, ttl: Type.Integer() }),
)
const Asking = {
  record: RecordOfDns,
  authorization: nullable(Type.Object({ type: Text, name: Text, value: Text, ttl: Type.Integer() }), {
    description:
      'The TXT record by which the operator of this service agrees to take the reports (RFC 9990). Null when the domain belongs to the same organization as the service and none is needed.',
  }),
}

export interface ReportRow {
  readonly id: string
  readonly domain: string
  readonly organization: string
  readonly report_id: string
  readonly contact: string | null
  readonly begins_at: Date
  readonly ends_at: Date
  readonly policy_domain: string
  readonly policy: DmarcPolicy
  readonly messages: number
  readonly passed: number
  readonly quarantined: number
  readonly rejected: number
  readonly received_at: Date
  readonly dkim: DkimResult
  readonly dkim_domain: string | null
  readonly dkim_reason: DkimReason | null
  readonly records_kept: number
}

interface SourceRow {
  readonly source_ip: string | null
  readonly last_seen_at: Date
  readonly sources: number
  readonly reports: number
  readonly [figure: string]: unknown
}

export function dmarcReportRoutes(options: DmarcReportRoutesOptions): readonly AnyEndpoint[] {
  const { database, clock, hostname, domainName, notFound } = options
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/customer/domains/{id}/dmarc-reports',
      access: { scope: 'domains:read' },
      operationId: 'listDmarcReports',
      summary:
        'List the DMARC aggregate reports received for a domain, newest first, with the DNS record that requests them',
      tag: 'Sending domains',
      params: IdParams,
      query: Type.Object({ page: Page, limit: PageLimit, dkim: Type.Optional(DkimResultName) }),
      answers: { 200: listOf(Report, PagePagination, Asking) },
      errors: [notFound],
      handle: async ({ principal, params, query }) => {
        const name = await domainName(principal, params.id)
        return database.tenant(principal.accountId, async (db) => {
          const asked = [principal.accountId, name, query.dkim ?? null]
          const all = await db.one<{ total: number }>(sql.countAllReports, asked)
          const window = pageWindow(query)
          const rows = await db.query<ReportRow>(sql.listReports, [...asked, window.limit, window.offset])
          const pagination = paginationOf(window, rows.length, all?.total ?? 0)
          return list(rows.map(wireDmarcReport), pagination, askingFor(name, hostname))
        })
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/customer/domains/{id}/dmarc-reports/{report_id}',
      access: { scope: 'domains:read' },
      operationId: 'getDmarcReport',
      summary: 'Get a DMARC aggregate report with its records',
      tag: 'Sending domains',
      params: Type.Object({ id: Uuid, report_id: Uuid }),
      answers: { 200: dataOf(FullReport) },
      errors: [notFound],
      handle: async ({ principal, params }) => {
        const name = await domainName(principal, params.id)
        const row = await database.tenant(principal.accountId, (db) =>
          db.one<ReportRow & { records: readonly DmarcRecord[] }>(sql.oneReport, [
            principal.accountId,
            name,
            params.report_id,
          ]),
        )
        if (row === null) throw notFound()
        return single({ ...wireDmarcReport(row), records: row.records })
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/customer/domains/{id}/dmarc-sources',
      access: { scope: 'domains:read' },
      operationId: 'listDmarcSources',
      summary: 'List the addresses that send in the name of a domain, as receivers report them, most messages first',
      tag: 'Sending domains',
      params: IdParams,
      query: Type.Object({
        from_date: day(
          `First day of the period (UTC), at most ${PERIOD_DAYS_MOST} days. ${PERIOD_DAYS - 1} before \`to_date\` when absent.`,
        ),
        to_date: day('Last day of the period, included. Today when absent.'),
      }),
      answers: {
        200: dataOf(named('DmarcSources', Type.Array(Source)), {
          period: named('DmarcPeriod', Type.Object({ from_date: CalendarDate, to_date: CalendarDate })),
          reports: Type.Integer({
            minimum: 0,
            description: `Signed reports that were summed up: at most the newest ${REPORTS_SUMMED} of the period.`,
          }),
          sources: Type.Integer({
            minimum: 0,
            description: `All addresses, of which at most ${SOURCES_MOST} are listed.`,
          }),
        }),
      },
      errors: [notFound],
      handle: async ({ principal, params, query }) => {
        const name = await domainName(principal, params.id)
        const { from, to } = periodOf(query, clock)
        const bounds = [new Date(from), new Date(Date.parse(to) + DAY_MS)]
        const asked = [...bounds, REPORTS_SUMMED, options.selectorPattern, SOURCES_MOST]
        const rows = await database.tenant(principal.accountId, (db) =>
          db.query<SourceRow>(sql.sources, [principal.accountId, name, ...asked]),
        )
        const data = rows.map(({ sources, reports, last_seen_at: seen, ...row }) => ({
          ...row,
          last_seen_at: seen.toISOString(),
        }))
        const { sources = 0, reports = 0 } = rows[0] ?? {}
        return single(data, { also: { period: { from_date: from, to_date: to }, reports, sources } })
      },
    }),
  ]
}

const DAY_MS = 86_400_000

/** Days of UTC, both included. @throws invalid_parameter */
function periodOf(query: { readonly from_date?: string; readonly to_date?: string }, clock: Clock) {
  const to = query.to_date ?? dayOf(clock.now().getTime())
  const from = query.from_date ?? dayOf(Math.max(FIRST_DAY, Date.parse(to) - (PERIOD_DAYS - 1) * DAY_MS))
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (days < 1 && query.to_date === undefined)
    throw parameterError('from_date', 'not_after_today', 'must not lie after today')
  if (days < 1) throw parameterError('to_date', 'not_before_from_date', 'must not lie before from_date')
  if (days > PERIOD_DAYS_MOST)
    throw parameterError('from_date', 'max_days', `must begin a range of at most ${PERIOD_DAYS_MOST} days`)
  return { from, to }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** The record that requests reports, and the consent to take them for another organization (RFC 9990). */
function askingFor(
  domain: string,
  hostname: string,
): { readonly record: object; readonly authorization: object | null } {
  const name = `_dmarc.${domain}`
  const value = `v=DMARC1; p=none; rua=mailto:${DMARC_REPORTS_AT}@${hostname}`
  const consent = { type: 'TXT', name: `${domain}._report._dmarc.${hostname}`, value: 'v=DMARC1;', ttl: TTL_SECONDS }
  return {
    record: { type: 'TXT', name, host: hostOf(name, domain), value, ttl: TTL_SECONDS },
    authorization: organizationOf(domain) === organizationOf(hostname) ? null : consent,
  }
}

export function wireDmarcReport(row: ReportRow): object {
  return {
    id: row.id,
    domain: row.domain,
    organization: row.organization,
    report_id: row.report_id,
    contact: row.contact,
    dkim: { result: row.dkim, domain: row.dkim_domain, reason: row.dkim_reason },
    begins_at: row.begins_at.toISOString(),
    ends_at: row.ends_at.toISOString(),
    policy: { domain: row.policy_domain, ...row.policy },
    messages: row.messages,
    passed: row.passed,
    quarantined: row.quarantined,
    rejected: row.rejected,
    records_kept: row.records_kept,
    received_at: row.received_at.toISOString(),
  }
}
