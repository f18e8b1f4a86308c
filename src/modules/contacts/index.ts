// Contacts: people whom an account may write to, with the proof that they want it (double opt-in).
//
// - A contact waits as `pending_confirmation` until the button of the page behind its mail is pressed; fetching the page
//   changes nothing, whoever fetches it. Confirming happens once and writes `contact.confirmed` in its transaction.
// - The mail takes the path of every send. It, the contact and the count of mails to that address are one transaction.
// - Links are authenticated, hold no address and work for 7 days. One is asked again 3 times at most, once an hour; to one
//   address 3 confirmation mails go in a week, over all accounts: past that the contact is made and no mail goes.
// - Whether somebody has said no since, or cannot be reached, stands on the two lists alone; the status of a contact is
//   read from there. No link that was sent before signs them up again.
// - The evidence is kept as it was given: where the consent came from, its words, its time, and who pressed the button.
// - Removing a contact leaves the lists; erasing takes its address off them and leaves a salted hash there.

import type { Database } from '../../platform/db.ts'
import type { AnyEndpoint } from '../../platform/http.ts'
import type { AskContext } from './ask.ts'
import { MAILS_COUNT_MS } from './limits.ts'
import { contactRoutes } from './routes.ts'
import { type ConfirmRoutesOptions, confirmRoutes } from './routes-confirm.ts'
import { importRoutes } from './routes-import.ts'
import { forgetMails } from './sql.ts'
import { confirmationTokens } from './tokens.ts'

export type ContactsOptions = Omit<AskContext & ConfirmRoutesOptions, 'tokens'>

export function contactsEndpoints(options: ContactsOptions): readonly AnyEndpoint[] {
  const context = { ...options, tokens: confirmationTokens(options.secrets) }
  return [...contactRoutes(context), ...importRoutes(context), ...confirmRoutes(context)]
}

/** Takes away counts that have no effect any more. @returns how many; `limit` means that there may be more */
export function forgetConfirmationMails(db: Database['system'], now: Date, limit: number): Promise<number> {
  return db.execute(forgetMails, [new Date(now.getTime() - MAILS_COUNT_MS), limit])
}
