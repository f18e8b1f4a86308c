import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodingOnce, readSendRequest, shortened } from './request.ts'

/** The decoded content of an attachment; null: it is refused. */
function contentOf(content: string): Buffer | null {
  const attachments = [{ filename: 'f', content }]
  const body = { from: 'a@shop.example', to: 'b@dest.example', subject: 's', text: 't', attachments }
  const { request, faults } = readSendRequest(body as Parameters<typeof readSendRequest>[0], new Date())
  if (request !== null) return request.attachments[0]?.content ?? null
  assert.deepEqual(
    faults.map(({ field, rule }) => [field, rule]),
    [['attachments[0].content', 'base64']],
  )
  return null
}

test('base64 is decoded wherever its lines end, padded or not', () => {
  const lineEnd = fc.constantFrom('', '', '', '\n', '\r\n', '\r', '\r\n\r\n')
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), fc.array(lineEnd), (bytes, isPadded, ends) => {
      const text = Buffer.from(bytes).toString('base64')
      const chars = [...(isPadded ? text : text.replaceAll('=', ''))]
      const broken = chars.map((char, i) => char + (ends[i % (ends.length || 1)] ?? '')).join('')
      assert.deepEqual(contentOf(broken), Buffer.from(bytes))
    }),
  )
})

test('messages of one call that share an attachment share its bytes', () => {
  const decode = decodingOnce()
  const attachments = [{ filename: 'f', content: Buffer.alloc(3_000).toString('base64') }]
  const body = { from: 'a@shop.example', to: 'b@dest.example', subject: 's', text: 't', attachments }
  const contents = [1, 2].map(
    () => readSendRequest(structuredClone(body), new Date(), decode).request?.attachments[0]?.content,
  )
  assert.equal(contents[0]?.length, 3_000)
  assert.equal(contents[0], contents[1])
  assert.equal(decode('no base64'), null)
  assert.equal(decode('no base64'), null)
})

const NOT_BASE64 = [
  'QUI=QUI=',
  'QQ==QQ==',
  '=QUI',
  'QUJDR',
  'QU JD',
  'QU\tJD',
  'QUJ-',
  'QUJ_',
  'QÜJD',
  'QUJ😀',
  'QUJD\0',
]
for (const text of NOT_BASE64) {
  test(`${JSON.stringify(text)} is not base64`, () => {
    assert.equal(contentOf(text), null)
  })
}

const BODY = { from: 'a@shop.example', to: 'b@dest.example', subject: 's', text: 't' }
const told = (body: Record<string, unknown>) => {
  const { request, faults } = readSendRequest({ ...BODY, ...body }, new Date())
  return { request, faults: faults.map(({ field, rule }) => `${field} ${rule}`) }
}

test('a Reply-To among the headers is read as addresses, and is refused together with reply_to', () => {
  const headers = { 'reply-to': '"Müller, Hans" <h@shop.example>, desk@shop.example', 'X-A': '1' }
  const { request } = told({ headers })
  assert.deepEqual(request?.replyTo, [
    { name: 'Müller, Hans', address: 'h@shop.example' },
    { name: '', address: 'desk@shop.example' },
  ])
  assert.deepEqual(request?.headers, [['X-A', '1']])
  assert.deepEqual(told({ headers, reply_to: 'z@shop.example' }).faults, ['headers.reply-to once'])
  const blank = told({ headers: { 'Reply-To': ' ' }, reply_to: 'z@shop.example' })
  assert.deepEqual(blank.request?.replyTo, [{ name: '', address: 'z@shop.example' }])
  assert.deepEqual(told({ headers: { 'Reply-To': 'a@b.example', 'reply-to': 'c@b.example' } }).faults, [
    'headers.reply-to once',
  ])
  assert.deepEqual(told({ headers: { 'Reply-To': '' } }).request?.replyTo, [])
  assert.deepEqual(told({ headers: { 'Reply-To': 'the desk' } }).faults, ['headers.Reply-To email'])
})

test('a content id is accepted with its angle brackets, and stored without them', () => {
  const withId = (content_id: string) => told({ attachments: [{ filename: 'f', content: 'QQ==', content_id }] })
  for (const id of ['img1', '<img1>']) assert.equal(withId(id).request?.attachments[0]?.contentId, 'img1')
  for (const id of ['<>', '<<a>>', '<a', 'a>', 'a b'])
    assert.deepEqual(withId(id).faults, ['attachments[0].content_id content_id'], id)
})

test('an attachment has the type that is given, with its parameters, else that of its name', () => {
  const typed = (more: object) => told({ attachments: [{ filename: 'invite.ics', content: 'QQ==', ...more }] })
  const given = 'text/calendar; method=REQUEST; charset=utf-8'
  assert.equal(typed({ content_type: given }).request?.attachments[0]?.contentType, given)
  assert.deepEqual(typed({ content_type: 'message/rfc822' }).faults, [])
  for (const none of [{}, { content_type: null }])
    assert.equal(typed(none).request?.attachments[0]?.contentType, 'text/calendar')
  for (const content_type of [
    '',
    'calendar',
    'multipart/mixed',
    'message/partial; id=x; number=1; total=1',
    'text/plain; x',
    'text/plain\r\nX: y',
  ])
    assert.deepEqual(typed({ content_type }).faults, ['attachments[0].content_type media_type'], content_type)
})

test('a blank html counts as absent, and an empty text is an email of its own', () => {
  for (const html of ['', ' \r\n\t\u00a0']) {
    assert.deepEqual(told({ html, text: null }).faults, ['html required'])
    for (const body of [{ html }, { html, text: '' }, { html, text: null, template_id: 't' }])
      assert.deepEqual(told(body).faults, [], JSON.stringify(body))
  }
  assert.deepEqual(told({ text: '' }).faults, [])
})

test('an empty tag is no tag', () => {
  assert.equal(told({ tag: '' }).request?.tag, null)
})

test('a header is accepted once, in whatever case, and a blank one counts as absent where its syntax needs a value', () => {
  const of = (headers: Record<string, string>) => {
    const { request, faults } = told({ headers })
    return request?.headers ?? faults
  }
  for (const name of ['List-Unsubscribe', 'References', 'In-Reply-To', 'X-A'])
    assert.deepEqual(of({ [name]: '<a>', [name.toLowerCase()]: '<b>' }), [`headers.${name.toLowerCase()} once`])
  assert.deepEqual(of({ 'List-Unsubscribe': ' ', 'list-unsubscribe': '<b>', References: '' }), [
    ['list-unsubscribe', '<b>'],
  ])
  assert.deepEqual(of({ 'X-A': '1', 'X-Empty': '' }), [
    ['X-A', '1'],
    ['X-Empty', ''],
  ])
})

test('headers that direct complaints and errors are reserved to the operator', () => {
  for (const name of ['Feedback-ID', 'cfbl-address', 'CFBL-Feedback-ID', 'Errors-To', 'Apparently-To'])
    assert.deepEqual(told({ headers: { [name]: 'a@b.example' } }).faults, [`headers.${name} forbidden_header`])
  assert.deepEqual(told({ headers: { 'DomainKey-Signature': 'a=rsa' } }).faults, [
    'headers.DomainKey-Signature forbidden_header',
  ])
})

test('variables without a template are refused, since they would not be filled in', () => {
  const subject = 'Hi {{name}}'
  assert.deepEqual(told({ subject, variables: { name: 'Jo' } }).faults, ['variables template_id'])
  assert.deepEqual(told({ subject, variables: { name: 'Jo' }, template_version: 2 }).faults, [
    'template_version template_id',
    'variables template_id',
  ])
  for (const none of [{ variables: {} }, { variables: null }, { variables: { name: 'Jo' }, template_id: 't' }])
    assert.deepEqual(told({ subject, ...none }).faults, [], JSON.stringify(none))
})

test('an attachment must have a name', () => {
  const attachments = [{ filename: ' \u00a0', content: 'QQ==' }]
  assert.deepEqual(told({ attachments }).faults, ['attachments[0].filename required'])
})

test('of a list that is too long, one item too many is read', () => {
  const few = { to: 'a@dest.example', cc: Array(50).fill('b@dest.example'), attachments: [] }
  assert.equal(shortened(few), few)
  const { to, cc, attachments } = shortened({ ...few, cc: Array(200_000).fill(1), attachments: Array(51).fill({}) })
  assert.deepEqual([to, (cc as []).length, (attachments as []).length], ['a@dest.example', 51, 51])
})
