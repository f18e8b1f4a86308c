// `posthorn doctor`: whether this instance can do its work, seen from the machine it runs on. Each finding says what was
// looked at, what was found, and what to do. What cannot be known from here (a DNS that does not answer, a port that a
// provider closes further out) is said to be unknown, never to be well.

import { X509Certificate } from 'node:crypto'
import { isIP, isIPv6 } from 'node:net'
import { type Config, ROLES, type Role } from '../config.ts'
import { checkHost } from '../mail/spf.ts'
import { readPlans } from '../modules/accounts/index.ts'
import type { Relay } from '../modules/delivery/index.ts'
import { followerLags } from '../modules/events/index.ts'
import { runningRoles } from '../modules/machines/index.ts'
import { queueFigures } from '../modules/outbox/index.ts'
import { ownCertificateState } from '../modules/tracking/index.ts'
import { isPublicAddress } from '../platform/addresses.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/db.ts'
import type { DiskRoom } from '../platform/disk.ts'
import type { DnsAnswer, Resolver } from '../platform/dns.ts'
import { commitOnce, serverFacts } from '../platform/sql-server.ts'
import { certifiedHost } from '../readers.ts'
import { relayTaking } from './doctor-relay.ts'
import { type Finding, fail, findingsOf, ok, skipped, type Told, unknown, warn } from './finding.ts'

export interface DoctorOptions {
  readonly config: Config
  readonly clock: Clock
  readonly resolver: Resolver
  /** Null: POSTHORN_DELIVERY names none. */
  readonly relay: Relay | null
  /** On the disk of the data directory. */
  readonly diskRoom: () => Promise<DiskRoom>
  /** The certificate of the SMTP listeners, PEM. @throws Error with which the service does not start */
  readonly certificate: () => Promise<string>
  /** Opens a TCP connection, from an address of ours if need be, and reads the first line. @throws Error */
  readonly greet: (host: string, port: number, source: string | null) => Promise<string>
  /** Which of them are not this machine's. */
  readonly foreignAddresses: (addresses: readonly string[]) => Promise<readonly string[]>
}

const FREE_BYTES_WANTED = 2 * 1_073_741_824
const SLOW_COMMIT_MS = 50
const CLOCK_OFF_MS = 2_000
const COMMITS = 20
/** The contract has statistics 5 s behind at most; docs/operations.md alerts at this. */
const LAG_SECONDS = 60
/** None catches up from a burst for so long: it fails at something. */
const STUCK_SECONDS = 3_600
const RENEW_WITHIN_MS = 14 * 86_400_000
/** Somebody whose port 25 answers everyone, and whose mail is nobody else's. */
const ELSEWHERE = 'gmail.com'
// What each answers for an address that is listed; 127.255.255.x means that our resolver may not ask.
const BLOCKLISTS = ['zen.spamhaus.org', 'bl.spamcop.net', 'b.barracudacentral.org', 'psbl.surriel.com']

/** What needs no database, in the order in which one would mend it. Never rejects. */
export function examineAround(options: DoctorOptions): Promise<readonly Finding[]> {
  const { kind } = options.config.delivery
  const during = (modes: readonly string[], check: () => Promise<Told>): (() => Promise<Told>) =>
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

/** @param opened the database, or why there is none. Never rejects */
export function examineDatabase(
  opened: Database | Error,
  { config, clock: time }: DoctorOptions,
): Promise<readonly Finding[]> {
  const needing = (check: (db: Database) => Promise<Told>): (() => Promise<Told>) =>
    opened instanceof Error ? async () => skipped('no database') : () => check(opened)
  return findingsOf([
    ['database', () => database(opened, config)],
    ['certificate of the public address', needing((db) => publicCertificate(db, config, time))],
    ['commit time', needing((db) => commitTime(db, time))],
    ['clock', needing((db) => clock(db, time))],
    ['roles', needing((db) => roles(db, time))],
    ['followers of the log', needing((db) => followers(db, time))],
  ])
}

async function database(db: Database | Error, { databaseUrl, dataDir }: Config): Promise<Told> {
  if (db instanceof Error) {
    const embedded = `see disk, the log of the service and ${dataDir}/postgres.log`
    return fail(
      db.message.replace(/\s+/g, ' '),
      databaseUrl === null ? embedded : 'nothing works without it: see DATABASE_URL',
    )
  }
  const facts = await serverFacts(db.system)
  const { version, fsync, synchronousCommit: commits, fullPageWrites: pages } = facts
  const what = `PostgreSQL ${version}, ${databaseUrl === null ? 'embedded' : 'by DATABASE_URL'}`
  if (facts.isStandby)
    return fail(`${what}; a standby, which takes no writes`, 'have DATABASE_URL lead to the primary, or promote it')
  if (facts.readOnly === 'on')
    return fail(`${what}; default_transaction_read_only on`, 'turn it off: no mail can be accepted or delivered')
  if (fsync === 'on' && commits !== 'off' && pages === 'on') return ok(what)
  return fail(
    `${what}; fsync ${fsync}, synchronous_commit ${commits}, full_page_writes ${pages}`,
    'turn them on: an accepted mail must survive a power cut',
  )
}

const UNDONE: Readonly<Record<Role, string>> = {
  api: 'the API and the dashboard do not answer',
  tracking: 'links, opens and unsubscribe pages do not answer',
  submission: 'programs cannot hand in mail by SMTP',
  mx: 'bounces and complaints do not come in',
  delivery: 'no mail leaves',
  worker: 'no webhooks, statistics, verification of domains or cleaning up',
}

async function roles(db: Database, time: Clock): Promise<Told> {
  const [running, figures] = await Promise.all([runningRoles(db.system), queueFigures(db.system, time.now())])
  const ready = figures.find(({ state }) => state === 'ready')?.emails ?? 0
  const waits = ready > 0 ? `; mails ready to leave: ${ready}` : ''
  if (running.size === 0) return skipped(`no process of the service runs${waits}`)
  const missing = ROLES.filter((role) => !running.has(role))
  if (missing.length === 0) return ok('each is run by some process')
  const said = `no process runs ${missing.map((role) => `${role} (${UNDONE[role]})`).join(', ')}${waits}`
  const advice = 'start a process with it (POSTHORN_ROLES), unless you do without'
  return ready > 0 && missing.includes('delivery') ? fail(said, advice) : warn(said, advice)
}

/** What is late, by the follower that makes it. */
const LATE: Readonly<Record<string, string>> = {
  statistics: 'statistics and health scores',
  webhooks: 'webhooks',
  notices: 'mails to accounts and to the operator',
}

async function followers(db: Database, time: Clock): Promise<Told> {
  const [running, lags] = await Promise.all([runningRoles(db.system), followerLags(db.system, time.now())])
  if (!running.has('worker')) return skipped('no process runs the role worker, which reads the log')
  const behind = lags.filter(({ lagSeconds }) => lagSeconds > LAG_SECONDS)
  const most = Math.ceil(Math.max(0, ...lags.map(({ lagSeconds }) => lagSeconds)))
  if (behind.length === 0) return ok(`at most ${most} s behind`)
  const said = behind.map(({ name, lagSeconds }) => `${name} (${LATE[name] ?? name}) ${Math.ceil(lagSeconds)} s behind`)
  const advice =
    'nothing is lost, and all of it comes late: see what the log of the service says of it. A transaction left open in the database holds all of them up (pg_stat_activity), an overloaded database or worker some'
  return behind.some(({ lagSeconds }) => lagSeconds > STUCK_SECONDS)
    ? fail(said.join(', '), advice)
    : warn(said.join(', '), advice)
}

async function commitTime(db: Database, time: Clock): Promise<Told> {
  const tookMs: number[] = []
  for (let i = 0; i < COMMITS; i++) {
    const began = time.monotonicMs()
    await commitOnce(db.system)
    tookMs.push(time.monotonicMs() - began)
  }
  const median = tookMs.toSorted((a, b) => a - b)[COMMITS / 2] ?? 0
  const said = `${median.toFixed(1)} ms for one commit (median of ${COMMITS})`
  if (median <= SLOW_COMMIT_MS) return ok(said)
  return warn(
    said,
    'the disk is slow to confirm writes: acceptance still groups commits, but each answer waits this long',
  )
}

async function disk({ diskRoom, config }: DoctorOptions): Promise<Told> {
  const { freeBytes, keptBytes } = await diskRoom()
  const said = `${roomText(freeBytes)} free at ${config.dataDir}`
  if (freeBytes < keptBytes) return fail(said, `make room: below ${roomText(keptBytes)} no mail is accepted`)
  if (freeBytes >= FREE_BYTES_WANTED) return ok(said)
  return warn(said, `make room: below ${roomText(keptBytes)} no mail is accepted any more`)
}

function roomText(bytes: number): string {
  const megabytes = bytes / 1_048_576
  return megabytes < 1_000 ? `${Math.round(megabytes)} MB` : `${(megabytes / 1_024).toFixed(1)} GB`
}

async function clock(db: Database, time: Clock): Promise<Told> {
  const { now } = await serverFacts(db.system)
  const offMs = Math.abs(now.getTime() - time.now().getTime())
  if (offMs <= CLOCK_OFF_MS) return ok(`${offMs} ms beside the database's`)
  return warn(`${offMs} ms beside the database's`, 'run a time service (chrony, systemd-timesyncd) on every machine')
}

function plans({ config }: DoctorOptions): Told {
  try {
    readPlans(config.plansFile)
    return ok(config.plansFile ?? 'built in')
  } catch (error) {
    return fail(
      (error as Error).message,
      'mend the file, or leave POSTHORN_PLANS_FILE out: the service does not start with it',
    )
  }
}

function publicUrl({ config }: DoctorOptions): Told {
  const { protocol, hostname, port } = new URL(config.publicUrl)
  if (port === '0') return fail(config.publicUrl, 'set POSTHORN_PUBLIC_URL: the service does not start without it')
  if (config.delivery.kind === 'sandbox') return ok(config.publicUrl)
  if (/^(?:localhost|127\.|\[::1)/.test(hostname)) {
    return fail(
      config.publicUrl,
      'set POSTHORN_PUBLIC_URL: links in mail lead to this address, and nobody can reach it',
    )
  }
  if (protocol === 'http:') return warn(config.publicUrl, 'use https: mail clients mark or refuse links without it')
  return ok(config.publicUrl)
}

async function certificate({ certificate: read, config, clock: time }: DoctorOptions): Promise<Told> {
  const pem = await read().catch((error: Error) => error)
  if (pem instanceof Error) return fail(pem.message, 'the service does not start with it')
  const found = new X509Certificate(pem)
  const until = found.validToDate
  const said = `for ${found.subjectAltName ?? found.subject}, until ${until.toISOString().slice(0, 10)}`
  if (until.getTime() < time.now().getTime()) return fail(said, 'it has expired: renew it')
  if (config.tlsCertFile === null) {
    if (config.httpsPort !== null && certifiedHost(config) === config.hostname)
      return ok('that of the public address, and self-signed while there is none')
    return warn(
      `self-signed, ${said}`,
      'name one that clients trust in POSTHORN_TLS_CERT_FILE and POSTHORN_TLS_KEY_FILE',
    )
  }
  if (found.checkHost(config.hostname) === undefined) {
    return fail(said, `it does not name ${config.hostname}: clients that check will refuse`)
  }
  const { protocol, hostname } = new URL(config.publicUrl)
  if (config.httpsPort !== null && protocol === 'https:' && found.checkHost(hostname) === undefined)
    return fail(said, `it does not name ${hostname}, the host of POSTHORN_PUBLIC_URL: browsers will refuse`)
  if (until.getTime() - time.now().getTime() < RENEW_WITHIN_MS) return warn(said, 'renew it')
  return ok(said)
}

/** The one that an authority gives (contract section 18); of files, `certificate` tells. */
async function publicCertificate(db: Database, config: Config, time: Clock): Promise<Told> {
  const { protocol, hostname } = new URL(config.publicUrl)
  if (protocol !== 'https:') return skipped('POSTHORN_PUBLIC_URL is not https')
  if (config.httpsPort === null) return skipped('POSTHORN_HTTPS_PORT is unset: another server has the certificate')
  if (config.tlsCertFile !== null) return skipped('it is in POSTHORN_TLS_CERT_FILE')
  if (certifiedHost(config) === null)
    return warn(`self-signed: no authority vouches for ${hostname}`, 'use a public name, or POSTHORN_TLS_CERT_FILE')
  const state = await ownCertificateState(db.system, hostname)
  if (state === null) return warn('none was asked for yet', 'start the service with the role worker')
  const { expires_at: until, error } = state
  const holds = until !== null && until > time.now()
  const date = until?.toISOString().slice(0, 10)
  const said = holds ? `for ${hostname}, until ${date}` : until === null ? 'none yet' : `it has expired on ${date}`
  const why = error === null ? said : `${said}; the last order failed: ${error}`
  const advice = `port 80 of ${hostname} must lead to POSTHORN_HTTP_PORT, and POSTHORN_ACME_DIRECTORY be reached from here`
  if (!holds) return fail(`${why}; a self-signed one is shown`, advice)
  return error === null ? ok(said) : warn(why, advice)
}

function operator({ config }: DoctorOptions): Told {
  if (config.operatorEmail !== null) return ok(config.operatorEmail)
  return warn('none', 'set POSTHORN_OPERATOR_EMAIL: mail to postmaster and abuse goes there, and notices')
}

async function sourceAddresses({ config, foreignAddresses }: DoctorOptions): Promise<Told> {
  const named = [...new Set([...config.sourceIps, ...config.validationSourceIps])]
  if (named.length === 0) return ok("the system's choice")
  const foreign = await foreignAddresses(named)
  if (foreign.length === 0) return ok(named.join(', '))
  const advice =
    'no connection can begin there: name addresses that stand on an interface here (behind NAT, the inner ones)'
  return fail(
    `not of this machine: ${foreign.join(', ')}`,
    `${advice} in POSTHORN_SOURCE_IPS, POSTHORN_VALIDATION_SOURCE_IPS`,
  )
}

async function relay({ config, relay: named, resolver, clock: time }: DoctorOptions): Promise<Told> {
  if (named === null) return skipped('none is named')
  const { host } = named
  const isName = isIP(host) === 0 && host !== 'localhost'
  if (isName && (await addressesOf(resolver, host)) === 'unknown') return unknown(host, NO_DNS)
  return relayTaking({ config, relay: named, resolver, clock: time, recipient: `postmaster@${ELSEWHERE}` })
}

async function addressesOf(resolver: Resolver, name: string): Promise<readonly string[] | 'unknown'> {
  const answers = await Promise.all([resolver.a(name), resolver.aaaa(name)])
  const found = answers.flatMap((answer) => (answer.kind === 'found' ? answer.records : []))
  return found.length === 0 && answers.some(isFailure) ? 'unknown' : found
}

function isFailure({ kind }: DnsAnswer<unknown>): boolean {
  return kind === 'servfail' || kind === 'timeout'
}

const NO_DNS = 'the DNS does not answer: see POSTHORN_DNS_SERVERS and /etc/resolv.conf'

async function hostName({ config, resolver }: DoctorOptions): Promise<Told> {
  const { hostname } = config
  if (isIP(hostname) !== 0)
    return fail(
      `${hostname} is an address`,
      'set POSTHORN_HOSTNAME to a name: an address has no SPF, and no bounce comes back to it',
    )
  if (!hostname.includes('.')) {
    const why = 'receivers refuse EHLO without one, and bounces come back to it'
    return fail(hostname, `set POSTHORN_HOSTNAME to the full name of this machine: ${why}`)
  }
  const addresses = await addressesOf(resolver, hostname)
  if (addresses === 'unknown') return unknown(hostname, NO_DNS)
  if (addresses.length === 0)
    return fail(`${hostname} has no address`, `publish an A record (and AAAA) for ${hostname}`)
  return ok(`${hostname} is ${addresses.join(', ')}`)
}

/** The addresses that receivers see: those named, or else those of the host name. */
async function sendingAddresses({ config, resolver }: DoctorOptions): Promise<readonly string[] | 'unknown'> {
  const named = config.sourceIps.filter((address) => isPublicAddress(address))
  if (named.length > 0) return named
  const found = await addressesOf(resolver, config.hostname)
  return found === 'unknown' ? found : found.filter((address) => isPublicAddress(address))
}

async function reverseDns(options: DoctorOptions): Promise<Told> {
  const { resolver, config } = options
  const addresses = await sendingAddresses(options)
  if (addresses === 'unknown') return unknown('the address we send from', NO_DNS)
  if (addresses.length === 0) return unknown('no public address is known', 'name it in POSTHORN_SOURCE_IPS')
  const faults: string[] = []
  for (const address of addresses) {
    const answer = await resolver.ptr(address)
    if (isFailure(answer)) return unknown(address, NO_DNS)
    const names = answer.kind === 'found' ? answer.records : []
    const confirmed: string[] = []
    for (const name of names) {
      const back = await addressesOf(resolver, name)
      if (back !== 'unknown' && back.includes(address)) confirmed.push(name.toLowerCase())
    }
    if (confirmed.length === 0) faults.push(`${address} has no name that leads back to it`)
    else if (!confirmed.includes(config.hostname)) faults.push(`${address} is ${confirmed[0]}, not ${config.hostname}`)
  }
  if (faults.length === 0) return ok(`${addresses.join(', ')} named ${config.hostname}, and back`)
  return fail(faults.join('; '), `ask whoever gave you the address to set its PTR record to ${config.hostname}`)
}

async function returnPath({ config, resolver }: DoctorOptions): Promise<Told> {
  const { hostname } = config
  const answer = await resolver.mx(hostname)
  if (isFailure(answer)) return unknown(hostname, NO_DNS)
  const exchanges = answer.kind === 'found' ? answer.records.map(({ exchange }) => exchange.toLowerCase()) : []
  if (exchanges.length > 0 && !exchanges.includes(hostname)) {
    return fail(
      `bounces go to ${exchanges.join(', ')}`,
      `publish ${hostname} MX 10 ${hostname}: bounces must come here`,
    )
  }
  const where = exchanges.length > 0 ? 'its MX is itself' : 'it has no MX, so its address counts'
  return ok(`${hostname}: ${where}; port 25 must lead to port ${config.mxPort} of this machine`)
}

async function spf(options: DoctorOptions): Promise<Told> {
  const { resolver, config } = options
  const addresses = await sendingAddresses(options)
  if (addresses === 'unknown' || addresses.length === 0) return unknown(config.hostname, 'see reverse DNS')
  const sender = `postmaster@${config.hostname}`
  const verdicts = await Promise.all(
    addresses.map((ip) => checkHost(ip, config.hostname, sender, resolver, { helo: config.hostname })),
  )
  const bad = verdicts.find(({ result }) => result !== 'pass')
  if (bad === undefined) return ok(`passes for ${addresses.join(', ')}`)
  const advice = `publish ${config.hostname} TXT "v=spf1 ${config.spfMechanism} -all": bounces and reports are sent in its name`
  return bad.result === 'temperror' ? unknown(bad.result, NO_DNS) : warn(bad.result, advice)
}

async function port25({ resolver, greet, config }: DoctorOptions): Promise<Told> {
  const answer = await resolver.mx(ELSEWHERE)
  if (answer.kind !== 'found') return unknown(`${ELSEWHERE} has no MX here`, NO_DNS)
  const [first] = answer.records.toSorted((a, b) => a.preference - b.preference)
  const host = first?.exchange ?? ELSEWHERE
  const known = await addressesOf(resolver, host)
  const sources = config.sourceIps.length === 0 ? [null] : config.sourceIps
  const knocks = sources.map(async (source): Promise<Told> => {
    const where = source === null ? host : `${host} from ${source}`
    const address =
      known === 'unknown' ? undefined : known.find((ip) => source === null || isIPv6(ip) === isIPv6(source))
    if (address === undefined) return unknown(`${where}: it has no address for that here`, NO_DNS)
    return knocked(where, greet(address, config.smtpPort, source))
  })
  const told = await Promise.all(knocks)
  const worst = told.find(({ state }) => state === 'fail') ?? told.find(({ state }) => state === 'unknown')
  return worst ?? ok(told.map(({ found }) => found).join(', '))
}

async function knocked(where: string, greeting: Promise<string>): Promise<Told> {
  try {
    const banner = await greeting
    if (banner.startsWith('220')) return ok(`${where} answers`)
    return fail(`${where} says ${banner}`, 'what it says names the cause: often a blocklisted or residential address')
  } catch (error) {
    const { message } = error as Error
    const advice = message.includes('EADDRNOTAVAIL')
      ? 'see source addresses'
      : 'many providers close port 25 until asked: have it opened, or use POSTHORN_DELIVERY=relay:host:port'
    return fail(`${where}: ${message}`, advice)
  }
}

async function blocklists(options: DoctorOptions): Promise<Told> {
  const { resolver } = options
  const addresses = await sendingAddresses(options)
  if (addresses === 'unknown' || addresses.length === 0) return unknown('no public address', 'see reverse DNS')
  const four = addresses.filter((address) => address.includes('.') && !address.includes(':'))
  const asked = four.flatMap((address) => BLOCKLISTS.map((list) => ({ address, list })))
  const answers = await Promise.all(
    asked.map(async (one) => {
      const reversed = one.address.split('.').toReversed().join('.')
      return { ...one, answer: await resolver.a(`${reversed}.${one.list}`) }
    }),
  )
  const listed = answers.filter(({ answer }) => answer.kind === 'found' && answer.records.some(isListing))
  const silent = answers.filter(
    ({ answer }) => isFailure(answer) || (answer.kind === 'found' && !answer.records.some(isListing)),
  )
  if (listed.length > 0) {
    const where = listed.map(({ address, list }) => `${address} at ${list}`).join(', ')
    return fail(where, 'ask the list why and have it lifted before you send')
  }
  if (silent.length === answers.length) {
    return unknown('no list answers this resolver', 'large public resolvers may not ask them: use one of your own')
  }
  return ok(`on none of ${BLOCKLISTS.length - new Set(silent.map(({ list }) => list)).size} lists that answered`)
}

/** 127.255.255.0/24 says that the question was refused (Spamhaus). */
function isListing(address: string): boolean {
  return address.startsWith('127.') && !address.startsWith('127.255.255.')
}
