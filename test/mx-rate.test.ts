// Who hands in very much at the addresses that everybody knows waits; nobody else does.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MOST } from '../src/roles/mx-rate.ts'
import { smtpSession } from './submission.ts'
import { startWorld } from './world.ts'

const HOST = 'mail.posthorn.test'

test('public addresses of the MX take so much of one sender, and other senders are not held up', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'mx', POSTHORN_RATE_LIMITS: 'on' } })
  /** The answers to five recipients in one session. */
  const ask = async (localAddress: string, local: string): Promise<readonly string[]> => {
    const session = await smtpSession(world.mxPort, { localAddress })
    const answers: string[] = []
    try {
      await session.ask('EHLO mx.example.net')
      await session.ask('MAIL FROM:<>')
      while (answers.length < 5) answers.push(await session.ask(`RCPT TO:<${local}@${HOST}>`))
      await session.ask('QUIT')
    } finally {
      session.close()
    }
    return answers
  }
  const askTen = async (local: string): Promise<readonly string[]> =>
    (await Promise.all(Array.from({ length: 10 }, () => ask('127.0.0.2', local)))).flat()
  let taken = 0
  let refused: string | undefined
  // The time that the asking takes gives some of it back.
  for (let turn = 0; refused === undefined && taken < 20 * MOST; turn++) {
    const local = ['fbl', 'postmaster', 'abuse'][turn % 3] ?? 'fbl'
    const answers = await askTen(local)
    taken += answers.filter((answer) => answer.startsWith('250')).length
    refused = answers.find((answer) => !answer.startsWith('250'))
  }
  assert.match(refused ?? '', /^451 4\.7\.0 /)
  assert.ok(taken >= MOST, `${taken}`)
  for (const local of ['fbl', 'tlsrpt', 'postmaster', 'abuse'])
    assert.ok(
      (await askTen(local)).some((answer) => answer.startsWith('451 4.7.0 ')),
      local,
    )
  assert.match((await ask('127.0.0.2', 'nobody'))[0] ?? '', /^550 5\.7\.1 /)
  assert.match((await ask('127.0.0.3', 'fbl'))[0] ?? '', /^250 /)
  world.clock.advance(60_000)
  assert.match((await ask('127.0.0.2', 'fbl'))[0] ?? '', /^250 /)
})
