import type { OptionalChecks } from '../../mail/dns/optional-records.ts'
import { type DomainChecks, type DomainIdentity, PURPOSES, type RecordCheck } from '../../mail/dns/records.ts'
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
  /** Null: its DKIM keys are not being replaced. */
  readonly dkimRotation: DkimRotation | null
  /** Null: its DKIM keys were never replaced. */
  readonly previousDkimKey: { readonly selector: string; readonly replacedAt: Date } | null
}

/** The next keys of a domain, which wait for their record. */
export interface DkimRotation {
  readonly selector: string
  readonly publicKey: string
  readonly ed25519PublicKey: string
  /** Null before the first. */
  readonly check: RecordCheck | null
  readonly ed25519Check: RecordCheck | null
  readonly since: Date
}

/** Result of one check of the DNS. */
export interface DomainFindings {
  readonly checks: DomainChecks
  readonly ed25519: RecordCheck
  readonly optional: Partial<OptionalChecks>
  /** Of the next keys; null when there were none. */
  readonly rotation: { readonly selector: string; readonly dkim: RecordCheck; readonly ed25519: RecordCheck } | null
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
    dkimRotation: rotationOf(row),
    previousDkimKey:
      row.previous_dkim_selector === null || row.dkim_replaced_at === null
        ? null
        : { selector: row.previous_dkim_selector, replacedAt: row.dkim_replaced_at },
  }
}

function rotationOf(row: DomainRow): DkimRotation | null {
  if (row.next_dkim_selector === null) return null
  return {
    selector: row.next_dkim_selector,
    publicKey: row.next_dkim_public_key as string,
    ed25519PublicKey: row.next_ed25519_public_key as string,
    check: row.next_dkim_check as RecordCheck | null,
    ed25519Check: row.next_ed25519_check as RecordCheck | null,
    since: row.next_dkim_since as Date,
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

/** As it will be with the next keys; null when they are not being replaced. */
export function nextIdentityOf(domain: Domain, spfMechanism: string): DomainIdentity | null {
  const { dkimRotation } = domain
  if (dkimRotation === null) return null
  const { selector: dkimSelector, publicKey: dkimPublicKey, ed25519PublicKey } = dkimRotation
  return { ...identityOf(domain, spfMechanism), dkimSelector, dkimPublicKey, ed25519PublicKey }
}

/** PostgreSQL's jsonb cannot store NUL or lone surrogates, but DNS records may contain both. */
export function storableFindings({ checks, ed25519, optional, rotation }: DomainFindings): DomainFindings {
  return {
    checks: storable(checks),
    ed25519: storableCheck(ed25519),
    optional: storableOptional(optional),
    rotation:
      rotation === null
        ? null
        : { ...rotation, dkim: storableCheck(rotation.dkim), ed25519: storableCheck(rotation.ed25519) },
  }
}

function storable(checks: DomainChecks): DomainChecks {
  return Object.fromEntries(PURPOSES.map((purpose) => [purpose, storableCheck(checks[purpose])])) as DomainChecks
}

function storableOptional(checks: Partial<OptionalChecks>): Partial<OptionalChecks> {
  return Object.fromEntries(Object.entries(checks).map(([purpose, check]) => [purpose, storableCheck(check)]))
}

function storableCheck({ status, expected, found, error }: RecordCheck): RecordCheck {
  const clean = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()
  return { status, expected, found: found.map(clean), error: error === null ? null : clean(error) }
}
