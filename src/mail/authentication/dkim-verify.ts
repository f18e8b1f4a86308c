// Verifies DKIM signatures with mailauth in its strict mode: RFC 6376, RFC 8301 and RFC 8463 to the letter. We use no other
// part of that package. Run it in a thread: the mail determines how much time and memory it takes. The caller supplies the
// keys; there are no look-ups.

import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import type { DkimReason, DkimVerdict, DkimWork } from './dkim-check.ts'

/** RFC 8301 section 3.2. */
const KEY_BITS_LEAST = 1_024

/** @returns a verdict for each signature, in the order of the header */
export async function verifyDkim({ raw, keys, now }: DkimWork): Promise<readonly DkimVerdict[]> {
  const records = new Map(keys)
  const { results } = await dkimVerify(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), {
    strict: true,
    minBitLength: KEY_BITS_LEAST,
    curTime: now,
    resolver: async (name: string) => {
      const record = records.get(name.toLowerCase())
      if (record === undefined) throw Object.assign(new Error('no such key'), { code: 'ENOTFOUND' })
      return [[record]]
    },
  })
  return results.map((result) => ({
    domain: (result.signingDomain ?? '').toLowerCase(),
    selector: (result.selector ?? '').toLowerCase(),
    reason: result.canonBodyLengthLimited === true ? 'length_limited' : reasonOf(result.status),
  }))
}

function reasonOf({ result, comment }: { readonly result: string; readonly comment?: unknown }): DkimReason | null {
  if (result === 'pass') return null
  if (result === 'policy') return comment === 'weak algorithm' ? 'weak_algorithm' : 'weak_key'
  return REASONS.get(String(comment)) ?? 'malformed'
}

/** By mailauth's comment. All its comments on the syntax of a signature map to `malformed`. */
const REASONS: ReadonlyMap<string, DkimReason> = new Map([
  ['body hash did not verify', 'body_changed'],
  ['bad signature', 'bad_signature'],
  ['expired', 'expired'],
  ['no key', 'no_key'],
  ['unknown key version', 'unusable_key'],
  ['unknown key type', 'unusable_key'],
  ['invalid public key', 'unusable_key'],
  ['inappropriate hash algorithm', 'unusable_key'],
  ['inappropriate key algorithm', 'unusable_key'],
  ['key not for email', 'unusable_key'],
])
