// Ids and randomness are injected, never generated in place.

import { randomBytes } from 'node:crypto'

export interface Ids {
  /** A fresh UUID version 7 (RFC 9562 section 5.7), increasing within one process unless its clock is put back. */
  next(): string
  /** Cryptographically strong random bytes. */
  bytes(length: number): Buffer
  /** A number in [0, 1), for jitter only. */
  chance(): number
}

/** Size of a UUID. */
export const ID_BYTES = 16
const MS_BYTES = 6
const POOL_BYTES = 4096
const TAIL_BYTES = 8
/** Smaller corrections are drift, and ids wait for the clock; code that looks up ids by a record's time allows for a second. */
const FOLLOWED_BACK_MS = 500

/**
 * UUID version 7 with a 12-bit counter in rand_a (RFC 9562 section 6.2, method 1): ids made by one process in the same
 * millisecond still sort in the order in which they were made, so an id can serve as a cursor. When the clock is put back,
 * ids follow it, as in a process started then (section 6.2 would keep the later time): days, ages and ranges rely on the
 * creation time in an id, and no order is promised beyond one process.
 *
 * @param nowMs the time of day in milliseconds since 1970
 */
export function systemIds(nowMs: () => number = () => Date.now()): Ids {
  let lastMs = 0
  let counter = 0
  const id = Buffer.alloc(ID_BYTES)
  let pool = Buffer.alloc(0)
  let used = 0
  /** @returns the offset of `length` fresh bytes in the pool */
  const taken = (length: number): number => {
    if (used + length > pool.length) {
      pool = randomBytes(Math.max(POOL_BYTES, length))
      used = 0
    }
    used += length
    return used - length
  }
  const enter = (ms: number, first: number): void => {
    lastMs = ms
    counter = first
    id.writeUIntBE(ms, 0, MS_BYTES)
  }
  return {
    next: () => {
      const now = nowMs()
      if (now > lastMs || now < lastMs - FOLLOWED_BACK_MS) {
        const from = taken(2)
        enter(now, pool.readUInt16BE(from) & 0x7ff)
      } else if (++counter > 0xfff) enter(lastMs + 1, 0)
      id[6] = 0x70 | (counter >> 8)
      id[7] = counter & 0xff
      const from = taken(TAIL_BYTES)
      pool.copy(id, 8, from, from + TAIL_BYTES)
      id[8] = ((id[8] as number) & 0x3f) | 0x80
      return idOfBytes(id, 0)
    },
    bytes: (length) => {
      const from = taken(length)
      return Buffer.from(pool.subarray(from, from + length))
    },
    chance: () => Math.random(),
  }
}

/** Bounds of all ids: none sorts before the first or after the last. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const HEX = Buffer.from('0123456789abcdef')
const DASH = 45
/** Buffer for the text of the latest id; the dashes stay in place. */
const shown = Buffer.from(FIRST_ID)

/**
 * The text of a UUID's 16 bytes from `start`. Builds one flat string, because many are kept while they wait.
 *
 * @param bytes at least 16 of them from `start`
 */
export function idOfBytes(bytes: Uint8Array, start: number): string {
  let at = 0
  for (let i = 0; i < ID_BYTES; i++) {
    if (shown[at] === DASH) at++
    const byte = bytes[start + i] as number
    shown[at++] = HEX[byte >> 4] as number
    shown[at++] = HEX[byte & 15] as number
  }
  return shown.toString('latin1')
}

/** @throws for a text that is not a UUID */
export function bytesOfId(id: string): Buffer {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
  if (bytes.length !== ID_BYTES) throw new TypeError('not a UUID')
  return bytes
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** The creation time of a version 7 id, to the millisecond. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

/** The smallest version 7 id of a time (not before 1970): a bound for range scans and partitions. */
export function firstIdAt(at: Date): string {
  const bytes = Buffer.alloc(ID_BYTES)
  bytes.writeUIntBE(Math.max(0, at.getTime()), 0, MS_BYTES)
  return idOfBytes(bytes, 0)
}
