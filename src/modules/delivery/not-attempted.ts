// Decides which mail is not tried. Mail ends when its address is suppressed, its domain was removed, or its time is over. It
// waits while its domain may not send: the operator has suspended it, its signing key cannot be read, or it is not (or no longer)
// verified and its account may send only from verified domains. So does live mail where nothing leaves the machine: it was accepted
// in another mode, or by a process with another, and nobody must be told that it was delivered. Waiting mail is checked at the times
// of the schedule and once an hour; it ends at its time.

import type { Db } from '../../platform/db.ts'
import { type Claimed, lastAttempts, type QueuedEmail } from '../outbox/index.ts'
import type { DeliveryOptions } from './options.ts'
import { type Conclusion, type Context, deferredWithoutAttempt, endedWithoutAttempt, expired } from './results.ts'
import type { SigningKey } from './types.ts'

export interface UntriedOptions extends Pick<DeliveryOptions, 'mode' | 'enforcesVerification' | 'inboxOwner'> {
  readonly db: Db
}

interface Asked {
  readonly claimed: Pick<Claimed, 'blocked'>
  /** Null: the mail has no domain, or its domain was removed. */
  readonly key: SigningKey | null
}

/** Ends mail that may not be sent at any time. @returns null: neither is its address suppressed nor its domain removed */
export function concludedAsNeverSent(
  context: Context,
  { claimed, isDomainRemoved }: Pick<Asked, 'claimed'> & { readonly isDomainRemoved: boolean },
): Conclusion | null {
  if (claimed.blocked !== null) return endedWithoutAttempt(context, { status: 'suppressed', reason: claimed.blocked })
  return isDomainRemoved ? endedWithoutAttempt(context, { status: 'failed', reason: 'domain_removed' }) : null
}

/** The conclusion about an email that was claimed after its time. */
export async function conclusionOfExpired(db: Db, context: Context): Promise<Conclusion> {
  const lasts = await lastAttempts(db, [context.email])
  return expired(context, lasts.get(context.email.id) ?? null)
}

/** @returns null: the email is to be tried */
export async function concludedWithoutAttempt(
  options: UntriedOptions,
  context: Context,
  { claimed, key }: Asked,
): Promise<Conclusion | null> {
  const { email, sandbox, now } = context
  const never = concludedAsNeverSent(context, { claimed, isDomainRemoved: email.domainId !== null && key === null })
  if (never !== null) return never
  if (email.expiresAt <= now) return conclusionOfExpired(options.db, context)
  if (options.mode === 'sandbox' && !email.sandbox && !isNotice(options, email))
    return deferredWithoutAttempt(context, 'this server is in sandbox mode, and the mail is to be delivered')
  if (key?.status === 'suspended')
    return deferredWithoutAttempt(context, 'the operator has suspended the sending domain')
  if (key?.privateKey === null)
    return deferredWithoutAttempt(context, 'the signing key of the sending domain is damaged')
  // Sandbox mail is taken from any domain.
  if (key?.isActive !== false || sandbox) return null
  const isEnforced = await options.enforcesVerification?.(email.accountId)
  return isEnforced === true ? deferredWithoutAttempt(context, 'the sending domain is not verified') : null
}

/** A notice about an account, which that account's inbox shows in sandbox mode. */
function isNotice({ inboxOwner }: UntriedOptions, email: QueuedEmail): boolean {
  return inboxOwner !== undefined && inboxOwner(email) !== email.accountId
}
