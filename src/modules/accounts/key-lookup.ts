// Finds the row of a key. Rows are cached under the key's hash until a change is announced, for at most SEEN_WITHIN_MS.
// Keys looked up at the same time go in one statement, so a flood of invented keys causes one small statement after
// another, whatever its rate. A text that is not a key (form, checksum) causes none.

import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { platformErrors } from '../../platform/errors.ts'
import { freshCache } from '../../platform/fresh-cache.ts'
import { groupCommit } from '../../platform/group-commit.ts'
import { SEEN_WITHIN_MS } from './account-settings.ts'
import { hashOf, isKey, prefixOf } from './key-format.ts'
import { type KeyRow, selectKeysByPrefix } from './sql.ts'

export interface FoundKey {
  readonly row: KeyRow
  /** True when the text is the secret from before the last rotation. */
  readonly previous: boolean
}

export interface KeyLookup {
  /** Null when no key has this secret. Expiry and revocation are not checked. */
  find(key: string): Promise<FoundKey | null>
  /** Null clears everything. */
  forget(accountId: string | null): void
}

const MAX_CACHED = 10_000
const MAX_TOGETHER = 200
const MAX_WAITING = 5_000

export function keyLookup(database: Database, clock: Clock): KeyLookup {
  const cache = freshCache<FoundKey>({ clock, maxAgeMs: SEEN_WITHIN_MS, maxEntries: MAX_CACHED })
  const readers = groupCommit<{ readonly prefix: string; readonly hash: Buffer }, FoundKey | null>({
    write: async (asked) => {
      const rows = await selectKeysByPrefix(database.system, [...new Set(asked.map(({ prefix }) => prefix))])
      return asked.map(({ hash }) => matching(rows, hash))
    },
    sizeOf: () => 1,
    maxItems: MAX_TOGETHER,
    maxBytes: MAX_TOGETHER,
    concurrency: 2,
    maxWaitingBytes: MAX_WAITING,
    full: () => platformErrors.service_unavailable({}, { retryAfter: 1 }),
  })
  return {
    find: async (key) => {
      if (!isKey(key)) return null
      const hash = hashOf(key)
      const name = hash.toString('base64')
      const known = cache.get(name)
      if (known !== undefined) return known
      const asOfMs = clock.monotonicMs()
      const found = await readers.add({ prefix: prefixOf(key), hash })
      if (found !== null) cache.set(name, found, asOfMs)
      return found
    },
    forget: (accountId) =>
      accountId === null ? cache.clear() : cache.deleteWhere(({ row }) => row.account_id === accountId),
  }
}

function matching(rows: readonly KeyRow[], hash: Buffer): FoundKey | null {
  for (const row of rows) {
    if (timingSafeEqual(row.hash, hash)) return { row, previous: false }
    if (row.previous_hash !== null && timingSafeEqual(row.previous_hash, hash)) return { row, previous: true }
  }
  return null
}
