// Stored emails in the form that other rooms need, composed from the rooms below. A part of the composition root.

import type { StoredEmails } from '../modules/bounces/index.ts'
import type { Composer } from '../modules/delivery/index.ts'
import type { SenderDomains } from '../modules/domains/index.ts'
import {
  emailErrors,
  fetchBody,
  fetchQueuedEmails,
  lockReportedEmail,
  markBounced,
  markComplained,
  type ReportedEmail,
} from '../modules/outbox/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/db.ts'

const MAX_BODY_BYTES = 2_147_483_647
/** As long as a return path is valid. */
const REPORTS_MATCHED_MS = 60 * 86_400_000

/** The outbox as seen by the bounces room, which may not depend on it. */
export function reportedEmails(clock: Clock): StoredEmails<ReportedEmail> {
  return {
    byToken: lockReportedEmail,
    byMessageId: (db, accountId, messageId, recipientKey) => {
      const since = new Date(clock.now().getTime() - REPORTS_MATCHED_MS)
      return lockReportedEmail(db, { accountId, messageId, recipientKey, since })
    },
    markBounced,
    markComplained,
  }
}

interface ComposeParts {
  readonly database: Database
  readonly composer: Composer
  readonly senders: SenderDomains
}

/** An email as the recipient gets it: composed and signed as by delivery, with the same bytes. */
export async function composedEmail(
  { database, composer, senders }: ComposeParts,
  accountId: string,
  id: string,
): Promise<Buffer> {
  const [email] = await fetchQueuedEmails(database.system, [{ id, accountId }], MAX_BODY_BYTES)
  if (email === undefined) throw emailErrors.not_found()
  // A body stored in pieces is not fetched with the email, whatever its size.
  const body = email.body ?? (await fetchBody(database.system, email))
  if (body === null) throw emailErrors.not_found()
  const { domainId } = email
  const key = domainId === null ? null : (await senders.signingKeys(database.system, [domainId])).get(domainId)
  return (await composer.compose(email, body, key ?? null)).message
}
