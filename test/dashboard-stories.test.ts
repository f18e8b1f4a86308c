// The sentence on an email's page: the part that needs no browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storyOf } from '../dashboard/src/story.ts'

type Email = Parameters<typeof storyOf>[0]
const MAIL: Email = { status: '', sandbox: false, attempts_count: 1, attempts: [], delivered_at: null }
const deferred = (last: Email['attempts'][0]): string => storyOf({ ...MAIL, status: 'deferred', attempts: [last] })
const bounced = (delivered_at: string | null): string => storyOf({ ...MAIL, status: 'bounced', delivered_at })

test('a server that answers 421 was reached', () => {
  const limited = { outcome: 'error', smtp_code: 421, enhanced_code: '4.7.28' }
  assert.match(deferred(limited), /^The receiving server deferred it\. It will be retried/)
  assert.match(
    deferred({ outcome: 'deferred', smtp_code: 450, enhanced_code: '4.2.0' }),
    /^The receiving server deferred it/,
  )
})

test('a server without the TLS that a rule requires was reached', () => {
  assert.match(deferred({ outcome: 'error', smtp_code: null, enhanced_code: '4.7.5' }), /^TLS is required/)
})

test('a server that did not answer was not reached', () => {
  assert.match(deferred({ outcome: 'error', smtp_code: null, enhanced_code: '4.4.1' }), /^No receiving server could be/)
})

test('a bounce after the delivery is told from a refusal', () => {
  assert.match(bounced(null), /rejected it/)
  assert.match(bounced('2026-01-01T12:00:00.000Z'), /accepted it, and its failure was reported later/)
})
