// Reports that an account submits itself: as the mail it got, or as facts. The account is known, so a message id also
// identifies an email. An address that is not the email's own is not acted on. For a key bound to domains, an email of another
// domain does not exist. A report that overtakes the record of its delivery is retried for 3 s.

import { Readable } from 'node:stream'
import { type TObject, type TSchema, Type } from 'typebox'
import { addressFault, parseAddress, suppressionKey } from '../../mail/address.ts'
import { isComplaint, isOptOut } from '../../mail/reports/arf.ts'
import type { Report } from '../../mail/reports/classify.ts'
import { type BounceCategory, type BounceType, bounceFromReply } from '../../mail/smtp/bounce.ts'
import { replyOf } from '../../mail/smtp/reply.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { type FieldFault, platformErrors, validationError } from '../../platform/errors.ts'
import {
  type AnyEndpoint,
  DateTime,
  dataOf,
  endpoint,
  exampleBody,
  named,
  nullable,
  type Principal,
  single,
} from '../../platform/http.ts'
import { timeOfId } from '../../platform/ids.ts'
import { applyComplaint, applyFailure, applyOptOut, applyReport, type Outcome, type ReportedEmail } from './effects.ts'
import { type Inbound, type InboundOptions, reportHash, tokenInAddress, tokenInReport } from './inbound.ts'
import * as sql from './sql.ts'

export interface InboundRoutesOptions
  extends Omit<InboundOptions, 'forward' | 'aggregates' | 'resolver' | 'onRead' | 'log'> {
  readonly inbound: Inbound
}

const BOUNCE_EXAMPLE = {
  email_id: '01936a3e-8f00-7c4d-9b1a-2f6d5e8c7a10',
  type: 'hard',
  smtp_code: 550,
  enhanced_code: '5.1.1',
  diagnostic_code: '550 5.1.1 User unknown',
}
const COMPLAINT_EXAMPLE = {
  message_id: '<01936a3e-8f00-7c4d-9b1a-2f6d5e8c7a10@shop.example>',
  recipient: 'jo@example.net',
}

const REPORT_BYTES = 25 * 1_048_576
const EARLY_MS = 3_000
const EARLY_POLL_MS = 250
const TYPES: Readonly<Record<BounceType, BounceCategory>> = {
  hard: 'invalid_recipient',
  soft: 'inactive_mailbox',
  block: 'policy',
  unknown: 'unknown',
}

const Text = (maxLength: number): ReturnType<typeof Type.String> => Type.String({ minLength: 1, maxLength })
/** Null says that the fact is unknown, as leaving it out does. */
const Fact = (schema: TSchema): TSchema => Type.Optional(nullable(schema))
const Named = {
  email_id: Fact(Type.String({ format: 'uuid' })),
  message_id: Fact(Text(998)),
  recipient: Fact(Text(320)),
  occurred_at: Fact(DateTime),
}
const Diagnosis = {
  smtp_code: Fact(Type.Integer({ minimum: 400, maximum: 599 })),
  enhanced_code: Fact(Type.String({ pattern: '^[45]\\.\\d{1,3}\\.\\d{1,3}$' })),
  diagnostic_code: Fact(Text(4_096)),
}
const BounceTypeName = named('BounceType', Type.Enum(['hard', 'soft', 'block', 'complaint', 'unknown']))
const closed = { additionalProperties: false } as const
const BounceBody = named(
  'ReportBounceRequest',
  Type.Object({ ...Named, type: Fact(BounceTypeName), ...Diagnosis }, closed),
)
const ComplaintBody = named(
  'ReportComplaintRequest',
  Type.Object({ ...Named, type: Fact(Text(64)), ...Diagnosis }, closed),
)
const Answer = named(
  'ReportResult',
  Type.Object({
    id: Type.String(),
    matched: Type.Boolean({ description: 'Whether the report was matched to an email of the account.' }),
    email_id: nullable(Type.String()),
    type: nullable(Type.String()),
    suppressed: Type.Boolean(),
  }),
)

interface NamedEmail {
  readonly email_id?: string | undefined
  readonly message_id?: string | undefined
  readonly recipient?: string | undefined
  readonly occurred_at?: string | undefined
}
interface Reported extends NamedEmail {
  readonly type?: string | undefined
  readonly smtp_code?: number | undefined
  readonly enhanced_code?: string | undefined
  readonly diagnostic_code?: string | undefined
}
type Apply = (db: Db, email: ReportedEmail) => Promise<Outcome>
type Find = (db: Db) => Promise<ReportedEmail | null>

export function inboundRoutes(options: InboundRoutesOptions): readonly AnyEndpoint[] {
  const one = (what: 'bounces' | 'complaints', body: TObject, apply: (facts: Reported) => Apply): AnyEndpoint =>
    endpoint({
      method: 'POST',
      path: `/api/v1/inbound/${what}`,
      access: { scope: 'bounces:write' },
      operationId: what === 'bounces' ? 'reportBounce' : 'reportComplaint',
      summary: `Report ${what} as message/rfc822 or as JSON that names the email`,
      tag: 'Bounces',
      stream: ['message/rfc822'],
      examples: exampleBody(what === 'bounces' ? BOUNCE_EXAMPLE : COMPLAINT_EXAMPLE),
      body,
      moreFaults: unclear,
      answers: { 202: dataOf(Answer) },
      handle: async ({ principal, stream, body: given }) => {
        const { accountId } = principal
        if (stream instanceof Readable) {
          const raw = await collected(stream)
          // An empty body means {}, whatever its type.
          if (raw.length === 0) throw validationError(unclear({}))
          const report = await options.inbound.reader.read(raw).catch(() => ({ kind: 'other' }) as const)
          return single(
            await take(options, principal, {
              hashes: hashesOf(principal, `api:${accountId}`, raw),
              asComplaint: report.kind === 'complaint',
              find: (db) => emailOfReport(options, db, accountId, { report, raw }),
              apply: (db, email) => applyReport(db, options, email, { report, source: 'api', dkim: null }),
            }),
            { status: 202 },
          )
        }
        const facts: Reported = Object.fromEntries(Object.entries(given as object).filter(([, fact]) => fact !== null))
        const text = Buffer.from(`\n${JSON.stringify(facts)}`)
        return single(
          await take(options, principal, {
            hashes: hashesOf(principal, `api:${accountId}:${what}`, text),
            asComplaint: what === 'complaints' || facts.type === 'complaint',
            find: (db) => emailOfFacts(options, db, accountId, facts),
            apply: apply(facts),
          }),
          { status: 202 },
        )
      },
    })
  const complaint =
    (facts: Reported): Apply =>
    async (db, email) => {
      const at = timeOf(facts, email, options.clock)
      const arrivalDate = facts.occurred_at === undefined ? null : at
      const type = facts.type === undefined || facts.type === 'complaint' ? 'abuse' : facts.type.toLowerCase()
      const feedback = { type, reportingMta: null, arrivalDate, dkim: null }
      if (isOptOut(feedback)) return applyOptOut(db, options, email, 'api')
      return isComplaint(feedback)
        ? applyComplaint(db, options, email, feedback, 'api', at)
        : { kind: 'not_applicable' }
    }
  return [
    one('bounces', BounceBody, (facts) => (db, email) => {
      if (facts.type === 'complaint') return complaint(facts)(db, email)
      const { smtp_code: smtpCode = null, enhanced_code: enhanced = null, diagnostic_code: diagnostic = null } = facts
      const failed = {
        verdict: verdictOf(facts),
        smtpCode,
        enhanced,
        diagnostic,
        command: null,
        remoteHost: null,
        remoteIp: null,
      }
      return applyFailure(db, options, email, failed, 'api', timeOf(facts, email, options.clock))
    }),
    one('complaints', ComplaintBody, complaint),
  ]
}

/** Faults that no field names an email, or that the recipient is no address. Reported together with those of the schema. */
function unclear(body: unknown): readonly FieldFault[] {
  const {
    email_id: emailId,
    message_id: messageId,
    recipient,
  } = (body ?? {}) as Partial<Record<keyof NamedEmail, unknown>>
  const faults: FieldFault[] = []
  if ((emailId ?? messageId ?? null) === null) {
    faults.push({ field: 'email_id', rule: 'required', message: 'is required, or a message_id in its place' })
  }
  const message = addressFault(recipient)
  if (message !== null) faults.push({ field: 'recipient', rule: 'email', message })
  return faults
}

/** The reported time, limited to the time since the email's delivery, which a clock of whole seconds or a wrong one precedes. */
function timeOf({ occurred_at: occurredAt }: NamedEmail, { emailId, deliveredAt }: ReportedEmail, clock: Clock): Date {
  const now = clock.now()
  if (occurredAt === undefined) return now
  const since = deliveredAt ?? timeOfId(emailId)
  return new Date(Math.min(now.getTime(), Math.max(Date.parse(occurredAt), since.getTime())))
}

type Reach = Pick<Principal, 'accountId' | 'domainIds'>

interface Hashes {
  readonly matched: Buffer
  readonly unmatched: Buffer
}

/** A report that a key bound to domains matches to no email stays unused: a key that can match it may still submit it. */
function hashesOf({ domainIds }: Reach, name: string, raw: Buffer): Hashes {
  const matched = reportHash(name, raw)
  return { matched, unmatched: domainIds === null ? matched : reportHash(`${name}:${domainIds.toSorted()}`, raw) }
}

function isWithin(email: ReportedEmail, { accountId, domainIds }: Reach): boolean {
  if (email.accountId !== accountId) return false
  return domainIds === null || email.domainId === null || domainIds.includes(email.domainId)
}

interface Taken {
  readonly hashes: Hashes
  readonly asComplaint: boolean
  readonly find: Find
  readonly apply: Apply
}

/** @returns the answer. A report that overtook the record of its delivery is retried for a moment. */
async function take(options: InboundRoutesOptions, reach: Reach, taken: Taken): Promise<Record<string, unknown>> {
  const enough = AbortSignal.timeout(EARLY_MS)
  for (;;) {
    const { answer, isEarly } = await tryToTake(options, reach, taken)
    if (!isEarly || enough.aborted) return answer
    await options.clock.sleep(EARLY_POLL_MS, enough).catch(() => undefined)
  }
}

/**
 * Finds the email, applies the report and remembers it, in one transaction. A report submitted before has no effect and gets
 * the same answer again. A report about an email that has not ended is not remembered: it may be submitted again.
 */
async function tryToTake(
  { database, ids, clock }: InboundRoutesOptions,
  reach: Reach,
  { hashes, asComplaint, find, apply }: Taken,
): Promise<{ readonly answer: Record<string, unknown>; readonly isEarly: boolean }> {
  return database.transaction(async (db) => {
    const id = ids.next()
    const email = await find(db)
    const own = email !== null && isWithin(email, reach) ? email : null
    const hash = own === null ? hashes.unmatched : hashes.matched
    const fresh = await db.execute(sql.KNOW_REPORT, [id, hash, '', clock.now(), own === null ? 'unmatched' : 'api'])
    const known =
      fresh === 0 ? await db.one<Known>(sql.KNOWN_REPORT, [hash, reach.accountId, own?.emailId, asComplaint]) : null
    const outcome = own === null || fresh === 0 ? null : await apply(db, own)
    const isEarly = outcome?.kind === 'early'
    if (isEarly) await db.execute(sql.FORGET_REPORT, [id])
    const bounce = outcome !== null && 'bounce' in outcome ? outcome.bounce : known
    const answer = {
      id: known?.id ?? id,
      matched: own !== null,
      email_id: own?.emailId ?? null,
      type: bounce?.type ?? null,
      suppressed: bounce?.suppressed ?? (outcome?.kind === 'early' && outcome.suppressed),
    }
    return { answer, isEarly }
  })
}

interface Known {
  readonly id: string
  /** Null: the report had no effect. */
  readonly type: string | null
  readonly suppressed: boolean | null
}

async function emailOfReport(
  options: InboundRoutesOptions,
  db: Db,
  accountId: string,
  { report, raw }: { readonly report: Report; readonly raw: Buffer },
): Promise<ReportedEmail | null> {
  if (!('original' in report)) return null
  const token = tokenInReport(options, report) ?? tokenInAddress(options, raw)
  if (token !== null) return options.emails.byToken(db, token)
  const messageId = report.original.find(([name]) => name === 'message-id')?.[1]
  return messageId === undefined ? null : options.emails.byMessageId(db, accountId, bare(messageId), null)
}

async function emailOfFacts(
  { emails }: InboundRoutesOptions,
  db: Db,
  accountId: string,
  facts: NamedEmail,
): Promise<ReportedEmail | null> {
  const key = facts.recipient === undefined ? null : keyOf(facts.recipient)
  const email =
    facts.email_id === undefined
      ? await emails.byMessageId(db, accountId, bare(facts.message_id ?? ''), key)
      : await emails.byToken(db, { emailId: facts.email_id, firstAccountId: accountId, lastAccountId: accountId })
  return email !== null && (key === null || email.recipientKey === key) ? email : null
}

function verdictOf({ type, smtp_code: code, enhanced_code: enhanced, diagnostic_code: words }: Reported): {
  readonly type: BounceType
  readonly category: BounceCategory
} {
  const statedType = type as BounceType | undefined
  const fromReply =
    code === undefined && enhanced === undefined && words === undefined
      ? null
      : bounceFromReply(
          replyOf(code ?? (enhanced?.startsWith('4') ? 450 : 550), [`${enhanced ?? ''} ${words ?? ''}`]),
          'rcpt',
        )
  if (fromReply !== null && (statedType === undefined || fromReply.type === statedType)) return fromReply
  return { type: statedType ?? 'unknown', category: TYPES[statedType ?? 'unknown'] }
}

function bare(messageId: string): string {
  return messageId.trim().replace(/^<|>$/g, '')
}

function keyOf(text: string): string | null {
  const parsed = parseAddress(text.trim())
  return parsed.ok ? suppressionKey(parsed.address) : null
}

async function collected(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > REPORT_BYTES) throw platformErrors.payload_too_large({ limit_bytes: REPORT_BYTES })
    pieces.push(piece)
  }
  return Buffer.concat(pieces, bytes)
}
