// How many of a pool's connections one account may have. With all of them in searches through its million emails, the pages
// of every other account would wait for a connection and be answered with 503. Work beyond the share waits in order.

/** @returns runs a piece of work of an account; it throws what the work throws, or an error of state 53300 past `withinMs` */
export function connectionShare(
  most: number,
  withinMs: number,
): <T>(accountId: string, work: () => Promise<T>) => Promise<T> {
  const accounts = new Map<string, { running: number; readonly waiting: (() => void)[] }>()
  return async (accountId, work) => {
    const account = accounts.get(accountId) ?? { running: 0, waiting: [] }
    accounts.set(accountId, account)
    if (account.running < most) account.running++
    else await turn(account.waiting, withinMs)
    try {
      return await work()
    } finally {
      const next = account.waiting.shift()
      if (next !== undefined) next()
      else if (--account.running === 0) accounts.delete(accountId)
    }
  }
}

/** Waits until one of those that are running hands on its place. */
function turn(waiting: (() => void)[], withinMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const take = (): void => {
    clearTimeout(timer)
    resolve()
  }
  const timer = setTimeout(() => {
    waiting.splice(waiting.indexOf(take), 1)
    reject(Object.assign(new Error('too many connections for this account'), { code: '53300' }))
  }, withinMs)
  waiting.push(take)
  return promise
}
