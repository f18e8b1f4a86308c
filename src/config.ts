// The settings of an instance, and the only reader of the environment. All settings are in one table, from which
// docs/config.md is generated. A setting that cannot be read stops the start with an error that names it and the reason.

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP, isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { missingHalves, type NewAddress, sharedAddresses, sharedPorts, warmUpFaults } from './config-conflicts.ts'
import { parseAddress } from './mail/address.ts'
import { parseMechanism } from './mail/authentication/spf-record.ts'
import { canonicalAddress, parseNetwork } from './platform/addresses.ts'
import { assertConnectionString, withModesOfLibpq } from './platform/db/servers.ts'

export const ROLES = ['api', 'tracking', 'submission', 'mx', 'delivery', 'worker'] as const
export type Role = (typeof ROLES)[number]

export type DeliveryMode =
  | { readonly kind: 'sandbox' }
  | { readonly kind: 'direct' }
  | { readonly kind: 'relay'; readonly host: string; readonly port: number }

export type RelayTls = 'off' | 'starttls' | 'implicit' | 'offered'

interface Setting<T> {
  readonly name: string
  /** As printed in the reference. */
  readonly default: string
  readonly meaning: string
  /** @throws Error whose message completes "NAME: ..." */
  readonly read: (text: string | undefined) => T
}

function setting<T>(
  name: string,
  standard: string,
  meaning: string,
  read: (text: string | undefined) => T,
): Setting<T> {
  return { name, default: standard, meaning, read }
}

const DEFAULT_HTTP_PORT = 8080
const CERTIFIED =
  "certificate for SMTP and the public URL's host; without it, an https public URL with POSTHORN_HTTPS_PORT gets one by ACME, which SMTP uses too if the host is POSTHORN_HOSTNAME; otherwise self-signed"

export const SETTINGS = {
  dataDir: setting('POSTHORN_DATA_DIR', './data', 'embedded database, keys, spool', folder),
  databaseUrl: setting(
    'DATABASE_URL',
    'unset: the embedded database',
    'any PostgreSQL 15 or newer; several hosts, comma list: the one that takes writes',
    databaseUrl,
  ),
  bind: setting('POSTHORN_BIND', '127.0.0.1', 'all listening sockets', (t) => host(t) ?? '127.0.0.1'),
  httpHost: setting('POSTHORN_HTTP_HOST', 'POSTHORN_BIND', 'HTTP listening address', host),
  httpPort: setting(
    'POSTHORN_HTTP_PORT',
    '8080',
    'API, dashboard, tracking; in a process without these roles only `/healthz`, `/readyz` and `/metrics`; 0: any free port, which the log names (requires POSTHORN_PUBLIC_URL)',
    (t) => port(t) ?? DEFAULT_HTTP_PORT,
  ),
  httpsPort: setting('POSTHORN_HTTPS_PORT', 'unset (no TLS listener)', 'API, dashboard, tracking over TLS', port),
  publicUrl: setting(
    'POSTHORN_PUBLIC_URL',
    'http://127.0.0.1 with POSTHORN_HTTP_PORT',
    'the base of links in mail; by default, POSTHORN_HTTP_HOST unless that is every address',
    url,
  ),
  euUrl: setting('POSTHORN_EU_URL', 'unset', 'the regional base named in the OpenAPI document', url),
  tlsCertFile: setting('POSTHORN_TLS_CERT_FILE', 'ACME, self-signed', CERTIFIED, (t) => t ?? null),
  tlsKeyFile: setting('POSTHORN_TLS_KEY_FILE', 'as above', 'the key of that certificate', (t) => t ?? null),
  submissionPorts: setting('POSTHORN_SUBMISSION_PORT', '2587', 'submission with STARTTLS, comma list', (t) =>
    ports(t, [2587]),
  ),
  submissionTlsPorts: setting('POSTHORN_SUBMISSION_TLS_PORT', '2465', 'submission with implicit TLS, comma list', (t) =>
    ports(t, [2465]),
  ),
  mxPort: setting('POSTHORN_MX_PORT', '2525', 'inbound MX', (t) => port(t) ?? 2525),
  hostname: setting('POSTHORN_HOSTNAME', 'localhost', 'EHLO and return-path host', (t) =>
    (host(t) ?? 'localhost').toLowerCase(),
  ),
  dkimDomain: setting(
    'POSTHORN_DKIM_DOMAIN',
    'unset',
    'a domain that an account of this instance has verified: its key signs all mail too, for feedback loops that go by the domain of a signature',
    domain,
  ),
  spfMechanism: setting(
    'POSTHORN_SPF_MECHANISM',
    'a:<hostname>',
    'the mechanism that SPF records of sending domains include',
    spfMechanism,
  ),
  delivery: setting('POSTHORN_DELIVERY', 'sandbox', '`sandbox`, `direct` (MX), `relay:host:port`', deliveryMode),
  relayUser: setting(
    'POSTHORN_RELAY_USER',
    'unset',
    'login for the relay; not sent without TLS, unless POSTHORN_RELAY_TLS is `off`',
    (t) => t ?? null,
  ),
  relayPassword: setting('POSTHORN_RELAY_PASSWORD', 'unset', 'password for the relay', (t) => t ?? null),
  relayTls: setting(
    'POSTHORN_RELAY_TLS',
    'STARTTLS if offered',
    'for the relay: `off` (except for mail with `tls_policy: required`; the password is sent unencrypted), `starttls`, `implicit`',
    (t): RelayTls => (t === undefined ? 'offered' : oneOf(t, ['off', 'starttls', 'implicit'] as const)),
  ),
  smtpPort: setting('POSTHORN_SMTP_PORT', '25', 'towards MX hosts', (t) => remotePort(t) ?? 25),
  sourceIps: setting('POSTHORN_SOURCE_IPS', "the system's", 'source addresses towards MX hosts, comma list', ips),
  bulkSourceIps: setting(
    'POSTHORN_BULK_SOURCE_IPS',
    'POSTHORN_SOURCE_IPS',
    'source addresses of mail to many (`stream: broadcast` or `is_bulk`), comma list: separate, so that its reputation does not touch other mail; needs POSTHORN_SOURCE_IPS',
    ips,
  ),
  warmUpIps: setting(
    'POSTHORN_WARM_UP_IPS',
    'none',
    '`address=YYYY-MM-DD,..`: new source addresses and the first day of each. For thirty days they carry little mail to each receiver and more every day; the others of their list carry the rest',
    newAddresses,
  ),
  dnsServers: setting(
    'POSTHORN_DNS_SERVERS',
    "the system's",
    '`host:port,..` (the host by its address), used for every look-up; when unset, verification asks the authoritative servers',
    dnsServers,
  ),
  dnssecServers: setting(
    'POSTHORN_DNSSEC_SERVERS',
    'unset (no DANE)',
    '`host:port,..` of trusted validating resolvers: on this machine, or over a path that nobody can tamper with',
    dnsServers,
  ),
  secretKey: setting(
    'POSTHORN_SECRET_KEY',
    'made in the data dir',
    'at least 32 characters; encrypts secrets at rest, derives token keys',
    secretKey,
  ),
  acmeDirectory: setting('POSTHORN_ACME_DIRECTORY', "Let's Encrypt", 'ACME CA, by https', secureUrl),
  acmeCaFile: setting('POSTHORN_ACME_CA_FILE', 'unset', 'certificate authority of the ACME CA', authority),
  allowPrivateNetworks: setting(
    'POSTHORN_ALLOW_PRIVATE_NETWORKS',
    'false',
    'lets webhooks, probes and delivery reach private addresses, and webhooks use http (tests)',
    (t) => flag(t, false),
  ),
  trustedProxies: setting('POSTHORN_TRUSTED_PROXIES', 'none', 'CIDRs whose X-Forwarded-For counts', proxies),
  rateLimits: setting(
    'POSTHORN_RATE_LIMITS',
    'on',
    '`off` for load tests (also the per-address connection caps)',
    (t) => (t === undefined ? 'on' : oneOf(t, ['on', 'off'] as const)) === 'on',
  ),
  plansFile: setting('POSTHORN_PLANS_FILE', 'built in', 'limits per plan, JSON', (t) => t ?? null),
  validationProbes: setting(
    'POSTHORN_VALIDATION_PROBES',
    'on',
    '`off`: address validation asks no mail server (where port 25 is closed, or as a kill-switch)',
    (t) => (t === undefined ? 'on' : oneOf(t, ['on', 'off'] as const)) === 'on',
  ),
  validationSourceIps: setting(
    'POSTHORN_VALIDATION_SOURCE_IPS',
    'POSTHORN_SOURCE_IPS',
    'source addresses of address validation, comma list: separate, so that a blocklist entry for probing does not stop mail',
    ips,
  ),
  operatorEmail: setting('POSTHORN_OPERATOR_EMAIL', 'unset', 'notices', mailbox),
  systemFrom: setting('POSTHORN_SYSTEM_FROM', 'posthorn@<hostname>', 'sender of notices', mailbox),
  metricsToken: setting(
    'POSTHORN_METRICS_TOKEN',
    'unset',
    'bearer token for `/metrics`; loopback requests without a forwarding header need none; everything else gets 404',
    (t) => t ?? null,
  ),
  apiKey: setting('POSTHORN_API_KEY', 'unset', 'the key that `posthorn mcp` uses', (t) => t ?? null),
  roles: setting(
    'POSTHORN_ROLES',
    'all',
    `comma list of \`${ROLES.join(',')}\`: several machines share one database`,
    roles,
  ),
  tracesEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'unset: no traces',
    'a collector of OpenTelemetry traces (OTLP over HTTP), such as http://127.0.0.1:4318',
    url,
  ),
  tracesShare: setting('OTEL_TRACES_SAMPLER_ARG', '1', 'the share of emails that are traced, from 0 to 1', share),
  logLevel: setting('POSTHORN_LOG_LEVEL', 'info', '`error`, `warn`, `info`, `debug`, `silent`', (t) =>
    t === undefined ? 'info' : oneOf(t, ['error', 'warn', 'info', 'debug', 'silent'] as const),
  ),
} as const

type Read = { readonly [Key in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Key]['read']> }

export interface Config extends Omit<Read, 'publicUrl' | 'httpHost' | 'spfMechanism' | 'systemFrom'> {
  readonly publicUrl: string
  readonly httpHost: string
  readonly spfMechanism: string
  readonly systemFrom: string
}

/** @throws Error naming every setting that cannot be read */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = []
  const read: Record<string, unknown> = {}
  for (const [key, { name, read: parse }] of Object.entries(SETTINGS)) {
    const text = environment[name]?.trim()
    try {
      read[key] = parse(text === '' ? undefined : text)
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  if (faults.length > 0) throw new Error(`invalid settings:\n  ${faults.join('\n  ')}`)
  const known = read as unknown as Read
  const missing = missingHalves(known)
  if (missing.length > 0) throw new Error(`incomplete settings:\n  ${missing.join('\n  ')}`)
  const shared = [...sharedPorts(known), ...sharedAddresses(known), ...warmUpFaults(known)]
  if (shared.length > 0) throw new Error(`conflicting settings:\n  ${shared.join('\n  ')}`)
  const httpHost = known.httpHost ?? known.bind
  return {
    ...known,
    publicUrl: known.publicUrl ?? localUrl(httpHost, known.httpPort),
    httpHost,
    spfMechanism: known.spfMechanism ?? `a:${known.hostname}`,
    validationSourceIps: known.validationSourceIps.length > 0 ? known.validationSourceIps : known.sourceIps,
    systemFrom: known.systemFrom ?? `posthorn@${known.hostname}`,
  }
}

/** For processes that make or serve links. @throws Error when the links would have no known address */
export function assertReachable({ publicUrl }: Pick<Config, 'publicUrl'>): void {
  if (new URL(publicUrl).port === '0')
    throw new Error(
      'incomplete settings:\n  POSTHORN_HTTP_PORT=0 needs POSTHORN_PUBLIC_URL, the base URL of links in mail',
    )
}

/** Where HTTP at this address is reached from this machine. */
function localUrl(httpHost: string, port: number): string {
  const reached = httpHost === '0.0.0.0' || httpHost === '::' ? '127.0.0.1' : httpHost
  return `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`
}

/** Every source address of mail; none: the system chooses. */
export function mailSourceIps(config: Pick<Config, 'sourceIps' | 'bulkSourceIps'>): readonly string[] {
  return [...config.sourceIps, ...config.bulkSourceIps]
}

/** The first day (`YYYY-MM-DD`) of each new source address, which is spelled as in its list. */
export function firstDays(
  config: Pick<Config, 'sourceIps' | 'bulkSourceIps' | 'warmUpIps'>,
): ReadonlyMap<string, string> {
  const days = new Map(config.warmUpIps.map(({ address, day }) => [canonicalAddress(address), day]))
  return new Map(
    mailSourceIps(config).flatMap((address) => {
      const day = days.get(canonicalAddress(address))
      return day === undefined ? [] : [[address, day]]
    }),
  )
}

/**
 * Names that look like settings but are none. A misspelt setting would otherwise be ignored silently, with no effect. Not an
 * error, because the environment may contain settings of another release.
 */
export function strayNames(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  // The guides store a client's key under this name.
  const known = new Set(['POSTHORN_KEY', ...Object.values(SETTINGS).map(({ name }) => name)])
  return Object.keys(environment).filter((name) => /^POSTHORN_/i.test(name) && !known.has(name))
}

/** The settings that only a relay needs, where they have a value. */
export function relayNames(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const names = [SETTINGS.relayUser, SETTINGS.relayPassword, SETTINGS.relayTls].map(({ name }) => name)
  return names.filter((name) => (environment[name]?.trim() ?? '') !== '')
}

/** The settings of this process. */
export function processConfig(): Config {
  return readConfig(process.env)
}

function port(text: string | undefined): number | null {
  if (text === undefined) return null
  const number = Number(text)
  if (!/^\d{1,5}$/.test(text) || number > 65535) throw new Error(`"${text}" is not a port number (0-65535)`)
  return number
}

/** A port to connect to: there is no port 0. */
function remotePort(text: string | undefined): number | null {
  const number = port(text)
  if (number === 0) throw new Error('"0" is not a port number (1-65535)')
  return number
}

function ports(text: string | undefined, standard: readonly number[]): readonly number[] {
  if (text === undefined) return standard
  const named = list(text).map((item) => port(item) ?? 0)
  if (named.length === 0) throw new Error(`"${text}" contains no port number`)
  const twice = named.find((one, index) => one !== 0 && named.indexOf(one) !== index)
  if (twice !== undefined) throw new Error(`"${text}" contains ${twice} twice`)
  return named
}

function list(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function url(text: string | undefined): string | null {
  if (text === undefined) return null
  const parsed = URL.canParse(text) ? new URL(text) : null
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw new Error(`"${text}" is not an http or https URL`)
  if (parsed.search !== '' || parsed.hash !== '' || parsed.username !== '' || parsed.password !== '')
    throw new Error(`"${text}" must not contain a user name, a password, a query (?) or a fragment (#)`)
  // Not as written: the rest of the code and the pages that a browser names tell schemes and hosts by their lower case.
  return parsed.href.replace(/\/+$/, '')
}

/** RFC 8555 section 6.1 requires https; a server on this machine may be asked without TLS. */
function secureUrl(text: string | undefined): string | null {
  const address = url(text)
  if (address === null) return null
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'https:' && !/^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname))
    throw new Error(`"${address}" is not an https URL`)
  return address
}

function share(text: string | undefined): number {
  const number = Number(text ?? '1')
  if (!(number >= 0 && number <= 1)) throw new Error(`"${text}" is not a number from 0 to 1`)
  return number
}

function flag(text: string | undefined, standard: boolean): boolean {
  return text === undefined
    ? standard
    : oneOf(text, ['true', 'false', '1', '0'] as const).replace('1', 'true') === 'true'
}

function oneOf<const Value extends string>(text: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === text)
  if (found === undefined) throw new Error(`"${text}" is not one of ${values.join(', ')}`)
  return found
}

function deliveryMode(text: string | undefined): DeliveryMode {
  if (text === undefined || text === 'sandbox') return { kind: 'sandbox' }
  if (text === 'direct') return { kind: 'direct' }
  const [, six, other = '', number] = /^relay:(?:\[([^\]]*)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? []
  if (number === undefined)
    throw new Error(`"${text}" is not one of sandbox, direct, relay:host:port, relay:[IPv6 address]:port`)
  if (six !== undefined && isIP(six) !== 6) throw new Error(`"${six}" is not an IPv6 address`)
  return { kind: 'relay', host: six ?? relayHost(other), port: remotePort(number) ?? 25 }
}

/** A name may contain underscores, as container names do, and end with the root's dot. */
function relayHost(text: string): string {
  const name = text.replace(/\.$/, '')
  try {
    host(name.replaceAll('_', 'x'))
  } catch {
    throw new Error(`"${text}" is not a host name or an IP address`)
  }
  return name
}

function roles(text: string | undefined): readonly Role[] {
  if (text === undefined || text === 'all') return ROLES
  const named = list(text).map((item) => oneOf(item, ROLES))
  if (named.length === 0) throw new Error(`"${text}" contains no role`)
  return named
}

/** Quotes and `~` are for a shell: taken as they are, they would begin an empty instance in a folder of that name. */
function folder(text = 'data'): string {
  if (/^["']|^~(?:\/|$)/.test(text)) throw new Error(`${text} must be a path, without quotes and without ~`)
  return resolve(text)
}

/** The error never repeats the value, which may contain a password. */
function databaseUrl(text: string | undefined): string | null {
  if (text === undefined) return null
  if (!/^postgres(ql)?:\/\//.test(text)) throw new Error('must begin with postgresql://')
  // It would begin a fragment, and what is before it could be taken for a host and port.
  if (text.includes('#')) throw new Error('must not contain #; in a user name or password it is written %23')
  const url = withModesOfLibpq(text)
  assertConnectionString(url)
  return url
}

/** A name of letters, digits and hyphens between dots, or an IP address. */
function host(text: string | undefined): string | null {
  if (text === undefined || isIP(text) !== 0) return text ?? null
  const labels = text.split('.')
  const isName = text.length <= 253 && labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label))
  if (!isName || /^\d+$/.test(labels.at(-1) ?? '')) throw new Error(`"${text}" is not a host name or an IP address`)
  return text
}

function domain(text: string | undefined): string | null {
  const name = host(text)?.toLowerCase() ?? null
  if (name !== null && (isIP(name) !== 0 || !name.includes('.'))) throw new Error(`"${text}" is not a domain`)
  return name
}

function ips(text: string | undefined): readonly string[] {
  const named = list(text)
  const wrong = named.find((item) => isIP(item) === 0)
  if (wrong !== undefined) throw new Error(`"${wrong}" is not an IP address`)
  return named
}

/** @throws Error for anything but `address=YYYY-MM-DD` */
function newAddresses(text: string | undefined): readonly NewAddress[] {
  return list(text).map((item) => {
    const [address = '', day = '', ...more] = item.split('=').map((part) => part.trim())
    const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && new Date(`${day}T00:00Z`).toJSON()?.startsWith(day)
    if (isIP(address) === 0 || !isDay || more.length > 0)
      throw new Error(`"${item}" is not an address and its first day, such as 192.0.2.8=2027-01-31`)
    return { address, day }
  })
}

function dnsServers(text: string | undefined): readonly string[] {
  const named = list(text).map((item) => item.replace(/^localhost(?=:|$)/i, '127.0.0.1'))
  for (const item of named) {
    if (isIP(item) !== 0) continue
    const [, six, four, number] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(item) ?? []
    if (isIP(six ?? '') !== 6 && isIP(four ?? '') !== 4)
      throw new Error(
        `"${item}" is not a server address; use the form 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353`,
      )
    remotePort(number)
  }
  return named
}

function proxies(text: string | undefined): readonly string[] {
  const named = list(text)
  for (const item of named) {
    const [address = '', bits] = parseNetwork(item)?.split('/') ?? []
    if (bits === undefined) throw new Error(`"${item}" is not a network; use the form 10.0.0.0/8 or 2001:db8::/32`)
    // No private network is larger than 10.0.0.0/8 or fc00::/7. ::ffff:0:0/96 is all of IPv4.
    const least = address.startsWith('::ffff:') ? 96 + 8 : isIPv6(address) ? 7 : 8
    if (Number(bits) < least)
      throw new Error(`"${item}" covers too many addresses, so clients could fake theirs: list only your proxies`)
  }
  return named
}

function mailbox(text: string | undefined): string | null {
  if (text !== undefined && !parseAddress(text.replace(/@localhost$/, '@localhost.test')).ok)
    throw new Error(`"${text}" is not an email address`)
  return text ?? null
}

function spfMechanism(text: string | undefined): string | null {
  if (text === undefined) return null
  const mechanism = parseMechanism(text)
  if (mechanism === null) throw new Error(`"${text}" is not an SPF mechanism; use the form include:_spf.example.com`)
  if (mechanism.kind === 'all') throw new Error(`"${text}" matches every host: name only the hosts that send`)
  if (mechanism.qualifier !== '+')
    throw new Error(`"${text}" does not pass mail: remove the "${text.charAt(0)}" at its start`)
  return text
}

/** A file that contains a PEM certificate. */
function authority(text: string | undefined): string | null {
  if (text === undefined) return null
  try {
    new X509Certificate(readFileSync(text))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new Error(`there is no file "${text}"`, { cause })
    throw new Error(`"${text}" is not a PEM certificate: ${message}`, { cause })
  }
  return text
}

function secretKey(text: string | undefined): string | null {
  if (text === undefined) return null
  if (text.length < 32) throw new Error('must have at least 32 characters')
  // Another process, whose shell removes the quotes, would have another secret.
  if (/^(["']).*\1$/.test(text)) throw new Error('must not be in quotes')
  return text
}
