// Examples for the API document. test/openapi.test.ts sends each body and checks each answer against its schema.

import type { Examples } from '../../platform/http.ts'

const RESULT = {
  email: 'jo@example.net',
  is_valid: true,
  validation_checks: {
    syntax_valid: true,
    domain_exists: true,
    has_mx_records: true,
    is_disposable: false,
    is_role_account: false,
    mailbox_exists: true,
    is_catch_all: false,
    smtp_check_performed: true,
  },
  risk_level: 'low',
  deliverability_score: 95,
  confidence_score: 90,
  confidence_label: 'very_high',
  mx_provider: { name: 'unknown', tier: 'unknown' },
  email_pattern: 'human_name',
  suggestions: [],
  smtp_result: 'deliverable',
  did_you_mean: null,
  usage: { used: 1, limit: 5_000, remaining: 4_999 },
}

export const VALIDATE_EXAMPLES: Examples = {
  body: { one: { summary: 'One email address', value: { email: RESULT.email } } },
  answers: { 200: { deliverable: { summary: 'Deliverable address', value: { ...RESULT, data: RESULT } } } },
}

export const VALIDATE_BATCH_EXAMPLES: Examples = {
  body: { two: { summary: 'Two email addresses', value: { emails: [RESULT.email, 'sam@example.net'] } } },
  answers: {
    200: {
      one: {
        summary: 'Result of a batch with one address',
        value: {
          data: [RESULT],
          results: [RESULT],
          summary: { total: 1, valid: 1, invalid: 0, unknown: 0 },
          usage: RESULT.usage,
        },
      },
    },
  },
}
