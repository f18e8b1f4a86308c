// The TypeScript client against the running service. Its @ts-expect-error lines check that wrong calls do not compile.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import packageJson from '../clients/typescript/package.json' with { type: 'json' }
import {
  type Email,
  type EmailDetail,
  type EmailList,
  type Event,
  type EveryItemOptions,
  everyItem,
  type PosthornClient,
  PosthornError,
  posthornClient,
  type SendRequest,
  type SendResult,
  unwrap,
  type WebhookEvent,
} from '../clients/typescript/src/index.ts'
import { startWorld, type World } from './world/world.ts'

const MAIL = { from: 'a@shop.example', subject: 's', text: 't' }
let world: World
let posthorn: PosthornClient

before(async () => {
  world = await startWorld()
  posthorn = posthornClient({ baseUrl: `${world.url}/`, apiKey: world.account.testApiKey })
})
after(() => world[Symbol.asyncDispose]())

test('a send, sent once under its key, and the email with its events', async () => {
  const send = () =>
    posthorn.POST('/api/v1/send', {
      body: { ...MAIL, to: { email: 'jo@reader.example', name: 'Jo' }, tag: 'hello', metadata: { order: 7 } },
      headers: { 'Idempotency-Key': 'order-7' },
    })
  const { data: sent } = unwrap(await send())
  assert.equal(unwrap(await send()).data.email_id, sent.email_id)
  assert.equal(sent.status, 'sandboxed')
  const { data: email } = unwrap(await posthorn.GET('/api/v1/emails/{id}', { params: { path: { id: sent.email_id } } }))
  assert.deepEqual([email.to, email.tag, email.metadata], ['jo@reader.example', 'hello', { order: 7 }])
})

test('a raw mail and an export are text, as their types say', async () => {
  const { data: sent } = unwrap(await posthorn.POST('/api/v1/send', { body: { ...MAIL, to: 'raw@reader.example' } }))
  const params = { path: { id: sent.email_id } }
  const raw: string = unwrap(await posthorn.GET('/api/v1/emails/{id}/raw', { params }))
  assert.match(raw, /^To: raw@reader\.example\r$/m)
  const csv: string = unwrap(await posthorn.GET('/api/v1/customer/suppressions/export'))
  assert.match(csv, /^id,email,/)
  const bytes = unwrap(await posthorn.GET('/api/v1/emails/{id}/raw', { params, parseAs: 'arrayBuffer' }))
  assert.equal(Buffer.from(bytes).toString('latin1'), raw)
  const missing = { path: { id: '01890000-0000-7000-8000-000000000000' } }
  const { error } = await posthorn.GET('/api/v1/emails/{id}/raw', { params: missing })
  assert.equal(error?.code, 'not_found')
})

test('iterating a large list visits every page', async () => {
  const to = Array.from({ length: 7 }, (_, i) => `list${i}@reader.example`)
  unwrap(await posthorn.POST('/api/v1/send', { body: { ...MAIL, to, tag: 'paged' } }))
  const found: string[] = []
  let pages = 0
  const emails = everyItem((cursor) => {
    pages++
    return posthorn.GET('/api/v1/emails', { params: { query: { tag: 'paged', limit: 3, ...cursor } } })
  })
  for await (const email of emails) found.push(email.to)
  assert.deepEqual([found.sort(), pages], [to, 3])
})

test('iterating a list with numbered pages stops at its end', async () => {
  const emails = Array.from({ length: 5 }, (_, i) => `left${i}@reader.example`)
  for (const email of emails) unwrap(await posthorn.POST('/api/v1/customer/unsubscribes', { body: { email } }))
  const asked: unknown[] = []
  const found: string[] = []
  const left = everyItem((place) => {
    asked.push(place)
    return posthorn.GET('/api/v1/customer/unsubscribes', { params: { query: { limit: 2, ...place } } })
  })
  for await (const { email } of left) found.push(email)
  assert.deepEqual([found.sort(), asked], [emails, [{}, { page: 2 }, { page: 3 }]])
  const whole = async (list: AsyncIterable<unknown>) => {
    let count = 0
    for await (const _ of list) count++
    return count
  }
  assert.equal(
    await whole(everyItem((query) => posthorn.GET('/api/v1/customer/suppressions', { params: { query } }))),
    0,
  )
  assert.equal(await whole(everyItem((query) => posthorn.GET('/api/v1/customer/contacts', { params: { query } }))), 0)
  assert.equal(await whole(everyItem((query) => posthorn.GET('/api/v1/templates', { params: { query } }))), 0)
  assert.ok((await whole(everyItem((query) => posthorn.GET('/api/v1/customer/api-keys', { params: { query } })))) > 0)
})

/** A service that gives these answers in order. */
function answering(...answers: readonly [status: number, body: object, retryAfter?: string][]) {
  let asked = 0
  const client = posthornClient({
    baseUrl: 'https://mail.example.com',
    apiKey: 'x',
    fetch: async () => {
      const [status, body, retryAfter] = answers[Math.min(asked++, answers.length - 1)] ?? [500, {}]
      return Response.json(body, { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } })
    },
  })
  const list = (options: EveryItemOptions = {}) =>
    everyItem((query) => client.GET('/api/v1/events', { params: { query } }), options)
  return { list, asked: () => asked }
}

test('a list continues once it may ask again', async () => {
  const page = (id: string, next_cursor: string | null) => ({ data: [{ event_id: id }], pagination: { next_cursor } })
  const slow = { code: 'rate_limit_exceeded' }
  const { list, asked } = answering([200, page('a', 'c')], [429, slow, '0'], [503, {}, '0'], [200, page('b', null)])
  const found: string[] = []
  for await (const { event_id } of list()) found.push(event_id)
  assert.deepEqual([found, asked()], [['a', 'b'], 4])
})

test('a list waits a limited number of times, and not at all for a quota or when told to end', async () => {
  const never = answering([429, { code: 'rate_limit_exceeded' }, '0'])
  await assert.rejects(never.list({ maxTries: 3 }).next(), PosthornError)
  assert.equal(never.asked(), 3)
  const quota = answering([429, { code: 'quota_exceeded' }, '86400'])
  await assert.rejects(quota.list().next(), PosthornError)
  assert.equal(quota.asked(), 1)
  const stop = new AbortController()
  const waiting = answering([503, {}, '100'])
  const next = waiting.list({ signal: stop.signal }).next()
  stop.abort(new Error('enough'))
  await assert.rejects(next, /enough/)
  assert.ok(waiting.asked() <= 1)
})

test('an error is a value, or is thrown with the message of the service', async () => {
  const nothing = { params: { path: { id: '0192f000-0000-7000-8000-00000000dead' } } }
  const { data, error, response } = await posthorn.GET('/api/v1/emails/{id}', nothing)
  assert.deepEqual([data, error?.code, response.status], [undefined, 'not_found', 404])
  const refused = await posthorn.POST('/api/v1/send', { body: { ...MAIL, to: 'nobody' } })
  assert.throws(
    () => unwrap(refused),
    (thrown: unknown) => {
      assert.ok(thrown instanceof PosthornError)
      assert.deepEqual([thrown.status, thrown.code, thrown.retryAfter], [422, 'validation_error', null])
      assert.equal(thrown.requestId, refused.response.headers.get('x-request-id'))
      assert.equal((thrown.details['fields'] as { field: string }[])[0]?.field, 'to')
      return true
    },
  )
  const stranger = posthornClient({ baseUrl: world.url, apiKey: 'ph_live_nonsense' })
  const { error: unknown } = await stranger.GET('/api/v1/customer/limits')
  assert.equal(unknown?.code, 'invalid_api_key')
})

test('an answer that is not JSON, from a proxy in between, is an error with its status', async () => {
  const proxied = posthornClient({
    baseUrl: 'https://mail.example.com',
    apiKey: 'x',
    fetch: async () => new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'retry-after': '7' } }),
  })
  const result = await proxied.GET('/api/v1/customer/limits')
  assert.throws(
    () => unwrap(result),
    (thrown: unknown) => thrown instanceof PosthornError && thrown.status === 502 && thrown.retryAfter === 7,
  )
})

test('no redirect is followed: the key goes to no other host, and a POST is not answered by a GET', async () => {
  const asked: (string | undefined)[] = []
  const elsewhere = createServer(({ method, headers }, answer) => {
    asked.push(method, headers['x-api-key'] as string | undefined)
    answer.setHeader('content-type', 'application/json').end('{"data":{}}')
  }).listen(0, '127.0.0.1')
  const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const moved = createServer(({ method }, answer) => {
    answer.writeHead(method === 'GET' ? 307 : 301, { location: `${addressOf(elsewhere)}/there` }).end()
  }).listen(0, '127.0.0.1')
  try {
    await Promise.all([elsewhere, moved].map((server) => once(server, 'listening')))
    const lost = posthornClient({ baseUrl: addressOf(moved), apiKey: 'ph_live_of-nobody' })
    const told = (status: number) => (thrown: unknown) =>
      thrown instanceof PosthornError && thrown.status === status && thrown.message.includes(addressOf(elsewhere))
    await assert.rejects(lost.GET('/api/v1/customer/limits'), told(307))
    await assert.rejects(lost.POST('/api/v1/send', { body: { ...MAIL, to: 'a@b.example' } }), told(301))
    assert.deepEqual(asked, [])
  } finally {
    for (const server of [elsewhere, moved]) server.close()
  }
})

test('other methods have types too: contacts, webhooks, templates', async () => {
  const { data: contact } = unwrap(
    await posthorn.POST('/api/v1/customer/contacts', { body: { email: 'c@reader.example', double_opt_in: false } }),
  )
  const path = { id: contact.id }
  const changed = unwrap(
    await posthorn.PATCH('/api/v1/customer/contacts/{id}', { params: { path }, body: { tags: ['x'] } }),
  )
  assert.deepEqual([changed.data.tags, changed.data.status], [['x'], 'subscribed'])
  const removed = unwrap(
    await posthorn.DELETE('/api/v1/customer/contacts/{id}', { params: { path, query: { erase: true } } }),
  )
  assert.deepEqual([removed.success, removed.data.erased], [true, true])
  const template = unwrap(
    await posthorn.POST('/api/v1/templates', { body: { name: 'n', subject: 's {{x}}', text: 't' } }),
  )
  const preview = unwrap(
    await posthorn.POST('/api/v1/templates/{id}/preview', {
      params: { path: { id: template.data.id } },
      body: { variables: { x: 1 } },
    }),
  )
  assert.equal(preview.data.subject, 's 1')
})

test('a webhook event has the type of its event', () => {
  const told = (event: WebhookEvent): string | number | null => {
    if (event.event === 'email.bounced') return event.data.category
    if (event.event === 'email.delivered') return event.data.delivery_time_ms
    if (event.event === 'suppression.created') return event.data.email
    return event.event === 'test' ? event.message : null
  }
  // @ts-expect-error -- an open has no category
  const wrong = (event: WebhookEvent) => event.event === 'email.opened' && event.data.category
  const test = { event_id: 'x', event: 'test', timestamp: 'x', customer_id: 'x', message: 'hello' } as const
  assert.deepEqual([told(test), typeof wrong], ['hello', 'function'])
})

test('wrong calls do not compile', () => {
  const wrong = () => [
    // @ts-expect-error -- no such path
    posthorn.GET('/api/v1/nothing'),
    // @ts-expect-error -- a required field is missing
    posthorn.POST('/api/v1/send', { body: { to: 'a@b.example', subject: 's' } }),
    // @ts-expect-error -- no such stream
    posthorn.POST('/api/v1/send', { body: { ...MAIL, to: 'a@b.example', stream: 'bulk' } }),
    // @ts-expect-error -- the id is missing
    posthorn.GET('/api/v1/emails/{id}'),
    // @ts-expect-error -- a required body is missing
    posthorn.POST('/api/v1/send'),
    // @ts-expect-error -- an answer that is not text is not read as text
    posthorn.GET('/api/v1/emails', { parseAs: 'xml' }),
  ]
  assert.equal(typeof wrong, 'function')
})

test('a field or a parameter that the API does not know does not compile', () => {
  const params = { path: { id: 'x' } }
  const wrong = () => [
    // @ts-expect-error -- no such field
    posthorn.POST('/api/v1/send', { body: { ...MAIL, to: 'a@b.example', subjekt: 's' } }),
    // @ts-expect-error -- no such field of a recipient
    posthorn.POST('/api/v1/send', { body: { ...MAIL, to: { email: 'a@b.example', nickname: 'a' } } }),
    posthorn.POST('/api/v1/send', {
      // @ts-expect-error -- no such field of an attachment
      body: { ...MAIL, to: 'a', attachments: [{ filename: 'f', content: '', size: 1 }] },
    }),
    // @ts-expect-error -- no such field of a message of a batch
    posthorn.POST('/api/v1/send/batch', { body: { messages: [{ ...MAIL, to: 'a@b.example', bulk: true }] } }),
    // @ts-expect-error -- no such field of a change
    posthorn.PATCH('/api/v1/customer/domains/{id}', { params, body: { tracking: true } }),
    // @ts-expect-error -- no such parameter
    posthorn.GET('/api/v1/emails', { params: { query: { state: 'bounced' } } }),
    // @ts-expect-error -- no such option
    posthorn.GET('/api/v1/emails', { query: { status: 'bounced' } }),
  ]
  const right = () => [
    posthorn.POST('/api/v1/send', { body: { ...MAIL, to: [{ email: 'a@b.example', name: null }, 'c@d.example'] } }),
    posthorn.POST('/api/v1/send', { body: { ...MAIL, to: 'a@b.example', metadata: { any: { thing: 1 } } } }),
    posthorn.GET('/api/v1/emails', { signal: AbortSignal.timeout(1_000), headers: { 'X-Request-ID': 'a' } }),
  ]
  assert.deepEqual([typeof wrong, typeof right], ['function', 'function'])
})

test('a list is uploaded as a file under the named media type', async () => {
  const imported = unwrap(
    await posthorn.POST('/api/v1/customer/unsubscribes/import', {
      body: 'email,reason\nleft@import.example,moved\n',
      headers: { 'Content-Type': 'text/csv' },
    }),
  )
  assert.deepEqual([imported.data.imported, imported.data.failed], [1, 0])
})

test('every schema that the document names has a type of that name', async () => {
  const mail: SendRequest = { ...MAIL, to: 'named@reader.example' }
  const sent: SendResult = unwrap(await posthorn.POST('/api/v1/send', { body: mail })).data
  const params = { path: { id: sent.email_id } }
  const email: EmailDetail = unwrap(await posthorn.GET('/api/v1/emails/{id}', { params })).data
  const listed: EmailList = unwrap(await posthorn.GET('/api/v1/emails', { params: { query: { limit: 1 } } }))
  const [first]: Email[] = listed.data
  const stages: string[] = email.events.map((event: Event) =>
    event.event === 'email.sent' ? event.data.queued_at : event.event,
  )
  assert.deepEqual([first?.id, stages.length > 0], [email.id, true])
})

test('the package version is the API version', async () => {
  const document = JSON.parse(await readFile(new URL('../openapi.json', import.meta.url), 'utf8'))
  assert.equal(packageJson.version, document.info.version)
})
