// A client that disconnects in the middle of its message is not our fault, at the inbound MX too.

import assert from 'node:assert/strict'
import os from 'node:os'
import { test } from 'node:test'
import { smtpSession } from '../../test/world/submission.ts'
import { systemClock } from '../platform/clock.ts'
import { largeTurns } from '../platform/files/body-spool.ts'
import { createLogger } from '../platform/log.ts'
import { mxService } from './mx.ts'

test('the inbound MX does not log clients that hang up in their data, but logs a fault of ours', async () => {
  const logged: string[] = []
  const tell = (_: unknown, message: string): void => void logged.push(message)
  const mx = mxService({
    spoolFolder: os.tmpdir(),
    turns: largeTurns(),
    host: '127.0.0.1',
    port: 0,
    hostname: 'mail.posthorn.test',
    isOurHost: (host) => host === 'mail.posthorn.test',
    certificate: null,
    inbound: {
      tokenOf: () => null,
      providerOf: () => null,
      take: () => Promise.reject(new Error('a fault of ours')),
    },
    unsubscribe: null,
    clock: systemClock(),
    log: { ...createLogger('silent'), warn: tell, error: tell },
    rateLimits: false,
    disk: { hasRoom: () => true, takesMail: () => true },
  })
  await mx.start()
  const open = async () => {
    const session = await smtpSession(mx.port())
    for (const line of ['EHLO client.test', 'MAIL FROM:<>', 'RCPT TO:<postmaster@mail.posthorn.test>', 'DATA'])
      assert.match(await session.ask(line), /^[23]/)
    return session
  }
  const torn = await open()
  torn.write('Subject: half a mess')
  torn.close()
  const whole = await open()
  assert.match(await whole.ask('Subject: s\r\n\r\ntext\r\n.'), /^451 /)
  whole.close()
  await mx.stop(AbortSignal.timeout(10_000))
  assert.deepEqual(logged, ['a report could not be taken'])
})
