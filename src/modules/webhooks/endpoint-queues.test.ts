import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointQueues } from './endpoint-queues.ts'
import { REST_MS, RESTS_AFTER } from './fair-share.ts'

interface Work {
  readonly id: string
  readonly answered: PromiseWithResolvers<boolean>
}

function world() {
  let nowMs = 1_000
  const queues = endpointQueues<Work>({
    nowMs: () => nowMs,
    keyOf: ({ id }) => ({ id, webhookId: 'w', accountId: 'a' }),
    ask: ({ answered }) => answered.promise,
    onRoom: () => undefined,
    onFailing: () => undefined,
  })
  let asked = 0
  const ask = async (success: boolean): Promise<void> => {
    const answered = Promise.withResolvers<boolean>()
    queues.add({ id: `${asked++}`, answered })
    answered.resolve(success)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(queues.size, 0)
  }
  const pass = (ms: number): void => {
    nowMs += ms
  }
  return { queues, ask, pass, rest: () => queues.of('w').restMs }
}

test('an endpoint that fails again and again rests after each failure, until its first success', async () => {
  const { ask, pass, rest } = world()
  for (let failures = 1; failures < RESTS_AFTER; failures++) {
    await ask(false)
    assert.equal(rest(), 0)
  }
  await ask(false)
  assert.equal(rest(), REST_MS)
  pass(REST_MS - 1)
  assert.equal(rest(), 1)
  pass(1)
  assert.equal(rest(), 0)
  await ask(false)
  assert.equal(rest(), REST_MS)
  await ask(true)
  assert.equal(rest(), 0)
  await ask(false)
  assert.equal(rest(), 0)
})
