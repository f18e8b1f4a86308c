// Delivery reports about mail to the large receivers, as relays write them, without the command that was answered: the
// receivers' documented words and status, and the words of mailers that host the mailbox themselves. Only proof against an
// address may suppress it, and proof must.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Report, readReport } from './classify.ts'

const TO = 'bob@dest.example'

function told(report: Report): string {
  if (report.kind !== 'bounce') return report.kind
  return report.recipients.map(({ verdict }) => `${verdict.type} ${verdict.category}`).join(', ')
}

const dsn = (status: string, diagnostic: string, words: string): string =>
  `Return-Path: <>\nFrom: Mail Delivery System <MAILER-DAEMON@mx.relay.example>\nSubject: Undelivered Mail Returned to Sender\nAuto-Submitted: auto-replied\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\nContent-Type: text/plain\n\n${words}\n\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.relay.example\n\nFinal-Recipient: rfc822; ${TO}\nAction: failed\nStatus: ${status}\n${diagnostic === '' ? '' : `Diagnostic-Code: ${diagnostic}\n`}\n--b\nContent-Type: text/rfc822-headers\n\nSubject: 550 5.1.1 user unknown, spam\n\n--b--\n`

const DSNS: readonly (readonly [status: string, diagnostic: string, expected: string])[] = [
  [
    '5.4.1',
    'smtp;550 5.4.1 Recipient address rejected: Access denied. For more information see https://aka.ms/EXOSmtpErrors [DB3.prod.outlook.com]',
    'hard invalid_recipient',
  ],
  ['5.7.1', 'smtp;554 5.7.1 <bob@dest.example>: Recipient address rejected: Access denied', 'block policy'],
  [
    '5.5.0',
    'smtp;550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [DB8.prod.protection.outlook.com]',
    'hard invalid_recipient',
  ],
  ['5.0.0', 'smtp; 550 Requested action not taken: mailbox unavailable', 'soft inactive_mailbox'],
  ['5.0.0', 'smtp; 552 1 Requested mail action aborted, mailbox not found', 'hard invalid_recipient'],
  ['5.0.0', 'smtp; 550 Mailbox not found. https://service.mail.qq.com/detail/122/169', 'hard invalid_recipient'],
  [
    '5.0.0',
    'smtp; 550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [x]',
    'hard invalid_recipient',
  ],
  ['5.7.1', 'smtp; 550 5.7.1 No such user!', 'hard invalid_recipient'],
  ['5.0.0', 'smtp; 550 No such user', 'soft inactive_mailbox'],
  [
    '5.1.1',
    `smtp; 550 5.1.1 <${TO}>: Recipient address rejected: undeliverable address: host mx.inner.example[192.0.2.8] said: 554 5.7.1 Service unavailable; Client host [192.0.2.7] blocked using zen.spamhaus.org`,
    'block reputation',
  ],
  [
    '5.1.1',
    `smtp; 550 5.1.1 <${TO}>: Recipient address rejected: undeliverable address: host mx.inner.example[192.0.2.8] said: 552 5.2.2 mailbox full`,
    'soft mailbox_full',
  ],
  [
    '5.1.1',
    `smtp; 550 5.1.1 <${TO}>: Recipient address rejected: undeliverable address: host mx.inner.example[192.0.2.8] said: 550 5.1.1 User unknown`,
    'hard invalid_recipient',
  ],
  ['5.7.1', 'smtp; 554 5.7.1 The message was identified as junk', 'block content_rejected'],
  ['5.7.1', 'smtp; 521 5.7.1 EHLO is blocked by DNSRBL - RBL1', 'block reputation'],
  ['5.7.1', 'smtp; 554 5.7.1 E1320 192.0.2.1 has been blocked', 'block reputation'],
  [
    '5.7.133',
    'smtp;550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed',
    'block policy',
  ],
  [
    '5.4.310',
    'smtp;550 5.4.310 DNS domain nowhere.example does not exist [Message=InfoDomainNonexistent]',
    'hard bad_domain',
  ],
  [
    '5.7.515',
    "smtp;550 5.7.515 Access denied, sending domain shop.example doesn't meet the required authentication level",
    'block authentication',
  ],
  [
    '5.2.2',
    "smtp; 552-5.2.2 The recipient's inbox is out of storage space and inactive. Please\n 552 5.2.2  https://support.google.com/mail/?p=OverQuotaPerm x - gsmtp",
    'soft mailbox_full',
  ],
  [
    '5.0.0',
    'smtp; 554 30 Sorry, your message to bob@dest.example cannot be delivered. This mailbox is disabled (554.30).',
    'soft inactive_mailbox',
  ],
  [
    '5.7.1',
    'smtp; 554 5.7.1 [HM08] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137',
    'block policy',
  ],
  [
    '5.1.0',
    'smtp; 550 5.1.0 <b+x@mail.posthorn.test>: Sender address rejected: User unknown in relay recipient table',
    'block policy',
  ],
  [
    '5.0.0',
    'smtp; 550-Verification failed for <b+x@mail.posthorn.test>\n 550-No Such User Here\n 550 Sender verify failed',
    'block policy',
  ],
  ['5.7.27', 'smtp; 550 5.7.27 Sender address has null MX', 'block policy'],
  ['5.1.10', 'smtp; 556 5.1.10 Recipient address has null MX', 'hard bad_domain'],
  ['5.1.1', 'smtp; 550 5.1.1 Recipient temporarily rejected: greylisting active', 'soft rate_limited'],
  ['5.1.1', '', 'hard invalid_recipient'],
  ['5.0.0', '', 'unknown unknown'],
]

for (const [status, diagnostic, expected] of DSNS) {
  test(`a report with ${status} and "${diagnostic.slice(0, 90)}": ${expected}`, () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const raw = dsn(status, diagnostic, 'Your message could not be delivered.').replaceAll('\n', end)
      assert.equal(told(readReport(Buffer.from(raw))), expected)
    }
  })
}

const prose = (from: string, subject: string, text: string, type = 'text/plain', more = ''): string =>
  `Return-Path: <>\nFrom: ${from}\nSubject: ${subject}\n${more}Content-Type: ${type}; charset=utf-8\n\n${text}\n`
const exchange2003 = (words: string, status: string): string =>
  prose(
    'System Administrator <postmaster@dest.example>',
    'Undeliverable: Order',
    `Your message did not reach some or all of the intended recipients.\n\n      Subject:\tOrder\n      Sent:\t11/20/2026 10:00 AM\n\nThe following recipient(s) could not be reached:\n\n      Bob Example on 11/20/2026 10:01 AM\n            ${words}\n            <mail.dest.example #${status}>`,
  )

const PROSE: readonly (readonly [maker: string, text: string, expected: string])[] = [
  [
    'Exchange 2003, full',
    exchange2003("The message could not be delivered because the recipient's mailbox is full.", '5.2.2'),
    'soft mailbox_full',
  ],
  [
    'Exchange 2003, unknown',
    exchange2003('The e-mail account does not exist at the organization this message was sent to.', '5.1.1'),
    'hard invalid_recipient',
  ],
  [
    'Exchange 2003, late',
    exchange2003('Could not deliver the message in the time limit specified.', '4.4.7'),
    'soft expired',
  ],
  [
    'Exchange 2003, no such domain',
    exchange2003('The destination server for this recipient could not be found in Domain Name Service (DNS).', '5.4.0'),
    'hard bad_domain',
  ],
  [
    'Exchange Online, in HTML',
    prose(
      'postmaster@dest.example',
      'Undeliverable: Order',
      `<html><body><p>Your message to <b>${TO}</b> couldn't be delivered.</p><table><tr><td>Status code: 550 5.1.10</td></tr></table><p>Error: 550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ${TO} not found by SMTP address lookup</p></body></html>`,
      'text/html',
    ),
    'hard invalid_recipient',
  ],
  [
    'Exim with cPanel',
    prose(
      'Mail Delivery System <Mailer-Daemon@mx.dest.example>',
      'Mail delivery failed: returning message to sender',
      `This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n  ${TO}\n    No Such User Here"`,
      'text/plain',
      `X-Failed-Recipients: ${TO}\n`,
    ),
    'hard invalid_recipient',
  ],
  [
    'a mailer of its own',
    prose(
      'postmaster@mx.dest.example',
      'Undelivered: Order',
      `Could not deliver mail to the following address(es):\n\n<${TO}> : Mailbox does not exist`,
    ),
    'hard invalid_recipient',
  ],
  [
    'a filter that repeats another',
    prose(
      'MAILER-DAEMON@mx.relay.example',
      'failure notice',
      `I could not deliver your message.\n\n<${TO}>: [User unknown] x`,
    ),
    'soft inactive_mailbox',
  ],
  [
    'qmail with a closed address',
    prose(
      'MAILER-DAEMON@mx.dest.example',
      'failure notice',
      `Hi. This is the qmail-send program at mx.dest.example.\n\n<${TO}>:\nThis address no longer accepts mail.\n\n--- Below this line is a copy of the message.`,
    ),
    'soft inactive_mailbox',
  ],
  [
    "a person's machine that speaks of failing",
    prose(
      'Bob <bob@dest.example>',
      'Your mail could not be delivered to me in person',
      'I am away.',
      'text/plain',
      'Auto-Submitted: auto-replied; owner-email="bob@dest.example"\n',
    ),
    'auto_reply',
  ],
]

for (const [maker, text, expected] of PROSE) {
  test(`${maker}: ${expected}`, () => {
    for (const end of ['\n', '\r\n', '\r'])
      assert.equal(told(readReport(Buffer.from(text.replaceAll('\n', end)))), expected)
  })
}
