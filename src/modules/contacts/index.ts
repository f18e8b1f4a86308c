// Contacts: people an account may write to, with the proof that they want it (double opt-in).
//
// - A contact stays `pending_confirmation` until somebody presses the button on the page its mail links to. Fetching the
//   page changes nothing. Confirming happens once and writes `contact.confirmed` in the same transaction.
// - The mail takes the path of every send. Mail, contact and the count of mails to that address are one transaction.
// - Links are authenticated, hold no address and work for 7 days. A contact is asked again at most 3 times, once an hour. At
//   most 3 confirmation mails a week go to one address, over all accounts; past that, the contact is created without a mail.
// - Only the two lists record whether somebody has said no since or cannot be reached; a contact's status is read from
//   them. No link sent earlier signs them up again.
// - The evidence is kept as given: the source of the consent, its text, its time, and who pressed the button.
// - Removing a contact leaves its list entries. Erasing it erases the recipient (suppression/erasures.ts).

import type { Database } from '../../platform/db.ts'
import type { AnyEndpoint } from '../../platform/http.ts'
import type { OptInContext } from './double-opt-in.ts'
import { MAILS_COUNT_MS } from './limits.ts'
import { contactRoutes } from './routes.ts'
import { type ConfirmRoutesOptions, confirmRoutes } from './routes-confirm.ts'
import { importRoutes } from './routes-import.ts'
import { forgetMails } from './sql.ts'
import { confirmationTokens } from './tokens.ts'

export { contactTables } from './account-tables.ts'
export { forgetContact } from './contacts.ts'
export type ContactsOptions = Omit<OptInContext & ConfirmRoutesOptions, 'tokens'>

export function contactsEndpoints(options: ContactsOptions): readonly AnyEndpoint[] {
  const context = { ...options, tokens: confirmationTokens(options.secrets) }
  return [...contactRoutes(context), ...importRoutes(context), ...confirmRoutes(context)]
}

/** Deletes counts that have no effect any more. @returns how many; `limit` means there may be more */
export function forgetConfirmationMails(db: Database['system'], now: Date, limit: number): Promise<number> {
  return db.execute(forgetMails, [new Date(now.getTime() - MAILS_COUNT_MS), limit])
}
