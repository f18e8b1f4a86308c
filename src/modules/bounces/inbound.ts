// Takes in reports: stores each before it is answered 250, and reads it later, once.
//
// A report is identified by the hash of its address and of its bytes without trace fields: a later copy, on whatever way, is
// accepted and dropped. A claim in the database counts each try before reading begins: a report that has ended its thread or
// its process three times goes into quarantine with its bytes, and the others continue. The effect and the mark `done` are one
// transaction of the process that holds the report then: a process paused for longer than its claim leaves the report to the
// next one. A report that was read loses its bytes, and what is kept with its bytes is limited (report-storage.ts). Rows live 65
// days, longer than a token is valid.
//
// The signer of a report (DKIM) is checked where it matters: for complaints about an email of ours, whose effect does not wait
// for the result, and for reports about TLS and DMARC. One of these whose signer's DNS does not answer is retried for an hour,
// with doubling waits, and then kept with an unknown signer. While a signer is looked up, the next reports are read: anybody can
// sign in a name whose DNS is silent for 3 s. UNDER_WAY_MOST are under way at once; beyond that no signer is looked up, as if its
// DNS did not answer.

import { createHash } from 'node:crypto'
import {
  type DkimCheck,
  type DkimOutcome,
  type DkimQuestion,
  OF_COMPLAINT,
} from '../../mail/authentication/dkim-check.ts'
import { fieldValue, parseHeaderBlock } from '../../mail/mime/headers.ts'
import { identifiersOf } from '../../mail/reports/arf.ts'
import type { Report } from '../../mail/reports/classify.ts'
import { readFeedbackAddress, readReturnPath, type VerpIds, type VerpMac } from '../../mail/verp.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Database, type Db, isPassing } from '../../platform/db.ts'
import type { Resolver } from '../../platform/dns.ts'
import type { ReportIntake } from '../../platform/domain-reports/intake.ts'
import { firstIdAt, type Ids } from '../../platform/ids.ts'
import { aborted, type Loop, loop } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import { applyReport, type StoredEmails } from './effects.ts'
import { type ReportReader, reportReader } from './reader.ts'
import { reportStorage } from './report-storage.ts'
import { signatureReader } from './signatures.ts'
import * as sql from './sql.ts'

export const KINDS = ['return_path', 'feedback', 'tls', 'dmarc', 'operator', 'api'] as const
export type ReportKind = (typeof KINDS)[number]

export interface InboundOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly verpMac: VerpMac
  readonly emails: StoredEmails
  /** Looks up the DKIM keys of reports. */
  readonly resolver: Resolver
  /** Forwards mail for postmaster and abuse to the operator, in the transaction that ends the report. */
  readonly forward: (db: Db, mail: OperatorMail) => Promise<{ readonly outcome: string; readonly keepRaw: boolean }>
  readonly aggregates: Readonly<Record<AggregateKind, AggregateReports>>
  /** Called with the outcome after the commit that ends a report. */
  readonly onRead: (kind: ReportKind, outcome: string) => void
  /** Reads reports. Default: a separate thread. */
  readonly reader?: ReportReader
  /** Default: a gigabyte. */
  readonly keptMostBytes?: number
}

export type AggregateKind = Extract<ReportKind, 'tls' | 'dmarc'>

/** Aggregate reports, which are not about an email of ours. */
export type AggregateReports = ReportIntake<DkimQuestion, DkimOutcome>

export interface OperatorMail {
  /** postmaster or abuse. */
  readonly localPart: string
  readonly raw: Buffer
  /** How many mails were forwarded in the last hour. */
  readonly sentInHour: number
}

export interface Inbound {
  /** The email that a local part of the return-path host identifies; null: forged, foreign, or older than 60 days. */
  tokenOf(localPart: string): VerpIds | null
  /** The provider whose complaints come to this local part; null: not one of our addresses. */
  providerOf(localPart: string): string | null
  /** Resolves when the report is durable, or already known. @param localPart the part before the `@` */
  take(report: { readonly kind: ReportKind; readonly localPart: string; readonly raw: Buffer }): Promise<void>
  /** Reads waiting reports. */
  readonly service: Loop
  /** Reads one report now, within the same limits; for reports that an account submits. */
  readonly reader: ReportReader
}

/** Counted from acceptance: as long as an email is kept at least. It may have waited 30 days for its time. */
const TOKEN_DAYS = 60
const KEPT_DAYS = 65
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const TRIES_MOST = 3
const HELD_MS = 60_000
const POLL_MS = 5_000
const AGAIN_MS = 1_000
const AGAIN_MOST_MS = 60_000
/** How long a report about an email that has not ended is read again. */
const EARLY_MS = 3_600_000
/** For a report whose signer's DNS does not answer: the first wait, and the total. */
const UNANSWERED_MS = 60_000
const UNANSWERED_MOST_MS = 3_600_000
const FORGET_AT_ONCE = 1_000
/** Reports that may be under way when the next one is read, and their bytes. */
const UNDER_WAY_MOST = 32
const UNDER_WAY_BYTES = 33_554_432
const HEADER_BYTES = 65_536
const STATE = { done: 1, quarantined: 2 } as const
/** The claim was lost: there is no outcome. */
const LOST = Symbol('lost')

export function inboundOf(options: InboundOptions): Inbound {
  const { database, clock, ids, log } = options
  const reader = options.reader ?? reportReader()
  const signatures = signatureReader(options)
  const mayKeep = reportStorage(clock, options.keptMostBytes)
  const tokenOf = (localPart: string): VerpIds | null => readToken(options, localPart)

  const underWay = new Map<Promise<void>, number>()
  const hasPlaceFor = (bytes: number): boolean =>
    underWay.size === 0 ||
    (underWay.size < UNDER_WAY_MOST && bytes + underWay.values().reduce((sum, one) => sum + one, 0) <= UNDER_WAY_BYTES)

  let again = clock.now()
  const turn = async (): Promise<number> => {
    const now = clock.now()
    const until = new Date(now.getTime() + HELD_MS)
    const [claimed] = await database.system.query<Omit<Claimed, 'until'>>(sql.CLAIM_REPORT, [now, until])
    if (claimed === undefined) {
      const since = new Date(now.getTime() - KEPT_DAYS * DAY_MS)
      const gone = await database.system.execute(sql.FORGET_REPORTS, [since, FORGET_AT_ONCE])
      return gone === FORGET_AT_ONCE ? 0 : again >= now ? AGAIN_MS : POLL_MS
    }
    const beside = Promise.withResolvers<void>()
    let isBeside = false
    const check: DkimCheck = hasPlaceFor(claimed.raw.length)
      ? (raw, question) => {
          isBeside = true
          beside.resolve()
          return signatures.check(raw, question)
        }
      : signatures.checkAtOnce
    const work = readClaimed(options, { reader, check, mayKeep }, { ...claimed, until }).then((later) => {
      if (later === null) return
      again = later
      reading.wake()
    })
    const ended = work
      .catch((err) => {
        if (isBeside) log.warn({ err }, 'reports will be read later')
      })
      .finally(() => underWay.delete(ended))
    underWay.set(ended, claimed.raw.length)
    await Promise.race([work, beside.promise])
    return 0
  }
  const reading = loop({
    name: 'reports',
    turn,
    onError: (err) => log.warn({ err }, 'reports will be read later'),
  })
  return {
    tokenOf,
    providerOf: (localPart) => readFeedbackAddress(options.verpMac, localPart),
    reader,
    take: async ({ kind, localPart, raw }) => {
      const hash = reportHash(`${kind}:${localPart.toLowerCase()}`, raw)
      await database.system.execute(sql.KEEP_REPORT, [ids.next(), hash, kind, localPart, clock.now(), raw])
      reading.wake()
    },
    service: {
      ...reading,
      stop: async (deadline) => {
        await reading.stop(deadline)
        await Promise.race([Promise.all(underWay.keys()), aborted(deadline)])
        await reader.close()
        await signatures.close()
        for (const reports of Object.values(options.aggregates)) await reports.close()
      },
    },
  }
}

interface Claimed {
  readonly id: string
  readonly kind: ReportKind
  readonly local_part: string
  readonly received_at: Date
  readonly raw: Buffer
  readonly tries: number
  /** Another process may claim it from then on. */
  readonly until: Date
}

interface Readers {
  readonly reader: ReportReader
  readonly check: DkimCheck
  readonly mayKeep: ReturnType<typeof reportStorage>
}

/** @returns when the report is to be read again; null: it has ended */
async function readClaimed(options: InboundOptions, readers: Readers, claimed: Claimed): Promise<Date | null> {
  const { database, clock, log } = options
  const about = { report_id: claimed.id, kind: claimed.kind }
  const putOff = async (ms: number): Promise<Date> => {
    const later = new Date(clock.now().getTime() + ms)
    await database.system.execute(sql.RELEASE_REPORT, [claimed.id, claimed.until, later])
    return later
  }
  // An outage, a conflicting transaction, a statement that waited too long or a missing partition is not the report's fault.
  const uncount = async (): Promise<void> => {
    await database.system.execute(sql.UNCOUNT_TRY, [claimed.id, claimed.until]).catch(() => undefined)
  }
  // The count was raised before reading: this also catches a report that kills the process.
  if (claimed.tries > TRIES_MOST) return quarantine(options, readers, claimed)
  let apply: ((db: Db) => Promise<End>) | null
  try {
    apply = await effectOf(options, readers, claimed)
  } catch (err) {
    log.warn({ ...about, err, tries: claimed.tries }, 'a report could not be read')
    if (isPassing(err)) await uncount()
    else if (claimed.tries >= TRIES_MOST) return quarantine(options, readers, claimed)
    return putOff(AGAIN_MS)
  }
  if (apply === null) {
    await database.system.execute(sql.UNCOUNT_TRY, [claimed.id, claimed.until])
    return putOff(Math.max(UNANSWERED_MS, waitsSince(claimed, clock)))
  }
  const outcome = await database
    .transaction(async (db) => {
      if ((await db.one(sql.LOCK_REPORT, [claimed.id, claimed.until])) === null) return LOST
      const effect = await apply(db)
      if (effect.outcome === 'early' && waitsSince(claimed, clock) < EARLY_MS) {
        await db.execute(sql.UNCOUNT_TRY, [claimed.id, claimed.until])
        return null
      }
      const keepRaw = effect.keepRaw && (await readers.mayKeep(db, claimed.raw.length))
      await end(db, claimed, { state: STATE.done, outcome: effect.outcome, keepRaw })
      return effect.outcome
    })
    .catch(async (error: unknown) => {
      if (isPassing(error)) await uncount()
      throw error
    })
  if (outcome === null) return putOff(Math.min(AGAIN_MOST_MS, AGAIN_MS + waitsSince(claimed, clock) / 2))
  if (outcome === LOST) {
    log.warn(about, 'a report took longer than it is held, and is left to somebody else')
    return null
  }
  options.onRead(claimed.kind, outcome)
  log.info({ ...about, outcome }, 'a report was read')
  return null
}

/** Makes due what a clock that was ahead has put off further than any report is. */
export async function recallReports(db: Db, now: Date): Promise<void> {
  await db.execute(sql.RECALL_REPORTS, [now, new Date(now.getTime() + UNANSWERED_MOST_MS)])
}

/** Not negative when the clock was put back: a report that is always due would be read without a pause, and before all others. */
function waitsSince({ received_at }: Claimed, clock: Clock): number {
  return Math.max(0, clock.now().getTime() - received_at.getTime())
}

async function quarantine(
  { database, log, onRead }: InboundOptions,
  { mayKeep }: Readers,
  claimed: Claimed,
): Promise<null> {
  const outcome = 'unparsed'
  const keepRaw = await mayKeep(database.system, claimed.raw.length)
  if (!(await end(database.system, claimed, { state: STATE.quarantined, outcome, keepRaw }))) return null
  onRead(claimed.kind, outcome)
  log.warn({ report_id: claimed.id, kind: claimed.kind }, 'a report is in quarantine')
  return null
}

interface End {
  readonly outcome: string
  /** The bytes are kept. */
  readonly keepRaw: boolean
}

/** @returns false when the claim was lost: nothing is written */
async function end(
  db: Db,
  { id, until }: Claimed,
  { state, outcome, keepRaw }: End & { readonly state: number },
): Promise<boolean> {
  return (await db.execute(sql.END_REPORT, [id, until, state, outcome, keepRaw])) === 1
}

async function forwarded(db: Db, { clock, forward }: InboundOptions, { local_part, raw }: Claimed): Promise<End> {
  const since = new Date(clock.now().getTime() - HOUR_MS)
  const sent = await db.one<{ count: number }>(sql.COUNT_FORWARDED, [since])
  return forward(db, { localPart: local_part, raw, sentInHour: sent?.count ?? 0 })
}

/** Reads a report. The returned function applies it and returns the outcome to be counted; null: to be read again later. */
async function effectOf(
  options: InboundOptions,
  { reader, check }: Readers,
  claimed: Claimed,
): Promise<((db: Db) => Promise<End>) | null> {
  if (claimed.kind === 'operator') return (db) => forwarded(db, options, claimed)
  if (claimed.kind === 'tls' || claimed.kind === 'dmarc') {
    const mayWait = waitsSince(claimed, options.clock) < UNANSWERED_MOST_MS
    const keep = await options.aggregates[claimed.kind].read(claimed.raw, check, mayWait)
    return keep === null ? null : async (db) => ({ outcome: await keep(db), keepRaw: false })
  }
  const report = await reader.read(claimed.raw)
  const token = claimed.kind === 'return_path' ? readToken(options, claimed.local_part) : tokenInReport(options, report)
  if (token === null) return async () => ({ outcome: 'unmatched', keepRaw: false })
  const dkim = report.kind === 'complaint' ? await check(claimed.raw, OF_COMPLAINT) : null
  return async (db) => ({ outcome: await appliedTo(db, options, claimed, { report, token, dkim }), keepRaw: false })
}

interface Matched {
  readonly report: Report
  readonly token: VerpIds
  readonly dkim: DkimOutcome | null
}

async function appliedTo(
  db: Db,
  options: InboundOptions,
  claimed: Claimed,
  { report, token, dkim }: Matched,
): Promise<string> {
  const email = await options.emails.byToken(db, token)
  if (email === null) return 'unmatched'
  const source = report.kind === 'complaint' ? 'arf' : 'dsn'
  // A feedback address is only for complaints: a bounce to it has no token in its address and matches no email.
  if (claimed.kind === 'feedback' && report.kind !== 'complaint') return 'unmatched'
  return (await applyReport(db, options, email, { report, source, dkim })).kind
}

function readToken({ verpMac, clock }: Pick<InboundOptions, 'verpMac' | 'clock'>, localPart: string): VerpIds | null {
  const ids = readReturnPath(verpMac, localPart)
  const oldest = firstIdAt(new Date(clock.now().getTime() - TOKEN_DAYS * DAY_MS))
  return ids !== null && ids.emailId >= oldest ? ids : null
}

const TOKEN = /b\+[a-z2-7]{61}/gi
const TOKEN_FIELDS = ['cfbl-feedback-id', 'return-path', 'x-posthorn-id']
const ADDRESSED = ['to', 'delivered-to', 'x-original-to', 'envelope-to']
const TOKENS_TRIED = 20
const TOKENS_READ_CHARS = 16_384

/** The signed id of the email in the part of it that the report quotes. */
export function tokenInReport(options: Pick<InboundOptions, 'verpMac' | 'clock'>, report: Report): VerpIds | null {
  if (!('original' in report)) return null
  const values =
    report.kind === 'complaint'
      ? identifiersOf(report.feedback, report.original, TOKEN_FIELDS)
      : report.original.flatMap(([name, value]) => (TOKEN_FIELDS.includes(name) ? [value] : []))
  return firstToken(options, values)
}

/** The signed id in the address of a report that was passed on with its header. */
export function tokenInAddress(options: Pick<InboundOptions, 'verpMac' | 'clock'>, raw: Buffer): VerpIds | null {
  const { fields } = parseHeaderBlock(raw, HEADER_BYTES)
  return firstToken(
    options,
    fields.filter(({ key }) => ADDRESSED.includes(key)).map((field) => fieldValue(raw, field)),
  )
}

function firstToken(options: Pick<InboundOptions, 'verpMac' | 'clock'>, values: readonly string[]): VerpIds | null {
  for (const [found] of [...values.join(' ').slice(0, TOKENS_READ_CHARS).matchAll(TOKEN)].slice(0, TOKENS_TRIED)) {
    const ids = readToken(options, found)
    if (ids !== null) return ids
  }
  return null
}

const TRACE =
  /^(?:received|return-path|delivered-to|x-original-to|envelope-to|delivery-date|dkim-signature|arc-.*|authentication-results|received-spf|x-received|x-spam-.*|x-virus-.*)$/

/** The identity of a report. Trace fields are left out: they differ on every way to us. */
export function reportHash(about: string, raw: Buffer): Buffer {
  const hash = createHash('sha256').update(`${about}\n`)
  const { fields, bodyStart } = parseHeaderBlock(raw, HEADER_BYTES)
  for (const { key, start, end } of fields) if (!TRACE.test(key)) hash.update(raw.subarray(start, end))
  return hash.update(raw.subarray(bodyStart)).digest()
}
