// Connects the listeners: HTTP, submission, the inbound MX, and the certificate of the TLS listeners, which a renewal replaces in
// all of them at once. A part of the composition root.

import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Config } from '../config.ts'
import type { Accounts } from '../modules/accounts/index.ts'
import type { EndingCertificate } from '../modules/notices/index.ts'
import type { SmtpSubmission } from '../modules/sending/index.ts'
import { ownCertificateState, type TrackingRoom } from '../modules/tracking/index.ts'
import type { DatabaseHeartbeat } from '../platform/database-heartbeat.ts'
import type { Db } from '../platform/db.ts'
import { ApiError } from '../platform/errors.ts'
import type { DiskGuard } from '../platform/files/disk.ts'
import { closedBy, unusedConnections } from '../platform/http/unused-connections.ts'
import type { HttpServer } from '../platform/http.ts'
import type { Service } from '../platform/lifecycle.ts'
import { certificateWatch } from '../platform/network/certificate-watch.ts'
import { type Certificate, instanceCertificate } from '../platform/network/certificates.ts'
import { type Mx, mxService } from '../roles/mx.ts'
import { type Submission, submissionService } from '../roles/submission.ts'
import type { FeedbackIntake } from './feedback.ts'
import type { Ground } from './ground.ts'
import type { ServiceMetrics } from './metrics.ts'
import { certifiedHost } from './tracking.ts'

export interface ListenersOptions {
  readonly config: Config
  readonly ground: Ground
  readonly accounts: Accounts
  readonly feedback: Pick<FeedbackIntake, 'inbound' | 'hostnames'>
  readonly tracking: TrackingRoom
  readonly disk: DiskGuard
  readonly heartbeat: DatabaseHeartbeat
  readonly smtpSubmission: SmtpSubmission
  readonly metrics: Pick<ServiceMetrics, 'note'>
}

/** The instance's current certificate, and its renewals. */
export interface OwnCertificate {
  readonly present: Certificate
  /** The listener gets every later renewal. */
  share(listener: { useCertificate(certificate: Certificate): void }): void
  readonly watch: Service
}

/** The operator's certificate; or, when the public URL's host is our name, its CA certificate; or else a self-signed one. */
export async function ownCertificate({
  config,
  ground,
  tracking,
}: Pick<ListenersOptions, 'config' | 'ground' | 'tracking'>): Promise<OwnCertificate> {
  const isShared = certifiedHost(config) === config.hostname
  let latest: Certificate | null = null
  const read = async (): Promise<Certificate> => {
    const shared = isShared ? await tracking.ownCertificate() : null
    latest =
      shared ??
      (await instanceCertificate({
        certFile: config.tlsCertFile,
        keyFile: config.tlsKeyFile,
        dataDir: config.dataDir,
        names: [config.hostname],
        now: ground.clock.now(),
        present: latest,
      }))
    return latest
  }
  const present = await read()
  const listeners: { useCertificate(certificate: Certificate): void }[] = []
  const use = (certificate: Certificate): void => {
    for (const listener of listeners) listener.useCertificate(certificate)
  }
  return {
    present,
    share: (listener) => void listeners.push(listener),
    watch: certificateWatch({ present, read, use, ...ground }),
  }
}

/**
 * The certificate that the operator must renew: the one in their file, or that of the public URL's host while its renewal fails.
 * Null: neither. A file that cannot be read is null too, and reported by the watch.
 */
export async function endingCertificate(config: Config, db: Db): Promise<EndingCertificate | null> {
  const { tlsCertFile, hostname, httpsPort } = config
  if (tlsCertFile !== null) {
    const until = await readFile(tlsCertFile)
      .then((pem) => new X509Certificate(pem).validToDate)
      .catch(() => null)
    return until === null ? null : { host: hostname, until, failure: null }
  }
  const host = certifiedHost(config)
  if (host === null || httpsPort === null) return null
  const { expires_at: until = null, error: failure = null } = (await ownCertificateState(db, host)) ?? {}
  return until === null || failure === null ? null : { host, until, failure }
}

export function inboundMx(options: ListenersOptions, certificate: Certificate): Mx {
  const { config, ground, disk, feedback, tracking, heartbeat } = options
  const { inbound, hostnames } = feedback
  return mxService({
    spoolFolder: config.dataDir,
    turns: ground.turns,
    host: config.bind,
    port: config.mxPort,
    hostname: config.hostname,
    isOurHost: hostnames.isOurs,
    certificate,
    // An answer within seconds, even when the database hangs.
    inbound: { ...inbound, take: (report) => heartbeat.whileBeating(() => inbound.take(report)) },
    unsubscribe: (localPart) => {
      const carryOut = tracking.unsubscribeMail(localPart)
      return carryOut === null ? null : (subject) => heartbeat.whileBeating(() => carryOut(subject))
    },
    onUnsubscribe: (outcome) => options.metrics.note('reports', 1, { kind: 'unsubscribe', outcome }),
    clock: ground.clock,
    log: ground.log,
    rateLimits: config.rateLimits,
    disk,
  })
}

export function submission(options: ListenersOptions, certificate: Certificate): Submission {
  const { config, ground, accounts, disk, smtpSubmission } = options
  return submissionService({
    spoolFolder: config.dataDir,
    turns: ground.turns,
    host: config.bind,
    starttlsPorts: config.submissionPorts,
    implicitTlsPorts: config.submissionTlsPorts,
    hostname: config.hostname,
    certificate,
    sending: smtpSubmission,
    clock: ground.clock,
    log: ground.log,
    rateLimits: config.rateLimits,
    authenticate: accounts.authenticateSmtp,
    takeRate: (principal) => accounts.gate.takeMore(principal, 'send', 1).then(() => null, refusalOf),
    disk,
  })
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  throw error
}

/**
 * HTTP without TLS. When it offers only health checks and another process on the machine has taken the port, this process works
 * without it.
 */
export function httpService(
  { config, ground }: Pick<ListenersOptions, 'config' | 'ground'>,
  { app, fastPath }: HttpServer,
  offers: 'api or tracking' | 'health alone',
): Service {
  const unused = unusedConnections(app.server)
  fastPath?.before(app.server, 'connection')
  return {
    name: 'http',
    settings: ['POSTHORN_HTTP_PORT', 'POSTHORN_HTTP_HOST', 'POSTHORN_BIND'],
    start: async () => {
      const { httpHost: host, httpPort: port } = config
      try {
        await app.listen({ host, port })
      } catch (error) {
        const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
        if (offers !== 'health alone' || !isTaken) throw error
        ground.log.warn(
          { host, port },
          'POSTHORN_HTTP_PORT is taken: this process has no /healthz, /readyz and /metrics; a port of its own, or 0, gives it them',
        )
      }
    },
    stop: async (deadline) => {
      const closed = app.close()
      fastPath?.close()
      unused.close()
      await closedBy(app.server, closed, deadline)
    },
  }
}
