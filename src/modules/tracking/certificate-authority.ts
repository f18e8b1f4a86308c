// The connection to a certificate authority (CA): how it is asked, how long it may take, and what its failures mean. The account's
// key is sealed; all machines share the account. When the CA asks for a long wait, all that was asked for ends
// (acme-retry-after.ts). An unreachable CA is reported within seconds. Stopping does not wait for the CA: what is under way then
// ends unobserved.

import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import type acme from 'acme-client'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type Asking, asAsked, heedRetryAfter, RetryAfterError } from './acme-retry-after.ts'
import * as sql from './sql-tracking-domains.ts'

export type Acme = typeof acme

export interface AuthorityOptions {
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

export const ACCOUNT_KEY = 'acme account'
const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory'
/** How long the CA may be silent. The library does not retry such a request. */
const SILENT_MS = 30_000
/** For one answer, however slowly it arrives; longer than the silence, so that it does not take its place. */
const ANSWER_WITHIN_MS = 35_000
const MAX_ANSWER_BYTES = 1_048_576
/** For one request, when the CA is unreachable, or answers 429 or 5xx without a long wait. The order itself is retried later. */
const RETRIES = { retryMaxAttempts: 2, retryDefaultDelay: 1 }
const MAX_ERROR_CHARS = 500

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
export async function orderPause(options: AuthorityOptions): Promise<OrderPause | null> {
  const { database, clock } = options
  return database.system.one<OrderPause>(sql.acmeHold, [directoryOf(options), clock.now()])
}

export async function pauseOrders(options: AuthorityOptions, asked: RetryAfterError): Promise<void> {
  await options.database.system.execute(sql.holdAcme, [directoryOf(options), asked.until, customerMessage(asked)])
}

export function directoryOf({ directory }: Pick<AuthorityOptions, 'directory'>): string {
  return directory ?? LETS_ENCRYPT
}

/**
 * Runs what asks the CA, by a library that ends all of it when the CA asks to wait.
 *
 * @throws what `ask` throws, an error when it took too long, or the signal's reason
 */
export async function askedWithin<T>(
  { options, withinMs, signal }: { options: AuthorityOptions; withinMs: number; signal: AbortSignal },
  ask: (acme: Acme, asking: Asking) => Promise<T>,
): Promise<T> {
  const cut = Promise.withResolvers<never>()
  const stopped = (): void => cut.reject(signal.reason)
  const timer = setTimeout(() => cut.reject(new Error('the CA took too long')), withinMs)
  signal.addEventListener('abort', stopped, { once: true })
  if (signal.aborted) stopped()
  const given = { clock: options.clock, onHeld: cut.reject }
  const work = asAsked(given, async (asking) => ask(await acmeClient(options), asking))
  try {
    return await Promise.race([work, cut.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stopped)
    work.catch(() => undefined)
  }
}

/**
 * A client whose account exists. The account is looked up by its key (RFC 8555 section 7.3.1): if the CA has forgotten it or was
 * reset, it is created again, and with a new key if it was deactivated.
 */
export async function clientWithAccount(acme: Acme, options: AuthorityOptions, asking: Asking): Promise<acme.Client> {
  const { database, secrets, email } = options
  const directoryUrl = directoryOf(options)
  const fresh = await acme.crypto.createPrivateEcdsaKey('P-256')
  const sealed = secrets.seal(ACCOUNT_KEY, directoryUrl, fresh)
  await database.system.execute(sql.addAcmeAccount, [directoryUrl, sealed])
  const account = await database.system.one<{ private_key: Buffer }>(sql.acmeAccount, [directoryUrl])
  if (account === null) throw new Error('the ACME account vanished')
  const accountKey = secrets.open(ACCOUNT_KEY, directoryUrl, account.private_key)
  const client = new acme.Client({ directoryUrl, accountKey })
  // Reads the directory. Any error here means that the CA is unreachable, and further requests would fail too.
  await client.getTermsOfServiceUrl().catch(unreachable)
  const isKnown = await client.createAccount({ onlyReturnExisting: true }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Unreachable || error instanceof RetryAfterError) throw error
      return false
    },
  )
  if (isKnown) return client
  const wanted = { termsOfServiceAgreed: true, ...(email !== null && { contact: [`mailto:${email}`] }) }
  if (!asking.isDeactivated) {
    await client.createAccount(wanted)
    return client
  }
  const renewed = new acme.Client({ directoryUrl, accountKey: fresh })
  await renewed.createAccount(wanted)
  await database.system.execute(sql.replaceAcmeAccount, [directoryUrl, account.private_key, sealed])
  return renewed
}

/** Loaded when first needed: with its HTTP client and X.509 it takes 9.5 MB, which most processes never need. */
async function acmeClient({ caFile }: AuthorityOptions): Promise<Acme> {
  const { default: acme } = await import('acme-client')
  const { defaults } = acme.axios as unknown as { readonly defaults: { readonly acmeSettings: object } }
  Object.assign(defaults.acmeSettings, RETRIES)
  prepare(acme)
  heedRetryAfter(acme)
  if (caFile !== null) acme.axios.defaults.httpsAgent = new Agent({ ca: readFileSync(caFile) })
  return acme
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

/** @throws Unreachable, or the wait that the CA asked for */
export function unreachable(cause: unknown): never {
  if (cause instanceof Unreachable || cause instanceof RetryAfterError) throw cause
  throw new Unreachable('The certificate authority could not be reached', { cause })
}

const prepared = new WeakSet<object>()
