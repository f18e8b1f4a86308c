import { type DomainChecks, type DomainIdentity, PURPOSES, type RecordCheck } from '../../mail/dns-records.ts'
import type { OptionalChecks } from '../../mail/optional-records.ts'
import type { DomainRow } from './sql.ts'
import type { DomainStatus } from './states.ts'

/** Null: the account's default applies. */
export interface DomainSettings {
  readonly trackingEnabled: boolean | null
  readonly openTrackingEnabled: boolean | null
  readonly clickTrackingEnabled: boolean | null
  readonly unsubscribeHeaderEnabled: boolean | null
  readonly trackingDomainId: string | null
}

export interface Domain {
  readonly id: string
  readonly accountId: string
  /** Lower-case A-labels, no trailing dot. */
  readonly name: string
  readonly tags: readonly string[]
  readonly status: DomainStatus
  readonly settings: DomainSettings
  readonly verificationToken: string
  readonly dkimSelector: string
  readonly dkimPublicKey: string
  /** The second key's `p=`. */
  readonly ed25519PublicKey: string
  /** Check of the second key's record, which does not affect the status; null before the first check. */
  readonly ed25519Check: RecordCheck | null
  /** Checks of the other optional records; empty before the first check. */
  readonly optionalChecks: Partial<OptionalChecks>
  /** Result of the last check; null before the first. */
  readonly checks: DomainChecks | null
  readonly spfLost: boolean
  readonly createdAt: Date
  readonly verifiedAt: Date | null
  readonly lastCheckedAt: Date | null
  readonly statusSince: Date
  readonly nextCheckAt: Date | null
}

export function domainOf(row: DomainRow): Domain {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    tags: row.tags,
    status: row.status as DomainStatus,
    settings: {
      trackingEnabled: row.tracking_enabled,
      openTrackingEnabled: row.open_tracking_enabled,
      clickTrackingEnabled: row.click_tracking_enabled,
      unsubscribeHeaderEnabled: row.unsubscribe_header_enabled,
      trackingDomainId: row.tracking_domain_id,
    },
    verificationToken: row.verification_token,
    dkimSelector: row.dkim_selector,
    dkimPublicKey: row.dkim_public_key,
    ed25519PublicKey: row.ed25519_public_key,
    ed25519Check: row.ed25519_check as RecordCheck | null,
    optionalChecks: (row.optional_checks ?? {}) as Partial<OptionalChecks>,
    checks: row.checks as DomainChecks | null,
    spfLost: row.spf_lost,
    createdAt: row.created_at,
    verifiedAt: row.verified_at,
    lastCheckedAt: row.last_checked_at,
    statusSince: row.status_since,
    nextCheckAt: row.next_check_at,
  }
}

export function identityOf(domain: Domain, spfMechanism: string): DomainIdentity {
  return {
    domain: domain.name,
    verificationToken: domain.verificationToken,
    dkimSelector: domain.dkimSelector,
    dkimPublicKey: domain.dkimPublicKey,
    ed25519PublicKey: domain.ed25519PublicKey,
    spfMechanism,
  }
}

/** PostgreSQL's jsonb cannot store NUL or lone surrogates, but DNS records may contain both. */
export function storable(checks: DomainChecks): DomainChecks {
  return Object.fromEntries(PURPOSES.map((purpose) => [purpose, storableCheck(checks[purpose])])) as DomainChecks
}

export function storableOptional(checks: Partial<OptionalChecks>): Partial<OptionalChecks> {
  return Object.fromEntries(Object.entries(checks).map(([purpose, check]) => [purpose, storableCheck(check)]))
}

export function storableCheck({ status, expected, found, error }: RecordCheck): RecordCheck {
  const clean = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()
  return { status, expected, found: found.map(clean), error: error === null ? null : clean(error) }
}
