import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../platform/errors.ts'
import { translateSendGrid } from './sendgrid.ts'
import type { Translated } from './translation.ts'

const CALL = {
  personalizations: Array.from({ length: 3 }, (_, n) => ({ to: [{ email: `a${n}@reader.example` }] })),
  from: { email: 'a@shop.example' },
  subject: 's',
  content: [{ type: 'text/plain', value: 't' }],
}

function textOf(message: Translated | undefined): string {
  assert.ok(message !== undefined)
  return (message.send().body as { text: string }).text
}

test('of a list of the call that is too long, each message has only as much as shows that it is', () => {
  const headers = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`X-${n}`, '1']))
  const attachments = Array.from({ length: 1_000 }, () => ({ content: 'QUJD', filename: 'a' }))
  const [first] = translateSendGrid({ ...CALL, headers, attachments })
  const body = first?.send().body as { headers: object; attachments: unknown[] }
  assert.deepEqual([Object.keys(body.headers).length, body.attachments.length], [31, 21])
})

test('a personalization is translated when it is asked for, and once', () => {
  let looks = 0
  const personalizations = CALL.personalizations.map((own) => ({
    ...own,
    get subject() {
      looks++
      return 'own'
    },
  }))
  const [first, second] = translateSendGrid({ ...CALL, personalizations })
  assert.equal(looks, 0)
  assert.equal(first?.send(), first?.send())
  second?.send()
  assert.equal(looks, 2)
})

test('the substitutions of one personalization search a bounded number of characters', () => {
  const names = Array.from({ length: 100 }, (_, n) => [`-${n}-`, 'x'])
  const personalizations = [{ to: [{ email: 'a@reader.example' }], substitutions: Object.fromEntries(names) }]
  const content = (chars: number) => [{ type: 'text/plain', value: 't'.repeat(chars) }]
  const [small] = translateSendGrid({ ...CALL, personalizations, content: content(100_000) })
  assert.equal(small?.send().faults.length, 0)
  const [large] = translateSendGrid({ ...CALL, personalizations, content: content(2_000_000) })
  assert.throws(
    () => large?.send(),
    (error) => error instanceof ApiError && error.code === 'payload_too_large',
  )
})

test('an object in place of the word of a substitution is text, also with a toString that is no function', () => {
  const personalizations = [{ to: [{ email: 'a@reader.example' }], substitutions: { t: { toString: 1 } } }]
  const [only] = translateSendGrid({ ...CALL, personalizations })
  assert.equal(textOf(only), '[object Object]')
})

// Looked for in a text, it would be found without end.
test('an empty name of a substitution is none, and so is an empty tag for the link', () => {
  const personalizations = [{ to: [{ email: 'a@reader.example' }], substitutions: { '': 'x' } }]
  const subscription_tracking = { enable: true, substitution_tag: '', text: 'Bye <% %>' }
  const [only] = translateSendGrid({ ...CALL, personalizations, tracking_settings: { subscription_tracking } })
  assert.match(textOf(only), /^t\s+Bye \{\{unsubscribe\}\}$/)
  const tagged = { subscription_tracking: { ...subscription_tracking, substitution_tag: '[leave]' } }
  const [other] = translateSendGrid({ ...CALL, personalizations, tracking_settings: tagged })
  assert.equal(textOf(other), 't', 'beside a tag nothing is appended')
})

test('a moment is a number of seconds, and faults are named by paths with dots', () => {
  const faultsAt = (send_at: unknown) => translateSendGrid({ ...CALL, send_at })[0]?.send().faults
  assert.deepEqual([faultsAt(1_900_000_000), faultsAt(null)], [[], []])
  for (const wrong of ['1900000000', 1e300]) assert.equal(faultsAt(wrong)?.[0]?.field, 'scheduled_at')
  const [first] = translateSendGrid(CALL)
  assert.equal(first?.nameOf('to[1].email'), 'personalizations.0.to.1.email')
})
