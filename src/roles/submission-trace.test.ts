// The trace field of a submitted message.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submissionWorld } from '../../test/submission.ts'

const MAIL = 'From: Shop <a@shop.example>\r\nTo: b@example.net\r\nSubject: hello\r\n\r\nbody\r\n'

test('the outgoing message has the id that its client was given, in Received and in the added Message-ID', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  await smtp.ask('MAIL FROM:<a@shop.example>')
  for (const name of ['b', 'c']) await smtp.ask(`RCPT TO:<${name}@example.net>`)
  await smtp.ask('DATA')
  smtp.write(`${MAIL}.\r\n`)
  const [, id] = /^250 2\.0\.0 queued as (\S+)$/.exec(await smtp.reply()) ?? []
  const mails = await world.mails()
  assert.deepEqual(
    mails.map((mail) => [mail.recipient, mail.id === id]),
    [
      ['b@example.net', true],
      ['c@example.net', false],
    ],
  )
  for (const { message } of mails) {
    assert.equal(/^Received: by \S+ with ESMTPSA\r\n\tid ([^;]+);/.exec(message)?.[1], id)
    assert.equal(/^Message-ID: <([^@]+)@shop\.example>\r$/m.exec(message)?.[1], id)
  }
})
