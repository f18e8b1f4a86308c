// The process's sockets to receivers, up to a limit. Destinations that have not answered yet share half of them, so that any
// number of dead ones leaves the other half to working ones. When all are taken, an idle connection is closed for a waiting
// one: when the wait begins, or when a connection becomes idle during the wait.

export interface Sockets {
  /** Resolves when one more may be opened; then `release` is due. */
  acquire(proven: boolean): Promise<void>
  release(proven: boolean): void
  /** Offers an idle connection to be closed in favour of another; closes it at once when one waits. */
  park(close: () => void, proven: boolean): void
  unpark(close: () => void): void
}

export function socketsOf(limit: number): Sockets {
  const waiting: { readonly proven: boolean; readonly resolve: () => void }[] = []
  /** The functions that close idle connections, each with whether it is of the proven half. */
  const idle = new Map<() => void, boolean>()
  const unprovenLimit = Math.max(1, Math.floor(limit / 2))
  let open = 0
  let unproven = 0
  const fits = (proven: boolean): boolean => open < limit && (proven || unproven < unprovenLimit)
  /** Whether closing an idle connection would make room for a waiting one. */
  const helps = (idleIsProven: boolean, proven: boolean): boolean =>
    proven || unproven - (idleIsProven ? 0 : 1) < unprovenLimit
  const closeOne = (close: () => void): void => {
    idle.delete(close)
    close()
  }
  const take = (proven: boolean): void => {
    open++
    if (!proven) unproven++
  }
  return {
    acquire: (proven) => {
      if (fits(proven)) {
        take(proven)
        return Promise.resolve()
      }
      return new Promise((resolve) => {
        waiting.push({ proven, resolve })
        const [close] = idle.entries().find(([, isProven]) => helps(isProven, proven)) ?? []
        if (close !== undefined) closeOne(close)
      })
    },
    release: (proven) => {
      open--
      if (!proven) unproven--
      const index = waiting.findIndex((one) => fits(one.proven))
      const [next] = index === -1 ? [] : waiting.splice(index, 1)
      if (next === undefined) return
      take(next.proven)
      next.resolve()
    },
    park: (close, isProven) => {
      idle.set(close, isProven)
      if (waiting.some(({ proven }) => helps(isProven, proven))) closeOne(close)
    },
    unpark: (close) => {
      idle.delete(close)
    },
  }
}
