// How much of each destination may be in the process at once. A destination begins with a small window, which grows with
// what it takes and never covers more than a second of it, so that a stalled one holds little and a fast one is never idle.

export interface Places {
  /** Windows of the destinations that are known here, less what they hold; for the claim. */
  free(nowMs: number): ReadonlyMap<number, number>
  /** @returns false when it is more than the window holds: it is to be handed back */
  enter(siteId: number, site: string): boolean
  leave(siteId: number, nowMs: number): void
}

export const FIRST_WINDOW = 40
const LARGEST_WINDOW = 1_200
const RATE_MS = 1_000
const FORGET_MS = 30_000

interface Place {
  readonly site: string
  held: number
  window: number
  /** Ended since `sinceMs`. */
  ended: number
  sinceMs: number
}

/** @param pauseMs how long nothing may be tried at a site */
export function placesOf(pauseMs: (site: string) => number): Places {
  const places = new Map<number, Place>()
  return {
    free: (nowMs) => {
      const free = new Map<number, number>()
      for (const [siteId, place] of places) {
        const idle = place.held === 0
        if (idle && nowMs - place.sinceMs > FORGET_MS) {
          places.delete(siteId)
          continue
        }
        const room = pauseMs(place.site) > 0 ? 0 : Math.max(0, place.window - place.held)
        // A handful at a time would make a claim of each.
        free.set(siteId, room < place.window / 4 ? 0 : room)
      }
      return free
    },
    enter: (siteId, site) => {
      let place = places.get(siteId)
      if (place === undefined) {
        place = { site, held: 0, window: FIRST_WINDOW, ended: 0, sinceMs: 0 }
        places.set(siteId, place)
      }
      if (place.held >= place.window) return false
      place.held++
      return true
    },
    leave: (siteId, nowMs) => {
      const place = places.get(siteId)
      if (place === undefined) return
      place.held--
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
