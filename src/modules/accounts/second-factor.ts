// The second factor of a sign-in: codes of an authenticator (RFC 6238), and recovery codes for who has lost it.

import { Secret, TOTP } from 'otpauth'
import type { Ids } from '../../platform/ids.ts'
import { hashOf, randomBase62 } from './key-format.ts'

/** What the secret is sealed for. */
export const TOTP_SEAL = 'totp'
const RECOVERY_CODES = 10
const RECOVERY_CHARS = 16
const STEP_SECONDS = 30
const STEPS_OFF = 1

/** A new secret for an authenticator, in base 32, and the URL of its QR code. */
export function newTotp(label: string): { readonly secret: string; readonly url: string } {
  const secret = new Secret({ size: 20 }).base32
  return { secret, url: totpOf(secret, label).toString() }
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: 'Posthorn', label, secret, algorithm: 'SHA1', digits: 6, period: STEP_SECONDS })
}

/** The time step a code belongs to, at most one off; null when it belongs to none. */
export function stepOf(secret: string, code: string, now: Date): number | null {
  if (!isOfAuthenticator(code)) return null
  const timestamp = now.getTime()
  const off = totpOf(secret, '').validate({ token: code.trim(), timestamp, window: STEPS_OFF })
  return off === null ? null : Math.floor(timestamp / 1_000 / STEP_SECONDS) + off
}

export function isOfAuthenticator(code: string): boolean {
  return /^\d{6}$/.test(code.trim())
}

/** New recovery codes, as they are shown. */
export function newRecoveryCodes(ids: Ids): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    randomBase62(RECOVERY_CHARS, ids.bytes)
      .toLowerCase()
      .replaceAll(/(.{4})(?=.)/g, '$1-'),
  )
}

/** The stored form of a recovery code; blanks, hyphens and case do not matter. */
export function recoveryHash(code: string): Buffer {
  return hashOf(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
}
