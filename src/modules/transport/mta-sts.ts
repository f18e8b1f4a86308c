// The MTA-STS policy of a domain (RFC 8461): announced by a TXT record, fetched over HTTPS, and kept in the database until it
// expires, so that hiding the record from us does not remove the policy.
//
//   record with the stored id    the stored policy
//   record with another id       fetches the policy; on failure the stored policy, and the next fetch after 5 minutes
//   no record, or no DNS         the stored policy, until it expires
//   half of its life is over     fetches in the background, whether or not the id has changed; once an hour, or once
//                                per half of its life if that is shorter
//
// A fetch: no redirects, only 200, `text/plain`, complete, less than 64 KB, 10 s. Mail waits for the first fetch of a domain and
// for the fetch of a new id, which may revoke the stored policy, but not for a background fetch. Each process caches its
// answers for a minute. A crash loses nothing.

import { parseStsPolicy, type StsPolicy, stsRecordId } from '../../mail/dns/mta-sts.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Resolver } from '../../platform/dns.ts'
import { freshCache } from '../../platform/fresh-cache.ts'
import type { Connector } from '../../platform/network/connect.ts'
import { recentlyUsed } from '../../platform/recently-used.ts'
import * as sql from './sql.ts'
import type { SessionFault } from './types.ts'

export interface StsOptions {
  readonly db: Db
  readonly clock: Clock
  readonly resolver: Resolver
  readonly connector: Connector
  readonly onError: (error: unknown) => void
}

/** The current policy of a domain. `fault`: the announced policy could not be fetched. */
export interface StsFound {
  readonly policy: StsPolicy | null
  readonly fault: SessionFault | null
}

const KNOWN_MS = 60_000
const RETRY_MS = 300_000
/** Time between two background fetches of a policy; less for a policy with a short life. */
const RENEW_MS = 3_600_000
const FETCH_MS = 10_000
const MAX_KNOWN = 20_000

interface Kept extends StsPolicy {
  readonly id: string
  readonly fetchedAt: Date
  readonly expiresAt: Date
}

interface Row {
  readonly id: string
  readonly mode: StsPolicy['mode']
  readonly mx: readonly string[]
  readonly max_age: number
  readonly fetched_at: Date
  readonly expires_at: Date
}

export function stsPolicies(options: StsOptions): (domain: string) => Promise<StsFound> {
  const { db, clock, resolver, connector, onError } = options
  const known = freshCache<Promise<StsFound>>({ clock, maxAgeMs: KNOWN_MS, maxEntries: MAX_KNOWN })
  const failures = freshCache<SessionFault>({ clock, maxAgeMs: RETRY_MS, maxEntries: MAX_KNOWN })
  /** By domain: the time before which its policy is not fetched again in the background. */
  const renewed = recentlyUsed<number>(MAX_KNOWN)

  const kept = async (domain: string): Promise<Kept | null> => {
    const row = await db.one<Row>(sql.findPolicy, [domain, clock.now()])
    if (row === null) return null
    const { id, mode, mx, max_age: maxAge, fetched_at: fetchedAt, expires_at: expiresAt } = row
    return { id, mode, mx, maxAge, fetchedAt, expiresAt }
  }

  const fetched = async (domain: string, id: string): Promise<Kept | SessionFault> => {
    const failure = failures.get(domain)
    if (failure !== undefined) return failure
    const policy = await fetchPolicy(connector, domain)
    if (typeof policy === 'string') {
      failures.set(domain, policy, clock.monotonicMs())
      return policy
    }
    failures.delete(domain)
    const fetchedAt = clock.now()
    const expiresAt = new Date(fetchedAt.getTime() + policy.maxAge * 1_000)
    await db.execute(sql.keepPolicy, [domain, id, policy.mode, policy.mx, policy.maxAge, fetchedAt, expiresAt])
    return { ...policy, id, fetchedAt, expiresAt }
  }

  const renew = (domain: string, { id, fetchedAt, expiresAt }: Kept): void => {
    const halfLifeMs = (expiresAt.getTime() - fetchedAt.getTime()) / 2
    const nowMs = clock.monotonicMs()
    if (clock.now().getTime() <= fetchedAt.getTime() + halfLifeMs || nowMs < (renewed.get(domain) ?? 0)) return
    renewed.set(domain, nowMs + Math.min(RENEW_MS, halfLifeMs))
    void fetched(domain, id).catch(onError)
  }

  const look = async (domain: string): Promise<StsFound> => {
    const [answer, old] = await Promise.all([resolver.txt(`_mta-sts.${domain}`), kept(domain)])
    const id = answer.kind === 'found' ? stsRecordId(answer.records) : null
    if (id === null) return { policy: old, fault: null }
    if (old?.id === id) {
      renew(domain, old)
      return { policy: old, fault: null }
    }
    const fresh = await fetched(domain, id)
    return typeof fresh === 'string' ? { policy: old, fault: fresh } : { policy: fresh, fault: null }
  }

  return (domain) => {
    const before = known.get(domain)
    if (before !== undefined) return before
    const asOfMs = clock.monotonicMs()
    const found = look(domain)
    known.set(domain, found, asOfMs)
    void found.catch(() => known.delete(domain))
    return found
  }
}

async function fetchPolicy(connector: Connector, domain: string): Promise<StsPolicy | SessionFault> {
  const outcome = await connector.request({
    method: 'GET',
    url: `https://mta-sts.${domain}/.well-known/mta-sts.txt`,
    headers: { accept: 'text/plain', 'user-agent': 'Posthorn MTA-STS' },
    body: null,
    timeoutMs: FETCH_MS,
    tenant: 'mta-sts',
  })
  if (outcome.kind === 'failed') return outcome.failure === 'tls' ? 'sts-webpki-invalid' : 'sts-policy-fetch-error'
  const { status, headers, body, whole } = outcome
  // A policy that was cut may lack hosts, or digits of its age.
  if (status !== 200 || !whole) return 'sts-policy-fetch-error'
  if (!/^text\/plain(?:[ \t]*;|$)/i.test(String(headers['content-type'] ?? ''))) return 'sts-policy-fetch-error'
  return parseStsPolicy(body.toString('utf8')) ?? 'sts-policy-invalid'
}
