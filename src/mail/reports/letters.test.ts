// Mail to a return path that is not a report: letters, forwards, mail sent back unchanged.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readReport } from './classify.ts'

const OURS =
  'From: Shop <a@shop.example>\nTo: bob@example.net\nSubject: Your order could not be delivered\n\nYour parcel could not be delivered. Write to help@shop.example.\n'
const LONG = `${'A'.repeat(70)}\n`.repeat(70_000)
const mixed = (type: string, text: string): string =>
  `MIME-Version: 1.0\nContent-Type: ${type}; boundary="b"\n\n--b\nContent-Type: text/plain\n\n${text}\n--b\nContent-Type: message/rfc822\n\n${OURS}${LONG}\n--b--\n`

// Each row: a description, and the mail as our MX stores it.
const LETTERS: readonly (readonly [what: string, mail: string])[] = [
  [
    'a forward of 5 MB without a sender',
    `Return-Path: <>\nFrom: Jane <jane@example.net>\nSubject: Fwd: hello\n${mixed('multipart/mixed', 'look')}`,
  ],
  [
    'a mail of 5 MB that is a mail',
    `Return-Path: <>\nFrom: Jane <jane@example.net>\nSubject: x\nContent-Type: message/rfc822\n\n${OURS}${LONG}`,
  ],
  [
    'a report that reports nothing',
    `Return-Path: <>\nFrom: jane@example.net\nSubject: s\n${mixed('multipart/report; report-type=delivery-status', 'hi')}`,
  ],
  ['5 MB about a delivery', `Return-Path: <>\nFrom: Jane <jane@example.net>\nSubject: Delivery failed\n\n${LONG}`],
  [
    'a letter of a postmaster',
    'Return-Path: <postmaster@example.net>\nFrom: Postmaster <postmaster@example.net>\nSubject: A question\n\nCould you not send so many? We were not amused.\n',
  ],
]
for (const [what, mail] of LETTERS) {
  test(`no bounce: ${what}`, () => {
    assert.deepEqual(readReport(Buffer.from(mail)), { kind: 'other' })
  })
}

test('a bounce stays a bounce if the mailer wraps it, or quotes a mail after its words', () => {
  const inner = 'From: MAILER-DAEMON@example.net\nSubject: Undelivered\n\n<bob@example.net>: 550 5.1.1 no such user\n'
  const wrapped = `Return-Path: <>\nFrom: gateway@example.net\nSubject: s\nContent-Type: message/rfc822\n\n${inner}`
  assert.equal(readReport(Buffer.from(wrapped)).kind, 'bounce')
  const quoted = `Return-Path: <>\nFrom: Jane <jane@example.net>\nSubject: Delivery failed\n\nNobody is here.\n\n--- Below this line is a copy of the message.\n\n${OURS}`
  assert.equal(readReport(Buffer.from(quoted)).kind, 'bounce')
})
