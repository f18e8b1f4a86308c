// Replies of SMTP servers, and the bounces they mean.

import assert from 'node:assert/strict'
import { bounceFromReply, bounceTypeOf } from '../../../src/mail/smtp/bounce.ts'
import { type Reply, ReplyReader } from '../../../src/mail/smtp/reply.ts'
import type { Random, Target } from '../frame.ts'

const COMMANDS = ['connect', 'mail', 'rcpt', 'data'] as const

export const target: Target = {
  name: 'smtp-reply',
  about: 'replies of SMTP servers and the bounce they mean (smtp-reply, smtp-bounce)',
  seeds: [
    '220 mx.test ESMTP ready\r\n',
    '250-mx.test\r\n250-PIPELINING\r\n250-SIZE 1000\r\n250 8BITMIME\r\n',
    '550 5.1.1 <a@b.test>: Recipient address rejected: User unknown in virtual mailbox table\r\n',
    '550-5.7.26 This mail has been blocked because the sender is unauthenticated.\r\n550 5.7.26 gsmtp\r\n',
    '452 4.2.2 The email account that you tried to reach is over quota.\r\n',
    '421 4.7.0 [TS01] Messages from 192.0.2.1 temporarily deferred due to user complaints\r\n',
    '554 Message rejected (#5.7.1)\n354 go on\r\n250\r\n',
    '550 user unknown\r\nthat wraps\r\n550-x\r\n550 y\r\n',
    '500 \xe9\xff\r\n450 4.3.2 \u2028\r\n',
  ],
  words: [
    '550 ',
    '550-',
    '250 ',
    '421 4.7.0 ',
    '5.1.1 ',
    '(#5.2.2)',
    '\r\n',
    '\n',
    '\r',
    'user unknown',
    'mailbox full',
    'spam',
    'blocked',
    'quota',
    'relay',
    'host not found',
    '<a@b.test>',
    '\x1b[31m',
    '<script>',
  ],
  maxBytes: 200_000,
  run: (input, random) => {
    const replies = new ReplyReader().push(input)
    assert.deepEqual(inPieces(input, random), replies, 'another result by where the bytes are cut')
    const sorts = replies.map((reply) => ('fault' in reply ? 'fault' : meaning(reply)))
    return [...new Set(sorts)].slice(0, 3).join(' ')
  },
}

function inPieces(input: Buffer, random: Random): unknown[] {
  const reader = new ReplyReader()
  const found: unknown[] = []
  for (let at = 0; at < input.length; ) {
    const end = Math.min(input.length, at + 1 + random.below(random.below(2) === 0 ? 4_000 : 60))
    const told = reader.push(input.subarray(at, end))
    found.push(...told)
    if (told.some((one) => 'fault' in one)) break
    at = end
  }
  return found
}

function meaning(reply: Reply): string {
  assert.ok(reply.code >= 200 && reply.code <= 599)
  assert.doesNotMatch(reply.text, /[\p{Cc}\u2028\u2029]/u)
  assert.ok(reply.lines.length <= 1_000 && reply.text.length < 80_000)
  if (reply.code < 400) return String(reply.code)
  const verdicts = COMMANDS.map((command) => {
    const { type, category } = bounceFromReply(reply, command)
    assert.equal(type, bounceTypeOf(category))
    if (reply.code < 500 || command === 'connect' || command === 'mail') assert.notEqual(type, 'hard')
    return category
  })
  return verdicts.join('/')
}
