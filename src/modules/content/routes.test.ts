import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import { contentRoutes } from './routes.ts'

test('a fault of the engine is told as 503 with status error, inside the transaction that took the check', async () => {
  let wasUndone = false
  const database = {
    transaction: (run: (db: unknown) => Promise<unknown>) =>
      run({}).catch((error: unknown) => {
        wasUndone = true
        throw error
      }),
  } as unknown as Database
  const quotas = { consume: async () => ({ used: 1, limit: 1_000, month: '2026-05-01' }) } as never
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
  assert.ok(wasUndone)
})
