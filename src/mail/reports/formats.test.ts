// Reports in the formats of many mailers and services, written from their documentation. Each is recognised with any line ends,
// and the result for its recipient matches the mailer's statement.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Report, readReport } from './classify.ts'

const TO = 'bob@dest.example'

function told(report: Report): string {
  if (!('recipients' in report)) return report.kind
  const [one] = report.recipients
  return `${report.kind} ${one?.verdict.type} ${one?.verdict.category} ${one?.address ?? ''}`.trim()
}

const mail = (from: string, subject: string, body: string, more = ''): string =>
  `Return-Path: <>\nFrom: ${from}\nTo: b+token@mail.posthorn.test\nSubject: ${subject}\n${more}\n${body}\n`

const ORIGINAL =
  'Received: from mail.posthorn.test by mx.dest.example; Sat, 21 Nov 2026 07:00:00 +0000\nFrom: a@shop.example\nTo: bob@dest.example\nSubject: 550 5.1.1 user unknown\nMessage-ID: <1@shop.example>\n'

const UNKNOWN = `bounce hard invalid_recipient ${TO}`
const FULL = `bounce soft mailbox_full ${TO}`

const FORMATS: readonly (readonly [maker: string, text: string, expected: string])[] = [
  [
    'qmail',
    mail(
      'MAILER-DAEMON@mx.dest.example',
      'failure notice',
      `Hi. This is the qmail-send program at mx.dest.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n<${TO}>:\n192.0.2.9 does not like recipient.\nRemote host said: 550 5.1.1 <${TO}>: user unknown\nGiving up on 192.0.2.9.\n\n--- Below this line is a copy of the message.\n\n${ORIGINAL}`,
    ),
    UNKNOWN,
  ],
  [
    'qmail, quota',
    mail(
      'MAILER-DAEMON@mx.dest.example',
      'failure notice',
      `Hi. This is the qmail-send program at mx.dest.example.\n\n<${TO}>:\nThe users mailfolder is over the allowed quota (size). (#5.2.2)\n\n--- Below this line is a copy of the message.\n\n${ORIGINAL}`,
    ),
    FULL,
  ],
  [
    'qmail, no host',
    mail(
      'MAILER-DAEMON@mx.relay.example',
      'failure notice',
      `Hi. This is the qmail-send program at mx.relay.example.\n\n<bob@nowhere.example>:\nSorry, I couldn't find any host named nowhere.example. (#5.1.2)\n\n--- Below this line is a copy of the message.\n\n${ORIGINAL}`,
    ),
    'bounce hard bad_domain bob@nowhere.example',
  ],
  [
    'Exim',
    mail(
      'Mail Delivery System <Mailer-Daemon@mx.relay.example>',
      'Mail delivery failed: returning message to sender',
      `This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n  ${TO}\n    host mx.dest.example [192.0.2.9]\n    SMTP error from remote mail server after RCPT TO:<${TO}>:\n    550 5.1.1 <${TO}>: Recipient address rejected: User unknown\n\n------ This is a copy of the message, including all the headers. ------\n\n${ORIGINAL}`,
      `X-Failed-Recipients: ${TO}\n`,
    ),
    UNKNOWN,
  ],
  [
    'Exim, quota and time',
    mail(
      'Mail Delivery System <Mailer-Daemon@mx.dest.example>',
      'Mail delivery failed: returning message to sender',
      `This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n  ${TO}\n    mailbox is full: retry timeout exceeded\n\n------ This is a copy of your message, including all the headers. ------\n\n${ORIGINAL}`,
    ),
    FULL,
  ],
  [
    'Sendmail',
    mail(
      'Mail Delivery Subsystem <MAILER-DAEMON@mx.relay.example>',
      'Returned mail: see transcript for details',
      `The original message was received at Sat, 21 Nov 2026 07:00:00 GMT\nfrom mail.posthorn.test [192.0.2.1]\n\n   ----- The following addresses had permanent fatal errors -----\n<${TO}>\n    (reason: 550 5.1.1 <${TO}>... User unknown)\n\n   ----- Transcript of session follows -----\n... while talking to mx.dest.example.:\n>>> RCPT To:<${TO}>\n<<< 550 5.1.1 <${TO}>... User unknown\n550 5.1.1 <${TO}>... User unknown\n`,
    ),
    UNKNOWN,
  ],
  [
    'Sendmail, warning',
    mail(
      'Mail Delivery Subsystem <MAILER-DAEMON@mx.relay.example>',
      'Warning: could not send message for past 4 hours',
      `    **********************************************\n    **      THIS IS A WARNING MESSAGE ONLY      **\n    **  YOU DO NOT NEED TO RESEND YOUR MESSAGE  **\n    **********************************************\n\n   ----- Transcript of session follows -----\n<${TO}>... Deferred: Connection timed out with mx.dest.example.\nWarning: message still undelivered after 4 hours\nWill keep trying until message is 5 days old\n`,
    ),
    `delayed soft expired ${TO}`,
  ],
  [
    'Courier',
    mail(
      '"Courier mail server at mx.dest.example" <@>',
      'NOTICE: mail delivery status.',
      `This is a delivery status notification from mx.dest.example,\nrunning the Courier mail server, version 0.65.2.\n\nThe original message was received on Sat, 21 Nov 2026 07:00:00 +0000\n\n---------------------------------------------------------------------------\n\n                           UNDELIVERABLE MAIL\n\nYour message to the following recipients cannot be delivered:\n\n<${TO}>:\n    mx.dest.example [192.0.2.9]:\n>>> RCPT TO:<${TO}>\n<<< 550 5.1.1 <${TO}>: Recipient address rejected: User unknown\n`,
    ),
    UNKNOWN,
  ],
  [
    'Exchange 2003',
    mail(
      'System Administrator <postmaster@dest.example>',
      'Undeliverable: Order',
      `Your message\n\n  To:      ${TO}\n  Subject: Order\n  Sent:    Sat, 21 Nov 2026 07:00:00 +0000\n\ndid not reach the following recipient(s):\n\n${TO} on Sat, 21 Nov 2026 07:00:01 +0000\n    The recipient name is not recognized\n\tThe MTS-ID of the original message is: c=us;a= ;p=dest;l=EXCH-1\n    MSEXCH:IMS:Dest:SITE:EXCH 0 (000C05A6) Unknown Recipient\n`,
    ),
    UNKNOWN,
  ],
  [
    'Exchange Online',
    mail(
      'Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@dest.example>',
      'Undeliverable: Order',
      `Delivery has failed to these recipients or groups:\n\n${TO}<mailto:${TO}>\nThe email address you entered couldn't be found. Please check the recipient's email address and try to resend the message.\n\nDiagnostic information for administrators:\n\nGenerating server: AM0PR01MB0001.eurprd01.prod.exchangelabs.com\n\n${TO}\nRemote Server returned '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ${TO} not found by SMTP address lookup'\n\nOriginal message headers:\n\n${ORIGINAL}`,
    ),
    UNKNOWN,
  ],
  [
    'Domino',
    mail(
      'Mail Router <MAILER-DAEMON@dest.example>',
      `DELIVERY FAILURE: User bob (${TO}) not listed in Domino Directory`,
      `Your message\n\n  Subject: Order\n\nwas not delivered to:\n\n  ${TO}\n\nbecause:\n\n  User bob (${TO}) not listed in Domino Directory\n`,
    ),
    UNKNOWN,
  ],
  [
    'GroupWise',
    mail(
      'Mailer-Daemon@dest.example',
      'Message status - undeliverable',
      `The message that you sent was undeliverable to the following:\n\t${TO} (user not found)\n`,
    ),
    UNKNOWN,
  ],
  [
    'Gmail',
    mail(
      'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
      'Delivery Status Notification (Failure)',
      `** Address not found **\n\nYour message wasn't delivered to ${TO} because the address couldn't be found, or is unable to receive mail.\n\nThe response from the remote server was:\n550 5.1.1 <${TO}>: Recipient address rejected: User unknown in virtual mailbox table\n`,
      `X-Failed-Recipients: ${TO}\n`,
    ),
    UNKNOWN,
  ],
  [
    'Yahoo',
    mail(
      'MAILER-DAEMON@yahoo.com',
      'Failure Notice',
      `Sorry, we were unable to deliver your message to the following address.\n\n<${TO}>:\n550: 5.2.2 : mailbox over quota\n\n--- Below this line is a copy of the message.\n\n${ORIGINAL}`,
    ),
    FULL,
  ],
  [
    'Zimbra and Postfix of old',
    mail(
      'MAILER-DAEMON@mx.relay.example (Mail Delivery System)',
      'Undelivered Mail Returned to Sender',
      `This is the Postfix program at host mx.relay.example.\n\nI'm sorry to have to inform you that your message could not be\nbe delivered to one or more recipients.\n\n<${TO}>: host mx.dest.example[192.0.2.9] said: 552 5.2.2 Mailbox\n    is full (in reply to RCPT TO command)\n`,
    ),
    FULL,
  ],
  [
    'MDaemon',
    mail(
      'MDaemon at dest.example <MDaemon@dest.example>',
      'Permanent Delivery Failure',
      `The attached message had PERMANENT fatal delivery errors!\n\nAfter one or more unsuccessful delivery attempts the attached message has\nbeen removed from the mail queue on this server.\n\nFailed address: ${TO}\n\n--> RCPT To:<${TO}>\n<-- 550 5.1.1 <${TO}>: no such user here\n`,
    ),
    UNKNOWN,
  ],
  [
    'MailMarshal',
    mail(
      'postmaster@dest.example',
      'Undeliverable Mail: "Order"',
      `Your message:\n   From:    a@shop.example\n   Subject: Order\n\nCould not be delivered because of\n\n550 5.1.1 User unknown\n\nThe following recipients were affected: \n    ${TO}\n`,
    ),
    UNKNOWN,
  ],
  [
    'IMail',
    mail(
      'Postmaster <postmaster@dest.example>',
      'Undeliverable Mail',
      `User mailbox exceeds allowed size: ${TO}\n\nOriginal message follows.\n\n${ORIGINAL}`,
    ),
    FULL,
  ],
  [
    'Lotus Notes',
    mail(
      'postmaster@dest.example',
      'Undeliverable message',
      `------- Failure Reasons  --------\n\nUser not listed in public Name & Address Book\n${TO}\n\n------- Returned Message --------\n\n${ORIGINAL}`,
    ),
    UNKNOWN,
  ],
  [
    'James',
    mail(
      'postmaster@dest.example',
      '[BOUNCE]',
      `Hi. This is the James mail server at dest.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.  Below\nI include the list of recipients and the reason why I was unable to deliver\nyour message.\n\nFailed recipient(s):\n${TO}\n\nError message:\n550 5.1.1 <${TO}>: Recipient address rejected: User unknown\n`,
    ),
    UNKNOWN,
  ],
  [
    'OpenSMTPD',
    mail(
      'Mailer Daemon <MAILER-DAEMON@mx.dest.example>',
      'Delivery status notification: error',
      `    Hi!\n\n    This is the MAILER-DAEMON, please DO NOT REPLY to this e-mail.\n\n    An error has occurred while attempting to deliver a message for\n    the following list of recipients:\n\n${TO}: 550 5.2.2 <${TO}>... Mailbox Full\n\n    Below is a copy of the original message:\n\n${ORIGINAL}`,
    ),
    FULL,
  ],
  [
    'OpenSMTPD, of a delay',
    mail(
      'Mailer Daemon <MAILER-DAEMON@mx.dest.example>',
      'Delivery status notification: warning',
      `    Hi!\n\n    This is the MAILER-DAEMON, please DO NOT REPLY to this e-mail.\n\n    A message is delayed for more than 10 minutes for the following\n    list of recipients:\n\n${TO}: Network error on destination MXs\n\n    Please note that this is only a temporary failure report.\n    The message is kept in the queue for up to 4 days.\n    You DO NOT NEED to re-send the message to these recipients.\n\n    Below is a copy of the original message:\n\n${ORIGINAL}`,
    ),
    `delayed unknown unknown ${TO}`,
  ],
  [
    'OpenSMTPD, of the end',
    mail(
      'Mailer Daemon <MAILER-DAEMON@mx.dest.example>',
      'Delivery status notification: error',
      `    Hi!\n\n    This is the MAILER-DAEMON, please DO NOT REPLY to this e-mail.\n\n    An error has occurred while attempting to deliver a message for\n    the following list of recipients:\n\n${TO}: Envelope expired\n\n    Below is a copy of the original message:\n\n${ORIGINAL}`,
    ),
    `bounce soft expired ${TO}`,
  ],
  [
    'Gmail, without a connection',
    mail(
      'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
      'Delivery Status Notification (Failure)',
      `Delivery to the following recipient failed permanently:\n\n     ${TO}\n\nTechnical details of permanent failure: \nThe recipient server did not accept our requests to connect.\n\n----- Original message -----\n\n${ORIGINAL}`,
      `X-Failed-Recipients: ${TO}\n`,
    ),
    `bounce soft connection ${TO}`,
  ],
  ...['maildrop: maildir over quota.', 'procmail: Quota exceeded while writing "/var/mail/bob"'].map(
    (says): readonly [string, string, string] => [
      `Postfix, with the words ${says}`,
      mail(
        'MAILER-DAEMON@mx.dest.example',
        'Undelivered Mail Returned to Sender',
        `This is the mail system at host mx.dest.example.\n\n<${TO}>: permission denied. Command output: ${says}\n`,
      ),
      FULL,
    ],
  ),
  [
    'Sendmail behind qmail',
    mail(
      'MAILER-DAEMON@mx.relay.example',
      'failure notice',
      `Hi. This is the qmail-send program at mx.relay.example.\n\n<${TO}>:\n192.0.2.9 does not like recipient.\nRemote host said: 550 ${TO}... No such user\n\n--- Below this line is a copy of the message.\n\n${ORIGINAL}`,
    ),
    UNKNOWN,
  ],
  [
    'PMDF, whose words stand apart from the recipient',
    mail(
      'postmaster@dest.example',
      'Delivery Notification: Delivery has failed',
      `--b\nContent-Type: text/plain\n\nYour message cannot be delivered to the following recipients:\n\n  Recipient address: ${TO}\n  Original address: someone@dest.example\n\n%MAIL-E-OPENOUT, error opening !AS as output\n-SYSTEM-F-EXDISKQUOTA, disk quota exceeded\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns;mx.dest.example\n\nAction: failed\nStatus: 5.0.0\nFinal-recipient: rfc822;${TO}\n--b--`,
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b\n',
    ),
    FULL,
  ],
  ...(
    [
      ['automatically rejected:\nNo more mail from you, please', 'bounce block policy'],
      ['automatically rejected:\nQuota exceeded', 'bounce soft mailbox_full'],
      ['automatically rejected:\n550 5.1.1 no such user here', 'bounce block policy'],
      ['deleted without being read.', 'other'],
    ] as const
  ).map(([says, expected]): readonly [string, string, string] => [
    `a Sieve script: ${says.replace('\n', ' ')}`,
    mail(
      'Mail Delivery Subsystem <postmaster@dest.example>',
      'Rejected: Order',
      `--m\nContent-Type: text/plain\n\nYour message to <${TO}> was ${says}\n--m\nContent-Type: message/disposition-notification\n\nReporting-UA: mx.dest.example; Dovecot Mail Delivery Agent\nFinal-Recipient: rfc822; ${TO}\nDisposition: automatic-action/MDN-sent-automatically; deleted\n\n--m\nContent-Type: message/rfc822\n\n${ORIGINAL}\n--m--`,
      'Content-Type: multipart/report; report-type=disposition-notification; boundary=m\nAuto-Submitted: auto-replied\n',
    ),
    expected === 'other' ? expected : `${expected} ${TO}`,
  ]),
  [
    'Barracuda',
    mail(
      'Spam Firewall <postmaster@dest.example>',
      '**Message you sent blocked by our bulk email filter**',
      `Your message to: ${TO}\nwas blocked by our Spam Firewall. The email you sent with the following subject has NOT BEEN DELIVERED:\n\nSubject: Order\n`,
    ),
    `bounce block content_rejected ${TO}`,
  ],
  [
    'KDDI',
    mail(
      'Mail Delivery Subsystem <no-reply@mx.carrier.example>',
      'Mail System Error - Returned Mail',
      `Your mail sent on: Sat, 21 Nov 2026 16:00:00 \n   Could not be delivered to: <${TO}>\n   As their mailbox is full.\n`,
    ),
    FULL,
  ],
  [
    'Communigate',
    mail(
      '<MAILER-DAEMON@dest.example>',
      'Undeliverable mail',
      `Failed to deliver to '${TO}'\nSMTP module(domain dest.example) reports:\n host mx.dest.example says:\n 550 5.1.1 <${TO}>: User unknown\n`,
    ),
    UNKNOWN,
  ],
  [
    'a vacation',
    mail(
      'Bob <bob@dest.example>',
      'Out of Office: Order',
      'I am away. Mail could not be delivered while my mailbox is full.',
      'Auto-Submitted: auto-replied\n',
    ),
    'auto_reply',
  ],
  [
    'a ticket system',
    mail(
      'Help <help@dest.example>',
      'Re: [Ticket#1] Order',
      'Your request has been received. If the user is unknown to us, it is closed.',
      'Auto-Submitted: auto-replied\nPrecedence: bulk\n',
    ),
    'auto_reply',
  ],
  [
    'a read receipt',
    mail(
      'Bob <bob@dest.example>',
      'Read: Order',
      '--m\nContent-Type: text/plain\n\nYour message was read.\n--m\nContent-Type: message/disposition-notification\n\nFinal-Recipient: rfc822;bob@dest.example\nDisposition: manual-action/MDN-sent-manually; displayed\n\n--m--',
      'Content-Type: multipart/report; report-type=disposition-notification; boundary=m\n',
    ),
    'other',
  ],
  [
    'a complaint that somebody attached to a mail',
    mail(
      'Abuse Desk <desk@dest.example>',
      'Fwd: abuse report',
      `--m\nContent-Type: text/plain\n\nFor you.\n--m\nContent-Type: message/rfc822\n\nFrom: fbl@dest.example\nSubject: abuse report\nContent-Type: multipart/report; report-type=feedback-report; boundary=f\n\n--f\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\nVersion: 1\n\n--f\nContent-Type: message/rfc822\n\n${ORIGINAL}\n--f--\n--m--`,
      'Content-Type: multipart/mixed; boundary=m\n',
    ),
    'complaint',
  ],
  [
    'a challenge',
    mail(
      'Bob <bob@dest.example>',
      'Please confirm your message to me',
      'I do not know you. Click here so that your mail is delivered.',
      'Auto-Submitted: auto-replied\n',
    ),
    'auto_reply',
  ],
  [
    'a person who writes of failed mail: nothing is proven',
    mail(
      'News <news@dest.example>',
      'Five reasons mail is not delivered',
      'Mailboxes are full, users unknown: 550 5.1.1.',
    ).replace('Return-Path: <>\n', ''),
    'bounce unknown unknown',
  ],
]

for (const [maker, text, expected] of FORMATS) {
  test(`${maker}: ${expected}`, () => {
    for (const end of ['\n', '\r\n', '\r'])
      assert.equal(told(readReport(Buffer.from(text.replaceAll('\n', end)))), expected)
  })
}

test('the words beside a report that states no reason are its diagnostic, and change no stated cause', () => {
  const human =
    '   ----- Transcript of session follows -----\n451 4.4.1 reply: read error from mx.dest.example.\nMessage could not be delivered for 5 days'
  const status = `Reporting-MTA: dns; mx.relay.example\n\nFinal-Recipient: RFC822; ${TO}\nAction: failed\nStatus: 4.4.7`
  const report = readReport(
    Buffer.from(
      mail(
        'MAILER-DAEMON@mx.relay.example',
        'Returned mail: see transcript for details',
        `--b\n\n${human}\n--b\nContent-Type: message/delivery-status\n\n${status}\n--b--`,
        'Content-Type: multipart/report; report-type=delivery-status; boundary=b\n',
      ),
    ),
  )
  assert.equal(told(report), `bounce soft expired ${TO}`)
  assert.match(('recipients' in report && report.recipients[0]?.diagnostic) || '', /could not be delivered for 5 days/)
})
