import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { type BounceCategory, bounceFromReply, bounceTypeOf, type SmtpCommand } from './bounce.ts'
import { parseReply, replyOf } from './reply.ts'

function classed(line: string, command: SmtpCommand = 'rcpt'): string {
  const reply = parseReply(line)
  assert.ok(reply !== null, line)
  const { type, category } = bounceFromReply(reply, command)
  assert.equal(type, bounceTypeOf(category))
  return category
}

// Texts that receivers publish or send. The command is `rcpt` unless named.
const ROWS: Record<Exclude<BounceCategory, never>, (string | [string, SmtpCommand])[]> = {
  invalid_recipient: [
    '550 5.1.1 <foo@x.test>: Recipient address rejected: unverified address: host mx.internal[10.0.0.2] said: 550 5.1.1 <foo@x.test>: user unknown in local table',
    '550 5.1.1 <foo@x.test>: Recipient address rejected: unverified address: unknown user: "foo"',
    '550-Callout verification failed:\r\n550 550 No Such User Here',
    '550 Unbekannter Empfänger',
    '550 Unbekannter Empfaenger',
    '550 Unbekannter Empf\ufffdnger',
    '550 Kein solcher Benutzer',
    '550 нет такого пользователя',
    '550 Такого пользователя нет',
    '550 Неизвестный получатель',
    '550 nie ma takiego uzytkownika',
    '550 nie ma takiego użytkownika',
    '550 Nieznany odbiorca',
    '550 Onbekende gebruiker',
    '550 No hay tal usuario',
    '550 Nessun utente con questo nome',
    '550 5.4.1 All recipient addresses rejected : Access denied [AM5EUR02FT046.eop-EUR02.prod.protection.outlook.com]',
    '550 <b@example.net>, Recipient unknown',
    '550 b@t-online.de: unknown account',
    '550 This user is no longer with the company',
    '550 5.1.1 User does not exist or is disabled',
    '550 Postfach existiert nicht',
    '550 Empfaenger unbekannt',
    "550 L'adresse du destinataire est inconnue",
    '550 La cuenta de correo no existe',
    '550 Destinatario sconosciuto',
    '550 Usuário inexistente',
    '550 Пользователь не найден',
    '550 用户不存在',
    '550 ユーザーが存在しません',
    '550 5.1.1 no such user',
    '550 5.1.1 <b@example.net>: Recipient address rejected: User unknown in virtual mailbox table',
    '550 5.1.1 <spam@example.net> User unknown',
    '550 5.7.1 <b@example.net>: Recipient address rejected: User unknown',
    '550-5.1.1 The email account that you tried to reach does not exist. Please try\r\n550 5.1.1 double-checking https://support.google.com/mail/?p=NoSuchUser gsmtp',
    "554 delivery error: dd This user doesn't have a yahoo.com account (b@yahoo.com) [0] - mta1061",
    '554 delivery error: dd Not a valid recipient - atlas-baseline-production',
    '550 5.4.1 Recipient address rejected: Access denied. [AM0EUR02FT003.eop-EUR02.prod.protection.outlook.com]',
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
    '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [VE1EUR01.outlook.com]',
    '550 Requested action not taken: mailbox unavailable',
    '550 5.7.1 No such user!',
    '550 Message was not accepted -- invalid mailbox. Local mailbox b@mail.ru is unavailable: user not found',
    '550 5.1.1 Not our Customer',
    '550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR204_416 [416]',
    '550 5.1.1 <b@icloud.com>: user does not exist',
    '550 5.1.1 unknown or illegal alias: b@me.com',
    '550 sorry, no mailbox here by that name (#5.1.1)',
    '550 5.1.1 Mailbox does not exist',
    '550 5.1.6 recipient no longer on server',
    '550 5.1.0 Address rejected.',
    '550 5.2.1 <b@example.jp>... User Unknown',
    '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550',
    '550 Unrouteable address',
    '550 #5.1.0 Address rejected.',
    '550 5.7.17 Mailbox owner has changed',
    '551 User not local',
    // Uninformative words: the code alone decides.
    '551 2',
    '550 No Such User Here',
    '550 User not found',
    ["550 5.1.1 <b@example.net> User doesn't exist", 'data'],
  ],
  bad_domain: [
    '553 nowhere.example.net does not exist',
    '550 5.1.2 bad destination system address',
    '556 5.1.10 Recipient address has null MX',
    '550 5.4.310 DNS domain example.test does not exist',
    '450-not',
    '550 <b@example.net>: Recipient address rejected: Domain not found',
  ].filter((line) => !line.startsWith('450-')),
  mailbox_full: [
    "550-Callout verification failed:\r\n550 550 Recipient's mailbox is full",
    '550 Benutzer hat zuviele Mails auf dem Server',
    '550 El buzón del usuario está lleno',
    '552 5.2.2 mailbox full',
    '552-5.2.2 The email account that you tried to reach is over quota and inactive.\r\n552 5.2.2 https://support.google.com/mail/?p=OverQuotaPerm gsmtp',
    "452-4.2.2 The recipient's inbox is out of storage space.\r\n452 4.2.2 gsmtp",
    '552 5.2.2 <b@icloud.com>: user is over quota',
    '552 Requested mail action aborted: exceeded storage allocation',
    '552 Quota exceeded',
    '522 5.2.0 Delivery failed: Over quota',
    '550 Mailbox is full',
    '554 5.2.2 mailbox full; 554 5.2.2 STOREDRV.Deliver.Exception:QuotaExceededException',
    '452 4.2.2 <b@example.net>: Mailbox full',
    '550 5.1.1 Mailbox quota exceeded',
  ],
  inactive_mailbox: [
    '550 Account for b@example.net has been suspended',
    '550 account closed',
    '550 5.2.1 The email account that you tried to reach is inactive.',
    '550 5.2.1 mailbox disabled, not accepting messages',
    '554 30 Sorry, your message to b@yahoo.com cannot be delivered. This mailbox is disabled (554.30).',
    '554 delivery error: dd Sorry your message to b@example.jp cannot be delivered. This account has been disabled or discontinued [#102].',
    '550 5.1.1 <b@icloud.com>: inactive email address',
    '550 account is suspended',
  ],
  message_too_large: [
    ['552 5.3.4 Message size exceeds fixed limit', 'mail'],
    ['552 5.3.4 Message too big for system', 'data'],
    ["552-5.2.3 Your message exceeded Google's message size limits. gsmtp\r\n552 5.2.3 bye", 'data'],
    ['552 5.2.3 Message size exceeds fixed maximum message size (10485760)', 'data'],
    ['554 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient', 'data'],
  ],
  rate_limited: [
    ['550 Connection frequency limited. http://service.mail.qq.com/detail/122/1000722', 'connect'],
    ['554 5.7.1 Too many connections from your host, try again later', 'connect'],
    '550 Domain frequency limited [MJ8K7h 192.0.2.1]',
    '554 5.7.1 The server IP address 192.0.2.1 is rate-limited. try later',
    '550 RP:RCL 163 mx12,PsCowEDpmkYY1mFkq,1684 http://mail.163.com/help/help_spam_16.htm',
    '550 5.7.1 The user quota of messages per hour exceeded',
    '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.',
    '450 4.7.1 <b@example.net>: Recipient address rejected: Greylisted, see http://postgrey.example/',
    '451 4.7.1 Greylisting in action, please come back later',
    [
      '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1',
      'mail',
    ],
    [
      '421-4.7.28 Our system has detected an unusual rate of unsolicited mail originating from your IP\r\n421 4.7.28 gsmtp',
      'data',
    ],
    '450-4.2.1 The user you are trying to contact is receiving mail too quickly.\r\n450 4.2.1 Please resend',
    '452 4.3.2 Connection rate limit exceeded.',
    '452 4.5.3 Too many recipients',
    ['421 4.7.0 Too many connections, slow down. OFR004_104 [104]', 'connect'],
    ['451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (S77719)', 'mail'],
    ['451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation.', 'mail'],
    '550 Ip frequency limited [V2VkIEFwciAgMyAxNjozNjo1OSBKU1QgMjAxOQo=]',
  ],
  dns_failure: [
    '550 5.4.4 Unable to route: Host or domain name not found',
    '550 5.4.4 Host or domain name not found',
    '451 4.4.3 Temporary lookup failure',
    '550 5.4.312 Message expired, DNS query failed',
    '451 DNS error',
  ],
  connection: [
    '550 5.1.1 <foo@x.test>: Recipient address rejected: unverified address: connect to mail.internal[10.0.0.2]:25: Connection refused',
    '550 5.1.1 <foo@x.test>: Recipient address rejected: unverified address: connect to mail.internal[10.0.0.2]:25: Connection timed out',
    '550 5.1.1 <foo@x.test>: Recipient address rejected: unverified address: connect to mail.internal[10.0.0.2]:25: No route to host',
    '550 5.1.1 <foo@x.test>: Recipient address rejected: unverified address: lost connection with mail.internal[10.0.0.2] while receiving the initial server greeting',
    '550 5.1.1 <foo@x.test>: Recipient address rejected: unverified address: Address verification in progress',
    '550 5.1.1 <foo@x.test>: Recipient address rejected: unverified address: host mail.internal[10.0.0.2] said: 451 4.3.0 try later',
    '550 5.1.1 <foo@x.test>: Recipient address rejected: unverified address: host mail.internal[10.0.0.2] refused to talk to me: 421 busy',
    '550 5.4.316 Message expired, connection refused(Socket error code 10061)',
    ['421 Service not available, closing transmission channel', 'connect'],
    '451 4.4.1 connection timed out',
    '450 4.4.2 lost connection',
    ['421 bye', 'data'],
  ],
  expired: [
    '550 5.4.7 Delivery expired',
    '450 4.1.1 <b@example.net>: user unknown',
    '450 later',
    '450 mailbox unavailable',
  ],
  content_rejected: [
    ['554 5.7.1 Message rejected under suspicion of SPAM; https://ya.cc/1IrBc', 'data'],
    ['550 spam message rejected. Please visit http://help.mail.ru/notspam-support/id?c=xyz', 'data'],
    ['550 5.7.1 message content rejected', 'data'],
    [
      '552-5.7.0 This message was blocked because its content presents a potential\r\n552 5.7.0 security issue. gsmtp',
      'data',
    ],
    ['550-5.7.1 Our system has detected that this message is likely unsolicited mail.\r\n550 5.7.1 gsmtp', 'data'],
    ['550 Virus Detected; Content Rejected', 'data'],
    ['554 email rejected due to security policies - MCSpamSignature.sa.2.2', 'data'],
    ['554 5.7.0 Reject, id=20025-09 - SPAM', 'data'],
    ['550 Mail content denied', 'data'],
    ['554 5.6.0 bad MIME', 'data'],
  ],
  policy: [
    '550-Called:   192.0.2.1\r\n550-Sent:     RCPT TO:<news@shop.example>\r\n550-Response: 550 No such user\r\n550 Sender verify failed',
    '550 Could not complete sender verify callout',
    '550 5.7.1 You are not allowed to send to this mailing list; user unknown in list',
    '550 5.7.27 Sender address has null MX',
    '550 5.5.0 Mailbox unknown or not accepting mail. LPN007_420',
    '550 5.7.1 Delivery not authorized, message refused',
    ['554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes', 'data'],
    ['554 Message not allowed - [PH01] Email not accepted for policy reasons.', 'data'],
    [
      '554 5.7.1 [CS01] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137',
      'data',
    ],
    '554 5.7.1 <b@example.net>: Relay access denied',
    "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)",
    '554 5.7.1 <b@example.net>: Recipient address rejected: Access denied',
    '550 Administrative prohibition',
    '550 5.7.1 RESOLVER.RST.AuthRequired; authentication required',
    '550 Mailbox unavailable or access denied',
    ['550 5.1.1 user unknown', 'mail'],
    ['553 5.1.8 <a@shop.example>... Domain of sender address does not exist', 'mail'],
    '501 5.1.8 Sender address rejected',
    '550 5.7.1 TRANSPORT.RULES.RejectMessage; the message was rejected by organization policy',
  ],
  reputation: [
    [
      '554 resimta-ch2-11v.sys.comcast.net comcast 192.0.2.1 found on one or more DNSBLs, see http://postmaster.comcast.net/smtp-error-codes.php#BL000010',
      'connect',
    ],
    '554 5.7.1 comcast 192.0.2.1 found on one or more DNSBLs, see http://postmaster.comcast.net/smtp-error-codes.php#BL000010',
    '550 MI:IPB 163 mx7,PsCowEDpmkYY1mFkq,1684 http://mail.163.com/help/help_spam_16.htm',
    '550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP. For more information please go to http://go.microsoft.com/fwlink/?LinkId=526653',
    '550 5.1.8 Access denied, bad outbound sender AS(42004)',
    [
      "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).",
      'mail',
    ],
    ["550 SC-001 (COL004-MC1F5) Unfortunately, messages from 192.0.2.1 weren't sent.", 'mail'],
    [
      '550 5.7.606 Access denied, banned sending IP [192.0.2.1]. To request removal from this list please visit https://sender.office.com/',
      'rcpt',
    ],
    [
      "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list",
      'connect',
    ],
    [
      '550-5.7.1 [192.0.2.1 18] Our system has detected that this message is\r\n550 5.7.1 likely suspicious due to the very low reputation of the sending IP address.',
      'data',
    ],
    '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1',
    [
      '554-web.de (mxweb) Nemesis ESMTP Service not available\r\n554-No SMTP service\r\n554 IP address is block listed.',
      'connect',
    ],
    [
      '554 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.t-online.de to clarify.)',
      'connect',
    ],
    '554 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1',
    ["554 Your access to this mail system has been rejected due to the sending MTA's poor reputation.", 'connect'],
    ['550 5.7.0 Blocked - see https://support.apple.com/en-us/HT204137', 'connect'],
    '550 5.7.1 IP address blacklisted by recipient',
    '550 5.1.1 user unknown or blacklisted',
  ],
  authentication: [
    [
      '550-5.7.26 This mail has been blocked because the sender is unauthenticated.\r\n550 5.7.26 SPF did not pass',
      'data',
    ],
    ['550 5.7.509 Access denied, sending domain shop.example does not pass DMARC verification', 'data'],
    ['550 5.7.515 Access denied, sending domain shop.example does not meet the required authentication level.', 'data'],
    [
      "554 5.7.1 Your message was rejected due to shop.example's DMARC policy. See https://support.apple.com/en-us/HT204137",
      'data',
    ],
    ['550-5.7.25 [192.0.2.1] The IP address sending this message does not have a PTR record setup', 'connect'],
    [
      '554-gmx.net (mxgmx) Nemesis ESMTP Service not available\r\n554-No SMTP service\r\n554 Bad DNS PTR resource record.',
      'connect',
    ],
    ['550 5.7.23 SPF validation failed', 'mail'],
    // RFC 7372: the code names the check, whatever the words are.
    ['550 5.7.20 Rejected as spam: no passing signature', 'data'],
    '550 5.7.25 Recipient policy: rejected',
    ['550 DMARC check failed.', 'data'],
    ['550-Requested action not taken: mailbox unavailable\r\n550 Reject due to SPF policy.', 'rcpt'],
    ['535 5.7.8 Authentication credentials invalid', 'connect'],
    '450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]',
  ].map((row) =>
    typeof row === 'string' ? row : ([row[0]?.replace(/^550-(?=[^\r]*$)/, '550 '), row[1]] as [string, SmtpCommand]),
  ),
  protocol: [
    ['554 5.5.1 Error: no valid recipients', 'data'],
    '554 5.4.0 Error: too many hops',
    '554 5.4.14 Hop count exceeded - possible mail loop ATTR34',
    '500 5.5.1 what?',
    '503 Improper sequence of commands',
    '550 5.4.6 Too many hops',
    '553 5.6.7 no SMTPUTF8',
  ],
  unknown: [
    '550',
    '550 rejected',
    '554 5.0.0 Service unavailable today',
    '554 Transaction failed',
    '553 no',
    ['451 4.3.0 hm', 'data'],
  ],
}

for (const [category, rows] of Object.entries(ROWS)) {
  for (const row of rows) {
    const [line, command] = typeof row === 'string' ? [row, 'rcpt' as const] : row
    test(`${command} answered "${line.slice(0, 90)}" is ${category}`, () =>
      assert.equal(classed(line, command), category))
  }
}

// Replies to RCPT TO:<bob@dest.example>, from alice@poster.test and the host mail.sender.test.
const PARTIES = {
  recipient: 'bob@dest.example',
  ours: ['alice@poster.test', 'b+abc@bounces.poster.test', 'mail.sender.test'],
}
const ABOUT_US = [
  '554 5.7.1 Rejected due to high volume of invalid recipients',
  '550 5.7.1 Blocked for sending to invalid recipients, see https://x.example/',
  '550 5.1.1 Too high a rate of unknown users from your network',
  '554 5.7.1 Directory harvest attack detected: unknown recipient',
  '554 5.7.1 Client blocked, recipient unknown',
  '550 Host unknown: invalid HELO name',
  '550 DNS record for your host does not exist',
  '550 Client host unknown',
  '550 Cannot resolve your domain: no such host',
  '550 Blocked - Domain does not exist: poster.test',
  '550 Domain does not exist: poster.test',
  '550 mail.sender.test does not exist',
  '550 mx1.dest.example: host mail.sender.test not found',
  '550 <alice@poster.test> User unknown',
  '550 5.1.1 <alice@poster.test>: User unknown',
  '550 5.7.1 <alice@poster.test>: no such user',
  '550 no such user b+abc@bounces.poster.test (asked by mx1.dest.example)',
]
const ABOUT_THE_RECIPIENT = [
  '550 5.7.1 <bob@dest.example>: Recipient address rejected: User unknown',
  '550 5.7.1 No such user!',
  '550 5.7.1 Mailbox does not exist',
  '550 User unknown',
  '550 Invalid recipients',
  '550 5.1.1 User unknown (mail.sender.test)',
  '550 5.1.1 no such user at your server',
  '550 5.1.1 <bob@dest.example> user unknown (from alice@poster.test)',
  '550 No such user "bob" for mail from alice@poster.test',
  '550 your message to bob: user unknown',
  '550 error sending mail: user unknown',
  '550 Host dest.example unknown',
  '550 dest.example does not exist, as mail.sender.test was told',
  '550 5.1.2 Host unknown (Name server: dest.example: host not found)',
]
for (const [lines, hard] of [
  [ABOUT_US, false],
  [ABOUT_THE_RECIPIENT, true],
] as const) {
  test(`an unknown user or host means ${hard ? 'the recipient' : 'us'} if the words say so`, () => {
    const found = lines.map((line) => {
      const reply = parseReply(line)
      assert.ok(reply !== null, line)
      return `${bounceFromReply(reply, 'rcpt', PARTIES).type}: ${line}`
    })
    assert.deepEqual(
      found,
      lines.map((line) => `${hard ? 'hard' : 'block'}: ${line}`),
    )
  })
}

test('a domain shared by us and the recipient counts as the recipient’s', () => {
  const reply = replyOf(550, ['Domain does not exist: poster.test'])
  assert.equal(bounceFromReply(reply, 'rcpt', { ...PARTIES, recipient: 'bob@poster.test' }).type, 'hard')
  const named = replyOf(550, ['mx1.staff.poster.test: user unknown'])
  assert.equal(bounceFromReply(named, 'rcpt', { ...PARTIES, recipient: 'bob@staff.poster.test' }).type, 'hard')
})

test('only a 5xx to RCPT or DATA is hard, and nothing that mentions spam', () => {
  const words = fc.constantFrom(
    'user unknown',
    'no such user',
    'blocked',
    'spam',
    'mailbox full',
    '<b@example.net>',
    'domain',
    'or',
    'not',
    'found',
  )
  const status = fc.constantFrom('', '5.1.1 ', '5.1.2 ', '5.7.1 ', '4.1.1 ', '5.1.10 ')
  const command = fc.constantFrom<SmtpCommand>('connect', 'mail', 'rcpt', 'data')
  fc.assert(
    fc.property(
      fc.integer({ min: 400, max: 599 }),
      status,
      fc.array(words, { maxLength: 6 }),
      command,
      (code, enhanced, text, asked) => {
        const { type, category } = bounceFromReply(replyOf(code, [enhanced + text.join(' ')]), asked)
        assert.equal(type, bounceTypeOf(category))
        if (code < 500 || asked === 'connect' || asked === 'mail') assert.notEqual(type, 'hard')
        if (text.includes('spam') || text.includes('blocked')) {
          if (enhanced !== '5.1.1 ' && enhanced !== '5.1.2 ') assert.ok(type !== 'hard' || code >= 500)
        }
      },
    ),
  )
})

test('a text crafted to be slow is classified quickly', () => {
  const evil = ['user a ', 'mailbox ', 'over ', 'message too ', 'account x x ', '<', 'a@', 'host ', '5.1.1 ', 'sender ']
  const startedMs = performance.now()
  for (const piece of evil) bounceFromReply(replyOf(550, [piece.repeat(65_536 / piece.length)]), 'rcpt')
  assert.ok(performance.now() - startedMs < 5_000)
})

/** Reasons in the labels of others, and our categories that agree with each. */
const AGREES: Readonly<Record<string, readonly BounceCategory[]>> = {
  userunknown: ['invalid_recipient', 'inactive_mailbox', 'expired'],
  filtered: ['invalid_recipient', 'inactive_mailbox', 'policy'],
  hasmoved: ['invalid_recipient'],
  hostunknown: ['bad_domain', 'unknown'],
  notaccept: ['bad_domain'],
  networkerror: ['bad_domain', 'dns_failure', 'protocol', 'connection', 'expired'],
  mailboxfull: ['mailbox_full'],
  suspend: ['inactive_mailbox'],
  mesgtoobig: ['message_too_large'],
  exceedlimit: ['message_too_large'],
  toomanyconn: ['rate_limited'],
  expired: ['expired', 'connection'],
  spamdetected: ['content_rejected', 'reputation'],
  virusdetected: ['content_rejected'],
  contenterror: ['content_rejected', 'authentication', 'protocol'],
  notcompliantrfc: ['content_rejected', 'policy'],
  policyviolation: ['policy', 'content_rejected'],
  securityerror: ['policy', 'authentication'],
  norelaying: ['policy'],
  rejected: ['policy', 'authentication', 'unknown', 'reputation'],
  blocked: ['reputation', 'policy', 'authentication', 'unknown', 'connection'],
  badreputation: ['reputation'],
  requireptr: ['authentication', 'policy', 'unknown', 'reputation'],
  authfailure: ['authentication'],
}

const corpora = process.env['POSTHORN_CORPORA']
const skip = corpora === undefined || !existsSync(join(corpora, 'bounce')) ? 'POSTHORN_CORPORA is not set' : false

test('real bounces are classified as others classify them', { skip }, (t) => {
  const folder = join(corpora ?? '', 'bounce')
  const labels = JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')) as Record<
    string,
    { reason: string; hard: boolean }[]
  >
  const odd: string[] = []
  const wronglyHard: string[] = []
  let read = 0
  for (const file of readdirSync(join(folder, 'mails'))) {
    const mail = readFileSync(join(folder, 'mails', file), 'utf8').replaceAll('\r\n', '\n')
    const texts = [...mail.matchAll(/^diagnostic-code:\s*smtp;\s*(.*(?:\n[ \t].*)*)/gim)].map(([, text = '']) =>
      text.replace(/\s*\n\s+/g, ' '),
    )
    const [label, ...more] = labels[file] ?? []
    // In a report about several recipients, the text of each is unknown.
    if (label !== undefined && more.length === 0 && texts.length === 1) {
      const { reason } = label
      const agrees = AGREES[reason]
      const reply = parseReply((texts[0] ?? '').replace(/^(\d{3})-/, '$1 '))
      if (agrees === undefined || reply === null || reply.code < 400 || reply.text.endsWith('=')) continue
      read++
      const { type, category } = bounceFromReply(reply, 'rcpt')
      if (agrees.includes(category)) continue
      odd.push(`${reason} ${category}: ${reply.text}`)
      if (type === 'hard') wronglyHard.push(`${reason} ${category}: ${reply.text}`)
    }
  }
  t.diagnostic(`${read} read, ${odd.length} otherwise:\n${odd.join('\n')}`)
  assert.ok(read > 60)
  // One label calls "5.1.1 User Unknown" a full mailbox; its report mentions the quota elsewhere.
  assert.deepEqual(
    wronglyHard.filter((line) => !/^mailboxfull .* 5\.1\.1 .*User Unknown$/.test(line)),
    [],
  )
  assert.ok(odd.length <= read * 0.05)
})
