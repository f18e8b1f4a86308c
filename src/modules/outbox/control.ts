// Manual control of one email: cancel, retry, reschedule. Each works on the locked queue row, so it never races with a claim:
// an email that a worker has leased cannot be canceled, and a canceled one cannot be leased.

import { domainPart } from '../../mail/address-parts.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { ApiError, validationError } from '../../platform/errors.ts'
import { FIRST_ID, firstIdAt, type Ids, LAST_ID } from '../../platform/ids.ts'
import { append, type EventType, type Stream } from '../events/index.ts'
import { mayWeSend, type Refusal } from '../suppression/index.ts'
import { emailErrors as errors } from './errors.ts'
import { siteIds } from './sites.ts'
import * as sql from './sql.ts'
import { EMAIL_LIFE_MS, type EmailStatus, STATUS } from './types.ts'

export interface ControlOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  /** Wakes delivery, if it runs in this process. */
  readonly onQueued: () => void
}

/** Why an email that has ended may not be sent anew. */
export interface RetryRefusal {
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

export interface RetryOptions extends ControlOptions {
  /** Asked about ended emails. Null: it may be sent. */
  readonly retryRefusal: (db: Db, email: EndedEmail, now: Date) => Promise<RetryRefusal | null>
}

export interface EndedEmail {
  readonly accountId: string
  readonly domainId: string | null
  /** The suppression key of the recipient. */
  readonly recipient: string
  readonly sandbox: boolean
}

export type CancelOptions = Pick<ControlOptions, 'database' | 'clock' | 'ids'>

const QUEUE_LEASED = 1
const CANCELED_AT_ONCE = 500

interface LockedEmail {
  readonly id: string
  readonly domain_id: string | null
  readonly body_id: string
  readonly status: number
  readonly stream: number
  readonly sandbox: boolean
  readonly tag: string | null
  readonly recipient_key: string
  readonly attempts_count: number
  readonly expires_at: Date
  readonly scheduled_at: Date | null
}

/** @throws not_found, not_cancelable: the email has ended, or an attempt is running */
export async function cancelEmail(options: CancelOptions, accountId: string, id: string): Promise<void> {
  const { database, clock, ids } = options
  await database.transaction(async (db) => {
    const { row, email } = await lock(db, accountId, id)
    if (row === null || row.state === QUEUE_LEASED) {
      const why = row === null ? `The email is ${statusName(email.status)} already` : 'An attempt is running'
      throw errors.not_cancelable({}, { message: why })
    }
    const now = clock.now()
    await db.execute(sql.dropQueueRow, [accountId, id])
    await db.execute(sql.endEmail, [accountId, id, STATUS.canceled, now])
    await logEvent(db, ids, { accountId, email, now, type: 'email.canceled', data: { canceled_at: now.toISOString() } })
  })
}

/**
 * Cancels what waits for a mailbox: scheduled, queued and deferred emails. It does not stop an email under an attempt.
 *
 * @param recipient the suppression key of the address
 * @param before null: whenever they were accepted; otherwise only those accepted before this time
 * @returns how many it canceled
 */
export async function cancelWaiting(
  options: CancelOptions,
  accountId: string,
  recipient: string,
  before: Date | null,
): Promise<number> {
  const end = before === null ? LAST_ID : firstIdAt(before)
  let canceled = 0
  let after = FIRST_ID
  for (;;) {
    const rows = await options.database.system.query<{ id: string }>(sql.waitingTo, [
      accountId,
      recipient,
      after,
      end,
      CANCELED_AT_ONCE,
    ])
    for (const { id } of rows) {
      await cancelEmail(options, accountId, id).then(
        () => canceled++,
        (error: unknown) => {
          // An attempt has begun, or the email has ended: it no longer waits.
          if (!(error instanceof ApiError && error.code === 'not_cancelable')) throw error
        },
      )
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < CANCELED_AT_ONCE) return canceled
    after = last.id
  }
}

/**
 * Retries at once: a deferred email now, an ended one anew for 72 hours. It refuses while the recipient is suppressed or has
 * unsubscribed: the next claim would end the email as suppressed, which cannot be retried even after the entry is removed.
 *
 * @throws not_found; invalid_state for every other status, while the recipient of live mail is on one of the two lists, when
 * an ended email may not be sent anew, and when retention has deleted the content
 */
export async function retryEmail(options: RetryOptions, accountId: string, id: string): Promise<void> {
  const { database, clock, onQueued } = options
  await database.transaction(async (db) => {
    const { row, email } = await lock(db, accountId, id)
    const now = clock.now()
    const waits = email.status === STATUS.deferred && row !== null && row.state !== QUEUE_LEASED
    const ended = row === null && (email.status === STATUS.failed || email.status === STATUS.bounced)
    if (!waits && !ended) throw errors.invalid_state()
    // In the sandbox every requested bounce suppresses too, and the contract allows a retry of a bounced email.
    if (!email.sandbox) {
      const ask = { accountId, recipient: email.recipient_key, sandbox: false }
      const [refusal = null] = await mayWeSend(db, [ask], now)
      if (refusal !== null) throw refusedRecipient(refusal)
    }
    if (waits) {
      await db.execute(sql.readyQueueRow, [accountId, id, now])
      await db.execute(sql.hurryEmail, [accountId, id, now])
      return
    }
    const { domain_id: domainId, recipient_key: recipient, sandbox } = email
    const refused = await options.retryRefusal(db, { accountId, domainId, recipient, sandbox }, now)
    if (refused !== null) throw errors.invalid_state(refused.details, { message: refused.message })
    if ((await db.one(sql.hasBody, [accountId, email.body_id])) === null)
      throw errors.invalid_state({}, { message: 'The content of the email is no longer kept' })
    const site = domainPart(recipient)
    // On this transaction's connection: concurrent retries that each waited for a second connection would deadlock.
    const siteId = (await siteIds(db).of([site])).get(site)
    await db.execute(sql.requeue, [
      accountId,
      id,
      domainId,
      siteId,
      now,
      email.attempts_count,
      sandbox,
      recipient,
      email.stream === 1,
    ])
    await db.execute(sql.reopenEmail, [accountId, id, now, new Date(now.getTime() + EMAIL_LIFE_MS)])
  })
  onQueued()
}

function refusedRecipient(refusal: Refusal): ApiError {
  const { list, reason } = refusal
  const message =
    list === 'suppression'
      ? `The recipient is suppressed (${reason}): remove the suppression first, when it is right that they get mail`
      : 'The recipient has unsubscribed: take them off the unsubscribe list first, when they ask for mail again'
  return errors.invalid_state({ list, reason, since: refusal.since.toISOString() }, { message })
}

/** @throws not_found; invalid_state when the email is no longer scheduled; validation_error beyond its expiry */
export async function rescheduleEmail(
  { database }: ControlOptions,
  accountId: string,
  id: string,
  scheduledAt: Date,
): Promise<void> {
  await database.transaction(async (db) => {
    const { row, email } = await lock(db, accountId, id)
    if (row === null || email.status !== STATUS.scheduled || email.scheduled_at === null) throw errors.invalid_state()
    const expiresAt = expiryOf(email.expires_at, email.scheduled_at, scheduledAt)
    if (expiresAt <= scheduledAt)
      throw validationError([{ field: 'scheduled_at', rule: 'before_expiry', message: 'lies at or after expires_at' }])
    const moved = await db.execute(sql.rescheduleQueueRow, [accountId, id, scheduledAt])
    if (moved === 0) throw errors.invalid_state()
    await db.execute(sql.rescheduleEmail, [accountId, id, scheduledAt, expiresAt])
  })
}

/** The default of 72 hours moves with the email; an expiry that the sender has set stays. */
function expiryOf(expiresAt: Date, wasScheduledAt: Date, scheduledAt: Date): Date {
  const usual = new Date(scheduledAt.getTime() + EMAIL_LIFE_MS)
  const isUsual = expiresAt.getTime() - wasScheduledAt.getTime() >= EMAIL_LIFE_MS
  return isUsual || expiresAt > usual ? usual : expiresAt
}

async function lock(
  db: Db,
  accountId: string,
  id: string,
): Promise<{ readonly row: { readonly state: number } | null; readonly email: LockedEmail }> {
  const row = await db.one<{ state: number }>(sql.lockQueueRow, [accountId, id])
  const email = await db.one<LockedEmail>(sql.lockEmail, [accountId, id])
  if (email === null) throw errors.not_found()
  return { row, email }
}

interface EmailEvent {
  readonly accountId: string
  readonly email: LockedEmail
  readonly now: Date
  readonly type: EventType
  readonly data: object
}

function logEvent(db: Db, ids: Ids, { accountId, email, now, type, data }: EmailEvent): Promise<void> {
  const stream: Stream = email.stream === 1 ? 'broadcast' : 'transactional'
  const { id, domain_id: domainId, sandbox, tag } = email
  const event = { accountId, domainId, emailId: id, stream, sandbox, tag }
  return append(db, [{ ...event, eventId: ids.next(), at: now, type, data, facts: null }])
}

/** The name of a stored status. */
export function statusName(number: number): EmailStatus {
  const found = Object.entries(STATUS).find(([, value]) => value === number)
  if (found === undefined) throw new Error(`an email has the unknown status ${number}`)
  return found[0] as EmailStatus
}
