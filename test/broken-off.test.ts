// When the database aborts a statement to let another proceed (a deadlock, which a concurrent migration may cause), nobody is
// at fault: the client is told to retry, and the service itself repeats what it safely can.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DatabaseProxy, databaseProxy } from './world/database-proxy.ts'
import { webhookReceiver } from './world/webhook-receiver.ts'
import { startWorld } from './world/world.ts'

const DEADLOCK = '40P01'
const LATE = '57014'

test('a deadlock or a statement timeout is answered 503, and a webhook that was delivered is not delivered again', async () => {
  await using stack = new AsyncDisposableStack()
  const proxies: DatabaseProxy[] = []
  const world = stack.use(
    await startWorld({
      settings: { POSTHORN_ROLES: 'api,worker' },
      way: async (url) => {
        const proxy = stack.use(await databaseProxy(url))
        proxies.push(proxy)
        return proxy.url
      },
    }),
  )
  const refuse = (wanted: string, state: string, times = Number.POSITIVE_INFINITY): void => {
    let left = times
    for (const proxy of proxies) proxy.fault = ({ name }) => (name === wanted && left-- > 0 ? { state } : null)
  }
  const mail = { from: 'a@shop.example', to: 'b@example.net', subject: 's', text: 't' }
  const { api, testApi } = world.account
  for (const state of [DEADLOCK, LATE]) {
    for (const [statement, ask] of [
      ['outbox_list_emails_by_id', () => api.get('/api/v1/emails')],
      ['risk_gather', () => testApi.post('/api/v1/send', mail)],
    ] as const) {
      refuse(statement, state)
      const { status, body, headers } = await ask()
      assert.deepEqual([status, body.code], [503, 'service_unavailable'], `${statement} ${state}`)
      assert.ok(Number(headers.get('retry-after')) > 0)
    }
  }
  await using hook = await webhookReceiver()
  const made = await api.post('/api/v1/customer/webhooks', { url: hook.url, events: ['email.sent'] })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  refuse('webhooks_note_results', DEADLOCK, 2)
  assert.equal((await testApi.post('/api/v1/send', mail)).status, 202)
  const log = async (): Promise<readonly { status: string; attempt: number }[]> =>
    (await api.get(`/api/v1/customer/webhooks/${made.body.data.id}/deliveries?status=success`)).body.data
  for (const end = performance.now() + 20_000; (await log()).length === 0; ) {
    assert.ok(performance.now() < end, 'what was told is in the log')
    world.clock.advance(1_000)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.deepEqual(
    (await log()).map(({ attempt }) => attempt),
    [1],
  )
  assert.equal(hook.received.length, 1)
})
