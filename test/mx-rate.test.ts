// A sender that hands in too much mail at the well-known addresses is deferred. Other senders are not, and RCPT without mail
// takes nothing from others.

import assert from 'node:assert/strict'
import os from 'node:os'
import { test } from 'node:test'
import { systemClock } from '../src/platform/clock.ts'
import { largeTurns } from '../src/platform/intake.ts'
import { createLogger } from '../src/platform/log.ts'
import { mxService } from '../src/roles/mx.ts'
import { ASKED_FOR_ONE, MOST, mxRate } from '../src/roles/mx-rate.ts'
import { smtpSession } from './submission.ts'

const HOST = 'mail.posthorn.test'
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

test('the public addresses of the MX take a limited amount from one sender, and other senders are not held up', async () => {
  let ms = 0
  const clock = { ...systemClock(), monotonicMs: () => ms }
  const mx = mxService({
    spoolFolder: os.tmpdir(),
    turns: largeTurns(),
    host: '127.0.0.1',
    port: 0,
    hostname: HOST,
    certificate: null,
    inbound: { tokenOf: () => null, providerOf: () => null, take: async () => undefined },
    unsubscribe: null,
    clock,
    log: createLogger('silent'),
    rateLimits: true,
    hasRoom: () => true,
  })
  await mx.start()
  await using closing = new AsyncDisposableStack()
  closing.defer(() => mx.stop(AbortSignal.timeout(1_000)))
  const open = async (localAddress: string) => {
    const session = await smtpSession(mx.port(), { localAddress })
    closing.defer(() => session.close())
    await session.ask('EHLO mx.example.net')
    return session
  }
  const [sender, idle, other] = [await open('127.0.0.2'), await open('127.0.0.2'), await open('127.0.0.3')]
  /** The replies to the recipients of one mail. */
  const ask = async (session: typeof sender, ...locals: readonly string[]): Promise<readonly string[]> => {
    const answers: string[] = []
    assert.match(await session.ask('MAIL FROM:<>'), /^250 /)
    for (const local of locals) answers.push(await session.ask(`RCPT TO:<${local}@${HOST}>`))
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
