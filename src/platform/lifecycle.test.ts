import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aborted, type Service, startAll, stopAll } from './lifecycle.ts'

test('a service that does not start names the settings that say where it listens', async () => {
  const taken: Service = {
    name: 'mx',
    settings: ['POSTHORN_MX_PORT', 'POSTHORN_BIND'],
    start: () => Promise.reject(new Error('listen EADDRINUSE')),
    stop: async () => undefined,
  }
  await assert.rejects(startAll([taken]), /^Error: mx did not start \(POSTHORN_MX_PORT, POSTHORN_BIND\)$/)
})

test('a service that never stops holds nobody up past the deadline, and the others are stopped', async () => {
  const stopped: string[] = []
  const service = (name: string, stop: () => Promise<void>): Service => ({
    name,
    start: async () => undefined,
    stop: async () => {
      stopped.push(name)
      await stop()
    },
  })
  const never = (): Promise<void> => new Promise(() => undefined)
  const services = [
    service('first', async () => undefined),
    service('hangs too', never),
    service('hangs', never),
    service('last', async () => undefined),
  ]
  await assert.rejects(stopAll(services, AbortSignal.abort()), (error: AggregateError) => {
    const names = error.errors.map(({ message }: Error) => message)
    assert.deepEqual(names, ['hangs did not stop cleanly', 'hangs too did not stop cleanly'])
    return true
  })
  assert.deepEqual(stopped, ['last', 'hangs', 'hangs too', 'first'])
})

test('the services of a stage stop at the same time, before those of earlier stages, and errors name each', async () => {
  const order: string[] = []
  const together = Promise.withResolvers<void>()
  const service = (name: string, stop: () => Promise<void>): Service => ({
    name,
    start: async () => void order.push(`start ${name}`),
    stop: async () => {
      order.push(`stop ${name}`)
      await stop()
    },
  })
  const waits = service('waits', () => together.promise)
  const fails = service('fails', () => {
    together.resolve()
    return Promise.reject(new Error('no'))
  })
  const stages = [service('ground', async () => undefined), [waits, fails], service('top', async () => undefined)]
  await startAll(stages)
  await assert.rejects(stopAll(stages, new AbortController().signal), ({ errors }: AggregateError) => {
    assert.deepEqual(
      errors.map(({ message }: Error) => message),
      ['fails did not stop cleanly'],
    )
    return true
  })
  assert.deepEqual(order, [
    ...['start ground', 'start waits', 'start fails', 'start top'],
    ...['stop top', 'stop waits', 'stop fails', 'stop ground'],
  ])
})

test('waiting for a signal that has already aborted returns at once', async () => {
  await aborted(AbortSignal.abort())
  const later = new AbortController()
  const waiting = aborted(later.signal)
  later.abort()
  await waiting
})
