// Requests to addresses chosen by others, and TLS towards receivers. A part of the composition root.

import { isIP } from 'node:net'
import os from 'node:os'
import { type Config, mailSourceIps } from '../config.ts'
import { parseAddress } from '../mail/address.ts'
import type { SystemMailer } from '../modules/notices/index.ts'
import { type ReportMail, type Transport, tlsReportLoop, transportOf } from '../modules/transport/index.ts'
import type { Db } from '../platform/db.ts'
import { secureResolver } from '../platform/dns/secure.ts'
import type { Service } from '../platform/lifecycle.ts'
import { type Connector, connector } from '../platform/network/connect.ts'
import type { Store } from '../platform/store.ts'
import type { Ground } from './ground.ts'

/** The only way for such requests; it does not lead to this instance's own addresses. */
export function outgoingRequests(config: Config, { resolver }: Ground): Connector {
  return connector({
    resolver,
    allowPrivate: config.allowPrivateNetworks,
    own: {
      hosts: [config.hostname, new URL(config.publicUrl).hostname].filter(isName),
      addresses: () => [...mailSourceIps(config), ...ownAddresses()],
    },
  })
}

/** A URL has IPv6 addresses in brackets. */
function isName(host: string): boolean {
  return isIP(host) === 0 && !host.startsWith('[')
}

/** Read each time, because a machine's addresses change. */
function ownAddresses(): readonly string[] {
  return Object.values(os.networkInterfaces()).flatMap((faces) => (faces ?? []).map(({ address }) => address))
}

export function closing(outgoing: Connector, name: string): Service {
  return { name, start: async () => undefined, stop: () => outgoing.close() }
}

export interface OutgoingTls {
  readonly transport: Transport
  /** The services that the delivery role runs beside delivery. */
  readonly services: readonly Service[]
  /** The services of the worker role. */
  readonly workers: readonly Service[]
}

export interface OutgoingTlsOptions {
  readonly config: Config
  readonly ground: Ground
  readonly store: Store
  readonly mailer: SystemMailer
  readonly onMailed: () => void
}

/** Null unless mail goes directly to its receivers. */
export function outgoingTls({ config, ground, store, mailer, onMailed }: OutgoingTlsOptions): OutgoingTls | null {
  if (config.delivery.kind !== 'direct') return null
  const { clock, log, resolver } = ground
  const { database } = store
  const outgoing = outgoingRequests(config, ground)
  const onError = (err: unknown): void => log.warn({ err }, 'what receivers ask of TLS could not be seen to')
  const secure = config.dnssecServers.length === 0 ? null : secureResolver(config.dnssecServers, clock)
  const common = { database, clock, resolver, connector: outgoing, onError }
  const transport = transportOf({ ...common, secure, port: config.smtpPort })
  const contact = config.operatorEmail ?? `postmaster@${config.hostname}`
  const mail = (db: Db, report: ReportMail): Promise<boolean> => mailReport(mailer, db, report, config.hostname)
  const reports = tlsReportLoop({ ...common, hostname: config.hostname, contact, mail, onMailed })
  const close = closing(outgoing, 'requests for policies and reports')
  return { transport, services: [close, transport.service], workers: [close, reports] }
}

/** RFC 8460 section 5.3. */
async function mailReport(mailer: SystemMailer, db: Db, report: ReportMail, hostname: string): Promise<boolean> {
  const { to, domain, reportId, filename } = report
  const address = parseAddress(to)
  if (!address.ok || !(await mailer.maySend(db, address.address))) return false
  await mailer.send(db, {
    to: address.address,
    subject: `Report Domain: ${domain} Submitter: ${hostname} Report-ID: <${reportId}>`,
    text: `This is an aggregate TLS report (RFC 8460) about ${domain} from ${hostname}.\n`,
    attached: { type: 'application/tlsrpt+gzip', filename, content: report.report },
    headers: [
      ['TLS-Report-Domain', domain],
      ['TLS-Report-Submitter', hostname],
    ],
  })
  return true
}
