// Certificates by ACME (certificate-order.ts): for verified tracking domains, and for the public URL's host when that is https
// and the operator gave no certificate. They are ordered after verification and renewed when the CA suggests it (renewals.ts) or
// else at two thirds of their life, never because of a name in a handshake.
//
// Several machines share the work. A machine leases a row by moving its due time: if it crashes, the order is delayed by ten
// minutes; if it stops, it returns the lease. After a failure the wait doubles, up to a day; the existing certificate stays
// in use. While the CA is unreachable, one name a minute tries it on behalf of all that are due. When a CA asks to wait
// (acme-retry-after.ts), no machine asks it before that time, not even for a check by hand. The host's own certificate and
// those of the names do not wait for each other, nor do the names of different accounts: a machine orders for up to four
// accounts at a time, one name of each. An account gets at most 20 new certificates a day.

import { accountPlaces } from '../../platform/account-places.ts'
import type { Db } from '../../platform/db.ts'
import { loop, type Service, withWork } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import { ASKS_TO_WAIT, LONGEST_ASKED_MS, RetryAfterError } from './acme-retry-after.ts'
import {
  type AuthorityOptions,
  customerMessage,
  orderPause,
  pauseOrders,
  Unreachable,
} from './certificate-authority.ts'
import { FIRST_WAIT_MS, LONGEST_WAIT_MS, orderCertificate, waitAfter } from './certificate-order.ts'
import { recallRenewals, renewalService } from './renewals.ts'
import * as sql from './sql-tracking-domains.ts'
import type { TrackingDomains } from './tracking-domains.ts'

export interface CertificateOptions extends AuthorityOptions {
  readonly log: Logger
  readonly names: Pick<TrackingDomains, 'check'>
  /** The public URL's host; null: it needs no certificate of ours. */
  readonly ownName: string | null
}

export const CERTIFICATE_KEY = 'tracking certificate'
export const OWN_CERTIFICATE_KEY = 'own certificate'
const LEASE_MS = 600_000
const IDLE_MS = 5_000
const DAY_MS = 86_400_000
const NEW_A_DAY = 20
/** Orders of one machine at a time. A name whose order takes its two minutes must not hold up those of other accounts. */
export const MAX_ORDERS = 4

/** For the names, for the public URL's host when it needs a certificate, and for what the CA says about renewals. */
export function certificateServices(options: CertificateOptions): readonly Service[] {
  const own = options.ownName === null ? [] : [ownCertificate(options)]
  return [...own, certificatesOfNames(options), renewalService({ ...options, leaseEnd })]
}

/** Makes due what a clock that was ahead has put off for longer than anything is. */
export async function recallOrders(db: Db, now: Date): Promise<void> {
  const [lease, failed, asked] = [LEASE_MS, LONGEST_WAIT_MS, LONGEST_ASKED_MS].map(
    (waitMs) => new Date(now.getTime() + waitMs),
  )
  await db.execute(sql.recallOrders, [now, lease, failed, asked])
  await db.execute(sql.recallOwnCertificate, [now, lease, failed, asked, `${ASKS_TO_WAIT}%`])
  await db.execute(sql.recallAcmeHold, [asked])
  await db.execute(sql.recallNewCertificates, [now])
  await recallRenewals(db, now)
}

function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS)
}

function ownCertificate(options: CertificateOptions): Service {
  return loop({
    name: 'own certificate',
    turn: async (signal) => ((await ownCertificateDue(options, signal)) ? 0 : IDLE_MS),
    onError: (err) => options.log.warn({ err }, 'certificates will be tried again'),
    retryMs: IDLE_MS,
  })
}

function certificatesOfNames(options: CertificateOptions): Service {
  const onError = (err: unknown): void => options.log.warn({ err }, 'certificates will be tried again')
  /** One order of an account at a time. */
  const orders = accountPlaces({
    places: MAX_ORDERS,
    kept: MAX_ORDERS,
    together: 1,
    onFree: () => claiming.wake(),
  })
  const claiming = loop({
    name: 'certificates',
    turn: async (signal) => {
      const { count, except } = orders.free()
      if (count === 0) return IDLE_MS
      const row = await dueCertificate(options, except)
      if (row === null) return IDLE_MS
      orders.take(row.account_id, orderFor(options, row, signal).catch(onError))
      return 0
    },
    onError,
    retryMs: IDLE_MS,
  })
  return withWork(claiming, () => orders.over())
}

/** Leases a name that is due. @returns null when none is, or the CA asked to wait */
async function dueCertificate(
  { database, clock, ...options }: CertificateOptions,
  busyAccounts: readonly string[],
): Promise<sql.DueRow | null> {
  const held = await orderPause({ database, clock, ...options })
  const now = clock.now()
  if (held !== null) {
    await database.system.execute(sql.certificatesHeldUp, [held.why, held.until, now])
    return null
  }
  return database.system.one<sql.DueRow>(sql.dueCertificate, [
    now,
    leaseEnd(now),
    new Date(now.getTime() - DAY_MS),
    NEW_A_DAY,
    busyAccounts,
  ])
}

/** Orders the certificate of a leased name, and records the result. */
async function orderFor(options: CertificateOptions, row: sql.DueRow, signal: AbortSignal): Promise<void> {
  const { database, clock, log, secrets, names } = options
  try {
    const checked = await names.check(row.account_id, row.id)
    if (checked.verified_at === null) return
    const order = { name: row.name, replaces: row.ssl_certificate_id }
    const { certificate, privateKey, expiresAt, renewAt } = await orderCertificate(options, order, signal)
    const key = secrets.seal(CERTIFICATE_KEY, row.id, privateKey)
    await database.system.execute(sql.certificateIssued, [row.id, certificate, key, expiresAt, renewAt, clock.now()])
    log.info({ tracking_domain_id: row.id, expires_at: expiresAt }, 'certificate issued')
  } catch (err) {
    const failedAt = clock.now()
    const after = (waitMs: number): Date => new Date(failedAt.getTime() + waitMs)
    if (signal.aborted) {
      await database.system.execute(sql.certificateLeft, [row.id, failedAt])
      return
    }
    const asked = err instanceof RetryAfterError ? err : null
    const due = later(after(waitAfter(row.ssl_failures)), asked?.until)
    log.warn({ err, tracking_domain_id: row.id, wait_ms: due.getTime() - failedAt.getTime() }, 'no certificate')
    if (asked?.isForAll === true) await pauseOrders(options, asked)
    const failed = [row.id, customerMessage(err), due, failedAt, asked?.until ?? null]
    await database.system.execute(sql.certificateFailed, failed)
    if (err instanceof Unreachable)
      await database.system.execute(sql.certificatesHeldUp, [customerMessage(err), after(FIRST_WAIT_MS), failedAt])
  }
}

/** @returns false when the public URL's host is not due, or the CA asked to wait */
async function ownCertificateDue(options: CertificateOptions, signal: AbortSignal): Promise<boolean> {
  const { database, clock, log, secrets, ownName } = options
  if (ownName === null) return false
  const now = clock.now()
  const lease = leaseEnd(now)
  await database.system.execute(sql.addOwnCertificate, [ownName, now])
  const held = await orderPause(options)
  if (held !== null) {
    await database.system.execute(sql.ownCertificateHeldUp, [ownName, held.until, held.why, now])
    return false
  }
  const row = await database.system.one<sql.DueOwnRow>(sql.dueOwnCertificate, [ownName, now, lease])
  if (row === null) return false
  try {
    const order = { name: ownName, replaces: row.certificate_id }
    const { certificate, privateKey, expiresAt, renewAt } = await orderCertificate(options, order, signal)
    const key = secrets.seal(OWN_CERTIFICATE_KEY, ownName, privateKey)
    await database.system.execute(sql.ownCertificateIssued, [ownName, certificate, key, expiresAt, renewAt])
    log.info({ host: ownName, expires_at: expiresAt }, "certificate of the public URL's host issued")
  } catch (err) {
    const failedAt = clock.now()
    if (signal.aborted) {
      await database.system.execute(sql.ownCertificateLeft, [ownName, failedAt])
      return true
    }
    const asked = err instanceof RetryAfterError ? err : null
    const due = later(new Date(failedAt.getTime() + waitAfter(row.failures)), asked?.until)
    const waitMs = due.getTime() - failedAt.getTime()
    log.warn({ err, host: ownName, wait_ms: waitMs }, "no certificate for the public URL's host")
    if (asked?.isForAll === true) await pauseOrders(options, asked)
    await database.system.execute(sql.ownCertificateFailed, [ownName, due, customerMessage(err)])
  }
  return true
}

function later(a: Date, b: Date = a): Date {
  return a > b ? a : b
}

/** A certificate that ended earlier was reported, unless nothing ran all this time. */
const ENDED_MS = 30 * 86_400_000

/** Certificates of tracking domains whose renewal fails, but for those that ended more than 30 days ago. */
export async function endingCertificates(
  db: Db,
  now: Date,
): Promise<readonly { accountId: string; id: string; host: string; until: Date; failure: string }[]> {
  const rows = await db.query<sql.EndingRow>(sql.endingCertificates, [new Date(now.getTime() - ENDED_MS)])
  return rows.map(({ id, account_id: accountId, name: host, ssl_expires_at: until, ssl_error: failure }) => ({
    ...{ accountId, id, host, until, failure },
  }))
}

/** The verified tracking domains whose links cannot be branded, because no certificate could be ordered for them. */
export async function missingCertificates(
  db: Db,
  now: Date,
): Promise<{ verified: number; missing: number; example: { host: string; failure: string } | null }> {
  const row = await db.one<sql.MissingRow>(sql.missingCertificates, [now])
  const { verified = 0, missing = 0, name: host = null, ssl_error: failure = null } = row ?? {}
  return { verified, missing, example: host === null || failure === null ? null : { host, failure } }
}

export type OwnCertificateState = sql.OwnCertificateState

/** The state of the order for a host's own certificate; null: none was ordered. */
export function ownCertificateState(db: Db, host: string): Promise<OwnCertificateState | null> {
  return db.one<OwnCertificateState>(sql.ownCertificateState, [host])
}

/**
 * Makes a host's own certificate due now, after its last order failed. A CA that asked for a wait is still not asked before.
 *
 * @throws Error when there is nothing to retry
 */
export async function retryOwnCertificate(db: Db, host: string, now: Date): Promise<void> {
  const state = await ownCertificateState(db, host)
  if (state === null) throw new Error(`no certificate is ordered for ${host}, the host of POSTHORN_PUBLIC_URL`)
  if (state.error === null) throw new Error(`the last order of a certificate for ${host} did not fail`)
  await db.execute(sql.hurryOwnCertificate, [host, now])
}
