// The TLS policies of receivers for their hosts, and the reports about TLS sessions.
//
//   policies   DANE (dane.ts) and MTA-STS (mta-sts.ts), combined for each host (policies.ts)
//   rule check whether a host fulfils its rule; delivery asks after the handshake
//   sessions   counted for domains that want reports; reports go out once a day
//   intake     reports that others send us about TLS to our accounts' domains
//
// Nothing here applies to a relay, which belongs to the operator.

import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { SecureResolver } from '../../platform/dns/secure.ts'
import type { Resolver } from '../../platform/dns.ts'
import type { Service } from '../../platform/lifecycle.ts'
import type { Connector } from '../../platform/network/connect.ts'
import { stsPolicies } from './mta-sts.ts'
import { policyOf } from './policies.ts'
import { sessionCounts } from './sessions.ts'
import * as sql from './sql.ts'
import type { Session, SitePolicy } from './types.ts'

export { transportTables } from './account-tables.ts'
export { tlsReportCommands } from './cli.ts'
export { forgetTlsReports, TLS_REPORTS_AT, type TlsIntake, tlsIntake } from './intake.ts'
export { type ReportMail, type ReportsOptions, tlsReportLoop } from './reports.ts'
export { type TlsReportRoutesOptions, tlsReportRoutes } from './routes.ts'
export { type RuleCheck, ruleCheckOf } from './rule-check.ts'
export type { HostRule, Session, SessionFault, SitePolicy } from './types.ts'

export interface TransportOptions {
  readonly database: Database
  readonly clock: Clock
  readonly resolver: Resolver
  readonly connector: Connector
  /** Null: no DANE. */
  readonly secure: SecureResolver | null
  /** SMTP port of MX hosts. */
  readonly port: number
  readonly onError: (error: unknown) => void
}

export interface Transport {
  /** Rejects when the database does not answer: the policy is unknown then, and mail waits. */
  policyOf(site: string, hosts: readonly string[]): Promise<SitePolicy>
  note(session: Session): void
  readonly service: Service
}

export function transportOf({
  database,
  clock,
  resolver,
  connector,
  secure,
  port,
  onError,
}: TransportOptions): Transport {
  const sts = stsPolicies({ db: database.system, clock, resolver, connector, onError })
  const sessions = sessionCounts({ db: database.system, clock, resolver, onError })
  return {
    policyOf: (site, hosts) => policyOf(site, hosts, { sts, secure, port }),
    note: sessions.note,
    service: sessions.service,
  }
}

/** Longer than any claim on a day's report lasts. */
const CLAIMED_MOST_MS = 3_600_000

/** Corrects what a clock that was ahead has written: policies that no later one could replace, claims that would not end. */
export async function recallTransport(db: Db, now: Date): Promise<void> {
  await db.execute(sql.recallPolicies, [now])
  await db.execute(sql.recallClaims, [new Date(now.getTime() + CLAIMED_MOST_MS)])
}

/** Deletes expired policies, at most `limit`. @returns how many */
export function forgetStsPolicies(db: Db, now: Date, limit: number): Promise<number> {
  return db.execute(sql.forgetPolicies, [now, limit])
}
