import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointQueues } from './endpoint-queues.ts'
import { COMMON_WINDOW, MAX_WINDOW, REST_MS, RESTS_AFTER } from './fair-share.ts'

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

/** An endpoint with more to get than it can take, until it has answered `count` requests. @returns its window at the end */
async function windowAfterBacklog(count: number, takesMs: (requests: number) => number): Promise<number> {
  let nowMs = 0
  const asking: { readonly endsMs: number; readonly end: () => void }[] = []
  const queues = endpointQueues<string>({
    nowMs: () => nowMs,
    keyOf: (id) => ({ id, webhookId: 'w', accountId: 'a' }),
    ask: () => {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      asking.push({ endsMs: nowMs + takesMs(asking.length + 1), end: () => resolve(true) })
      return promise
    },
    onRoom: () => undefined,
    onFailing: () => undefined,
  })
  for (let n = 0; n < count + MAX_WINDOW; n++) queues.add(`${n}`)
  for (let n = 0; n < count; n++) {
    asking.sort((a, b) => a.endsMs - b.endsMs)
    const next = asking.shift()
    assert.ok(next)
    nowMs = next.endsMs
    next.end()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return queues.of('w').window
}

test('an endpoint that takes its time, but no longer for many requests than for few, gets many at a time', async () => {
  assert.equal(await windowAfterBacklog(3_000, () => 300), MAX_WINDOW)
})

test('an endpoint whose requests wait for each other gets no more of them', async () => {
  const workers = 8
  const window = await windowAfterBacklog(500, (requests) => 100 * Math.max(1, requests / workers))
  assert.ok(window <= COMMON_WINDOW + 4, `it is ${window}`)
})

test('an endpoint without a backlog keeps the common window', async () => {
  const { ask, queues } = world()
  for (let n = 0; n < 100; n++) await ask(true)
  assert.equal(queues.of('w').window, COMMON_WINDOW)
})
