import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Treatment } from '../outbox/index.ts'
import { type Draft, draftOf } from './draft.ts'
import { readSendRequest } from './request.ts'

const NO_TREATMENT: Treatment = { trackOpens: false, trackClicks: false, unsubscribeHeader: false }

function draft(body: Record<string, unknown>): Draft {
  const asked = { from: 'a@shop.example', to: 'b@dest.example', subject: 's', ...body }
  const { request, faults } = readSendRequest(asked, new Date())
  assert.deepEqual(faults, [])
  assert.ok(request)
  return draftOf(request)
}

// Each row: html and text as they came, and as they are scored and sent.
const PARTS: [html: string | null, text: string | null, sentHtml: string | null, sentText: string | null][] = [
  ['', 'hello', null, 'hello'],
  [' \n\t', 'hello', null, 'hello'],
  ['<p>hello</p>', ' \n', '<p>hello</p>', null],
  ['<p>hello</p>', 'hello', '<p>hello</p>', 'hello'],
  ['', '', null, ''],
  [null, '', null, ''],
]
for (const [html, text, sentHtml, sentText] of PARTS) {
  test(`html ${JSON.stringify(html)} beside text ${JSON.stringify(text)}: what is blank is as if not given`, async () => {
    const made = draft({ html, text })
    const readable = await made.readable()
    const content = made.content(NO_TREATMENT)
    assert.ok(content.kind === 'composed')
    for (const one of [readable, content]) assert.deepEqual([one.html, one.text], [sentHtml, sentText])
  })
}

test('a List-Unsubscribe without a value is none, and leaves the place to ours', () => {
  const made = draft({ text: 't', headers: { 'List-Unsubscribe': '', 'List-Unsubscribe-Post': 'x' } })
  const content = made.content(NO_TREATMENT)
  assert.deepEqual([made.hasListUnsubscribe, content.kind === 'composed' && content.headers], [false, []])
})
