import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import { type AcceptOptions, acceptance, type Submission } from './accept.ts'

test('a database that goes away while a refused group is written call by call is reported as unavailable', async () => {
  const faults = ['22P02', 'ECONNRESET', 'ECONNRESET']
  const database = {
    transaction: () => Promise.reject(Object.assign(new Error('no'), { code: faults.shift() })),
  } as unknown as Database
  const sites = { of: async () => new Map<string, number>() }
  const accepting = acceptance({ database, sites, takesMail: () => true } as unknown as AcceptOptions)
  const call: Submission = { accountId: 'a', messages: [], strict: true, idempotency: null, answerOf: () => null }
  const told = await Promise.all([call, call].map((one) => accepting.submit(one).catch((error: unknown) => error)))
  assert.deepEqual(
    told.map((error) => (error instanceof ApiError ? error.status : error)),
    [503, 503],
  )
  assert.deepEqual(faults, [])
})

test('without room on the disk a send is refused before anything is asked or written', async () => {
  const accepting = acceptance({ takesMail: () => false } as unknown as AcceptOptions)
  const call: Submission = { accountId: 'a', messages: [], strict: true, idempotency: null, answerOf: () => null }
  await assert.rejects(accepting.submit(call), { status: 503, code: 'service_unavailable' })
})
