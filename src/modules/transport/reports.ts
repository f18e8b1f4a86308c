// Sends TLS reports (RFC 8460): once a day, a quarter of an hour after midnight UTC, each domain that publishes an address gets
// a report of the previous day's sessions, by mail or HTTPS. By then every machine has written its counts: later counts would
// make a second report with the id of the first, which its reader already has.
//
// A day's counts are deleted in the transaction that queues the mail, or after a receiver has answered a POST with 2xx. The
// POST comes before that transaction, because its receiver may take longer than a transaction may stay open. Meanwhile the
// machine that POSTs holds a claim on the domain's day, so that no other machine does the same. A machine that dies between
// the receiver's answer and the commit leaves a claim, which expires after some minutes: then the same report goes out by
// HTTPS again, byte for byte. Its id consists only of day, domain and our host name, so its reader recognizes the repetition
// (RFC 8460 section 4.4). A report that cannot be sent within three days is dropped. A domain that no longer publishes an
// address gets none.

import { gzipSync } from 'node:zlib'
import {
  type TlsReport,
  type TlsReportAddress,
  type TlsReportPolicy,
  tlsReportAddresses,
} from '../../mail/aggregate-reports/tls.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { Resolver } from '../../platform/dns.ts'
import { loop, type Service } from '../../platform/lifecycle.ts'
import type { Connector } from '../../platform/network/connect.ts'
import * as sql from './sql.ts'
import type { ReportedPolicy } from './types.ts'

export interface ReportsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly resolver: Resolver
  readonly connector: Connector
  readonly hostname: string
  /** Contact address for the readers of a report. */
  readonly contact: string
  /** Queues a mail in the caller's transaction. False: the address is invalid, or must not get mail from us. */
  readonly mail: (db: Db, mail: ReportMail) => Promise<boolean>
  /** Called after mail may have been queued. */
  readonly onMailed: () => void
  readonly onError: (error: unknown) => void
  /** Called after each look for due reports. */
  readonly onTurn?: () => void
}

export interface ReportMail {
  readonly to: string
  readonly domain: string
  readonly reportId: string
  readonly filename: string
  /** gzip of JSON. */
  readonly report: Buffer
}

export interface DayRow {
  readonly policy: string
  readonly result: string
  readonly host: string
  readonly ip: string
  readonly source_ip: string
  readonly sessions: number
}

interface Due {
  readonly day: string
  readonly domain: string
}

const LOOK_EVERY_MS = 600_000
/** Many times longer than counts stay in memory (sessions.ts). */
const SETTLED_MS = 900_000
const DOMAINS_AT_ONCE = 200
const MAX_ROWS = 2_000
const MAX_DAYS = 3
const POST_MS = 30_000
/** Longer than every step of a report except its POSTs, and than the clocks of two machines differ. */
const CLAIM_MARGIN_MS = 5 * 60_000
const DAY_MS = 86_400_000

export function tlsReportLoop(options: ReportsOptions): Service {
  const { database, clock, onError } = options
  return loop({
    name: 'tls reports',
    turn: async (signal) => {
      const today = dayOf(new Date(clock.now().getTime() - SETTLED_MS))
      await database.system.execute(sql.forgetClaims, [new Date(clock.now().getTime() - DAY_MS)])
      for (let after: Due | null = { day: '-infinity', domain: '' }; after !== null && !signal.aborted; ) {
        const page = [today, after.day, after.domain, DOMAINS_AT_ONCE]
        const due: readonly Due[] = await database.system.query<Due>(sql.dueDomains, page)
        for (const { day, domain } of due) {
          if (signal.aborted) break
          try {
            await sendReports(options, day, domain)
          } catch (error) {
            onError(error)
          }
        }
        after = due.at(-1) ?? null
      }
      options.onTurn?.()
      return LOOK_EVERY_MS
    },
    onError,
  })
}

/** Sends a day's report to each address (RFC 8460 section 3). One success completes the day. */
async function sendReports(options: ReportsOptions, day: string, domain: string): Promise<void> {
  const { database, clock, resolver } = options
  if (clock.now().getTime() - Date.parse(day) > (MAX_DAYS + 1) * DAY_MS) {
    await database.system.execute(sql.forgetSessions, [day, domain])
    return
  }
  const answer = await resolver.txt(`_smtp._tls.${domain}`)
  if (answer.kind === 'servfail' || answer.kind === 'timeout') return
  const addresses = answer.kind === 'found' ? tlsReportAddresses(answer.records) : []
  const due = { day, domain, addresses }
  const urls = addresses.filter(({ scheme }) => scheme === 'https')
  if (urls.length === 0) return settle(options, due, false)
  const until = new Date(clock.now().getTime() + urls.length * POST_MS + CLAIM_MARGIN_MS)
  const claimed = await database.system.execute(sql.claimReport, [day, domain, clock.now(), until])
  if (claimed === 0) return
  try {
    await settle(options, due, await post(options, due, urls))
  } finally {
    await database.system.execute(sql.releaseReport, [day, domain, until])
  }
}

/** Mails the report, and deletes the counts when it reached a receiver by mail or POST, or when there is no address. */
async function settle(options: ReportsOptions, due: DueReport, posted: boolean): Promise<void> {
  const { day, domain, addresses } = due
  await options.database.transaction(async (db) => {
    const rows = await db.query<DayRow>(sql.takeSessions, [day, domain, MAX_ROWS])
    if (rows.length === 0) return
    const mailed = await mailTo(options, db, due, rows)
    if (posted || mailed || addresses.length === 0) await db.execute(sql.forgetSessions, [day, domain])
  })
  options.onMailed()
}

interface DueReport {
  readonly day: string
  readonly domain: string
  readonly addresses: readonly TlsReportAddress[]
}

/** @returns whether a receiver accepted it */
async function post(options: ReportsOptions, due: DueReport, urls: readonly TlsReportAddress[]): Promise<boolean> {
  const { database, connector } = options
  const rows = await database.system.query<DayRow>(sql.sessionsOf, [due.day, due.domain, MAX_ROWS])
  if (rows.length === 0) return false
  const { report } = packed(options, due, rows)
  let posted = false
  for (const { target } of urls) {
    const outcome = await connector.request({
      method: 'POST',
      url: target,
      headers: { 'content-type': 'application/tlsrpt+gzip' },
      body: report,
      timeoutMs: POST_MS,
      tenant: 'tls-reports',
    })
    posted = (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300) || posted
  }
  return posted
}

/** @returns whether a mail was queued */
async function mailTo(options: ReportsOptions, db: Db, due: DueReport, rows: readonly DayRow[]): Promise<boolean> {
  const { domain } = due
  const mailboxes = due.addresses.filter(({ scheme }) => scheme === 'mailto')
  if (mailboxes.length === 0) return false
  const report = packed(options, due, rows)
  let mailed = false
  for (const { target } of mailboxes) mailed = (await options.mail(db, { to: target, domain, ...report })) || mailed
  return mailed
}

function packed(
  { hostname, contact }: ReportsOptions,
  { day, domain }: DueReport,
  rows: readonly DayRow[],
): Omit<ReportMail, 'to' | 'domain'> {
  const reportId = `${day}.${domain}@${hostname}`
  const report = gzipSync(JSON.stringify(reportOf({ day, domain, rows, hostname, contact, reportId })))
  const begin = Date.parse(day) / 1_000
  return { reportId, report, filename: `${hostname}!${domain}!${begin}!${begin + DAY_MS / 1_000 - 1}.json.gz` }
}

export interface Facts extends Omit<DueReport, 'addresses'> {
  readonly rows: readonly DayRow[]
  readonly hostname: string
  readonly contact: string
  readonly reportId: string
}

/** RFC 8460 section 4.4: a policy that changed during the day is reported beside its successor. */
export function reportOf({ day, domain, rows, hostname, contact, reportId }: Facts): TlsReport {
  const byPolicy = Map.groupBy(rows, ({ policy }) => policy)
  return {
    'organization-name': hostname,
    'date-range': { 'start-datetime': `${day}T00:00:00Z`, 'end-datetime': `${day}T23:59:59Z` },
    'contact-info': contact,
    'report-id': reportId,
    policies: [...byPolicy].map(([policy, some]) => policyReport(JSON.parse(policy) as ReportedPolicy, domain, some)),
  }
}

function policyReport({ type, strings, mx }: ReportedPolicy, domain: string, rows: readonly DayRow[]): TlsReportPolicy {
  const sum = (some: readonly DayRow[]): number => some.reduce((total, { sessions }) => total + sessions, 0)
  const failures = rows.filter(({ result }) => result !== '')
  return {
    policy: {
      'policy-type': type,
      ...(strings.length > 0 && { 'policy-string': strings }),
      'policy-domain': domain,
      ...(mx.length > 0 && { 'mx-host': mx }),
    },
    summary: {
      'total-successful-session-count': sum(rows) - sum(failures),
      'total-failure-session-count': sum(failures),
    },
    ...(failures.length > 0 && {
      'failure-details': failures.map(({ result, host, ip, source_ip: sourceIp, sessions }) => ({
        'result-type': result,
        ...(sourceIp !== '' && { 'sending-mta-ip': sourceIp }),
        'receiving-mx-hostname': host,
        'receiving-ip': ip,
        'failed-session-count': sessions,
      })),
    }),
  }
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}
