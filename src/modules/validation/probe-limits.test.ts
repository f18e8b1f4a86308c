// The limits on probing a host, with a manual clock.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../../test/world/world.ts'
import { AT_ONCE_PER_HOST, PER_MINUTE, type ProbeTurn, probeLimits, SHUN_MS } from './probe-limits.ts'

const never = new AbortController().signal

function granted(turn: ProbeTurn): Extract<ProbeTurn, { kind: 'granted' }> {
  assert.equal(turn.kind, 'granted')
  return turn as Extract<ProbeTurn, { kind: 'granted' }>
}

test('one host reaches its limit for the minute, while another host is still asked', async () => {
  const clock = manualClock()
  const manners = probeLimits(clock)
  for (let count = 0; count < PER_MINUTE; count++) granted(await manners.turn('mx.a.test', never)).done('answer')
  assert.equal((await manners.turn('mx.a.test', never)).kind, 'crowded')
  granted(await manners.turn('mx.b.test', never)).done('answer')
  clock.advance(60_000)
  granted(await manners.turn('mx.a.test', never)).done('answer')
})

test('a probe beyond the limit at once waits for a place, or gives up in time', async () => {
  const manners = probeLimits(manualClock())
  const running = []
  for (let count = 0; count < AT_ONCE_PER_HOST; count++) running.push(granted(await manners.turn('mx.a.test', never)))
  const impatient = new AbortController()
  const late = manners.turn('mx.a.test', impatient.signal)
  const next = manners.turn('mx.a.test', never)
  impatient.abort()
  assert.equal((await late).kind, 'late')
  running[0]?.done('answer')
  running[0]?.done('answer')
  granted(await next)
})

test('a host that refuses us or is silent is left alone, also by waiting probes', async () => {
  const clock = manualClock()
  const manners = probeLimits(clock)
  const running = []
  for (let count = 0; count < AT_ONCE_PER_HOST; count++) running.push(granted(await manners.turn('mx.a.test', never)))
  const waiting = [manners.turn('mx.a.test', never), manners.turn('mx.a.test', never)]
  running[0]?.done('refusal')
  for (const turn of waiting) assert.equal((await turn).kind, 'shunned')
  clock.advance(SHUN_MS)
  for (const turn of running) turn.done('silence')
  assert.equal((await manners.turn('mx.a.test', never)).kind, 'granted')
  for (let count = 0; count < 4; count++) granted(await manners.turn('mx.c.test', never)).done('silence')
  granted(await manners.turn('mx.c.test', never)).done('silence')
  assert.equal((await manners.turn('mx.c.test', never)).kind, 'late')
  clock.advance(60_000)
  granted(await manners.turn('mx.c.test', never)).done('answer')
})

test('any number of hosts can be asked in turn, while shunned and silent hosts stay left alone', async () => {
  const clock = manualClock()
  const manners = probeLimits(clock)
  granted(await manners.turn('mx.shuns.test', never)).done('refusal')
  for (let count = 0; count < 6_000; count++) {
    granted(await manners.turn(`mx.${count}.test`, never)).done('answer')
    clock.advance(95)
  }
  assert.equal((await manners.turn('mx.shuns.test', never)).kind, 'shunned')
  for (let count = 0; count < 5; count++) granted(await manners.turn('mx.silent.test', never)).done('silence')
  for (let count = 0; count < 6_000; count++) granted(await manners.turn(`mx.${count}.test`, never)).done('answer')
  assert.equal((await manners.turn('mx.silent.test', never)).kind, 'late')
})
