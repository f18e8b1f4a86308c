// What clients of other vendors are told about missing or invalid things: in the form of their vendor, and in words that say
// what to change.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Reply, startWorld } from '../world/world.ts'
import { startVendorWorld, type VendorWorld } from './world.ts'

let world: VendorWorld

before(async () => {
  world = await startVendorWorld()
})
after(() => world[Symbol.asyncDispose]())

const fresh = (): string => world.fresh()
const resend = (more: object = {}) => ({ from: 'a@shop.example', to: fresh(), subject: 's', text: 't', ...more })
const postmark = (more: object = {}) => ({ From: 'a@shop.example', To: fresh(), Subject: 's', TextBody: 't', ...more })
const sendGrid = (more: object = {}) => ({
  from: { email: 'a@shop.example' },
  personalizations: [{ to: [{ email: fresh() }] }],
  subject: 's',
  content: [{ type: 'text/plain', value: 't' }],
  ...more,
})

const emailOf = (id: string): Promise<Reply['body']> => world.email(id)

async function unsubscribed(): Promise<string> {
  const email = fresh()
  await world.api.post('/api/v1/customer/unsubscribes', { email })
  return email
}

const MISSING: readonly (readonly [method: 'GET' | 'POST' | 'PUT', path: string, status: number, body: object])[] = [
  ['PUT', '/emails', 405, { statusCode: 405, name: 'method_not_allowed' }],
  ['GET', '/emails/01a00000-0000-7000-8000-000000000000/attachments', 404, { statusCode: 404, name: 'not_found' }],
  ['GET', '/email', 405, { ErrorCode: 300 }],
  ['POST', '/email/bulk', 404, { ErrorCode: 300 }],
  ['GET', '/v3/mail/send', 405, {}],
  ['POST', '/v3/mail/batch', 404, {}],
]

for (const [method, path, status, expected] of MISSING) {
  test(`${method} ${path} is ${status} in the form of its vendor`, async () => {
    const reply = await fetch(`${world.url}${path}`, { method, headers: { authorization: 'Bearer x' } })
    const body = (await reply.json()) as Reply['body']
    assert.equal(reply.status, status)
    const { message, Message, errors, ...rest } = body
    assert.deepEqual(rest, expected)
    assert.ok((message ?? Message ?? errors[0].message).length > 5)
    assert.equal(reply.headers.get('allow'), status === 405 ? 'POST' : null)
  })
}

test('Resend, Postmark: other paths of their API are 404 in their form, where the client can be recognized', async () => {
  const id = '01a00000-0000-7000-8000-000000000000'
  const asked = async (path: string, headers: Record<string, string>, method = 'GET'): Promise<Reply['body']> => {
    const reply = await fetch(`${world.url}${path}`, { method, headers })
    assert.equal(reply.status, 404, path)
    return reply.json()
  }
  for (const path of ['/domains', `/domains/${id}/verify`, '/api-keys', `/audiences/${id}/contacts`, '/broadcasts']) {
    const { message, ...rest } = await asked(path, { authorization: 'Bearer re_x' }, 'POST')
    assert.deepEqual([rest, typeof message], [{ statusCode: 404, name: 'not_found' }, 'string'], path)
  }
  const token = { 'x-postmark-server-token': 'x' }
  for (const path of ['/messages/outbound', '/server', '/deliverystats']) {
    assert.equal((await asked(path, token)).ErrorCode, 300, path)
  }
  assert.equal((await asked('/api/v1/nothing', token)).code, 'not_found', 'a path of ours')
  assert.equal((await asked('/broadcasts', {}, 'POST')).code, 'not_found', 'by nobody of theirs')
})

test('Postmark: a request without a key is told the name of the header that its clients send', async () => {
  const reply = await fetch(`${world.url}/email`, { method: 'POST', body: '{}' })
  const { Message } = (await reply.json()) as Reply['body']
  assert.deepEqual([reply.status, /X-Postmark-Server-Token/.test(Message)], [401, true], Message)
})

test('a path that only begins like a vendor’s gets our form', async () => {
  assert.equal((await world.api.post('/emailing', {})).body.code, 'not_found')
})

test('Resend: a strict batch names the position of a blocked recipient; a permissive one sends the rest', async () => {
  const messages = [resend(), resend({ to: await unsubscribed() }), resend()]
  const strict = await world.api.post('/emails/batch', messages)
  assert.deepEqual([strict.status, strict.body.name], [422, 'validation_error'])
  assert.match(strict.body.message, /^\[1\]: .*\(recipient_unsubscribed\)$/)
  const loose = await world.api.post('/emails/batch', messages, { 'x-batch-validation': 'permissive' })
  assert.deepEqual([loose.status, loose.body.data.length], [200, 2])
  assert.deepEqual(
    loose.body.errors.map(({ index }: { index: number }) => index),
    [1],
  )
})

test('Resend: a relative time in words is understood, other words are answered with what is allowed', async () => {
  for (const [words, minutes] of [
    ['in 1 min', 1],
    ['in 2 hours', 120],
    ['In an Hour', 60],
    ['in 3 days', 4_320],
    ['in 2 hrs', 120],
    ['in 90 seconds', 1.5],
  ] as const) {
    const { body } = await world.api.post('/emails', resend({ scheduled_at: words }))
    const { scheduled_at: at } = await emailOf(body.id)
    assert.ok(Math.abs(Date.parse(at) - world.clock.now().getTime() - minutes * 60_000) < 30_000, words)
  }
  for (const words of ['tomorrow at 9', 'in 2 hourute', 'in 0.5 hours', 'in 1 hour or so', '2030-01-01']) {
    const { status, body } = await world.api.post('/emails', resend({ scheduled_at: words }))
    assert.equal(status, 422)
    assert.match(body.message, /^scheduled_at takes a moment of ISO 8601 .*"in 1 hour"/, words)
  }
  assert.equal((await world.api.post('/emails', resend({ scheduled_at: 'in 31 days' }))).status, 422)
})

test('Postmark: a repeated header is refused, not dropped', async () => {
  const twice = (Name: string) => [
    { Name: 'X-A', Value: '1' },
    { Name, Value: '2' },
  ]
  for (const name of ['X-A', 'x-a']) {
    const { status, body } = await world.api.post('/email', postmark({ Headers: twice(name) }))
    assert.deepEqual([status, body.ErrorCode], [422, 300])
    assert.ok(body.Message.startsWith(`Headers has ${name} more than once, and takes each name once`), body.Message)
  }
  const Headers = twice('x-a')
  const batch = await world.api.post('/email/batch', [postmark({ Headers }), postmark()])
  assert.deepEqual(
    batch.body.map(({ ErrorCode }: { ErrorCode: number }) => ErrorCode),
    [300, 0],
  )
})

test('SendGrid: an unknown content type is answered with the allowed ones', async () => {
  const content = [
    { type: 'text/plain', value: 't' },
    { type: 'text/calendar', value: 'BEGIN:VCALENDAR' },
  ]
  const { status, body } = await world.api.post('/v3/mail/send', sendGrid({ content }))
  const message = 'content.type must be one of text/plain, text/html'
  assert.deepEqual([status, body.errors], [400, [{ message, field: 'content.type', help: null }]])
})

test('too many tags and arguments are reported under the field name of the vendor', async () => {
  const names = Array.from({ length: 21 }, (_, i) => `n${i}`)
  const tagged = await world.api.post('/emails', resend({ tags: names.map((name) => ({ name, value: '1' })) }))
  assert.equal(tagged.body.message, 'tags takes at most 20 names, and has 21')
  const custom_args = Object.fromEntries(names.map((name) => [name, '1']))
  const { body } = await world.api.post('/v3/mail/send', sendGrid({ custom_args }))
  assert.equal(body.errors[0].message, 'custom_args takes at most 20 names, and has 21')
})

test('the id of an inline picture may have angle brackets', async () => {
  const content = Buffer.from('x').toString('base64')
  const picture = { filename: 'a.png', content, content_id: '<img1>' }
  const [one, two] = [fresh(), fresh()]
  const sent = [
    await world.api.post('/emails', resend({ to: one, attachments: [picture] })),
    await world.api.post('/v3/mail/send', {
      ...sendGrid({ attachments: [{ ...picture, disposition: 'inline' }] }),
      personalizations: [{ to: [{ email: two }] }],
    }),
  ]
  assert.deepEqual(
    sent.map(({ status }) => status),
    [200, 202],
  )
  for (const to of [one, two]) {
    const [email] = (await world.api.get(`/api/v1/emails?recipient=${to}`)).body.data
    assert.equal((await emailOf(email.id)).attachments[0].content_id, 'img1')
  }
})

test('a body that is not an object is reported as such, alone and in a batch', async () => {
  const words = 'The body must be a JSON object'
  for (const body of ['[]', 'null', '"x"']) {
    assert.equal((await world.api.post('/emails', body)).body.message, words)
    assert.equal((await world.api.post('/email', body)).body.Message, words)
    assert.equal((await world.api.post('/v3/mail/send', body)).body.errors[0].message, words)
  }
  const batch = await world.api.post('/emails/batch', [resend(), 5])
  assert.equal(batch.body.message, '[1] must be a JSON object')
})

test('Resend: an attachment by path is answered that nothing is fetched', async () => {
  const attachments = [{ filename: 'a.pdf', path: 'https://files.example/a.pdf' }]
  const { status, body } = await world.api.post('/emails', resend({ attachments }))
  assert.deepEqual([status, body.name], [422, 'missing_required_field'])
  assert.equal(body.message, 'attachments[0].content is required, as base64: what `path` names is not fetched')
  const [attachment] = attachments
  const both = await world.api.post('/emails', resend({ attachments: [{ ...attachment, content: 'YQ==' }] }))
  assert.equal(both.status, 200, 'a path beside the content asks for nothing')
  const neither = await world.api.post('/emails', resend({ attachments: [{ filename: 'a.pdf', content: null }] }))
  assert.doesNotMatch(neither.body.message, /`path`/)
})

test("SendGrid: a template id of SendGrid's own is answered with the expected form", async () => {
  const template_id = 'd-f43daeeaef504760851f727007e0b5d0'
  const { status, body } = await world.api.post('/v3/mail/send', sendGrid({ template_id }))
  assert.equal(status, 400)
  assert.deepEqual(
    body.errors.map(({ field }: { field: string }) => field),
    ['template_id'],
  )
  assert.match(body.errors[0].message, /^template_id takes `d-` and the id of a template/)
})

test('Postmark: of several recipients the wrong one is named, with its fault', async () => {
  const cases = [
    [`${fresh()}, nobody`, 'To[1] is not an address: it has no @'],
    [`"Last, First" <${fresh()}>, a@localhost, ${fresh()}`, 'To[1] is not an address: the part after the @ has no dot'],
    [`${fresh()}, "open <${fresh()}>`, 'To[1] is not an address: it is not of the form Name <address>'],
    ['nobody', 'To is not an address: it has no @'],
  ] as const
  for (const [To, message] of cases) {
    const { status, body } = await world.api.post('/email', postmark({ To }))
    assert.deepEqual([status, body], [422, { ErrorCode: 300, Message: message }], To)
  }
})

test('Postmark: links of html are tracked where the call asks for it, not where it asks for those of the text', async () => {
  const tracked = async (TrackLinks: string): Promise<boolean> => {
    const HtmlBody = '<a href="https://shop.example/a">a</a>'
    const { body } = await world.api.post('/email', postmark({ TrackLinks, HtmlBody }))
    return (await world.api.get(`/api/v1/emails/${body.MessageID}/raw`)).body.includes('/track/c/')
  }
  const asked = ['HtmlAndText', 'HtmlOnly', 'TextOnly', 'None']
  assert.deepEqual(await Promise.all(asked.map(tracked)), [true, true, false, false])
})

test('a mail with too many recipients or too large files is told so in a sentence', async () => {
  const many = Array.from({ length: 51 }, fresh)
  const tooMany = await world.api.post('/email', postmark({ To: many.slice(0, 30).join(), Cc: many.slice(30).join() }))
  assert.equal(tooMany.body.Message, 'To takes at most 50 addresses together with cc and bcc')
  const attachments = [{ filename: 'a', content: 'AAAA'.repeat(6_600_000) }]
  const tooLarge = await world.api.post('/emails', resend({ attachments }))
  assert.equal(tooLarge.body.message, 'attachments make the encoded message larger than 26214400 bytes')
})

test('SendGrid: a field of the whole call is reported as such, and one of a personalization there', async () => {
  const own = (more: object) => ({ personalizations: [{ to: [{ email: fresh() }], ...more }] })
  const milliseconds = world.clock.now().getTime() + 60_000
  const whole = sendGrid({ subject: undefined, send_at: milliseconds })
  const single = sendGrid({ ...own({ subject: 7, send_at: 'tomorrow' }), subject: undefined })
  const wrong = 'takes a moment as seconds since 1970, in a number'
  const messages = async (body: object): Promise<string[]> =>
    (await world.api.post('/v3/mail/send', body)).body.errors.map(({ message }: { message: string }) => message).sort()
  assert.deepEqual(await messages(whole), [`send_at ${wrong}`, 'subject is required'])
  assert.deepEqual(await messages(single), [
    `personalizations.0.send_at ${wrong}`,
    'personalizations.0.subject must be string',
  ])
})

test('SendGrid: the message-id that nodemailer-sendgrid adds is ours instead, one that a person wrote is refused', async () => {
  const given = '<given@shop.example>'
  const sent = await world.api.post('/v3/mail/send', sendGrid({ headers: { 'message-id': given, 'x-a': 'b' } }))
  assert.equal(sent.status, 202)
  const email = await emailOf(sent.headers.get('x-message-id') ?? '')
  assert.deepEqual([email.headers, email.message_id === given], [{ 'x-a': 'b' }, false])
  const refused = await world.api.post('/v3/mail/send', sendGrid({ headers: { 'Message-ID': given } }))
  assert.deepEqual([refused.status, refused.body.errors[0].field], [400, 'headers.Message-ID'])
})

test('SendGrid: the id of a picture may be called contentId, as the types of the client call it', async () => {
  const picture = { filename: 'a.png', content: 'QUJD', disposition: 'inline', contentId: 'logo' }
  const sent = await world.api.post('/v3/mail/send', sendGrid({ attachments: [picture] }))
  const email = await emailOf(sent.headers.get('x-message-id') ?? '')
  assert.equal(email.attachments[0].content_id, 'logo')
})

test('Resend, Postmark: headers that a mail library writes into every mail are ours instead', async () => {
  const names = ['Date', 'Message-ID', 'Mime-Version', 'Content-Type', 'Content-Transfer-Encoding']
  const written = { ...Object.fromEntries(names.map((name) => [name, 'x'])), 'X-Own': 'v' }
  const Headers = Object.entries(written).map(([Name, Value]) => ({ Name, Value }))
  const sent = [
    await world.api.post('/emails', resend({ headers: written })),
    await world.api.post('/email', postmark({ Headers })),
  ]
  for (const { status, body } of sent) {
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual((await emailOf(body.id ?? body.MessageID)).headers, { 'X-Own': 'v' })
  }
  const kept = await world.api.post(
    '/email',
    postmark({ Headers: [...Headers, { Name: 'X-PM-KeepID', Value: 'true' }] }),
  )
  assert.deepEqual([kept.status, kept.body.Message], [422, 'Headers.Message-ID is set by the service'])
  const other = await world.api.post('/emails', resend({ headers: { 'Return-Path': 'a@shop.example' } }))
  assert.equal(other.body.message, 'headers.Return-Path is set by the service')
})

test('Postmark: clients find the addresses left out of an accepted message where they find those of a refused one', async () => {
  const left = await unsubscribed()
  const partly = await world.api.post('/email', postmark({ To: `${fresh()}, ${left}` }))
  const refused = await world.api.post('/email', postmark({ To: left }))
  for (const { body } of [partly, refused]) {
    assert.deepEqual(/inactive addresses:\s*(.*)\.\s*Inactive recipients/.exec(body.Message)?.slice(1), [left])
  }
})

test('a refusal names the domain, the scope or the size that it is about', async () => {
  await using live = await startWorld()
  const foreign = await live.api.post('/emails', resend({ from: 'a@foreign.example' }))
  assert.match(foreign.body.message, /: foreign\.example \(sender_domain_not_allowed\)$/)
  const { body } = await world.api.post('/api/v1/customer/api-keys', { name: 'reads', scopes: ['emails:read'] })
  const reply = await fetch(`${world.url}/email`, {
    method: 'POST',
    headers: { 'x-postmark-server-token': body.data.key, 'content-type': 'application/json' },
    body: JSON.stringify(postmark()),
  })
  const unscoped = (await reply.json()) as { Message: string }
  assert.match(unscoped.Message, /required scope: send \(insufficient_scope\)$/)
  const personalizations = [{ to: [{ email: fresh() }], substitutions: { '-a-': 'x'.repeat(10_001) } }]
  const large = await world.api.post('/v3/mail/send', sendGrid({ personalizations }))
  assert.match(large.body.errors[0].message, /: 10000 bytes for substitutions \(payload_too_large\)$/)
})

test('Resend, Postmark: a list of names and values without a name is asked for as a list', async () => {
  const tags = await world.api.post('/emails', resend({ tags: [{ name: 'a', value: '1' }, { value: '2' }] }))
  assert.equal(tags.body.message, 'tags takes a list of {name, value}, each with its name')
  const headers = await world.api.post('/email', postmark({ Headers: [{ 'X-A': '1' }] }))
  assert.equal(headers.body.Message, 'Headers takes a list of {Name, Value}, each with its Name')
})

test('SendGrid: a sandbox mode that is neither true nor false is refused, not taken as off', async () => {
  const asked = (enable: unknown) => sendGrid({ mail_settings: { sandbox_mode: { enable } } })
  const { status, body } = await world.api.post('/v3/mail/send', asked('true'))
  const field = 'mail_settings.sandbox_mode.enable'
  assert.deepEqual([status, body.errors], [400, [{ message: `${field} must be boolean`, field, help: null }]])
  for (const enable of [true, false, null]) {
    assert.equal((await world.api.post('/v3/mail/send', asked(enable))).status, 202, `${enable}`)
  }
})

test('SendGrid: a single category is taken without its list', async () => {
  const sent = await world.api.post('/v3/mail/send', sendGrid({ categories: 'receipt' }))
  assert.equal((await emailOf(sent.headers.get('x-message-id') ?? '')).tag, 'receipt')
})
