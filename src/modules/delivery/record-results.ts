// Records the results of emails in groups: results, attempts, events, lists and inbox in one transaction, fenced by the epoch
// and the fence number of each claim. A result that the fence rejects is dropped: another node has the email.
//
// While the database is away results wait in memory and are retried. Nothing new is claimed meanwhile, so the emails in the
// process bound what waits. A group that the database refuses for its content is written one by one. A temporary refusal (a
// deadlock, a timeout, a missing partition of the event log) is retried a few times. Of a single email that is refused for
// good only the state is written: a fault in its history must not send it twice.

import { domainPart } from '../../mail/address-parts.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { isPassing, isUnavailable, mayLackPartition } from '../../platform/db.ts'
import { groupCommit } from '../../platform/group-commit.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Logger } from '../../platform/log.ts'
import { recordBounces } from '../bounces/index.ts'
import { append, ensureEventPartitions } from '../events/index.ts'
import { complete } from '../outbox/index.ts'
import { type Delivered, noteDelivery } from '../suppression/index.ts'
import { addToInbox, type NewInboxMail } from './inbox.ts'
import type { TriedEmail } from './options.ts'
import type { Conclusion } from './results.ts'

export interface Recorded extends Conclusion {
  readonly epoch: number
  readonly inbox: NewInboxMail | null
}

export interface RecorderOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  /** Releases those of the deferred emails whose domain was removed during their attempts. */
  readonly releaseRemoved?: (ids: readonly string[]) => Promise<void>
  /** Called for each attempt once its result is durable. */
  readonly onAttempt?: (attempt: TriedEmail) => void
}

export interface Recorder {
  /** Resolves when the result is durable, or the fence has rejected it. */
  add(item: Recorded): Promise<void>
  /** Stops retrying: unrecorded results are left to the leases. */
  abandon(): void
}

const MAX_GROUP = 300
const MAX_GROUP_BYTES = 32 * 1_048_576
// A group costs about as much as five results, so it waits briefly for more of them.
const LINGER_MS = 5
const ENOUGH = 32
const RETRY_MS = 500
const TRIES = 5

export function recorderOf(options: RecorderOptions): Recorder {
  const { database, clock, log } = options
  const giveUp = new AbortController()

  const reportAttempts = (kept: readonly Recorded[]): void => {
    for (const { result, email, sandbox } of kept) {
      if (result.attempt === null || email === null) continue
      const { detail } = result.attempt
      options.onAttempt?.({
        emailId: email.id,
        accountId: email.accountId,
        recipientDomain: domainPart(email.recipientKey),
        host: 'mx' in detail && typeof detail.mx === 'string' ? detail.mx : null,
        tlsVersion: tlsVersionIn(detail),
        smtpCode: result.smtpCode,
        sandbox,
        attempt: result.attempt,
      })
    }
  }

  const letGo = async (kept: readonly Recorded[]): Promise<void> => {
    const ids = kept.flatMap(({ result: { id, next } }) => (next === null ? [] : id))
    if (ids.length === 0) return
    try {
      await options.releaseRemoved?.(ids)
    } catch (err) {
      log.warn({ err, emails: ids.length }, 'mail of a removed domain may wait for its time')
    }
  }

  /** Waits before the next try. @returns false when there is none: the refusal is not temporary, or the tries are used up */
  const mayTryAgain = async (error: unknown, tries: number): Promise<boolean> => {
    if (giveUp.signal.aborted) throw error
    const unready = mayLackPartition(error)
    if (!isUnavailable(error) && (tries >= TRIES || !(unready || isPassing(error)))) return false
    if (unready) await ensureEventPartitions(database.system, clock.now()).catch(() => undefined)
    await clock.sleep(RETRY_MS, giveUp.signal)
    return true
  }

  const write = async (items: readonly Recorded[]): Promise<readonly void[]> => {
    for (let tries = 1; ; tries++) {
      try {
        const kept = await database.transaction((db) => writeAll(db, items, options))
        reportAttempts(kept)
        await letGo(kept)
        return items.map(() => undefined)
      } catch (error) {
        if (await mayTryAgain(error, tries)) continue
        await oneByOne(items, error)
        return items.map(() => undefined)
      }
    }
  }

  const oneByOne = async (items: readonly Recorded[], cause: unknown): Promise<void> => {
    const [only] = items
    if (items.length > 1) {
      for (const item of items) await write([item])
      return
    }
    if (only === undefined) return
    log.error({ email_id: only.result.id, error: String(cause) }, 'the result of an email could not be recorded whole')
    const result = { ...only.result, attempt: null, response: null }
    for (let tries = 1; ; tries++) {
      try {
        await database.transaction((db) => complete(db, only.epoch, [result]))
        return
      } catch (error) {
        if (await mayTryAgain(error, tries)) continue
        log.error({ email_id: only.result.id, error: String(error) }, 'the state of an email could not be recorded')
        return
      }
    }
  }

  const group = groupCommit<Recorded, void>({
    write,
    sizeOf: ({ inbox }) => 1_000 + (inbox?.raw.length ?? 0),
    maxItems: MAX_GROUP,
    maxBytes: MAX_GROUP_BYTES,
    lingerMs: LINGER_MS,
    enough: ENOUGH,
    concurrency: 1,
    // The emails in the process bound what can wait.
    maxWaitingBytes: Number.POSITIVE_INFINITY,
    full: () => new Error('too many results wait'),
  })
  return {
    add: (item) => group.add(item),
    abandon: () => giveUp.abort(new Error('delivery stops')),
  }
}

async function writeAll(
  db: Db,
  items: readonly Recorded[],
  { ids, clock }: RecorderOptions,
): Promise<readonly Recorded[]> {
  const kept: Recorded[] = []
  for (const [epoch, group] of Map.groupBy(items, (item) => item.epoch)) {
    const passed = await complete(
      db,
      epoch,
      group.map((item) => item.result),
    )
    kept.push(...group.filter((item) => passed.has(item.result.id)))
  }
  if (kept.length === 0) return kept
  const bounces = kept.flatMap(({ bounce }) => (bounce === null ? [] : [bounce]))
  const events = kept.flatMap((item) => item.events)
  const inbox = kept.flatMap((item) => (item.inbox === null ? [] : [item.inbox]))
  await Promise.all([append(db, events), addToInbox(db, inbox), noteDelivery(db, kept.flatMap(deliveryOf))])
  await recordBounces(db, { ids, clock }, bounces)
  return kept
}

/** A delivery clears the soft bounces counted so far. */
function deliveryOf({ email, result, sandbox }: Recorded): readonly Delivered[] {
  if (email === null || result.status !== 'delivered') return []
  return [{ accountId: email.accountId, recipient: email.recipientKey, sandbox, emailId: email.id }]
}

/** Null: in cleartext, or no host was reached. */
function tlsVersionIn(detail: object): string | null {
  const { tls = null } = detail as { readonly tls?: { readonly version: string } | null }
  return tls?.version ?? null
}
