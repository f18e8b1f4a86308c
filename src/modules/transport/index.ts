// What receivers ask of TLS towards their hosts, and the reports of what came of it.
//
//   policies   DANE (dane.ts) and MTA-STS (sts.ts), put together host by host (policies.ts)
//   judge      whether a host is who its rule says, asked by delivery after the handshake
//   sessions   counted for domains that want reports; reports go out once a day
//   intake     reports that others send us about TLS towards our accounts' domains
//
// A relay is the operator's own: nothing here applies to it.

import type { Clock } from '../../platform/clock.ts'
import type { Connector } from '../../platform/connect.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { Resolver } from '../../platform/dns.ts'
import type { SecureResolver } from '../../platform/dns-secure.ts'
import type { Service } from '../../platform/lifecycle.ts'
import { policyOf } from './policies.ts'
import { sessionCounts } from './sessions.ts'
import * as sql from './sql.ts'
import { stsPolicies } from './sts.ts'
import type { Session, SitePolicy } from './types.ts'

export { tlsReportCommands } from './cli.ts'
export { forgetTlsReports, TLS_REPORTS_AT, type TlsIntake, type TlsIntakeOptions, tlsIntake } from './intake.ts'
export { judgeOf } from './judge.ts'
export { type ReportMail, type ReportsOptions, tlsReportLoop } from './reports.ts'
export { type TlsReportRoutesOptions, tlsReportRoutes } from './routes.ts'
export type { HostRule, Session, SessionFault, SitePolicy } from './types.ts'

export interface TransportOptions {
  readonly database: Database
  readonly clock: Clock
  readonly resolver: Resolver
  readonly connector: Connector
  /** Null: no DANE. */
  readonly secure: SecureResolver | null
  /** Of MX hosts. */
  readonly port: number
  readonly onError: (error: unknown) => void
}

export interface Transport {
  /** Rejects when the database cannot be asked: then nothing is known, and mail waits. */
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

/** @returns how many were past their end and are gone */
export function forgetStsPolicies(db: Db, now: Date, limit: number): Promise<number> {
  return db.execute(sql.forgetPolicies, [now, limit])
}
