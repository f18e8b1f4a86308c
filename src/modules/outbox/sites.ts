import type { Db } from '../../platform/db.ts'
import * as sql from './sql.ts'

/** Destinations by number. */
export interface SiteIds {
  /** The numbers of `names` (domains, A-labels, lower case); creates missing ones. */
  of(names: readonly string[]): Promise<ReadonlyMap<string, number>>
}

export const MAX_KNOWN_SITES = 100_000

/**
 * Numbers never change, so cached ones stay valid. New ones are created in a transaction of their own: an unused site is
 * harmless, while a row locked inside an acceptance would make others wait for its commit.
 */
export function siteIds(db: Db, maxKnown = MAX_KNOWN_SITES): SiteIds {
  const known = new Map<string, number>()
  /** Puts what it finds into `found`, since `known` may be cleared meanwhile. @returns the names not found */
  const learn = async (names: readonly string[], found: Map<string, number>): Promise<readonly string[]> => {
    const rows = await db.query<{ id: number; name: string }>(sql.findSites, [names])
    if (known.size + rows.length > maxKnown) known.clear()
    for (const { id, name } of rows) {
      known.set(name, id)
      found.set(name, id)
    }
    return names.filter((name) => !found.has(name))
  }
  return {
    of: async (names) => {
      const found = new Map<string, number>()
      const unknown = new Set<string>()
      for (const name of names) {
        const id = known.get(name)
        if (id === undefined) unknown.add(name)
        else found.set(name, id)
      }
      const missing = unknown.size === 0 ? [] : await learn([...unknown], found)
      if (missing.length > 0) {
        await db.execute(sql.addSites, [missing])
        if ((await learn(missing, found)).length > 0) throw new Error('a destination got no number')
      }
      return found
    },
  }
}
