// Identifiers and chance are given, never taken.

import { randomBytes } from 'node:crypto'

export interface Ids {
  /** A fresh UUID version 7 (RFC 9562 section 5.7), increasing within one process. */
  next(): string
  /** Cryptographically strong random bytes. */
  bytes(length: number): Buffer
  /** A number in [0, 1), for jitter only. */
  chance(): number
}

const POOL_BYTES = 4096
const TAIL_DIGITS = 16

/**
 * UUID version 7 with a 12-bit counter in rand_a (RFC 9562 section 6.2, method 1): ids made in one millisecond by one
 * process still sort in the order in which they were made, so an id is a cursor.
 *
 * @param nowMs the time of day in milliseconds since 1970
 */
export function systemIds(nowMs: () => number = () => Date.now()): Ids {
  let lastMs = 0
  let counter = 0
  /** The id up to the counter. */
  let prefix = ''
  let tails = ''
  let tailsUsed = 0
  let pool = Buffer.alloc(0)
  let used = 0
  const take = (length: number): Buffer => {
    if (used + length > pool.length) {
      pool = randomBytes(Math.max(POOL_BYTES, length))
      used = 0
    }
    used += length
    return pool.subarray(used - length, used)
  }
  const enter = (ms: number, first: number): void => {
    lastMs = ms
    counter = first
    const hex = ms.toString(16).padStart(12, '0')
    prefix = `${hex.slice(0, 8)}-${hex.slice(8)}-`
  }
  return {
    next: () => {
      const now = nowMs()
      if (now > lastMs) enter(now, take(2).readUInt16BE() & 0x7ff)
      else if (++counter > 0xfff) enter(lastMs + 1, 0)
      if (tailsUsed === tails.length) {
        tails = randomBytes(POOL_BYTES).toString('hex')
        tailsUsed = 0
      }
      const at = tailsUsed
      tailsUsed += TAIL_DIGITS
      const variant = ((Number.parseInt(tails.charAt(at), 16) & 3) | 8).toString(16)
      return `${prefix}${(0x7000 | counter).toString(16)}-${variant}${tails.slice(at + 1, at + 4)}-${tails.slice(at + 4, at + 16)}`
    },
    bytes: (length) => Buffer.from(take(length)),
    chance: () => Math.random(),
  }
}

function dashed(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** No id comes before the one, and none after the other: the bounds of all. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** The moment a version 7 id was made, to the millisecond. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

/** The smallest version 7 id of a moment, which none before 1970 has: bounds for range scans and partitions. */
export function firstIdAt(at: Date): string {
  return dashed(Math.max(0, at.getTime()).toString(16).padStart(12, '0') + '0'.repeat(20))
}
