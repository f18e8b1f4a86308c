// Unsubscribing by mail: whoever writes to the signed address of a mail asks to get no more. Nothing of what they write
// is read. A database that is away rejects, and the mail comes again.

import { readUnsubscribeAddress, type VerpMac } from '../../mail/verp.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import { unsubscribe } from '../suppression/index.ts'
import type { EmailLedger } from './types.ts'

export interface MailOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly ledger: Pick<EmailLedger, 'byToken'>
  readonly unsubscribeMac: VerpMac
}

/** @returns null when the local part is no unsubscribe address of ours; else what carries it out */
export function unsubscribeByMail(
  { database, clock, ids, ledger, unsubscribeMac }: MailOptions,
  localPart: string,
): (() => Promise<void>) | null {
  const key = readUnsubscribeAddress(unsubscribeMac, localPart)
  if (key === null) return null
  return () =>
    database.transaction(async (db) => {
      const email = await ledger.byToken(db, key)
      if (email === null) return
      const { accountId, emailId, recipientKey: recipient, domainId, stream, sandbox, tag } = email
      const mail = { emailId, domainId, stream, tag }
      await unsubscribe(db, { ids, clock }, { accountId, recipient, sandbox, source: 'mailto', reason: null, mail })
    })
}
