// The DKIM key pairs of a domain: RSA with 2048 bits (RFC 8301), and Ed25519 (RFC 8463) as an optional second key. The thread
// pool makes RSA keys. It also signs mail, so keys are made one at a time, however many domains are added at once. An
// Ed25519 key takes about 50 microseconds.

import { createPrivateKey, generateKeyPair, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { publicKeyOf } from '../../mail/dkim.ts'
import { platformErrors } from '../../platform/errors.ts'

const RSA_BITS = 2048
const MAX_WAITING = 100
const RETRY_AFTER_SECONDS = 10

export interface DkimKeyPair {
  /** The value of `p=`. */
  readonly publicKey: string
  readonly privateKey: KeyObject
}

/** Makes key pairs, one at a time; throws service_unavailable when 100 are waiting. */
export function keyMaker(): () => Promise<DkimKeyPair> {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  const make = async (): Promise<DkimKeyPair> => {
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: RSA_BITS })
    return { publicKey: publicKeyOf(privateKey), privateKey }
  }
  return async () => {
    if (waiting >= MAX_WAITING) throw platformErrors.service_unavailable({}, { retryAfter: RETRY_AFTER_SECONDS })
    waiting++
    const made = last.then(make)
    last = made.catch(() => undefined)
    try {
      return await made
    } finally {
      waiting--
    }
  }
}

export function ed25519Pair(): DkimKeyPair {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { publicKey: publicKeyOf(privateKey), privateKey }
}

/** PKCS#8 DER, the form that is sealed. */
export function keyToBytes(key: KeyObject): Buffer {
  return key.export({ type: 'pkcs8', format: 'der' })
}

export function keyFromBytes(bytes: Buffer): KeyObject {
  return createPrivateKey({ key: bytes, type: 'pkcs8', format: 'der' })
}

export function keyToPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}
