// What the outbox asks the other rooms before it sends an ended email anew. A part of the composition root.

import { ownedDomains } from '../modules/domains/index.ts'
import type { RetryOptions } from '../modules/outbox/index.ts'
import type { RiskRoom } from '../modules/risk/index.ts'

/**
 * Sending an ended email anew is a send. What no send may reach, a spam trap or a recipient who complained, it does not reach
 * either, whatever was taken off the lists. A hard bounce does not hold it back: asking for it overrides that. Delivery would
 * end the mail of a removed domain at once; when the domain is added again, it is another one, with its own keys.
 */
export function retryRefusal(recipientRefusal: RiskRoom['recipientRefusal']): RetryOptions['retryRefusal'] {
  return async (db, { accountId, domainId, recipient, sandbox }, now) => {
    if (domainId !== null && (await ownedDomains(db, accountId, [domainId])).size === 0)
      return { message: 'The sending domain of the email was removed: send the email again', details: {} }
    const refusal = sandbox ? null : await recipientRefusal(db, { accountId, recipient }, now)
    return refusal === null
      ? null
      : { message: `${refusal.message} (${refusal.code})`, details: { reason_code: refusal.code } }
  }
}
