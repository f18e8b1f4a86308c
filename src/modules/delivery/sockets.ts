// The process's sockets to receivers, up to a limit. Destinations that have not answered yet share half of them, and those with
// the ones that are slow three quarters, so that any number of these leaves sockets to the others. When all are taken, an idle
// connection is closed for a waiting one: when the wait begins, or when a connection becomes idle during the wait.
//
// A connection with more mail does not become idle. While a destination waits, those that have at least two more close one after
// a mail and a second, as do all if it has none: else a few with much mail would keep all sockets. The one that has the fewest goes
// first.

export type SocketKind = 'unproven' | 'slow' | 'quick'

/** A destination. */
export interface SocketOwner {
  /** What it is at present. `unproven`: it has not answered. */
  readonly kind: SocketKind
}

export interface Sockets {
  /** Resolves when one more may be opened; then `release` is due. @returns as what it counts until then */
  acquire(owner: SocketOwner): Promise<SocketKind>
  /** @param closed resolves when the connection has ended; absent: it has */
  release(owner: SocketOwner, kind: SocketKind, closed?: Promise<void>): void
  /** Whether a connection with more mail is to be closed for a destination that waits. */
  isOwed(owner: SocketOwner, kind: SocketKind, openMs: number): boolean
  /** Offers an idle connection to be closed in favour of another; closes it at once when one waits. */
  park(close: () => void, kind: SocketKind): void
  unpark(close: () => void): void
}

/** No connection is given up earlier: to open the next costs more than a mail. */
const TURN_MS = 1_000

interface Share {
  /** Open, without those being closed. */
  open: number
  readonly waiting: ((kind: SocketKind) => void)[]
}

export function socketsOf(limit: number): Sockets {
  const shares = new Map<SocketOwner, Share>()
  /** In their turns: that which was served, or gave one up, is the last. */
  const waiting = new Map<SocketOwner, Share>()
  /** The functions that close idle connections. */
  const idle = new Map<() => void, SocketKind>()
  const most = { unproven: Math.max(1, Math.floor(limit / 2)), notQuick: Math.max(1, limit - Math.floor(limit / 4)) }
  const open = { unproven: 0, slow: 0, quick: 0 }
  let wanted = 0
  let closing = 0
  /** @param without as if one of this kind were closed */
  const fits = (kind: SocketKind, without: SocketKind | null = null): boolean => {
    const unproven = open.unproven - (without === 'unproven' ? 1 : 0)
    const notQuick = unproven + open.slow - (without === 'slow' ? 1 : 0)
    const all = notQuick + open.quick - (without === 'quick' ? 1 : 0)
    if (all >= limit || (kind !== 'quick' && notQuick >= most.notQuick)) return false
    return kind !== 'unproven' || unproven < most.unproven
  }
  const closeOne = (close: () => void): void => {
    idle.delete(close)
    close()
  }
  const shareOf = (owner: SocketOwner): Share => {
    const known = shares.get(owner)
    if (known !== undefined) return known
    const made = { open: 0, waiting: [] }
    shares.set(owner, made)
    return made
  }
  const toBack = (owner: SocketOwner, share: Share): void => {
    waiting.delete(owner)
    if (share.waiting.length > 0) waiting.set(owner, share)
  }
  const neediest = (): SocketOwner | undefined => {
    let found: SocketOwner | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [owner, share] of waiting) {
      if (share.open >= fewest || !fits(owner.kind)) continue
      found = owner
      fewest = share.open
      if (fewest === 0) break
    }
    return found
  }
  const serve = (): void => {
    for (let owner = neediest(); owner !== undefined; owner = neediest()) {
      const { kind } = owner
      const share = shareOf(owner)
      const resolve = share.waiting.shift()
      toBack(owner, share)
      wanted--
      share.open++
      open[kind]++
      resolve?.(kind)
    }
  }
  const end = (kind: SocketKind): void => {
    open[kind]--
    serve()
  }
  return {
    acquire: (owner) =>
      new Promise((resolve) => {
        const share = shareOf(owner)
        share.waiting.push(resolve)
        waiting.set(owner, share)
        wanted++
        serve()
        if (!waiting.has(owner)) return
        const [close] = idle.entries().find(([, kind]) => fits(owner.kind, kind)) ?? []
        if (close !== undefined) closeOne(close)
      }),
    release: (owner, kind, closed) => {
      const share = shareOf(owner)
      share.open--
      toBack(owner, share)
      if (share.open === 0 && share.waiting.length === 0) shares.delete(owner)
      if (closed === undefined) return end(kind)
      closing++
      void closed.then(() => {
        closing--
        end(kind)
      })
    },
    isOwed: (owner, kind, openMs) => {
      if (openMs < TURN_MS || wanted <= closing) return false
      const mine = shareOf(owner).open
      for (const [other, share] of waiting) {
        const isFewer = share.open === 0 || share.open + 1 < mine
        if (other !== owner && isFewer && fits(other.kind, kind)) return true
      }
      return false
    },
    park: (close, kind) => {
      idle.set(close, kind)
      if (wanted > closing && waiting.keys().some((owner) => fits(owner.kind, kind))) closeOne(close)
    },
    unpark: (close) => {
      idle.delete(close)
    },
  }
}
