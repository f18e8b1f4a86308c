import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import { type ErrorKind, parameterError } from '../../platform/errors.ts'
import {
  type AnyEndpoint,
  DateTime,
  dataOf,
  endpoint,
  named,
  nullable,
  type Principal,
  Uuid,
} from '../../platform/http.ts'
import type { Logger } from '../../platform/log.ts'
import { riskErrors } from '../risk/index.ts'
import { SendBody, Stream } from './body.ts'
import { errors } from './errors.ts'
import { BATCH_EXAMPLES, SEND_EXAMPLES } from './examples.ts'
import * as limits from './limits.ts'
import type { CallAnswer, Sending } from './send.ts'

const SendData = named(
  'SendResult',
  Type.Object({
    email_id: Uuid,
    message_id: Type.String(),
    status: Type.Union([Type.Literal('queued'), Type.Literal('scheduled'), Type.Literal('sandboxed')]),
    to: Type.Array(Type.String()),
    recipients: Type.Array(
      named(
        'SendRecipient',
        Type.Object({
          email: Type.String(),
          email_id: Uuid,
          status: Type.Union([
            Type.Literal('queued'),
            Type.Literal('suppressed'),
            Type.Literal('unsubscribed'),
            Type.Literal('blocked'),
          ]),
          reason: nullable(Type.String()),
        }),
      ),
    ),
    accepted_at: DateTime,
    scheduled_at: nullable(DateTime),
    tag: nullable(Type.String()),
    stream: Stream,
    risk: named(
      'SendRisk',
      Type.Object({
        risk_score: Type.Integer(),
        risk_level: named('RiskLevel', Type.Enum(['safe', 'low', 'medium', 'high'])),
        action: named('RiskAction', Type.Enum(['allow', 'warn', 'soft_block', 'block'])),
        warnings: Type.Array(Type.String()),
      }),
    ),
  }),
)

const BatchItem = named(
  'BatchItem',
  Type.Object({
    index: Type.Integer({ description: 'Position of the message in the request, starting at 0.' }),
    success: Type.Boolean(),
    data: Type.Optional(SendData),
    error: Type.Optional(
      named(
        'BatchItemError',
        Type.Object({ error: Type.String(), code: Type.String(), details: Type.Record(Type.String(), Type.Unknown()) }),
      ),
    ),
  }),
)

/** The errors of a single message that is refused. */
export const refusals: readonly ErrorKind[] = [
  errors.sender_domain_not_allowed,
  errors.quota_exceeded,
  ...Object.values(riskErrors),
]
const KEYED = [errors.idempotency_in_progress, errors.idempotency_key_reused]

const IDEMPOTENCY_KEY = Type.String({
  minLength: 1,
  maxLength: limits.MAX_IDEMPOTENCY_KEY_CHARS,
  pattern: '^[\\x20-\\x7e]*$',
  description:
    'Makes the request safe to retry. For 24 hours, the same key with the same body, its fields in any order, returns the stored response and sends nothing again.',
})
const BATCH_VALIDATION = Type.Enum(['strict', 'permissive'], {
  default: 'permissive',
  description: '`strict` accepts all messages or none; `permissive` accepts each message on its own.',
})

/** Every email accepted here gets a line in the log, with the id of its request. */
export function sendingRoutes(sending: Sending, log: Logger): readonly AnyEndpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/v1/send',
      access: { scope: 'send', rate: 'send' },
      operationId: 'sendEmail',
      summary:
        'Send an email. It is stored durably before the answer. Each recipient gets an email of its own, with its own status and events; `recipients` has their ids. To repeat a call safely, give it an Idempotency-Key.',
      tag: 'Sending',
      headers: { 'Idempotency-Key': IDEMPOTENCY_KEY },
      body: SendBody,
      examples: SEND_EXAMPLES,
      bodyLimitBytes: limits.MAX_SEND_BODY_BYTES,
      validatesItself: true,
      answers: { 202: named('SendResponse', dataOf(SendData, { success: Type.Boolean() })) },
      errors: [...KEYED, ...refusals],
      handle: async ({ principal, body, headers, requestId }) => {
        const sent = await sending.send(principal, body, header(headers, 'idempotency-key'))
        noteSubmitted(log, { principal, requestId }, sent, [sent.body as { data?: { email_id: string } }])
        return answer(sent)
      },
    }),
    endpoint({
      method: 'POST',
      path: '/api/v1/send/batch',
      access: { scope: 'send', rate: 'batch' },
      operationId: 'sendBatch',
      summary:
        'Send a batch of up to 500 emails. Each is accepted or refused by itself, and the answer is 200 either way. With `X-Batch-Validation: strict`, all are accepted or none.',
      tag: 'Sending',
      headers: { 'Idempotency-Key': IDEMPOTENCY_KEY, 'X-Batch-Validation': BATCH_VALIDATION },
      examples: BATCH_EXAMPLES,
      body: named(
        'BatchRequest',
        Type.Object(
          { messages: Type.Array(SendBody, { minItems: 1, maxItems: limits.MAX_BATCH_MESSAGES }) },
          { additionalProperties: false },
        ),
      ),
      bodyLimitBytes: limits.MAX_BATCH_BODY_BYTES,
      validatesItself: true,
      answers: {
        200: named(
          'BatchResponse',
          Type.Object({
            data: Type.Array(BatchItem),
            summary: named(
              'BatchSummary',
              Type.Object({ total: Type.Integer(), accepted: Type.Integer(), rejected: Type.Integer() }),
            ),
          }),
        ),
      },
      errors: KEYED,
      handle: async ({ principal, body, headers, requestId }) => {
        const strict = isStrict(header(headers, 'x-batch-validation'))
        const sent = await sending.batch(principal, body, header(headers, 'idempotency-key'), strict)
        const { data } = sent.body as { data: readonly { data?: { email_id: string } }[] }
        noteSubmitted(log, { principal, requestId }, sent, data)
        return answer(sent)
      },
    }),
  ]
}

interface Caller {
  readonly principal: Principal
  readonly requestId: string
}

/** A replayed answer lists emails of an earlier request. */
function noteSubmitted(
  log: Logger,
  { principal, requestId }: Caller,
  { replayed }: CallAnswer,
  items: readonly { readonly data?: { readonly email_id: string } }[],
): void {
  if (replayed) return
  for (const { data } of items) {
    if (data === undefined) continue
    const { accountId: account_id } = principal
    log.info({ account_id, request_id: requestId, email_id: data.email_id }, 'message submitted')
  }
}

function answer({ status, body, replayed }: CallAnswer): {
  status: number
  body: unknown
  headers?: Record<string, string>
} {
  return { status, body, ...(replayed && { headers: { 'idempotent-replayed': 'true' } }) }
}

/** @throws ApiError: with a misspelled `strict`, part of the batch would be sent */
function isStrict(mode = ''): boolean {
  switch (mode.trim().toLowerCase()) {
    case 'strict':
      return true
    case 'permissive':
    case '':
      return false
    default:
      throw parameterError('X-Batch-Validation', 'enum', 'must be one of strict, permissive')
  }
}

function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}
