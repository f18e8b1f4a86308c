// A logged error says what happened and where, without the fields that a library attached to it.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createLogger, shownError } from './log.ts'

test('an error is logged with its type, message, code, stack and causes, and nothing else that it carries', () => {
  const cause = Object.assign(new RangeError('too far'), { config: { headers: { authorization: 'MARK' } } })
  const broken = Object.assign(new TypeError('the connection broke', { cause }), {
    code: '22P02',
    client: { password: 'MARK', secretKey: 7 },
  })
  const shown = shownError(broken) as Record<string, unknown>
  assert.deepEqual(Object.keys(shown), ['type', 'message', 'code', 'stack', 'cause'])
  assert.deepEqual([shown['type'], shown['message'], shown['code']], ['TypeError', 'the connection broke', '22P02'])
  assert.match(String(shown['stack']), /log\.test\.ts/)
  assert.equal((shown['cause'] as { message: string }).message, 'too far')
  assert.doesNotMatch(JSON.stringify(shown), /MARK|secretKey/)
})

test('anything thrown can be logged, even an error that is its own cause', () => {
  const knot = new Error('knot')
  knot.cause = knot
  for (const thrown of ['text', 7, null, undefined, { password: 'MARK' }, new AggregateError([knot], 'all'), knot]) {
    assert.doesNotMatch(JSON.stringify(shownError(thrown)) ?? '', /MARK/)
  }
})

test('a warning about only an unavailable server is written once in half a minute, without the stack', () => {
  let ms = 0
  const lines: Record<string, unknown>[] = []
  const log = createLogger('info', { monotonicMs: () => ms }, { write: (line) => void lines.push(JSON.parse(line)) })
  const away = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const bug = new RangeError('too far')
  for (let i = 0; i < 3; i++) {
    log.warn({ err: away() }, 'hits will be judged again')
    log.warn({ err: away() }, 'statistics will be tried again')
    log.warn({ host: 'mx.example', err: away() }, 'no connection')
    log.warn({ err: bug }, 'notices will be read again')
    log.error({ err: away() }, 'somebody must act')
  }
  const count = (message: string): number => lines.filter(({ msg }) => msg === message).length
  assert.deepEqual(
    ['hits will be judged again', 'statistics will be tried again'].map(count),
    [1, 1],
    'each that wants it says so',
  )
  assert.deepEqual(['no connection', 'notices will be read again', 'somebody must act'].map(count), [3, 3, 3])
  ms = 30_000
  for (let i = 0; i < 2; i++) log.warn({ err: away() }, 'hits will be judged again')
  assert.deepEqual(
    lines.filter(({ msg }) => msg === 'hits will be judged again').map(({ repeated }) => repeated),
    [undefined, 2],
  )
  for (const { msg, err } of lines)
    assert.equal('stack' in (err as object), msg === 'notices will be read again', String(msg))
})

test('a missing file is not an unavailable server', () => {
  assert.ok('stack' in (shownError(Object.assign(new Error('open'), { code: 'ENOENT', syscall: 'open' })) as object))
})
