// The gate before every endpoint. It checks, in this order: key or session, address, account, rate, scope, plan. The order
// ensures that no answer tells more than the caller may know (contract section 2).
//
// Keys and accounts come from caches that a change clears in every process within 5 s. Rate limits are token buckets per
// key and class. Every answer that gets past authentication carries the remaining level in its headers.

import type { Clock } from '../../platform/clock.ts'
import type { ApiError } from '../../platform/errors.ts'
import type { Access, Gate, Principal, Requester } from '../../platform/http.ts'
import type { AccountSettings, SettingsReader } from './account-settings.ts'
import { isAllowed } from './addresses.ts'
import { type AuthenticationFailures, FAILURES_BURST, FAILURES_PER_SECOND } from './authentication-failures.ts'
import type { BucketLevel, Buckets } from './buckets.ts'
import { errors } from './errors.ts'
import type { FoundKey, KeyLookup } from './key-lookup.ts'
import type { LastUseLog } from './last-use.ts'
import { type Plans, plansWith, RATE_CLASSES, type Rate, type RateClass } from './plans.ts'
import { allows } from './scopes.ts'
import { assertAccountOfPage, principalOfSession } from './session-roles.ts'
import type { Sessions } from './sessions.ts'
import type { KeyRow } from './sql.ts'

export interface ApiGate extends Gate {
  /**
   * Takes further tokens of a class for a call already admitted with one: a batch of n addresses takes n - 1 more.
   *
   * @param admittedWith tokens of the class the call was admitted with; a refusal gives them back
   * @returns the answer headers with the remaining level
   * @throws ApiError rate_limit_exceeded; then none were taken
   */
  takeMore(
    principal: Principal,
    rateClass: RateClass,
    tokens: number,
    admittedWith?: number,
  ): Promise<Readonly<Record<string, string>>>
}

export interface GateParts {
  readonly clock: Clock
  readonly plans: Plans
  readonly keys: KeyLookup
  readonly settings: SettingsReader
  readonly buckets: Buckets
  readonly failures: AuthenticationFailures
  readonly uses: LastUseLog
  readonly sessions: Pick<Sessions, 'tokenIn' | 'isFromOurPages' | 'find' | 'noteActing'>
}

export function apiGate(parts: GateParts): ApiGate {
  const { plans, settings, buckets, uses, clock } = parts
  const take = async (principal: Principal, rate: Rate, bucket: string, tokens: number) => {
    const level = await buckets.take(principal.keyId ?? principal.accountId, bucket, rate, tokens)
    return { level, rate }
  }
  const byKey = async (requester: Requester): Promise<Found> => {
    const row = await authenticate(parts, requester)
    const atItsAddress = isAllowed(requester.ip, row.allowed_ips)
    if (atItsAddress) uses.key({ accountId: row.account_id, id: row.id, at: clock.now(), ip: requester.ip })
    return { principal: principalOf(row), atItsAddress }
  }
  return {
    admit: async (requester, access) => {
      const { principal, atItsAddress } = (await bySession(parts, requester)) ?? (await byKey(requester))
      const account = await settings.get(principal.accountId)
      const refused = refusalOf(atItsAddress, account.suspended && !reads(requester, access))
      const rateClass = classOf(access)
      // A refused call spends nothing, but still gets the headers.
      const tokens = refused === null ? 1 : 0
      const { level, rate } = await take(principal, account.rates[rateClass], access.bucket ?? rateClass, tokens)
      for (const [name, value] of Object.entries(rateLimitHeaders(rate.burst, level))) requester.setHeader(name, value)
      if (refused !== null) throw refused
      if (!level.granted) throw tooMany(rate.burst, rate.perSecond, level.retryInSeconds)
      if (!allows(principal.scopes, access.scope)) throw insufficientScope(principal, access.scope)
      checkPlan(account, access, plans)
      return principal
    },
    takeMore: async (principal, rateClass, tokens, admittedWith = 0) => {
      if (tokens <= 0) return {}
      const { rates } = await settings.get(principal.accountId)
      const { level, rate } = await take(principal, rates[rateClass], rateClass, tokens)
      if (level.granted) return rateLimitHeaders(rate.burst, level)
      const left = buckets.giveBack(principal.keyId ?? principal.accountId, rateClass, rate, admittedWith)
      const whole = tokens + admittedWith
      // Of batches that are refused together, each held tokens that another lacked.
      const again = left.remaining < whole ? level : (await take(principal, rate, rateClass, whole)).level
      if (again.granted) return rateLimitHeaders(rate.burst, again)
      throw tooMany(rate.burst, rate.perSecond, level.retryInSeconds, rateLimitHeaders(rate.burst, left))
    },
  }
}

/** A session has no key whose scopes could be changed, so the message names the role. */
function insufficientScope({ keyId }: Principal, scope: string | undefined): ApiError {
  const message = 'Your role in this account may not do this; an owner of the account may change it'
  return errors.insufficient_scope({ required_scope: scope }, keyId === null ? { message } : {})
}

interface Found {
  readonly principal: Principal
  readonly atItsAddress: boolean
}

function refusalOf(atItsAddress: boolean, suspended: boolean): ApiError | null {
  if (!atItsAddress) return errors.ip_not_allowed()
  return suspended ? errors.account_suspended() : null
}

/** Dashboard session; null when a key was given or there is no cookie. @throws ApiError not_signed_in, cross_site_request */
async function bySession({ sessions }: GateParts, requester: Requester): Promise<Found | null> {
  const token = presentedKey(requester) === null ? sessions.tokenIn(requester.cookie) : null
  if (token === null) return null
  if (!sessions.isFromOurPages(requester.method, requester.headers)) throw errors.cross_site_request()
  const session = await sessions.find(token)
  if (session === null) throw errors.not_signed_in()
  assertAccountOfPage(session, requester.headers)
  await sessions.noteActing(session, requester)
  return { principal: principalOfSession(session), atItsAddress: true }
}

async function authenticate({ keys, clock, failures }: GateParts, requester: Requester): Promise<KeyRow> {
  const key = presentedKey(requester)
  if (key === null) throw errors.missing_api_key()
  const found = key === 'ambiguous' ? null : await keys.find(key)
  const fault = found === null ? errors.invalid_api_key : keyFault(found, clock.now())
  if (found !== null && fault === null) return found.row
  const retryAfter = failures.count(requester.ip)
  if (retryAfter !== null) throw tooMany(FAILURES_BURST, FAILURES_PER_SECOND, retryAfter)
  throw (fault ?? errors.invalid_api_key)()
}

/** Returns the fault of a key whose secret was right; null when it is valid. */
export function keyFault(
  { row, previous }: FoundKey,
  now: Date,
): typeof errors.api_key_revoked | typeof errors.api_key_expired | null {
  if (row.revoked_at !== null) return errors.api_key_revoked
  if (previous && (row.previous_valid_until === null || row.previous_valid_until <= now)) return errors.api_key_revoked
  return row.expires_at !== null && row.expires_at <= now ? errors.api_key_expired : null
}

/**
 * A header sent twice with two values arrives joined by a comma: as X-API-Key that is no key, and two bearers are ambiguous.
 * A scheme other than Bearer carries no key of ours.
 */
function presentedKey({ apiKeyHeader, authorization }: Requester): string | 'ambiguous' | null {
  const header = typeof apiKeyHeader === 'string' ? apiKeyHeader.trim() : apiKeyHeader
  if (typeof header === 'object') return 'ambiguous'
  const bearer = /^bearer +(\S.*)$/i.exec(authorization ?? '')?.[1]?.trim()
  if (bearer !== undefined && /\s/.test(bearer)) return 'ambiguous'
  if (header === undefined || header === '') return bearer ?? null
  return bearer === undefined || bearer === header ? header : 'ambiguous'
}

export function principalOf(row: KeyRow): Principal {
  return {
    accountId: row.account_id,
    keyId: row.id,
    mode: row.mode,
    scopes: row.scopes,
    domainIds: row.domain_ids,
  }
}

function reads(requester: Requester, access: Access): boolean {
  return access.reads ?? (requester.method === 'GET' || requester.method === 'HEAD')
}

function classOf({ rate = 'default' }: Access): RateClass {
  const known = RATE_CLASSES.find((name) => name === rate)
  if (known === undefined) throw new Error(`no such rate class: ${rate}`)
  return known
}

function rateLimitHeaders(limit: number, { remaining, fullInSeconds }: BucketLevel): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const prefix of ['RateLimit', 'X-RateLimit']) {
    headers[`${prefix}-Limit`] = String(limit)
    headers[`${prefix}-Remaining`] = String(remaining)
    headers[`${prefix}-Reset`] = String(fullInSeconds)
  }
  return headers
}

/** The limit is reported as the bucket's size per the time it takes to fill. */
function tooMany(
  burst: number,
  perSecond: number,
  retryAfter: number,
  headers: Readonly<Record<string, string>> = {},
): ApiError {
  return errors.rate_limit_exceeded(
    { limit: burst, window_seconds: Math.ceil(burst / perSecond), retry_after: retryAfter },
    { retryAfter, headers },
  )
}

function checkPlan(account: AccountSettings, { requires }: Access, plans: Plans): void {
  if (requires === undefined || account.features[requires]) return
  // The plan has the feature, but the operator took it from this account: no other plan brings it back.
  if (requires === 'risk' && !plans[account.plan].features.risk) {
    throw errors.plan_required({ required_plans: plansWith(plans, 'risk'), current_plan: account.plan })
  }
  throw errors.feature_not_enabled({ feature: requires })
}
