// How much of each destination may be in the process at once. A destination begins with a small window, which grows with
// what it takes and never covers more than a second of it, so that a stalled one holds little and a fast one is never idle.
// Destinations that nobody answers at share half of all, so that any number of silent ones leaves the rest to those that work.
//
// Of mail to those that answer no more is held than keeps them busy: what waits in the process for more than two seconds is asked
// about a second time (late-asks.ts), has grown old in V8's heap, and is another process's to send. So the bound for all of them
// begins at 1,000 and doubles where that many have stood for two seconds and less than half of them ended: slow destinations
// hold it, and others are to be found behind them.

export interface Places {
  /** How many more may be held. To be asked before each claim. */
  room(nowMs: number): number
  /** What may be claimed: for destinations known here, and for each of all the others. */
  free(nowMs: number): { readonly sites: ReadonlyMap<number, number>; readonly others: number }
  /** @returns false when it is more than the window holds: it is to be handed back */
  enter(siteId: number, site: string): boolean
  leave(siteId: number, nowMs: number): void
}

export const FIRST_WINDOW = 40
const LARGEST_WINDOW = 1_200
const RATE_MS = 1_000
const FORGET_MS = 30_000
/** A destination that answers is known longer: what it is worth shows when silent ones have taken their share. */
const FORGET_ANSWERING_MS = 3_600_000
const MAX_KNOWN = 2_000
const FIRST_BOUND = 1_000
const BOUND_MS = 2_000

export interface PlacesOptions {
  /** The most emails in the process. */
  readonly most: number
  /** How long nothing may be tried at a site. */
  readonly pauseMs: (site: string) => number
  /** Whether somebody answers there. */
  readonly answers: (site: string) => boolean
}

interface Place {
  readonly site: string
  held: number
  /** Of them, those that count towards the share of the silent. */
  silent: number
  window: number
  /** Ended since `sinceMs`. */
  ended: number
  sinceMs: number
}

export function placesOf({ most, pauseMs, answers }: PlacesOptions): Places {
  const places = new Map<number, Place>()
  const silentMost = Math.max(1, Math.floor(most / 2))
  let silent = 0
  const all = { held: 0, ended: 0, bound: Math.min(FIRST_BOUND, most), full: false, sinceMs: 0 }
  const isForgotten = ({ held, sinceMs, site }: Place, nowMs: number): boolean => {
    if (held > 0) return false
    const idleMs = nowMs - sinceMs
    if (idleMs <= FORGET_MS) return false
    return idleMs > FORGET_ANSWERING_MS || places.size > MAX_KNOWN || !answers(site)
  }
  const roomOf = (place: Place): number => {
    const room = pauseMs(place.site) > 0 ? 0 : Math.max(0, place.window - place.held)
    // A handful at a time would make a claim of each.
    return room < place.window / 4 ? 0 : room
  }
  return {
    room: (nowMs) => {
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
      return Math.max(0, all.bound - answering)
    },
    free: (nowMs) => {
      const sites = new Map<number, number>()
      const left = silentMost - silent
      // Each destination is told what is left for all of them: too little would mostly come back as surplus.
      const forSilent = left < silentMost / 4 ? 0 : left
      const others = Math.min(FIRST_WINDOW, forSilent)
      for (const [siteId, place] of places) {
        if (isForgotten(place, nowMs)) {
          places.delete(siteId)
          continue
        }
        const room = answers(place.site) ? roomOf(place) : Math.min(roomOf(place), forSilent)
        if (room !== others) sites.set(siteId, room)
      }
      return { sites, others }
    },
    enter: (siteId, site) => {
      const answering = answers(site)
      if (!answering && silent >= silentMost) return false
      let place = places.get(siteId)
      if (place === undefined) {
        place = { site, held: 0, silent: 0, window: FIRST_WINDOW, ended: 0, sinceMs: 0 }
        places.set(siteId, place)
      }
      if (place.held >= place.window) return false
      place.held++
      all.held++
      if (!answering) {
        place.silent++
        silent++
      }
      return true
    },
    leave: (siteId, nowMs) => {
      const place = places.get(siteId)
      if (place === undefined) return
      place.held--
      all.held--
      all.ended++
      // Which of them it was does not matter; once somebody answers, all that are there are in good hands.
      const fewer = answers(place.site) ? place.silent : Math.max(0, place.silent - place.held)
      place.silent -= fewer
      silent -= fewer
      place.ended++
      const tookMs = nowMs - place.sinceMs
      if (tookMs > RATE_MS) {
        const shrunk = Math.max(FIRST_WINDOW, Math.floor(place.window / 2))
        place.window = Math.min(place.window, Math.max(shrunk, place.ended))
        place.ended = 0
        place.sinceMs = nowMs
      } else if (place.ended >= place.window) {
        place.window = Math.min(LARGEST_WINDOW, place.window * 2)
        place.ended = 0
        place.sinceMs = nowMs
      }
    },
  }
}
