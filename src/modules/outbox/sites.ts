import type { Db } from '../../platform/db.ts'
import * as sql from './sql.ts'

/** Destinations known by number. */
export interface SiteIds {
  /** The numbers of `names` (domains, A-labels, lower case), made where they are new. */
  of(names: readonly string[]): Promise<ReadonlyMap<string, number>>
}

export const MAX_KNOWN_SITES = 100_000

/**
 * Numbers never change, so what was looked up once stays valid. New ones are made in a transaction of their own: a site
 * that nothing goes to is harmless, and a row locked inside an acceptance would make others wait for its commit.
 */
export function siteIds(db: Db): SiteIds {
  const known = new Map<string, number>()
  const learn = async (names: readonly string[]): Promise<void> => {
    if (known.size + names.length > MAX_KNOWN_SITES) known.clear()
    for (const { id, name } of await db.query<{ id: number; name: string }>(sql.findSites, [names])) known.set(name, id)
  }
  return {
    of: async (names) => {
      const wanted = [...new Set(names)]
      const unknown = wanted.filter((name) => !known.has(name))
      if (unknown.length > 0) {
        await learn(unknown)
        const missing = unknown.filter((name) => !known.has(name))
        if (missing.length > 0) {
          await db.execute(sql.addSites, [missing])
          await learn(missing)
        }
      }
      return new Map(wanted.map((name) => [name, numberOf(known, name)]))
    },
  }
}

function numberOf(known: ReadonlyMap<string, number>, name: string): number {
  const id = known.get(name)
  if (id === undefined) throw new Error('a destination got no number')
  return id
}
