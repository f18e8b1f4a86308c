// What an account may change about itself. Plan, limits, features and suspension are the operator's: the API's database
// role cannot write them at all.

import { parseAddress } from '../../mail/address.ts'
import type { Db } from '../../platform/db.ts'
import { type FieldFault, validationError } from '../../platform/errors.ts'
import { errors } from './errors.ts'
import { type AccountRow, lockAccount, updateProfile } from './sql.ts'

export type ProfileChange = Partial<
  Omit<AccountRow, 'account_id' | 'plan' | 'limits' | 'features' | 'suspended_at' | 'created_at' | 'deleted_at'>
>

/** @returns the account before and after. @throws ApiError validation_error, not_found */
export async function changeProfile(
  db: Db,
  accountId: string,
  change: ProfileChange,
): Promise<{ readonly before: AccountRow; readonly after: AccountRow }> {
  const faults = profileFaults(change)
  if (faults.length > 0) throw validationError(faults)
  const before = await lockAccount(db, accountId)
  if (before === null) throw errors.not_found()
  const after = {
    ...before,
    ...change,
    ...(change.timezone !== undefined && { timezone: inItsSpelling(change.timezone) }),
  }
  await updateProfile(db, after)
  return { before, after }
}

/** Faults the schema cannot express, for any body. */
export function profileFaults(change: unknown): FieldFault[] {
  const { email, timezone, locale } = (change ?? {}) as Readonly<Record<string, unknown>>
  const faults: FieldFault[] = []
  if (typeof email === 'string' && !parseAddress(email).ok) {
    faults.push({ field: 'email', rule: 'email', message: 'is no email address' })
  }
  if (typeof timezone === 'string' && !isTimezone(timezone)) {
    faults.push({ field: 'timezone', rule: 'timezone', message: 'is no time zone such as Europe/Vienna' })
  }
  if (typeof locale === 'string' && !isLocale(locale)) {
    faults.push({ field: 'locale', rule: 'locale', message: 'is no language tag such as en or de-AT' })
  }
  return faults
}

/** True for a zone name, as statistics require. A UTC offset, which Intl also accepts, is not one. */
function isTimezone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false
  try {
    zoneOf(text)
    return true
  } catch {
    return false
  }
}

/** Corrects case: `europe/berlin` to `Europe/Berlin`. Where Intl would pick another, older name (Asia/Calcutta), keeps it. */
function inItsSpelling(timezone: string): string {
  const known = zoneOf(timezone)
  return known.toLowerCase() === timezone.toLowerCase() ? known : timezone
}

/** @throws RangeError */
function zoneOf(timezone: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone
}

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}
