import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { hastyClock, plain, smtpSession, submissionWorld, USER } from '../../test/world/submission.ts'
import { systemClock } from '../platform/clock.ts'
import { FAILURES_WITHIN_MS, HELD_MS, loginFailures, MAX_HELD, MOST_FAILURES } from './login-failures.ts'
import {
  FIRST_LOCK_MS,
  FORGET_AFTER_MS,
  FREE_GUESSES,
  KNOWN_WRONG,
  LONGEST_LOCK_MS,
  loginLockout,
  MAX_USERS,
} from './login-lockout.ts'

const HOME = '192.0.2.1'
const AWAY = '192.0.2.2'

/** A lockout with one right password, on a manual clock. `try` returns the answer, or the milliseconds left of the lock. */
function door() {
  let nowMs = 1_000_000
  let asked = 0
  let guesses = 0
  const lockout = loginLockout({ ...systemClock(), monotonicMs: () => nowMs }, true)
  const attempt = async (password: string, { ip = HOME, username = 'smtp_a' } = {}): Promise<string | number> => {
    const answer = await lockout.ask({ ip, username, password }, async () => {
      asked++
      await setImmediate()
      if (password === 'away') throw new Error('the store is away')
      return { kind: password === 'right' ? 'ok' : 'refused' }
    })
    return 'waitMs' in answer ? answer.waitMs : answer.kind
  }
  return {
    try: attempt,
    /** A password that was not tried before. */
    guess: (who?: { ip?: string; username?: string }) => attempt(`guess ${++guesses}`, who),
    guessTimes: async (times: number, who?: { ip?: string; username?: string }) => {
      for (let n = 0; n < times; n++) await attempt(`guess ${++guesses}`, who)
    },
    turn: (ms: number) => {
      nowMs += ms
    },
    asked: () => asked,
  }
}

test('after the free guesses each one locks out for twice as long, up to a limit; a lock checks no password', async () => {
  const fixture = door()
  const waits: number[] = []
  for (let n = 0; n < FREE_GUESSES; n++) assert.equal(await fixture.guess(), 'refused')
  for (let n = 0; n < 14; n++) {
    assert.equal(await fixture.guess(), 'refused')
    const asked = fixture.asked()
    const wait = await fixture.guess()
    assert.equal(typeof wait, 'number')
    assert.equal(fixture.asked(), asked)
    waits.push(wait as number)
    fixture.turn(Number(wait) - 1)
    assert.equal(await fixture.guess(), 1)
    fixture.turn(1)
  }
  const doubled = waits.map((_, n) => Math.min(LONGEST_LOCK_MS, FIRST_LOCK_MS * 2 ** n))
  assert.deepEqual(waits, doubled)
  assert.equal(waits.at(-1), LONGEST_LOCK_MS)
})

test('a lock holds for one address and one user; the right password is accepted from everywhere else', async () => {
  const fixture = door()
  await fixture.guessTimes(FREE_GUESSES + 1)
  assert.equal(await fixture.try('right'), FIRST_LOCK_MS)
  assert.equal(await fixture.try('right', { ip: AWAY }), 'ok')
  assert.equal(await fixture.try('right', { username: 'smtp_b' }), 'ok')
  fixture.turn(FIRST_LOCK_MS)
  assert.equal(await fixture.try('right'), 'ok')
  for (let n = 0; n < FREE_GUESSES; n++) assert.equal(await fixture.guess(), 'refused', 'the right one made all good')
})

test('IPv6 addresses are locked out by network', async () => {
  const fixture = door()
  for (let n = 0; n <= FREE_GUESSES; n++) await fixture.guess({ ip: `2001:db8:1:1::${n + 1}` })
  assert.equal(await fixture.try('right', { ip: '2001:db8:1:1:ffff::1' }), FIRST_LOCK_MS)
  assert.equal(await fixture.try('right', { ip: '2001:db8:1:2::1' }), 'ok')
})

test('a repeated wrong password is one guess, and does not lock out others at the address', async () => {
  const fixture = door()
  for (let n = 0; n < 100; n++) assert.equal(await fixture.try('the old one'), 'refused')
  assert.equal(await fixture.try('right'), 'ok')
  for (let n = 0; n < 100; n++) {
    for (let old = 0; old < KNOWN_WRONG; old++) assert.equal(await fixture.try(`old ${old}`), 'refused')
  }
  assert.equal(await fixture.try('right'), 'ok')
  for (let n = 0; n < KNOWN_WRONG + 1; n++) await fixture.try(`old ${n}`)
  assert.notEqual(await fixture.try('old 0'), 'refused', 'one more is not known again')
  assert.equal(await fixture.try(`old ${KNOWN_WRONG}`), 'refused', 'a known one is checked during a lock too')
})

test('after a lock only one of several simultaneous tries is checked', async () => {
  const fixture = door()
  await fixture.guessTimes(FREE_GUESSES + 1)
  fixture.turn(FIRST_LOCK_MS)
  const answers = await Promise.all(Array.from({ length: 50 }, () => fixture.guess()))
  assert.equal(answers.filter((answer) => answer === 'refused').length, 1)
})

test('a try that could not be checked does not count', async () => {
  const fixture = door()
  await fixture.guessTimes(FREE_GUESSES + 1)
  fixture.turn(FIRST_LOCK_MS)
  for (let n = 0; n < 10; n++) await assert.rejects(fixture.try('away'))
  assert.equal(await fixture.try('right'), 'ok')
})

test('guesses are forgotten', async () => {
  const fixture = door()
  await fixture.guessTimes(FREE_GUESSES)
  fixture.turn(FORGET_AFTER_MS + 1)
  for (let n = 0; n < FREE_GUESSES; n++) assert.equal(await fixture.guess(), 'refused')
  assert.equal(await fixture.try('right'), 'ok')
  assert.ok(FORGET_AFTER_MS > LONGEST_LOCK_MS, 'no lock is forgotten while it lasts')
})

test('the table is bounded: the user with the oldest guess is forgotten', async () => {
  const fixture = door()
  await fixture.guessTimes(FREE_GUESSES + 1)
  for (let n = 0; n < MAX_USERS - 1; n++) await fixture.try('wrong', { username: `user ${n}` })
  assert.notEqual(await fixture.try('right'), 'ok')
  for (let n = 0; n < MAX_USERS; n++) await fixture.try('wrong', { username: `other ${n}` })
  assert.equal(await fixture.try('right'), 'ok')
})

test('the user name of all keys is never locked out: others at the address of a wrong key may have a right one', async () => {
  const fixture = door()
  await fixture.guessTimes(100, { username: 'apikey' })
  assert.equal(await fixture.try('right', { username: 'apikey' }), 'ok')
})

test('refusals are delayed, up to a number of them, and not at a stop', async () => {
  const held: AbortSignal[] = []
  const never = (ms: number, signal: AbortSignal): Promise<void> => {
    assert.equal(ms, HELD_MS)
    held.push(signal)
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
  }
  const failures = loginFailures({ ...systemClock(), sleep: never }, true)
  const stop = new AbortController()
  const waiting = Array.from({ length: MAX_HELD }, () => failures.hold(stop.signal))
  await failures.hold(stop.signal)
  assert.equal(held.length, MAX_HELD)
  stop.abort()
  await Promise.all(waiting)
})

test('failures of an address are forgotten after FAILURES_WITHIN_MS', () => {
  const startMs = 10 * FAILURES_WITHIN_MS
  let nowMs = startMs
  const failures = loginFailures({ ...systemClock(), monotonicMs: () => nowMs }, true)
  for (let n = 0; n < MOST_FAILURES; n++) assert.equal(failures.count(HOME), false)
  assert.equal(failures.count(HOME), true)
  assert.equal(failures.count(AWAY), false)
  nowMs = startMs + FAILURES_WITHIN_MS - 1
  assert.equal(failures.count(HOME), true)
  nowMs = startMs + FAILURES_WITHIN_MS
  assert.equal(failures.count(HOME), false)
})

test('failures from addresses of one IPv6 network are counted together', () => {
  const failures = loginFailures({ ...systemClock(), monotonicMs: () => 0 }, true)
  for (let n = 0; n < MOST_FAILURES; n++) assert.equal(failures.count(`2001:db8:1:2::${n}`), false)
  assert.equal(failures.count('2001:db8:1:2::ffff'), true)
  assert.equal(failures.count('2001:db8:1:3::1'), false)
})

/** The first words of the answers to each password in turn, each on a new connection. */
async function answersTo(port: number, passwords: readonly string[], localAddress = '127.0.0.1'): Promise<string[]> {
  const answers: string[] = []
  for (const password of passwords) {
    const smtp = await smtpSession(port, { secure: true, localAddress })
    await smtp.ask('EHLO client.test')
    answers.push((await smtp.ask(`AUTH PLAIN ${plain(USER.username, password)}`)).replace(/^(\S+ \S+).*$/, '$1'))
    if (answers.at(-1)?.startsWith('421')) assert.equal(await smtp.reply(), '', 'and the connection is closed')
    smtp.close()
  }
  return answers
}

test('SMTP: guesses at a user lock the address out; other users, other addresses and open sessions continue', async () => {
  const hasty = hastyClock()
  let turnedMs = 0
  const clock = { ...hasty, monotonicMs: () => hasty.monotonicMs() + turnedMs }
  const held = (): number => hasty.sleptMs.filter((ms) => ms === HELD_MS).length
  await using world = await submissionWorld({ clock })
  const open = await world.session()
  const wrong = Array.from({ length: FREE_GUESSES + 1 }, (_, n) => `wrong ${n}`)
  assert.deepEqual(
    await answersTo(world.tlsPort, wrong),
    wrong.map(() => '535 5.7.8'),
  )
  // The lock lasts a second: more guesses make it outlast this test.
  for (let n = 0; n < 8; n++) {
    turnedMs += LONGEST_LOCK_MS
    assert.deepEqual(await answersTo(world.tlsPort, [`more ${n}`]), ['535 5.7.8'])
  }
  assert.equal(held(), 0)
  assert.deepEqual(await answersTo(world.tlsPort, [USER.password]), ['421 4.7.0'])
  assert.equal(held(), 1)
  assert.deepEqual(await answersTo(world.tlsPort, [USER.password], '127.0.0.2'), ['235 2.7.0'])
  assert.match(await open.ask('MAIL FROM:<a@shop.example>'), /^250/, 'it is checked again, and is none of them')
  turnedMs += LONGEST_LOCK_MS
  assert.deepEqual(await answersTo(world.tlsPort, [USER.password]), ['235 2.7.0'])
})

test('SMTP: a stop does not wait for delayed refusals', async () => {
  const clock = { ...systemClock(), sleep: neverEnds }
  await using world = await submissionWorld({ clock, authenticate: async () => ({ kind: 'throttled' }) })
  const smtp = await smtpSession(world.tlsPort, { secure: true })
  await smtp.ask('EHLO client.test')
  const answer = smtp.ask(`AUTH PLAIN ${plain('a', 'b')}`)
  await world.service.stop(new AbortController().signal)
  assert.match(await answer, /^421 4\./)
})

function neverEnds(_: number, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>()
  if (signal.aborted) reject(signal.reason)
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}
