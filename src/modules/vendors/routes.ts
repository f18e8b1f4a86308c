// The paths of other vendors' clients (contract section 17) that send. A body is translated and passed to the sending module: the
// same checks, quotas, idempotency and commit as a send. Keys, rates and scopes are those of send and batch.

import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import { platformErrors, validationError } from '../../platform/errors.ts'
import {
  type Answer,
  type AnyEndpoint,
  type Call,
  endpoint,
  type Principal,
  type VendorApi,
} from '../../platform/http.ts'
import type { Logger } from '../../platform/log.ts'
import type { EmailCalls } from '../outbox/index.ts'
import {
  type Accepted,
  NOT_ALL,
  type Outcome,
  type SendCall,
  type Sending,
  type SubmissionResult,
  sendingLimits,
} from '../sending/index.ts'
import { withBytesInBase64 } from './byte-lists.ts'
import { postmarkAnswer, postmarkError, translatePostmark, translatePostmarkTemplate } from './postmark.ts'
import { RESEND, resendError, translateResend } from './resend.ts'
import { resendEmailEndpoints } from './resend-emails.ts'
import { sendGridError, translateSendGrid } from './sendgrid.ts'
import { ABOUT_RECIPIENTS, faultsOf, fieldsOf, NOT_TRANSLATED, placed, type Translated } from './translation.ts'

export interface VendorOptions {
  readonly sending: Pick<Sending, 'call'>
  readonly emails: EmailCalls
  /** Takes a token of the batch rate for a call with several messages. @throws ApiError rate_limit_exceeded */
  readonly takeBatchToken: (principal: Principal) => Promise<void>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}

interface VendorContext extends VendorOptions {
  submit(call: VendorCall, messages: SendCall): Promise<SubmissionResult>
}

type VendorCall = Pick<Call<never, never, unknown>, 'principal' | 'body' | 'headers' | 'requestId'>

const TAG = 'Other vendors'
const SEND = { scope: 'send', rate: 'send' }
const BATCH = { scope: 'send', rate: 'batch' }
const Anything = Type.Unknown()
const base = { method: 'POST', tag: TAG, body: Anything, validatesItself: true, answers: { 200: Anything } } as const
const single = { ...base, access: SEND, bodyLimitBytes: sendingLimits.MAX_SEND_BODY_BYTES } as const
const many = { ...base, access: BATCH, bodyLimitBytes: sendingLimits.MAX_BATCH_BODY_BYTES } as const
const POSTMARK: VendorApi = {
  folder: '/email',
  missing: NOT_TRANSLATED,
  keyHeader: 'x-postmark-server-token',
  errorAnswer: postmarkError,
}
const SENDGRID: VendorApi = { folder: '/v3', missing: NOT_TRANSLATED, errorAnswer: (error) => sendGridError(error) }
const MAX_ROUNDS = 5

export function vendorEndpoints(options: VendorOptions): readonly AnyEndpoint[] {
  const { sending, log } = options
  const submit = async (call: VendorCall, messages: SendCall): Promise<SubmissionResult> => {
    const result = await sending.call(call.principal, messages)
    const ids = { account_id: call.principal.accountId, request_id: call.requestId }
    for (const outcome of result.kind === 'done' ? result.outcomes : []) {
      if (outcome.kind === 'accepted') log.info({ ...ids, email_id: outcome.accepted.emailId }, 'message submitted')
    }
    return result
  }
  const context = { ...options, submit }
  return [
    ...resendEndpoints(context),
    ...resendEmailEndpoints(options),
    ...postmarkEndpoints(context),
    sendGridEndpoint(context),
  ]
}

// --- Resend

function resendEndpoints({ submit, clock }: VendorContext): readonly AnyEndpoint[] {
  return [
    endpoint({
      ...single,
      rewriteBody: withBytesInBase64,
      path: '/emails',
      summary: 'Resend: send an email',
      foreign: RESEND,
      handle: async (call) => {
        const result = await submit(call, {
          ...keyed(call, '/emails'),
          messages: [translateResend(call.body, clock.now()).send],
          strict: true,
          answerOf: ([outcome]) => (outcome?.kind === 'accepted' ? ok(resendId(outcome)) : null),
        })
        if (result.kind === 'replayed') return replayed(result)
        return ok(resendId(firstAccepted(result.outcomes)))
      },
    }),
    endpoint({
      ...many,
      rewriteBody: withBytesInBase64,
      path: '/emails/batch',
      summary: 'Resend: send up to 500 emails',
      foreign: RESEND,
      handle: async (call) => {
        const strict = header(call.headers, 'x-batch-validation')?.toLowerCase() !== 'permissive'
        const answerOf = (outcomes: readonly Outcome[]): Answer | null =>
          strict && outcomes.some(({ kind }) => kind === 'refused') ? null : ok(resendBatch(outcomes, strict))
        const now = clock.now()
        const messages = listIn(call.body).map((message) => translateResend(message, now))
        const result = await submit(call, {
          ...keyed(call, '/emails/batch'),
          messages: messages.map(({ send }) => send),
          strict,
          answerOf,
        })
        if (result.kind === 'replayed') return replayed(result)
        if (strict) {
          const nameOf = (index: number, field: string): string => messages[index]?.nameOf(field) ?? field
          refuseAll(
            result.outcomes,
            (index) => `[${index}]`,
            (index, field) => [`[${index}]`, nameOf(index, field)].filter((part) => part !== '').join('.'),
          )
        }
        return ok(resendBatch(result.outcomes, strict))
      },
    }),
  ]
}

function resendId({ accepted }: { readonly accepted: Accepted }): object {
  return { id: accepted.emailId }
}

function resendBatch(outcomes: readonly Outcome[], strict: boolean): object {
  const data = outcomes.flatMap((outcome) => (outcome.kind === 'accepted' ? [resendId(outcome)] : []))
  const errors = outcomes.flatMap((outcome, index) =>
    outcome.kind === 'refused' ? [{ index, message: resendError(outcome.error).body['message'] }] : [],
  )
  return strict ? { data } : { data, errors }
}

// --- Postmark

/** One message, or many, of one kind: with their content, or with a template. */
interface PostmarkCall {
  readonly path: string
  readonly summary: string
  readonly translate: (message: unknown) => Translated
}

function postmarkEndpoints(context: VendorContext): readonly AnyEndpoint[] {
  const [content, template] = [translatePostmark, translatePostmarkTemplate]
  const each = 'each with its own answer'
  return [
    postmarkSingle(context, { path: '/email', summary: 'Postmark: send an email', translate: content }),
    postmarkSingle(context, {
      path: '/email/withTemplate',
      summary: 'Postmark: send an email with a template',
      translate: template,
    }),
    postmarkMany(
      context,
      { path: '/email/batch', summary: `Postmark: send up to 500 emails, ${each}`, translate: content },
      (body) => body,
    ),
    postmarkMany(
      context,
      {
        path: '/email/batchWithTemplates',
        summary: `Postmark: send up to 500 emails with templates, ${each}`,
        translate: template,
      },
      (body) => fieldsOf(body)['Messages'],
    ),
  ]
}

function postmarkSingle({ submit }: VendorContext, { path, summary, translate }: PostmarkCall): AnyEndpoint {
  return endpoint({
    ...single,
    path,
    summary,
    foreign: POSTMARK,
    handle: async (call) => {
      const result = await submit(call, {
        ...keyed(call, path),
        messages: [translate(call.body).send],
        strict: true,
        answerOf: ([outcome]) =>
          outcome?.kind === 'accepted' ? ok(postmarkAnswer(outcome.accepted, call.body)) : null,
      })
      if (result.kind === 'replayed') return replayed(result)
      return ok(postmarkAnswer(firstAccepted(result.outcomes).accepted, call.body))
    },
  })
}

/** @param messagesIn a body */
function postmarkMany(
  { submit }: VendorContext,
  { path, summary, translate }: PostmarkCall,
  messagesIn: (body: unknown) => unknown,
): AnyEndpoint {
  return endpoint({
    ...many,
    path,
    summary,
    foreign: POSTMARK,
    handle: async (call) => {
      const messages = listIn(messagesIn(call.body))
      const answersOf = (outcomes: readonly Outcome[]): Answer =>
        ok(
          outcomes.map((outcome, index) =>
            outcome.kind === 'accepted'
              ? postmarkAnswer(outcome.accepted, messages[index])
              : postmarkError(outcome.error).body,
          ),
        )
      const result = await submit(call, {
        ...keyed(call, path),
        messages: messages.map((message) => translate(message).send),
        strict: false,
        answerOf: answersOf,
      })
      return result.kind === 'replayed' ? replayed(result) : answersOf(result.outcomes)
    },
  })
}

// --- SendGrid

function sendGridEndpoint(options: VendorContext): AnyEndpoint {
  return endpoint({
    ...single,
    path: '/v3/mail/send',
    summary: 'SendGrid: send an email to each personalization',
    foreign: SENDGRID,
    handle: async (call) => {
      const messages = translateSendGrid(call.body)
      checkCount(messages.length, 'personalizations')
      if (messages.length > 1) await options.takeBatchToken(call.principal)
      return sendGrid(options, call, messages, MAX_ROUNDS)
    },
  })
}

/**
 * All or none, except that, as at SendGrid, a personalization is left out when none of its recipients may be mailed and another
 * one remains. Nothing has been written by then, so the rest is tried again.
 */
async function sendGrid(
  options: VendorContext,
  call: VendorCall,
  messages: readonly Translated[],
  rounds: number,
): Promise<Answer> {
  const answerOf = (outcomes: readonly Outcome[]): Answer | null => {
    const [first] = outcomes
    return first?.kind === 'accepted' ? { status: 202, body: { id: first.accepted.emailId } } : null
  }
  const result = await options.submit(call, {
    ...keyed(call, '/v3/mail/send'),
    messages: messages.map(({ send }) => send),
    strict: true,
    answerOf,
  })
  if (result.kind === 'replayed')
    return { ...sendGridAnswer(result.body), headers: { ...REPLAYED, ...idHeader(result.body) } }
  const refused = result.outcomes.map((outcome) => (outcome.kind === 'refused' ? outcome.error : null))
  const unwanted = refused.map((error) => error !== null && error !== NOT_ALL && ABOUT_RECIPIENTS.has(error.code))
  const isOnlyUnwanted = refused.every((error, i) => error === null || error === NOT_ALL || unwanted[i] === true)
  const left = messages.filter((_, i) => unwanted[i] !== true)
  if (isOnlyUnwanted && left.length < messages.length && left.length > 0 && rounds > 0) {
    return sendGrid(options, call, left, rounds - 1)
  }
  refuseAll(result.outcomes, noPlace, (index, field) => messages[index]?.nameOf(field) ?? field)
  return sendGridAnswer(answerOf(result.outcomes)?.body)
}

function sendGridAnswer(stored: unknown): Answer {
  return { status: 202, body: '', headers: idHeader(stored) }
}

function idHeader(stored: unknown): Record<string, string> {
  return { 'x-message-id': (stored as { id: string } | undefined)?.id ?? '' }
}

// --- what they have in common

const REPLAYED = { 'idempotent-replayed': 'true' }

function keyed({ body, headers }: VendorCall, path: string): { path: string; key: string | undefined; body: unknown } {
  return { path, key: header(headers, 'idempotency-key'), body }
}

function ok(body: unknown): Answer {
  return { status: 200, body }
}

function replayed({ status, body }: { readonly status: number; readonly body: unknown }): Answer {
  return { status, body, headers: REPLAYED }
}

function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

function listIn(body: unknown): readonly unknown[] {
  if (!Array.isArray(body))
    throw validationError([{ field: 'body', rule: 'type', message: 'must be a list of messages' }])
  checkCount(body.length, 'body')
  return body
}

function checkCount(count: number, field: string): void {
  if (count === 0) throw validationError([{ field, rule: 'required', message: 'needs at least one message' }])
  if (count <= sendingLimits.MAX_BATCH_MESSAGES) return
  const message = `takes at most ${sendingLimits.MAX_BATCH_MESSAGES} messages`
  throw validationError([{ field, rule: 'maxItems', message }])
}

function firstAccepted([outcome]: readonly Outcome[]): Extract<Outcome, { kind: 'accepted' }> {
  if (outcome?.kind === 'accepted') return outcome
  throw outcome?.error ?? platformErrors.internal_error()
}

/** No place: an error of one personalization beyond its fields refuses the whole call. */
const noPlace = (): null => null

/**
 * For a call that is all or none: throws every field fault of all messages, or else the error of the first message refused on
 * its own account, with its place if it is one of many.
 */
function refuseAll(
  outcomes: readonly Outcome[],
  placeOf: (index: number) => string | null,
  nameOf: (index: number, field: string) => string,
): void {
  const refused = outcomes.flatMap((outcome, index) =>
    outcome.kind === 'refused' && outcome.error !== NOT_ALL ? [{ index, error: outcome.error }] : [],
  )
  const [first] = refused
  if (first === undefined) return
  const faults = refused.flatMap(({ index, error }) =>
    faultsOf(error).map((fault) => ({ ...fault, field: nameOf(index, fault.field) })),
  )
  if (faults.length > 0) throw validationError(faults.slice(0, MAX_FAULTS))
  const place = placeOf(first.index)
  throw place === null ? first.error : placed(first.error, place)
}

const MAX_FAULTS = 100
