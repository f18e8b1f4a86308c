// One order at a certificate authority (RFC 8555 with HTTP-01). The challenge is in the database, so any machine that serves
// the name can answer it. The account's key is sealed; all machines share the account. Each order first looks the account up
// by its key (section 7.3.1): if the CA has forgotten it or was reset, the account is created again. An unreachable CA is
// reported within seconds. Stopping does not wait for a running order, whose remaining work ends unobserved. When the CA asks
// for a long wait, the order ends (acme-retry-after.ts).

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { createSecureContext } from 'node:tls'
import type acme from 'acme-client'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type Asking, asAsked, heedRetryAfter, RetryAfterError } from './acme-retry-after.ts'
import * as sql from './sql-tracking-domains.ts'

type Acme = typeof acme

export interface OrderOptions {
  readonly database: Database
  readonly clock: Clock
  readonly secrets: Secrets
  /** Null: Let's Encrypt. */
  readonly directory: string | null
  /** A file with the root certificate for the CA's own server; null: the public roots. */
  readonly caFile: string | null
  /** The contact address for the CA; null: none. */
  readonly email: string | null
}

export interface Issued {
  /** The chain, PEM. */
  readonly certificate: string
  /** PEM. */
  readonly privateKey: Buffer
  readonly expiresAt: Date
  readonly renewAt: Date
}

export const ACCOUNT_KEY = 'acme account'
const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory'
const ISSUE_WITHIN_MS = 120_000
const CHALLENGE_MS = 3_600_000
/** How long the CA may be silent. The library does not retry such a request. */
const SILENT_MS = 30_000
/** For one answer, however slowly it arrives; longer than the silence, so that it does not take its place. */
const ANSWER_WITHIN_MS = 35_000
const MAX_ANSWER_BYTES = 1_048_576
/** For one request, when the CA is unreachable, or answers 429 or 5xx without a long wait. The order itself is retried later. */
const RETRIES = { retryMaxAttempts: 2, retryDefaultDelay: 1 }
const RENEW_AT = 2 / 3
export const FIRST_WAIT_MS = 60_000
export const LONGEST_WAIT_MS = 86_400_000
const MAX_ERROR_CHARS = 500
/** RFC 5280 appendix A.1; Let's Encrypt refuses a longer one. Clients read the alternative name, which every order has. */
const MAX_COMMON_NAME_CHARS = 64

/** Loaded for the first order: with its HTTP client and X.509 it takes 9.5 MB, which most processes never need. */
async function acmeClient(): Promise<Acme> {
  return (await import('acme-client')).default
}

/** How long to wait after one more failure than `failures`, in ms. */
export function waitAfter(failures: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures)
}

/** The CA gave no valid answer: it refused the connection, stayed silent, or has an untrusted certificate. */
export class Unreachable extends Error {}

/** The CA's message for the customer; for other errors a general text, while the log has the details. */
export function customerMessage(error: unknown): string {
  if (error instanceof Unreachable) return error.message
  if (error instanceof RetryAfterError) return shown(error.message)
  // The CA's refusals are plain errors. Type errors, database errors and the like mean nothing to a customer.
  const isPlain = error instanceof Error && error.constructor === Error && !('code' in error) && error.message !== ''
  return shown(isPlain ? error.message : 'The certificate could not be ordered; it will be tried again')
}

function shown(text: string): string {
  return text.replaceAll('\0', '').toWellFormed().slice(0, MAX_ERROR_CHARS)
}

export interface OrderPause {
  readonly until: Date
  readonly why: string
}

/** Until when the CA asked us to send no orders at all; null: it did not ask, or that time is over. */
export async function orderPause({ database, clock, directory }: OrderOptions): Promise<OrderPause | null> {
  return database.system.one<OrderPause>(sql.acmeHold, [directory ?? LETS_ENCRYPT, clock.now()])
}

export async function pauseOrders({ database, directory }: OrderOptions, asked: RetryAfterError): Promise<void> {
  await database.system.execute(sql.holdAcme, [directory ?? LETS_ENCRYPT, asked.until, customerMessage(asked)])
}

/** @throws the CA's error, an error when it took too long, or the signal's reason */
export async function orderCertificate(options: OrderOptions, name: string, signal: AbortSignal): Promise<Issued> {
  const cut = Promise.withResolvers<never>()
  const stopped = (): void => cut.reject(signal.reason)
  const timer = setTimeout(() => cut.reject(new Error('the CA took too long')), ISSUE_WITHIN_MS)
  signal.addEventListener('abort', stopped, { once: true })
  if (signal.aborted) stopped()
  const given = { clock: options.clock, onHeld: cut.reject }
  const work = asAsked(given, (asking) => ordered(options, name, asking))
  try {
    return await Promise.race([work, cut.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stopped)
    work.catch(() => undefined)
  }
}

async function ordered(options: OrderOptions, name: string, asking: Asking): Promise<Issued> {
  const { database, clock } = options
  const acme = await acmeClient()
  const directoryUrl = options.directory ?? LETS_ENCRYPT
  const client = await clientOf(acme, options, directoryUrl)
  // Reads the directory. Any error here means that the CA is unreachable, and further requests would fail too.
  await client.getTermsOfServiceUrl().catch(unreachable)
  // A refusal means that there is no account.
  await client.createAccount({ onlyReturnExisting: true }).catch((error: unknown) => {
    if (error instanceof Unreachable || error instanceof RetryAfterError) throw error
    const contact = options.email === null ? {} : { contact: [`mailto:${options.email}`] }
    return client.createAccount({ termsOfServiceAgreed: true, ...contact })
  })
  asking.ordering = true
  const key = await acme.crypto.createPrivateEcdsaKey('P-256')
  const commonName = name.length > MAX_COMMON_NAME_CHARS ? {} : { commonName: name }
  const [privateKey, csr] = await acme.crypto.createCsr({ ...commonName, altNames: [name] }, key)
  const ordering = client.auto({
    csr,
    challengePriority: ['http-01'],
    // The CA fetches the challenge itself; a check of our own would need a route out to our own public address.
    skipChallengeVerification: true,
    challengeCreateFn: async (_, { token }, keyAuthorization) => {
      const until = new Date(clock.now().getTime() + CHALLENGE_MS)
      await database.system.execute(sql.addChallenge, [token, keyAuthorization, until])
    },
    challengeRemoveFn: async (_, { token }) => {
      await database.system.execute(sql.removeChallenge, [token, clock.now()])
    },
  })
  const certificate = await ordering.catch(async (cause: unknown) => {
    throw asking.isForbiddenByCaa && cause instanceof Error ? await withCaaAdvice(acme, directoryUrl, cause) : cause
  })
  const now = clock.now()
  const { validToDate: expiresAt } = usableLeaf(certificate, { privateKey, name, now })
  return { certificate, privateKey, expiresAt, renewAt: renewalAt(now, expiresAt) }
}

/** The record that lets the CA issue (RFC 8659), by the name the CA's directory gives for it (RFC 8555 section 7.1.1). */
async function withCaaAdvice({ axios }: Acme, directoryUrl: string, cause: Error): Promise<Error> {
  const directory = await axios.get(directoryUrl).catch(() => null)
  const meta: { readonly caaIdentities?: unknown } = directory?.data?.meta ?? {}
  const [identity] = Array.isArray(meta.caaIdentities) ? meta.caaIdentities : []
  const isName = typeof identity === 'string' && /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(identity)
  const advice = isName
    ? `add 0 issue "${identity}" to these records`
    : 'these records must name the certificate authority'
  return new Error(`${cause.message}; ${advice}`, { cause })
}

/**
 * Two thirds into the time that is left. Not counted from the start of its lifetime: by a clock that is months ahead, a new
 * certificate would be due for renewal at once, and orders would follow each other without end.
 */
export function renewalAt(now: Date, expiresAt: Date): Date {
  return new Date(now.getTime() + (expiresAt.getTime() - now.getTime()) * RENEW_AT)
}

/**
 * The first certificate of the chain that the CA sent. It may replace one that works.
 *
 * @throws Error with the reason why no client would accept it
 */
export function usableLeaf(
  chain: string,
  { privateKey, name, now }: { readonly privateKey: Buffer; readonly name: string; readonly now: Date },
): X509Certificate {
  const refused = (why: string, cause?: unknown): never => {
    throw new Error(`The certificate authority sent a certificate that ${why}`, { cause })
  }
  let certificate: X509Certificate
  try {
    createSecureContext({ cert: chain, key: privateKey })
    certificate = new X509Certificate(chain)
  } catch (cause) {
    return refused('cannot be read, or is for another key', cause)
  }
  if (certificate.checkHost(name) === undefined) return refused('is for another name')
  return certificate.validToDate > now ? certificate : refused('has expired')
}

async function clientOf(
  acme: Acme,
  { database, secrets, caFile }: OrderOptions,
  directoryUrl: string,
): Promise<acme.Client> {
  const fresh = await acme.crypto.createPrivateEcdsaKey('P-256')
  await database.system.execute(sql.addAcmeAccount, [directoryUrl, secrets.seal(ACCOUNT_KEY, directoryUrl, fresh)])
  const account = await database.system.one<{ private_key: Buffer }>(sql.acmeAccount, [directoryUrl])
  if (account === null) throw new Error('the ACME account vanished')
  const { defaults } = acme.axios as unknown as { readonly defaults: { readonly acmeSettings: object } }
  Object.assign(defaults.acmeSettings, RETRIES)
  prepare(acme)
  heedRetryAfter(acme)
  if (caFile !== null) acme.axios.defaults.httpsAgent = new Agent({ ca: readFileSync(caFile) })
  return new acme.Client({ directoryUrl, accountKey: secrets.open(ACCOUNT_KEY, directoryUrl, account.private_key) })
}

/** The library limits neither the size of an answer nor how long it may take as long as something arrives. */
function prepare({ axios }: Acme): void {
  if (prepared.has(axios)) return
  prepared.add(axios)
  axios.defaults.timeout = SILENT_MS
  axios.defaults.maxContentLength = MAX_ANSWER_BYTES
  axios.interceptors.request.use((config) => Object.assign(config, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }))
  // Without this, a connection that fails on every retry of the library ends in a type error of the library's.
  axios.interceptors.response.use(null, async (cause) => unreachable(cause))
}

function unreachable(cause: unknown): never {
  if (cause instanceof Unreachable || cause instanceof RetryAfterError) throw cause
  throw new Unreachable('The certificate authority could not be reached', { cause })
}

const prepared = new WeakSet<object>()
