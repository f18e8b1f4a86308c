// The assistant's server, spoken to by the protocol's own client, over an API that runs.

import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { startReceiver } from './receiver.ts'
import { startWorld, type World } from './world.ts'

const MAIN = path.join(import.meta.dirname, '../src/main.ts')

async function assistant(world: World, ...more: string[]) {
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

test('an assistant finds a bounced mail, has it explained, and can change nothing', async () => {
  await using receiver = await startReceiver({ rcpt: () => '550 5.1.1 no such user here' })
  await using world = await startWorld({
    settings: { POSTHORN_SMTP_PORT: String(receiver.port) },
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
  })
  await world.verifiedDomain('sender.example')
  const mail = { from: 'a@sender.example', to: 'b@example.net', subject: 'Lost', text: 't' }
  const { body: sent } = await world.api.post('/api/v1/send', mail)
  for (let tries = 0; tries < 2_400; tries++) {
    const { body } = await world.api.get(`/api/v1/emails/${sent.data.email_id}`)
    if (body.data.status === 'bounced') break
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  await using helper = await assistant(world)
  const { tools } = await helper.client.listTools()
  assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true))
  const found = JSON.parse((await helper.call('search_emails', { recipient: 'b@example.net' })).text)
  assert.equal(found.data[0].id, sent.data.email_id)
  const why = JSON.parse((await helper.call('explain_bounce', { email_id: sent.data.email_id })).text)
  assert.equal(why.recipient, 'b@example.net')
  assert.equal(why.bounces[0].category, 'invalid_recipient')
  assert.equal(why.bounces[0].matter, 'address')
  assert.match(why.last_response, /no such user here/)
  const recipient = JSON.parse((await helper.call('check_recipient', { recipient: 'b@example.net' })).text)
  assert.notEqual(recipient.suppression, null)
  assert.ok(JSON.parse((await helper.call('statistics', {})).text).statistics)
  const refused = await helper.call('send_email', mail)
  assert.ok(refused.isError && /no tool/.test(refused.text))
  const unknown = await helper.call('get_email', { email_id: '01890000-0000-7000-8000-000000000000' })
  assert.ok(unknown.isError && unknown.text.startsWith('not_found'))
})

test('with --allow-send it sends, by the checks of the API', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  await using helper = await assistant(world, '--allow-send')
  const mail = { from: 'a@sender.example', to: 'b@example.net', subject: 's', text: 't' }
  const sent = JSON.parse((await helper.call('send_email', mail)).text)
  assert.equal((await world.api.get(`/api/v1/emails/${sent.data.email_id}`)).status, 200)
  const refused = await helper.call('send_email', { ...mail, to: 'no address' })
  assert.ok(refused.isError && refused.text.startsWith('validation_error'))
})
