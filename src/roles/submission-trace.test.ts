// The id of a submitted message: in its trace field, and in the answer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plain, smtpSession, submissionWorld } from '../../test/world/submission.ts'
import { startWorld } from '../../test/world/world.ts'

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

test('the client is given the email of the first recipient the message goes to; those the verdict refuses end suppressed', async () => {
  await using world = await startWorld()
  await world.verifiedDomain('shop.example')
  const smtp = await smtpSession(world.submissionPorts.implicitTls[0] ?? 0, { secure: true })
  await smtp.ask('EHLO client.test')
  await smtp.ask(`AUTH PLAIN ${plain('apikey', world.account.apiKey)}`)
  await smtp.ask('MAIL FROM:<a@shop.example>')
  for (const to of ['x@mailinator.com', 'b@example.net', 'y@mailinator.com']) await smtp.ask(`RCPT TO:<${to}>`)
  await smtp.ask('DATA')
  smtp.write(`${MAIL}.\r\n`)
  const [, id] = /^250 2\.0\.0 queued as (\S+)$/.exec(await smtp.reply()) ?? []
  const emails = (await world.api.get('/api/v1/emails')).body.data as Record<'id' | 'to' | 'status', string>[]
  assert.deepEqual(emails.map((email) => [email.to, email.status === 'suppressed', email.id === id]).toSorted(), [
    ['b@example.net', false, true],
    ['x@mailinator.com', true, false],
    ['y@mailinator.com', true, false],
  ])
  const raw = await world.api.get(`/api/v1/emails/${id}/raw`)
  assert.match(String(raw.body), new RegExp(`\\tid ${id};`))
})
