// The attachments of a mail, as the dashboard extracts them from its source: the part that needs no browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileIn, type Listed, savedAs } from '../../dashboard/src/emails/attachments.ts'
import { type Address, parseAddress } from '../../src/mail/address.ts'
import { type AttachmentInput, composeMessage } from '../../src/mail/mime/compose.ts'

const FROM = { name: '', address: addressOf('a@shop.example') }
const GIVEN: readonly AttachmentInput[] = [
  file('Rechnung für März.pdf', Buffer.from([0, 255, 13, 10, 128]), { contentType: 'application/pdf' }),
  file('logo.png', Buffer.from('inside'), { contentType: 'image/png', contentId: 'logo <1>', disposition: 'inline' }),
  file('logo.png', Buffer.from('beside'), { contentType: 'image/png' }),
  file('twice.txt', Buffer.from('first\n')),
  file('twice.txt', Buffer.from('other\n')),
  file('note.txt', Buffer.from('shown in the letter'), { disposition: 'inline' }),
  file('', Buffer.from('nameless'), { contentType: 'image/gif' }),
  file('forwarded.eml', Buffer.from('Subject: s\n\nlines without a return\n'), { contentType: 'message/rfc822' }),
]

function addressOf(text: string): Address {
  const read = parseAddress(text)
  return read.ok ? read.address : assert.fail(text)
}

function file(filename: string, content: Buffer, others: Partial<AttachmentInput> = {}): AttachmentInput {
  return { filename, content, contentType: 'text/plain', contentId: null, disposition: 'attachment', ...others }
}

function listed({ filename, content, contentType, contentId }: AttachmentInput): Listed {
  return { filename, content_type: contentType, content_id: contentId, size: content.length }
}

function sourceOf(attachments: readonly AttachmentInput[]): Uint8Array<ArrayBuffer> {
  const { message } = composeMessage({
    ...{ id: 'a', messageId: 'a@shop.example', date: new Date(0), from: FROM, to: [FROM], cc: [], replyTo: [] },
    ...{ subject: 's', headers: [], html: '<img src="cid:logo">', text: 't', attachments },
  })
  return new Uint8Array(message)
}

test('each attachment is saved with the bytes it was sent with, in whatever order they come', async () => {
  const list = GIVEN.map(listed)
  const source = sourceOf(GIVEN)
  for (const [place, { filename, content, contentType }] of GIVEN.entries()) {
    const bytes = await fileIn(source, list, place)
    assert.ok(bytes !== null, filename)
    // An attached message must not be encoded, so its lines end with CRLF on their way (RFC 2046 section 5.2.1).
    const sent = contentType === 'message/rfc822' ? Buffer.from(`${content}`.replaceAll('\n', '\r\n')) : content
    assert.deepEqual(Buffer.from(bytes), sent, `${place}: ${filename}`)
  }
})

test('an attachment that the source does not contain is not mistaken for another', async () => {
  const [pdf] = GIVEN.map(listed)
  assert.ok(pdf !== undefined)
  assert.equal(await fileIn(sourceOf(GIVEN.slice(1)), [pdf], 0), null)
  assert.equal(await fileIn(sourceOf(GIVEN), [pdf], 1), null)
  assert.equal(await fileIn(new Uint8Array(), [pdf], 0), null)
})

// Each row: an attachment as it is listed, and the name it is saved under as the second one of its mail.
const NAMES: readonly (readonly [filename: string | null, type: string, saved: string])[] = [
  ['a.pdf', 'application/pdf', 'a.pdf'],
  [null, 'message/rfc822', 'attachment-2.eml'],
  [' ', 'Text/Plain; charset=utf-8', 'attachment-2.txt'],
  ['', 'image/png', 'attachment-2.png'],
  [null, 'application/x-what', 'attachment-2.bin'],
]
for (const [filename, type, saved] of NAMES) {
  test(`a file ${JSON.stringify(filename)} of ${type} is saved as ${saved}`, () => {
    assert.equal(savedAs({ filename, content_type: type, content_id: null, size: 1 }, 1), saved)
  })
}
