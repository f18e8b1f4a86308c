// A sender that hands in too much mail at the well-known addresses is deferred. Other senders are not, and RCPT without mail
// takes nothing from others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Clock, systemClock } from '../src/platform/clock.ts'
import { ASKED_FOR_ONE, MOST, mxRate } from '../src/roles/mx-rate.ts'
import { MX_HOST, startMx } from './world/inbound-mx.ts'
import { smtpSession } from './world/submission.ts'

const KNOWN_TO_ALL = ['fbl', 'tlsrpt', 'postmaster', 'abuse']

test('a sender may ask for ten times as many recipients as it may hand in', () => {
  let ms = 0
  const rate = mxRate({ ...systemClock(), monotonicMs: () => ms }, true)
  for (let i = 0; i < MOST * ASKED_FOR_ONE; i++) assert.equal(rate.asks('192.0.2.1'), false)
  assert.equal(rate.asks('192.0.2.1'), true, 'there is a bound to asking too')
  ms += 1_000
  for (let i = 0; i < 100; i++) assert.equal(rate.asks('192.0.2.1'), false)
  assert.equal(rate.asks('192.0.2.1'), true)
})

test('large mails count for each 64 KB', () => {
  let ms = 0
  const rate = mxRate({ ...systemClock(), monotonicMs: () => ms }, true)
  const MAIL_BYTES = 25 * 1_048_576
  let taken = 0
  for (; !rate.asks('192.0.2.1'); taken++) rate.took('192.0.2.1', MAIL_BYTES)
  assert.equal(taken, 3)
  ms += 1_000
  assert.equal(rate.asks('192.0.2.1'), false)
  assert.equal(rate.asks('192.0.2.2'), false)
})

test('the addresses of one IPv6 network are one sender', () => {
  const rate = mxRate({ ...systemClock(), monotonicMs: () => 0 }, true)
  for (let n = 0; n < MOST; n++) rate.took(`2001:db8:1:2::${n.toString(16)}`, 2_000)
  assert.equal(rate.asks('2001:db8:1:2:ffff::1'), true)
  assert.equal(rate.asks('2001:db8:1:3::1'), false)
  for (let n = 0; n < MOST * ASKED_FOR_ONE; n++) rate.asks(`2001:db8:1:4::${n.toString(16)}`)
  assert.equal(rate.asks('2001:db8:1:4:ffff::1'), true)
})

test('a return path takes a limited amount, whoever sends it, and other return paths are not held up', () => {
  const rate = mxRate({ ...systemClock(), monotonicMs: () => 0 }, true)
  for (let taken = 0; taken < MOST; taken++) {
    assert.equal(rate.hasEnough('b+one'), false)
    rate.tookFor('b+one', 2_000)
  }
  assert.equal(rate.hasEnough('b+one'), true)
  assert.equal(rate.hasEnough('b+two'), false)
  assert.equal(rate.asks('192.0.2.1'), false)
})

async function limitedMx(clock: Clock) {
  const mx = await startMx({ clock })
  const closing = new AsyncDisposableStack()
  closing.defer(() => mx.stop(AbortSignal.timeout(1_000)))
  return {
    open: async (localAddress: string) => {
      const session = await smtpSession(mx.port(), { localAddress })
      closing.defer(() => session.close())
      await session.ask('EHLO mx.example.net')
      return session
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

test('the public addresses of the MX take a limited amount from one sender, and other senders are not held up', async () => {
  let ms = 0
  await using mx = await limitedMx({ ...systemClock(), monotonicMs: () => ms })
  const { open } = mx
  const [sender, idle, other] = [await open('127.0.0.2'), await open('127.0.0.2'), await open('127.0.0.3')]
  /** The replies to the recipients of one mail. */
  const ask = async (session: typeof sender, ...locals: readonly string[]): Promise<readonly string[]> => {
    const answers: string[] = []
    assert.match(await session.ask('MAIL FROM:<>'), /^250 /)
    for (const local of locals) answers.push(await session.ask(`RCPT TO:<${local}@${MX_HOST}>`))
    return answers
  }
  const handIn = async (): Promise<void> => {
    assert.match(await sender.ask('DATA'), /^354 /)
    assert.match(await sender.ask('Subject: x\r\n\r\nhello\r\n.'), /^250 /)
  }
  for (let asked = 0; asked <= MOST; asked += KNOWN_TO_ALL.length) {
    const asking = await open('127.0.0.2')
    for (const answer of await ask(asking, ...KNOWN_TO_ALL)) assert.match(answer, /^250 /)
    asking.close()
  }
  for (let taken = 0; taken < MOST; taken += KNOWN_TO_ALL.length) {
    for (const answer of await ask(sender, ...KNOWN_TO_ALL)) assert.match(answer, /^250 /, `${taken} were taken`)
    await handIn()
  }
  for (const local of KNOWN_TO_ALL) {
    assert.match((await ask(idle, local))[0] ?? '', /^451 4\.7\.0 /, local)
    await idle.ask('RSET')
  }
  assert.match((await ask(idle, 'nobody'))[0] ?? '', /^550 5\.7\.1 /)
  assert.match((await ask(other, 'fbl'))[0] ?? '', /^250 /)
  ms += 60_000
  assert.match((await ask(sender, 'fbl'))[0] ?? '', /^250 /)
})

test('a return path of one email does not take any number of large mails', async () => {
  await using mx = await limitedMx(systemClock())
  const session = await mx.open('127.0.0.2')
  const line = `${'x'.repeat(998)}\r\n`
  const large = `Subject: x\r\n\r\n${line.repeat(24_000)}.`
  const answers: string[] = []
  for (let mails = 0; mails < 5; mails++) {
    await session.ask('MAIL FROM:<>')
    answers.push((await session.ask(`RCPT TO:<b+x@${MX_HOST}>`)).slice(0, 9))
    if (!answers.at(-1)?.startsWith('250')) break
    await session.ask('DATA')
    assert.match(await session.ask(large), /^250 /)
  }
  assert.deepEqual(answers, ['250 2.1.5', '250 2.1.5', '250 2.1.5', '451 4.7.0'])
})
