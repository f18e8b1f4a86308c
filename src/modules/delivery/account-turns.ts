// Mail of all accounts that waits for the same places: accounts take turns, and of each goes mail to one person before mail to
// many, in order. An account that sends much is not ahead of others by having come first.

import { type WaitingMail, waitingMail } from './waiting-mail.ts'

interface Mail {
  readonly accountId: string
  readonly bulk: boolean
}

export interface AccountTurns<One extends Mail> {
  add(mail: One): void
  next(): One | undefined
}

export function accountTurns<One extends Mail>(): AccountTurns<One> {
  /** Those with waiting mail, the next one first. */
  const accounts = new Map<string, WaitingMail<One>>()
  return {
    add: (mail) => {
      const own = accounts.get(mail.accountId) ?? waitingMail<One>(({ bulk }) => bulk)
      own.add(mail)
      accounts.set(mail.accountId, own)
    },
    next: () => {
      const [first] = accounts
      if (first === undefined) return undefined
      const [accountId, own] = first
      const mail = own.next()
      accounts.delete(accountId)
      if (own.length > 0) accounts.set(accountId, own)
      return mail
    },
  }
}
