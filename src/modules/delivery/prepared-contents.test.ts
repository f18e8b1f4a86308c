import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeContent } from '../outbox/index.ts'
import type { HtmlReader } from './html-reader.ts'
import { contentsOf } from './prepared-contents.ts'

const BODY = encodeContent({
  kind: 'composed',
  from: { name: '', address: 'a@shop.example' },
  to: [{ name: '', address: 'bob@example.net' }],
  cc: [],
  replyTo: [],
  subject: 'Hello',
  headers: [],
  html: '<p>Hello</p>',
  text: null,
  attachments: [],
  treatment: { trackOpens: false, trackClicks: false, unsubscribeHeader: false },
})

/** Counts how often a content was prepared: each time, its text is made from the html. */
function counting(): { readonly reader: HtmlReader; readonly times: () => number } {
  let times = 0
  const reader: HtmlReader = {
    links: () => {
      throw new Error('nothing here is tracked')
    },
    text: () => `text ${++times}`,
    close: () => Promise.resolve(),
  }
  return { reader, times: () => times }
}

test('a content is prepared once for its first recipient and once for all others', async () => {
  const { reader, times } = counting()
  const contents = contentsOf(reader, true)
  for (const id of ['first', 'second', 'third', 'fourth']) await contents.get({ id, bodyId: 'first' }, BODY)
  assert.equal(times(), 2)
})

test('two recipients at the same time share what is being prepared', async () => {
  const { reader, times } = counting()
  const contents = contentsOf(reader, true)
  const [second, third] = await Promise.all(
    ['second', 'third'].map((id) => contents.get({ id, bodyId: 'first' }, BODY)),
  )
  assert.equal(second, third)
  assert.equal(times(), 1)
})

test('of contents with several recipients the most recently used are kept, and one that failed is not', async () => {
  const { reader, times } = counting()
  const contents = contentsOf(reader, true)
  const get = (bodyId: string) => contents.get({ id: 'second', bodyId }, BODY)
  for (let n = 0; n < 128; n++) await get(`${n}`)
  await get('0')
  await get('128')
  assert.equal(times(), 129)
  await get('0')
  assert.equal(times(), 129)
  await get('1')
  assert.equal(times(), 130)
  const broken = { id: 'second', bodyId: 'broken' }
  await assert.rejects(contents.get(broken, Buffer.from('no content')))
  await contents.get(broken, BODY)
})

test('the content of a mail to one recipient is not kept', async () => {
  const { reader, times } = counting()
  const contents = contentsOf(reader, true)
  for (let i = 0; i < 3; i++) await contents.get({ id: 'only', bodyId: 'only' }, BODY)
  assert.equal(times(), 3)
})
