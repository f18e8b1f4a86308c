// The text of an API key: `ph_live_` or `ph_test_`, 40 random base62 characters (238 bits), then the CRC-32 of all that as
// 6 base62 characters. A mistyped or invented key is refused without a database lookup, and a secret scanner can tell a
// real key from look-alikes offline.
//
// The first 16 characters (`ph_live_` and 8 of the random ones) are the public prefix used to find the row. The other 32
// random characters, 190 bits, stay secret. Only the SHA-256 of the whole text is stored.

import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

export type KeyMode = 'live' | 'sandbox'

/** A source of random bytes: `Ids.bytes`. */
export type RandomBytes = (length: number) => Buffer

export interface NewKey {
  /** The secret itself: shown once, never stored. */
  readonly key: string
  readonly prefix: string
  readonly last4: string
  readonly hash: Buffer
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_CHARS = 40
const CHECKSUM_CHARS = 6
const PREFIX_CHARS = 16
const KEY = /^ph_(?:live|test)_[0-9A-Za-z]{46}$/
// The largest multiple of 62 in a byte: using bytes above it would make the first digits more likely.
const FAIR_BELOW = 248

export function newKey(mode: KeyMode, random: RandomBytes): NewKey {
  const body = `ph_${mode === 'live' ? 'live' : 'test'}_${randomBase62(RANDOM_CHARS, random)}`
  const key = body + checksum(body)
  return { key, prefix: key.slice(0, PREFIX_CHARS), last4: key.slice(-4), hash: hashOf(key) }
}

/** True when the text has the form of a key and its checksum matches. */
export function isKey(text: string): boolean {
  return KEY.test(text) && checksum(text.slice(0, -CHECKSUM_CHARS)) === text.slice(-CHECKSUM_CHARS)
}

export function prefixOf(key: string): string {
  return key.slice(0, PREFIX_CHARS)
}

/** The SHA-256 under which keys, session tokens and recovery codes are stored: they are random, and too long to guess. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Evenly distributed characters of [0-9A-Za-z]. */
export function randomBase62(length: number, random: RandomBytes): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < FAIR_BELOW) text += DIGITS[byte % DIGITS.length]
    }
  }
  return text
}

/** CRC-32 (IEEE 802.3) as six base62 digits, most significant first. */
function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < CHECKSUM_CHARS; i++) {
    digits = DIGITS[rest % DIGITS.length] + digits
    rest = Math.floor(rest / DIGITS.length)
  }
  return digits
}
