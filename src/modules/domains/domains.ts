import { MAX_NAME_CHARS } from '../../mail/dns/mistakes.ts'
import { checkOptional, optionalRecords } from '../../mail/dns/optional-records.ts'
import { checkDomain, checkEd25519, type DomainChecks, type RecordCheck } from '../../mail/dns/records.ts'
import type { Clock } from '../../platform/clock.ts'
import { containing } from '../../platform/db/sql-pattern.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { Resolver } from '../../platform/dns.ts'
import { validationError } from '../../platform/errors.ts'
import { type Ids, isUuid } from '../../platform/ids.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { append } from '../events/index.ts'
import { beginDkimRotation, cancelDkimRotation, checkNextKeys, settleDkimRotation } from './dkim-rotation.ts'
import { errors } from './errors.ts'
import { found, type Holder, requireHeld } from './holder.ts'
import { type KeyMaker, keyMaker, keyToPem, newDomainKeys, SELECTOR_CHARS } from './keys.ts'
import * as sql from './sql.ts'
import { type DomainStatus, isActive, nextCheckAt, nextVerificationState, type VerificationStep } from './states.ts'
import {
  type Domain,
  type DomainFindings,
  type DomainSettings,
  domainOf,
  identityOf,
  nextIdentityOf,
  storableFindings,
} from './types.ts'

const TOKEN_BYTES = 20
/** With a longer name, that of its DKIM record would not fit in the DNS. */
export const MAX_VERIFIABLE_CHARS = MAX_NAME_CHARS - `${'-'.repeat(SELECTOR_CHARS)}._domainkey.`.length
/** A verify answers within 10 seconds: this time for the DNS, the rest for the database. */
const VERIFY_WITHIN_MS = 8_000

export interface RemovedDomain {
  readonly accountId: string
  readonly domainId: string
}

export interface DomainsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly resolver: Resolver
  readonly secrets: Secrets
  /** The mechanism in SPF records of sending domains, such as `a:mail.example.com`. */
  readonly spfMechanism: string
  /** Host name of this service, the target of return path hosts under a domain. */
  readonly hostname: string
  /** Whether the account has the tracking domain; it keeps it until the caller's transaction ends. Absent: there are none. */
  readonly trackingDomainExists?: (db: Db, accountId: string, trackingDomainId: string) => Promise<boolean>
  /** The CNAME of a tracking domain; read in the caller's transaction. Absent: none is shown. */
  readonly trackingRecord?: (db: Db, accountId: string, trackingDomainId: string) => Promise<TrackingRecord | null>
  /** Runs in the transaction that removes a domain, as the service: makes its waiting mail due, so that delivery ends it. */
  readonly onRemoved?: (db: Db, removed: RemovedDomain) => Promise<void>
  /** Runs after that commit and before the answer, for work that is too much for one transaction. Never rejects. */
  readonly afterRemoved?: (removed: RemovedDomain) => Promise<void>
  /** Runs after the commit of a change and before the answer, to drop this process's cache entries of the domain. */
  readonly onChanged?: (accountId: string, domainName: string) => void
}

/** The CNAME of the tracking domain of a sending domain, with the result of its last check. */
export interface TrackingRecord {
  readonly name: string
  readonly target: string
  readonly status: 'valid' | 'pending' | 'missing' | 'mismatch'
  readonly found: readonly string[]
  readonly error: string | null
  readonly checkedAt: Date | null
}

export interface NewDomain {
  readonly name: string
  readonly tags: readonly string[]
}

/** Absent fields keep their value. */
export interface DomainChange extends Partial<DomainSettings> {
  readonly tags?: readonly string[]
}

export interface Verified {
  readonly domain: Domain
  /** Result of this check. */
  readonly checks: DomainChecks
}

export interface DomainFilter {
  /** Part of the name, case-insensitive; null: all. */
  readonly search: string | null
  readonly status: DomainStatus | null
}

export interface Domains {
  /** @returns the domain and its private key as PKCS#8 PEM, which is shown only once. @throws already_exists */
  add(accountId: string, domain: NewDomain): Promise<{ readonly domain: Domain; readonly privateKeyPem: string }>
  /** In order of creation. */
  list(
    holder: Holder,
    range: { readonly limit: number | null; readonly offset: number },
    filter?: DomainFilter,
  ): Promise<{ readonly domains: readonly Domain[]; readonly total: number }>
  /** @throws not_found */
  get(holder: Holder, id: string): Promise<Domain>
  /** The CNAME of the domain's own tracking domain; null when it has none. */
  trackingRecord(domain: Domain): Promise<TrackingRecord | null>
  /** @throws not_found, validation_error for a tracking domain that the account does not have */
  change(holder: Holder, id: string, change: DomainChange): Promise<Domain>
  /** @throws not_found, invalid_state while suspended: otherwise it could be added again without the operator's consent */
  remove(holder: Holder, id: string): Promise<Domain>
  /** Checks the DNS and judges within 10 seconds, even when the client has disconnected. @throws not_found */
  verify(holder: Holder, id: string): Promise<Verified>
  /** Makes the next DKIM keys, which are used once their record is found; see dkim-rotation.ts. @throws not_found */
  beginDkimRotation(holder: Holder, id: string): Promise<Domain>
  /** @throws not_found */
  cancelDkimRotation(holder: Holder, id: string): Promise<Domain>
  /** Rechecks a due domain; null when it was removed meanwhile. */
  recheck(domain: Domain, signal: AbortSignal): Promise<Domain | null>
  /**
   * Sets the status for the operator. `verified` is not rechecked until somebody asks to verify.
   *
   * @throws not_found
   */
  setStatus(accountId: string, id: string, status: DomainStatus): Promise<Domain>
  /** Domains of any account by name or id, for the operator; at most 100. */
  find(nameOrId: string): Promise<readonly Domain[]>
  /** The mechanism in SPF records of sending domains. */
  readonly spfMechanism: string
  /** Host name of this service, the target of return path hosts under a domain. */
  readonly hostname: string
}

export function domainsOf(options: DomainsOptions): Domains {
  const { database, spfMechanism } = options
  const makeKey = keyMaker()
  const check = async (domain: Domain, signal: AbortSignal): Promise<DomainFindings> => {
    const identity = identityOf(domain, spfMechanism)
    const [checks, ed25519, optional, rotation] = await Promise.all([
      checkDomain(identity, options.resolver, signal),
      checkEd25519(identity, options.resolver, signal),
      checkOptional(optionalRecords(domain.name, options.hostname), options.resolver, signal),
      checkNextKeys(nextIdentityOf(domain, spfMechanism), options.resolver, signal),
    ])
    return { checks, ed25519, optional, rotation }
  }
  const get = async (holder: Holder, id: string): Promise<Domain> => {
    requireHeld(holder, id)
    return database.tenant(holder.accountId, async (db) => found(await db.one(sql.byId, [holder.accountId, id])))
  }
  const forgotten = (domain: Domain): Domain => {
    options.onChanged?.(domain.accountId, domain.name)
    return domain
  }
  return {
    spfMechanism,
    hostname: options.hostname,
    get,
    add: (accountId, domain) => add(options, makeKey, accountId, domain),
    list: ({ accountId, domainIds }, { limit, offset }, filter = { search: null, status: null }) =>
      database.tenant(accountId, async (db) => {
        const asked = [accountId, domainIds, containing(filter.search), filter.status]
        const total = await db.one<{ n: number }>(sql.count, asked)
        const rows = await db.query<sql.DomainRow>(sql.list, [...asked, limit, offset])
        return { domains: rows.map(domainOf), total: total?.n ?? 0 }
      }),
    trackingRecord: async ({ accountId, settings: { trackingDomainId } }) => {
      const { trackingRecord } = options
      if (trackingDomainId === null || trackingRecord === undefined) return null
      return database.tenant(accountId, (db) => trackingRecord(db, accountId, trackingDomainId))
    },
    change: async (holder, id, change) => forgotten(await changeDomain(options, holder, id, change)),
    remove: async (holder, id) => forgotten(await remove(options, holder, id)),
    verify: async (holder, id) => {
      const domain = await get(holder, id)
      const seen = await check(domain, AbortSignal.timeout(VERIFY_WITHIN_MS))
      const judged = await database.tenant(holder.accountId, (db) => record(options, db, domain, seen, true))
      if (judged === null) throw errors.not_found()
      return { domain: forgotten(judged.domain), checks: judged.checks }
    },
    recheck: async (domain, signal) => {
      const seen = await check(domain, AbortSignal.any([AbortSignal.timeout(VERIFY_WITHIN_MS), signal]))
      // A shutdown is no result: the lease expires and another worker checks again.
      signal.throwIfAborted()
      const judged = await database.transaction((db) => record(options, db, domain, seen, false))
      return judged?.domain ?? null
    },
    beginDkimRotation: (holder, id) => beginDkimRotation(options, makeKey, holder, id),
    cancelDkimRotation: (holder, id) => cancelDkimRotation(options, holder, id),
    setStatus: (accountId, id, status) =>
      database.transaction((db) => setStatus(options, db, { accountId, id }, status)),
    find: async (nameOrId) => {
      const isId = isUuid(nameOrId)
      const rows = await database.system.query<sql.DomainRow>(isId ? sql.byAnyId : sql.byAnyName, [
        isId ? nameOrId : nameOrId.toLowerCase(),
      ])
      return rows.map(domainOf)
    },
  }
}

async function add(
  options: DomainsOptions,
  makeKey: KeyMaker,
  accountId: string,
  { name, tags }: NewDomain,
): Promise<{ readonly domain: Domain; readonly privateKeyPem: string }> {
  const { database, clock, ids } = options
  // Checked before the key is made, which costs a hundred times as much; the insert below decides.
  const taken = await database.tenant(accountId, (db) => db.one(sql.exists, [accountId, name]))
  if (taken !== null) throw errors.already_exists({ domain: name })
  const id = ids.next()
  const keys = await newDomainKeys(options, makeKey, id)
  const now = clock.now()
  const row = await database.tenant(accountId, async (db) => {
    const added = await db.one<sql.DomainRow>(sql.add, [
      id,
      accountId,
      name,
      [...new Set(tags)],
      ids.bytes(TOKEN_BYTES).toString('hex'),
      keys.selector,
      keys.publicKey,
      keys.sealedPrivateKey,
      keys.ed25519PublicKey,
      keys.sealedEd25519PrivateKey,
      now,
      nextCheckAt({ status: 'pending', since: now, spfLost: false }, now, ids.chance()),
    ])
    await db.query(sql.notify, [accountId, name])
    return added
  })
  if (row === null) throw errors.already_exists({ domain: name })
  return { domain: domainOf(row), privateKeyPem: keyToPem(keys.privateKey) }
}

function changeDomain(options: DomainsOptions, holder: Holder, id: string, change: DomainChange): Promise<Domain> {
  requireHeld(holder, id)
  const { accountId } = holder
  return options.database.tenant(accountId, async (db) => {
    // Before the domain is locked: the same lock order as the removal of a tracking domain, which then clears its uses.
    const wanted = change.trackingDomainId ?? null
    const isKnown = wanted === null || (await options.trackingDomainExists?.(db, accountId, wanted)) === true
    const before = found(await db.one(sql.lock, [accountId, id]))
    if (!isKnown) throw validationError([UNKNOWN_TRACKING_DOMAIN])
    const { tags = before.tags, ...given } = change
    const settings: DomainSettings = { ...before.settings, ...given }
    const row = await db.one<sql.DomainRow>(sql.change, [
      accountId,
      id,
      [...new Set(tags)],
      settings.trackingEnabled,
      settings.openTrackingEnabled,
      settings.clickTrackingEnabled,
      settings.unsubscribeHeaderEnabled,
      settings.trackingDomainId,
    ])
    await db.query(sql.notify, [accountId, before.name])
    return found(row)
  })
}

const UNKNOWN_TRACKING_DOMAIN = {
  field: 'tracking_domain_id',
  rule: 'exists',
  message: 'is not a tracking domain of this account',
}

/** Runs as the service, not as the tenant: other modules then change tables that the API has no right to. */
async function remove(
  { database, onRemoved, afterRemoved }: DomainsOptions,
  holder: Holder,
  id: string,
): Promise<Domain> {
  requireHeld(holder, id)
  const { accountId } = holder
  const removed = await database.transaction(async (db) => {
    const domain = found(await db.one(sql.lock, [accountId, id]))
    if (domain.status === 'suspended') throw errors.invalid_state({ verification_status: domain.status })
    await db.execute(sql.remove, [accountId, id])
    await onRemoved?.(db, { accountId, domainId: domain.id })
    await db.query(sql.notify, [accountId, domain.name])
    return domain
  })
  await afterRemoved?.({ accountId, domainId: removed.id })
  return removed
}

/**
 * Judges a check against the domain's current state, under its lock: an overlapping verify and recheck are judged one after
 * the other, and each change of state is reported once. A recheck during which somebody verified is dropped: their result
 * stands, and the recheck's may be older. So is a verify that would undo what another one found meanwhile, and one that asked
 * about DKIM keys that have been replaced since. Next DKIM keys whose record was found take their place first.
 *
 * @param domain its state when the DNS was asked
 * @param asked false: a recheck
 */
async function record(
  options: DomainsOptions,
  db: Db,
  domain: Domain,
  answered: DomainFindings,
  asked: boolean,
): Promise<Verified | null> {
  const row = await db.one<sql.DomainRow>(sql.lock, [domain.accountId, domain.id])
  if (row === null) return null
  const locked = domainOf(row)
  const stored: Verified = { domain: locked, checks: locked.checks ?? answered.checks }
  const isChecked = locked.lastCheckedAt?.getTime() !== domain.lastCheckedAt?.getTime()
  // The operator may have set the status, too.
  const isOvertaken = isChecked || locked.statusSince.getTime() !== domain.statusSince.getTime()
  if ((isOvertaken && !asked) || locked.dkimSelector !== domain.dkimSelector) return stored
  const now = options.clock.now()
  const { domain: before, findings: seen } = await settleDkimRotation(db, locked, storableFindings(answered), now)
  const standing = { status: before.status, since: before.statusSince, spfLost: before.spfLost }
  const step = nextVerificationState(standing, seen.checks, now, asked)
  if (isOvertaken && before.status === 'verified' && step.status !== 'verified') return { ...stored, domain: before }
  return { domain: await settle(options, db, before, { ...step, seen, now }), checks: seen.checks }
}

interface Settlement extends VerificationStep {
  /** Null: the DNS was not asked. */
  readonly seen: DomainFindings | null
  readonly now: Date
  /** True: no rechecks, because the operator set the status. */
  readonly unchecked?: boolean
}

async function settle(
  { ids }: DomainsOptions,
  db: Db,
  before: Domain,
  { status, since, spfLost, event, seen, now, unchecked = false }: Settlement,
): Promise<Domain> {
  const next = unchecked ? null : nextCheckAt({ status, since, spfLost }, now, ids.chance(), before.dkimRotation?.since)
  const row = await db.one<sql.DomainRow>(sql.judge, [
    before.accountId,
    before.id,
    status,
    since,
    spfLost,
    status === 'verified' && before.status !== 'verified' ? now : before.verifiedAt,
    next,
    seen === null ? null : JSON.stringify(seen.checks),
    seen === null ? null : now,
    seen === null ? null : JSON.stringify(seen.ed25519),
    published(seen?.ed25519),
    seen === null ? null : JSON.stringify(seen.optional),
    published(seen?.optional.return_path),
  ])
  const domain = found(row)
  if (event !== null) {
    await append(db, [
      {
        eventId: ids.next(),
        at: now,
        accountId: domain.accountId,
        domainId: domain.id,
        emailId: null,
        type: event,
        stream: 'transactional',
        sandbox: false,
        tag: null,
        data: { domain_id: domain.id, domain: domain.name, verification_status: status, checks: domain.checks },
        facts: null,
      },
    ])
  }
  if (status !== before.status) await db.query(sql.notify, [domain.accountId, domain.name])
  return domain
}

/** Whether the record is published; null without an answer of the DNS, which keeps the stored value. */
function published(check: RecordCheck | undefined): boolean | null {
  return check === undefined || check.status === 'error' ? null : check.status === 'valid'
}

async function setStatus(
  options: DomainsOptions,
  db: Db,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  status: DomainStatus,
): Promise<Domain> {
  const before = found(await db.one(sql.lock, [accountId, id]))
  const now = options.clock.now()
  return settle(options, db, before, {
    status,
    since: now,
    spfLost: false,
    event: status === before.status ? null : eventOfChange(before.status, status),
    seen: null,
    now,
    unchecked: status === 'verified',
  })
}

function eventOfChange(before: DomainStatus, status: DomainStatus): VerificationStep['event'] {
  if (status === 'verified') return 'domain.verified'
  return isActive(before) ? 'domain.verification_failed' : null
}
