import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../platform/errors.ts'
import type { Treatment } from '../outbox/index.ts'
import { type Draft, draftOf } from './draft.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'
import { readSendRequest } from './request.ts'

const NO_TREATMENT: Treatment = { trackOpens: false, trackClicks: false, unsubscribeHeader: false }

function draft(body: Record<string, unknown>): Draft {
  const asked = { from: 'a@shop.example', to: 'b@dest.example', subject: 's', ...body }
  const { request, faults } = readSendRequest(asked, new Date())
  assert.deepEqual(faults, [])
  assert.ok(request)
  return draftOf(request)
}

// Each row: html and text as given, and as scored and sent.
const PARTS: [html: string | null, text: string | null, sentHtml: string | null, sentText: string | null][] = [
  ['', 'hello', null, 'hello'],
  [' \n\t', 'hello', null, 'hello'],
  ['<p>hello</p>', ' \n', '<p>hello</p>', null],
  ['<p>hello</p>', 'hello', '<p>hello</p>', 'hello'],
  ['', '', null, ''],
  [null, '', null, ''],
]
for (const [html, text, sentHtml, sentText] of PARTS) {
  test(`html ${JSON.stringify(html)} and text ${JSON.stringify(text)}: a blank part counts as not given`, async () => {
    const made = draft({ html, text })
    const readable = await made.readable()
    const content = made.content(NO_TREATMENT)
    assert.ok(content.kind === 'composed')
    for (const one of [readable, content]) assert.deepEqual([one.html, one.text], [sentHtml, sentText])
  })
}

test('a List-Unsubscribe without a value does not count, and ours is added', () => {
  const made = draft({ text: 't', headers: { 'List-Unsubscribe': '', 'List-Unsubscribe-Post': 'x' } })
  const content = made.content(NO_TREATMENT)
  assert.deepEqual([made.hasListUnsubscribe, content.kind === 'composed' && content.headers], [false, []])
})

test('a List-Unsubscribe that names the placeholder requests ours', () => {
  for (const value of [
    '{{unsubscribe}}',
    '<{{ Unsubscribe }}>',
    '<mailto:u@shop.example>, <https://{{unsubscribe}}>',
  ]) {
    const made = draft({ text: 't', headers: { 'List-Unsubscribe': value, 'List-Unsubscribe-Post': 'x' } })
    const content = made.content(NO_TREATMENT)
    assert.deepEqual([made.hasListUnsubscribe, made.wantsListUnsubscribe], [false, true])
    assert.deepEqual(content.kind === 'composed' && content.headers, [])
  }
  const own = draft({ text: 't', headers: { 'List-Unsubscribe': '<https://shop.example/?to={{unsubscribe}}>' } })
  assert.deepEqual([own.hasListUnsubscribe, own.wantsListUnsubscribe], [true, false])
})

const MB = 1_048_576

// Each row: html, text and attachment bytes that exceed 25 MB once encoded, and do not with 2 % less.
const TOO_MUCH: [html: string, text: string, attachmentBytes: number][] = [
  ['é'.repeat(2.5 * MB), '', 13.6 * MB],
  ['é'.repeat(2.5 * MB), 'é'.repeat(2.5 * MB), 8.4 * MB],
  ['='.repeat(5 * MB), '='.repeat(5 * MB), 8.4 * MB],
  ['x\n'.repeat(2.5 * MB), '', 13 * MB],
]
for (const [html, text, attachmentBytes] of TOO_MUCH) {
  test(`html of ${html.slice(0, 2)} and ${text.length} characters of text count by their encoded size`, () => {
    const content = Buffer.alloc(attachmentBytes)
    const whole = () => draft({ html, text, attachments: [{ filename: 'f', content: content.toString('base64') }] })
    assert.throws(whole, (error) => error instanceof ApiError && error.code === 'payload_too_large')
    const less = content.subarray(0, attachmentBytes - 0.6 * MB).toString('base64')
    assert.ok(draft({ html, text, attachments: [{ filename: 'f', content: less }] }).sizeBytes <= MAX_MESSAGE_BYTES)
  })
}
