// Branded names of links. A CNAME to an unguessable target, bound to the account, proves a name. So pointing at this service
// in general proves nothing, and a forgotten CNAME is of no use to another account. Two accounts may have the same name
// pending and learn nothing of each other; it is verified for the account whose target the CNAME has. A deleted name that
// was verified is reserved for its account for 30 days. Verified names are checked again every day: once the CNAME is gone,
// the name is unverified, gets no certificate and is used in no new mail. It is checked further, so that a CNAME that comes
// later, or comes back, needs nobody. A DNS error changes nothing.

import { parse } from 'tldts'
import { aboutTarget, MAX_NAME_CHARS } from '../../mail/dns/mistakes.ts'
import { hostOf, registrableDomain } from '../../mail/dns/records.ts'
import { accountPlaces } from '../../platform/account-places.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { Resolver } from '../../platform/dns.ts'
import { validationError } from '../../platform/errors.ts'
import type { Ids } from '../../platform/ids.ts'
import { type Loop, loop, withWork } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { domainsUsing, type Holder, leaveTrackingDomain } from '../domains/index.ts'
import { errors } from './errors.ts'
import * as sql from './sql-tracking-domains.ts'

export interface TrackingDomainsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly secrets: Secrets
  /** Must not cache. */
  readonly resolver: Resolver
  readonly hostname: string
  readonly publicUrl: string
  /** False: nothing here serves TLS, so no certificate is ordered. */
  readonly wantsCertificates: boolean
  /** Called in the transaction that ends a verification without anybody having asked for the check. */
  readonly onLost: (db: Db, lost: LostTrackingDomain) => Promise<void>
}

export interface LostTrackingDomain {
  readonly accountId: string
  readonly id: string
  readonly name: string
  /** What was found in place of its CNAME. */
  readonly error: string
}

export type TrackingDomainRow = sql.NameRow

export interface TrackingDomains {
  add(accountId: string, name: string): Promise<TrackingDomainRow>
  get(accountId: string, id: string): Promise<TrackingDomainRow>
  /** @param range `limit` null: all from `offset` on */
  list(
    accountId: string,
    range: { readonly offset: number; readonly limit: number | null },
  ): Promise<readonly TrackingDomainRow[]>
  count(accountId: string): Promise<number>
  /** Checks by hand, within some seconds. After up to four failed orders, the certificate is ordered again at once. */
  verify(accountId: string, id: string): Promise<TrackingDomainRow>
  check(accountId: string, id: string): Promise<TrackingDomainRow>
  /**
   * @param holder `domainIds`: the sending domains within reach; null: all. A name that others use is never removed
   * @throws ApiError not_found, tracking_domain_in_use
   */
  remove(holder: Holder, id: string, force: boolean): Promise<void>
  /** Checks each verified name again once a day. One that failed a check: every 5 minutes on its first day, then hourly. */
  readonly rechecks: Loop
}

/** Per account. Each name costs certificates, and a CA issues only so many a week. */
const MAX_NAMES = 100
const DAY_MS = 86_400_000
const HELD_MS = 30 * DAY_MS
const RETRY_MS = 3_600_000
const NEW_RETRY_MS = 300_000
const LEASE_MS = 120_000
/** Rechecks of a process at a time. One takes eight seconds where the DNS is silent. */
const RECHECKS = 20
const KEPT_RECHECKS = 5
const RECHECKS_TOGETHER = 5
const RECHECK_TURN_MS = 60_000
const DNS_WITHIN_MS = 8_000
const TARGET_HEX = 32
const LEADS_ELSEWHERE = 'the CNAME leads elsewhere'

export function trackingDomainsOf(options: TrackingDomainsOptions): TrackingDomains {
  const { database, clock, ids, log, secrets, hostname } = options
  const targetOf = (accountId: string, name: string): string =>
    `t-${secrets.mac('tracking cname', `${accountId} ${name}`).toString('hex').slice(0, TARGET_HEX)}.${hostname}`
  const checked = async (row: TrackingDomainRow, byHand: boolean): Promise<TrackingDomainRow> => {
    const found = await cnameOf(options.resolver, row.name)
    const { after, displaced } = await database.transaction((db) =>
      recordCheck(db, options, { before: row, found, byHand }),
    )
    for (const { id, account_id } of displaced)
      log.warn(
        { account_id, tracking_domain_id: id, by_account_id: after.account_id },
        "a tracking domain is another account's now",
      )
    return after
  }
  const get = async (accountId: string, id: string): Promise<TrackingDomainRow> => {
    const row = await database.system.one<TrackingDomainRow>(sql.oneName, [accountId, id])
    if (row === null) throw errors.not_found()
    return row
  }
  return {
    get,
    add: async (accountId, name) => {
      refuseUnfit(name, options)
      return database.transaction(async (db) => {
        await db.query(sql.lockNames, [accountId])
        const { count } = (await db.one<{ count: number }>(sql.countNames, [accountId])) ?? { count: 0 }
        if (count >= MAX_NAMES) {
          const message = `an account has at most ${MAX_NAMES} tracking domains`
          throw validationError([{ field: 'domain', rule: 'limit', message }])
        }
        const values = [ids.next(), accountId, name, targetOf(accountId, name), clock.now()]
        const row = await db.one<TrackingDomainRow>(sql.addName, values)
        if (row === null) throw errors.already_exists({ domain: name })
        return row
      })
    },
    list: (accountId, { offset, limit }) =>
      database.system.query<TrackingDomainRow>(sql.namesOf, [accountId, offset, limit]),
    count: async (accountId) => (await database.system.one<{ count: number }>(sql.countNames, [accountId]))?.count ?? 0,
    verify: async (accountId, id) => checked(await get(accountId, id), true),
    check: async (accountId, id) => checked(await get(accountId, id), false),
    remove: (holder, id, force) => database.transaction((db) => remove(db, clock, holder, { id, force })),
    rechecks: recheckLoop(options, async (row) => {
      await checked(row, false)
    }),
  }
}

function recheckLoop(
  { database, clock, log }: TrackingDomainsOptions,
  check: (row: TrackingDomainRow) => Promise<void>,
): Loop {
  const places = accountPlaces({
    places: RECHECKS,
    kept: KEPT_RECHECKS,
    together: RECHECKS_TOGETHER,
    onFree: () => looking.wake(),
  })
  const recheck = (row: TrackingDomainRow): Promise<void> =>
    check(row).catch((err: unknown) => {
      log.warn({ err, tracking_domain_id: row.id }, 'a tracking domain will be checked again')
    })
  const looking = loop({
    name: 'tracking domain rechecks',
    turn: async () => {
      const { count, except } = places.free()
      if (count === 0) return RECHECK_TURN_MS
      const now = clock.now()
      const leased = new Date(now.getTime() + LEASE_MS)
      const due = await database.system.query<TrackingDomainRow>(sql.dueChecks, [now, leased, count, except])
      for (const row of due) places.take(row.account_id, recheck(row))
      if (due.length > 0) return 0
      await database.system.execute(sql.forgetHolds, [now])
      await database.system.execute(sql.forgetNewCertificates, [new Date(now.getTime() - DAY_MS)])
      return RECHECK_TURN_MS
    },
    onError: (err) => log.warn({ err }, 'tracking domains will be checked again'),
  })
  return withWork(looking, () => places.over())
}

/** Makes due what a clock that was ahead has put off further than the schedule allows. */
export async function recallNameChecks(db: Db, now: Date): Promise<void> {
  const [failed, verified] = [RETRY_MS, DAY_MS].map((waitMs) => new Date(now.getTime() + waitMs))
  await db.execute(sql.recallChecks, [now, failed, verified])
}

/** @throws 422 for a name that no account can own, or that belongs to this service */
function refuseUnfit(name: string, { hostname, publicUrl }: TrackingDomainsOptions): void {
  const { isIp, domain } = parse(name, { allowPrivateDomains: true })
  const own = [hostname, new URL(publicUrl).hostname].some((ours) => name === ours || name.endsWith(`.${ours}`))
  if (isIp !== true && domain !== null && !own) return
  const message = own ? 'is a name of this service' : 'is not a name that an account can own'
  throw validationError([{ field: 'domain', rule: 'domain', message }])
}

type Found =
  | { readonly kind: 'target'; readonly target: string }
  | { readonly kind: 'none'; readonly error: string }
  /** The DNS did not answer, so nothing is known. */
  | { readonly kind: 'unknown'; readonly error: string }

async function cnameOf(resolver: Resolver, name: string): Promise<Found> {
  const signal = AbortSignal.timeout(DNS_WITHIN_MS)
  const answer = await resolver.cname(name, signal).catch(() => ({ kind: 'timeout' as const }))
  switch (answer.kind) {
    case 'found':
      return { kind: 'target', target: (answer.records[0] ?? '').toLowerCase().replace(/\.$/, '').slice(0, 255) }
    case 'nxdomain':
      return { kind: 'none', error: await withReason('the name does not exist', misplacedAt(resolver, name, signal)) }
    case 'nodata':
      return {
        kind: 'none',
        error: await withReason('the name has no CNAME record', addressOf(resolver, name, signal)),
      }
    case 'servfail':
    case 'timeout':
      return { kind: 'unknown', error: 'the DNS did not answer' }
  }
}

/** @param reason null: it cannot be determined, also when the DNS does not answer for it */
async function withReason(error: string, reason: Promise<string | null>): Promise<string> {
  const cause = await reason.catch(() => null)
  return cause === null ? error : `${error}; ${cause}`
}

/** Forms append the zone to what is entered as the name. */
async function misplacedAt(resolver: Resolver, name: string, signal: AbortSignal): Promise<string | null> {
  const doubled = `${name}.${registrableDomain(name)}`
  if (doubled.length > MAX_NAME_CHARS || (await resolver.cname(doubled, signal)).kind !== 'found') return null
  return `it stands at ${doubled}: give it the name ${hostOf(name, name)}`
}

/** An address in its place, as a provider's proxy puts it there. */
async function addressOf(resolver: Resolver, name: string, signal: AbortSignal): Promise<string | null> {
  const answer = await resolver.a(name, signal)
  if (answer.kind !== 'found') return null
  return "it has an A record: publish the CNAME in its place, without the DNS provider's proxy"
}

interface Check {
  /** The row when the DNS was asked. */
  readonly before: TrackingDomainRow
  readonly found: Found
  readonly byHand: boolean
}

interface Checked {
  readonly after: TrackingDomainRow
  /** Rows of other accounts that lost their verification to this one. */
  readonly displaced: readonly Pick<TrackingDomainRow, 'id' | 'account_id'>[]
}

async function recordCheck(
  db: Db,
  options: TrackingDomainsOptions,
  { before, found, byHand }: Check,
): Promise<Checked> {
  await db.query(sql.lockProof, [before.name])
  const now = options.clock.now()
  const row = await db.one<TrackingDomainRow>(sql.lockName, [before.account_id, before.id])
  if (row === null) throw errors.not_found()
  // Another check has been recorded and reported in the meantime. It stands, since ours may be older: that of a recheck, and by
  // hand what has verified the name or ended that.
  const isOvertaken = row.checked_at?.getTime() !== before.checked_at?.getTime()
  const isTurned = (row.verified_at === null) !== (before.verified_at === null)
  if (isTurned || (isOvertaken && !byHand)) return { after: row, displaced: [] }
  const { verifiedAt, error } = await judged(db, row, found, now)
  const isNew = verifiedAt !== null && row.verified_at === null
  const loss = [row.name, row.id, row.cname_target, LEADS_ELSEWHERE, now]
  const displaced = isNew ? await db.query<Checked['displaced'][number]>(sql.unverifyOthers, loss) : []
  const target = found.kind === 'target' ? found.target : found.kind === 'none' ? null : row.found
  const isNewName = now.getTime() - row.created_at.getTime() < DAY_MS
  const waitMs = verifiedAt !== null ? DAY_MS : isNewName ? NEW_RETRY_MS : RETRY_MS
  const nextCheckAt = new Date(now.getTime() + waitMs)
  const sslDueAt = options.wantsCertificates ? now : null
  const values = [row.account_id, row.id, target, error, now, verifiedAt, nextCheckAt, sslDueAt, byHand]
  const after = (await db.one<TrackingDomainRow>(sql.recordCheck, values)) ?? row
  const isLost = !byHand && row.verified_at !== null && verifiedAt === null
  const { name } = row
  for (const { id, account_id: accountId } of displaced)
    await options.onLost(db, { accountId, id, name, error: LEADS_ELSEWHERE })
  if (isLost) await options.onLost(db, { accountId: row.account_id, id: row.id, name, error: error ?? '' })
  return { after, displaced }
}

async function judged(
  db: Db,
  row: TrackingDomainRow,
  found: Found,
  now: Date,
): Promise<{ readonly verifiedAt: Date | null; readonly error: string | null }> {
  switch (found.kind) {
    case 'unknown':
      return { verifiedAt: row.verified_at, error: found.error }
    case 'none':
      return { verifiedAt: null, error: found.error }
    case 'target': {
      if (found.target !== row.cname_target)
        return { verifiedAt: null, error: aboutTarget(LEADS_ELSEWHERE, found.target, row.cname_target) }
      const held = await db.one<{ account_id: string }>(sql.heldFor, [row.name, now])
      if (held !== null && held.account_id !== row.account_id) {
        return { verifiedAt: null, error: 'the name was given up by another account less than 30 days ago' }
      }
      return { verifiedAt: row.verified_at ?? now, error: null }
    }
  }
}

async function remove(
  db: Db,
  clock: Clock,
  { accountId, domainIds }: Holder,
  { id, force }: { readonly id: string; readonly force: boolean },
): Promise<void> {
  await db.query(sql.lockNames, [accountId])
  const row = await db.one<TrackingDomainRow>(sql.lockName, [accountId, id])
  if (row === null) throw errors.not_found()
  const users = await domainsUsing(db, accountId, id)
  const seen = domainIds === null ? users : users.filter((user) => domainIds.includes(user.id))
  const details = { domains: seen.map(({ name }) => name) }
  if (seen.length < users.length) {
    throw errors.tracking_domain_in_use(details, { message: 'Sending domains that this key does not reach use it' })
  }
  if (users.length > 0 && !force) throw errors.tracking_domain_in_use(details)
  await leaveTrackingDomain(db, accountId, id)
  if (row.verified_at !== null) {
    await db.execute(sql.holdName, [row.name, accountId, new Date(clock.now().getTime() + HELD_MS)])
  }
  await db.execute(sql.removeName, [accountId, id])
}

/** Whether the account has this tracking domain. Until the transaction ends, none of the account's can be removed. */
export async function trackingDomainExists(db: Db, accountId: string, id: string): Promise<boolean> {
  await db.query(sql.lockNames, [accountId])
  return (await db.one(sql.oneName, [accountId, id])) !== null
}

/** The CNAME of a tracking domain, shown in the DNS setup of its sending domains; null when the account has no such id. */
export async function trackingDomainRecord(
  db: Db,
  accountId: string,
  id: string,
): Promise<TrackingDomainRecord | null> {
  const row = await db.one<TrackingDomainRow>(sql.oneName, [accountId, id])
  if (row === null) return null
  const status =
    row.verified_at !== null
      ? 'valid'
      : row.checked_at === null
        ? 'pending'
        : row.found === null
          ? 'missing'
          : 'mismatch'
  const { name, cname_target: target, found, check_error: error, checked_at: checkedAt } = row
  return {
    name,
    target,
    status,
    found: found === null ? [] : [found],
    error: status === 'valid' ? null : error,
    checkedAt,
  }
}

export interface TrackingDomainRecord {
  readonly name: string
  readonly target: string
  readonly status: 'valid' | 'pending' | 'missing' | 'mismatch'
  readonly found: readonly string[]
  readonly error: string | null
  readonly checkedAt: Date | null
}

export interface TrackingDomainFacts {
  readonly name: string
  readonly isVerified: boolean
  /** There is a certificate and it has not expired. */
  readonly sslEnabled: boolean
}

/** What other rooms need of a tracking domain; null when the account has no such id. */
export async function trackingDomainFacts(
  db: Db,
  accountId: string,
  id: string,
  now: Date,
): Promise<TrackingDomainFacts | null> {
  const row = await db.one<TrackingDomainRow>(sql.oneName, [accountId, id])
  if (row === null) return null
  const { name, verified_at: verifiedAt, ssl_status: ssl, ssl_expires_at: until } = row
  return { name, isVerified: verifiedAt !== null, sslEnabled: ssl === 'issued' && until !== null && until > now }
}
