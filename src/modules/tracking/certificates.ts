// Certificates, by ACME (order.ts): of verified tracking domains, and of the public URL's own host when that is https and
// the operator gave no certificate. Asked for after verification and renewed at two thirds of their life, never because a
// name was asked for in a handshake. A row is leased by its due time: several machines share the work, and one that dies
// delays it by ten minutes. After a failure the wait doubles up to a day; the certificate in hand goes on being served.
// An account gets at most 20 new certificates a day.

import { type Loop, loop } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import type { NameRow, Names } from './names.ts'
import { type OrderOptions, orderCertificate, told, waitAfter } from './order.ts'
import * as sql from './sql-names.ts'

export interface CertificateOptions extends OrderOptions {
  readonly log: Logger
  readonly names: Pick<Names, 'check'>
  /** The public URL's host; null: it needs no certificate of ours. */
  readonly ownName: string | null
}

export const CERTIFICATE_KEY = 'tracking certificate'
export const OWN_CERTIFICATE_KEY = 'own certificate'
const LEASE_MS = 600_000
const IDLE_MS = 5_000
const DAY_MS = 86_400_000
const NEW_A_DAY = 20

export function certificateLoop(options: CertificateOptions): Loop {
  const { log } = options
  return loop({
    name: 'certificates',
    turn: async () => ((await ownCertificateDue(options)) || (await certificateDue(options)) ? 0 : IDLE_MS),
    onError: (err) => log.warn({ err }, 'certificates will be tried again'),
    retryMs: IDLE_MS,
  })
}

/** @returns false when no name wants a certificate now */
export async function certificateDue(options: CertificateOptions): Promise<boolean> {
  const { database, clock, log, secrets, names } = options
  const now = clock.now()
  const row = await database.system.one<NameRow>(sql.dueCertificate, [
    now,
    new Date(now.getTime() + LEASE_MS),
    new Date(now.getTime() - DAY_MS),
    NEW_A_DAY,
  ])
  if (row === null) return false
  try {
    const checked = await names.check(row.account_id, row.id)
    if (checked.verified_at === null) return true
    const { certificate, privateKey, expiresAt, renewAt } = await orderCertificate(options, row.name)
    const key = secrets.seal(CERTIFICATE_KEY, row.id, privateKey)
    await database.system.execute(sql.certificateIssued, [row.id, certificate, key, expiresAt, renewAt, clock.now()])
    log.info({ tracking_domain_id: row.id, expires_at: expiresAt }, 'certificate issued')
  } catch (err) {
    const failedAt = clock.now()
    const waitMs = waitAfter(row.ssl_failures)
    log.warn({ err, tracking_domain_id: row.id, wait_ms: waitMs }, 'no certificate')
    const dueAt = new Date(failedAt.getTime() + waitMs)
    await database.system.execute(sql.certificateFailed, [row.id, told(err), dueAt, failedAt])
  }
  return true
}

/** @returns false when the public URL's host wants no certificate now */
export async function ownCertificateDue(options: CertificateOptions): Promise<boolean> {
  const { database, clock, log, secrets, ownName } = options
  if (ownName === null) return false
  const now = clock.now()
  const lease = new Date(now.getTime() + LEASE_MS)
  await database.system.execute(sql.addOwnCertificate, [ownName, now])
  const row = await database.system.one<{ failures: number }>(sql.dueOwnCertificate, [ownName, now, lease])
  if (row === null) return false
  try {
    const { certificate, privateKey, expiresAt, renewAt } = await orderCertificate(options, ownName)
    const key = secrets.seal(OWN_CERTIFICATE_KEY, ownName, privateKey)
    await database.system.execute(sql.ownCertificateIssued, [ownName, certificate, key, expiresAt, renewAt])
    log.info({ host: ownName, expires_at: expiresAt }, "certificate of the public URL's host issued")
  } catch (err) {
    const waitMs = waitAfter(row.failures)
    log.warn({ err, host: ownName, wait_ms: waitMs }, "no certificate for the public URL's host")
    await database.system.execute(sql.ownCertificateFailed, [ownName, new Date(clock.now().getTime() + waitMs)])
  }
  return true
}
