// What holds back the retry of an email that has ended, over the API and from the command line.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { commands } from '../src/commands.ts'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/platform/log.ts'
import { type Receiver, startReceiver } from './world/receiver.ts'
import { startWorld, type World } from './world/world.ts'

let world: World
let mx: Receiver
let refuses = true
before(async () => {
  mx = await startReceiver({
    rcpt: (address) => {
      if (!refuses) return 'default'
      return address.startsWith('gone') ? '550 5.1.1 no such user' : '550 5.7.1 not from there'
    },
  })
  world = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  await world.verifiedDomain('shop.example')
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await mx[Symbol.asyncDispose]()
})

async function ended(to: string, from = 'a@shop.example'): Promise<string> {
  const sent = await world.api.post('/api/v1/send', { from, to, subject: 's', text: 't' })
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  const id: string = sent.body.data.email_id
  await becomes(id, refuses ? 'bounced' : 'delivered')
  return id
}

async function becomes(id: string, status: string): Promise<void> {
  for (const end = performance.now() + 30_000; ; ) {
    const { body } = await world.api.get(`/api/v1/emails/${id}`)
    if (body.data.status === status) return
    if (performance.now() > end) throw new Error(`${body.data.status}, not ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

async function cli(words: string, ...positionals: readonly string[]): Promise<void> {
  const command = commands.find((one) => one.path.join(' ') === words)
  assert.ok(command)
  const { ids } = world.rooms.ground
  const { database, secrets } = world.rooms.store
  const context = { config: readConfig({}), database, secrets, ids, clock: world.clock, log: createLogger('silent') }
  await command.run({ ...context, print: () => undefined, warn: assert.fail }, {}, positionals)
}

/** Both ways to ask for a retry are refused. @returns the API's answer */
async function refused(id: string): Promise<{ readonly error: string; readonly details: unknown }> {
  const { status, body } = await world.api.post(`/api/v1/emails/${id}/retry`)
  assert.deepEqual([status, body.code], [409, 'invalid_state'])
  await assert.rejects(cli('queue retry', id), { code: 'invalid_state', message: body.error })
  assert.equal((await world.api.get(`/api/v1/emails/${id}`)).body.data.status, 'bounced')
  return body
}

test('an email is not sent anew to a recipient who complained, even when the suppression was lifted', async () => {
  refuses = true
  const id = await ended('angry@example.net')
  refuses = false
  const complaint = { email_id: await ended('angry@example.net') }
  assert.equal((await world.api.post('/api/v1/inbound/complaints', complaint)).body.data.suppressed, true)
  assert.match((await refused(id)).error, /^The recipient is suppressed \(complaint\)/)
  assert.equal((await world.api.delete('/api/v1/customer/suppressions/angry@example.net')).status, 200)
  const { error, details } = await refused(id)
  assert.equal(error, 'The recipient marked an earlier email as spam (previous_complaint)')
  assert.deepEqual(details, { reason_code: 'previous_complaint' })
})

test('an email is not sent anew to an address that has become known as a spam trap', async (t) => {
  refuses = true
  const id = await ended('trap@example.net')
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-traps-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'traps')
  await writeFile(file, 'trap@example.net\n')
  await cli('spamtrap import', file)
  assert.deepEqual((await refused(id)).details, { reason_code: 'spamtrap_detected' })
})

test('an email that hard-bounced is sent anew once its suppression is lifted', async () => {
  refuses = true
  const [first, second] = [await ended('gone1@example.net'), await ended('gone2@example.net')]
  for (const n of [1, 2]) await world.api.delete(`/api/v1/customer/suppressions/gone${n}@example.net`)
  refuses = false
  assert.equal((await world.api.post(`/api/v1/emails/${first}/retry`)).status, 200)
  await cli('queue retry', second)
  for (const id of [first, second]) await becomes(id, 'delivered')
})

test('an email whose sending domain was removed is not sent anew, even when the domain was added again', async () => {
  refuses = true
  const domain = await world.verifiedDomain('left.example')
  const id = await ended('policy@example.net', 'a@left.example')
  assert.equal((await world.api.delete(`/api/v1/customer/domains/${domain}`)).status, 200)
  await world.verifiedDomain('left.example')
  assert.equal((await refused(id)).error, 'The sending domain of the email was removed: send the email again')
})
