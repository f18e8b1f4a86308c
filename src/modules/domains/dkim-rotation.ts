// Replacing the DKIM keys of a domain without an unsigned mail, and without one whose key nobody finds: the next keys wait under
// a selector of their own, mail is signed with the current ones until a check finds the next RSA record, and from then on
// with the next. That check does it in the transaction that judges it. The replaced private keys are erased then; their
// records should stay in the DNS while receivers and forwarders may still verify mail that was signed with them.

import { checkDkimKey, checkEd25519, type DomainIdentity } from '../../mail/dns/records.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { Resolver } from '../../platform/dns.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { found, type Holder, requireHeld } from './holder.ts'
import { type KeyMaker, newDomainKeys } from './keys.ts'
import * as sql from './sql.ts'
import { latestChecks } from './states.ts'
import { type Domain, type DomainFindings, domainOf } from './types.ts'

const DAY_MS = 86_400_000
/** A mail can wait for days in a queue or at a forwarder before its signature is verified (RFC 5321 section 4.5.4.1: 4-5 days). */
const KEEP_RECORD_DAYS = 7

export interface DkimRotationOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly secrets: Secrets
}

/** Until when the records of the replaced keys should stay in the DNS. */
export function keepRecordUntil(replacedAt: Date): Date {
  return new Date(replacedAt.getTime() + KEEP_RECORD_DAYS * DAY_MS)
}

/** Makes the next keys; those of a replacement under way stay as they are. @throws not_found, service_unavailable */
export async function beginDkimRotation(
  options: DkimRotationOptions,
  makeKey: KeyMaker,
  holder: Holder,
  id: string,
): Promise<Domain> {
  requireHeld(holder, id)
  const { database, clock } = options
  const { accountId } = holder
  // Before the keys are made, which takes long; the lock below decides.
  const current = await database.tenant(accountId, async (db) => found(await db.one(sql.byId, [accountId, id])))
  if (current.dkimRotation !== null) return current
  const keys = await newDomainKeys(options, makeKey, current.id)
  return database.tenant(accountId, async (db) => {
    const locked = found(await db.one(sql.lock, [accountId, id]))
    if (locked.dkimRotation !== null) return locked
    const now = clock.now()
    return found(
      await db.one(sql.beginDkimRotation, [
        accountId,
        id,
        keys.selector,
        keys.publicKey,
        keys.sealedPrivateKey,
        keys.ed25519PublicKey,
        keys.sealedEd25519PrivateKey,
        now,
        latestChecks(now).often,
      ]),
    )
  })
}

/** Drops the next keys; without any, nothing changes. @throws not_found */
export function cancelDkimRotation({ database }: DkimRotationOptions, holder: Holder, id: string): Promise<Domain> {
  requireHeld(holder, id)
  const { accountId } = holder
  return database.tenant(accountId, async (db) => found(await db.one(sql.cancelDkimRotation, [accountId, id])))
}

/** Checks the records of the next keys. No DNS response makes it throw. */
export async function checkNextKeys(
  identity: DomainIdentity | null,
  resolver: Resolver,
  signal: AbortSignal,
): Promise<DomainFindings['rotation']> {
  if (identity === null) return null
  const [dkim, ed25519] = await Promise.all([
    checkDkimKey(identity, resolver, signal),
    checkEd25519(identity, resolver, signal),
  ])
  return { selector: identity.dkimSelector, dkim, ed25519 }
}

/**
 * Puts the next keys in the place of the current ones if their RSA record was found, or keeps what was found.
 *
 * @param locked the domain, whose row the caller's transaction has locked
 * @returns the domain, and the findings about the keys that it has now
 */
export async function settleDkimRotation(
  db: Db,
  locked: Domain,
  findings: DomainFindings,
  now: Date,
): Promise<{ readonly domain: Domain; readonly findings: DomainFindings }> {
  const { rotation } = findings
  // Keys of a replacement that was cancelled since the DNS was asked count for nothing.
  if (rotation === null || rotation.selector !== locked.dkimRotation?.selector) {
    return { domain: locked, findings }
  }
  const { accountId, id, name } = locked
  if (rotation.dkim.status !== 'valid') {
    const { dkim, ed25519 } = rotation
    await db.execute(sql.keepDkimRotationChecks, [accountId, id, JSON.stringify(dkim), JSON.stringify(ed25519)])
    return { domain: locked, findings }
  }
  await db.execute(sql.finishDkimRotation, [accountId, id, now])
  await db.query(sql.notify, [accountId, name])
  const checks = { ...findings.checks, dkim: rotation.dkim }
  return {
    domain: domainOf((await db.one<sql.DomainRow>(sql.byId, [accountId, id])) as sql.DomainRow),
    findings: { ...findings, checks, ed25519: rotation.ed25519 },
  }
}
