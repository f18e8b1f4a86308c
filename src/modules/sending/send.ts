// A send and a batch, from the body to the answer.

import { createHash } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import {
  ApiError,
  type FieldFault,
  NO_OBJECT,
  parameterError,
  platformErrors,
  validationError,
} from '../../platform/errors.ts'
import type { Principal } from '../../platform/http.ts'
import { canonicalJson } from '../../platform/json.ts'
import { timeSlices } from '../../platform/time-slices.ts'
import { bodyValidator } from '../../platform/validation.ts'
import type { RiskPolicy, RiskRoom } from '../risk/index.ts'
import { type Acceptance, NOT_ALL, type Outcome, type Submission, type SubmissionResult } from './accept.ts'
import { SendBody } from './body.ts'
import { draftOf } from './draft.ts'
import { errors } from './errors.ts'
import type { IdempotencyKey } from './idempotency.ts'
import { MAX_BATCH_MESSAGES, MAX_CALL_BYTES, MAX_IDEMPOTENCY_KEY_CHARS } from './limits.ts'
import { decodingOnce, readSendRequest, shortened } from './request.ts'
import type { Accepted } from './rows.ts'
import {
  canBeLeft,
  goesToMany,
  type Incoming,
  type SenderDomainFacts,
  senderFacts,
  type TrackingSettings,
} from './sender.ts'
import type { Filler } from './templates.ts'

/** What other modules know of the sender; each answer is cached for at most 5 seconds. */
export interface SenderLookups {
  domain(db: Db, accountId: string, name: string): Promise<SenderDomainFacts | null>
  account(accountId: string): Promise<{ readonly settings: TrackingSettings; readonly policy: RiskPolicy }>
}

export interface SendingOptions {
  readonly database: Database
  readonly clock: Clock
  readonly acceptance: Acceptance
  readonly lookups: SenderLookups
  readonly risk: Pick<RiskRoom, 'content'>
  /** The instance delivers nothing (POSTHORN_DELIVERY=sandbox). */
  readonly sandboxed: boolean
  /** Fills in the templates that the requests of one call name. */
  readonly templateFiller: (accountId: string) => Filler
}

export interface CallAnswer {
  readonly status: number
  readonly body: unknown
  readonly replayed: boolean
}

/** A message in another API's format, translated. */
export interface ForeignMessage {
  /** The body of an equivalent send. */
  readonly body: unknown
  /** Faults that the translated body cannot express: reported together with the others. */
  readonly faults: readonly FieldFault[]
}

/** A call in another API's format, its messages translated into bodies of sends. */
export interface SendCall extends Pick<Submission, 'strict' | 'answerOf'> {
  /** Each is read in its turn. */
  readonly messages: readonly (() => ForeignMessage)[]
  /** The scope of the idempotency key. */
  readonly path: string
  readonly key: string | undefined
  /** The original call; the same key must come with the same call. */
  readonly body: unknown
}

export interface Sending {
  /** @throws ApiError */
  send(principal: Principal, body: unknown, key: string | undefined): Promise<CallAnswer>
  /** @throws ApiError */
  batch(principal: Principal, body: unknown, key: string | undefined, strict: boolean): Promise<CallAnswer>
  /** The messages of one call, in whatever format: read, judged and accepted like a batch. @throws ApiError */
  call(principal: Principal, call: SendCall): Promise<SubmissionResult>
  /**
   * An email that the service writes for the account, judged and accepted like a send. What `alongside` writes becomes
   * durable with the email or not at all.
   *
   * @throws ApiError like a send, and whatever `alongside` throws
   */
  sendWith(principal: Principal, body: unknown, alongside: (db: Db) => Promise<void>): Promise<void>
  /** Adds what is known of the sender and the content to a draft: for SMTP submission, and for previews. */
  incoming(principal: Principal, draft: Incoming['draft']): Promise<Incoming>
  readonly acceptance: Acceptance
}

const SEND_PATH = '/api/v1/send'
const BATCH_PATH = '/api/v1/send/batch'

export function sendingOf(options: SendingOptions): Sending {
  const { clock, acceptance, lookups, database, sandboxed } = options
  const faultsOf = bodyValidator(SendBody)
  const turn = timeSlices(clock)

  const incoming = async (principal: Principal, draft: Incoming['draft']): Promise<Incoming> => {
    const [domain, account, readable] = await Promise.all([
      lookups.domain(database.system, principal.accountId, draft.fromDomain),
      lookups.account(principal.accountId),
      draft.readable(),
    ])
    const sender = senderFacts({
      draft,
      domain,
      boundTo: principal.domainIds,
      sandboxed: sandboxed || principal.mode === 'sandbox',
      account: account.settings,
      policy: account.policy,
    })
    const content = await options.risk.content({
      ...readable,
      senderName: draft.from.name,
      replyTo: draft.replyTo,
      bulk: goesToMany(draft),
      unsubscribable: canBeLeft(draft, sender),
    })
    return { draft, sender, content, keyId: principal.keyId }
  }

  /** What the messages of one call share. */
  const callOf = ({ accountId }: Principal) => ({
    take: roomOfCall(),
    decode: decodingOnce(),
    fill: options.templateFiller(accountId),
  })

  const read = async (
    principal: Principal,
    { body: given, faults: ahead }: ForeignMessage,
    call = callOf(principal),
  ): Promise<Incoming> => {
    // Once a message did not fit, no further one is read.
    call.take(0)
    const body = shortened(fieldsOf(given))
    const { request, faults } = readSendRequest(body, clock.now(), call.decode)
    const all = mergeFaults(ahead, mergeFaults(faultsOf(body), faults))
    if (request === null || all.length > 0) throw validationError(all)
    const draft = draftOf(request)
    call.take(draft.sizeBytes)
    if (request.templateId === null) return incoming(principal, draft)
    const fill = await call.fill(request)
    await turn()
    call.take(0)
    const filled = draftOf(fill())
    call.take(filled.sizeBytes - draft.sizeBytes)
    return incoming(principal, filled)
  }

  /** The messages of one call. */
  const readAll = (
    principal: Principal,
    messages: readonly (() => ForeignMessage)[],
  ): Promise<(Incoming | ApiError)[]> => {
    const call = callOf(principal)
    return Promise.all(
      messages.map((one) =>
        turn()
          .then(() => read(principal, one(), call))
          .catch(asApiError),
      ),
    )
  }

  return {
    acceptance,
    incoming,
    send: async (principal, body, key) => {
      const message = await read(principal, ours(body))
      const result = await acceptance.submit({
        accountId: principal.accountId,
        messages: [message],
        strict: true,
        idempotency: idempotencyOf(principal, SEND_PATH, key, body),
        answerOf: ([outcome]) =>
          outcome?.kind === 'accepted' ? { status: 202, body: answerOf(outcome.accepted) } : null,
      })
      if (result.kind === 'replayed') return { ...result, replayed: true }
      const [outcome] = result.outcomes
      if (outcome?.kind !== 'accepted') throw outcome?.error ?? platformErrors.internal_error()
      return { status: 202, body: answerOf(outcome.accepted), replayed: false }
    },
    call: async (principal, { messages: translated, strict, answerOf: stored, path, key, body }) => {
      const idempotency = idempotencyOf(principal, path, key, body)
      const messages = await readAll(principal, translated)
      if (strict && messages.some((message) => message instanceof ApiError)) {
        const refused = messages.map((message) => (message instanceof ApiError ? message : NOT_ALL))
        return { kind: 'done', outcomes: refused.map((error) => ({ kind: 'refused', error })) }
      }
      return acceptance.submit({ accountId: principal.accountId, messages, strict, idempotency, answerOf: stored })
    },
    sendWith: async (principal, body, alongside) => {
      const result = await acceptance.submit({
        accountId: principal.accountId,
        messages: [await read(principal, ours(body))],
        strict: true,
        idempotency: null,
        answerOf: () => null,
        alongside,
      })
      const [outcome] = result.kind === 'done' ? result.outcomes : []
      if (outcome?.kind !== 'accepted') throw outcome?.error ?? platformErrors.internal_error()
    },
    batch: async (principal, body, key, strict) => {
      const messages = await readAll(
        principal,
        batchItems(body).map((item) => () => ours(item)),
      )
      const result = await acceptance.submit({
        accountId: principal.accountId,
        messages,
        strict,
        idempotency: idempotencyOf(principal, BATCH_PATH, key, body),
        answerOf: (outcomes) =>
          strict && outcomes.some(({ kind }) => kind === 'refused')
            ? null
            : { status: 200, body: batchAnswer(outcomes) },
      })
      if (result.kind === 'replayed') return { ...result, replayed: true }
      if (strict) refuseUnlessAll(result.outcomes)
      return { status: 200, body: batchAnswer(result.outcomes), replayed: false }
    },
  }
}

/**
 * Takes a message's bytes from what the messages of one call may use together. After one that does not fit, none does.
 *
 * @throws ApiError payload_too_large
 */
function roomOfCall(): (bytes: number) => void {
  let left = MAX_CALL_BYTES
  return (bytes) => {
    if (bytes > left) left = -1
    if (left < 0) throw errors.payload_too_large({ limit_bytes: MAX_CALL_BYTES, of: 'all messages of the call' })
    left -= bytes
  }
}

function ours(body: unknown): ForeignMessage {
  return { body, faults: [] }
}

/** @throws ApiError when the body is not an object: nothing else can be checked then */
function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) throw validationError([NO_OBJECT])
  return body as Record<string, unknown>
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  throw error
}

/** The schema's faults first; of two about one field, only the first is kept. */
function mergeFaults(first: readonly FieldFault[], second: readonly FieldFault[]): readonly FieldFault[] {
  const merged = new Map([...second, ...first].map((fault) => [fault.field, fault]))
  return [...first, ...second].filter((fault) => merged.get(fault.field) === fault)
}

function idempotencyOf(
  { accountId }: Principal,
  path: string,
  key: string | undefined,
  body: unknown,
): IdempotencyKey | null {
  if (key === undefined) return null
  if (key.length < 1 || key.length > MAX_IDEMPOTENCY_KEY_CHARS || /[^\x20-\x7e]/.test(key)) {
    const rule = `1-${MAX_IDEMPOTENCY_KEY_CHARS} printable characters`
    throw parameterError('Idempotency-Key', rule, `must be ${rule}, in ASCII`)
  }
  return { accountId, path, key, bodyHash: createHash('sha256').update(canonicalJson(body)).digest() }
}

function batchItems(body: unknown): readonly unknown[] {
  const { messages, ...rest } = fieldsOf(body)
  const faults: FieldFault[] = Object.keys(rest).map((field) => ({
    field,
    rule: 'unknown_field',
    message: 'is not a known field',
  }))
  if (!Array.isArray(messages))
    faults.push({
      field: 'messages',
      rule: messages === undefined ? 'required' : 'type',
      message: 'must be a list of messages',
    })
  else if (messages.length === 0)
    faults.push({ field: 'messages', rule: 'minItems', message: 'needs at least one message' })
  else if (messages.length > MAX_BATCH_MESSAGES) {
    faults.push({ field: 'messages', rule: 'maxItems', message: `takes at most ${MAX_BATCH_MESSAGES} messages` })
  }
  if (faults.length > 0) throw validationError(faults)
  return messages as readonly unknown[]
}

function refuseUnlessAll(outcomes: readonly Outcome[]): void {
  const refused = outcomes.flatMap((outcome, index) =>
    outcome.kind === 'refused' && outcome.error !== NOT_ALL ? [{ index, code: outcome.error.code }] : [],
  )
  if (refused.length === 0) return
  const of = `${refused.length} of ${outcomes.length} messages`
  const message = `Nothing was sent: ${of} would have been refused, as details.messages says`
  throw platformErrors.validation_error({ messages: refused }, { message })
}

/** Contract section 5: the body of a 202. */
function answerOf(accepted: Accepted): object {
  return { success: true, data: dataOf(accepted) }
}

function dataOf(accepted: Accepted): object {
  return {
    email_id: accepted.emailId,
    message_id: accepted.messageId,
    status: accepted.status,
    to: accepted.to,
    recipients: accepted.recipients.map(({ email, emailId, status, reason }) => ({
      email,
      email_id: emailId,
      status,
      reason,
    })),
    accepted_at: accepted.acceptedAt.toISOString(),
    scheduled_at: accepted.scheduledAt?.toISOString() ?? null,
    tag: accepted.tag,
    stream: accepted.stream,
    risk: accepted.risk,
  }
}

function batchAnswer(outcomes: readonly Outcome[]): object {
  const data = outcomes.map((outcome, index) =>
    outcome.kind === 'accepted'
      ? { index, success: true, data: dataOf(outcome.accepted) }
      : {
          index,
          success: false,
          error: { error: outcome.error.message, code: outcome.error.code, details: outcome.error.details },
        },
  )
  const accepted = data.filter(({ success }) => success).length
  return { data, summary: { total: data.length, accepted, rejected: data.length - accepted } }
}
