// Bounces: delivery reports and prose.

import type { Target } from '../frame.ts'
import { readAndCheck } from '../report-promises.ts'

const HEAD =
  'From: Mail Delivery Subsystem <mailer-daemon@mx.test>\nTo: b+x@mail.test\nSubject: Undelivered Mail Returned to Sender\nAuto-Submitted: auto-replied\nMIME-Version: 1.0\n'

export const target: Target = {
  name: 'dsn',
  about: 'bounces by RFC 3464 and in prose (report, dsn, bounce-text, report-words, smtp-bounce)',
  seeds: [
    `${HEAD}Content-Type: multipart/report; report-type=delivery-status; boundary="r"\n\n--r\n\nThis is the mail system at host mx.test.\n\n<bob@dest.test>: host mx.dest.test[192.0.2.1] said: 550 5.1.1\n    <bob@dest.test>: User unknown (in reply to RCPT TO command)\n\n--r\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.test\nArrival-Date: Mon, 2 Mar 2026 10:00:00 +0000\n\nFinal-Recipient: rfc822; bob@dest.test\nAction: failed\nStatus: 5.1.1\nRemote-MTA: dns; mx.dest.test\nDiagnostic-Code: smtp; 550 5.1.1 <bob@dest.test>: User unknown\n\n--r\nContent-Type: message/rfc822\n\nReturn-Path: <b+x@mail.test>\nFrom: a@shop.test\nSubject: Hi\n\nbody\n--r--\n`,
    `${HEAD}Content-Type: multipart/report; report-type=delivery-status; boundary=r\n\n--r\n\n--r\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; a\n\nFinal-Recipient: rfc822; a@b.test\nAction: delayed\nStatus: 4.4.1\nWill-Retry-Until: Tue, 3 Mar 2026 10:00:00 +0000\n\nFinal-Recipient: rfc822; c@b.test\nAction: relayed\nStatus: 2.0.0\n--r--\n`,
    `${HEAD}X-Failed-Recipients: bob@dest.test\n\nA message that you sent could not be delivered to one or more of its recipients.\n\n  bob@dest.test\n    mailbox is full: retry timeout exceeded\n\n------ This is a copy of the message, including all the headers. ------\n\nFrom: a@shop.test\n`,
    `${HEAD}\nHi. This is the qmail-send program at mx.test.\nI'm afraid I wasn't able to deliver your message to the following addresses.\n\n<bob@dest.test>:\n192.0.2.1 does not like recipient.\nRemote host said: 550 sorry, no mailbox here by that name. (#5.7.17)\nGiving up on 192.0.2.1.\n\n--- Below this line is a copy of the message.\n`,
    `${HEAD}\n   ----- Transcript of session follows -----\n... while talking to mx.dest.test:\n>>> RCPT To:<bob@dest.test>\n<<< 452 4.2.2 Mailbox full\n550 5.1.1 bob... User unknown\n`,
    'From: postmaster@x.test\nSubject: failure\nContent-Type: text/html; charset=iso-2022-jp\nContent-Transfer-Encoding: quoted-printable\n\n<p>=1B$BG[?.=1B(B</p><br>5.4.4\n',
    '\n{"notificationType":"Bounce","bounce":{"bouncedRecipients":[{"emailAddress":"a@b.test","status":"5.1.1","diagnosticCode":"smtp; 550 no such user"}]}}\n',
  ],
  corpora: ['bounce/mails'],
  words: [
    'Final-Recipient: rfc822; a@b.test\n',
    'Action: failed\n',
    'Action: delayed\n',
    'Status: 5.0.0\n',
    'Diagnostic-Code: smtp; ',
    '550 5.1.1 ',
    '421-4.7.0 ',
    '(#5.2.2)',
    ' said: 552 ',
    '<a@b.test>: ',
    '\n\n',
    '\n\n\n',
    'user unknown',
    'mailbox is full',
    'could not be delivered',
    '>>> DATA\n<<< 554 ',
    'Subject: Out of office\n',
    'Auto-Submitted: auto-replied\n',
    'Content-Type: message/delivery-status\n\n',
    'Content-Type: message/rfc822\n\n',
    'boundary=r',
    '--r\n',
    '--r--',
    '\u5b58\u5728',
    '\x1b$B',
    '=?',
  ],
  make: (random) => {
    const group = `Final-Recipient: rfc822; a@b.test\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; ${'x '.repeat(random.below(2_000))}\n\n`
    const head = `${HEAD}Content-Type: multipart/report; boundary=r\n\n--r\nContent-Type: message/delivery-status\n\n`
    return Buffer.from(`${head}${group.repeat(1 + random.below(100))}--r--\n`)
  },
  maxBytes: 262_144,
  run: readAndCheck,
}
