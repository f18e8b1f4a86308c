// `posthorn queue`, over a queue that a real receiver keeps waiting.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands } from '../src/commands.ts'
import { readConfig } from '../src/config.ts'
import { UsageError } from '../src/platform/command.ts'
import { createLogger } from '../src/platform/log.ts'
import { startReceiver } from './world/receiver.ts'
import { startWorld, type World } from './world/world.ts'

async function run(
  world: World,
  words: readonly string[],
  values: Record<string, string | boolean> = {},
  warn: (line: string) => void = assert.fail,
) {
  const command = commands.find(({ path }) => path.every((word, i) => words[i] === word))
  assert.ok(command)
  const lines: string[] = []
  const { ids } = world.rooms.ground
  const { database, secrets } = world.rooms.store
  const context = { config: readConfig({}), database, secrets, ids, clock: world.clock, log: createLogger('silent') }
  await command.run(
    { ...context, print: (line: string) => lines.push(line), warn },
    values,
    words.slice(command.path.length),
  )
  return lines
}

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_400; tries++) {
    if (await what()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.fail('it did not come')
}

test('the operator sees which mail waits and why, and can send it at once', async () => {
  let busy = true
  await using receiver = await startReceiver({ rcpt: () => (busy ? '451 4.3.0 come back later' : 'default') })
  await using world = await startWorld({
    settings: { POSTHORN_SMTP_PORT: String(receiver.port) },
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
  })
  await world.verifiedDomain('sender.example')
  const mail = { from: 'a@sender.example', to: 'b@example.net', subject: 's', text: 't' }
  const { body: sent } = await world.api.post('/api/v1/send', mail)
  const status = async (): Promise<string> =>
    (await world.api.get(`/api/v1/emails/${sent.data.email_id}`)).body.data.status
  await until(async () => (await status()) === 'deferred')

  const [found] = JSON.parse((await run(world, ['queue', 'list'], { json: true })).join(''))
  assert.equal(found.destination, 'example.net')
  assert.equal(found.waiting, 1)
  assert.match(found.last_response, /come back later/)
  const [counts, headings, line] = await run(world, ['queue', 'list'])
  assert.equal(counts, '0 ready, 0 leased, 1 waiting or scheduled')
  assert.match(
    headings ?? '',
    /^DESTINATION +READY +LEASED +WAITING +SCHEDULED +NEXT ATTEMPT +PAUSED SINCE +LAST RESPONSE$/,
  )
  assert.match(line ?? '', /^example\.net +0 +0 +1 +0 +in \d+ (?:s|min) +- +451 4\.3\.0 come back later$/)

  const [why] = JSON.parse((await run(world, ['queue', 'causes'], { json: true })).join(''))
  assert.deepEqual([why.response, why.emails, why.top_destinations], ['451 4.3.0 come back later', 1, ['example.net']])
  const [examined, , reason] = await run(world, ['queue', 'causes', 'Example.net'])
  assert.equal(examined, '1 deferred emails examined')
  assert.match(reason ?? '', /^1 +1 +1 +example\.net +451 4\.3\.0 come back later$/)

  busy = false
  await assert.rejects(
    run(world, ['queue', 'flush', 'elsewhere.example']),
    /no email was ever sent to "elsewhere.example"/,
  )
  await assert.rejects(
    run(world, ['queue', 'pause', 'elsewhere.example']),
    /no email was ever sent to "elsewhere.example"/,
  )
  assert.deepEqual(await run(world, ['queue', 'flush', 'Example.net']), ['1 email is ready for delivery'])
  await until(async () => (await status()) === 'delivered')
})

test('a mail that ended is retried by its id; an unknown or malformed id is reported as such', async () => {
  let known = false
  await using receiver = await startReceiver({ rcpt: () => (known ? 'default' : '554 5.7.1 not today') })
  await using world = await startWorld({
    settings: { POSTHORN_SMTP_PORT: String(receiver.port) },
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
  })
  await world.verifiedDomain('sender.example')
  const mail = { from: 'a@sender.example', to: 'b@example.net', subject: 's', text: 't' }
  const { body: sent } = await world.api.post('/api/v1/send', mail)
  const status = async (): Promise<string> =>
    (await world.api.get(`/api/v1/emails/${sent.data.email_id}`)).body.data.status
  await until(async () => (await status()) === 'bounced')
  known = true
  assert.deepEqual(await run(world, ['queue', 'retry', sent.data.email_id]), [
    `${sent.data.email_id} is ready for delivery`,
  ])
  await until(async () => (await status()) === 'delivered')
  await assert.rejects(run(world, ['queue', 'retry', '01890000-0000-7000-8000-000000000000']), {
    message: 'there is no email 01890000-0000-7000-8000-000000000000',
  })
  await assert.rejects(run(world, ['queue', 'retry', 'x']), UsageError)
  await assert.rejects(run(world, ['queue', 'list'], { limit: '0' }), UsageError)
})

// Each row: a command, the words after the id, and the message for an invalid id.
const WITH_ID: [words: readonly string[], more: readonly string[], said: RegExp][] = [
  [['queue', 'retry'], [], /name one email by its id/],
  [['domain', 'verify'], [], /there is no sending domain "/],
  [['domain', 'rotate-dkim'], [], /there is no sending domain "/],
  [['domain', 'set-status'], ['verified'], /there is no sending domain "/],
  [['reports', 'show'], [], /name one report by its id/],
  [['reports', 'retry'], [], /name one report by its id/],
  [['key', 'revoke'], [], /name the key by its id/],
  [['account', 'suspend'], [], /there is no account/],
]
test('a malformed id is reported by the command, not by the database', async () => {
  await using world = await startWorld()
  for (const id of ['-'.repeat(36), `0189abcd-${'-'.repeat(27)}`, '0189abcd-0000-7000-8000-00000000000g', "'"]) {
    for (const [words, more, said] of WITH_ID) await assert.rejects(run(world, [...words, id, ...more]), said)
  }
})

test('listing the queue warns when no process delivers what is ready', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  await world.verifiedDomain('sender.example')
  const warned: string[] = []
  await run(world, ['queue', 'list'], {}, (line) => warned.push(line))
  assert.equal(warned.length, 0, 'nothing waits for one')
  const mail = { from: 'a@sender.example', to: 'b@example.net', subject: 's', text: 't' }
  assert.equal((await world.api.post('/api/v1/send', mail)).status, 202)
  const lines = await run(world, ['queue', 'list'], { json: true }, (line) => warned.push(line))
  assert.equal(JSON.parse(lines.join('')).length, 1)
  assert.deepEqual(warned, ['the delivery role is not running: no email is delivered until a process with it starts'])
})
