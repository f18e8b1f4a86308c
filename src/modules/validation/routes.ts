import { Type } from 'typebox'
import type { Database } from '../../platform/db.ts'
import { ApiError, type FieldFault, platformErrors } from '../../platform/errors.ts'
import {
  type AnyEndpoint,
  bare,
  bareOf,
  DateTime,
  endpoint,
  named,
  nullable,
  type Principal,
} from '../../platform/http.ts'
import { type Accounts, quotaErrors, type Usage } from '../accounts/index.ts'
import { VALIDATE_BATCH_EXAMPLES, VALIDATE_EXAMPLES } from './examples.ts'
import type { Checked, Checker } from './validation.ts'

export interface ValidationRoutesOptions {
  readonly accounts: Pick<Accounts, 'quotas' | 'gate'>
  readonly database: Database
  readonly checker: Checker
}

const ONE_MS = 9_800
const BATCH_MS = 29_000
const MAX_BATCH = 100

const UsageFields = named(
  'MeteredUsage',
  Type.Object({
    used: Type.Integer(),
    limit: nullable(Type.Integer()),
    remaining: nullable(Type.Integer()),
  }),
)
const oneOf = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)))
const score = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description })
const resultFields = {
  email: Type.String(),
  is_valid: Type.Boolean(),
  validation_checks: named(
    'ValidationChecks',
    Type.Object({
      syntax_valid: Type.Boolean(),
      domain_exists: Type.Boolean(),
      has_mx_records: Type.Boolean(),
      is_disposable: Type.Boolean(),
      is_role_account: Type.Boolean(),
      mailbox_exists: Type.Boolean(),
      is_catch_all: Type.Boolean(),
      smtp_check_performed: Type.Boolean(),
    }),
  ),
  risk_level: named('AddressRisk', oneOf('low', 'medium', 'high')),
  deliverability_score: score('How good it is for your reputation to send to the address, from 0 to 100.'),
  confidence_score: score('How certain it is that email reaches the inbox, from 0 to 100.'),
  confidence_label: named('ConfidenceLabel', oneOf('very_high', 'high', 'medium', 'low', 'very_low')),
  mx_provider: named(
    'MailProvider',
    Type.Object({ name: Type.String(), tier: oneOf('tier_1', 'tier_2', 'tier_3', 'unknown') }),
  ),
  email_pattern: named('AddressPattern', oneOf('human_name', 'role', 'random', 'generic')),
  suggestions: Type.Array(Type.String()),
  smtp_result: named(
    'SmtpResult',
    oneOf('deliverable', 'rejected', 'greylisted', 'blocked', 'timeout', 'catch_all', 'skipped'),
  ),
  did_you_mean: nullable(Type.String()),
  usage: UsageFields,
}
const Result = named('AddressValidation', Type.Object(resultFields))
const quotaFields = {
  limit: nullable(Type.Integer()),
  used: Type.Integer(),
  remaining: nullable(Type.Integer()),
  reset_at: DateTime,
}
const Text = Type.String({ minLength: 1, maxLength: 1_000 })
const Texts = Type.Optional(Type.Array(Text, { minItems: 1, maxItems: MAX_BATCH }))

export function validationRoutes(options: ValidationRoutesOptions): readonly AnyEndpoint[] {
  const { accounts, database } = options
  return [
    endpoint({
      method: 'POST',
      path: '/api/v1/address/validate',
      access: { scope: 'validation', rate: 'validation' },
      operationId: 'validateAddress',
      summary: 'Validate an email address. No email is sent: the mail server is asked up to RCPT.',
      tag: 'Address validation',
      examples: VALIDATE_EXAMPLES,
      body: named('ValidateAddressRequest', Type.Object({ email: Text }, { additionalProperties: false })),
      answers: { 200: bareOf(Result) },
      errors: quotaErrors,
      handle: async ({ principal, body }) => {
        const { results, usage } = await validate(options, principal, [body.email], ONE_MS)
        return bare({ ...results[0], usage })
      },
    }),
    endpoint({
      method: 'POST',
      path: '/api/v1/address/validate/batch',
      access: { scope: 'validation', rate: 'validation' },
      operationId: 'validateAddresses',
      summary: 'Validate up to 100 email addresses',
      tag: 'Address validation',
      body: named(
        'ValidateAddressesRequest',
        Type.Object({ emails: Texts, addresses: Texts }, { additionalProperties: false }),
      ),
      examples: VALIDATE_BATCH_EXAMPLES,
      moreFaults: namesFaults,
      answers: {
        200: named(
          'AddressValidationBatch',
          Type.Object({
            data: Type.Array(Result),
            results: Type.Array(Result),
            summary: named(
              'ValidationSummary',
              Type.Object({
                total: Type.Integer(),
                valid: Type.Integer(),
                invalid: Type.Integer(),
                unknown: Type.Integer(),
              }),
            ),
            usage: UsageFields,
          }),
        ),
      },
      errors: quotaErrors,
      handle: async ({ principal, body }) => {
        const texts = body.emails ?? body.addresses ?? []
        const headers = await accounts.gate.takeMore(principal, 'validation', texts.length - 1, 1)
        const { results, usage } = await validate(options, principal, texts, BATCH_MS)
        const items = results.map((result) => ({ ...result, usage }))
        return { status: 200, headers, body: { data: items, results: items, summary: summaryOf(results), usage } }
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/address/validate/quota',
      access: { scope: 'validation' },
      operationId: 'getValidationQuota',
      summary: "Get this month's validation quota",
      tag: 'Address validation',
      answers: { 200: bareOf(named('ValidationQuota', Type.Object(quotaFields))) },
      handle: async ({ principal: { accountId } }) => {
        const { validations } = await accounts.quotas.read(database.system, accountId)
        const { limit, used, remaining } = validations
        return bare({ limit, used, remaining, reset_at: accounts.quotas.period().resetAt.toISOString() })
      },
    }),
  ]
}

/** Exactly one of the two names must be given. */
function namesFaults(body: unknown): readonly FieldFault[] {
  const { emails, addresses } = (body ?? {}) as Readonly<Record<string, unknown>>
  if (emails !== undefined && addresses !== undefined)
    return [{ field: 'addresses', rule: 'alias', message: 'is another name of emails: give one' }]
  if (emails !== undefined || addresses !== undefined) return []
  return [{ field: 'emails', rule: 'required', message: 'is required' }]
}

const RETRY_AFTER_SECONDS = 5

/** Credits are taken for all or for none, and refunded when there is no answer. @throws ApiError 503 when the checker fails */
async function validate(
  { accounts, database, checker }: ValidationRoutesOptions,
  { accountId, mode }: Principal,
  texts: readonly string[],
  budgetMs: number,
): Promise<{ readonly results: readonly Checked[]; readonly usage: Usage }> {
  const receipt = await database.transaction((db) =>
    accounts.quotas.consume(db, accountId, 'validations', texts.length),
  )
  try {
    const results = await checker.check(texts, { accountId, sandboxed: mode === 'sandbox', budgetMs })
    const { used, limit, remaining } = receipt
    return { results, usage: { used, limit, remaining } }
  } catch (error) {
    // When the database is gone the refund fails too; the caller gets the first error.
    await database.transaction((db) => accounts.quotas.refund(db, receipt)).catch(() => undefined)
    if (error instanceof ApiError) throw error
    throw platformErrors.service_unavailable(
      {},
      { cause: error, retryAfter: RETRY_AFTER_SECONDS, also: { status: 'error' } },
    )
  }
}

function summaryOf(results: readonly Checked[]): { total: number; valid: number; invalid: number; unknown: number } {
  const valid = results.filter(({ is_valid, validation_checks }) => is_valid && validation_checks.mailbox_exists).length
  const invalid = results.filter(({ is_valid }) => !is_valid).length
  return { total: results.length, valid, invalid, unknown: results.length - valid - invalid }
}
