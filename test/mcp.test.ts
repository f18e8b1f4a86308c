// The assistant's server, called by the protocol's own client, over a running API.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { startReceiver } from './world/receiver.ts'
import { startWorld, type World } from './world/world.ts'

const MAIN = path.join(import.meta.dirname, '../src/main.ts')

async function assistant(world: Pick<World, 'url' | 'account'>, ...more: string[]) {
  const client = new Client({ name: 'test', version: '1' })
  const env = { PATH: process.env['PATH'] ?? '', POSTHORN_API_KEY: world.account.apiKey }
  const args = [MAIN, 'mcp', '--url', world.url, ...more]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }))
  const call = async (name: string, given: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: given })
    const [first] = content as { text: string }[]
    return { isError: isError === true, text: first?.text ?? '' }
  }
  return { client, call, [Symbol.asyncDispose]: () => client.close() }
}

async function ends(world: World, id: string, status: string): Promise<void> {
  for (let tries = 0; tries < 2_400; tries++) {
    const { body } = await world.api.get(`/api/v1/emails/${id}`)
    if (body.data.status === status) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`the email is not ${status}`)
}

test('an assistant finds a bounced mail, gets an explanation, and can change nothing', async () => {
  await using receiver = await startReceiver({ rcpt: () => '550 5.1.1 no such user here' })
  await using world = await startWorld({
    settings: { POSTHORN_SMTP_PORT: String(receiver.port) },
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
  })
  await world.verifiedDomain('sender.example')
  const mail = { from: 'a@sender.example', to: 'b@example.net', subject: 'Lost', text: 't' }
  const { body: sent } = await world.api.post('/api/v1/send', mail)
  await ends(world, sent.data.email_id, 'bounced')
  await using helper = await assistant(world)
  const { tools } = await helper.client.listTools()
  assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true))
  const found = JSON.parse((await helper.call('search_emails', { recipient: 'b@example.net' })).text)
  assert.equal(found.data[0].id, sent.data.email_id)
  const why = JSON.parse((await helper.call('explain_bounce', { email_id: sent.data.email_id })).text)
  assert.equal(why.recipient, 'b@example.net')
  assert.equal(why.bounces[0].category, 'invalid_recipient')
  assert.equal(why.bounces[0].matter, 'address')
  const { category: reason, matter, meaning, next } = why.bounces[0]
  assert.deepEqual(why.why, { reason, matter, meaning, next })
  assert.match(why.last_response, /no such user here/)
  const recipient = JSON.parse((await helper.call('check_recipient', { recipient: 'b@example.net' })).text)
  assert.notEqual(recipient.suppression, null)
  assert.ok(JSON.parse((await helper.call('statistics', {})).text).statistics)
  const refused = await helper.call('send_email', mail)
  assert.ok(refused.isError && /no tool/.test(refused.text))
  const unknown = await helper.call('get_email', { email_id: '01890000-0000-7000-8000-000000000000' })
  assert.ok(unknown.isError && unknown.text.startsWith('not_found'))
})

test('a redirect is not followed, and the key goes nowhere else', async () => {
  const asked: (string | undefined)[] = []
  const elsewhere = createServer(({ headers }, answer) => {
    asked.push(headers['x-api-key'] as string | undefined)
    answer.end('{"data":[]}')
  }).listen(0, '127.0.0.1')
  const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const moved = createServer((_request, answer) => {
    answer.writeHead(307, { location: `${addressOf(elsewhere)}/api/v1/emails` }).end()
  }).listen(0, '127.0.0.1')
  await Promise.all([elsewhere, moved].map((server) => once(server, 'listening')))
  const account = { apiKey: 'ph_live_of-nobody' } as World['account']
  await using helper = await assistant({ url: addressOf(moved), account })
  const { isError, text } = await helper.call('search_emails', { recipient: 'b@example.net' })
  assert.deepEqual([isError, asked], [true, []])
  assert.match(text, /redirect/)
  for (const server of [elsewhere, moved]) server.close()
})

test('an answer that is no JSON is told with its status', async () => {
  const proxy = createServer((_request, answer) => {
    answer.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>')
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  await using helper = await assistant({ url, account: { apiKey: 'ph_live_of-nobody' } as World['account'] })
  const { isError, text } = await helper.call('search_emails', { recipient: 'b@example.net' })
  assert.deepEqual(
    [isError, text],
    [true, `${url} (--url) answered 502 without JSON: not Posthorn, or a proxy before it`],
  )
  proxy.close()
})

test('an address is looked up on all three lists, sandbox entries marked as such', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const lists = '/api/v1/customer'
  await world.api.post(`${lists}/unsubscribes`, { email: 'left@example.net', reason: 'asked' })
  await world.api.post(`${lists}/unsubscribes`, { email: 'also.left@example.net' })
  await world.api.post(`${lists}/suppressions`, { email: 'hand@example.net' })
  const mail = { from: 'a@sender.example', to: 'gone@example.net', subject: 's', text: 't', sandbox_result: 'bounce' }
  const { body: sent } = await world.api.post('/api/v1/send', mail)
  await ends(world, sent.data.email_id, 'bounced')
  await using helper = await assistant(world)
  const check = async (recipient: string) =>
    JSON.parse((await helper.call('check_recipient', { recipient })).text) as Record<string, any>
  const left = await check('Left@Example.net')
  assert.deepEqual([left['unsubscribe'].data.reason, left['suppression'], left['bounces'].data], ['asked', null, []])
  const part = await check('t@example.net')
  assert.deepEqual([part['unsubscribe'], part['suppression']], [null, null])
  const hand = await check('hand@example.net')
  assert.deepEqual([hand['unsubscribe'], hand['suppression'].data.reason], [null, 'manual'])
  const gone = await check('gone@example.net')
  assert.deepEqual([gone['suppression'].data.sandbox, gone['bounces'].data[0].sandbox], [true, true])
  assert.ok((await helper.call('check_recipient', { recipient: 'nobody' })).isError)
  const { body: key } = await world.api.post(`${lists}/api-keys`, { name: 'k', scopes: ['bounces:read'] })
  await using narrow = await assistant({ ...world, account: { ...world.account, apiKey: key.data.key } })
  const refused = await narrow.call('check_recipient', { recipient: 'hand@example.net' })
  assert.ok(
    refused.isError && refused.text.startsWith('insufficient_scope'),
    'what it may not read is not «not listed»',
  )
})

test('every reason that kept an email from its recipient is explained', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  await using helper = await assistant(world)
  const why = async (email_id: string) => JSON.parse((await helper.call('explain_bounce', { email_id })).text).why
  const mail = { from: 'a@sender.example', to: 'b@example.net', subject: 's', text: 't' }
  // Each row: the requested outcome, the status, the reason, and who is responsible.
  const rows: [more: object, status: string, reason: string | null, matter: string][] = [
    [{ sandbox_result: 'fail' }, 'failed', 'connection_failed', 'receiver'],
    [{ sandbox_result: 'suppress' }, 'suppressed', 'manual', 'sender'],
    [{ sandbox_result: 'defer' }, 'deferred', 'rate_limited', 'reputation'],
    [{ scheduled_at: new Date(world.clock.now().getTime() + 3_600_000) }, 'scheduled', null, 'sender'],
    [{}, 'delivered', null, 'nobody'],
  ]
  for (const [more, status, reason, matter] of rows) {
    const { body: sent } = await world.api.post('/api/v1/send', { ...mail, ...more })
    await ends(world, sent.data.email_id, status)
    const told = await why(sent.data.email_id)
    assert.deepEqual([told.reason, told.matter], [reason, matter], status)
    assert.ok(told.meaning.length > 10 && told.next.length > 5 && !/undefined|null/.test(told.next), status)
    if (status !== 'scheduled') continue
    await world.api.post(`/api/v1/emails/${sent.data.email_id}/cancel`, {})
    assert.match((await why(sent.data.email_id)).meaning, /canceled/)
  }
})

test('with --allow-send it sends, subject to the checks of the API', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  await using helper = await assistant(world, '--allow-send')
  const mail = { from: 'a@sender.example', to: 'b@example.net', subject: 's', text: 't' }
  const sent = JSON.parse((await helper.call('send_email', mail)).text)
  assert.equal((await world.api.get(`/api/v1/emails/${sent.data.email_id}`)).status, 200)
  const refused = await helper.call('send_email', { ...mail, to: 'no address' })
  assert.ok(refused.isError && refused.text.startsWith('validation_error'))
})

test('unknown arguments of a tool are refused, and nothing is sent', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  await using helper = await assistant(world, '--allow-send')
  const { tools } = await helper.client.listTools()
  assert.ok(tools.every(({ inputSchema }) => inputSchema['additionalProperties'] === false))
  const mail = { from: 'a@sender.example', to: 'b@example.net', subject: 's', text: 't' }
  // Each row: the tool, its arguments, and the argument that the refusal names.
  const rows: [tool: string, given: Record<string, unknown>, named: RegExp][] = [
    ['send_email', { ...mail, bogus: true }, /bogus/],
    ['send_email', { ...mail, scheduled_at: 7 }, /scheduled_at/],
    ['send_email', { ...mail, attachments: [{ filename: 'f', path: '/etc/hosts' }] }, /attachments\[0\]/],
    ['send_email', { from: mail.from, to: mail.to }, /subject/],
    ['search_emails', { foo: 1 }, /foo/],
    ['search_emails', { tag: ['a', 'b'] }, /tag/],
    ['statistics', { include_sandbox: 'yes' }, /include_sandbox/],
  ]
  for (const [tool, given, named] of rows) {
    const { isError, text } = await helper.call(tool, given)
    assert.ok(isError && text.startsWith('invalid arguments: '), text)
    assert.match(text.split('. ', 1)[0] ?? '', named)
  }
  assert.equal((await world.api.get('/api/v1/emails')).body.pagination.total, 0)
})

test('a mail with every field of send_email, sent once under its key', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  await using helper = await assistant(world, '--allow-send')
  const mail = {
    from: 'a@sender.example',
    to: ['b@example.net', 'c@example.net'],
    cc: 'copy@example.net',
    bcc: ['blind@example.net'],
    reply_to: 'desk@sender.example',
    subject: 's',
    text: 't',
    scheduled_at: new Date(world.clock.now().getTime() + 3_600_000).toISOString(),
    attachments: [{ filename: 'a.txt', content: 'QQ==' }],
    idempotency_key: 'order-7',
  }
  const send = async () => JSON.parse((await helper.call('send_email', mail)).text).data
  const sent = await send()
  assert.equal((await send()).email_id, sent.email_id)
  assert.equal((await world.api.get('/api/v1/emails')).body.pagination.total, 4)
  const { data: email } = (await world.api.get(`/api/v1/emails/${sent.email_id}`)).body
  assert.deepEqual([email.status, email.scheduled_at, email.attachments.length], ['scheduled', mail.scheduled_at, 1])
})

test('statistics count sandbox mail for a test key, or on request', async () => {
  await using world = await startWorld()
  const mail = { from: 'a@sender.example', to: 'b@example.net', subject: 's', text: 't', sandbox: true }
  const { body } = await world.api.post('/api/v1/send', mail)
  await ends(world, body.data.email_id, 'delivered')
  const { account } = world
  await using live = await assistant(world)
  await using trying = await assistant({ ...world, account: { ...account, apiKey: account.testApiKey } })
  const sentOf = async (helper: typeof live, given: Record<string, unknown>) =>
    JSON.parse((await helper.call('statistics', given)).text).statistics.data.sent
  for (let tries = 0; tries < 2_400 && (await sentOf(trying, {})) === 0; tries++)
    await new Promise((resolve) => setTimeout(resolve, 25))
  assert.deepEqual(
    [
      await sentOf(trying, {}),
      await sentOf(trying, { include_sandbox: false }),
      await sentOf(live, {}),
      await sentOf(live, { include_sandbox: true }),
    ],
    [1, 0, 0, 1],
  )
})

test('a search fits an assistant: twenty emails unless told otherwise, and their risk is shown one by one', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const messages = Array.from({ length: 25 }, (_, n) => {
    return { from: 'a@sender.example', to: `b${n}@example.net`, subject: 's', text: 't' }
  })
  assert.equal((await world.api.post('/api/v1/send/batch', { messages })).status, 200)
  await using helper = await assistant(world)
  const { text } = await helper.call('search_emails', {})
  const { data, pagination } = JSON.parse(text)
  assert.deepEqual([data.length, pagination.total], [20, 25])
  assert.ok(text.length < 30_000, `${text.length} characters`)
  const one = JSON.parse((await helper.call('get_email', { email_id: data[0].id })).text)
  assert.equal(one.data.risk.action, 'allow')
  assert.equal(JSON.parse((await helper.call('search_emails', { limit: 25 })).text).data.length, 25)
})

test('an email fits an assistant: of a long html and of many events it gets a part, and is told so', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const html = `<p>${'words '.repeat(50_000)}</p><a href="https://shop.example/">shop</a>`
  const message = { from: 'a@sender.example', to: 'b@example.net', subject: 's', text: 'short', html }
  const { body } = await world.api.post('/api/v1/send', { ...message, tracking_enabled: true })
  const id = body.data.email_id
  await ends(world, id, 'delivered')
  const { body: raw } = await world.api.get(`/api/v1/emails/${id}`)
  const { body: inbox } = await world.api.get(`/api/v1/inbox?email_id=${id}`)
  const { body: received } = await world.api.get(`/api/v1/inbox/${inbox.data[0].id}`)
  const [, link = ''] = /href="([^"]+)"/.exec(received.data.html) ?? []
  const { pathname } = new URL(link)
  for (let clicks = 0; clicks < 60; clicks++) await fetch(`${world.url}${pathname}`, { redirect: 'manual' })
  for (let tries = 0; tries < 2_400; tries++) {
    if ((await world.api.get(`/api/v1/emails/${id}`)).body.data.events.length >= 60) break
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  const all = (await world.api.get(`/api/v1/emails/${id}`)).body.data.events
  await using helper = await assistant(world)
  const shown = JSON.parse((await helper.call('get_email', { email_id: id })).text).data
  assert.ok(all.length >= 60, `${all.length} events`)
  assert.deepEqual([shown.events.length, shown.events_left_out], [50, all.length - 50])
  assert.deepEqual(shown.events.at(-1), all.at(-1))
  assert.ok(all.at(-1).timestamp >= all[0].timestamp)
  assert.ok(shown.html.startsWith('<p>words ') && shown.html.endsWith(`10000 of ${raw.data.html.length} characters]`))
  assert.equal(shown.text, 'short')
})
