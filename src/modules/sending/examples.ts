// Examples for the OpenAPI document. test/openapi.test.ts sends each body and validates each answer against its schema.

import type { Examples } from '../../platform/http.ts'

const ID = '01936a3e-8f00-7c4d-9b1a-2f6d5e8c7a10'

const RECEIPT = {
  from: 'Shop <hello@shop.example>',
  to: 'jo@example.net',
  subject: 'Your receipt',
  html: '<p>Thank you for order 7.</p>',
  text: 'Thank you for order 7.',
  tag: 'receipt',
  metadata: { order: 7 },
}

const ACCEPTED = {
  email_id: ID,
  message_id: `${ID}@shop.example`,
  status: 'queued',
  to: ['jo@example.net'],
  recipients: [{ email: 'jo@example.net', email_id: ID, status: 'queued', reason: null }],
  accepted_at: '2026-01-31T09:00:00.000Z',
  scheduled_at: null,
  tag: 'receipt',
  stream: 'transactional',
  risk: { risk_score: 0, risk_level: 'safe', action: 'allow', warnings: [] },
}

export const SEND_EXAMPLES: Examples = {
  body: {
    receipt: { summary: 'Email with a tag and metadata', value: RECEIPT },
    several: {
      summary: 'Email to several recipients, with a copy and an attachment',
      value: {
        from: 'hello@shop.example',
        from_name: 'Shop',
        to: [{ email: 'jo@example.net', name: 'Jo' }, 'sam@example.net'],
        cc: 'accounts@example.net',
        reply_to: 'support@shop.example',
        subject: 'Your invoice',
        text: 'The invoice is attached.',
        attachments: [{ filename: 'invoice.csv', content: 'bnIsc3VtCjcsMTIuMDAK', content_type: 'text/csv' }],
      },
    },
    newsletter: {
      summary: 'Newsletter with an unsubscribe link',
      value: {
        from: 'news@shop.example',
        to: 'jo@example.net',
        subject: 'What is new in May',
        html: '<p>News.</p><p><a href="{{unsubscribe}}">Unsubscribe</a></p>',
        stream: 'broadcast',
        is_bulk: true,
      },
    },
  },
  answers: {
    202: { accepted: { summary: 'The email is stored and queued', value: { data: ACCEPTED, success: true } } },
  },
}

export const BATCH_EXAMPLES: Examples = {
  body: {
    two: {
      summary: 'Two emails',
      value: { messages: [RECEIPT, { ...RECEIPT, to: 'sam@example.net', metadata: { order: 8 } }] },
    },
  },
  answers: {
    200: {
      partly: {
        summary: 'One email accepted, one rejected',
        value: {
          data: [
            { index: 0, success: true, data: ACCEPTED },
            {
              index: 1,
              success: false,
              error: {
                error: 'The request body is invalid',
                code: 'validation_error',
                details: { fields: [{ field: 'from', rule: 'required', message: 'is required' }] },
              },
            },
          ],
          summary: { total: 2, accepted: 1, rejected: 1 },
        },
      },
    },
  },
}

const PREVIEW = {
  risk_score: 0,
  risk_level: 'safe',
  would_block: false,
  action: 'allow',
  reason_code: null,
  block_reason: null,
  overridable: false,
  risk_factors: [],
  breakdown: { recipient: 0, content: 0, sender: 0, behavior: 0 },
  recommendations: [],
  policy_snapshot: {
    block_disposable_emails: true,
    enforce_sender_verification: true,
    disposable_confidence_threshold: 0.9,
    customer_plan: 'professional',
  },
  engine_version: '1.1.0',
  quota: { used: 1, limit: 10_000, remaining: 9_999, reset_at: '2026-02-01T00:00:00.000Z' },
}

export const PREVIEW_EXAMPLES: Examples = {
  body: {
    receipt: {
      summary: 'Email as it would be sent',
      value: { from: RECEIPT.from, to: RECEIPT.to, subject: RECEIPT.subject, html: RECEIPT.html, text: RECEIPT.text },
    },
  },
  answers: { 200: { safe: { summary: 'No risk found', value: { ...PREVIEW, data: PREVIEW } } } },
}
