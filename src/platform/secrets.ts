// Secrets at rest: AES-256-GCM under keys derived from the instance's one secret, each for its own purpose (HKDF,
// RFC 5869). The row's id is additional data, so a ciphertext moved to another row does not open.
//
// Sealed form: version (1 byte, 1) | nonce (12) | tag (16) | ciphertext.

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

export interface Secrets {
  /** @param rowId bound to the ciphertext: opening with another id fails */
  seal(purpose: string, rowId: string, plain: string | Buffer): Buffer
  /** @throws when the ciphertext was not sealed for this purpose and row under this instance's secret */
  open(purpose: string, rowId: string, sealed: Buffer): Buffer
  /** 32 bytes for one purpose, the same for as long as the instance's secret lives. */
  key(purpose: string): Buffer
  /** HMAC-SHA-256 under the key of a purpose. */
  mac(purpose: string, text: string | Buffer): Buffer
}

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
export const SECRET_BYTES = 32

/** @param secret at least 32 bytes of the instance's own randomness */
export function secretsFrom(secret: Buffer): Secrets {
  if (secret.length < SECRET_BYTES) throw new Error(`the secret key must have at least ${SECRET_BYTES} bytes`)
  const keys = new Map<string, Buffer>()
  const key = (purpose: string): Buffer => {
    let made = keys.get(purpose)
    if (made === undefined) {
      made = Buffer.from(hkdfSync('sha256', secret, 'posthorn', purpose, SECRET_BYTES))
      keys.set(purpose, made)
    }
    return made
  }
  // A key object is prepared once; bytes would be at every MAC, which takes five times as long.
  const macKeys = new Map<string, KeyObject>()
  const macKey = (purpose: string): KeyObject => {
    let made = macKeys.get(purpose)
    if (made === undefined) {
      made = createSecretKey(key(purpose))
      macKeys.set(purpose, made)
    }
    return made
  }
  return {
    key,
    mac: (purpose, text) => createHmac('sha256', macKey(purpose)).update(text).digest(),
    seal: (purpose, rowId, plain) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key(purpose), nonce).setAAD(Buffer.from(rowId))
      const body = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body])
    },
    open: (purpose, rowId, sealed) => {
      if (sealed[0] !== VERSION) throw new Error(`unknown form of sealed secret: ${sealed[0]}`)
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
      const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key(purpose), nonce).setAAD(Buffer.from(rowId)).setAuthTag(tag)
      return Buffer.concat([decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()])
    },
  }
}

/** Compares in a time that does not depend on where the two differ. */
export function sameSecret(a: Buffer | string, b: Buffer | string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
