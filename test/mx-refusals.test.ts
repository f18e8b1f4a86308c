// What the MX takes from any sender, and what it refuses: loops, and mail for which there is no room.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inboundFor, MX_HOST, startMx } from './world/inbound-mx.ts'
import { smtpSession } from './world/submission.ts'

/** An MX whose only return path is `b+x`, with one session. */
async function openedMx() {
  const taken: string[] = []
  const room = { left: true }
  const mx = await startMx({
    inbound: inboundFor(async ({ raw }) => void taken.push(raw.toString())),
    disk: { hasRoom: () => room.left, takesMail: () => room.left },
  })
  const port = mx.port()
  const { ask, close } = await smtpSession(port)
  await ask('EHLO mx.example.net')
  /** The answers to RCPT and, once there is one to take, to the data. */
  const send = async (mail: string, from = '<>', beforeData = (): void => undefined): Promise<readonly string[]> => {
    assert.match(await ask(`MAIL FROM:${from}`), /^250 /)
    const rcpt = await ask(`RCPT TO:<b+x@${MX_HOST}>`)
    if (!rcpt.startsWith('250 ')) return [rcpt.slice(0, 9)]
    beforeData()
    assert.match(await ask('DATA'), /^354 /)
    return [rcpt.slice(0, 9), (await ask(`${mail}\r\n.`)).slice(0, 9)]
  }
  const stop = async (): Promise<void> => {
    close()
    await mx.stop(AbortSignal.timeout(1_000))
  }
  return { taken, room, port, send, ask, [Symbol.asyncDispose]: stop }
}

test('who sends before the greeting is refused', async () => {
  await using mx = await openedMx()
  const early = await smtpSession(mx.port, { greeted: false })
  early.write('EHLO mx.example.net\r\n')
  assert.match(await early.reply(), /^421 /)
})

test('a mail with more than 50 trace fields is in a loop and is refused', async () => {
  await using mx = await openedMx()
  const mail = (hops: number): string => `${'Received: from a by b\r\n'.repeat(hops)}Subject: x\r\n\r\nhello`
  assert.deepEqual(await mx.send(mail(50)), ['250 2.1.5', '250 2.0.0'])
  assert.deepEqual(await mx.send(mail(51)), ['250 2.1.5', '554 5.4.6'])
  assert.equal(mx.taken.length, 1)
})

test('without room for mail a recipient is deferred, and so is the data of one that was taken before', async () => {
  await using mx = await openedMx()
  const mail = 'Subject: x\r\n\r\nhello'
  const filled = await mx.send(mail, '<>', () => {
    mx.room.left = false
  })
  assert.deepEqual(filled, ['250 2.1.5', '452 4.3.1'])
  assert.deepEqual(await mx.send(mail), ['452 4.3.1'])
  assert.deepEqual(mx.taken, [])
  mx.room.left = true
  await mx.ask('RSET')
  assert.deepEqual(await mx.send(mail), ['250 2.1.5', '250 2.0.0'])
})

test('the sender stands in the return path of a report, in ASCII and without brackets of its own', async () => {
  await using mx = await openedMx()
  for (const [from, written] of [
    ['<>', '<>'],
    ['<a@example.net>', '<a@example.net>'],
    ['<jörg@example.net> SMTPUTF8', '<jrg@example.net>'],
    ['<"a>b"@example.net>', '<"ab"@example.net>'],
  ] as const) {
    assert.deepEqual(await mx.send('Subject: x\r\n\r\nhello', from), ['250 2.1.5', '250 2.0.0'], from)
    assert.equal(mx.taken.at(-1)?.split('\r\n', 1)[0], `Return-Path: ${written}`)
  }
})
