// An error in the log says what happened and where, and nothing that a library hung on it.

import assert from 'node:assert/strict'
import test from 'node:test'
import { shownError } from './log.ts'

test('of an error the kind, text, code, place and causes are written, and nothing that it carries', () => {
  const cause = Object.assign(new RangeError('too far'), { config: { headers: { authorization: 'MARK' } } })
  const broken = Object.assign(new TypeError('the connection broke', { cause }), {
    code: '57P01',
    client: { password: 'MARK', secretKey: 7 },
  })
  const shown = shownError(broken) as Record<string, unknown>
  assert.deepEqual(Object.keys(shown), ['type', 'message', 'code', 'stack', 'cause'])
  assert.deepEqual([shown['type'], shown['message'], shown['code']], ['TypeError', 'the connection broke', '57P01'])
  assert.match(String(shown['stack']), /log\.test\.ts/)
  assert.equal((shown['cause'] as { message: string }).message, 'too far')
  assert.doesNotMatch(JSON.stringify(shown), /MARK|secretKey/)
})

test('whatever is thrown can be written, one that is its own cause too', () => {
  const knot = new Error('knot')
  knot.cause = knot
  for (const thrown of ['text', 7, null, undefined, { password: 'MARK' }, new AggregateError([knot], 'all'), knot]) {
    assert.doesNotMatch(JSON.stringify(shownError(thrown)) ?? '', /MARK/)
  }
})
