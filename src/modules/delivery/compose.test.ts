// The sources of the bytes that go out.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT, fixture } from '../../../test/world/delivery-fixture.ts'
import type { ReceivedMessage, ReceiverScript } from '../../../test/world/receiver.ts'
import { retryEmail } from '../outbox/index.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const ZONE = { 'example.net': { A: ['127.0.0.2'] } }

/** Start and end of a signature's validity, in seconds. */
function heldBy(message: ReceivedMessage | undefined): [from: number, to: number] {
  const [, from, to] = /\bt=(\d+);\s+x=(\d+);/.exec(message?.data.toString('latin1') ?? '') ?? []
  return [Number(from), Number(to)]
}

test('a retry by hand a week after acceptance gets a new signature, and the same bytes on each try', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { dot: '451 4.3.0 not now' })
  const made = h.clock.now().getTime()
  const id = await h.put('bob@example.net', { expiresAt: new Date(made + 10 * MINUTE) })
  await h.delivery.turn()
  h.clock.advance(8 * DAY)
  await h.delivery.turn()
  assert.equal(await h.status(id), 'failed')
  await retryEmail({ ...h, onQueued: () => undefined, retryRefusal: async () => null }, ACCOUNT, id)
  await h.delivery.turn()
  h.clock.advance(DAY)
  mx.script({ dot: 'default' })
  await h.delivery.turn()
  assert.equal(await h.status(id), 'delivered')
  const { email } = await h.story(id)
  const [first, anew, last] = mx.messages
  const seconds = (ms: number): number => Math.floor(ms / 1_000)
  assert.equal(heldBy(first)[0], seconds(made), 'an early expiry does not put it back')
  const [from, to] = heldBy(anew)
  assert.equal(from, seconds(email.expires_at.getTime() - 3 * DAY))
  assert.ok(to > seconds(email.expires_at.getTime()))
  assert.ok(anew !== undefined && last !== undefined && anew.data.equals(last.data))
})

const LONG = `Content-Type: multipart/signed; boundary=b\r\n\r\n--b\r\n\r\n${'a'.repeat(1_200)}\r\n--b--`
// Each row: what was submitted, what the receiver lacks, and the parameters of MAIL; null: it bounces with 5.6.7.
const SUBMITTED: [name: string, message: string, receiver: ReceiverScript, parameters: string[] | null][] = [
  ['an address beyond ASCII in To', 'To: jörg@example.net\r\n\r\nx', {}, ['SMTPUTF8', 'BODY=8BITMIME']],
  ['such an address where it is not known', 'To: jörg@example.net\r\n\r\nx', { smtpUtf8: false }, null],
  ['other bytes beyond ASCII', 'To: a@b.test\r\nList-Id: ü <b.test>\r\n\r\nx', { smtpUtf8: false }, ['BODY=8BITMIME']],
  ['a long line of seven bits', LONG, { eightBitMime: false }, []],
]
for (const [name, message, receiver, parameters] of SUBMITTED) {
  test(`a submitted mail with ${name} gets the right MAIL parameters or bounces`, async () => {
    await using h = await fixture(ZONE)
    const mx = await h.receiver('127.0.0.2', receiver)
    const id = await h.put(
      'bob@example.net',
      {},
      {
        kind: 'submitted',
        message: Buffer.from(`From: a@shop.example\r\n${message}\r\n`),
        treatment: { trackOpens: false, trackClicks: false, unsubscribeHeader: false },
      },
    )
    await h.delivery.turn()
    assert.equal(await h.status(id), parameters === null ? 'bounced' : 'delivered')
    const said = mx.messages.map(({ mailParameters }) => mailParameters.filter((one) => !one.startsWith('SIZE=')))
    assert.deepEqual(said, parameters === null ? [] : [parameters])
    if (parameters !== null) return
    const { data } = await h.last(id)
    const { type, category, smtp_code: code, diagnostic_code: diagnostic, error_message: words } = data
    assert.deepEqual(
      [type, category, code, diagnostic],
      ['unknown', 'protocol', null, null],
      'the receiver said nothing',
    )
    assert.match(String(words), /^5\.6\.7 The receiving server .* an address in the message's header needs$/)
  })
}

// Each row: the Date of a mail that was submitted at 12:00, when it is due, and the Date with which it goes out.
const SUBMITTED_AT = 'Date: Fri, 20 Nov 2026 12:00:00 +0000\r\n'
const DATES: [due: string | null, date: string][] = [
  [null, SUBMITTED_AT],
  ['2026-12-18T08:00:00Z', 'Date: Fri, 18 Dec 2026 08:00:00 +0000\r\n'],
]
for (const [due, date] of DATES) {
  test(`a submitted mail ${due === null ? 'keeps its Date' : 'that waited four weeks has the Date when it was due'}`, async () => {
    await using h = await fixture(ZONE)
    const mx = await h.receiver('127.0.0.2')
    const scheduledAt = due === null ? null : new Date(due)
    const start = scheduledAt ?? h.clock.now()
    await h.put(
      'bob@example.net',
      { scheduledAt, expiresAt: new Date(start.getTime() + 3 * DAY) },
      {
        kind: 'submitted',
        message: Buffer.from(`From: a@shop.example\r\n${SUBMITTED_AT}Subject: Date: x\r\n\r\nDate: y\r\n`),
        treatment: { trackOpens: false, trackClicks: false, unsubscribeHeader: false },
      },
    )
    if (scheduledAt !== null) h.clock.advance(scheduledAt.getTime() - h.clock.now().getTime())
    await h.delivery.turn()
    const [message] = mx.messages
    assert.ok(
      message?.data.toString('latin1').endsWith(`From: a@shop.example\r\n${date}Subject: Date: x\r\n\r\nDate: y\r\n`),
      message?.data.toString('latin1'),
    )
  })
}
