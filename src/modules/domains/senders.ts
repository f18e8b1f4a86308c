// Caches the data about domains that sending and delivery need for every mail. An answer is at most 5 seconds old. A change
// also drops it: in the process that made the change before that is answered, in all others as soon as they hear of it
// (LISTEN/NOTIFY). Absence is not cached, nor for delivery an inactive domain, so a domain can be used as soon as it is
// active. Both caches are bounded and evict the least recently used entry first.

import type { KeyObject } from 'node:crypto'
import { returnPathHost } from '../../mail/dns/optional-records.ts'
import { ed25519Selector } from '../../mail/dns/records.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { lastingFault } from '../../platform/lasting-fault.ts'
import type { Logger } from '../../platform/log.ts'
import { recentlyUsed } from '../../platform/recently-used.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { ED25519_SEAL_PURPOSE, keyFromBytes, SEAL_PURPOSE } from './keys.ts'
import * as sql from './sql.ts'
import { type DomainStatus, isActive } from './states.ts'
import { type DomainSettings, domainOf } from './types.ts'

const MAX_AGE_MS = 5_000
const MAX_SENDERS = 10_000
const MAX_KEYS = 5_000

/** A domain's data for sending. */
export interface SenderDomain {
  readonly id: string
  readonly name: string
  readonly status: DomainStatus
  /** Whether mail may be sent from it: verified or in temporary failure. */
  readonly isActive: boolean
  readonly settings: DomainSettings
}

/** A domain's data for delivery. */
export interface SigningKey {
  readonly domainId: string
  /** The `d=` of the signature. */
  readonly domain: string
  /** The `s=` of the signature. */
  readonly selector: string
  /** Null: what is stored cannot be read. */
  readonly privateKey: KeyObject | null
  /** The second key (RFC 8463); null while it is not published. */
  readonly ed25519: { readonly selector: string; readonly privateKey: KeyObject } | null
  /** Host of the return paths of its mail; null: the service's own. */
  readonly returnPathHost: string | null
  readonly status: DomainStatus
  readonly isActive: boolean
}

export interface SenderDomains {
  /** Starts to listen for changes of other processes. Without it, answers may be as old as the age limit. */
  listen(): Promise<void>
  /** Drops a domain's cache entries in this process at once; other processes hear of the change from the database. */
  forget(accountId: string, domainName: string): void
  /** @param domainName lower-case A-labels. @returns null when the account has no such domain; a parent domain does not count */
  senderDomain(db: Db, accountId: string, domainName: string): Promise<SenderDomain | null>
  /** By domain id. A domain missing from the answer has been removed: its mail fails with `domain_removed`. */
  signingKeys(db: Db, domainIds: readonly string[]): Promise<ReadonlyMap<string, SigningKey>>
}

export interface SenderDomainsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly log: Logger
}

export function senderDomainsOf({ database, clock, secrets, log }: SenderDomainsOptions): SenderDomains {
  const senders = memory<SenderDomain>(clock, MAX_SENDERS)
  const keys = memory<OpenedKey>(clock, MAX_KEYS)
  const unreadable = lastingFault({
    ...{ log, clock, lasts: 'the signing key of a domain cannot be read, its mail waits' },
    ended: 'the signing keys of all domains that send can be read again',
  })
  const forget = (payload: string | null): void => {
    if (payload === null) senders.clear()
    else senders.drop(payload)
    // Changes are rare, and opened keys are reused: reading all of them again costs one statement.
    keys.expire()
  }
  return {
    listen: () => database.listen(sql.CHANGED_CHANNEL, forget),
    forget: (accountId, domainName) => forget(`${accountId}/${domainName}`),
    senderDomain: async (db, accountId, domainName) => {
      const name = `${accountId}/${domainName}`
      const known = senders.get(name)
      if (known !== null) return known
      const keep = senders.keeper()
      const row = await db.one<sql.DomainRow>(sql.sender, [accountId, domainName])
      if (row === null) return null
      const { id, status, settings } = domainOf(row)
      return keep(name, { id, name: domainName, status, isActive: isActive(status), settings })
    },
    signingKeys: async (db, domainIds) => {
      const answers = new Map<string, SigningKey>()
      const unknown: string[] = []
      for (const id of new Set(domainIds)) {
        // Mail of an inactive domain waits for minutes, so a cached entry never says that a domain is inactive.
        const known = keys.get(id)
        if (known?.key.isActive === true) answers.set(id, known.key)
        else unknown.push(id)
      }
      if (unknown.length === 0) return answers
      const keep = keys.keeper()
      for (const row of await db.query<KeyRow>(sql.keys, [unknown])) {
        try {
          answers.set(row.id, keep(row.id, opened(row, keys.stale(row.id), secrets)).key)
        } catch (error) {
          // One that is damaged must not hold up the mail of others, which is claimed together with its own.
          unreadable.met({ domain: row.name, err: error })
          answers.set(row.id, keyOf(row, null, null))
        }
      }
      unreadable.absent()
      return answers
    },
  }
}

interface KeyRow {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly dkim_selector: string
  readonly dkim_private_key: Buffer
  /** Null while its record is not published. */
  readonly ed25519_private_key: Buffer | null
  readonly return_path_published: boolean
}

interface OpenedKey {
  readonly sealed: Buffer
  readonly ed25519Sealed: Buffer | null
  readonly key: SigningKey
}

function opened(row: KeyRow, before: OpenedKey | null, secrets: Secrets): OpenedKey {
  const sealed = row.dkim_private_key
  const privateKey =
    before?.sealed.equals(sealed) === true
      ? before.key.privateKey
      : keyFromBytes(secrets.open(SEAL_PURPOSE, row.id, sealed))
  const key = keyOf(row, privateKey, openedEd25519(row, before, secrets))
  return { sealed, ed25519Sealed: row.ed25519_private_key, key }
}

function keyOf(row: KeyRow, privateKey: KeyObject | null, ed25519: SigningKey['ed25519']): SigningKey {
  const status = row.status as DomainStatus
  return {
    domainId: row.id,
    domain: row.name,
    selector: row.dkim_selector,
    privateKey,
    ed25519,
    returnPathHost: row.return_path_published ? returnPathHost(row.name) : null,
    status,
    isActive: isActive(status),
  }
}

function openedEd25519(row: KeyRow, before: OpenedKey | null, secrets: Secrets): SigningKey['ed25519'] {
  const sealed = row.ed25519_private_key
  if (sealed === null) return null
  if (before !== null && before.ed25519Sealed?.equals(sealed) === true) return before.key.ed25519
  const privateKey = keyFromBytes(secrets.open(ED25519_SEAL_PURPOSE, row.id, sealed))
  return { selector: ed25519Selector(row.dkim_selector), privateKey }
}

interface Memory<T> {
  /** Null when there is no entry, or it is too old. */
  get(name: string): T | null
  /** The last value, however old. */
  stale(name: string): T | null
  /**
   * Call this before the database query. The returned function caches the answer, unless a change was heard in between,
   * since the answer may be older than the change.
   */
  keeper(): (name: string, value: T) => T
  drop(name: string): void
  clear(): void
  /** All values are stale from now on. */
  expire(): void
}

function memory<T>(clock: Clock, limit: number): Memory<T> {
  const entries = recentlyUsed<{ readonly value: T; readonly atMs: number }>(limit)
  let generation = 0
  let freshFromMs = Number.NEGATIVE_INFINITY
  return {
    get: (name) => {
      const entry = entries.get(name)
      const fresh = entry !== undefined && entry.atMs > freshFromMs && clock.monotonicMs() - entry.atMs < MAX_AGE_MS
      return fresh ? entry.value : null
    },
    stale: (name) => entries.get(name)?.value ?? null,
    keeper: () => {
      const asked = generation
      const atMs = clock.monotonicMs()
      return (name, value) => {
        if (asked !== generation) return value
        entries.set(name, { value, atMs })
        return value
      }
    },
    drop: (name) => {
      generation++
      entries.delete(name)
    },
    clear: () => {
      generation++
      entries.clear()
    },
    expire: () => {
      generation++
      freshFromMs = clock.monotonicMs()
    },
  }
}
