// An error in the log says what happened and where, and nothing that a library hung on it.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createLogger, shownError } from './log.ts'

test('of an error the kind, text, code, place and causes are written, and nothing that it carries', () => {
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

test('whatever is thrown can be written, one that is its own cause too', () => {
  const knot = new Error('knot')
  knot.cause = knot
  for (const thrown of ['text', 7, null, undefined, { password: 'MARK' }, new AggregateError([knot], 'all'), knot]) {
    assert.doesNotMatch(JSON.stringify(shownError(thrown)) ?? '', /MARK/)
  }
})

test('what warns of a server that is away, and of nothing else, is written once in half a minute, without its place', () => {
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

test('a file that is not there is no server that is away', () => {
  assert.ok('stack' in (shownError(Object.assign(new Error('open'), { code: 'ENOENT', syscall: 'open' })) as object))
})
