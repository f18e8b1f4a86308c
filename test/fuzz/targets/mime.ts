// Messages: parsed for the inbox, prepared at submission, split into parts for tracking.

import assert from 'node:assert/strict'
import { fieldValue, parseHeaderBlock } from '../../../src/mail/mime/headers.ts'
import { contentOf, messageParts, plainMessage, withoutBulk } from '../../../src/mail/mime/message-parts.ts'
import { parseMessage } from '../../../src/mail/mime/parse.ts'
import { reencode } from '../../../src/mail/mime/reencode.ts'
import { prepareSubmitted } from '../../../src/mail/mime/submitted.ts'
import type { Random, Target } from '../frame.ts'

const PLAIN =
  'From: Shop <a@shop.test>\r\nTo: b@dest.test\r\nSubject: Hello\r\nMessage-ID: <1@shop.test>\r\nDate: Mon, 2 Mar 2026 10:00:00 +0000\r\n'

export const target: Target = {
  name: 'mime',
  about: 'messages and their parts (mime-parse, headers, letter-parts, submitted, reencode)',
  seeds: [
    `${PLAIN}\r\nHello.\r\n`,
    `${PLAIN}MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>Gr=C3=BC=C3=9Fe =\r\n{{unsubscribe}}</p>\r\n`,
    `${PLAIN}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b1"\r\n\r\nto be ignored\r\n--b1\r\nContent-Type: multipart/alternative; boundary=b2\r\n\r\n--b2\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n\r\nGr\xfc\xdfe\r\n--b2\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\nPGI+aGk8L2I+\r\n--b2--\r\n--b1\r\nContent-Type: application/pdf; name*0*=utf-8''a%20; name*1*=b.pdf\r\nContent-Disposition: attachment; filename="=?utf-8?b?YQ==?="\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERg==\r\n--b1--\r\n`,
    `${PLAIN}Content-Type: message/rfc822\r\n\r\n${PLAIN}Content-Type: multipart/related; boundary=x\r\n\r\n--x\r\n\r\nz\r\n--x--\r\n`,
    `${'X'.repeat(2_000)}: y\r\n${PLAIN}\r\nHello.\r\n`,
    'From nobody Mon Mar  2 10:00:00 2026\nFrom: =?iso-2022-jp?b?GyRCRnxLXBsoQg==?= <a@shop.test>\nSubject: =?utf-8?q?=F0=9F=98=80?=\n =?utf-8?q?_more?=\n\nbody\n',
  ],
  corpora: ['rfc', 'legacy', 'thirdparty', 'malformed'].map((kind) => `mime/resources/eml/${kind}`),
  words: [
    'Content-Type: multipart/mixed; boundary=b1\r\n',
    'Content-Transfer-Encoding: base64\r\n',
    'Content-Transfer-Encoding: quoted-printable\r\n',
    'Content-Type: text/html; charset=utf-7\r\n',
    'Content-Type: message/rfc822\r\n\r\n',
    '\r\n--b1\r\n',
    '\r\n--b1--\r\n',
    '--b2',
    '\r\n\r\n',
    '\r\n ',
    '=?utf-8?b?',
    '=?utf-8?q?a?= =?utf-8?q?b?=',
    '=\r\n',
    '=C3',
    ' charset="utf-16le"',
    " filename*0*=utf-8''%41; filename*999999999*=x",
    'From: b@other.test\r\n',
    'X-Scheduled-At: 2026-01-01T00:00:00Z\r\n',
    'boundary=""',
    '{{unsubscribe}}',
    '<a href="http://a.test/">',
  ],
  make: (random) => (random.below(2) === 0 ? nested(random) : wide(random)),
  maxBytes: 262_144,
  run: async (input) => {
    const { fields, bodyStart } = parseHeaderBlock(input)
    assert.ok(bodyStart <= input.length)
    for (const field of fields) {
      assert.ok(field.start <= field.end && field.end <= input.length)
      assert.doesNotMatch(fieldValue(input, field), /\r\n/)
    }
    const read = await parseMessage(input)
    assert.ok(read.attachments.length <= 1_000)
    const prepared = prepareSubmitted(input, { now: new Date(0), id: 'x', trace: 'Received: from a by b\r\n' })
    if (prepared.ok) letters(prepared.submitted.message)
    // A reply line has at most 512 bytes (RFC 5321 section 4.5.3.1.5).
    else assert.ok(prepared.refusal.text.length < 500, 'a refusal longer than a reply line')
    return `${read.unparsed} ${read.attachments.length > 0} ${read.html !== null} ${prepared.ok ? 'ok' : prepared.refusal.text}`
  },
}

function letters(message: Buffer): void {
  assert.doesNotMatch(message.toString('latin1'), /[^\r]\n|\r[^\n]/, 'lines do not end in CRLF')
  assert.ok(reencode(message).message.equals(message), 'encoding again changes it')
  let last = 0
  for (const part of messageParts(message)) {
    assert.ok(last <= part.start && part.start <= part.bodyStart && part.bodyStart <= part.end)
    assert.ok(part.end <= message.length)
    last = part.end
    contentOf(message, part)
  }
  withoutBulk(message, 1_000)
  plainMessage(message)
}

function nested(random: Random): Buffer {
  const depth = 2 ** random.below(13)
  const open = Array.from(
    { length: depth },
    (_, at) => `Content-Type: multipart/mixed; boundary=n${at}\r\n\r\n--n${at}\r\n`,
  )
  return Buffer.from(`${PLAIN}${open.join('')}\r\ninnermost\r\n`)
}

function wide(random: Random): Buffer {
  const part = '--w\r\nContent-Type: text/plain\r\n\r\nx\r\n'
  return Buffer.from(
    `${PLAIN}Content-Type: multipart/mixed; boundary=w\r\n\r\n${part.repeat(2 ** random.below(12))}--w--\r\n`,
  )
}
