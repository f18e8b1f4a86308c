// Replies with characters of two UTF-16 units at the places where texts are cut: half a character cannot be stored as JSON.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixture } from '../../../test/world/delivery-fixture.ts'
import type { ReceiverScript } from '../../../test/world/receiver.ts'

const MINUTE = 60_000
const ZONE = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.2'] } }

/** A text with an emoji at an index of the whole. */
function withEmojiAt(index: number, before: string): string {
  return `${before}${'x'.repeat(index - before.length)}\u{1f600} and more`
}

// Each row: what the receiver answers, whose text is cut within the emoji.
const CUT: readonly ReceiverScript[] = [
  { rcpt: withEmojiAt(199, '354 ') },
  { rcpt: `${withEmojiAt(299, '250-')}\n550 no` },
  { rcpt: withEmojiAt(1_023, '451 4.7.1 ') },
]
for (const [row, script] of CUT.entries()) {
  test(`an answer that is cut within a character is told like any other (${row})`, async () => {
    await using h = await fixture(ZONE)
    await h.receiver('127.0.0.2', script)
    const id = await h.put('bob@example.net')
    await h.delivery.turn()
    assert.equal((await h.last(id)).event, 'email.deferred')
    const { attempts } = await h.story(id)
    assert.equal(attempts.length, 1)
    assert.ok(JSON.stringify(attempts[0]?.detail).isWellFormed())
    assert.deepEqual(h.logged, [])
  })
}

test('a mail whose domain disappears bounces, although an answer before was cut within a character', async () => {
  await using h = await fixture(ZONE)
  await h.receiver('127.0.0.2', { rcpt: withEmojiAt(1_023, '451 4.7.1 ') })
  const id = await h.put('bob@example.net')
  await h.delivery.turn()
  h.zones.forget('example.net')
  for (const minutes of [7, 17]) {
    h.clock.wait(minutes * MINUTE)
    await h.delivery.turn()
  }
  assert.deepEqual([await h.status(id), h.logged], ['bounced', []])
})
