// DANE for SMTP (RFC 7672): checks whether the TLSA records of a mail host (RFC 6698, RFC 7671) match a certificate.
//
//   usage 3 (DANE-EE)   the server's own certificate or key; its names and dates are not checked
//   usage 2 (DANE-TA)   an authority in the server's chain; dates, signatures and the host name are checked
//   0 and 1             make no sense for mail and are unusable, as are all values unknown to this file
//
// A domain may publish a thousand records. Each certificate is hashed once for each form, not once for each record, and of the
// authorities that the DNS contains in full the first ten count.

import { createHash, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'

export interface TlsaRecord {
  readonly usage: number
  readonly selector: number
  readonly matching: number
  readonly data: Buffer
}

const DIGESTS = [null, { name: 'sha256', bytes: 32 }, { name: 'sha512', bytes: 64 }] as const
const MAX_CHAIN = 10
const MAX_WHOLE_KEYS = 10

/** Whether a record is supported and can decide anything. */
export function isUsable({ usage, selector, matching, data }: TlsaRecord): boolean {
  const digest = DIGESTS[matching]
  if ((usage !== 2 && usage !== 3) || (selector !== 0 && selector !== 1) || digest === undefined) return false
  return digest === null ? data.length > 0 : data.length === digest.bytes
}

/** `other_host`, only for usage 2: an authority named by a record vouches for the certificate, but it is for another host. */
export type TlsaVerdict = 'named' | 'other_host' | 'not_named'

/**
 * @param chain as the server sent it, its own certificate first
 * @param names of the host; with usage 2, the certificate must have one of them
 */
export function tlsaVerdict(
  records: readonly TlsaRecord[],
  chain: readonly X509Certificate[],
  names: readonly string[],
  now: Date,
): TlsaVerdict {
  const [leaf] = chain
  if (leaf === undefined) return 'not_named'
  const usable = records.filter(isUsable)
  if (selectedBy(usable.filter(({ usage }) => usage === 3))(leaf)) return 'named'
  const authorities = usable.filter(({ usage }) => usage === 2)
  if (authorities.length === 0 || !leadsTo(authorities, chain.slice(0, MAX_CHAIN), now)) return 'not_named'
  const isForHost = names.some((name) => leaf.checkHost(name, { partialWildcards: false }) !== undefined)
  return isForHost ? 'named' : 'other_host'
}

/** @returns whether one of the records names a certificate */
function selectedBy(records: readonly TlsaRecord[]): (certificate: X509Certificate) => boolean {
  const forms = new Map(records.map((record) => [`${record.selector} ${record.matching}`, record]))
  const known = new Set(records.map(({ selector, matching, data }) => wordOf(selector, matching, data)))
  return (certificate) =>
    forms.values().some(({ selector, matching }) => {
      const bytes = selector === 0 ? certificate.raw : certificate.publicKey.export({ type: 'spki', format: 'der' })
      const digest = DIGESTS[matching] ?? null
      const data = digest === null ? bytes : createHash(digest.name).update(bytes).digest()
      return known.has(wordOf(selector, matching, data))
    })
}

function wordOf(selector: number, matching: number, data: Buffer): string {
  return `${selector} ${matching} ${data.toString('base64')}`
}

/** Follows the chain, each certificate signed by the next, until it reaches an authority that a record names. */
function leadsTo(authorities: readonly TlsaRecord[], chain: readonly X509Certificate[], now: Date): boolean {
  const isNamed = selectedBy(authorities)
  const keys = authorities
    .filter(({ matching }) => matching === 0)
    .slice(0, MAX_WHOLE_KEYS)
    .flatMap(wholeKey)
  for (const [index, certificate] of chain.entries()) {
    if (!isInDate(certificate, now)) return false
    if (index > 0 && isNamed(certificate)) return true
    // The server need not send an authority that the DNS contains in full.
    if (keys.some((key) => verifies(certificate, key))) return true
    const issuer = chain[index + 1]
    if (issuer === undefined || !issuer.ca || !certificate.checkIssued(issuer)) return false
    if (!verifies(certificate, issuer.publicKey)) return false
  }
  return false
}

function wholeKey({ selector, data }: TlsaRecord): readonly KeyObject[] {
  try {
    return [
      selector === 0
        ? new X509Certificate(data).publicKey
        : createPublicKey({ key: data, type: 'spki', format: 'der' }),
    ]
  } catch {
    return []
  }
}

function verifies(certificate: X509Certificate, key: KeyObject): boolean {
  try {
    return certificate.verify(key)
  } catch {
    return false
  }
}

function isInDate({ validFromDate, validToDate }: X509Certificate, now: Date): boolean {
  return validFromDate <= now && now <= validToDate
}
