// Examples for the document. test/openapi.test.ts sends each body and checks each answer against its schema.

import type { Examples } from '../../platform/http.ts'

const WEBHOOK = {
  id: '01936a3e-8f00-7c4d-9b1a-2f6d5e8c7a10',
  name: 'Orders',
  url: 'https://shop.example/hooks/mail',
  events: ['email.bounced', 'email.complained', 'email.unsubscribed'],
  domain_ids: null,
  scope: 'all',
  is_active: true,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  previous_secret_valid_until: null,
  created_at: '2026-01-31T09:00:00.000Z',
  updated_at: '2026-01-31T09:00:00.000Z',
  last_delivery_at: null,
  last_delivery_status: null,
  consecutive_failures: 0,
  disabled_at: null,
  disabled_reason: null,
}

export const CREATE_EXAMPLES: Examples = {
  body: {
    lists: {
      summary: 'Events for list hygiene',
      value: { name: WEBHOOK.name, url: WEBHOOK.url, events: WEBHOOK.events },
    },
    all: { summary: 'All events', value: { url: WEBHOOK.url, events: ['*'] } },
  },
  answers: {
    201: { made: { summary: 'Created webhook with its secret', value: { data: WEBHOOK, webhook: WEBHOOK } } },
  },
}
