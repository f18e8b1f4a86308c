// Hostile text in every field that becomes a header or an address: either it is refused and the field is named, or it arrives
// as plain text. What is accepted is read back from the bytes that a receiver gets, with a third-party parser.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { domainToASCII } from 'node:url'
import PostalMime from 'postal-mime'
import { systemClock } from '../src/platform/clock.ts'
import { type Api, type Reply, startWorld, type World } from './world/world.ts'

const MAIL = { from: 'you@example.com', to: 'someone@example.net', subject: 'Hello', text: 'Hello' }
const MAX_LINE_BYTES = 998
const clock = systemClock()

let world: World
let api: Api
before(async () => {
  world = await startWorld()
  api = world.account.testApi
})
after(() => world[Symbol.asyncDispose]())

const BROKEN_TEXTS: readonly string[] = [
  'A\r\nBcc: v@evil.test',
  'A\nBcc: v@evil.test',
  'A\rBcc: v@evil.test',
  'A\r\n\r\n<b>body</b>',
  'A\0B',
  'A\x0bB',
  'A\x7f',
  'A\u2028Bcc: v@evil.test',
  'A\u0085B',
  'A\ud800',
]

const STRANGE_TEXTS: readonly string[] = [
  'A%0d%0aBcc: x@evil.test',
  'A\u010d\u010aBcc: v@evil.test',
  '=?utf-8?q?A=0D=0ABcc:_v@evil.test?=',
  '=?x?q?=41?= and =?utf-8?b?QUJD?=',
  'right \u202e to left',
  `a${'\u0301'.repeat(300)}`,
  `${'x'.repeat(998)}`,
  `${'\u{1f4e8}'.repeat(400)}`,
  '  "quotes", (brackets) <a@b.test>; back\\slash  ',
]

type Place = readonly [field: string, make: (text: string) => object]
const PLACES: readonly Place[] = [
  ['subject', (text) => ({ subject: text })],
  ['from_name', (text) => ({ from_name: text })],
  ['tag', (text) => ({ tag: text })],
  ['to.name', (text) => ({ to: { email: 'a@example.net', name: text } })],
  ['cc[0].name', (text) => ({ cc: [{ email: 'b@example.net', name: text }] })],
  ['reply_to.name', (text) => ({ reply_to: { email: 'c@example.net', name: text } })],
  ['headers.X-Order', (text) => ({ headers: { 'X-Order': text } })],
  [
    'attachments[0].filename',
    (text) => ({ attachments: [{ filename: text, content: Buffer.from('x').toString('base64') }] }),
  ],
]

function fieldsOf(reply: Reply): readonly string[] {
  return (reply.body.details?.fields ?? []).map(({ field }: { field: string }) => field)
}

async function total(): Promise<number> {
  return (await world.api.get('/api/v1/emails')).body.pagination.total
}

test('text that could end a header line is refused with the name of its field, and nothing is stored', async () => {
  const before = await total()
  for (const text of BROKEN_TEXTS) {
    for (const [field, make] of PLACES) {
      const reply = await api.post('/api/v1/send', { ...MAIL, ...make(text) })
      const what = `${field} ${JSON.stringify(text)}: ${reply.status} ${JSON.stringify(reply.body)}`
      assert.deepEqual([reply.status, reply.body.code], [422, 'validation_error'], what)
      assert.deepEqual(fieldsOf(reply), [field], what)
    }
    const batch = await api.post('/api/v1/send/batch', { messages: [{ ...MAIL, subject: text }] })
    assert.ok(batch.status === 422 || batch.body.data[0].success === false, JSON.stringify(batch.body))
  }
  assert.equal(await total(), before)
})

test('unusual text arrives as it was sent and adds no header', async () => {
  const plain = await arrived({ ...MAIL, headers: { 'X-Order': '1' } })
  for (const text of STRANGE_TEXTS) {
    const mail = { ...MAIL, headers: { 'X-Order': text }, subject: text, from_name: text }
    const { raw, parsed } = await arrived({ ...mail, to: { email: 'a@example.net', name: text } })
    const names = parsed.headers.map(({ key }) => key)
    assert.deepEqual(
      names,
      plain.parsed.headers.map(({ key }) => key),
      JSON.stringify(text),
    )
    assert.ok(!names.includes('bcc'))
    checkWire(raw)
    const expected = text.trim()
    assert.equal(parsed.subject, expected)
    assert.equal(parsed.from?.name, expected)
    assert.equal(parsed.from?.address, 'you@example.com')
    const to = parsed.to?.[0]
    assert.deepEqual([to?.name, to?.address], [expected, 'a@example.net'])
    assert.equal(parsed.to?.length, 1)
  }
})

test('unusual file names arrive as they were sent', async () => {
  for (const text of STRANGE_TEXTS.filter((one) => one.length <= 255)) {
    const attachments = [{ filename: text, content: Buffer.from('inside').toString('base64') }]
    const { raw, parsed } = await arrived({ ...MAIL, attachments })
    checkWire(raw)
    assert.equal(parsed.attachments.length, 1)
    // The parser decodes encoded words even where RFC 2231 does not allow them, so these names are checked in the raw bytes.
    if (text.includes('=?')) assert.ok(!raw.includes('=?') && raw.includes('%3D%3F'), raw.toString())
    else assert.equal(parsed.attachments[0]?.filename, text.trim())
  }
})

test('metadata never becomes a header', async () => {
  const { raw } = await arrived({ ...MAIL, metadata: { 'X-Evil': 'yes', note: 'canary-of-metadata' } })
  assert.ok(!raw.includes('canary-of-metadata'))
  assert.ok(!/^x-evil/im.test(raw.toString('latin1')))
})

const REFUSED_NAMES = [
  ...['X Bad', 'X-Bad:', '', 'x\r\nBcc', '__proto__', 'X-\u010d\u010a', 'X-Grün', 'x'.repeat(200)],
  ...['From', 'Sender', 'TO', 'cc', 'Bcc', 'Subject', 'Date', 'Message-ID', 'Return-Path', 'Received', 'MIME-Version'],
  ...['Content-Type', 'content-transfer-encoding', 'DKIM-Signature', 'ARC-Seal', 'Authentication-Results'],
  ...['Resent-From', 'Delivered-To'],
]

test('invalid header names and headers that the service sets itself are refused', async () => {
  for (const name of REFUSED_NAMES) {
    const reply = await api.post(
      '/api/v1/send',
      `${JSON.stringify(MAIL).slice(0, -1)},"headers":{${JSON.stringify(name)}:"1"}}`,
    )
    assert.deepEqual(
      [reply.status, reply.body.code],
      [422, 'validation_error'],
      `${name}: ${JSON.stringify(reply.body)}`,
    )
    assert.equal(fieldsOf(reply).length, 1, JSON.stringify(reply.body))
    assert.match(fieldsOf(reply)[0] ?? '', /^headers\./)
  }
})

test('names with a special meaning in JavaScript are ordinary header names', async () => {
  const headers = { constructor: 'a', toString: 'b', hasOwnProperty: 'c', valueOf: 'd' }
  const { parsed } = await arrived({ ...MAIL, headers })
  for (const [name, value] of Object.entries(headers)) {
    assert.deepEqual(
      parsed.headers.filter(({ key }) => key === name.toLowerCase()).map((one) => one.value),
      [value],
    )
  }
  assert.equal(({} as { admin?: unknown }).admin, undefined)
})

test('100 headers are refused', async () => {
  const headers = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`X-${i}`, '1']))
  assert.deepEqual(fieldsOf(await api.post('/api/v1/send', { ...MAIL, headers })), ['headers'])
})

const REFUSED_ADDRESSES: readonly string[] = [
  'user@good.test(x)evil.test',
  'user@x.test(a(b)c)',
  'v@evil.test>@good.test',
  '<a@b.test> SIZE=1',
  'a@b.test\r\nRCPT TO:<v@evil.test>',
  '@r1,@r2:a@b.test',
  'a@good.test,b@evil.test',
  '=?utf-8?q?a=40evil.test=3e=00?=@good.test',
  '=?x?q?=41?=@good.test',
  'a\uff20good.test',
  'a@good\u3002test',
  'a@xn--.test',
  'a@[127.0.0.1]',
  'a@[IPv6:::1]',
  'a@localhost',
  'a@good.test.',
  'a@-b.test',
  'a..b@c.test',
  `${'a'.repeat(65)}@good.test`,
  `a@${'b'.repeat(64)}.test`,
  `${'a'.repeat(64)}@${`${'b'.repeat(62)}.`.repeat(3)}test`,
  `${'g:'.repeat(10_000)};`,
  ','.repeat(1_000_000),
  '<'.repeat(1_000_000),
  '('.repeat(100_000),
  `${'a@b.test,'.repeat(100_000)}a@b.test`,
  '',
  ' ',
]

/** The text as written, and the address that it means. */
const ACCEPTED_ADDRESSES: readonly (readonly [text: string, address: string])[] = [
  ['"v@evil.test x"@good.test', '"v@evil.test x"@good.test'],
  ['"a\\"b"@good.test', '"a\\"b"@good.test'],
  ['a%evil.test@good.test', 'a%evil.test@good.test'],
  ['evil.test!a@good.test', 'evil.test!a@good.test'],
  ['a@go\u043ed.test', `a@${domainToASCII('go\u043ed.test')}`],
  ['user@B\u00dcCHER.example', 'user@xn--bcher-kva.example'],
  [`${'a'.repeat(64)}@good.test`, `${'a'.repeat(64)}@good.test`],
  [`a@${'b'.repeat(63)}.test`, `a@${'b'.repeat(63)}.test`],
]

test('text that two parsers could read as different addresses is refused in every address field', async () => {
  for (const text of REFUSED_ADDRESSES) {
    for (const field of ['to', 'from', 'cc', 'reply_to']) {
      const body = JSON.stringify({ ...MAIL, [field]: text })
      const beganMs = clock.monotonicMs()
      const reply = await api.post('/api/v1/send', body)
      const tookMs = clock.monotonicMs() - beganMs
      assert.ok([422, 413].includes(reply.status), `${field} ${text.slice(0, 80)}: ${JSON.stringify(reply.body)}`)
      assert.deepEqual(fieldsOf(reply), [field], text.slice(0, 80))
      assert.ok(tookMs < 20_000, `${field} ${text.slice(0, 80)} took ${tookMs} ms`)
      assert.ok(JSON.stringify(reply.body).length < 2_000, 'an answer does not send an attack back')
    }
  }
})

test('the suppression and unsubscribe lists refuse the same addresses', async () => {
  for (const list of ['suppressions', 'unsubscribes']) {
    for (const email of REFUSED_ADDRESSES.filter((text) => text.length < 500_000)) {
      const reply = await world.api.post(`/api/v1/customer/${list}`, { email })
      assert.deepEqual([reply.status, reply.body.code], [422, 'validation_error'], `${list} ${email.slice(0, 80)}`)
    }
  }
})

test('invalid domains are refused', async () => {
  for (const domain of [
    'good.test\r\nx',
    'a\0.test',
    'good\u3002test',
    'localhost',
    '-a.test',
    'a..test',
    '127.0.0.1',
    'a@b.test',
    `${'a.'.repeat(200)}test`,
  ]) {
    const reply = await world.api.post('/api/v1/customer/domains', { domain })
    assert.deepEqual([reply.status, reply.body.code], [422, 'validation_error'], JSON.stringify([domain, reply.body]))
  }
})

test('an unusual address gets the mail under the form that policy checked', async () => {
  for (const [text, address] of ACCEPTED_ADDRESSES) {
    const sent = await api.post('/api/v1/send', { ...MAIL, to: text })
    assert.equal(sent.status, 202, `${text}: ${JSON.stringify(sent.body)}`)
    assert.deepEqual(sent.body.data.to, [address])
    const raw = await rawOf(sent.body.data.email_id)
    checkWire(raw)
    assert.ok(raw.includes(`\r\nTo: ${address}\r\n`), raw.toString())
  }
})

async function rawOf(id: string): Promise<Buffer> {
  const reply = await fetch(`${world.url}/api/v1/emails/${id}/raw`, { headers: { 'x-api-key': world.account.apiKey } })
  assert.equal(reply.status, 200)
  return Buffer.from(await reply.arrayBuffer())
}

async function arrived(mail: object): Promise<{ raw: Buffer; parsed: Awaited<ReturnType<typeof PostalMime.parse>> }> {
  const sent = await api.post('/api/v1/send', mail)
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  const raw = await rawOf(sent.body.data.email_id)
  return { raw, parsed: await PostalMime.parse(raw) }
}

/** RFC 5321 section 4.5.3.1.6, RFC 5322 section 2.1.1: lines end in CR LF, have at most 998 bytes and no control characters. */
function checkWire(raw: Buffer): void {
  const text = raw.toString('latin1')
  for (const line of text.split('\r\n')) {
    assert.ok(line.length <= MAX_LINE_BYTES, `a line of ${line.length} bytes`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
    assert.ok(!/[\0-\x08\x0a-\x1f\x7f-\xff]/.test(line), `a raw byte in ${JSON.stringify(line)}`)
  }
}

// Each row: the path with its query, the parameter, and the form that the answer names.
const FORMS: readonly (readonly [path: string, parameter: string, form: RegExp])[] = [
  ['/api/v1/emails?from=2026-11-23', 'from', /with its offset, such as 2026-11-23T00:00:00Z/],
  ['/api/v1/customer/unsubscribes?from_date=2026-11-23T00:00:00Z', 'from_date', /YYYY-MM-DD/],
  ['/api/v1/emails?domain_id=shop.example', 'domain_id', /must be an id/],
]
for (const [path, parameter, form] of FORMS) {
  test(`${path} is told the expected form of ${parameter}`, async () => {
    const { status, body } = await api.get(path)
    assert.deepEqual([status, body.code, body.details], [400, 'invalid_parameter', { parameter, rule: 'format' }])
    assert.ok(body.error.startsWith(`${parameter} must be`) && form.test(body.error), body.error)
  })
}

// Each row: the request, the parameter and the rule that the answer names, and its message.
const ASKED: readonly [path: string, parameter: string, rule: string, words: RegExp][] = [
  ['/api/v1/emails?limit=0', 'limit', 'minimum', /^limit must be >= 1$/],
  ['/api/v1/emails?limit=1001', 'limit', 'maximum', /^limit must be <= 1000$/],
  ['/api/v1/emails?limit=1e1', 'limit', 'type', /^limit must be a whole number/],
  ['/api/v1/emails?status=zz', 'status', 'enum', /^status must be one of scheduled, queued, /],
  ['/api/v1/emails?cursor=zz', 'cursor', 'format', /^cursor must be the next_cursor/],
  ['/api/v1/customer/bounces?cursor=zz', 'cursor', 'pattern', /^cursor must be the next_cursor/],
  ['/api/v1/events?cursor=zz', 'cursor', 'pattern', /^cursor must be the next_cursor/],
  ['/api/v1/events?recipient=zz', 'recipient', 'email', /^recipient must be an email address$/],
  ['/api/v1/customer/unsubscribes?page=0', 'page', 'minimum', /^page must be >= 1$/],
  ['/api/v1/stats/outbound?timezone=Mars', 'timezone', 'timezone', /^timezone must be an IANA time zone name/],
  ['/api/v1/stats/outbound?timezone=+1', 'timezone', 'pattern', /^timezone must be an IANA time zone name/],
  ['/api/v1/stats/outbound?from_date=2020-01-01', 'from_date', 'max_days', /at most \d+ days$/],
]
for (const [path, parameter, rule, words] of ASKED) {
  test(`${path} is told the rule for ${parameter}`, async () => {
    const { status, body } = await api.get(path)
    assert.deepEqual([status, body.code, body.details], [400, 'invalid_parameter', { parameter, rule }])
    assert.match(body.error, words)
  })
}

test('a value with too much or too little in it is told how much it may have', async () => {
  const tags = Array.from({ length: 51 }, (_, i) => `t${i}`)
  const rows: readonly [path: string, body: object, field: string, message: string][] = [
    ['/api/v1/customer/domains', { domain: 'shop2.example', tags }, 'tags', 'must have 50 items at most'],
    ['/api/v1/address/validate', { email: '' }, 'email', 'must not be empty'],
    ['/api/v1/address/validate', { email: 'x'.repeat(1_001) }, 'email', 'must have 1000 characters at most'],
    ['/api/v1/address/validate/batch', { emails: [] }, 'emails', 'must not be empty'],
  ]
  for (const [path, body, field, message] of rows) {
    const { fields } = (await api.post(path, body)).body.details
    assert.deepEqual(
      fields.map((fault: { field: string; message: string }) => [fault.field, fault.message]),
      [[field, message]],
    )
  }
})

test('an invalid domain is answered in words that say what a domain is', async () => {
  for (const domain of ['Shop2.example', 'https://shop2.example', 'shop_2.example']) {
    const { status, body } = await api.post('/api/v1/customer/domains', { domain })
    assert.deepEqual([status, body.code], [422, 'validation_error'])
    const [{ field, rule, message }] = body.details.fields
    assert.deepEqual([field, rule], ['domain', 'pattern'])
    assert.match(message, /^must be a domain name in lowercase.*no https:\/\/.*no underscore/)
  }
})

// The message for a name in another script must not ask for a form that is refused too.
test('the message for a domain in another script does not ask for xn--', async () => {
  for (const path of ['/api/v1/customer/domains', '/api/v1/customer/tracking-domains']) {
    for (const domain of ['b\u00fccher.example', 'xn--bcher-kva.example']) {
      const { status, body } = await api.post(path, { domain })
      assert.equal(status, 422)
      assert.match(body.details.fields[0].message, /ASCII letters.*no xn--(?:\.|$)/)
    }
  }
})

// Each row: the request, the field, and the control character that the answer names.
const NAMED_CONTROLS: readonly [path: string, body: unknown, field: string, character: string][] = [
  ['/api/v1/customer/api-keys', { name: 'a\nb' }, 'name', 'U+000A'],
  ['/api/v1/customer/webhooks', { name: 'a\u0085b', url: 'https://x.example', events: ['*'] }, 'name', 'U+0085'],
  ['/api/v1/customer/domains', { domain: 'tags.example', tags: ['ok', 'a\tb'] }, 'tags[1]', 'U+0009'],
  ['/api/v1/customer/contacts', { email: 'c@x.example', name: 'a\u2028b' }, 'name', 'U+2028'],
  [
    '/api/v1/customer/contacts',
    { email: 'c@x.example', consent: { consent_text: 'a\nb\u0007' } },
    'consent.consent_text',
    'U+0007',
  ],
]
for (const [path, sent, field, character] of NAMED_CONTROLS) {
  test(`${path} is told about the control character ${character} in ${field}`, async () => {
    const { status, body } = await api.post(path, sent)
    const message = `contains the control character ${character}`
    assert.deepEqual([status, body.details.fields], [422, [{ field, rule: 'pattern', message }]])
  })
}

test('a public page answers JSON in place of its form as it answers an empty form', async () => {
  const anybody = world.apiWith(null)
  for (const page of ['/track/u/x', '/confirm/x']) {
    for (const body of ['null', '1', '"x"', 'true', '[]', '{}']) {
      assert.equal((await anybody.post(page, body)).status, 404, `${page} ${body}`)
    }
  }
})
