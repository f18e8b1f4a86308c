// The key of the instance's own domain, which signs all mail beside the sender's domain. Some feedback loops go by the domain of
// a signature alone (Yahoo's), and an operator cannot enroll the domain of every customer.
//
// It is the key of a sending domain like any other, verified in any account. While there is none, mail goes out without this
// signature. An answer is at most ten seconds old; while the database is away the last one stands.

import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { lastingFault } from '../../platform/lasting-fault.ts'
import type { Logger } from '../../platform/log.ts'
import type { SenderDomains, SigningKey } from './senders.ts'
import * as sql from './sql.ts'
import { type DomainStatus, isActive } from './states.ts'

export interface InstanceKeyOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly senders: Pick<SenderDomains, 'signingKeys'>
  /** POSTHORN_DKIM_DOMAIN; null: none signs. */
  readonly name: string | null
}

/** Resolves to null while there is none. Never rejects. */
export type InstanceKey = () => Promise<SigningKey | null>

const MAX_AGE_MS = 10_000

/** Null when no domain signs for the instance. */
export function instanceKeyOf({ database, clock, log, senders, name }: InstanceKeyOptions): InstanceKey | null {
  if (name === null) return null
  const missing = lastingFault({
    ...{ log, clock, lasts: 'mail is not signed by POSTHORN_DKIM_DOMAIN: no account has verified it' },
    ended: 'mail is signed by POSTHORN_DKIM_DOMAIN again',
  })
  let known: Promise<SigningKey | null> | null = null
  let askedMs = Number.NEGATIVE_INFINITY
  const ask = async (before: Promise<SigningKey | null> | null): Promise<SigningKey | null> => {
    try {
      const id = await activeDomainId(database, name)
      const key = id === null ? null : ((await senders.signingKeys(database.system, [id])).get(id) ?? null)
      if (key === null || key.privateKey === null) missing.met({ domain: name })
      else missing.absent({ domain: name })
      return key
    } catch {
      return before
    }
  }
  return () => {
    const nowMs = clock.monotonicMs()
    if (known === null || nowMs - askedMs >= MAX_AGE_MS) {
      askedMs = nowMs
      known = ask(known)
    }
    return known
  }
}

/** The id of a domain of this name that is verified, of whichever account; null: there is none. */
export async function activeDomainId(database: Database, name: string): Promise<string | null> {
  const rows = await database.system.query<{ id: string; status: string }>(sql.byAnyName, [name])
  return rows.find(({ status }) => isActive(status as DomainStatus))?.id ?? null
}
