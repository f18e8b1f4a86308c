import type { Refusal } from '../suppression/index.ts'
import type { RiskFacts } from './verdict.ts'

type RecipientFacts = Pick<RiskFacts, 'spamtrap' | 'complained' | 'hardBounced' | 'listed' | 'onList'>

/**
 * What the two lists say of a recipient. Where one of the documented codes explains the entry it is that code; every
 * other reason gives one of the additive codes.
 */
export function recipientFacts(refusal: Refusal | null): RecipientFacts {
  const nothing = { spamtrap: false, complained: false, hardBounced: false, listed: null, onList: refusal !== null }
  if (refusal === null) return nothing
  if (refusal.list === 'unsubscribe') return { ...nothing, listed: 'unsubscribed' }
  switch (refusal.reason) {
    case 'spamtrap':
      return { ...nothing, spamtrap: true }
    case 'complaint':
      return { ...nothing, complained: true }
    case 'hard_bounce':
      return { ...nothing, hardBounced: true }
    case 'manual':
    case 'repeated_soft_bounce':
      return { ...nothing, listed: 'suppressed' }
  }
}
