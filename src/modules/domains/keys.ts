// The DKIM key pairs of a domain: RSA with 2048 bits (RFC 8301), and Ed25519 (RFC 8463) as an optional second key. The thread
// pool makes RSA keys. It also signs mail, so keys are made one at a time, however many domains are added at once. An
// Ed25519 key takes about 50 microseconds. Both are stored sealed, with the domain's id as additional data.

import { createPrivateKey, generateKeyPair, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { publicKeyOf } from '../../mail/authentication/dkim.ts'
import { platformErrors } from '../../platform/errors.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Secrets } from '../../platform/secrets.ts'

export const SEAL_PURPOSE = 'dkim-private-key'
/** A separate purpose: the two keys of a row cannot be swapped. */
export const ED25519_SEAL_PURPOSE = 'dkim-ed25519-key'
const SELECTOR_BYTES = 5
const selectorOf = (random: Buffer): string => `ph${random.toString('hex')}`
/** Matches the selectors of both keys. */
export const SELECTOR_PATTERN = `^ph[0-9a-f]{${SELECTOR_BYTES * 2}}`
/** All selectors have the same length. */
export const SELECTOR_CHARS = selectorOf(Buffer.alloc(SELECTOR_BYTES)).length

const RSA_BITS = 2048
const MAX_WAITING = 100
const RETRY_AFTER_SECONDS = 10

export interface DkimKeyPair {
  /** The value of `p=`. */
  readonly publicKey: string
  readonly privateKey: KeyObject
}

export type KeyMaker = () => Promise<DkimKeyPair>

/** Makes key pairs, one at a time; throws service_unavailable when 100 are waiting. */
export function keyMaker(): KeyMaker {
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

/** Both pairs of a domain under one selector. */
export interface DomainKeys {
  readonly selector: string
  readonly publicKey: string
  readonly privateKey: KeyObject
  readonly sealedPrivateKey: Buffer
  readonly ed25519PublicKey: string
  readonly sealedEd25519PrivateKey: Buffer
}

/** @throws service_unavailable, as `makeKey` does */
export async function newDomainKeys(
  { ids, secrets }: { readonly ids: Ids; readonly secrets: Secrets },
  makeKey: KeyMaker,
  domainId: string,
): Promise<DomainKeys> {
  const { publicKey, privateKey } = await makeKey()
  const second = ed25519Pair()
  return {
    selector: selectorOf(ids.bytes(SELECTOR_BYTES)),
    publicKey,
    privateKey,
    sealedPrivateKey: secrets.seal(SEAL_PURPOSE, domainId, keyToBytes(privateKey)),
    ed25519PublicKey: second.publicKey,
    sealedEd25519PrivateKey: secrets.seal(ED25519_SEAL_PURPOSE, domainId, keyToBytes(second.privateKey)),
  }
}

function ed25519Pair(): DkimKeyPair {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { publicKey: publicKeyOf(privateKey), privateKey }
}

/** PKCS#8 DER, the form that is sealed. */
function keyToBytes(key: KeyObject): Buffer {
  return key.export({ type: 'pkcs8', format: 'der' })
}

export function keyFromBytes(bytes: Buffer): KeyObject {
  return createPrivateKey({ key: bytes, type: 'pkcs8', format: 'der' })
}

export function keyToPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}
