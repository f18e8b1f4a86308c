// What is not tried. It ends: its address is on a list, its domain was removed, its time is over. Or it waits, since its domain
// may not send: the operator has suspended it, or it is not verified, any more, and its account sends from verified domains
// alone. What waits is looked at again at the times of the schedule and once an hour, and ends at its time as all mail does.

import type { Db } from '../../platform/db.ts'
import type { Claimed } from '../outbox/index.ts'
import { conclusionOfExpired } from './overdue.ts'
import { type Conclusion, type Context, endedUntried, putOff } from './results.ts'
import type { SigningKey } from './types.ts'

export interface UntriedOptions {
  readonly db: Db
  /** Whether the account sends from verified domains alone; absent: none does. */
  readonly enforcesVerification?: (accountId: string) => Promise<boolean>
}

interface Asked {
  readonly claimed: Pick<Claimed, 'blocked'>
  /** Null: of no domain, or of one that was removed. */
  readonly key: SigningKey | null
}

/** @returns null: it is to be tried */
export async function concludedUntried(
  options: UntriedOptions,
  context: Context,
  { claimed, key }: Asked,
): Promise<Conclusion | null> {
  const { letter, sandbox, now } = context
  if (claimed.blocked !== null) return endedUntried(context, { status: 'suppressed', reason: claimed.blocked })
  if (letter.domainId !== null && key === null) {
    return endedUntried(context, { status: 'failed', reason: 'domain_removed' })
  }
  if (letter.expiresAt <= now) return conclusionOfExpired(options.db, context)
  if (key?.status === 'suspended') return putOff(context, 'the operator has suspended the sending domain')
  // Sandbox mail is taken from any domain.
  if (key?.isActive !== false || sandbox) return null
  const isEnforced = await options.enforcesVerification?.(letter.accountId)
  return isEnforced === true ? putOff(context, 'the sending domain is not verified') : null
}
