import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDeliveryStatus } from './dsn.ts'
import { readParts } from './parts.ts'

/** The result for each recipient of a report with these fields and this human-readable text. */
function told(fields: string, human = 'Your mail was not delivered.') {
  const report = `Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\nContent-Type: text/plain\n\n${human}\n--b\nContent-Type: message/delivery-status\n\n${fields}\n--b--\n`
  return readDeliveryStatus(readParts(Buffer.from(report))).map(
    ({ address, action, enhanced, command, diagnostic }) =>
      `${address} ${action} ${enhanced} ${command}: ${diagnostic}`,
  )
}

const MTA = 'Reporting-MTA: dns; mx.example.net\n\n'

// Each row: the machine-readable part, and its result.
const FIELDS: readonly (readonly [what: string, fields: string, told: readonly string[]])[] = [
  [
    'groups without an empty line between them',
    `${MTA}Final-Recipient: rfc822; a@x.test\nAction: failed\nStatus: 5.1.1\nFinal-Recipient: rfc822; b@x.test\nAction: delayed\nStatus: 4.2.2\n`,
    ['a@x.test failed 5.1.1 null: null', 'b@x.test delayed 4.2.2 null: null'],
  ],
  [
    'an address of other letters, and one that ends in a dot',
    'Final-Recipient: utf-8; jürg@bücher.test\nAction: failed\nStatus: 5.1.1\n\nFinal-Recipient: rfc822; a@x.test.\nAction: failed\nStatus: 5.1.1\n',
    ['jürg@bücher.test failed 5.1.1 null: null', 'a@x.test failed 5.1.1 null: null'],
  ],
  [
    'groups that begin with the action',
    'Action: failed\nFinal-Recipient: rfc822; a@x.test\nStatus: 5.1.1\nAction: delivered\nFinal-Recipient: rfc822; b@x.test\nStatus: 2.0.0\n',
    ['a@x.test failed 5.1.1 null: null', 'b@x.test delivered 2.0.0 null: null'],
  ],
  [
    'the recipient as it was first, where the last is not told',
    `${MTA}Original-Recipient: rfc822;<a@x.test>\nAction: failed\nStatus: 5.1.1\n`,
    ['a@x.test failed 5.1.1 null: null'],
  ],
  ...['delivered', 'delivery', 'relayed', 'expanded'].map(
    (action) =>
      [
        `an action of ${action} without a status`,
        `Final-Recipient: rfc822; a@x.test\nAction: ${action}\n`,
        ['a@x.test delivered null null: null'],
      ] as const,
  ),
  [
    'an action of nobody with a status of success',
    'Final-Recipient: rfc822; a@x.test\nAction: accepted\nStatus: 2.0.0\n',
    ['a@x.test delivered 2.0.0 null: null'],
  ],
  [
    'a failure with a status of success',
    'Final-Recipient: rfc822; a@x.test\nAction: failed\nStatus: 2.0.0\n',
    ['a@x.test failed 2.0.0 null: null'],
  ],
  [
    'deliverable is no action',
    'Final-Recipient: rfc822; a@x.test\nAction: deliverable\nStatus: 5.1.1\n',
    ['a@x.test failed 5.1.1 null: null'],
  ],
  [
    'whoever retries has not failed',
    'Final-Recipient: rfc822; a@x.test\nStatus: 4.4.1\nWill-Retry-Until: Fri, 1 Jan 2027 00:00:00 +0000\n',
    ['a@x.test delayed 4.4.1 null: null'],
  ],
  [
    'the field that quotes a reply says most',
    'Final-Recipient: rfc822; a@x.test\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: x-local; gave up\nX-Supplementary-Info: < #5.1.1 smtp; 550 5.1.1 no such user>\n',
    ['a@x.test failed 5.1.1 null: < #5.1.1 smtp; 550 5.1.1 no such user>'],
  ],
  [
    'words, where none quotes a reply',
    'Final-Recipient: rfc822; a@x.test\nAction: failed\nStatus: 5.1.1 (bad address)\nDiagnostic-Code: x-local; gave up\n',
    ['a@x.test failed 5.1.1 null: x-local; gave up'],
  ],
  [
    'the comment of the status, where there are no words',
    'Final-Recipient: rfc822; a@x.test\nAction: failed\nStatus: 5.1.1 (bad address)\n',
    ['a@x.test failed 5.1.1 null: bad address'],
  ],
  [
    'or what stands behind the status',
    'Final-Recipient: rfc822; a@x.test\nAction: failed\nStatus: 5.1.1 bad address\n',
    ['a@x.test failed 5.1.1 null: bad address'],
  ],
  ['no group of a recipient', MTA, []],
]
for (const [what, fields, expected] of FIELDS) {
  test(`a delivery status: ${what}`, () => {
    assert.deepEqual(told(fields), expected)
  })
}

test('at most a hundred recipients of a report are read', () => {
  const groups = Array.from({ length: 103 }, (_, i) => `Final-Recipient: rfc822; a${i}@x.test\nAction: failed\n`)
  const found = told(groups.join('\n'))
  assert.equal(found.length, 100)
  assert.equal(found.at(-1), 'a99@x.test failed null null: null')
})

// Each row: the human-readable text, and the command that the reply answered.
const HUMANS: readonly (readonly [what: string, human: string, command: string])[] = [
  ['beside the address', '<z@x.test>: after RCPT TO\n\n<a@x.test>: after MAIL FROM\n\nend of DATA', 'mail'],
  ['anywhere, where the address is not named', 'It was refused after RCPT TO.', 'rcpt'],
  ['in a transcript', 'after MAIL FROM: a@x.test\n>>> RCPT To:<a@x.test>\n<<< 550 no', 'rcpt'],
  ['in no transcript without a refusal', 'for a@x.test: after MAIL FROM\n>>> RCPT To:<a@x.test>\n<<< 250 ok', 'rcpt'],
  ['nowhere', 'It was refused.', 'null'],
]
for (const [what, human, command] of HUMANS) {
  test(`the refused command is found ${what}`, () => {
    const fields = 'Final-Recipient: rfc822; a@x.test\nAction: failed\nStatus: 5.0.0\n'
    assert.deepEqual(told(fields, human), [`a@x.test failed 5.0.0 ${command}: null`])
  })
}

test('OpenSMTPD reports its final failure as a delay', () => {
  const fields = 'Final-Recipient: rfc822; a@x.test\nAction: delayed\nStatus: 4.4.7\n'
  assert.deepEqual(told(fields, 'Envelope expired'), ['a@x.test failed 4.4.7 null: null'])
  assert.deepEqual(told(fields), ['a@x.test delayed 4.4.7 null: null'])
})

test('Exim names in its text what each failed address leads to, in the order of the groups', () => {
  const failed = (to: string): string => `Final-Recipient: rfc822;${to}\nAction: failed\nStatus: 5.0.0\n\n`
  const human = [
    '  one@behind.test\n    (generated from Team@x.test)\n    host mx [192.0.2.1]\n    550 5.1.1 no such user',
    '  two@behind.test\n    (ultimately generated from team@x.test)\n    retry timeout exceeded',
    '  plain@x.test\n    retry timeout exceeded',
  ].join('\n')
  const fields = MTA + ['team@x.test', 'plain@x.test', 'team@x.test', 'team@x.test'].map(failed).join('')
  const report = `Content-Type: multipart/report; boundary=b\n\n--b\n\n${human}\n--b\nContent-Type: message/delivery-status\n\n${fields}\n--b--\n`
  assert.deepEqual(
    readDeliveryStatus(readParts(Buffer.from(report))).map(({ behind }) => behind ?? null),
    ['one@behind.test', null, 'two@behind.test', null],
  )
})

// Each row: the field, and the host and address read from it.
const REMOTE: readonly (readonly [field: string, host: string | null, ip: string | null])[] = [
  ['dns; mx1.example.com.', 'mx1.example.com', null],
  ['dns; MX1.example.com (192.0.2.9)', 'mx1.example.com', '192.0.2.9'],
  ['dns; mx1.example.com. (mx1.example.com. [192.0.2.9])', 'mx1.example.com', '192.0.2.9'],
  ['dns; mx1.example.com (TCP|192.0.2.1|25|192.0.2.9|25)', 'mx1.example.com', null],
  ['dns; [192.0.2.9]', null, '192.0.2.9'],
  ['dns; [IPv6:2001:DB8::9]', null, '2001:db8::9'],
  ['dns;192.0.2.9', null, '192.0.2.9'],
  ['dns; mx1.example.com (a.b)', 'mx1.example.com', null],
  ['dns;', null, null],
]
for (const [field, host, ip] of REMOTE) {
  test(`the remote MTA "${field}" is ${host} at ${ip}`, () => {
    const fields = `Final-Recipient: rfc822; a@x.test\nAction: failed\nStatus: 5.1.1\nRemote-MTA: ${field}\n`
    const report = `Content-Type: message/delivery-status\n\n${MTA}${fields}`
    const [one] = readDeliveryStatus(readParts(Buffer.from(report)))
    assert.deepEqual([one?.remoteHost, one?.remoteIp], [host, ip])
  })
}
