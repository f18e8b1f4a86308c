// A secret that is replaced: what requests are signed with while the old one has a grace period, and after.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { type Received, webhookReceiver } from '../../../test/world/webhook-receiver.ts'
import { startWorld, type TestAccount, type World } from '../../../test/world/world.ts'

const PATH = '/api/v1/customer/webhooks'
const HOUR_MS = 3_600_000

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world[Symbol.asyncDispose]())

/** Which of the secrets verify a request: by Standard Webhooks, by Svix, by X-Webhook-Signature. */
function verifiedBy({ bytes, headers }: Received, secrets: readonly string[]): readonly (readonly boolean[])[] {
  const given = headers as Record<string, string>
  const holds = (verify: () => unknown): boolean => {
    try {
      verify()
      return true
    } catch {
      return false
    }
  }
  return secrets.map((secret) => [
    holds(() => new Webhook(secret).verify(bytes.toString(), given)),
    holds(() => new SvixWebhook(secret).verify(bytes.toString(), given)),
    createHmac('sha256', secret).update(bytes).digest('hex') === headers['x-webhook-signature'],
  ])
}

const ALL = [true, true, true]
const STANDARD = [true, true, false]
const NONE = [false, false, false]

async function replaced(account: TestAccount, id: string, body?: object): Promise<string> {
  const answer = await account.api.post(`${PATH}/${id}/regenerate-secret`, body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.secret
}

test('with a grace period, requests have signatures by the old and the new secret; after it, and without one, by the new', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  const made = await account.api.post(PATH, { events: ['*'], url: receiver.url })
  const { id, secret: first } = made.body.data
  const until = async () => (await account.api.get(`${PATH}/${id}`)).body.data.previous_secret_valid_until
  assert.equal(made.body.data.previous_secret_valid_until, null)
  const signed = async (secrets: readonly string[]): Promise<readonly (readonly boolean[])[]> => {
    receiver.received.length = 0
    assert.equal((await account.api.post(`${PATH}/${id}/test`)).body.success, true)
    const [one] = receiver.received
    assert.ok(one)
    return verifiedBy(one, secrets)
  }

  const second = await replaced(account, id, { grace_period_hours: 24 })
  const ends = new Date(world.clock.now().getTime() + 24 * HOUR_MS)
  assert.ok(Math.abs(Date.parse(await until()) - ends.getTime()) < 60_000, await until())
  assert.deepEqual(await signed([first, second]), [STANDARD, ALL])
  // A disclosed secret can be ended before its time.
  const third = await replaced(account, id)
  assert.deepEqual(await signed([first, second, third]), [NONE, NONE, ALL])
  assert.equal(await until(), null)

  const fourth = await replaced(account, id, { grace_period_hours: 0.5 })
  const fifth = await replaced(account, id, { grace_period_hours: 72 })
  assert.deepEqual(await signed([third, fourth, fifth]), [NONE, STANDARD, ALL])
  for (const grace of [-1, 73, '1', null])
    assert.equal(
      (await account.api.post(`${PATH}/${id}/regenerate-secret`, { grace_period_hours: grace })).status,
      422,
      String(grace),
    )
  assert.deepEqual(await signed([fourth, fifth]), [STANDARD, ALL])
})

test('events are signed by both secrets too, until the grace period ends', async () => {
  const account = await world.newAccount()
  await world.verifiedDomain('grace.example', account)
  await using receiver = await webhookReceiver()
  const { id, secret: first } = (await account.api.post(PATH, { events: ['email.delivered'], url: receiver.url })).body
    .data
  const second = await replaced(account, id, { grace_period_hours: 1 })
  const sent = async () => {
    receiver.received.length = 0
    const body = { from: 'a@grace.example', to: 'b@x.test', subject: 's', text: 't', sandbox: true }
    assert.equal((await account.api.post('/api/v1/send', body)).status, 202)
    await receiver.until(({ length }) => length === 1)
    const [one] = receiver.received
    assert.ok(one)
    return one
  }
  assert.deepEqual(verifiedBy(await sent(), [first, second]), [STANDARD, ALL])
  world.clock.advance(HOUR_MS + 1_000)
  const after = await sent()
  // The verifiers refuse a timestamp that is an hour ahead, so only the number of signatures can be looked at.
  assert.match(String(after.headers['webhook-signature']), /^v1,[A-Za-z0-9+/=]+$/)
  assert.equal(after.headers['x-webhook-signature'], createHmac('sha256', second).update(after.bytes).digest('hex'))
})
