// Clients of other vendors against the service: only the key and the base URL are changed.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client as SendGridClient } from '@sendgrid/client'
import { MailService } from '@sendgrid/mail'
import * as postmark from 'postmark'
import { Resend } from 'resend'
import { type Reply, startWorld } from '../world/world.ts'
import { FROM, startVendorWorld, type VendorWorld } from './world.ts'

const PDF = Buffer.from('%PDF-1.7 not really')
let world: VendorWorld

before(async () => {
  world = await startVendorWorld()
})
after(() => world[Symbol.asyncDispose]())

const fresh = (): string => world.fresh()

const email = (id: string): Promise<Reply['body']> => world.email(id)

/** The emails to the given addresses, in the order of the addresses. */
async function emailsTo(...recipients: string[]): Promise<Reply['body'][]> {
  return Promise.all(
    recipients.map(async (recipient) => {
      const { body } = await world.api.get(`/api/v1/emails?recipient=${recipient}`)
      assert.equal(body.pagination.total, 1, recipient)
      return email(body.data[0].id)
    }),
  )
}

async function used(): Promise<number> {
  return (await world.api.get('/api/v1/emails')).body.pagination.total
}

async function unsubscribed(): Promise<string> {
  const address = fresh()
  await world.api.post('/api/v1/customer/unsubscribes', { email: address })
  return address
}

async function template(): Promise<string> {
  const { body } = await world.api.post('/api/v1/templates', {
    name: 't',
    subject: 'Hi {{name}}',
    text: 'For {{name}}',
  })
  return body.data.id
}

// --- Resend

function resend(key = world.account.apiKey): Resend {
  return new Resend(key, { baseUrl: world.url })
}

test('Resend: every field of a send arrives', async () => {
  const [to, cc, bcc] = [fresh(), fresh(), fresh()]
  const scheduledAt = new Date(world.clock.now().getTime() + 3_600_000).toISOString()
  const { data, error } = await resend().emails.send({
    from: FROM,
    to: [`Jo <${to}>`],
    cc,
    bcc: [bcc],
    replyTo: 'answers@shop.example',
    subject: 'Hallo',
    html: '<p>Hallo</p>',
    text: 'Hallo',
    headers: { 'X-Order': '7' },
    tags: [
      { name: 'order', value: '7' },
      { name: 'category', value: 'receipt' },
    ],
    attachments: [{ filename: 'a.pdf', content: PDF, contentType: 'application/pdf', contentId: 'doc' }],
    scheduledAt,
    topicId: 'ignored',
  })
  assert.equal(error, null)
  const sent = await email(data?.id ?? '')
  assert.deepEqual(
    [sent.from, sent.from_name, sent.to, sent.cc, sent.reply_to, sent.subject, sent.html, sent.text, sent.status],
    ['hello@shop.example', 'Shop', to, [cc], ['answers@shop.example'], 'Hallo', '<p>Hallo</p>', 'Hallo', 'scheduled'],
  )
  assert.deepEqual(
    [sent.tag, sent.metadata, sent.scheduled_at],
    ['receipt', { order: '7', category: 'receipt' }, scheduledAt],
  )
  assert.equal(sent.headers['X-Order'] ?? JSON.stringify(sent.headers).includes('X-Order'), '7')
  assert.deepEqual([sent.attachments.length, sent.attachments[0].filename], [1, 'a.pdf'])
  await emailsTo(to, cc, bcc)
})

test("Resend: an idempotency key sends once, and its misuse is reported under Resend's name", async () => {
  const to = fresh()
  const message = { from: FROM, to, subject: 's', text: 't' }
  const first = await resend().emails.send(message, { idempotencyKey: 'k1' })
  const again = await resend().emails.send(message, { idempotencyKey: 'k1' })
  assert.ok(first.data !== null)
  assert.deepEqual(again.data, first.data)
  await emailsTo(to)
  const other = await resend().emails.send({ ...message, subject: 'x' }, { idempotencyKey: 'k1' })
  assert.deepEqual([other.error?.statusCode, other.error?.name], [409, 'invalid_idempotent_request'])
  const long = await resend().emails.send(message, { idempotencyKey: 'k'.repeat(257) })
  assert.deepEqual([long.error?.statusCode, long.error?.name], [400, 'invalid_idempotency_key'])
  const ours = await world.api.post('/api/v1/send', message, { 'idempotency-key': 'k1' })
  assert.equal(ours.status, 202, 'a key belongs to its path')
})

test('Resend: a template of the account is filled in', async () => {
  const id = await template()
  const { data } = await resend().emails.send({ from: FROM, to: fresh(), template: { id, variables: { name: 'Jo' } } })
  const { subject, text } = await email(data?.id ?? '')
  assert.deepEqual([subject, text], ['Hi Jo', 'For Jo'])
})

test('Resend: a variable called data or content keeps its list of numbers', async () => {
  const made = await world.api.post('/api/v1/templates', {
    name: 'List',
    subject: 'Points',
    text: '{{#data}}{{.}}, {{/data}}{{#content}}{{.}}, {{/content}}',
  })
  const variables = { data: [3, 14, 15], content: [92, 65] }
  const attachments = [{ filename: 'a.txt', content: [72, 105] }]
  const message = { from: FROM, to: fresh(), template: { id: made.body.data.id, variables }, attachments }
  const { body } = await world.api.post('/emails', message)
  const { text, attachments: files } = await email(body.id)
  assert.deepEqual([text, files[0].size], ['3, 14, 15, 92, 65, ', 2])
})

test("Resend: errors have Resend's names", async () => {
  const good = { from: FROM, to: fresh(), subject: 's', text: 't' }
  const cases: [Resend, object, number, string][] = [
    [resend('ph_live_nonsense'), good, 403, 'invalid_api_key'],
    [resend(), { ...good, to: 'nobody' }, 422, 'validation_error'],
    [resend(), { ...good, to: undefined }, 422, 'missing_required_field'],
    [resend(), { ...good, from: 'nobody' }, 422, 'invalid_from_address'],
    [resend(), { ...good, scheduledAt: 'tomorrow at 9' }, 422, 'validation_error'],
    [resend(), { ...good, attachments: [{ filename: 'a', path: 'http://127.0.0.1/' }] }, 422, 'missing_required_field'],
    [resend(), { ...good, attachments: [{ filename: 'a', content: '***' }] }, 422, 'invalid_attachment'],
    [resend(), { ...good, to: await unsubscribed() }, 422, 'validation_error'],
  ]
  const before = await used()
  for (const [client, message, status, name] of cases) {
    const { data, error } = await client.emails.send(message as never)
    assert.deepEqual([data, error?.statusCode, error?.name], [null, status, name], error?.message)
  }
  assert.equal(await used(), before)
  const none = await fetch(`${world.url}/emails`, { method: 'POST', body: '{}' })
  assert.deepEqual([none.status, ((await none.json()) as { name: string }).name], [401, 'missing_api_key'])
})

test('Resend: a batch is all or none, or each message for itself on request', async () => {
  const [one, two, three] = [fresh(), fresh(), fresh()]
  const message = (to: string): { from: string; to: string; subject: string; text: string } => ({
    from: FROM,
    to,
    subject: 's',
    text: 't',
  })
  const good = await resend().batch.send([message(one), message(two)], { idempotencyKey: 'b1' })
  assert.equal(good.data?.data.length, 2)
  assert.deepEqual((await resend().batch.send([message(one), message(two)], { idempotencyKey: 'b1' })).data, good.data)
  await emailsTo(one, two)
  const strict = await resend().batch.send([message(three), message('nobody')])
  assert.deepEqual([strict.error?.statusCode, strict.error?.name], [422, 'validation_error'])
  assert.match(strict.error?.message ?? '', /^\[1\]\.to /)
  const loose = await resend().batch.send([message('nobody'), message(three)], { batchValidation: 'permissive' })
  assert.deepEqual([loose.data?.data.length, loose.data?.errors.map(({ index }) => index)], [1, [0]])
  await emailsTo(three)
})

// --- Postmark

function pm(key = world.account.apiKey): postmark.ServerClient {
  return new postmark.ServerClient(key, { useHttps: false, requestHost: new URL(world.url).host })
}

test('Postmark: every field of a send arrives', async () => {
  const [to, other, cc, bcc] = [fresh(), fresh(), fresh(), fresh()]
  const answer = await pm().sendEmail({
    From: FROM,
    To: `"Jo, the reader" <${to}>, ${other}`,
    Cc: cc,
    Bcc: bcc,
    ReplyTo: 'answers@shop.example',
    Subject: 'Hallo',
    HtmlBody: '<a href="https://shop.example/">Hallo</a>',
    TextBody: 'Hallo',
    Tag: 'receipt',
    Metadata: { order: '7' },
    Headers: [{ Name: 'X-Order', Value: '7' }],
    TrackOpens: true,
    TrackLinks: postmark.Models.LinkTrackingOptions.None,
    MessageStream: 'broadcast',
    Attachments: [
      { Name: 'a.pdf', Content: PDF.toString('base64'), ContentType: 'application/pdf', ContentID: null },
      { Name: 'b.png', Content: PDF.toString('base64'), ContentType: 'image/png', ContentID: 'cid:logo' },
    ],
  })
  assert.deepEqual([answer.ErrorCode, answer.Message], [0, 'OK'])
  assert.ok(Math.abs(Date.parse(answer.SubmittedAt) - world.clock.now().getTime()) < 60_000)
  const sent = await email(answer.MessageID)
  assert.deepEqual(
    [sent.to, sent.cc, sent.reply_to, sent.subject, sent.tag, sent.metadata, sent.stream],
    [to, [cc], ['answers@shop.example'], 'Hallo', 'receipt', { order: '7' }, 'broadcast'],
  )
  assert.deepEqual(
    sent.attachments.map(({ filename }: { filename: string }) => filename),
    ['a.pdf', 'b.png'],
  )
  await emailsTo(to, other, cc, bcc)
  const raw = (await world.api.get(`/api/v1/emails/${answer.MessageID}/raw`)).body.replaceAll('=\r\n', '')
  assert.match(raw, /"?Jo, the reader"? <reader/)
  assert.match(raw, /X-Order: 7\r\n/)
  assert.match(raw, /Content-ID: <logo>/i)
  assert.match(raw, /List-Unsubscribe:/)
  assert.ok(raw.includes('/track/o/') && !raw.includes('/track/c/'), 'opens are tracked, links are not')
})

test("Postmark: inactive recipients and bad requests are Postmark's own errors", async () => {
  const listed = await unsubscribed()
  const message = { From: FROM, To: listed, Subject: 's', TextBody: 't' }
  await assert.rejects(pm().sendEmail(message), (error: postmark.Errors.InactiveRecipientsError) => {
    assert.ok(error instanceof postmark.Errors.InactiveRecipientsError)
    assert.deepEqual([error.code, error.statusCode, error.recipients], [406, 422, [listed]])
    return true
  })
  const partly = await pm().sendEmail({ ...message, To: `${fresh()}, ${listed}` })
  assert.deepEqual([partly.ErrorCode, partly.Message.includes(`inactive addresses: ${listed}. Inactive`)], [0, true])
  await assert.rejects(
    pm().sendEmail({ ...message, To: 'nobody' }),
    (error: postmark.Errors.InvalidEmailRequestError) => {
      assert.ok(error instanceof postmark.Errors.InvalidEmailRequestError)
      assert.match(error.message, /^To /)
      return true
    },
  )
  await assert.rejects(pm('ph_live_nonsense').sendEmail(message), postmark.Errors.InvalidAPIKeyError)
})

test('Postmark: a template of the account is filled in, alone and in a batch', async () => {
  const [id, to, other] = [await template(), fresh(), fresh()]
  const message = (To: string, name: string): postmark.TemplatedMessage =>
    new postmark.TemplatedMessage(FROM, id, { name }, To)
  const sent = await pm().sendEmailWithTemplate(message(to, 'Jo'))
  assert.deepEqual([sent.ErrorCode, sent.To], [0, to])
  const { subject, text } = await email(sent.MessageID)
  assert.deepEqual([subject, text], ['Hi Jo', 'For Jo'])
  const answers = await pm().sendEmailBatchWithTemplates([message(other, 'Al'), message('nobody', 'No')])
  assert.deepEqual(
    answers.map(({ ErrorCode }) => ErrorCode),
    [0, 300],
  )
  assert.equal((await email(answers[0]?.MessageID ?? '')).subject, 'Hi Al')
})

test('Postmark: a template that is not here is asked for by the names of the call', async () => {
  const failure = async (TemplateId: unknown, TemplateAlias?: unknown): Promise<string> => {
    const body = { From: FROM, To: fresh(), TemplateId, TemplateAlias, TemplateModel: { name: 'Jo' } }
    const reply = await world.api.post('/email/withTemplate', body)
    assert.deepEqual([reply.status, reply.body.ErrorCode], [422, 300])
    return reply.body.Message
  }
  const isNoId = /^TemplateAlias must be an id, such as [\w-]+$/
  for (const [id, alias] of [[1234], [], [undefined, 'welcome'], [null, '']])
    assert.match(await failure(id, alias), isNoId)
  const strange = await failure('01a00000-0000-7000-8000-000000000000')
  assert.match(strange, /^TemplateAlias is not a template of this account/)
})

test('Postmark: a batch answers for each message in its place', async () => {
  const [one, two] = [fresh(), fresh()]
  const message = (To: string): postmark.Message => ({ From: FROM, To, Subject: 's', TextBody: 't' })
  const answers = await pm().sendEmailBatch([
    message(one),
    message('nobody'),
    message(await unsubscribed()),
    message(two),
  ])
  assert.deepEqual(
    answers.map(({ ErrorCode }) => ErrorCode),
    [0, 300, 406, 0],
  )
  const sent = await emailsTo(one, two)
  assert.deepEqual(
    [answers[0]?.MessageID, answers[3]?.MessageID],
    sent.map(({ id }) => id),
  )
  await assert.rejects(pm().sendEmailBatch([]), postmark.Errors.ApiInputError)
})

// --- SendGrid

function sendGrid(key = world.account.apiKey): MailService {
  const client = new SendGridClient()
  const service = new MailService()
  service.setClient(client)
  const { warn } = console
  console.warn = () => undefined // the client wants keys of its own vendor's form, and says so
  service.setApiKey(key)
  console.warn = warn
  client.setDefaultRequest('baseUrl', world.url)
  return service
}

test('SendGrid: every field of a send arrives', async () => {
  const [to, cc, bcc] = [fresh(), fresh(), fresh()]
  const sendAt = Math.floor(world.clock.now().getTime() / 1_000) + 3_600
  const [reply] = await sendGrid().send({
    from: { email: 'hello@shop.example', name: 'Shop' },
    to: { email: to, name: 'Jo' },
    cc,
    bcc,
    replyTo: 'answers@shop.example',
    subject: 'Hallo',
    text: 'Leave: [leave]',
    html: '<a href="[leave]">leave</a> <a href="https://shop.example/">shop</a>',
    headers: { 'X-Order': '7' },
    categories: ['receipt', 'shop'],
    customArgs: { order: '7' },
    sendAt,
    attachments: [
      { filename: 'a.pdf', content: PDF.toString('base64'), type: 'application/pdf', disposition: 'attachment' },
    ],
    trackingSettings: {
      openTracking: { enable: true },
      clickTracking: { enable: false },
      subscriptionTracking: { enable: true, substitutionTag: '[leave]' },
    },
    mailSettings: { sandboxMode: { enable: false } },
    asm: { groupId: 1 },
  })
  assert.equal(reply.statusCode, 202)
  const sent = await email(reply.headers['x-message-id'])
  assert.deepEqual(
    [sent.from, sent.from_name, sent.to, sent.cc, sent.reply_to, sent.subject, sent.status],
    ['hello@shop.example', 'Shop', to, [cc], ['answers@shop.example'], 'Hallo', 'scheduled'],
  )
  assert.deepEqual([sent.tag, sent.metadata], ['receipt', { order: '7', categories: ['receipt', 'shop'] }])
  assert.equal(Date.parse(sent.scheduled_at), sendAt * 1_000)
  assert.equal(sent.attachments[0].filename, 'a.pdf')
  const raw = (await world.api.get(`/api/v1/emails/${sent.id}/raw`)).body.replaceAll('=\r\n', '')
  assert.ok(raw.includes('List-Unsubscribe:') && raw.includes('X-Order: 7') && !raw.includes('[leave]'))
  assert.ok(raw.includes('/track/o/') && !raw.includes('/track/c/'), 'opens are tracked, links are not')
  await emailsTo(to, cc, bcc)
})

test('SendGrid: each personalization is its own message', async () => {
  const [one, two, listed, id] = [fresh(), fresh(), await unsubscribed(), await template()]
  await sendGrid().send({
    from: FROM,
    subject: 'Hallo -name-',
    content: [{ type: 'text/plain', value: 'For -name-' }],
    replyToList: [{ email: 'answers@shop.example' }, { email: 'desk@shop.example' }],
    asm: { groupId: 1 },
    personalizations: [
      { to: one, substitutions: { name: 'Ann' }, customArgs: { n: '1' } },
      { to: two, from: 'two@shop.example', subject: 'Servus -name-', substitutions: { name: 'Bob $&' } },
      { to: listed, substitutions: { name: 'Nobody' } },
    ],
    substitutionWrappers: ['-', '-'],
  })
  const [first, second] = await emailsTo(one, two)
  assert.deepEqual([first.subject, first.text, first.metadata], ['Hallo Ann', 'For Ann', { n: '1' }])
  assert.deepEqual([second.subject, second.text, second.metadata], ['Servus Bob $&', 'For Bob $&', null])
  assert.deepEqual([first.from, second.from], ['hello@shop.example', 'two@shop.example'])
  assert.deepEqual(first.reply_to, ['answers@shop.example', 'desk@shop.example'])
  const { body: raw } = await world.api.get(`/api/v1/emails/${first.id}/raw`)
  assert.match(raw, /^List-Unsubscribe: /m, 'a group asks for it')
  const [three, four] = [fresh(), fresh()]
  await sendGrid().send({
    from: FROM,
    templateId: `d-${id}`,
    personalizations: [three, four].map((to, n) => ({ to, dynamicTemplateData: { name: `N${n}` } })),
  } as never)
  const filled = await emailsTo(three, four)
  assert.deepEqual(
    filled.map(({ subject }) => subject),
    ['Hi N0', 'Hi N1'],
  )
})

test('SendGrid: a fault in one personalization sends none, and errors name its fields', async () => {
  const good = { from: FROM, to: fresh(), subject: 's', text: 't' }
  const cases: [MailService, object, number, string | null][] = [
    [sendGrid('ph_live_nonsense'), good, 401, null],
    [sendGrid(), { ...good, to: 'nobody' }, 400, 'personalizations.0.to'],
    [sendGrid(), { ...good, text: undefined, content: [{ type: 'text/calendar', value: 'x' }] }, 400, 'content.type'],
    [sendGrid(), { ...good, sendAt: 4_000_000_000 }, 400, 'send_at'],
    [sendGrid(), { ...good, to: await unsubscribed() }, 422, null],
    [
      sendGrid(),
      { ...good, to: undefined, personalizations: [{ to: fresh() }, { to: fresh(), headers: { From: 'x' } }] },
      400,
      'headers.From',
    ],
  ]
  const before = await used()
  for (const [client, message, status, field] of cases) {
    await assert.rejects(
      client.send(message as never),
      (error: { code: number; response: { body: Reply['body'] } }) => {
        const { errors } = error.response.body
        assert.deepEqual(
          [error.code, String(errors[0].field).startsWith(String(field))],
          [status, true],
          JSON.stringify(errors),
        )
        assert.ok(errors[0].message.length > 5)
        return true
      },
    )
  }
  assert.equal(await used(), before)
})

// --- all of them

test('the sender rule, the quota, scopes and sandbox keys apply as in a send', async () => {
  await using live = await startWorld()
  await live.verifiedDomain('live.example')
  const bodies: [string, (from: string) => object, (body: Reply['body']) => unknown][] = [
    ['/emails', (from) => ({ from, to: fresh(), subject: 's', text: 't', unknown: 1 }), ({ name }) => name],
    [
      '/email',
      (from) => ({ From: from, To: fresh(), Subject: 's', TextBody: 't', Unknown: 1 }),
      ({ ErrorCode }) => ErrorCode,
    ],
    [
      '/v3/mail/send',
      (from) => ({
        from: { email: from },
        personalizations: [{ to: [{ email: fresh() }] }],
        subject: 's',
        content: [{ type: 'text/plain', value: 't' }],
        unknown: 1,
      }),
      ({ errors }) => errors[0].message,
    ],
  ]
  const reader = await live.api.post('/api/v1/customer/api-keys', { name: 'r', scopes: ['emails:read'] })
  const quota = async (): Promise<number> => (await live.api.get('/api/v1/customer/usage')).body.data.emails.used
  for (const [path, body, codeOf] of bodies) {
    const before = await quota()
    assert.ok([200, 202].includes((await live.api.post(path, body('a@live.example'))).status), path)
    assert.equal(await quota(), before + 1)
    assert.ok([200, 202].includes((await live.account.testApi.post(path, body('a@any.example'))).status), 'a test key')
    assert.equal(await quota(), before + 1)
    const foreign = await live.api.post(path, body('a@elsewhere.example'))
    assert.ok([403, 422].includes(foreign.status) && codeOf(foreign.body) !== undefined, path)
    const scoped = await live.apiWith(reader.body.data.key).post(path, body('a@live.example'))
    assert.ok([401, 403].includes(scoped.status) && codeOf(scoped.body) !== undefined, path)
    for (const broken of [
      '{',
      '5',
      '[]',
      'null',
      '{"personalizations":5}',
      '{"To":5,"to":[[]],"personalizations":[5]}',
    ]) {
      const reply = await live.api.post(path, broken)
      assert.ok(reply.status >= 400 && reply.status < 500 && codeOf(reply.body) !== undefined, `${path} ${broken}`)
    }
    assert.equal(await quota(), before + 1)
  }
  const { body: document } = await live.api.get('/openapi.json')
  assert.ok(!('/emails' in document.paths) && '/api/v1/send' in document.paths, 'our document is of our interface')
})

test('SendGrid: content counts as often as a call uses it, not once', async () => {
  const call = (personalizations: readonly object[], more: object) =>
    world.api.post('/v3/mail/send', {
      personalizations: personalizations.map((one) => ({ to: [{ email: fresh() }], ...one })),
      from: { email: 'hello@shop.example' },
      subject: 'Hi',
      content: [{ type: 'text/plain', value: 'a'.repeat(20_000) }],
      ...more,
    })
  const many = Array.from({ length: 100 }, () => ({}))
  const file = { content: Buffer.alloc(2 * 1_048_576).toString('base64'), filename: 'a.bin', type: 'image/png' }
  assert.equal((await call(many, { attachments: [file] })).status, 413)
  const grown = { substitutions: { a: 'b'.repeat(200) } }
  assert.equal((await call([grown], {})).status, 202)
  assert.equal((await call([{ substitutions: { a: 'b'.repeat(2_000) } }], {})).status, 413, 'one text is too large')
  assert.equal(
    (
      await call(
        many.map(() => grown),
        {},
      )
    ).status,
    413,
    'all texts together are',
  )
  assert.equal((await call([{ substitutions: { a: 'b'.repeat(10_001) } }], {})).status, 413)
  assert.equal((await call([{ substitutions: { x: { toString: 1 } } }], {})).status, 202)
})
