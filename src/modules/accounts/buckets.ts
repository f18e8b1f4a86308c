// Token buckets shared by all processes. The bucket itself is a row in the database. A process leases slices of it, a
// quarter of a second's worth at a time, and spends them from memory. However many processes there are, together they never
// spend more than the bucket gave. Tokens a process holds unspent are lost after HELD_MS, which costs the key at most one
// slice. (0007-rate-limits-by-lease.md explains the alternatives and why they were rejected.)
//
// Simultaneous leases go in one statement. A database crash forgets the buckets, which makes them full. A read-only
// database leases nothing: each process then counts on its own, so that reads are still answered.

import type { Clock } from '../../platform/clock.ts'
import { type Database, isReadOnly } from '../../platform/db.ts'
import { platformErrors } from '../../platform/errors.ts'
import { groupCommit } from '../../platform/group-commit.ts'
import { recentlyUsed } from '../../platform/recently-used.ts'
import type { Rate } from './plans.ts'
import { type Bucket, type Lease, leaseTokens } from './sql-meter.ts'

export interface BucketLevel {
  readonly granted: boolean
  /** Whole tokens left for the key, as far as this process knows. */
  readonly remaining: number
  /** Seconds until the bucket is full again. */
  readonly fullInSeconds: number
  /** Seconds until the requested tokens are available; 0 when they were granted. */
  readonly retryInSeconds: number
}

export interface Buckets {
  /** Takes all `tokens` or none. `bucketId` is a UUID. */
  take(bucketId: string, rateClass: string, rate: Rate, tokens: number): Promise<BucketLevel>
  /** Returns tokens just taken here and not used. @returns the level after that */
  giveBack(bucketId: string, rateClass: string, rate: Rate, tokens: number): BucketLevel
}

interface Held {
  /** Tokens leased and not yet spent. */
  tokens: number
  /** Tokens in the shared bucket after the last lease. */
  shared: number
  atMs: number
}

interface Ask {
  readonly name: string
  readonly bucketId: string
  readonly rateClass: string
  readonly rate: Rate
  readonly tokens: number
}

const SLICE_SECONDS = 0.25
const HELD_MS = 2_000
/** How long a read-only database is not asked again: each refusal costs a connection. */
const ALONE_MS = 2_000
const MAX_HELD = 20_000
const MAX_TOGETHER = 500
const MAX_WAITING = 10_000

export function sharedBuckets(database: Database, clock: Clock): Buckets {
  const held = recentlyUsed<Held>(MAX_HELD)
  let aloneUntilMs = 0

  const unspentOf = (name: string): number => {
    const known = held.get(name)
    return known === undefined || clock.monotonicMs() - known.atMs > HELD_MS ? 0 : known.tokens
  }

  const spend = ({ name, tokens }: Ask): boolean => {
    const known = held.get(name)
    if (known === undefined || unspentOf(name) < tokens) return false
    known.tokens -= tokens
    return true
  }

  const levelOf = (ask: Ask, granted: boolean): BucketLevel => {
    const known = held.get(ask.name) ?? { tokens: 0, shared: 0, atMs: clock.monotonicMs() }
    const gained = ((clock.monotonicMs() - known.atMs) / 1_000) * ask.rate.perSecond
    const left = Math.min(ask.rate.burst, known.tokens + known.shared + gained)
    return {
      granted,
      remaining: Math.floor(left),
      fullInSeconds: Math.ceil((ask.rate.burst - left) / ask.rate.perSecond),
      retryInSeconds: granted ? 0 : Math.max(1, Math.ceil((ask.tokens - left) / ask.rate.perSecond)),
    }
  }

  const keep = (name: string, tokens: number, shared: number): void => {
    held.set(name, { tokens: unspentOf(name) + tokens, shared, atMs: clock.monotonicMs() })
  }

  /** Leases from what this process remembers of the bucket; an unknown bucket counts as full. */
  const leaseAlone = ({ bucketId, rateClass, perSecond, burst, need, want }: Bucket): Lease => {
    const known = held.get(nameOf(bucketId, rateClass))
    const gained = known === undefined ? burst : ((clock.monotonicMs() - known.atMs) / 1_000) * perSecond
    const there = Math.min(burst, (known?.shared ?? 0) + gained)
    const granted = there < need ? 0 : Math.min(want, Math.floor(there))
    return { bucket_id: bucketId, class: rateClass, granted, tokens: there - granted }
  }

  const leased = async (buckets: readonly Bucket[]): Promise<readonly Lease[]> => {
    if (clock.monotonicMs() < aloneUntilMs) return buckets.map(leaseAlone)
    try {
      return await leaseTokens(database.system, buckets, clock.now())
    } catch (error) {
      if (!isReadOnly(error)) throw error
      aloneUntilMs = clock.monotonicMs() + ALONE_MS
      return buckets.map(leaseAlone)
    }
  }

  const lease = async (asks: readonly Ask[]): Promise<readonly BucketLevel[]> => {
    // An earlier batch may have left enough.
    const granted = asks.map(spend)
    const open = Map.groupBy(
      asks.filter((_, index) => granted[index] !== true),
      ({ name }) => name,
    )
    if (open.size > 0) {
      const buckets = [...open].map(([name, waiting]) => bucketOf(waiting, unspentOf(name)))
      const leases = await leased(buckets)
      for (const { bucket_id, class: rateClass, granted: tokens, tokens: shared } of leases) {
        keep(nameOf(bucket_id, rateClass), tokens, shared)
      }
    }
    return asks.map((ask, index) => levelOf(ask, granted[index] === true || spend(ask)))
  }

  const leases = groupCommit<Ask, BucketLevel>({
    write: lease,
    sizeOf: () => 1,
    maxItems: MAX_TOGETHER,
    maxBytes: MAX_TOGETHER,
    concurrency: 1,
    maxWaitingBytes: MAX_WAITING,
    full: () => platformErrors.service_unavailable({}, { retryAfter: 1 }),
  })
  return {
    take: async (bucketId, rateClass, rate, tokens) => {
      const ask = { name: nameOf(bucketId, rateClass), bucketId, rateClass, rate, tokens }
      return spend(ask) ? levelOf(ask, true) : leases.add(ask)
    },
    giveBack: (bucketId, rateClass, rate, tokens) => {
      const name = nameOf(bucketId, rateClass)
      const known = held.get(name)
      if (known !== undefined) known.tokens += tokens
      return levelOf({ name, bucketId, rateClass, rate, tokens }, true)
    },
  }
}

/** Buckets that are always full. */
export const unlimitedBuckets: Buckets = {
  take: async (_bucketId, _rateClass, rate) => full(rate),
  giveBack: (_bucketId, _rateClass, rate) => full(rate),
}

function full({ burst }: Rate): BucketLevel {
  return { granted: true, remaining: burst, fullInSeconds: 0, retryInSeconds: 0 }
}

/** @param unspent tokens the process still holds from this bucket */
function bucketOf(asks: readonly Ask[], unspent: number): Bucket {
  const [first] = asks
  if (first === undefined) throw new Error('a bucket that nobody asked for')
  const { bucketId, rateClass, rate } = first
  const asked = asks.reduce((total, { tokens }) => total + tokens, 0)
  // A request beyond one slice leases exactly what it needs: any surplus would be missing in another process.
  const slice = Math.ceil(rate.perSecond * SLICE_SECONDS)
  return {
    bucketId,
    rateClass,
    ...rate,
    need: Math.max(0, Math.min(...asks.map(({ tokens }) => tokens)) - unspent),
    want: Math.max(0, Math.max(asked, slice) - unspent),
  }
}

function nameOf(bucketId: string, rateClass: string): string {
  return `${bucketId} ${rateClass}`
}
