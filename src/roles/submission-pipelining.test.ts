// Replies that wait for each other (RFC 2920 section 3.2) are sent when nothing comes after them, and when they are many. None waits
// without need, the greeting included.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { smtpSession, submissionWorld } from '../../test/world/submission.ts'

test('a client is greeted at once: what it sends before the greeting is answered after it', async () => {
  await using world = await submissionWorld()
  for (const secure of [true, false]) {
    const smtp = await smtpSession(secure ? world.tlsPort : world.port, { secure, greeted: false })
    smtp.write('EHLO client.test\r\nQUIT\r\n')
    assert.match(await smtp.reply(), /^220 /)
    assert.match(await smtp.reply(), /^250-/)
    assert.match(await smtp.reply(), /^221 /)
  }
})

test('each of thousands of pipelined recipients is answered, and the session goes on', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  await smtp.ask('MAIL FROM:<a@shop.example>')
  const count = 5_000
  smtp.write(Array.from({ length: count }, (_, n) => `RCPT TO:<u${n}@example.net>\r\n`).join(''))
  const codes = new Map<string, number>()
  for (let n = 0; n < count; n++) {
    const code = (await smtp.reply()).slice(0, 9)
    codes.set(code, (codes.get(code) ?? 0) + 1)
  }
  assert.deepEqual(
    [...codes],
    [
      ['250 2.1.5', 50],
      ['452 4.5.3', 4_950],
    ],
  )
  assert.match(await smtp.ask('NOOP'), /^250/)
})

test('the reply to a recipient does not wait behind a line that is refused', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  smtp.write('MAIL FROM:<a@shop.example>\r\nRCPT TO:<b@example.net>\r\nNOOP\n')
  assert.match(await smtp.reply(), /^250 2\.1\.0/)
  assert.match(await smtp.reply(), /^250 2\.1\.5/)
  assert.match(await smtp.reply(), /^500 5\.5\.2/)
})

test('a session with tens of thousands of pipelined recipients leaves others their turn', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  await smtp.ask('MAIL FROM:<a@shop.example>')
  let turns = 0
  let answered = 0
  const counting = setInterval(() => turns++, 1)
  const lines = 20_000
  smtp.write('RCPT TO:<a@b..c>\r\n'.repeat(lines))
  for (; answered < lines; answered++) assert.match(await smtp.reply(), /^501 /)
  clearInterval(counting)
  assert.ok(turns > 50, `${turns} turns`)
})
