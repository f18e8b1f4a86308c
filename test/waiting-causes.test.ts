// One cause holds up many emails: the account and the operator find all of them, those that got through since included.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { waitingCauses, wireCause } from '../src/modules/outbox/queue-causes.ts'
import { type Receiver, startReceiver } from './world/receiver.ts'
import { startWorld, type World } from './world/world.ts'

const HOUR_MS = 3_600_000
const LIMITED = '450 4.7.28 Rate limited, see https://help.example/?id='
let world: World
let receiver: Receiver
let limits = true
let replies = 0

before(async () => {
  receiver = await startReceiver({
    rcpt: (address) => {
      if (address.startsWith('full')) return '452 4.2.2 <full@first.example> mailbox is over quota'
      return limits ? `${LIMITED}${++replies}` : 'default'
    },
  })
  const zones = Object.fromEntries(
    ['first.example', 'second.example'].map((name) => [name, { MX: ['10 mx.provider.example'] }]),
  )
  world = await startWorld({
    zones: {
      ...zones,
      'mx.provider.example': { A: [receiver.ip] },
      'down.example': { MX: ['10 mx.down.example'] },
      'mx.down.example': { A: ['127.0.0.253'] },
    },
    settings: { POSTHORN_SMTP_PORT: String(receiver.port) },
  })
  await world.verifiedDomain('shop.example')
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

async function found(path: string): Promise<readonly string[]> {
  const { status, body } = await world.api.get(path)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.pagination.total, body.data.length)
  return body.data.map((row: { to?: string; data?: { recipient: string } }) => row.to ?? row.data?.recipient).sort()
}

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1_200; i++) {
    if (await what()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.fail('it did not come')
}

const statuses = (status: string): Promise<readonly string[]> => found(`/api/v1/emails?status=${status}`)

test('emails that one cause holds up are found by it, and those it held up since a time by their events', async () => {
  const limited = ['a@first.example', 'b@first.example', 'c@second.example']
  const others = ['d@down.example', 'full@first.example']
  for (const to of [...limited, ...others]) {
    const sent = await world.api.post('/api/v1/send', {
      from: 'a@shop.example',
      to,
      subject: 'Rate limited',
      text: 't',
    })
    assert.equal(sent.status, 202, JSON.stringify(sent.body))
  }
  await until(async () => (await statuses('deferred')).length === limited.length + others.length)

  assert.deepEqual(await found('/api/v1/emails?status=deferred&response=rate%20LIMITED'), limited)
  assert.deepEqual(await found('/api/v1/emails?response=4.2.2'), ['full@first.example'])
  assert.deepEqual(await found('/api/v1/emails?response=refused%20the%20connection'), ['d@down.example'])
  assert.deepEqual(await found('/api/v1/emails?response=Rate%25limited'), [])
  const causes = await waitingCauses(world.rooms.database.system, { destination: null, limit: 10 })
  assert.equal(causes.examined, 5)
  const [first, ...rest] = causes.causes.map(wireCause) as Record<string, unknown>[]
  assert.ok(String(first?.['response']).startsWith(LIMITED), 'ids in the words of a receiver do not tell causes apart')
  assert.deepEqual(
    ['smtp_code', 'emails', 'accounts', 'destinations', 'top_destinations'].map((name) => first?.[name]),
    [450, 3, 1, 2, ['first.example', 'second.example']],
  )
  assert.deepEqual(rest.map(({ top_destinations: names }) => names).sort(), [['down.example'], ['first.example']])
  const ofSecond = await waitingCauses(world.rooms.database.system, { destination: 'second.example', limit: 10 })
  assert.deepEqual([ofSecond.examined, ofSecond.causes.length], [1, 1])

  limits = false
  world.clock.advance(HOUR_MS)
  await until(async () => (await statuses('delivered')).length === limited.length)
  const since = new Date(world.clock.now().getTime() - HOUR_MS - 60_000).toISOString()
  assert.deepEqual(await found('/api/v1/emails?response=rate%20limited'), [])
  const deferred = `/api/v1/events?event=email.deferred&response=rate%20limited&from=${since}`
  assert.deepEqual(await found(deferred), limited)
  assert.deepEqual(await found(`${deferred}&to=${since}`), [])
  assert.deepEqual(await found('/api/v1/events?event=email.delivered&response=4.2.2'), [])
})

test('what a bounced email was answered is found in its event too', async () => {
  receiver.script({ rcpt: '550 5.7.1 Message blocked, see https://block.example' })
  const sent = await world.api.post('/api/v1/send', {
    from: 'a@shop.example',
    to: 'e@second.example',
    subject: 's',
    text: 't',
  })
  assert.equal(sent.status, 202)
  await until(async () => (await statuses('bounced')).length === 1)
  assert.deepEqual(await found('/api/v1/emails?status=bounced&response=block.example'), ['e@second.example'])
  assert.deepEqual(await found('/api/v1/events?response=block.example'), ['e@second.example'])
})
