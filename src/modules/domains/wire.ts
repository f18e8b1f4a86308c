// Sending domains as the API shows them.

import { optionalRecords } from '../../mail/dns/optional-records.ts'
import {
  type DomainRecord,
  dkimRecord,
  dmarcRecord,
  domainRecords,
  ed25519Record,
  hostOf,
  type RecordCheck,
  spfRecord,
} from '../../mail/dns/records.ts'
import { keepRecordUntil } from './dkim-rotation.ts'
import type { Domains, TrackingRecord } from './domains.ts'
import { isActive } from './states.ts'
import { type Domain, identityOf, nextIdentityOf } from './types.ts'

/** The list item: DomainDetail without the private key. */
export function wireDomain(domain: Domain, spfMechanism: string): object {
  const { settings } = domain
  return {
    id: domain.id,
    domain: domain.name,
    verification_status: domain.status,
    dkim_selector: domain.dkimSelector,
    spf_record: spfRecord(spfMechanism),
    dmarc_record: dmarcRecord(domain.name),
    is_active: isActive(domain.status),
    tags: domain.tags,
    created_at: domain.createdAt.toISOString(),
    verified_at: domain.verifiedAt?.toISOString() ?? null,
    verification_token: domain.verificationToken,
    dkim_public_key: domain.dkimPublicKey,
    dkim_rotation: wireRotation(domain),
    previous_dkim_key: wirePreviousKey(domain),
    tracking_enabled: settings.trackingEnabled,
    open_tracking_enabled: settings.openTrackingEnabled,
    click_tracking_enabled: settings.clickTrackingEnabled,
    unsubscribe_header_enabled: settings.unsubscribeHeaderEnabled,
    tracking_domain_id: settings.trackingDomainId,
    last_checked_at: domain.lastCheckedAt?.toISOString() ?? null,
  }
}

function wireRotation({ dkimRotation }: Domain): object | null {
  if (dkimRotation === null) return null
  const { selector, check, since } = dkimRotation
  return { selector, status: check?.status ?? 'pending', requested_at: since.toISOString() }
}

function wirePreviousKey({ previousDkimKey }: Domain): object | null {
  if (previousDkimKey === null) return null
  const { selector, replacedAt } = previousDkimKey
  return {
    selector,
    replaced_at: replacedAt.toISOString(),
    keep_record_until: keepRecordUntil(replacedAt).toISOString(),
  }
}

/** The four records with the result of the last check. */
export function wireRecords(domain: Domain, spfMechanism: string): readonly object[] {
  return domainRecords(identityOf(domain, spfMechanism)).map((record) =>
    wireRecord(record, domain.checks?.[record.purpose], domain),
  )
}

/** Optional records: the second DKIM key (RFC 8463), those of `optionalRecords`, and the CNAME of the tracking domain. */
export function wireOptional(
  domain: Domain,
  { spfMechanism, hostname }: Pick<Domains, 'spfMechanism' | 'hostname'>,
  tracking: TrackingRecord | null,
): readonly object[] {
  const checked = domain.ed25519Check ?? undefined
  const key = wireRecord(ed25519Record(identityOf(domain, spfMechanism)), checked, domain)
  const others = optionalRecords(domain.name, hostname).map((record) =>
    wireRecord(record, domain.optionalChecks[record.purpose], domain),
  )
  const link = tracking === null ? [] : [wireTracking(tracking)]
  return [key, ...others, ...link, ...wireNextKeys(domain, spfMechanism)]
}

/** The records of the keys that will replace the current ones: RSA, then Ed25519. */
export function wireNextKeys(domain: Domain, spfMechanism: string): readonly WireRecord[] {
  const identity = nextIdentityOf(domain, spfMechanism)
  if (identity === null) return []
  const record = (expected: DomainRecord, check: RecordCheck | null | undefined): WireRecord =>
    wireRecord({ ...expected, purpose: 'dkim_next', required: false }, check ?? undefined, domain)
  return [
    record(dkimRecord(identity), domain.dkimRotation?.check),
    record(ed25519Record(identity), domain.dkimRotation?.ed25519Check),
  ]
}

function wireTracking({ name, target, status, found, error, checkedAt }: TrackingRecord): object {
  return {
    type: 'CNAME',
    purpose: 'tracking',
    name,
    host: hostOf(name, name),
    value: target,
    ttl: 3600,
    priority: null,
    required: false,
    status,
    found,
    error,
    last_checked_at: checkedAt?.toISOString() ?? null,
  }
}

/** A record whose type is TXT unless it says otherwise. */
type ShownRecord = Omit<DomainRecord, 'purpose'> & { readonly type?: string; readonly purpose: string }

interface WireRecord {
  readonly type: string
  readonly purpose: string
  readonly name: string
  readonly value: string
  readonly [field: string]: unknown
}

function wireRecord(record: ShownRecord, check: RecordCheck | undefined, { lastCheckedAt }: Domain): WireRecord {
  return {
    type: record.type ?? 'TXT',
    purpose: record.purpose,
    name: record.name,
    host: record.host,
    value: record.value,
    ttl: record.ttl,
    priority: null,
    required: record.required,
    status: check?.status ?? 'pending',
    found: check?.found ?? [],
    error: check?.error ?? null,
    last_checked_at: check === undefined ? null : (lastCheckedAt?.toISOString() ?? null),
  }
}
