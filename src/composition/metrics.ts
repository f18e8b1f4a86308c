// The service's metrics at /metrics: the table of all metrics, and the sources of their values. A part of the composition root.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import { providerOf } from '../mail/dns/providers.ts'
import type { TriedEmail } from '../modules/delivery/index.ts'
import { followerLags } from '../modules/events/index.ts'
import { queueFigures } from '../modules/outbox/index.ts'
import type { Accepted } from '../modules/sending/index.ts'
import { webhookFigures } from '../modules/webhooks/index.ts'
import type { Database } from '../platform/db.ts'
import { platformErrors } from '../platform/errors.ts'
import { type AnyEndpoint, type Call, endpoint, typed } from '../platform/http.ts'
import { type Metrics, type MetricTable, metricsOf } from '../platform/metrics.ts'
import type { Ground } from './ground.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export const METRICS = {
  requests: {
    kind: 'histogram',
    name: 'posthorn_http_request_seconds',
    help: 'Duration of requests, by route (as in the OpenAPI document), method and status',
    labels: ['method', 'route', 'status'],
    buckets: SECONDS,
  },
  accepts: {
    kind: 'histogram',
    name: 'posthorn_accept_seconds',
    help: 'Time from a validated submission (REST or SMTP) to its commit',
    buckets: SECONDS,
  },
  accepted: {
    kind: 'counter',
    name: 'posthorn_emails_accepted_total',
    help: 'Emails accepted, one for each recipient',
  },
  attempts: {
    kind: 'counter',
    name: 'posthorn_attempts_total',
    help: 'Delivery attempts recorded, by outcome (delivered, deferred, bounced, error) and by the provider of the receiving host; sandbox: kept in the sandbox',
    labels: ['outcome', 'provider'],
  },
  deliveries: {
    kind: 'counter',
    name: 'posthorn_deliveries_total',
    help: 'Emails taken by a receiving host, by its provider and the version of TLS; none: in cleartext',
    labels: ['provider', 'tls'],
  },
  reports: {
    kind: 'counter',
    name: 'posthorn_reports_total',
    help: 'Mails read at the inbound MX, by kind and outcome; unmatched: forged or foreign; unverified: a TLS or DMARC report not signed by its sender; unparsed: quarantined',
    labels: ['kind', 'outcome'],
  },
  stray: {
    kind: 'counter',
    name: 'posthorn_stray_errors_total',
    help: 'Uncaught errors, by kind (exception, rejection); each is in the log',
    labels: ['kind'],
  },
  queued: {
    kind: 'gauge',
    name: 'posthorn_queue_emails',
    help: 'Emails in the queue: ready, leased to a worker, or waiting until due',
    labels: ['state'],
  },
  queueAge: {
    kind: 'gauge',
    name: 'posthorn_queue_oldest_seconds',
    help: 'Seconds that the oldest email in the state is overdue; 0 if none is. Email to paused destinations and of suspended accounts does not count',
    labels: ['state'],
  },
  webhooksWaiting: {
    kind: 'gauge',
    name: 'posthorn_webhook_waiting',
    help: 'Pending webhook deliveries, retries included',
  },
  webhookLag: {
    kind: 'gauge',
    name: 'posthorn_webhook_lag_seconds',
    help: 'Seconds that the oldest due webhook delivery is overdue',
  },
  followerLag: {
    kind: 'gauge',
    name: 'posthorn_follower_lag_seconds',
    help: 'Age of the oldest event that a follower of the event log has not read',
    labels: ['follower'],
  },
  connections: {
    kind: 'gauge',
    name: 'posthorn_database_connections',
    help: 'Connections of this process, by pool and state (open, idle); waiting: requests for one',
    labels: ['pool', 'state'],
  },
  databaseUp: {
    kind: 'gauge',
    name: 'posthorn_database_up',
    help: '1 while the database answers this process',
  },
  diskRoom: {
    kind: 'gauge',
    name: 'posthorn_disk_room',
    help: '1 while the disks of the data directory and the embedded database have room. 0: mail is refused; with a database on another machine, mails over a megabyte',
  },
  rolesUp: {
    kind: 'gauge',
    name: 'posthorn_ready',
    help: '1 when every role of this process is up',
  },
} as const satisfies MetricTable

export type ServiceMetrics = Metrics<typeof METRICS>

export interface ServiceMetricsOptions {
  readonly database: Database
  readonly ground: Pick<Ground, 'clock'>
  readonly beating: () => boolean
  readonly hasRoom: () => boolean
  readonly isUp: () => boolean
  readonly suspendedAccounts: () => readonly string[]
}

export function serviceMetrics(options: ServiceMetricsOptions): ServiceMetrics {
  const { database, ground, beating, hasRoom, isUp, suspendedAccounts } = options
  const { clock } = ground
  return metricsOf({
    table: METRICS,
    clock,
    collect: async (metrics) => {
      metrics.replace('databaseUp', [{ value: beating() ? 1 : 0 }])
      metrics.replace('diskRoom', [{ value: hasRoom() ? 1 : 0 }])
      metrics.replace('rolesUp', [{ value: isUp() ? 1 : 0 }])
      metrics.replace(
        'connections',
        database.pools().flatMap(({ name, open, idle, waiting }) => [
          { labels: { pool: name, state: 'open' }, value: open },
          { labels: { pool: name, state: 'idle' }, value: idle },
          { labels: { pool: name, state: 'waiting' }, value: waiting },
        ]),
      )
      if (!beating()) return
      const now = clock.now()
      const [queue, webhooks, followers] = await Promise.all([
        queueFigures(database.system, now, suspendedAccounts()),
        webhookFigures(database.system, now),
        followerLags(database.system, now),
      ])
      metrics.replace(
        'queued',
        queue.map(({ state, emails }) => ({ labels: { state }, value: emails })),
      )
      metrics.replace(
        'queueAge',
        queue.map(({ state, oldestSeconds }) => ({ labels: { state }, value: oldestSeconds })),
      )
      metrics.replace('webhooksWaiting', [{ value: webhooks.waiting }])
      metrics.replace('webhookLag', [{ value: webhooks.lagSeconds }])
      metrics.replace(
        'followerLag',
        followers.map(({ name, lagSeconds }) => ({ labels: { follower: name }, value: lagSeconds })),
      )
    },
  })
}

/** Counts the emails of a submission, one per recipient. */
export function noteAccepted(
  metrics: ServiceMetrics,
  outcomes: readonly ({ readonly kind: 'accepted'; readonly accepted: Accepted } | { readonly kind: string })[],
): void {
  const counts = outcomes.map((one) => ('accepted' in one ? one.accepted.recipients.length : 0))
  metrics.note(
    'accepted',
    counts.reduce((sum, count) => sum + count, 0),
  )
}

/** Counts an attempt whose result is durable. @returns the provider that runs the receiving host */
export function noteAttempt(metrics: ServiceMetrics, tried: TriedEmail): string {
  const { attempt, host, recipientDomain, sandbox, tlsVersion } = tried
  const provider = sandbox ? 'sandbox' : host === null ? 'none' : providerOf(recipientDomain, [host]).name
  metrics.note('attempts', 1, { outcome: attempt.outcome, provider })
  if (attempt.outcome === 'delivered' && !sandbox)
    metrics.note('deliveries', 1, { provider, tls: tlsVersion ?? 'none' })
  return provider
}

const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']

/** `GET /metrics`: for direct requests from this machine and for bearers of the token; 404 for everyone else. */
export function metricsEndpoint(metrics: ServiceMetrics, { metricsToken }: Pick<Config, 'metricsToken'>): AnyEndpoint {
  return endpoint({
    method: 'GET',
    path: '/metrics',
    access: null,
    operationId: 'getMetrics',
    summary: 'Get metrics in Prometheus format',
    tag: 'Operations',
    answers: { 200: typed('text/plain') },
    errors: [platformErrors.not_found],
    handle: async (call) => {
      if (!fromThisMachine(call) && !bearsToken(call.headers.authorization, metricsToken)) {
        throw platformErrors.not_found()
      }
      const { contentType, text } = await metrics.page()
      return { status: 200, body: text, headers: { 'content-type': contentType, 'cache-control': 'no-store' } }
    },
  })
}

function fromThisMachine({ ip, headers }: Pick<Call<never, never, never>, 'ip' | 'headers'>): boolean {
  return /^(?:127\.|::1$|::ffff:127\.)/.test(ip) && FORWARDED.every((name) => headers[name] === undefined)
}

function bearsToken(authorization: string | undefined, token: string | null): boolean {
  const [, given] = /^Bearer ([^\s]+)$/i.exec(authorization ?? '') ?? []
  if (token === null || given === undefined) return false
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}
