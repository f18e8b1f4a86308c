import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../platform/errors.ts'
import { replyOf } from './submission-replies.ts'

test('the reply to a message whose key is in use says so, not that it cannot be stored', () => {
  const reply = replyOf(new ApiError(409, 'idempotency_in_progress', 'The first call with this key is still running'))
  assert.equal(reply?.responseCode, 451)
  assert.match(reply?.message ?? '', /^4\.3\.0 .*X-Idempotency-Key/)
  const away = replyOf(new ApiError(503, 'service_unavailable', 'Try again later'))
  assert.deepEqual(
    [away?.responseCode, away?.message],
    [451, '4.3.0 the message cannot be stored right now, try again'],
  )
})
