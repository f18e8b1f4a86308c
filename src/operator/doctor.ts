// `posthorn doctor`: whether this instance can do its work, seen from the machine it runs on. Each finding says what was
// looked at, what was found, and what to do. What cannot be known from here (a DNS that does not answer, a port that a
// provider closes further out) is said to be unknown, never to be well.

import { X509Certificate } from 'node:crypto'
import type { Config } from '../config.ts'
import { checkHost } from '../mail/spf.ts'
import { isPublicAddress } from '../platform/addresses.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/db.ts'
import type { DnsAnswer, Resolver } from '../platform/dns.ts'
import { commitOnce, serverFacts } from '../platform/sql-server.ts'

export type State = 'ok' | 'warn' | 'fail' | 'unknown' | 'skipped'

export interface Finding {
  readonly check: string
  readonly state: State
  readonly found: string
  /** What to do; null when nothing is. */
  readonly advice: string | null
}

export interface DoctorOptions {
  readonly config: Config
  readonly clock: Clock
  readonly resolver: Resolver
  readonly database: Database
  /** Free bytes on the disk of the data directory. */
  readonly freeBytes: () => Promise<number>
  /** The certificate of the SMTP listeners, PEM. */
  readonly certificate: () => Promise<string>
  /** Opens a TCP connection and reads the first line. @throws Error */
  readonly greet: (host: string, port: number) => Promise<string>
}

const FREE_BYTES_WANTED = 2 * 1_073_741_824
const SLOW_COMMIT_MS = 50
const CLOCK_OFF_MS = 2_000
const COMMITS = 20
const RENEW_WITHIN_MS = 14 * 86_400_000
/** Somebody whose port 25 answers everyone. */
const PORT_25_AT = 'gmail.com'
// What each answers for an address that is listed; 127.255.255.x means that our resolver may not ask.
const BLOCKLISTS = ['zen.spamhaus.org', 'bl.spamcop.net', 'b.barracudacentral.org', 'psbl.surriel.com']

type Told = Omit<Finding, 'check'>

const ok = (found: string): Told => ({ state: 'ok', found, advice: null })
const warn = (found: string, advice: string): Told => ({ state: 'warn', found, advice })
const fail = (found: string, advice: string): Told => ({ state: 'fail', found, advice })
const unknown = (found: string, advice: string): Told => ({ state: 'unknown', found, advice })
const skipped = (found: string): Told => ({ state: 'skipped', found, advice: null })

/** All findings, in the order in which one would mend them. Never rejects: a check that breaks is unknown. */
export async function examine(options: DoctorOptions): Promise<readonly Finding[]> {
  const network = options.config.delivery.kind === 'direct'
  const outside = (check: () => Promise<Told>): (() => Promise<Told>) =>
    network ? check : async () => skipped(`POSTHORN_DELIVERY is ${options.config.delivery.kind}`)
  const checks: readonly (readonly [string, () => Promise<Told>])[] = [
    ['database', () => database(options)],
    ['commit time', () => commitTime(options)],
    ['disk', () => disk(options)],
    ['clock', () => clock(options)],
    ['public address', async () => publicUrl(options)],
    ['certificate', () => certificate(options)],
    ['operator address', async () => operator(options)],
    ['host name', outside(() => hostName(options))],
    ['reverse DNS', outside(() => reverseDns(options))],
    ['return path', outside(() => returnPath(options))],
    ['SPF of the host name', outside(() => spf(options))],
    ['port 25 out', outside(() => port25(options))],
    ['blocklists', outside(() => blocklists(options))],
  ]
  return Promise.all(
    checks.map(async ([check, look]) => {
      const told = await look().catch((error: Error) =>
        unknown(`could not be looked at: ${error.message}`, 'try again'),
      )
      return { check, ...told }
    }),
  )
}

async function database({ database: db, config }: DoctorOptions): Promise<Told> {
  const { version, fsync, synchronousCommit: commits, fullPageWrites: pages } = await serverFacts(db.system)
  const what = `PostgreSQL ${version}, ${config.databaseUrl === null ? 'embedded' : 'by DATABASE_URL'}`
  if (fsync === 'on' && commits !== 'off' && pages === 'on') return ok(what)
  return fail(
    `${what}; fsync ${fsync}, synchronous_commit ${commits}, full_page_writes ${pages}`,
    'turn them on: an accepted mail must survive a power cut',
  )
}

async function commitTime({ database: db, clock: time }: DoctorOptions): Promise<Told> {
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

async function disk({ freeBytes, config }: DoctorOptions): Promise<Told> {
  const free = await freeBytes()
  const said = `${(free / 1_073_741_824).toFixed(1)} GB free at ${config.dataDir}`
  return free >= FREE_BYTES_WANTED ? ok(said) : warn(said, 'make room: below 1 GB nothing is accepted any more')
}

async function clock({ database: db, clock: time }: DoctorOptions): Promise<Told> {
  const { now } = await serverFacts(db.system)
  const offMs = Math.abs(now.getTime() - time.now().getTime())
  if (offMs <= CLOCK_OFF_MS) return ok(`${offMs} ms beside the database's`)
  return warn(`${offMs} ms beside the database's`, 'run a time service (chrony, systemd-timesyncd) on every machine')
}

function publicUrl({ config }: DoctorOptions): Told {
  const { protocol, hostname } = new URL(config.publicUrl)
  if (config.delivery.kind !== 'direct') return ok(config.publicUrl)
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
  const found = new X509Certificate(await read())
  const until = found.validToDate
  const said = `for ${found.subjectAltName ?? found.subject}, until ${until.toISOString().slice(0, 10)}`
  if (until.getTime() < time.now().getTime()) return fail(said, 'it has expired: renew it')
  if (config.tlsCertFile === null) {
    return warn(
      `self-signed, ${said}`,
      'name one that clients trust in POSTHORN_TLS_CERT_FILE and POSTHORN_TLS_KEY_FILE',
    )
  }
  if (found.checkHost(config.hostname) === undefined) {
    return fail(said, `it does not name ${config.hostname}: clients that check will refuse`)
  }
  if (until.getTime() - time.now().getTime() < RENEW_WITHIN_MS) return warn(said, 'renew it')
  return ok(said)
}

function operator({ config }: DoctorOptions): Told {
  if (config.operatorEmail !== null) return ok(config.operatorEmail)
  return warn('none', 'set POSTHORN_OPERATOR_EMAIL: mail to postmaster and abuse goes there, and notices')
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
  if (!hostname.includes('.')) {
    return fail(hostname, 'set POSTHORN_HOSTNAME to the full name of this machine: receivers refuse EHLO without one')
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
  const answer = await resolver.mx(PORT_25_AT)
  if (answer.kind !== 'found') return unknown(`${PORT_25_AT} has no MX here`, NO_DNS)
  const [first] = answer.records.toSorted((a, b) => a.preference - b.preference)
  const host = first?.exchange ?? PORT_25_AT
  const addresses = await resolver.a(host)
  const [address] = addresses.kind === 'found' ? addresses.records : []
  if (address === undefined) return unknown(`${host} has no address here`, NO_DNS)
  try {
    const banner = await greet(address, config.smtpPort)
    if (banner.startsWith('220')) return ok(`${host} answers`)
    return fail(`${host} says ${banner}`, 'what it says names the cause: often a blocklisted or residential address')
  } catch (error) {
    return fail(
      `${host}: ${(error as Error).message}`,
      'many providers close port 25 until asked: have it opened, or use POSTHORN_DELIVERY=relay:host:port',
    )
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
