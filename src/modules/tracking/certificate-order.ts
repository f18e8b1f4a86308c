// One order at a certificate authority (RFC 8555 with HTTP-01). The challenge is in the database, so any machine that serves
// the name can answer it. A renewal names the certificate that it replaces (RFC 9773 section 5): many CAs exempt such orders
// from their limits.

import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type acme from 'acme-client'
import type { Asking } from './acme-retry-after.ts'
import { RetryAfterError } from './acme-retry-after.ts'
import {
  type Acme,
  type AuthorityOptions,
  askedWithin,
  clientWithAccount,
  directoryOf,
  Unreachable,
} from './certificate-authority.ts'
import * as sql from './sql-tracking-domains.ts'

export interface CertificateOrder {
  readonly name: string
  /** The CA's identifier for the certificate in use (certificateId in renewal-information.ts); null: the CA knows none. */
  readonly replaces: string | null
}

export interface Issued {
  /** The chain, PEM. */
  readonly certificate: string
  /** PEM. */
  readonly privateKey: Buffer
  readonly expiresAt: Date
  readonly renewAt: Date
}

const ISSUE_WITHIN_MS = 120_000
const CHALLENGE_MS = 3_600_000
const RENEW_AT = 2 / 3
export const FIRST_WAIT_MS = 60_000
export const LONGEST_WAIT_MS = 86_400_000
/** RFC 5280 appendix A.1; Let's Encrypt refuses a longer one. Clients read the alternative name, which every order has. */
const MAX_COMMON_NAME_CHARS = 64

/** How long to wait after one more failure than `failures`, in ms. */
export function waitAfter(failures: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures)
}

/** @throws the CA's error, an error when it took too long, or the signal's reason */
export function orderCertificate(
  options: AuthorityOptions,
  order: CertificateOrder,
  signal: AbortSignal,
): Promise<Issued> {
  const limits = { options, withinMs: ISSUE_WITHIN_MS, signal }
  return askedWithin(limits, (acme, asking) => ordered(acme, options, { ...order, asking }))
}

async function ordered(
  acme: Acme,
  options: AuthorityOptions,
  { name, replaces, asking }: CertificateOrder & { readonly asking: Asking },
): Promise<Issued> {
  const { database, clock } = options
  const client = await clientWithAccount(acme, options, asking)
  if (replaces !== null) nameReplaced(client, replaces)
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
    throw asking.isForbiddenByCaa && cause instanceof Error ? await withCaaAdvice(acme, options, cause) : cause
  })
  const now = clock.now()
  const { validToDate: expiresAt } = usableLeaf(certificate, { privateKey, name, now })
  return { certificate, privateKey, expiresAt, renewAt: renewalAt(now, expiresAt) }
}

/** An order that is refused with that name, as when another one has replaced the certificate, is placed again without it. */
function nameReplaced(client: acme.Client, replaces: string): void {
  const place = client.createOrder.bind(client)
  client.createOrder = (order) => {
    const replacing = { ...order, replaces }
    return place(replacing).catch((error: unknown) => {
      if (error instanceof Unreachable || error instanceof RetryAfterError) throw error
      return place(order)
    })
  }
}

/** The record that lets the CA issue (RFC 8659), by the name the CA's directory gives for it (RFC 8555 section 7.1.1). */
async function withCaaAdvice({ axios }: Acme, options: AuthorityOptions, cause: Error): Promise<Error> {
  const directory = await axios.get(directoryOf(options)).catch(() => null)
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
