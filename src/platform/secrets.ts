// Secrets at rest: AES-256-GCM under keys derived from the instance's secret, one per purpose (HKDF, RFC 5869). The row's id
// is additional data, so a ciphertext moved to another row does not open.
//
// An instance whose secret was changed has several, numbered from 1 (secrets/keys.ts). All of them open and verify; one of them
// seals and signs. Values stored or published for good (password hashes, host names) stay with the first.
//
// Sealed form: number of the secret (1 byte) | nonce (12) | tag (16) | ciphertext.

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
  /** @throws when the ciphertext was not sealed for this purpose and row under a secret of this instance */
  open(purpose: string, rowId: string, sealed: Buffer): Buffer
  /** 32 bytes for one purpose, constant for the life of the instance. @throws for a secret that is not held here */
  key(purpose: string, number?: number): Buffer
  /** HMAC-SHA-256 under the first secret's key for a purpose: stored or published values stay valid. */
  mac(purpose: string, text: string | Buffer): Buffer
  /** For values that go out and come back: signs with the present secret, and recognises signatures of the others. */
  signer(purpose: string): Signer
  /** The highest number of the secrets held here. */
  newest(): number
  /** The number of the secret that seals and signs. */
  present(): number
  /** @throws for a secret that is not held here */
  use(number: number): void
  /** Replaces the set of secrets. The one that seals and signs stays the same. */
  hold(secrets: readonly Buffer[]): void
}

/** HMAC-SHA-256 under the key for a purpose. */
export interface Signer {
  (text: Buffer): Buffer
  /** Under every secret, the present one first: a value that came back may have been signed with any. */
  all(text: Buffer): readonly Buffer[]
}

const FIRST = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
export const SECRET_BYTES = 32
/** The number is one byte. */
export const MOST_SECRETS = 255

/** @param secret at least 32 bytes of the instance's own randomness */
export function secretsFrom(secret: Buffer): Secrets {
  return secretsOf([secret], FIRST)
}

/**
 * @param held in the order of their numbers, from 1
 * @param present the number of the secret that seals and signs
 */
export function secretsOf(held: readonly Buffer[], present: number): Secrets {
  let secrets = checked(held)
  let using = present
  const keys = new Map<string, Buffer>()
  const key = (purpose: string, number = FIRST): Buffer => {
    const name = `${number} ${purpose}`
    let made = keys.get(name)
    if (made === undefined) {
      const secret = secrets[number - 1]
      if (secret === undefined) throw new Error(`the secret with number ${number} is not held here`)
      made = Buffer.from(hkdfSync('sha256', secret, 'posthorn', purpose, SECRET_BYTES))
      keys.set(name, made)
    }
    return made
  }
  // A key object is prepared once; raw bytes would be prepared for every MAC, which takes five times as long.
  const macKeys = new Map<string, KeyObject>()
  const macUnder = (number: number, purpose: string, text: string | Buffer): Buffer => {
    const name = `${number} ${purpose}`
    let made = macKeys.get(name)
    if (made === undefined) {
      made = createSecretKey(key(purpose, number))
      macKeys.set(name, made)
    }
    return createHmac('sha256', made).update(text).digest()
  }
  return {
    key,
    mac: (purpose, text) => macUnder(FIRST, purpose, text),
    signer: (purpose) =>
      Object.assign((text: Buffer) => macUnder(using, purpose, text), {
        all: (text: Buffer) => [
          macUnder(using, purpose, text),
          ...secrets.flatMap((_, i) => (i + 1 === using ? [] : [macUnder(i + 1, purpose, text)])).reverse(),
        ],
      }),
    newest: () => secrets.length,
    present: () => using,
    use: (number) => {
      if (secrets[number - 1] === undefined) throw new Error(`the secret with number ${number} is not held here`)
      using = number
    },
    hold: (changed) => {
      if (secrets.some((secret, i) => changed[i]?.equals(secret) !== true)) throw new Error('a secret is missing')
      secrets = checked(changed)
    },
    seal: (purpose, rowId, plain) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key(purpose, using), nonce).setAAD(Buffer.from(rowId))
      const body = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([Buffer.of(using), nonce, cipher.getAuthTag(), body])
    },
    open: (purpose, rowId, sealed) => {
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
      const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key(purpose, sealed[0]), nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(rowId)).setAuthTag(tag)
      return Buffer.concat([decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()])
    },
  }
}

function checked(secrets: readonly Buffer[]): readonly Buffer[] {
  if (secrets.some(({ length }) => length < SECRET_BYTES))
    throw new Error(`the secret key must have at least ${SECRET_BYTES} bytes`)
  if (secrets.length > MOST_SECRETS) throw new Error(`there can be ${MOST_SECRETS} secrets at most`)
  return [...secrets]
}

/** Compares in a time that does not depend on where the two differ. */
export function sameSecret(a: Buffer | string, b: Buffer | string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
