import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import type { RiskPolicy } from '../risk/index.ts'
import { NOT_ALL } from './accept.ts'
import { sendingOf } from './send.ts'

test('rendered templates are bounded for all messages of a call together', async () => {
  const part = 'a'.repeat(4 * 1_048_576)
  const settings = { trackingEnabled: null, openTrackingEnabled: null, clickTrackingEnabled: null }
  const taken: (string | null)[] = []
  let fillers = 0
  let filled = 0
  const sending = sendingOf({
    database: {} as Database,
    clock: systemClock(),
    acceptance: {
      submit: async ({ messages }) => {
        taken.push(...messages.map((one) => (one instanceof ApiError ? one.code : null)))
        return { kind: 'done', outcomes: messages.map(() => ({ kind: 'refused', error: NOT_ALL })) }
      },
      idle: async () => undefined,
    },
    lookups: {
      domain: async () => null,
      account: async () => ({ settings: { ...settings, unsubscribeHeaderEnabled: null }, policy: {} as RiskPolicy }),
    },
    risk: { content: async () => null as never },
    sandboxed: true,
    templateFiller: () => {
      fillers++
      return async (request) => () => {
        filled++
        return { ...request, html: part, text: part }
      }
    },
  })
  const message = (n: number) => ({
    from: 'a@shop.example',
    to: `b${n}@reader.example`,
    subject: 'Hi',
    template_id: '01900000-0000-7000-8000-000000000000',
  })
  const principal = { accountId: 'a', keyId: null, mode: 'live', scopes: [], domainIds: null } as const
  await sending.batch(principal, { messages: Array.from({ length: 20 }, (_, n) => message(n)) }, undefined, false)
  assert.deepEqual(taken, [...Array(15).fill(null), ...Array(5).fill('payload_too_large')])
  assert.equal(filled, 16, 'after the first that does not fit, none is rendered')
  assert.equal(fillers, 1, 'what they name is read for all of them together')
})
