// Certificates of verified tracking domains, by ACME (RFC 8555) with HTTP-01. Asked for after verification and renewed at
// two thirds of their life, never because a name was asked for in a handshake. A row is leased by its due time: several
// machines share the work, and one that dies delays it by ten minutes. The challenge stands in the database, so any
// machine that answers for the name answers it. After a failure the wait doubles up to a day; the certificate in hand
// goes on being served. Account key and private keys are sealed.

import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import acme from 'acme-client'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { type Loop, loop } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { NameRow, Names } from './names.ts'
import * as sql from './sql-names.ts'

export interface CertificateOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly secrets: Secrets
  readonly names: Pick<Names, 'verify'>
  /** Null: Let's Encrypt. */
  readonly directory: string | null
  /** A file with the certificate authority of the CA's own server; null: the public ones. */
  readonly caFile: string | null
  /** Whom the CA may write to; null: nobody. */
  readonly email: string | null
}

export const CERTIFICATE_KEY = 'tracking certificate'
const ACCOUNT_KEY = 'acme account'
const LEASE_MS = 600_000
const ISSUE_WITHIN_MS = 180_000
const CHALLENGE_MS = 3_600_000
const FIRST_WAIT_MS = 60_000
const LONGEST_WAIT_MS = 86_400_000
const IDLE_MS = 5_000
const REQUEST_WITHIN_MS = 30_000
const RENEW_AT = 2 / 3
const MAX_ERROR_CHARS = 500

export function certificateLoop(options: CertificateOptions): Loop {
  const { log } = options
  return loop({
    name: 'tracking certificates',
    turn: async () => ((await certificateDue(options)) ? 0 : IDLE_MS),
    onError: (err) => log.warn({ err }, 'certificates will be tried again'),
    retryMs: IDLE_MS,
  })
}

/** @returns false when no name wants a certificate now */
export async function certificateDue(options: CertificateOptions): Promise<boolean> {
  const { database, clock, log, secrets, names } = options
  const now = clock.now()
  const row = await database.system.one<NameRow>(sql.dueCertificate, [now, new Date(now.getTime() + LEASE_MS)])
  if (row === null) return false
  try {
    const checked = await names.verify(row.account_id, row.id)
    if (checked.verified_at === null) return true
    const { certificate, privateKey } = await issued(options, row.name)
    const { notBefore, notAfter } = acme.crypto.readCertificateInfo(certificate)
    const lifeMs = notAfter.getTime() - notBefore.getTime()
    await database.system.execute(sql.certificateIssued, [
      row.id,
      certificate,
      secrets.seal(CERTIFICATE_KEY, row.id, privateKey),
      notAfter,
      new Date(notBefore.getTime() + lifeMs * RENEW_AT),
      clock.now(),
    ])
    log.info({ tracking_domain_id: row.id, expires_at: notAfter }, 'certificate issued')
  } catch (err) {
    const failedAt = clock.now()
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** row.ssl_failures)
    log.warn({ err, tracking_domain_id: row.id, wait_ms: waitMs }, 'no certificate')
    const dueAt = new Date(failedAt.getTime() + waitMs)
    await database.system.execute(sql.certificateFailed, [row.id, told(err), dueAt, failedAt])
  }
  return true
}

/** What the CA said, for the customer to read. */
function told(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replaceAll('\0', '').toWellFormed().slice(0, MAX_ERROR_CHARS)
}

interface Issued {
  /** PEM, the chain. */
  readonly certificate: string
  /** PEM. */
  readonly privateKey: Buffer
}

async function issued(options: CertificateOptions, name: string): Promise<Issued> {
  const { database, clock } = options
  const directoryUrl = options.directory ?? acme.directory.letsencrypt.production
  const client = await clientOf(options, directoryUrl)
  const key = await acme.crypto.createPrivateEcdsaKey('P-256')
  const [privateKey, csr] = await acme.crypto.createCsr({ commonName: name, altNames: [name] }, key)
  const work = client.auto({
    csr,
    termsOfServiceAgreed: true,
    ...(options.email !== null && { email: options.email }),
    challengePriority: ['http-01'],
    // The CA asks by itself; asking ourselves would need a way out to our own public address.
    skipChallengeVerification: true,
    challengeCreateFn: async (_, { token }, keyAuthorization) => {
      const until = new Date(clock.now().getTime() + CHALLENGE_MS)
      await database.system.execute(sql.addChallenge, [token, keyAuthorization, until])
    },
    challengeRemoveFn: async (_, { token }) => {
      await database.system.execute(sql.removeChallenge, [token, clock.now()])
    },
  })
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('the CA took too long')), ISSUE_WITHIN_MS)
  try {
    const certificate = await Promise.race([work, late.promise])
    await database.system.execute(sql.setAcmeAccountUrl, [directoryUrl, client.getAccountUrl()])
    return { certificate, privateKey }
  } finally {
    clearTimeout(timer)
    work.catch(() => undefined)
  }
}

async function clientOf({ database, secrets, caFile }: CertificateOptions, directoryUrl: string): Promise<acme.Client> {
  const fresh = await acme.crypto.createPrivateEcdsaKey('P-256')
  await database.system.execute(sql.addAcmeAccount, [directoryUrl, secrets.seal(ACCOUNT_KEY, directoryUrl, fresh)])
  const account = await database.system.one<{ private_key: Buffer; url: string | null }>(sql.acmeAccount, [
    directoryUrl,
  ])
  if (account === null) throw new Error('the ACME account vanished')
  acme.axios.defaults.timeout = REQUEST_WITHIN_MS
  if (caFile !== null) acme.axios.defaults.httpsAgent = new Agent({ ca: readFileSync(caFile) })
  return new acme.Client({
    directoryUrl,
    accountKey: secrets.open(ACCOUNT_KEY, directoryUrl, account.private_key),
    ...(account.url !== null && { accountUrl: account.url }),
  })
}
