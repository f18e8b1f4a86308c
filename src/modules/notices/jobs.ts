import { createHash } from 'node:crypto'
import { parseAddress } from '../../mail/address.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { firstIdAt, type Ids } from '../../platform/ids.ts'
import { loop, type Service } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import { type AccountUsage, type Buckets, type Limits, usageOfMonth } from '../accounts/index.ts'
import { follow, followerLags } from '../events/index.ts'
import {
  COMPLAINT_FLOOR,
  type ComplainedDomain,
  certificateNotice,
  complaintNotices,
  type DisabledEndpoint,
  disabledNotice,
  diskNotice,
  type EndingCertificate,
  type EndingTrackingCertificate,
  FIGURE_DAYS,
  formerAddressNotice,
  LATE_OPENS_DAYS,
  type LostTrackingDomain,
  lostTrackingNotice,
  type MovedAccount,
  NOTICED,
  type Notice,
  noticesOf,
  OPENS_FLOOR,
  type OpenedDomain,
  quotaNotice,
  replayNotices,
  standstillNotice,
  trackingCertificateNotice,
} from './notice-texts.ts'
import * as sql from './sql.ts'
import type { SystemMailer } from './system-mail.ts'

const NAME = 'notices'
const AT_ONCE = 1_000
const POLL_MS = 1_000
const MAILED_AT_ONCE = 20
const LOOK_EVERY_MS = 60_000
const FIGURES_EVERY_MS = 3_600_000
const DAY_MS = 86_400_000
const USAGES = 1_000
const BEHIND_SECONDS = 15 * 60
const DAY_SECONDS = 86_400
/** Notices per address. An account's address may be anybody's, so this holds over all accounts: 10 a day. */
const ADDRESS_RATE = { burst: 10, perSecond: 10 / DAY_SECONDS }
/** Notices of one kind per account: 5 a day. */
const KIND_RATE = { burst: 5, perSecond: 5 / DAY_SECONDS }
const KEPT_MS = 400 * DAY_MS

export interface NoticesOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly mailer: SystemMailer
  readonly buckets: Pick<Buckets, 'take'>
  /** Null: notices for the operator stay records. */
  readonly operatorEmail: string | null
  /** Null: the account no longer exists. */
  readonly account: (accountId: string) => Promise<{ readonly email: string; readonly limits: Limits } | null>
  /** `YYYY-MM-01` of the month being counted. */
  readonly month: () => string
  readonly hasRoom: () => boolean
  /** The certificate to watch; null: none, or it is renewed in time. */
  readonly certificate: () => Promise<EndingCertificate | null>
  /** Of tracking domains: those whose renewal fails. */
  readonly trackingCertificates: (now: Date) => Promise<readonly EndingTrackingCertificate[]>
  /** The domains of all accounts with at least so many complaints. */
  readonly complaints: (least: typeof COMPLAINT_FLOOR & { readonly from: Date }) => Promise<readonly ComplainedDomain[]>
  /** The domains of all accounts whose mail is opened so often. */
  readonly opens: (
    least: typeof OPENS_FLOOR & { readonly from: Date; readonly lateSince: Date },
  ) => Promise<readonly OpenedDomain[]>
  /** Called after a mail was queued. */
  readonly onMailed: () => void
}

export type FormerAddressOptions = Pick<NoticesOptions, 'clock' | 'ids' | 'mailer' | 'buckets'>

/** Runs in the caller's transaction. Skips a notice whose key exists. @returns one new id per notice, also for skipped ones */
async function note(
  db: Db,
  { clock, ids }: Pick<NoticesOptions, 'clock' | 'ids'>,
  notices: readonly Notice[],
): Promise<readonly string[]> {
  if (notices.length === 0) return []
  const now = clock.now()
  const noted = notices.map(() => ids.next())
  await db.execute(sql.add, [
    noted,
    notices.map(({ accountId }) => accountId),
    notices.map(({ key }) => key),
    notices.map(({ kind }) => kind),
    notices.map(({ subject }) => subject),
    notices.map(({ text }) => text),
    notices.map(() => now),
  ])
  return noted
}

/** Called in the transaction that disables an endpoint. */
export async function noteDisabled(
  db: Db,
  context: Pick<NoticesOptions, 'clock' | 'ids'>,
  endpoint: DisabledEndpoint,
): Promise<void> {
  const key = `webhook ${endpoint.id} ${context.ids.next()}`
  await note(db, context, [disabledNotice(endpoint, context.clock.now(), key)])
}

/** Called in the transaction that ends the verification of a tracking domain. */
export async function noteTrackingLost(
  db: Db,
  context: Pick<NoticesOptions, 'clock' | 'ids'>,
  lost: LostTrackingDomain,
): Promise<void> {
  const key = `tracking domain ${lost.id} ${context.ids.next()}`
  await note(db, context, [lostTrackingNotice(lost, context.clock.now(), key)])
}

/**
 * Tells an account's former address that it was changed, in the transaction of the change. No row knows the former address from
 * then on, so the record becomes a mail at once. The caller wakes delivery.
 */
export async function tellFormerAddress(db: Db, options: FormerAddressOptions, moved: MovedAccount): Promise<void> {
  const { clock, ids } = options
  const { accountId, before } = moved
  const notice = formerAddressNotice(moved, clock.now(), `email ${accountId} ${ids.next()}`)
  const noted = await note(db, options, [notice])
  const goes = await isWithin(options, before, `${accountId} ${notice.kind}`)
  const emailId = goes ? await mailTo(options, db, before, { ...notice, about: accountId }) : null
  await db.execute(sql.mailed, [noted, [emailId], clock.now()])
}

/** The services of the worker role: from the log to records, checks of what no event reports, and from records to mails. */
export function noticeServices(options: NoticesOptions): readonly Service[] {
  const { database, log } = options
  const following = loop({
    name: 'notices of the log',
    turn: async () => {
      const taken = await follow(database, {
        name: NAME,
        limit: AT_ONCE,
        types: NOTICED,
        effect: async (db, events) => {
          await note(db, options, events.flatMap(noticesOf))
        },
      })
      return taken === AT_ONCE ? 0 : POLL_MS
    },
    onError: (err) => log.warn({ err }, 'notices will be read again'),
  })
  const looking = loop({
    name: 'notices of quotas',
    turn: async () => {
      await noteQuotas(options)
      await noteTroubles(options)
      return LOOK_EVERY_MS
    },
    onError: (err) => log.warn({ err }, 'quotas will be looked at again'),
    retryMs: LOOK_EVERY_MS,
  })
  const watching = loop({
    name: 'notices of figures',
    turn: async () => {
      await noteFigures(options)
      return FIGURES_EVERY_MS
    },
    onError: (err) => log.warn({ err }, 'figures will be looked at again'),
    retryMs: LOOK_EVERY_MS,
  })
  const mailing = loop({
    name: 'notices by mail',
    turn: async () => ((await mailWaiting(options)) === MAILED_AT_ONCE ? 0 : POLL_MS),
    onError: (err) => log.warn({ err }, 'notices will be mailed later'),
    retryMs: LOOK_EVERY_MS,
  })
  return [following, looking, watching, mailing]
}

async function noteQuotas(options: NoticesOptions): Promise<void> {
  const { database, account, month } = options
  const period = month()
  let after: AccountUsage | null = null
  do {
    const usages: readonly AccountUsage[] = await usageOfMonth(database.system, period, after, USAGES)
    // At the same time, so that they are read together: one by one, thousands of accounts are as many statements a minute.
    const accounts = [...new Set(usages.map(({ account_id: id }) => id))]
    const limits = new Map(await Promise.all(accounts.map(async (id) => [id, (await account(id))?.limits] as const)))
    const found = usages.map((usage) => {
      const own = limits.get(usage.account_id)
      return own === undefined ? null : quotaNotice(usage, own[usage.resource], period)
    })
    await note(
      database.system,
      options,
      found.filter((notice) => notice !== null),
    )
    after = usages.length === USAGES ? (usages.at(-1) ?? null) : null
  } while (after !== null)
}

async function noteTroubles(options: NoticesOptions): Promise<void> {
  const { database, clock, hasRoom, certificate, trackingCertificates } = options
  const now = clock.now()
  const lags = await followerLags(database.system, now)
  const behind = lags.filter(({ lagSeconds }) => lagSeconds > BEHIND_SECONDS).map(({ name }) => name)
  const ending = await certificate()
  const found = [
    hasRoom() ? null : diskNotice(now),
    behind.length > 0 ? standstillNotice(behind, now) : null,
    ending === null ? null : certificateNotice(ending, now),
    ...(await trackingCertificates(now)).map((one) => trackingCertificateNotice(one, now)),
  ]
  await note(
    database.system,
    options,
    found.filter((notice) => notice !== null),
  )
}

async function noteFigures(options: NoticesOptions): Promise<void> {
  const now = options.clock.now()
  const from = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - (FIGURE_DAYS - 1) * DAY_MS)
  const complained = await options.complaints({ ...COMPLAINT_FLOOR, from })
  const lateSince = new Date(from.getTime() - LATE_OPENS_DAYS * DAY_MS)
  const opened = await options.opens({ ...OPENS_FLOOR, from, lateSince })
  await note(options.database.system, options, [
    ...complained.flatMap((domain) => complaintNotices(domain, now)),
    ...opened.flatMap((domain) => replayNotices(domain, now)),
  ])
}

/** @returns the number of records taken */
async function mailWaiting(options: NoticesOptions): Promise<number> {
  const { database, clock, operatorEmail, account, onMailed } = options
  const taken = await database.transaction(async (db) => {
    const waiting = await db.query<{
      id: string
      account_id: string | null
      kind: string
      subject: string
      body: string
    }>(sql.lockWaiting, [MAILED_AT_ONCE])
    const emailIds: (string | null)[] = []
    for (const { account_id: about, kind, subject, body: text } of waiting) {
      const to = about === null ? operatorEmail : ((await account(about))?.email ?? null)
      const goes = to !== null && (about === null || (await isWithin(options, to, `${about} ${kind}`)))
      emailIds.push(!goes ? null : await mailTo(options, db, to, { subject, text, about }))
    }
    if (waiting.length > 0) await db.execute(sql.mailed, [waiting.map(({ id }) => id), emailIds, clock.now()])
    return waiting.length
  })
  if (taken > 0) onMailed()
  return taken
}

/** Whether the rates allow the mail; beyond them a notice stays a record. */
async function isWithin({ buckets }: Pick<NoticesOptions, 'buckets'>, address: string, kind: string): Promise<boolean> {
  const byKind = await buckets.take(idOf(kind), 'notice_kind', KIND_RATE, 1)
  return byKind.granted && (await buckets.take(idOf(address.toLowerCase()), 'notice_address', ADDRESS_RATE, 1)).granted
}

/** A UUID for a name. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** @returns the email's id; null when the address is invalid or bounced within the last day */
async function mailTo(
  { mailer }: Pick<NoticesOptions, 'mailer'>,
  db: Db,
  address: string,
  mail: { readonly subject: string; readonly text: string; readonly about: string | null },
): Promise<string | null> {
  const parsed = parseAddress(address)
  if (!parsed.ok || !(await mailer.maySend(db, parsed.address))) return null
  const { subject, text, about } = mail
  return mailer.send(db, { to: parsed.address, attached: null, headers: [], subject, text, about })
}

/** Deletes records older than 400 days. @returns how many; `limit` means that there may be more */
export function forgetNotices(db: Db, now: Date, limit: number): Promise<number> {
  return db.execute(sql.forget, [firstIdAt(new Date(now.getTime() - KEPT_MS)), limit])
}
