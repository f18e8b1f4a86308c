// Unsubscribing by mail: a message to the signed address of a mail unsubscribes its recipient. While the database is down the
// promise rejects, and the sender's server tries the message again.
//
// The address names the mail and has no room for its recipient (RFC 5321 section 4.5.3.1.1). The recipient comes from the
// mail's row. Once that is deleted, it comes from the token that our link put into the subject, which must belong to the same
// mail. Nothing else in the message is read.

import { readUnsubscribeAddress, type VerpIds, type VerpMac } from '../../mail/verp.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import { unsubscribeByLink } from '../suppression/index.ts'
import type { Tokens } from './tokens.ts'
import type { EmailLedger, MailedEmail } from './types.ts'

/** Stands before the token in the subject. */
export const UNSUBSCRIBE_SUBJECT = 'unsubscribe'
const SUBJECT = /^\s*unsubscribe\s+([\w\s-]+)$/i

export interface MailOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly ledger: Pick<EmailLedger, 'byToken'>
  readonly unsubscribeMac: VerpMac
  readonly tokens: Pick<Tokens, 'read'>
}

/**
 * Carries out the unsubscribe.
 *
 * @param subject decoded header value
 * @returns false when nothing is known of the mail any more, and so the recipient is unknown
 */
export type UnsubscribeMail = (subject: string) => Promise<boolean>

/** @returns null when the local part is not one of our unsubscribe addresses */
export function unsubscribeByMail(
  { database, clock, ids, ledger, unsubscribeMac, tokens }: MailOptions,
  localPart: string,
): UnsubscribeMail | null {
  const key = readUnsubscribeAddress(unsubscribeMac, localPart)
  if (key === null) return null
  return (subject) =>
    database.transaction(async (db) => {
      const email = (await ledger.byToken(db, key)) ?? mailOfToken(tokens, subject, key)
      if (email === null) return false
      const { accountId, emailId, recipientKey: recipient, domainId, stream, sandbox, tag } = email
      const mail = { emailId, domainId, stream, tag }
      await unsubscribeByLink(
        db,
        { ids, clock },
        { accountId, recipient, sandbox, source: 'mailto', reason: null, mail },
      )
      return true
    })
}

/** The facts from the token in the subject; null: no valid one. Some programs fold long words, so whitespace is removed. */
function mailOfToken(tokens: Pick<Tokens, 'read'>, subject: string, key: VerpIds): MailedEmail | null {
  const [, text = ''] = SUBJECT.exec(subject) ?? []
  const token = tokens.read('unsubscribe', text.replaceAll(/\s/g, ''))
  if (token === null || token.emailId !== key.emailId) return null
  const { accountId, emailId, domainId, stream, sandbox, recipient: recipientKey } = token
  if (accountId < key.firstAccountId || accountId > key.lastAccountId) return null
  return { accountId, emailId, domainId, recipientKey, stream, sandbox, tag: null }
}
