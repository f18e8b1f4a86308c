// What is known of recipients and accounts at the time of a verdict. One statement asks the database about all recipients: the
// two lists, their former entries, the operator's spam traps, and the volume of the accounts. Disposable domains and role names
// come from memory. Preview and send both gather with this function, so they know the same.

import { domainPart, localPart } from '../../mail/address-parts.ts'
import type { Db } from '../../platform/db.ts'
import type { ApiError } from '../../platform/errors.ts'
import { type Refusal, type RefusalRow, refusalsOf } from '../suppression/index.ts'
import { disposableConfidence, isRole } from '../validation/index.ts'
import { riskErrors } from './errors.ts'
import * as sql from './sql.ts'
import type { RiskFacts } from './verdict.ts'
import { isSpike, NO_VOLUME, type Volume, windowOf } from './volume.ts'

export interface RiskAsk {
  readonly accountId: string
  /** The recipient's suppression key. */
  readonly recipient: string
  readonly sandbox: boolean
}

/** What is known of a recipient, and of the account that wants to mail it. */
export interface Known {
  /** The entry on the two lists, the suppression when both name the recipient; null when neither does. */
  readonly refusal: Refusal | null
  /** On the unsubscribe list, whatever the suppression list says. */
  readonly unsubscribed: boolean
  readonly spamtrap: boolean
  /** A bounce or complaint whose suppression was removed by hand. */
  readonly bouncedOnce: boolean
  readonly complainedOnce: boolean
  /** In [0, 1]. */
  readonly disposable: number
  readonly role: boolean
  readonly volume: Volume
}

/** The facts of the message itself. */
export interface MessageFacts {
  readonly sandbox: boolean
  readonly bulk: boolean
  readonly senderVerified: boolean
  /** Null when the content was not scored. */
  readonly contentLevel: RiskFacts['contentLevel']
}

interface Row {
  readonly n: number
  readonly list: RefusalRow['list'] | 'past' | 'trap' | 'volume'
  readonly reason: string | null
  readonly source: string
  readonly id: string
  readonly created_at: Date
  readonly volume: readonly number[] | null
}

export interface GatherOptions {
  /** A MAC under the instance's secret. */
  readonly mac: (text: string) => Buffer
}

export type Gather = (db: Db, asks: readonly RiskAsk[], now: Date) => Promise<readonly Known[]>

/** @returns one answer per ask, in order */
export function gatherer({ mac }: GatherOptions): Gather {
  const domains = domainCache(mac)
  return async (db, asks, now) => {
    if (asks.length === 0) return []
    const accounts = [...new Set(asks.map(({ accountId }) => accountId))]
    const parts = asks.map(({ recipient }) => ({ local: localPart(recipient), domain: domainPart(recipient) }))
    const { day, firstDay, hour } = windowOf(now)
    const rows = await db.query<Row>(sql.GATHER, [
      asks.map(({ accountId }) => accountId),
      asks.map(({ recipient }) => recipient),
      asks.map(({ sandbox }) => sandbox),
      now,
      asks.map(({ recipient }) => mac(recipient)),
      parts.map(({ domain }) => domains(domain).mac),
      accounts,
      day,
      firstDay,
      hour,
    ])
    const by = Map.groupBy(rows, ({ list }) => list)
    const named = (list: Row['list'], reason: string | null): ReadonlySet<number> =>
      new Set((by.get(list) ?? []).filter((row) => reason === null || row.reason === reason).map(({ n }) => n - 1))
    const refusals = refusalsOf(
      rows.filter((row): row is Row & RefusalRow => row.list === 'suppression' || row.list === 'unsubscribe'),
      asks.length,
    )
    const [traps, bounced, complained] = [named('trap', null), named('past', 'hard_bounce'), named('past', 'complaint')]
    const unsubscribed = named('unsubscribe', null)
    const volumes = new Map((by.get('volume') ?? []).map((row) => [accounts[row.n - 1], volumeOf(row.volume)]))
    return asks.map(({ accountId }, i): Known => {
      const { local, domain } = parts[i] ?? { local: '', domain: '' }
      return {
        refusal: refusals[i] ?? null,
        unsubscribed: unsubscribed.has(i),
        spamtrap: traps.has(i),
        bouncedOnce: bounced.has(i),
        complainedOnce: complained.has(i),
        disposable: domains(domain).disposable,
        role: isRole(local),
        volume: volumes.get(accountId) ?? NO_VOLUME,
      }
    })
  }
}

/**
 * Refuses any live mail to a spam trap and to a recipient who complained, whatever the message, the account's settings, and
 * what has been taken off the lists. The returned function answers null for everybody else.
 */
export function recipientRefusalOf(
  gather: Gather,
): (db: Db, ask: Omit<RiskAsk, 'sandbox'>, now: Date) => Promise<ApiError | null> {
  return async (db, ask, now) => {
    const [known] = await gather(db, [{ ...ask, sandbox: false }], now)
    if (known === undefined) return null
    const message = { sandbox: false, bulk: false, senderVerified: true, contentLevel: null }
    const { spamtrap, complained } = riskFacts(known, message)
    if (spamtrap) return riskErrors.spamtrap_detected()
    return complained ? riskErrors.previous_complaint() : null
  }
}

function volumeOf(figures: readonly number[] | null): Volume {
  const [today = 0, thisHour = 0, busiestDay = 0, busiestHour = 0, hasSent = 0] = (figures ?? []).map(Number)
  return { today, thisHour, busiestDay, busiestHour, hasSent: hasSent === 1 }
}

interface DomainFacts {
  readonly mac: Buffer
  readonly disposable: number
}

const MAX_DOMAINS = 20_000

/** Cached, because mail goes to few domains over and over. */
function domainCache(mac: (text: string) => Buffer): (domain: string) => DomainFacts {
  const known = new Map<string, DomainFacts>()
  return (domain) => {
    const found = known.get(domain)
    if (found !== undefined) return found
    if (known.size >= MAX_DOMAINS) known.clear()
    const fresh = { mac: mac(domain), disposable: disposableConfidence(domain) }
    known.set(domain, fresh)
    return fresh
  }
}

/**
 * The facts for a verdict. Pure. Sandbox mail is judged like the same live mail, except that its sender need not be verified.
 */
export function riskFacts(known: Known, { sandbox, bulk, senderVerified, contentLevel }: MessageFacts): RiskFacts {
  const listed = listFacts(known)
  return {
    ...listed,
    spamtrap: listed.spamtrap || known.spamtrap,
    complained: listed.complained || known.complainedOnce,
    hardBounced: listed.hardBounced || known.bouncedOnce,
    disposableConfidence: known.disposable === 0 ? null : known.disposable,
    role: known.role,
    senderVerified: sandbox || senderVerified,
    contentLevel,
    firstSendBulk: bulk && !known.volume.hasSent,
    volumeSpike: isSpike(known.volume),
  }
}

type ListFacts = Pick<RiskFacts, 'spamtrap' | 'complained' | 'hardBounced' | 'suppressed' | 'unsubscribed' | 'onList'>

/**
 * What the two lists say of a recipient. When a documented code explains the block, only that code is given. Every other reason
 * gives an additive code, also for an unsubscribe beside a hard bounce, because the hard bounce alone is only a soft block.
 */
function listFacts({ refusal, unsubscribed }: Known): ListFacts {
  const onList = refusal !== null
  const nothing = { spamtrap: false, complained: false, hardBounced: false, suppressed: false, unsubscribed, onList }
  if (refusal === null || refusal.list === 'unsubscribe') return nothing
  switch (refusal.reason) {
    case 'spamtrap':
      return { ...nothing, spamtrap: true, unsubscribed: false }
    case 'complaint':
      return { ...nothing, complained: true, unsubscribed: false }
    case 'hard_bounce':
      return { ...nothing, hardBounced: true }
    case 'manual':
    case 'repeated_soft_bounce':
      return { ...nothing, suppressed: true }
  }
}
