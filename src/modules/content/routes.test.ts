import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import { contentRoutes } from './routes.ts'

test('a failure of the engine is answered with 503 and status error, and no check is consumed', async () => {
  let taken = 0
  const database = { transaction: (run: (db: unknown) => Promise<unknown>) => run({}) } as unknown as Database
  const quotas = {
    read: async () => ({ content_checks: { used: 0, limit: 1_000, remaining: 1_000 } }),
    consume: async () => ({ used: ++taken, limit: 1_000, month: '2026-05-01' }),
  } as never
  const score = (): never => {
    throw new RangeError('out of bounds')
  }
  const [route] = contentRoutes({ database, quotas, score })
  const call = { principal: { accountId: 'a' }, body: { subject: 'Hello' } } as never
  await assert.rejects(
    async () => route?.handle(call),
    (error: unknown) => {
      assert.ok(error instanceof ApiError)
      assert.deepEqual([error.status, error.code, error.also], [503, 'service_unavailable', { status: 'error' }])
      assert.ok(!error.message.includes('bounds'))
      return true
    },
  )
  assert.equal(taken, 0)
})
