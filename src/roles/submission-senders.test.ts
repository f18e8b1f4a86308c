import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submissionWorld } from '../../test/world/submission.ts'

const MAIL = 'From: Shop <a@shop.example>\r\nTo: b@example.net\r\nSubject: hello\r\n\r\nbody\r\n'

// Each row: MAIL FROM, one recipient, a header, and the answer to a message with the same address in From. Sandbox mail is
// accepted from any domain, and only the data shows whether a mail is sandbox mail.
const SENDERS: [from: string, recipient: string, header: string, answer: RegExp][] = [
  [
    'a@bank.example',
    'b@example.net',
    'X-Tag: t',
    /^550 5\.7\.1.*: bank\.example in MAIL FROM \(sender_domain_not_allowed\)/,
  ],
  ['a@sub.shop.example', 'b@example.net', 'X-Sandbox: false', /^550 5\.7\.1.*sender_domain_not_allowed/],
  ['a@bank.example', 'b@example.net', 'X-Sandbox: true', /^250 2\.0\.0/],
  ['a@bank.example', 'bounce+1@sandbox.test', 'X-Tag: t', /^250 2\.0\.0/],
]
for (const [from, recipient, header, answer] of SENDERS) {
  test(`${from} to ${recipient} with ${header}: ${answer.source.replaceAll('\\', '')}`, async () => {
    await using world = await submissionWorld()
    const smtp = await world.session()
    await smtp.ask(`MAIL FROM:<${from}>`)
    await smtp.ask(`RCPT TO:<${recipient}>`)
    await smtp.ask('DATA')
    assert.match(await smtp.ask(`From: ${from}\r\nSubject: s\r\n${header}\r\n\r\nx\r\n.`), answer)
    const stored = (await world.mails()).map(({ sandbox }) => sandbox)
    assert.deepEqual(stored, answer.source.startsWith('^250') ? [true] : [])
  })
}

test('the domain of MAIL FROM must also belong to the account, even if that of From does', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  await smtp.ask('MAIL FROM:<a@bank.example>')
  await smtp.ask('RCPT TO:<bounce@sandbox.test>')
  await smtp.ask('RCPT TO:<b@example.net>')
  await smtp.ask('DATA')
  assert.match(await smtp.ask(`${MAIL}.`), /^550 5\.7\.1.*: bank\.example in MAIL FROM \(sender_domain_not_allowed/)
  assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^250/)
  await smtp.ask('RCPT TO:<b@example.net>')
  await smtp.ask('DATA')
  assert.match(await smtp.ask(`${MAIL}.`), /^250 2\.0\.0/)
})

test('the refusal of a foreign From with an own MAIL FROM names its domain', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  await smtp.ask('MAIL FROM:<a@shop.example>')
  await smtp.ask('RCPT TO:<b@example.net>')
  await smtp.ask('DATA')
  const answer = await smtp.ask('From: a@Bank.example\r\nSubject: s\r\n\r\nx\r\n.')
  assert.match(answer, /^550 5\.7\.1 The sender's domain .*: bank\.example in From \(sender_domain_not_allowed\)/)
})

// Each row: a field with another address beside an own From, X-Sandbox, and the answer.
const ON_BEHALF: [field: string, sandbox: boolean, answer: RegExp][] = [
  ['Sender: CEO <ceo@bank.example>', false, /^550 5\.7\.1.*: bank\.example in Sender \(sender_domain_not_allowed/],
  ['Sender: CEO <ceo@bank.example>', true, /^250 2\.0\.0/],
  ['Sender: Desk <desk@shop.example>', false, /^250 2\.0\.0/],
  ['Sender: ceo@bank.example (CEO)', false, /^250 2\.0\.0/],
  [
    'Resent-From: CEO <ceo@bank.example>',
    false,
    /^550 5\.7\.1.*: bank\.example in Resent-From \(sender_domain_not_allowed/,
  ],
  [
    'Resent-From: a@shop.example, ceo@bank.example',
    false,
    /^550 5\.7\.1.*: bank\.example in Resent-From \(sender_domain_not_allowed/,
  ],
  [
    'Resent-Sender: ceo@bank.example',
    false,
    /^550 5\.7\.1.*: bank\.example in Resent-Sender \(sender_domain_not_allowed/,
  ],
  ['Resent-Sender: ceo@bank.example', true, /^250 2\.0\.0/],
  ['Resent-From: Desk <desk@shop.example>', false, /^250 2\.0\.0/],
]
for (const [field, sandbox, answer] of ON_BEHALF) {
  test(`the field ${field}, X-Sandbox: ${sandbox}: ${answer.source.replaceAll('\\', '')}`, async () => {
    await using world = await submissionWorld()
    const smtp = await world.session()
    await smtp.ask('MAIL FROM:<a@shop.example>')
    await smtp.ask('RCPT TO:<b@example.net>')
    await smtp.ask('DATA')
    assert.match(await smtp.ask(`${field}\r\nX-Sandbox: ${sandbox}\r\n${MAIL}.`), answer)
  })
}
