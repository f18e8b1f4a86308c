// Connects what readers do with mails: tracking on top of the outbox, and the TLS listener for branded names. A part of the
// composition root.

import { parse } from 'tldts'
import type { Config } from '../config.ts'
import type { Accounts } from '../modules/accounts/index.ts'
import { noteTrackingLost } from '../modules/notices/index.ts'
import { countEngagement, engagedEmails, lockEngagedEmails, lockReportedEmail } from '../modules/outbox/index.ts'
import { type TrackingRoom, trackingRoom } from '../modules/tracking/index.ts'
import { type HttpServer, NOT_FOUND } from '../platform/http.ts'
import { type HttpsService, httpsService } from '../platform/https.ts'
import type { Certificate } from '../platform/network/certificates.ts'
import type { Store } from '../platform/store.ts'
import type { Ground } from './ground.ts'

export interface TrackingPartsOptions {
  readonly config: Config
  readonly ground: Ground
  readonly store: Store
  readonly accounts: Accounts
}

export function trackingParts({ config, ground, store, accounts }: TrackingPartsOptions): TrackingRoom {
  const { clock, ids, log, verifier } = ground
  const { database, secrets } = store
  return trackingRoom({
    database,
    clock,
    ids,
    log,
    secrets,
    onLost: (db, lost) => noteTrackingLost(db, { clock, ids }, lost),
    accounts,
    resolver: verifier,
    ledger: { facts: engagedEmails, lock: lockEngagedEmails, count: countEngagement, byToken: lockReportedEmail },
    dataDir: config.dataDir,
    publicUrl: config.publicUrl,
    hostname: config.hostname,
    httpsPort: config.httpsPort,
    ownName: certifiedHost(config),
    acmeDirectory: config.acmeDirectory,
    acmeCaFile: config.acmeCaFile,
    operatorEmail: config.operatorEmail,
  })
}

/** Contract section 18: an https public URL without a certificate of the operator gets one from a CA. */
export function certifiedHost({
  publicUrl,
  tlsCertFile,
  tlsKeyFile,
}: Pick<Config, 'publicUrl' | 'tlsCertFile' | 'tlsKeyFile'>): string | null {
  const { protocol, hostname } = new URL(publicUrl)
  if (protocol !== 'https:' || tlsCertFile !== null || tlsKeyFile !== null) return null
  const { isIp, domain } = parse(hostname)
  return isIp === true || domain === null ? null : hostname
}

export interface SecureOptions {
  readonly config: Config
  readonly ground: Pick<Ground, 'log'>
  readonly tracking: Pick<TrackingRoom, 'contextFor'>
  readonly own: Certificate
  readonly http: HttpServer
}

/** A branded name serves only the public paths; the API and the dashboard have their own address. */
export function isWithheld({ isBranded }: Pick<TrackingRoom, 'isBranded'>, host: string, url: string): boolean {
  return !isPublic(url) && isBranded(host.replace(/\.$/, ''))
}

/** Paths of links in mails and of a CA's challenges: all that a process with the tracking role but without the API serves. */
export function isLink(path: string): boolean {
  return isPublic(path) || path.startsWith('/confirm/')
}

function isPublic(url: string): boolean {
  return /^\/(?:track|\.well-known\/acme-challenge)\//.test(url)
}

/** HTTP over TLS. Whether a name is branded is decided by the name in the handshake, whatever the request says. */
export function secureListener({ config, ground, tracking, own, http }: SecureOptions, port: number): HttpsService {
  return httpsService({
    host: config.httpHost,
    port,
    log: ground.log,
    own,
    ownNames: [config.hostname, new URL(config.publicUrl).hostname],
    contextFor: (name) => tracking.contextFor(name),
    fastPath: http.fastPath,
    answerBroken: http.answerBroken,
    handle: (guest) => (request, response) => {
      if (guest === null || isPublic(request.url ?? '')) http.app.routing(request, response)
      else response.writeHead(404, NOT_FOUND.headers).end(NOT_FOUND.body)
    },
  })
}
