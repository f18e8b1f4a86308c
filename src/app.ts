// The composition root: the only place where rooms meet. It decides nothing; it makes the parts, passes each what it needs, and
// starts and stops them in order.

import type { AddressInfo } from 'node:net'
import packageJson from '../package.json' with { type: 'json' }
import { API_TAGS } from './api-tags.ts'
import { deliveryOf } from './composition/delivery.ts'
import { erasureLoop } from './composition/erasure.ts'
import { type FeedbackIntake, feedbackIntake } from './composition/feedback.ts'
import { type Followers, followersOf } from './composition/followers.ts'
import type { Ground } from './composition/ground.ts'
import { cleaningLoops, partitionsLoop, recallLoop } from './composition/housekeeping.ts'
import { httpService, inboundMx, ownCertificate, submission } from './composition/listeners.ts'
import { metricsEndpoint, type ServiceMetrics, serviceMetrics } from './composition/metrics.ts'
import { operatorEndpoints, operatorServices } from './composition/operator-endpoints.ts'
import { type OutgoingTls, outgoingTls } from './composition/outgoing.ts'
import { recipientErasureLoop } from './composition/recipient-erasure.ts'
import { retentionLoop } from './composition/retention.ts'
import { retryRefusal } from './composition/retries.ts'
import { senderEndpoints } from './composition/senders.ts'
import { sendingOptionsOf } from './composition/sending.ts'
import { traceWebhook } from './composition/spans.ts'
import { composedEmail } from './composition/stored-emails.ts'
import { isLink, isWithheld, secureListener, trackingParts } from './composition/tracking.ts'
import type { Config } from './config.ts'
import type { DashboardPages } from './dashboard.ts'
import { docsEndpoints } from './docs.ts'
import {
  type Accounts,
  accountRoutes,
  accountsRoom,
  type Plans,
  readPlans,
  sessionRoutes,
} from './modules/accounts/index.ts'
import { contentRoutes } from './modules/content/index.ts'
import { composerOf, type Delivery, htmlReader, inboxRoutes } from './modules/delivery/index.ts'
import {
  type Domains,
  domainRoutes,
  domainsOf,
  instanceKeyOf,
  oldestUsable,
  ownedDomains,
  recheckLoop,
  type SenderDomains,
  senderDomainsOf,
} from './modules/domains/index.ts'
import { describedEvents } from './modules/events/index.ts'
import {
  emailCalls,
  emailRoutes,
  freshEmails,
  messageReader,
  queueAnnouncer,
  releaseAllOfDomain,
  releaseDomain,
  siteIds,
} from './modules/outbox/index.ts'
import { type RiskRoom, riskRoom, TRAP_PURPOSE } from './modules/risk/index.ts'
import {
  contentEventRoutes,
  previewsOf,
  riskRoutes,
  type Sending,
  type SmtpSubmission,
  sendingLimits,
  sendingOf,
  sendingRoutes,
  smtpSubmissionOf,
  templateRoutes,
  templatesOf,
} from './modules/sending/index.ts'
import { deliveryFigures } from './modules/statistics/index.ts'
import { suppressionRoutes } from './modules/suppression/index.ts'
import { type TrackingRoom, trackingDomainExists, trackingDomainRecord } from './modules/tracking/index.ts'
import { type ValidationRoom, validationRoom } from './modules/validation/index.ts'
import { databaseClock } from './platform/database-clock.ts'
import { type DatabaseHeartbeat, databaseHeartbeat } from './platform/database-heartbeat.ts'
import { isOnThisMachine } from './platform/db/host.ts'
import type { Database } from './platform/db.ts'
import { type DiskGuard, diskGuard } from './platform/files/disk.ts'
import { healthEndpoints } from './platform/health.ts'
import { type AnyEndpoint, type HttpServer, httpServer } from './platform/http.ts'
import { type Service, type Stage, startAll, stopAll } from './platform/lifecycle.ts'
import type { Store } from './platform/store.ts'
import { type Traces, tracesOf } from './platform/traces.ts'
import type { Mx } from './roles/mx.ts'
import type { Submission, SubmissionPorts } from './roles/submission.ts'

const VERSION = packageJson.version

/** The rooms of one process, connected. */
export interface Rooms {
  readonly config: Config
  readonly ground: Ground
  readonly store: Store
  readonly database: Database
  readonly plans: Plans
  readonly accounts: Accounts
  readonly domains: Domains
  readonly senders: SenderDomains
  readonly sending: Sending
  readonly delivery: Delivery | null
  readonly outgoing: OutgoingTls | null
  readonly feedback: FeedbackIntake
  readonly risk: RiskRoom
  readonly validation: ValidationRoom
  readonly disk: DiskGuard
  readonly heartbeat: DatabaseHeartbeat
  readonly smtpSubmission: SmtpSubmission
  readonly followers: Followers
  readonly tracking: TrackingRoom
  readonly endpoints: readonly AnyEndpoint[]
  readonly metrics: ServiceMetrics
  readonly traces: Traces
  /** The dashboard's files; null when there are none. */
  pages: DashboardPages | null
  /** Called after each acceptance; the delivery role of this process listens. */
  onQueued: () => void
  /** Every role of this process is up. */
  isUp: boolean
}

export function connectRooms(config: Config, ground: Ground, store: Store): Rooms {
  const { clock, ids, log, verifier } = ground
  const { database, secrets } = store
  const verpMac = secrets.signer('verp')
  const plans = readPlans(config.plansFile)
  const accounts = accountsRoom({
    database,
    clock,
    secrets,
    plans,
    rateLimits: config.rateLimits,
    publicUrl: config.publicUrl,
    log,
    ids,
  })
  const senders = senderDomainsOf({ database, clock, secrets, log })
  const domains = domainsOf({
    database,
    clock,
    ids,
    resolver: verifier,
    secrets,
    spfMechanism: config.spfMechanism,
    hostname: config.hostname,
    onRemoved: (db, { domainId }) => releaseDomain(db, domainId),
    afterRemoved: ({ domainId }) => releaseAllOfDomain(database.system, log, domainId),
    onChanged: senders.forget,
    trackingDomainExists,
    trackingRecord: trackingDomainRecord,
  })
  const sites = siteIds(database.system)
  const heartbeat = databaseHeartbeat(store.adminUrl, (beating) => {
    if (beating) log.info({}, 'the database answers again')
    else log.error({}, 'the database does not answer')
  })
  const state = { onQueued: (): void => undefined, isUp: false, pages: null }
  const disk = diskGuard({
    ...{ log, clock },
    folders: [config.dataDir, ...store.clusterFolders],
    holdMail: store.clusterFolders.length > 0,
    besideDatabase: config.databaseUrl !== null && isOnThisMachine(config.databaseUrl),
    maxMessageBytes: sendingLimits.MAX_MESSAGE_BYTES,
  })
  const metrics = serviceMetrics({
    ...{ database, ground, hasRoom: disk.hasRoom },
    beating: () => heartbeat.beating(),
    isUp: () => state.isUp,
    suspendedAccounts: () => [...accounts.suspendedAccounts()],
  })
  const traces = tracesOf({ endpoint: config.tracesEndpoint, share: config.tracesShare, version: VERSION, log })
  const tracking = trackingParts({ config, ground, store, accounts })
  const html = htmlReader(log)
  const readMessage = messageReader(log)
  const instanceKey = instanceKeyOf({ database, clock, log, senders, name: config.dkimDomain })
  const { hostname } = config
  const composer = composerOf({ hostname, verpMac, tracking: tracking.tracking, html, instanceKey })
  const templates = templatesOf({ database, clock, ids })
  const risk = riskRoom({
    trapMac: (text) => secrets.mac(TRAP_PURPOSE, text),
    monotonicMs: () => clock.monotonicMs(),
    onUnscored: (err) => log.warn({ err }, 'a content could not be scored within the limits: it counts as high'),
  })
  const fresh = config.roles.includes('delivery') ? freshEmails(clock) : null
  const sendingOptions = sendingOptionsOf({
    ...{ config, ground, store, accounts, senders, sites, risk, templates, disk, heartbeat, fresh, metrics, traces },
    onAccepted: () => state.onQueued(),
  })
  const sending = sendingOf(sendingOptions)
  const feedback = feedbackIntake({
    config,
    ground,
    store,
    domains,
    sites,
    verpMac,
    onRead: (kind, outcome) => {
      metrics.note('reports', 1, { kind, outcome })
      if (outcome === 'forwarded') state.onQueued()
    },
  })
  const onMailed = (): void => state.onQueued()
  const followers = followersOf({
    config,
    ground,
    store,
    accounts,
    domains,
    mailer: feedback.mailer,
    hasRoom: disk.hasRoom,
    onMailed,
    onWebhook: (request) => traceWebhook(traces, request),
  })
  const validation = validationRoom({
    accounts,
    database,
    clock,
    ids,
    resolver: ground.resolver,
    hostname: config.hostname,
    smtpPort: config.smtpPort,
    sourceIps: config.validationSourceIps,
    allowPrivateNetworks: config.allowPrivateNetworks,
    probes: config.validationProbes && config.delivery.kind !== 'sandbox',
    log,
    mac: (text) => secrets.mac('validation', text),
  })
  const emails = emailCalls({
    ...{ database, clock, ids, readMessage },
    onQueued: () => state.onQueued(),
    retryRefusal: retryRefusal(risk.recipientRefusal),
    compose: (accountId, id) => composedEmail({ database, composer, senders }, accountId, id),
  })
  const endpoints = [
    ...accountRoutes({
      accounts,
      database,
      secrets,
      ids,
      clock,
      log,
      ownedDomains,
      onMoved: followers.onMoved,
      deliveryFigures: (_db, accountId, month) => deliveryFigures(database, accountId, month),
      submission: {
        host: config.hostname,
        starttlsPorts: config.submissionPorts,
        implicitTlsPorts: config.submissionTlsPorts,
      },
    }),
    ...sessionRoutes({
      sessions: accounts.sessions,
      passwords: accounts.passwords,
      settings: accounts.settingsReader,
      database,
      ids,
      clock,
      publicUrl: config.publicUrl,
    }),
    ...operatorEndpoints({ config, ground, store, accounts, plans, onQueued: () => state.onQueued() }),
    ...domainRoutes(domains),
    ...suppressionRoutes({ database, clock, ids }),
    ...tracking.publicEndpoints,
    ...tracking.endpoints,
    ...validation.endpoints,
    ...feedback.endpoints,
    ...sendingRoutes(sending, log),
    ...templateRoutes(templates),
    ...senderEndpoints({ config, ground, store, accounts, heartbeat, sending, emails, templates }),
    ...contentRoutes({ database, quotas: accounts.quotas, score: risk.score }),
    ...contentEventRoutes({ database }),
    ...riskRoutes(previewsOf({ database, clock, quotas: accounts.quotas, sending, risk, oldestUsable })),
    ...emailRoutes({ database, clock, ids, calls: emails }),
    ...inboxRoutes({ database, readMessage }),
    ...followers.endpoints,
  ]
  const outgoing = outgoingTls({ config, ground, store, mailer: feedback.mailer, onMailed })
  const delivery = deliveryOf({
    ...{ config, ground, store, accounts, senders, instanceKey, verpMac },
    ...{ tracking, outgoing, fresh, html, metrics, traces },
  })
  state.onQueued = delivery === null ? queueAnnouncer(database) : () => delivery.wake()
  const smtpSubmission = smtpSubmissionOf({ ...sendingOptions, readMessage }, sending)
  const parts = {
    config,
    ground,
    store,
    database,
    plans,
    accounts,
    domains,
    senders,
    sending,
    delivery,
    outgoing,
    feedback,
    risk,
    validation,
    disk,
    heartbeat,
    smtpSubmission,
    followers,
    tracking,
    endpoints,
    metrics,
    traces,
  }
  return Object.assign(state, parts)
}

interface Running {
  readonly services: readonly Stage[]
  readonly http: HttpServer
  readonly mx: Mx | null
  readonly submission: Submission | null
}

/** The services of this process, in start order. */
export async function servicesOf(rooms: Rooms): Promise<Running> {
  const { config, ground, database, accounts, domains } = rooms
  const has = (role: (typeof config.roles)[number]): boolean => config.roles.includes(role)
  const services: Stage[] = [
    databaseClock({ db: database.system, ...ground }),
    partitionsLoop(rooms.database, rooms.ground),
    accounts.service,
    listener(rooms),
    rooms.disk,
    rooms.heartbeat,
    rooms.traces.service,
    operatorServices(rooms, VERSION),
    rooms.feedback.hostnames.service,
    rooms.tracking.memory,
    rooms.tracking.intake,
  ]
  if (has('api') || has('submission')) services.push(rooms.risk.service)
  if (has('worker')) {
    services.push(
      recheckLoop({ database, domains, ...ground }),
      ...cleaningLoops(rooms.database, rooms.ground),
      recallLoop(rooms.database, rooms.ground),
      retentionLoop({ database, ground }),
      erasureLoop({ database, ground }),
      recipientErasureLoop({ database, ground }),
      ...rooms.followers.workers,
      rooms.validation.worker,
      ...rooms.tracking.workers,
      ...(rooms.outgoing?.workers ?? []),
    )
  }
  if (has('worker') || has('mx')) services.push(rooms.feedback.inbound.service)
  // These stop together, so that a client slow to submit takes no time from mail that is being delivered.
  const traffic: Service[] = []
  if (rooms.delivery !== null) {
    services.push(...(rooms.outgoing?.services ?? []))
    traffic.push(rooms.delivery)
  }
  const certificate = await ownCertificate(rooms)
  const share = <Listener extends Service & Parameters<typeof certificate.share>[0]>(listener: Listener): Listener => {
    certificate.share(listener)
    traffic.push(listener)
    return listener
  }
  const mx = has('mx') ? share(inboundMx(rooms, certificate.present)) : null
  const submitting = has('submission') ? share(submission(rooms, certificate.present)) : null
  const isReached = has('api') || has('tracking')
  const http = has('api') ? await apiServer(rooms) : await healthServer(rooms)
  if (has('tracking') && !has('api')) http.add(rooms.endpoints.filter(({ path }) => isLink(path)))
  if (isReached && config.httpsPort !== null) {
    const own = certificate.present
    share(secureListener({ config, ground, tracking: rooms.tracking, own, http }, config.httpsPort))
  }
  traffic.push(certificate.watch, httpService(rooms, http, isReached ? 'api or tracking' : 'health alone'))
  services.push(traffic)
  if (isReached) services.push(...rooms.followers.beforeHttpStops)
  return { services, http, mx, submission: submitting }
}

function listener({ senders }: Rooms): Service {
  return { name: 'domain changes', start: () => senders.listen(), stop: async () => undefined }
}

export async function apiServer(rooms: Rooms): Promise<HttpServer> {
  const { pages, endpoints } = rooms
  // With the dashboard, the plain inbox page is left out.
  const shown = endpoints.filter(
    ({ method, path }) => pages === null || method !== 'GET' || !['/', '/inbox'].includes(path),
  )
  const http = await healthServer(rooms, pages)
  http.add([...docsEndpoints(() => http.document()), ...shown])
  return http
}

/** The endpoints of every process, whatever its roles: health and metrics. */
async function healthServer(rooms: Rooms, pages: DashboardPages | null = null): Promise<HttpServer> {
  const { config, ground, accounts, database } = rooms
  const http = await httpServer({
    pages,
    secure: config.httpsPort !== null && config.publicUrl.startsWith('https:') ? new URL(config.publicUrl) : null,
    gate: accounts.gate,
    log: ground.log,
    ids: ground.ids,
    trustedProxies: config.trustedProxies,
    openapi: {
      publicUrl: config.publicUrl,
      euUrl: config.euUrl,
      also: () => ({ ...describedEvents(), tags: API_TAGS }),
    },
    heartbeat: rooms.heartbeat,
    large: { folder: config.dataDir, turns: ground.turns, disk: rooms.disk },
    clock: ground.clock,
    isWithheld: (host, url) => isWithheld(rooms.tracking, host, url),
    onAnswered: ({ seconds, ...labels }) => rooms.metrics.note('requests', seconds, labels),
  })
  http.add([
    metricsEndpoint(rooms.metrics, config),
    ...healthEndpoints({ database, roles: config.roles, version: VERSION, isUp: () => rooms.isUp }),
  ])
  return http
}

/** A running process. */
export interface App {
  readonly rooms: Rooms
  /** The HTTP port, of the API or only of health and metrics; null when the latter's port was taken. */
  readonly httpPort: number | null
  /** The port of the inbound MX; null without the role. */
  readonly mxPort: number | null
  /** The open ports of submission; null without the role. */
  readonly submissionPorts: SubmissionPorts | null
  stop(deadline: AbortSignal): Promise<void>
}

/** Starts every role of the configuration on an open store. The caller closes the store. */
export async function startApp(
  config: Config,
  ground: Ground,
  store: Store,
  pages: DashboardPages | null = null,
): Promise<App> {
  const rooms = connectRooms(config, ground, store)
  rooms.pages = pages
  const { services, http, mx, submission: submitting } = await servicesOf(rooms)
  await startAll(services)
  rooms.isUp = true
  const address = http.app.server.address() as AddressInfo | null
  return {
    rooms,
    httpPort: address?.port ?? null,
    mxPort: mx?.port() ?? null,
    submissionPorts: submitting?.ports() ?? null,
    stop: (deadline) => {
      rooms.isUp = false
      return stopAll(services, deadline)
    },
  }
}
