import { isPassing } from '../../platform/db.ts'
import { type Loop, loop } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import { activeAccounts } from '../statistics/index.ts'
import { calculateHealth, type HealthContext, windowOf, withoutRecord } from './health.ts'

const PAGE = 500
const EVERY_MS = 600_000

/**
 * Makes the daily record of every account that sent in the window; each turn makes the missing ones. A record that cannot be
 * made does not hold up other accounts, and is tried again at the next turn.
 */
export function healthLoop(context: HealthContext & { readonly log: Logger }): Loop {
  const { database, clock, log } = context
  return loop({
    name: 'health',
    turn: async (signal) => {
      const { from } = windowOf(clock.now())
      let after: string | null = null
      do {
        const accounts: readonly string[] = await activeAccounts(database.system, { from, after, limit: PAGE })
        for (const accountId of await withoutRecord(context, accounts)) {
          if (signal.aborted) return 0
          await calculateHealth(context, accountId).catch((err: unknown) => {
            if (isPassing(err)) throw err
            log.error({ account_id: accountId, err }, 'the health of an account could not be calculated')
          })
        }
        after = accounts.length === PAGE ? (accounts.at(-1) ?? null) : null
      } while (after !== null)
      return EVERY_MS
    },
    onError: (err) => log.warn({ err }, 'health will be calculated again'),
    retryMs: 60_000,
  })
}
