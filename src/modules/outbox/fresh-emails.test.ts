import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../platform/clock.ts'
import { freshEmails } from './fresh-emails.ts'
import type { Claimed, NewEmail } from './types.ts'

const KB = 1_024

function email(id: string, status: NewEmail['status'] = 'queued'): NewEmail {
  return {
    ...{ id, accountId: 'account', domainId: null, bodyId: id, status, createdAt: new Date(0), expiresAt: new Date(1) },
    from: { name: '', address: 'a@shop.example' },
    ...{ recipient: 'b@example.net', recipientKey: 'b@example.net', site: 'example.net', cc: [], replyTo: [] },
    ...{
      subject: id,
      messageId: `${id}@shop.example`,
      stream: 'transactional',
      bulk: false,
      sandbox: false,
      sandboxResult: 'deliver',
    },
    ...{ tag: null, metadata: null, sizeBytes: 0, scheduledAt: null, tlsRequired: false, risk: null },
  }
}

function emails() {
  let nowMs = 0
  const fresh = freshEmails({ ...systemClock(), monotonicMs: () => nowMs })
  return {
    put: (kilobytes: number, ...emails: readonly NewEmail[]) =>
      fresh.put(
        emails,
        emails.map(({ id }) => ({ id, accountId: 'account', stretches: [Buffer.alloc(kilobytes * KB)] })),
      ),
    taken: (id: string, fence = 1) => fresh.take({ id, fence } as Claimed)?.subject ?? null,
    later: (ms: number) => {
      nowMs += ms
    },
  }
}

test('an email is handed out once, to the first claim of its email', () => {
  const { put, taken } = emails()
  put(1, email('one'), email('two'), email('due later', 'scheduled'))
  assert.deepEqual([taken('one'), taken('one')], ['one', null])
  assert.deepEqual([taken('two', 2), taken('two', 1)], [null, null])
  assert.equal(taken('due later'), null)
})

test('emails are kept within 16 MB, the latest ones; one with a large content is not', () => {
  const { put, taken } = emails()
  put(65, email('large'))
  for (let n = 0; n < 300; n++) put(62, email(`${n}`))
  const kept = Array.from({ length: 300 }, (_, n) => `${n}`).filter((id) => taken(id) !== null)
  assert.equal(taken('large'), null)
  assert.equal(kept.length, 256)
  assert.equal(kept[0], '44')
})

test('an email that is not taken within 10 seconds is forgotten with the next ones', () => {
  const { put, taken, later } = emails()
  put(1, email('old'), email('older'))
  later(9_999)
  put(1, email('young'))
  later(1)
  put(1, email('new'))
  assert.deepEqual(
    ['old', 'older', 'young', 'new'].map((id) => taken(id)),
    [null, null, 'young', 'new'],
  )
})
