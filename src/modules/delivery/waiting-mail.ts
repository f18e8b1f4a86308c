// Mail that waits for a connection of one route: first mail to one person, then mail to many, each in order.

export interface WaitingMail<Mail> {
  readonly length: number
  add(mail: Mail): void
  /** Ahead of all that waits. */
  putBack(mail: Mail): void
  next(): Mail | undefined
  /** Takes all of it. */
  clear(): readonly Mail[]
}

/** @param isBulk whether the mail is one of many */
export function waitingMail<Mail>(isBulk: (mail: Mail) => boolean): WaitingMail<Mail> {
  let single: Mail[] = []
  let bulk: Mail[] = []
  return {
    get length() {
      return single.length + bulk.length
    },
    add: (mail) => void (isBulk(mail) ? bulk : single).push(mail),
    putBack: (mail) => void single.unshift(mail),
    next: () => single.shift() ?? bulk.shift(),
    clear: () => {
      const all = [...single, ...bulk]
      single = []
      bulk = []
      return all
    },
  }
}
