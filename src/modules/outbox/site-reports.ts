// What a delivering process reports about its destinations: the attempts of the last minute, and the last response. It writes
// the changed ones every ten seconds, a bounded number at once. Nothing is decided by these figures; a killed process loses
// the last ten seconds of them.

import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { loop, type Service } from '../../platform/lifecycle.ts'
import * as sql from './sql.ts'
import { ATTEMPT_OUTCOMES, type AttemptOutcome } from './types.ts'

export interface SiteReporter extends Service {
  note(siteId: number, outcome: AttemptOutcome, response: string | null): void
  /** For tests, instead of waiting. */
  flush(): Promise<void>
}

const FLUSH_EVERY_MS = 10_000
const SLICES = 6
const MAX_SITES = 10_000
const MAX_WRITTEN = 500
const MAX_RESPONSE_CHARS = 300
const KEPT_MS = 7 * 86_400_000
const FORGET_EVERY_TURNS = 360

interface Known {
  readonly attempts: number[]
  readonly delivered: number[]
  outcome: AttemptOutcome
  response: string | null
  /** There is something to write, even if only that the counts have dropped to zero. */
  changed: boolean
}

export function siteReporter({
  db,
  clock,
  node,
  onError,
}: {
  readonly db: Db
  readonly clock: Clock
  readonly node: string
  readonly onError: (error: unknown) => void
}): SiteReporter {
  const sites = new Map<number, Known>()
  let turns = 0

  const flush = async (): Promise<void> => {
    const wanted = [...sites].filter(([, { changed }]) => changed).slice(0, MAX_WRITTEN)
    if (wanted.length > 0) {
      await db.execute(sql.putSiteReports, [
        node,
        clock.now(),
        wanted.map(([siteId]) => siteId),
        wanted.map(([, { attempts }]) => sum(attempts)),
        wanted.map(([, { delivered }]) => sum(delivered)),
        wanted.map(([, { outcome }]) => ATTEMPT_OUTCOMES.indexOf(outcome)),
        wanted.map(([, { response }]) => response),
      ])
    }
    for (const [siteId, known] of wanted) {
      sites.delete(siteId)
      if (sum(known.attempts) === 0) continue
      known.changed = false
      // To the end of the map: when more have changed than are written at once, those that were left out come next.
      sites.set(siteId, known)
    }
  }

  /** Moves the last minute on by one slice. */
  const move = (): void => {
    for (const known of sites.values()) {
      for (const slices of [known.attempts, known.delivered]) {
        slices.unshift(0)
        slices.length = SLICES
      }
      known.changed = true
    }
  }

  const reporting = loop({
    name: 'destinations',
    turn: async () => {
      await flush()
      move()
      if (turns++ % FORGET_EVERY_TURNS === 0) {
        await db.execute(sql.forgetSiteReports, [new Date(clock.now().getTime() - KEPT_MS)])
      }
      return FLUSH_EVERY_MS
    },
    onError,
    retryMs: FLUSH_EVERY_MS,
  })
  return {
    ...reporting,
    note: (siteId, outcome, response) => {
      let known = sites.get(siteId)
      if (known === undefined) {
        if (sites.size >= MAX_SITES) return
        known = { attempts: Array(SLICES).fill(0), delivered: Array(SLICES).fill(0), outcome, response, changed: true }
        sites.set(siteId, known)
      }
      known.attempts[0] = (known.attempts[0] ?? 0) + 1
      if (outcome === 'delivered') known.delivered[0] = (known.delivered[0] ?? 0) + 1
      known.outcome = outcome
      known.response = response?.slice(0, MAX_RESPONSE_CHARS) ?? known.response
      known.changed = true
    },
    flush,
  }
}

function sum(slices: readonly number[]): number {
  return slices.reduce((total, one) => total + one, 0)
}
