// Limits the emails of each destination in the process. A destination starts with a small window, which grows with its
// throughput and covers at most about one second of it: a stalled destination holds little, a fast one is never idle.
// Destinations that do not answer share half of all places, so that any number of them leaves the rest to the others. So do
// those that answer slowly; both together share three quarters.
//
// Answering destinations together hold no more mail than keeps them busy: mail that waits in the process for more than two
// seconds needs another suppression check (late-suppression-check.ts), has become old in V8's heap, and could be sent by
// another process. Their common bound starts at 1,000. It doubles when more than half of it has been held for two seconds and
// less than half of it has ended: slow destinations hold it, and others must be found behind them. It halves when twice the
// bound has ended.

export interface DestinationWindows {
  /** How many more may be held. To be called before each claim. */
  room(nowMs: number): number
  /** How many may be claimed: for each destination known here, and for every other one. */
  free(nowMs: number): { readonly sites: ReadonlyMap<number, number>; readonly others: number }
  /** @returns false when the window is full: the email is to be handed back */
  enter(siteId: number, site: string): boolean
  leave(siteId: number, nowMs: number): void
}

export const FIRST_WINDOW = 40
const LARGEST_WINDOW = 1_200
/** As many as one has connections: with more for each, their half of the places would keep few slow destinations busy. */
const SLOW_WINDOW = 20
const RATE_MS = 1_000
const FORGET_MS = 30_000
/** Answering destinations are remembered longer: when silent ones have filled their half, only known ones get places. */
const FORGET_ANSWERING_MS = 3_600_000
const MAX_KNOWN = 2_000
const FIRST_BOUND = 1_000
const BOUND_MS = 2_000

export interface DestinationWindowsOptions {
  /** Most emails in the process. */
  readonly most: number
  /** Milliseconds for which nothing may be tried at a site. */
  readonly pauseMs: (site: string) => number
  /** Whether a site answers. */
  readonly answers: (site: string) => boolean
  /** Whether its mails take long. */
  readonly isSlow: (site: string) => boolean
}

interface Destination {
  readonly site: string
  held: number
  /** How many of `held` count towards the half of the silent destinations. */
  silent: number
  window: number
  /** Emails ended since `sinceMs`. */
  ended: number
  sinceMs: number
}

export function destinationWindows(options: DestinationWindowsOptions): DestinationWindows {
  const { most, pauseMs, answers, isSlow } = options
  const destinations = new Map<number, Destination>()
  const halfOfAll = Math.max(1, Math.floor(most / 2))
  const quarter = Math.floor(most / 4)
  let silent = 0
  /** Held by slow destinations, counted anew by `room`. */
  let slow = 0
  const all = { held: 0, ended: 0, bound: Math.min(FIRST_BOUND, most), full: false, sinceMs: 0 }
  const isForgotten = ({ held, sinceMs, site }: Destination, nowMs: number): boolean => {
    if (held > 0) return false
    const idleMs = nowMs - sinceMs
    if (idleMs <= FORGET_MS) return false
    return idleMs > FORGET_ANSWERING_MS || destinations.size > MAX_KNOWN || !answers(site)
  }
  const roomOf = (destination: Destination): number => {
    const room = pauseMs(destination.site) > 0 ? 0 : Math.max(0, destination.window - destination.held)
    // Less room would mean a claim for every few emails.
    return room < destination.window / 4 ? 0 : room
  }
  /** Places left to the silent or to the slow destinations, which hold that many. */
  const leftOf = (held: number): number => Math.min(halfOfAll - held, Math.max(1, most - quarter) - silent - slow)
  const countSlow = (): void => {
    slow = 0
    for (const one of destinations.values()) if (isSlow(one.site)) slow += one.held - one.silent
  }
  return {
    room: (nowMs) => {
      countSlow()
      const answering = all.held - silent
      const isFull = answering > all.bound / 2
      all.full &&= isFull
      if (nowMs - all.sinceMs >= BOUND_MS) {
        if (all.full && all.ended < all.bound / 2) all.bound = Math.min(most, all.bound * 2)
        else if (all.ended >= all.bound * 2) all.bound = Math.max(Math.min(FIRST_BOUND, most), all.bound / 2)
        all.full = isFull
        all.ended = 0
        all.sinceMs = nowMs
      }
      return Math.max(0, all.bound - answering, quarter - (answering - slow))
    },
    free: (nowMs) => {
      const sites = new Map<number, number>()
      // Every silent destination is offered all that is left. When little is left, most of a claim would come back as surplus.
      const forAll = (left: number, part: number): number => (left < halfOfAll / part ? 0 : left)
      const forSilent = forAll(leftOf(silent), 4)
      const forSlow = forAll(leftOf(slow), 16)
      const others = Math.min(FIRST_WINDOW, forSilent)
      for (const [siteId, destination] of destinations) {
        if (isForgotten(destination, nowMs)) {
          destinations.delete(siteId)
          continue
        }
        const { site } = destination
        const ofSlow = Math.min(forSlow, Math.max(0, SLOW_WINDOW - destination.held))
        const most = answers(site) ? (isSlow(site) ? ofSlow : Number.POSITIVE_INFINITY) : forSilent
        const room = Math.min(roomOf(destination), most)
        if (room !== others) sites.set(siteId, room)
      }
      return { sites, others }
    },
    enter: (siteId, site) => {
      const answering = answers(site)
      const slowly = answering && isSlow(site)
      if ((!answering && leftOf(silent) <= 0) || (slowly && leftOf(slow) <= 0)) return false
      let destination = destinations.get(siteId)
      if (destination === undefined) {
        destination = { site, held: 0, silent: 0, window: FIRST_WINDOW, ended: 0, sinceMs: 0 }
        destinations.set(siteId, destination)
      }
      if (destination.held >= destination.window) return false
      destination.held++
      all.held++
      if (slowly) slow++
      if (!answering) {
        destination.silent++
        silent++
      }
      return true
    },
    leave: (siteId, nowMs) => {
      const destination = destinations.get(siteId)
      if (destination === undefined) return
      destination.held--
      all.held--
      all.ended++
      // It does not matter which of the emails left. Once the destination answers, none of them counts as silent.
      const fewer = answers(destination.site) ? destination.silent : Math.max(0, destination.silent - destination.held)
      destination.silent -= fewer
      silent -= fewer
      destination.ended++
      const tookMs = nowMs - destination.sinceMs
      if (tookMs > RATE_MS) {
        const shrunk = Math.max(FIRST_WINDOW, Math.floor(destination.window / 2))
        destination.window = Math.min(destination.window, Math.max(shrunk, destination.ended))
        destination.ended = 0
        destination.sinceMs = nowMs
      } else if (destination.ended >= destination.window) {
        destination.window = Math.min(LARGEST_WINDOW, destination.window * 2)
        destination.ended = 0
        destination.sinceMs = nowMs
      }
    },
  }
}
