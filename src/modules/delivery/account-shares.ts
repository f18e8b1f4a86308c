// How much mail to one person each account has in the process. Accounts that have less than the average go ahead of the walk over
// ready mail (claims.ts).

import type { Claimed } from '../outbox/index.ts'

type Mail = Pick<Claimed, 'accountId' | 'bulk'>

export interface AccountShares {
  enter(mail: Mail): void
  leave(mail: Mail): void
  /** The accounts with the average or more. */
  ample(): readonly string[]
}

/** One email more or less is no difference. */
const LEAST_AMPLE = 2

export function accountShares(): AccountShares {
  const held = new Map<string, number>()
  let all = 0
  const change = ({ accountId, bulk }: Mail, by: 1 | -1): void => {
    if (bulk) return
    const count = (held.get(accountId) ?? 0) + by
    all += by
    if (count === 0) held.delete(accountId)
    else held.set(accountId, count)
  }
  return {
    enter: (mail) => change(mail, 1),
    leave: (mail) => change(mail, -1),
    ample: () => {
      const least = Math.max(LEAST_AMPLE, all / held.size)
      return [...held].flatMap(([accountId, count]) => (count >= least ? [accountId] : []))
    },
  }
}
