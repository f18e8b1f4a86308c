import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '../../mail/address.ts'
import { INLINE_BYTES, preparer } from './preparer.ts'
import { type PrepareTask, preparedMail } from './submitted.ts'

function taskOf(head: string, body: string): PrepareTask {
  const parsed = parseAddress('b@example.net')
  const recipients = parsed.ok ? [parsed.address] : []
  const raw = Buffer.from(`From: Shöp <a@shop.example>\r\nTo: b@example.net\r\n${head}\r\n\r\n${body}`)
  const now = new Date('2026-11-01T12:00:00Z')
  return { raw, mailFrom: 'a@shop.example', recipients, now, id: 'x', trace: 'Received: by x\r\n' }
}

const LARGE = 'ü'.repeat(400).concat('\r\n').repeat(1_000)
// Each row: what the mail is, and its header.
const MAILS: [what: string, head: string][] = [
  ['a large mail', 'Subject: x\r\nSender: c@other.example\r\nX-Tag: one'],
  ['a large mail with an idempotency key', 'Subject: x\r\nX-Idempotency-Key: k'],
  ['a large mail that is refused', 'From: c@other.example'],
]
for (const [what, head] of MAILS) {
  test(`${what} is prepared in a thread, to the byte as it would be inline`, async () => {
    const task = taskOf(head, LARGE)
    assert.ok(task.raw.length > INLINE_BYTES)
    const inline = preparedMail(task)
    const preparing = preparer()(task)
    assert.ok(preparing instanceof Promise)
    assert.deepEqual(await preparing, inline)
    assert.equal(task.raw.length, 0, 'the thread has taken its memory over')
  })
}

test('a small mail is prepared at once, and one beyond the limits of the thread rejects without harm to the next', async () => {
  const prepare = preparer({ withinMs: 1, memoryMb: 64 })
  assert.ok(!(prepare(taskOf('Subject: x', 'small')) instanceof Promise))
  await assert.rejects(async () => prepare(taskOf('Subject: x', LARGE.repeat(10))), /took longer than 1 ms/)
  assert.equal((await prepare(taskOf('Subject: x', 'small'))).prepared.ok, true)
})
