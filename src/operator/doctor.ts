// `posthorn doctor`: checks whether this instance can do its work, seen from its own machine. Each finding says what was
// checked, what was found, and what to do. What cannot be determined from here (DNS that does not answer, a port that a
// provider blocks further out) is reported as unknown, never as ok.

import { X509Certificate } from 'node:crypto'
import { isIP, isIPv6 } from 'node:net'
import { otherSettings } from '../composition/shared-settings.ts'
import { certifiedHost } from '../composition/tracking.ts'
import { type Config, firstDays, mailSourceIps, ROLES, type Role } from '../config.ts'
import { readPlans } from '../modules/accounts/index.ts'
import { type Relay, warmUpFindings } from '../modules/delivery/index.ts'
import { activeDomainId } from '../modules/domains/index.ts'
import { followerLags } from '../modules/events/index.ts'
import { differingSettings, readSettledTime, runningRoles } from '../modules/machines/index.ts'
import { queueFigures } from '../modules/outbox/index.ts'
import { missingCertificates, ownCertificateState } from '../modules/tracking/index.ts'
import type { Clock } from '../platform/clock.ts'
import { isOnThisMachine } from '../platform/db/host.ts'
import { commitOnce, serverFacts } from '../platform/db/sql-server.ts'
import type { Database } from '../platform/db.ts'
import type { Resolver } from '../platform/dns.ts'
import type { DiskRoom } from '../platform/files/disk.ts'
import { addressesOf, blocklists, hostName, NO_DNS, returnPath, reverseDns, spf } from './doctor-dns.ts'
import { relayTaking } from './doctor-relay.ts'
import { type CheckResult, type Finding, fail, findingsOf, ok, skipped, unknown, warn } from './finding.ts'

export interface DoctorOptions {
  readonly config: Config
  readonly clock: Clock
  readonly resolver: Resolver
  /** Null: POSTHORN_DELIVERY names no relay. */
  readonly relay: Relay | null
  /** Room on the fullest disk among those of the data directory and the embedded database. */
  readonly diskRoom: () => Promise<DiskRoom>
  /** The certificate of the SMTP listeners, PEM. @throws Error that also prevents the service from starting */
  readonly certificate: () => Promise<string>
  /** Opens a TCP connection, from a given source address if not null, and reads the first line. @throws Error */
  readonly greet: (host: string, port: number, source: string | null) => Promise<string>
  /** Returns those that do not belong to this machine. */
  readonly foreignAddresses: (addresses: readonly string[]) => Promise<readonly string[]>
}

const FREE_BYTES_WANTED = 2 * 1_073_741_824
const SLOW_COMMIT_MS = 50
const CLOCK_OFF_MS = 2_000
const COMMITS = 20
/** The contract allows statistics to lag by 5 s; docs/operations.md alerts at this lag. */
const LAG_SECONDS = 60
/** No follower needs this long to catch up after a burst: it is failing. */
const STUCK_SECONDS = 3_600
const RENEW_WITHIN_MS = 14 * 86_400_000
/** A domain whose port 25 answers everyone, and whose mail nobody else receives. */
const ELSEWHERE = 'gmail.com'

/** The checks that need no database, in the order in which to fix the findings. Never rejects. */
export function examineAround(options: DoctorOptions): Promise<readonly Finding[]> {
  const { kind } = options.config.delivery
  const during = (modes: readonly string[], check: () => Promise<CheckResult>): (() => Promise<CheckResult>) =>
    modes.includes(kind) ? check : async () => skipped(`POSTHORN_DELIVERY is ${kind}`)
  const sending = ['direct', 'relay']
  return findingsOf([
    ['disk', () => disk(options)],
    ['plans', async () => plans(options)],
    ['public address', async () => publicUrl(options)],
    ['certificate', () => certificate(options)],
    ['operator address', async () => operator(options)],
    ['source addresses', during(sending, () => sourceAddresses(options))],
    ['host name', during(sending, () => hostName(options))],
    ['return path', during(sending, () => returnPath(options))],
    ['relay', during(['relay'], () => relay(options))],
    ['reverse DNS', during(['direct'], () => reverseDns(options))],
    ['SPF of the host name', during(['direct'], () => spf(options))],
    ['port 25 out', during(['direct'], () => port25(options))],
    ['blocklists', during(['direct'], () => blocklists(options))],
  ])
}

/** @param opened the database, or why it could not be opened. Never rejects */
export function examineDatabase(
  opened: Database | Error,
  { config, clock: time }: DoctorOptions,
): Promise<readonly Finding[]> {
  const needing = (check: (db: Database) => Promise<CheckResult>): (() => Promise<CheckResult>) =>
    opened instanceof Error ? async () => skipped('no database') : () => check(opened)
  return findingsOf([
    ['database', () => database(opened, config)],
    ['DKIM of the instance', needing((db) => instanceDkim(db, config))],
    ['certificate of the public address', needing((db) => publicCertificate(db, config, time))],
    ['certificates of tracking domains', needing((db) => trackingCertificates(db, config, time))],
    ['commit time', needing((db) => commitTime(db, time))],
    ['clock', needing((db) => clock(db, time))],
    ['roles', needing((db) => roles(db, time))],
    ['settings of the processes', needing((db) => settings(db, config))],
    ['followers of the log', needing((db) => followers(db, time))],
  ])
}

async function database(db: Database | Error, { databaseUrl, dataDir }: Config): Promise<CheckResult> {
  if (db instanceof Error) {
    const embedded = `check the disk, the service log and ${dataDir}/postgres.log`
    return fail(
      db.message.replace(/\s+/g, ' '),
      databaseUrl === null ? embedded : 'check DATABASE_URL: nothing works without a database',
    )
  }
  const facts = await serverFacts(db.system)
  const { version, fsync, synchronousCommit: commits, fullPageWrites: pages } = facts
  const what = `PostgreSQL ${version}, ${databaseUrl === null ? 'embedded' : 'from DATABASE_URL'}`
  if (facts.isStandby)
    return fail(`${what}; it is a read-only standby`, 'point DATABASE_URL at the primary, or promote this server')
  if (facts.readOnly === 'on')
    return fail(
      `${what}; default_transaction_read_only on`,
      'turn it off: no mail can be accepted or delivered while it is on',
    )
  if (fsync === 'on' && commits !== 'off' && pages === 'on') return ok(what)
  return fail(
    `${what}; fsync ${fsync}, synchronous_commit ${commits}, full_page_writes ${pages}`,
    'turn all three on: accepted mail could be lost in a power failure',
  )
}

const UNDONE: Readonly<Record<Role, string>> = {
  api: 'the API and the dashboard are down',
  tracking: 'tracked links, open tracking and unsubscribe pages are down',
  submission: 'mail cannot be submitted over SMTP',
  mx: 'bounces and complaints are not received',
  delivery: 'no mail is delivered',
  worker: 'no webhooks, statistics, domain verification or cleanup',
}

async function roles(db: Database, time: Clock): Promise<CheckResult> {
  const [running, figures] = await Promise.all([runningRoles(db.system), queueFigures(db.system, time.now())])
  const ready = figures.find(({ state }) => state === 'ready')?.emails ?? 0
  const waits = ready > 0 ? `; emails ready for delivery: ${ready}` : ''
  if (running.size === 0) return skipped(`the service is not running${waits}`)
  // A process with the role api answers the links too.
  const missing = ROLES.filter((role) => !running.has(role) && !(role === 'tracking' && running.has('api')))
  if (missing.length === 0) return ok('all roles are running')
  const text = `not running: ${missing.map((role) => `${role} (${UNDONE[role]})`).join(', ')}${waits}`
  const advice = 'start a process with each missing role (POSTHORN_ROLES), unless you do not need it'
  return ready > 0 && missing.includes('delivery') ? fail(text, advice) : warn(text, advice)
}

async function settings(db: Database, config: Config): Promise<CheckResult> {
  const [running, differing] = await Promise.all([runningRoles(db.system), differingSettings(db.system)])
  if (running.size === 0) return skipped('the service is not running')
  const others = await otherSettings(db.system, config)
  if (others.length > 0)
    return warn(others.join('; '), 'run commands with the settings of the service: the checks above are of other ones')
  if (differing.length === 0) return ok('the same where they must be')
  const text = differing.map(({ setting, value, processes }) => `${setting} is ${value} in ${processes.join(', ')}`)
  const advice = 'give all processes the same value (docs/guides/scaling-out.md), and restart those that have another'
  const isFault = differing.some(({ setting }) => setting === 'POSTHORN_DELIVERY')
  return isFault ? fail(text.join('; '), advice) : warn(text.join('; '), advice)
}

/** What is late, by the follower that produces it. */
const LATE: Readonly<Record<string, string>> = {
  statistics: 'statistics and health scores',
  webhooks: 'webhooks',
  notices: 'notices by mail to accounts and the operator',
}

async function followers(db: Database, time: Clock): Promise<CheckResult> {
  const [running, lags] = await Promise.all([runningRoles(db.system), followerLags(db.system, time.now())])
  if (!running.has('worker')) return skipped('the worker role, which reads the log, is not running')
  const behind = lags.filter(({ lagSeconds }) => lagSeconds > LAG_SECONDS)
  const most = Math.ceil(Math.max(0, ...lags.map(({ lagSeconds }) => lagSeconds)))
  if (behind.length === 0) return ok(`at most ${most} s behind`)
  const text = behind.map(({ name, lagSeconds }) => `${name} (${LATE[name] ?? name}) ${Math.ceil(lagSeconds)} s behind`)
  const advice =
    'nothing is lost, only late: check the service log. If all followers are behind, look for a transaction left open in the database (pg_stat_activity); if only some, the database or the worker may be overloaded'
  return behind.some(({ lagSeconds }) => lagSeconds > STUCK_SECONDS)
    ? fail(text.join(', '), advice)
    : warn(text.join(', '), advice)
}

async function commitTime(db: Database, time: Clock): Promise<CheckResult> {
  const tookMs: number[] = []
  for (let i = 0; i < COMMITS; i++) {
    const began = time.monotonicMs()
    await commitOnce(db.system)
    tookMs.push(time.monotonicMs() - began)
  }
  const median = tookMs.toSorted((a, b) => a - b)[COMMITS / 2] ?? 0
  const text = `${median.toFixed(1)} ms per commit (median of ${COMMITS})`
  if (median <= SLOW_COMMIT_MS) return ok(text)
  return warn(
    text,
    'the disk is slow to confirm writes: use a faster one. Commits are grouped, but each accepted request waits this long',
  )
}

async function disk({ diskRoom, config }: DoctorOptions): Promise<CheckResult> {
  const { folder, freeBytes, keptBytes } = await diskRoom()
  const text = `${roomText(freeBytes)} free at ${folder}`
  const isBeside = config.databaseUrl === null || isOnThisMachine(config.databaseUrl)
  const refused = isBeside ? 'no mail' : 'no mail over a megabyte'
  const advice = `free up space: ${refused} is accepted below ${roomText(keptBytes)}`
  if (freeBytes < keptBytes) return fail(text, advice)
  return freeBytes >= FREE_BYTES_WANTED ? ok(text) : warn(text, advice)
}

function roomText(bytes: number): string {
  const megabytes = bytes / 1_048_576
  return megabytes < 1_000 ? `${Math.round(megabytes)} MB` : `${(megabytes / 1_024).toFixed(1)} GB`
}

async function clock(db: Database, time: Clock): Promise<CheckResult> {
  const { now } = await serverFacts(db.system)
  const offMs = Math.abs(now.getTime() - time.now().getTime())
  const { settledAt = null, doubtedSince = null } = (await readSettledTime(db.system)) ?? {}
  if (settledAt !== null && doubtedSince !== null)
    return warn(
      `it jumped ahead from ${settledAt.toISOString()} to ${doubtedSince.toISOString()}, or the service was stopped between`,
      'correct the clock if it is wrong: once it has stood for a day, data is deleted by it',
    )
  if (offMs <= CLOCK_OFF_MS) return ok(`${offMs} ms off the database's clock`)
  return warn(`${offMs} ms off the database's clock`, 'run a time service (chrony, systemd-timesyncd) on every machine')
}

function plans({ config }: DoctorOptions): CheckResult {
  try {
    readPlans(config.plansFile)
    return ok(config.plansFile ?? 'built in')
  } catch (error) {
    return fail(
      (error as Error).message,
      'fix the file or unset POSTHORN_PLANS_FILE: the service does not start with this file',
    )
  }
}

function publicUrl({ config }: DoctorOptions): CheckResult {
  const { protocol, hostname, port, pathname } = new URL(config.publicUrl)
  if (port === '0') return fail(config.publicUrl, 'set POSTHORN_PUBLIC_URL: the service does not start without it')
  if (pathname !== '/')
    return warn(
      config.publicUrl,
      `leave ${pathname} out of POSTHORN_PUBLIC_URL: Posthorn answers without it, so links in mail lead nowhere unless a proxy removes it, and the dashboard does not open there`,
    )
  if (config.delivery.kind === 'sandbox') return ok(config.publicUrl)
  if (/^(?:localhost|127\.|\[::1)/.test(hostname)) {
    return fail(
      config.publicUrl,
      'set POSTHORN_PUBLIC_URL: links in mail point to this address, which recipients cannot reach',
    )
  }
  if (protocol === 'http:') return warn(config.publicUrl, 'use https: mail clients flag or block http links')
  return ok(config.publicUrl)
}

async function certificate({ certificate: read, config, clock: time }: DoctorOptions): Promise<CheckResult> {
  const pem = await read().catch((error: Error) => error)
  if (pem instanceof Error) return fail(pem.message, 'fix this setting: the service does not start with it')
  const found = new X509Certificate(pem)
  const until = found.validToDate
  const text = `for ${found.subjectAltName ?? found.subject}, until ${until.toISOString().slice(0, 10)}`
  if (until.getTime() < time.now().getTime()) return fail(text, 'expired: renew it')
  if (config.tlsCertFile === null) {
    if (config.httpsPort !== null && certifiedHost(config) === config.hostname)
      return ok('the certificate of the public address; self-signed until that is issued')
    return warn(
      `self-signed, ${text}`,
      'set POSTHORN_TLS_CERT_FILE and POSTHORN_TLS_KEY_FILE to a certificate that clients trust',
    )
  }
  if (found.checkHost(config.hostname) === undefined) {
    return fail(text, `use a certificate that covers ${config.hostname}: clients that verify it will refuse to connect`)
  }
  const { protocol, hostname } = new URL(config.publicUrl)
  if (config.httpsPort !== null && protocol === 'https:' && found.checkHost(hostname) === undefined)
    return fail(
      text,
      `use a certificate that covers ${hostname}, the host of POSTHORN_PUBLIC_URL: browsers will reject this one`,
    )
  if (until.getTime() - time.now().getTime() < RENEW_WITHIN_MS) return warn(text, 'expires soon: renew it')
  return ok(text)
}

const NO_HTTPS = 'POSTHORN_HTTPS_PORT is not set: another server terminates TLS'

/** The certificate issued by a CA (contract section 18); `certificate` checks the one from files. */
async function publicCertificate(db: Database, config: Config, time: Clock): Promise<CheckResult> {
  const { protocol, hostname } = new URL(config.publicUrl)
  if (protocol !== 'https:') return skipped('POSTHORN_PUBLIC_URL is not https')
  if (config.httpsPort === null) return skipped(NO_HTTPS)
  if (config.tlsCertFile !== null) return skipped('uses POSTHORN_TLS_CERT_FILE: see the certificate check')
  if (certifiedHost(config) === null)
    return warn(
      `self-signed: no CA issues a certificate for ${hostname}`,
      'use a public host name, or POSTHORN_TLS_CERT_FILE',
    )
  const state = await ownCertificateState(db.system, hostname)
  if (state === null) return warn('not requested yet', 'start the service with the worker role')
  const { expires_at: until, error, due_at: due } = state
  const holds = until !== null && until > time.now()
  const date = until?.toISOString().slice(0, 10)
  const text = holds ? `for ${hostname}, until ${date}` : until === null ? 'not issued yet' : `expired on ${date}`
  const why = error === null ? text : `${text}; the last order failed: ${error}`
  const advice = `route port 80 of ${hostname} to POSTHORN_HTTP_PORT, and make sure this machine can reach POSTHORN_ACME_DIRECTORY; ordered again at ${due.toISOString().slice(0, 16)}Z, or at once by posthorn certificate retry`
  if (!holds) return fail(`${why}; a self-signed certificate is served`, advice)
  return error === null ? ok(text) : warn(why, advice)
}

async function instanceDkim(db: Database, { dkimDomain }: Config): Promise<CheckResult> {
  if (dkimDomain === null) return skipped('POSTHORN_DKIM_DOMAIN is not set: mail is signed by its own domain alone')
  if ((await activeDomainId(db, dkimDomain)) !== null) return ok(`all mail is signed by ${dkimDomain} too`)
  return fail(
    `no account has verified ${dkimDomain}: mail goes out without its signature`,
    'add it as a sending domain in an account of yours and publish its records',
  )
}

async function trackingCertificates(db: Database, config: Config, time: Clock): Promise<CheckResult> {
  if (config.httpsPort === null) return skipped(NO_HTTPS)
  const { verified, missing, example } = await missingCertificates(db.system, time.now())
  if (example === null) return ok(`${verified} verified, no failed order`)
  return warn(
    `none for ${missing} of ${verified} verified names, such as ${example.host}: ${example.failure}`,
    'links of their mail lead to POSTHORN_PUBLIC_URL; each needs port 80 at POSTHORN_HTTP_PORT, and CAA records that allow the authority',
  )
}

function operator({ config }: DoctorOptions): CheckResult {
  if (config.operatorEmail !== null) return ok(config.operatorEmail)
  return warn('not set', 'set POSTHORN_OPERATOR_EMAIL: it receives notices, and mail to postmaster and abuse')
}

async function sourceAddresses({ config, clock, foreignAddresses }: DoctorOptions): Promise<CheckResult> {
  const named = [...new Set([...mailSourceIps(config), ...config.validationSourceIps])]
  if (named.length === 0) return ok('chosen by the system')
  const foreign = await foreignAddresses(named)
  if (foreign.length === 0) return ok([named.join(', '), ...warmUpFindings(firstDays(config), clock.now())].join('; '))
  return fail(
    `not on this machine: ${foreign.join(', ')}`,
    'list only addresses of a local interface (behind NAT, the private ones) in POSTHORN_SOURCE_IPS, POSTHORN_BULK_SOURCE_IPS and POSTHORN_VALIDATION_SOURCE_IPS',
  )
}

async function relay({ config, relay: named, resolver, clock: time }: DoctorOptions): Promise<CheckResult> {
  if (named === null) return skipped('not set')
  const { host } = named
  const isName = isIP(host) === 0 && host !== 'localhost'
  if (isName && (await addressesOf(resolver, host)) === 'unknown') return unknown(host, NO_DNS)
  return relayTaking({ config, relay: named, resolver, clock: time, recipient: `postmaster@${ELSEWHERE}` })
}

async function port25({ resolver, greet, config }: DoctorOptions): Promise<CheckResult> {
  const answer = await resolver.mx(ELSEWHERE)
  if (answer.kind !== 'found') return unknown(`no MX found for ${ELSEWHERE}`, NO_DNS)
  const [first] = answer.records.toSorted((a, b) => a.preference - b.preference)
  const host = first?.exchange ?? ELSEWHERE
  const known = await addressesOf(resolver, host)
  const named = mailSourceIps(config)
  const sources = named.length === 0 ? [null] : named
  const knocks = sources.map(async (source): Promise<CheckResult> => {
    const where = source === null ? host : `${host} from ${source}`
    const address =
      known === 'unknown' ? undefined : known.find((ip) => source === null || isIPv6(ip) === isIPv6(source))
    if (address === undefined) return unknown(`${where}: no address found`, NO_DNS)
    return greetingCheck(where, greet(address, config.smtpPort, source))
  })
  const greetings = await Promise.all(knocks)
  const worst = greetings.find(({ state }) => state === 'fail') ?? greetings.find(({ state }) => state === 'unknown')
  return worst ?? ok(greetings.map(({ found }) => found).join(', '))
}

async function greetingCheck(where: string, greeting: Promise<string>): Promise<CheckResult> {
  try {
    const banner = await greeting
    if (banner.startsWith('220')) return ok(`${where} answers`)
    return fail(
      `${where} answered ${banner}`,
      'see the answer for the reason; often the address is blocklisted or residential',
    )
  } catch (error) {
    const { message } = error as Error
    const advice = message.includes('EADDRNOTAVAIL')
      ? 'see the source addresses check'
      : 'many providers block port 25 by default: ask yours to open it, or set POSTHORN_DELIVERY=relay:host:port'
    return fail(`${where}: ${message}`, advice)
  }
}
