// Unsubscribing by mail: whoever writes to the signed address of a mail asks to get no more. A database that is away
// rejects, and the mail comes again.
//
// The address names the mail and has no room for its recipient (RFC 5321 section 4.5.3.1.1). That is told by the mail's row, and
// when this is kept no longer by the token that our link put into the subject, which has to be of the same mail. Nothing else of
// what they write is read.

import { readUnsubscribeAddress, type VerpIds, type VerpMac } from '../../mail/verp.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import { unsubscribe } from '../suppression/index.ts'
import type { Tokens } from './tokens.ts'
import type { EmailLedger, MailedEmail } from './types.ts'

/** Before the token, in the subject of the link. */
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
 * Carries it out.
 *
 * @param subject decoded
 * @returns false when nothing is known of the mail any more: whose address it was cannot be told
 */
export type UnsubscribeMail = (subject: string) => Promise<boolean>

/** @returns null when the local part is no unsubscribe address of ours */
export function unsubscribeByMail(
  { database, clock, ids, ledger, unsubscribeMac, tokens }: MailOptions,
  localPart: string,
): UnsubscribeMail | null {
  const key = readUnsubscribeAddress(unsubscribeMac, localPart)
  if (key === null) return null
  return (subject) =>
    database.transaction(async (db) => {
      const email = (await ledger.byToken(db, key)) ?? told(tokens, subject, key)
      if (email === null) return false
      const { accountId, emailId, recipientKey: recipient, domainId, stream, sandbox, tag } = email
      const mail = { emailId, domainId, stream, tag }
      await unsubscribe(db, { ids, clock }, { accountId, recipient, sandbox, source: 'mailto', reason: null, mail })
      return true
    })
}

/** What the subject tells of the mail. Long words are folded by some programs. */
function told(tokens: Pick<Tokens, 'read'>, subject: string, key: VerpIds): MailedEmail | null {
  const [, text = ''] = SUBJECT.exec(subject) ?? []
  const token = tokens.read('unsubscribe', text.replaceAll(/\s/g, ''))
  if (token === null || token.emailId !== key.emailId) return null
  const { accountId, emailId, domainId, stream, sandbox, recipient: recipientKey } = token
  if (accountId < key.firstAccountId || accountId > key.lastAccountId) return null
  return { accountId, emailId, domainId, recipientKey, stream, sandbox, tag: null }
}
