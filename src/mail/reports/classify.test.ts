import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import fc from 'fast-check'
import { inTimeZone } from '../../../test/world/time-zone.ts'
import { type Report, readReport } from './classify.ts'

const corpora = process.env['POSTHORN_CORPORA']
const skip = corpora === undefined && 'POSTHORN_CORPORA is unset'

const DSN = (fields: string, prose = 'Your mail was not delivered.'): Buffer =>
  Buffer.from(
    `From: MAILER-DAEMON@mx.example.net\nSubject: Undelivered Mail Returned to Sender\nContent-Type: multipart/report; report-type=delivery-status; boundary="b"\n\n--b\nContent-Type: text/plain\n\n${prose}\n\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.net\n\n${fields}\n\n--b\nContent-Type: text/rfc822-headers\n\nMessage-ID: <one@shop.example>\nSubject: Order\n\n--b--\n`,
  )
const TEXT = (body: string, headers = 'From: MAILER-DAEMON@mx.example.net\nSubject: failure notice'): Buffer =>
  Buffer.from(`${headers}\n\n${body}`)

function told(report: Report): string {
  if (!('recipients' in report)) return report.kind
  return [report.kind, ...report.recipients.map(({ verdict }) => `${verdict.type} ${verdict.category}`)].join(', ')
}

const REPORTS: readonly (readonly [name: string, mail: Buffer, expected: string])[] = [
  [
    'an unknown user, told by a receiver',
    DSN(
      'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 <a@b.example>: no such user',
    ),
    'bounce, hard invalid_recipient',
  ],
  [
    'two recipients of one report',
    DSN(
      'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.2.2\nDiagnostic-Code: smtp; 552 5.2.2 mailbox full\n\nFinal-Recipient: rfc822; c@b.example\nAction: delivered\nStatus: 2.0.0',
    ),
    'bounce, soft mailbox_full, unknown unknown',
  ],
  [
    'a delay is not a failure',
    DSN(
      'Final-Recipient: rfc822; a@b.example\nAction: delayed\nStatus: 4.4.1\nWill-Retry-Until: Fri, 1 Jan 2027 00:00:00 +0000',
    ),
    'delayed, soft connection',
  ],
  [
    'a success is not a bounce',
    DSN('Final-Recipient: rfc822; a@b.example\nAction: relayed\nStatus: 2.1.9\nDiagnostic-Code: smtp; 250 ok'),
    'delivered, unknown unknown',
  ],
  [
    'a block says nothing against the address',
    DSN(
      'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.7.1\nDiagnostic-Code: smtp; 550 5.7.1 blocked using zen.spamhaus.org',
    ),
    'bounce, block reputation',
  ],
  [
    'the domain does not exist, says the mailer',
    DSN(
      'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.4.4\nDiagnostic-Code: X-Postfix; Host or domain name not found. Name service error for name=b.example type=AAAA: Host not found',
    ),
    'bounce, hard bad_domain',
  ],
  [
    'the sender was refused, in words used of recipients',
    DSN(
      'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 no such user',
      '<a@b.example>: host mx.b.example[192.0.2.1] said: 550 no such user (in reply to MAIL FROM command)',
    ),
    'bounce, block policy',
  ],
  [
    'after the data the words are those of a filter',
    DSN(
      'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 user unknown (in reply to end of DATA command)',
    ),
    'bounce, block policy',
  ],
  [
    'a status without words, and a reply in the prose',
    DSN(
      'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.0.0',
      '<a@b.example>: host mx.b.example[192.0.2.1] said: 552 5.2.2 mailbox full',
    ),
    'bounce, soft mailbox_full',
  ],
  [
    'a status that names a cause, and words that resemble another',
    DSN(
      'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.1.1',
      '<a@b.example>: the mailbox may be full',
    ),
    'bounce, hard invalid_recipient',
  ],
  [
    'a reply in the fields, and another one in the prose',
    DSN(
      'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 no such user',
      '<a@b.example>: host mx.b.example[192.0.2.1] said: 552 5.2.2 mailbox full',
    ),
    'bounce, hard invalid_recipient',
  ],
  [
    'a cause in the subject alone',
    TEXT(
      'Your mail to a@b.example could not be delivered.',
      'From: MAILER-DAEMON@x.example\nSubject: Mail failure: user unknown',
    ),
    'bounce, hard invalid_recipient',
  ],
  [
    'a cause in the subject, and another one in the text',
    TEXT(
      'Your mail to a@b.example could not be delivered: mailbox full',
      'From: MAILER-DAEMON@x.example\nSubject: Mail failure: user unknown',
    ),
    'bounce, soft mailbox_full',
  ],
  [
    'a report whose fields lost their part',
    TEXT(
      'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 unknown',
    ),
    'bounce, hard invalid_recipient',
  ],
  [
    'qmail',
    TEXT(
      "Hi. This is the qmail-send program at x.example.\nI'm afraid I wasn't able to deliver your message.\n\n<a@b.example>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n--- Below this line is a copy of the message.\n\nSubject: 550 spam",
    ),
    'bounce, hard invalid_recipient',
  ],
  [
    'Exim',
    TEXT(
      'This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered.\n\n  a@b.example\n    SMTP error from remote mail server after RCPT TO:<a@b.example>:\n    host mx.b.example [192.0.2.1]: 550 No such user here\n',
    ),
    'bounce, hard invalid_recipient',
  ],
  [
    'two recipients in prose, one refused in words and one by a reply',
    TEXT(
      'This is the Postfix program at host x.\n\n<a@b.example>: Host or domain name not found. Name service error for name=b.example type=A: Host not found\n\n<c@d.example>: host mx.d.example[192.0.2.1] said: 552 5.2.2 mailbox full (in reply to RCPT TO command)\n',
    ),
    'bounce, hard bad_domain, soft mailbox_full',
  ],
  [
    'a mailer in another language',
    TEXT(
      'No se pudo entregar a estos destinatarios:\na@b.example\nEl buzón del destinatario está lleno',
      'From: postmaster@x.example\nSubject: No se puede entregar\nContent-Type: text/plain; charset=utf-8',
    ),
    'bounce, soft mailbox_full',
  ],
  [
    'a warning that goes on trying',
    TEXT(
      'The address to which the message has not yet been delivered is:\n\n  a@b.example\n\nDelivery attempts will continue for some time',
      'From: Mailer-Daemon@x.example\nSubject: Warning: message 1abc delayed 24 hours',
    ),
    'delayed, unknown unknown',
  ],
  ...[
    'Precedence: auto_reply',
    'X-Autoreply: yes',
    'X-Autorespond: yes',
    'X-Auto-Response-Type: vacation',
    'Auto-Submitted: auto-replied',
  ].map(
    (field) =>
      [
        `an answering machine that says ${field}`,
        TEXT('I am away.', `From: a@b.example\nSubject: Re: Order\n${field}`),
        'auto_reply',
      ] as const,
  ),
  ...['Precedence: bulk', 'X-Autoreply: no', 'X-Auto-Response-Suppress: All', 'Auto-Submitted: no'].map(
    (field) =>
      [
        `nobody's machine, by ${field}`,
        TEXT('I am here.', `From: a@b.example\nSubject: Re: Order\n${field}`),
        'other',
      ] as const,
  ),
  ['a vacation', TEXT('I am away.', 'From: a@b.example\nSubject: Automatic reply: Order'), 'auto_reply'],
  [
    'an answering machine by RFC 3834 that talks of unknown users',
    TEXT(
      'No such user here any more, mailbox does not exist.',
      'From: a@b.example\nAuto-Submitted: auto-replied\nSubject: Re: Order',
    ),
    'auto_reply',
  ],
  ['a person', TEXT('Thanks, I could not open it.', 'From: a@b.example\nSubject: Re: Order'), 'other'],
  ['nothing', Buffer.alloc(0), 'other'],
]
for (const [name, mail, expected] of REPORTS) {
  test(`${name}: ${expected}, with LF, CRLF and CR`, () => {
    const text = mail.toString()
    for (const end of ['\n', '\r\n', '\r']) {
      assert.equal(told(readReport(Buffer.from(text.replaceAll('\n', end)))), expected)
    }
  })
}

test('the date of a complaint is in the zone that it names, and in UTC without one', () =>
  inTimeZone('Asia/Tokyo', () => {
    const dates: readonly (readonly [told: string, expected: string | undefined])[] = [
      ['Thu, 26 Nov 2026 10:00:00 +0200 (EET)', '2026-11-26T08:00:00.000Z'],
      ['Thu, 26 Nov 2026 10:00:00 GMT', '2026-11-26T10:00:00.000Z'],
      ['2026-11-26T10:00:00-05:00', '2026-11-26T15:00:00.000Z'],
      ['Thu, 26 Nov 2026 10:00:00', '2026-11-26T10:00:00.000Z'],
      ['2026-11-26 10:00:00', '2026-11-26T10:00:00.000Z'],
      ['yesterday', undefined],
    ]
    for (const [told, expected] of dates) {
      const report = readReport(
        Buffer.from(
          `Content-Type: multipart/report; report-type=feedback-report; boundary=b\n\n--b\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\nArrival-Date: ${told}\n\n--b--\n`,
        ),
      )
      assert.ok(report.kind === 'complaint')
      assert.equal(report.feedback.arrivalDate?.toISOString(), expected, told)
    }
  }))

/** The expected JSON of the samples, with our names. */
const plain = (value: unknown): string | null => (typeof value === 'string' ? value.replace(/\s+/g, ' ') : null)

test('every ARF sample is parsed correctly', { skip }, () => {
  const folder = join(corpora ?? '', 'arf', 'resources', 'arf')
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml'))
  assert.ok(names.length > 0)
  for (const name of names) {
    const expected = JSON.parse(readFileSync(join(folder, name.replace('.eml', '.json')), 'utf8'))
    const report = readReport(readFileSync(join(folder, name)))
    assert.ok(report.kind === 'complaint', name)
    const { feedback } = report
    const squeezed = (text: string): string => text.replaceAll('-', '').toLowerCase()
    assert.equal(squeezed(feedback.type), expected.feedback_type.toLowerCase(), name)
    assert.equal(feedback.arrivalDate === null ? null : feedback.arrivalDate.getTime() / 1000, expected.arrival_date)
    assert.deepEqual(
      feedback.authenticationResults,
      expected.authentication_results.map((one: string) => plain(one)),
    )
    assert.equal(feedback.incidents, expected.incidents)
    assert.equal(feedback.originalEnvelopeId, expected.original_envelope_id)
    assert.equal(feedback.originalMailFrom, expected.original_mail_from)
    assert.equal(feedback.originalRcptTo[0] ?? null, expected.original_rcpt_to)
    assert.deepEqual(feedback.reportedDomains, expected.reported_domain)
    assert.deepEqual(feedback.reportedUris, expected.reported_uri)
    assert.equal(feedback.reportingMta, expected.reporting_mta)
    assert.equal(feedback.sourceIp, expected.source_ip)
    assert.equal(feedback.userAgent, expected.user_agent)
    assert.equal(feedback.version, expected.version)
    assert.equal(feedback.authFailure ?? 'unspecified', expected.auth_failure.toLowerCase())
    assert.equal(feedback.deliveryResult ?? 'unspecified', expected.delivery_result.toLowerCase())
    assert.equal(feedback.dkimDomain, expected.dkim_domain)
    assert.equal(feedback.dkimIdentity, expected.dkim_identity)
    assert.equal(feedback.dkimSelector, expected.dkim_selector)
  }
})

interface Label {
  readonly hard: boolean
  readonly feedback: string | null
  readonly reason: string
}

test('labelled bounces: detected and hard agreement at least 97 %, false hard at most 1 %', { skip }, () => {
  const folder = join(corpora ?? '', 'bounce')
  const labels = JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')) as Record<string, Label[]>
  let [bounces, detected, judged, agreed, falseHard] = [0, 0, 0, 0, 0]
  for (const [name, label] of Object.entries(labels)) {
    const report = readReport(readFileSync(join(folder, 'mails', name)))
    const reason = label[0]?.reason
    if (reason === 'vacation' || reason === 'delivered' || reason === 'feedback') {
      assert.notEqual(report.kind, 'bounce', name)
      if (reason === 'feedback') assert.equal(report.kind, 'complaint', name)
      continue
    }
    bounces++
    if (report.kind !== 'bounce' && report.kind !== 'delayed') continue
    detected++
    for (const [index, { hard }] of label.entries()) {
      const one = report.recipients[index] ?? report.recipients[0]
      const ours = report.kind === 'bounce' && one?.verdict.type === 'hard'
      judged++
      agreed += Number(ours === hard)
      falseHard += Number(ours && !hard)
    }
  }
  assert.ok(bounces > 200)
  assert.ok(detected >= bounces * 0.97, `detected ${detected} of ${bounces}`)
  assert.ok(agreed >= judged * 0.97, `agreed on ${agreed} of ${judged}`)
  assert.ok(falseHard <= judged * 0.01, `false hard ${falseHard} of ${judged}`)
})

const repeat = (text: string, times: number): string => text.repeat(times)
const MULTIPART = 'From: MAILER-DAEMON@x\nContent-Type: multipart/report; report-type=delivery-status; boundary="b"\n\n'
const STATUS = `${MULTIPART}--b\nContent-Type: message/delivery-status\n\n`
const BOMBS: readonly (readonly [name: string, text: string])[] = [
  ['a million fields', `${repeat('A: b\n', 1_000_000)}\nx`],
  ['one field of 20 MB', `Subject: ${repeat('a', 20_000_000)}\n\nx`],
  ['a folded field of 200,000 lines', `Subject: x\n${repeat(' y\n', 200_000)}\nundeliverable`],
  ['a million parts', `${MULTIPART}${repeat('--b\n\nx\n', 1_000_000)}`],
  ['nesting', repeat('Content-Type: multipart/mixed; boundary="b"\n\n--b\n', 10_000)],
  ['message in message', repeat('From: MAILER-DAEMON@x\nContent-Type: message/rfc822\n\n', 1_000)],
  ['100,000 recipients', STATUS + repeat('Final-Recipient: rfc822; a@b.c\nAction: failed\nStatus: 5.1.1\n\n', 100_000)],
  [
    'a diagnostic of 10,000 lines',
    `${STATUS}Action: failed\nDiagnostic-Code: smtp; 550${repeat('\n user unknown', 10_000)}\n\n`,
  ],
  ['a diagnostic of one word', `${STATUS}Action: failed\nDiagnostic-Code: ${repeat('a', 1_000_000)}\n\n`],
  ['encoded words', `From: MAILER-DAEMON@x\nSubject: ${repeat('=?utf-8?Q?a?= ', 100_000)}\n\nx`],
  ['a boundary of a megabyte', `Content-Type: multipart/mixed; boundary="${repeat('b', 1_000_000)}"\n\nx`],
  ['names of properties', `__proto__: x\nconstructor: y\nhasOwnProperty: z\n\nundeliverable`],
  ['JSON depth', `From: a@b.c\n\n{"notificationType":${repeat('[', 1_000_000)}`],
  ...[
    '<',
    '-',
    ' ',
    '550 ',
    'a@',
    '5.1.1 ',
    'to: ',
    '\n550 ',
    '\n<a@b.c>: ',
    '=3D',
    '<b ',
    '<script',
    '&amp',
    'の',
    '(',
    'host a.',
  ].map(
    (text) =>
      [
        `prose of ${JSON.stringify(text)}`,
        `From: MAILER-DAEMON@x\nSubject: failure notice\n\nnot delivered\n${repeat(text, 300_000)}`,
      ] as const,
  ),
  ...['<', '<style>', '<a b ', '&', '<!--', '\n ', ' '].map(
    (text) =>
      [
        `HTML of ${JSON.stringify(text)}`,
        `From: MAILER-DAEMON@x\nContent-Type: text/html\nSubject: undeliverable\n\n${repeat(text, 300_000)}`,
      ] as const,
  ),
  ['lone CRs', repeat('\r', 3_000_000)],
  [
    'ISO-2022-JP',
    `From: MAILER-DAEMON@x\nContent-Type: text/plain; charset=iso-2022-jp\n\n${repeat('\x1b$B', 500_000)}`,
  ],
]
for (const [name, text] of BOMBS) {
  test(`a bomb is read within a second: ${name}`, () => {
    const raw = Buffer.from(text)
    const started = process.cpuUsage().user
    readReport(raw)
    assert.ok(process.cpuUsage().user - started < 1_000_000, `${(process.cpuUsage().user - started) / 1000} ms`)
  })
}

test('no bytes make it throw', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          '\n',
          '\r\n',
          '\n\n',
          '--b',
          'Content-Type: multipart/report; boundary=b\n',
          'Content-Type: message/delivery-status\n\n',
          'Action: failed\n',
          'Status: 5.',
          '550 ',
          '<a@b.c>',
          ':',
          '=?',
          '\u0000',
          'é',
          '(',
          'smtp; ',
        ),
      ),
      (pieces) => {
        readReport(Buffer.from(`From: mailer-daemon@x\n${pieces.join('')}`))
      },
    ),
    { numRuns: 500 },
  )
})

test('every complaint of the labelled mails has the kind of feedback its label says', { skip }, () => {
  const folder = join(corpora ?? '', 'bounce')
  const labels = JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')) as Record<string, Label[]>
  const complaints = Object.entries(labels).filter(([, label]) => label.some(({ feedback }) => feedback !== null))
  assert.ok(complaints.length > 0)
  for (const [name, label] of complaints) {
    const report = readReport(readFileSync(join(folder, 'mails', name)))
    assert.equal(report.kind === 'complaint' ? report.feedback.type : report.kind, label[0]?.feedback, name)
  }
})

/** Set `MUTATIONS=100000` for a longer run. */
const MUTATIONS = Number(process.env['MUTATIONS'] ?? 10_000)

test(`every mail of the corpora and ${MUTATIONS} mutations: no crash, none over a second, line ends alike`, {
  skip,
}, (t) => {
  const files = ['mime', 'bounce/mails', 'arf', 'dkim']
    .flatMap((name) => readdirSync(join(corpora ?? '', name), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(?:eml|txt|msg)$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
  assert.ok(files.length > 100)
  let slowest = 0
  const read = (raw: Buffer): string => {
    const started = performance.now()
    const report = readReport(raw)
    slowest = Math.max(slowest, performance.now() - started)
    return JSON.stringify(report)
  }
  const readAllEnds = (raw: Buffer): void => {
    const text = raw.toString('latin1').replace(/\r\n?/g, '\n')
    const [lf, crlf, cr] = ['\n', '\r\n', '\r'].map((end) => read(Buffer.from(text.replaceAll('\n', end), 'latin1')))
    assert.equal(crlf, lf)
    assert.equal(cr, lf)
  }
  for (const raw of files) {
    read(raw)
    readAllEnds(raw)
  }
  const random = randomOf(7)
  for (let run = 0; run < MUTATIONS; run++) {
    let raw: Buffer = Buffer.from(files[random(files.length)] ?? [])
    for (let times = 1 + random(4); times > 0; times--) raw = mutated(raw, random)
    read(raw)
    if (run % 10 === 0) readAllEnds(raw)
  }
  t.diagnostic(`${files.length} mails, slowest ${slowest.toFixed(0)} ms`)
  assert.ok(slowest < 1_000, `slowest ${slowest} ms`)
})

function randomOf(from: number): (below: number) => number {
  let seed = from
  return (below) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
}

const TOKENS = [
  '\r',
  '\n',
  '\r\n\r\n',
  '--',
  '=?utf-8?B?',
  'Content-Type: multipart/mixed; boundary=',
  '\0',
  '"',
  ';',
  '5.1.1',
  '=',
  '@',
]

/** Applies one mutation like radamsa and zzuf: flip, cut, duplicate, move, lengthen, or insert a token of the format. */
function mutated(raw: Buffer, random: (below: number) => number): Buffer {
  const [a, b] = [random(raw.length + 1), random(raw.length + 1)].toSorted((x, y) => x - y) as [number, number]
  const [before, between, after] = [raw.subarray(0, a), raw.subarray(a, b), raw.subarray(b)]
  switch (random(7)) {
    case 0: {
      const flipped = Buffer.from(raw)
      for (let flips = random(20); flips > 0; flips--) flipped[random(raw.length)] = random(256)
      return flipped
    }
    case 1:
      return Buffer.concat([before, after])
    case 2:
      return Buffer.concat([before, between, between, after])
    case 3:
      return Buffer.concat([before, after, between])
    case 4: {
      const piece = between.subarray(0, 200)
      return Buffer.concat([before, ...Array.from({ length: random(1_000) }, () => piece), after])
    }
    case 5:
      return before
    default:
      return Buffer.concat([before, Buffer.from(TOKENS[random(TOKENS.length)] ?? ''), raw.subarray(a)])
  }
}
