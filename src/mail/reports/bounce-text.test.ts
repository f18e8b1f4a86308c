import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prose, readProse } from './bounce-text.ts'

/** The result for each recipient: address, code, command, and the words. */
function told(text: string, failed: readonly string[] = []) {
  return readProse(prose(text), failed).map(({ address, smtpCode, command, diagnostic }) => [
    address,
    smtpCode,
    command,
    diagnostic,
  ])
}

// Each row: a mailer's text, and the result of reading it.
const TEXTS: readonly (readonly [
  what: string,
  text: string,
  told: readonly (readonly [string | null, number | null, string | null, string | null])[],
])[] = [
  [
    'a reply of several lines, each with its code, is one text',
    '<a@b.example>:\n550-5.1.1 The account\n550-5.1.1 that you wrote to\n550 5.1.1 does not exist\n\nGoodbye.',
    [['a@b.example', 550, null, '550-5.1.1 The account 550-5.1.1 that you wrote to 550 5.1.1 does not exist']],
  ],
  [
    'a reply goes on in lines without a code, up to the next reply',
    '<a@b.example>:\n<<< 550 5.1.1 The account\n> does not exist\n221 2.0.0 Bye',
    [['a@b.example', 550, null, '<<< 550 5.1.1 The account does not exist']],
  ],
  [
    'twelve lines of a reply are read',
    `<a@b.example>:\n550 5.1.1 no\n${Array.from({ length: 20 }, (_, i) => `line${i}`).join('\n')}`,
    [['a@b.example', 550, null, `550 5.1.1 no ${Array.from({ length: 11 }, (_, i) => `line${i}`).join(' ')}`]],
  ],
  [
    'a lasting refusal comes before a passing one',
    '<a@b.example>:\n450 4.2.1 try later\n\n550 5.1.1 no such user',
    [['a@b.example', 550, null, '550 5.1.1 no such user']],
  ],
  [
    'a passing refusal comes before what follows from it',
    '<a@b.example>:\n451 4.3.0 try later\n\n503 5.5.1 need RCPT first',
    [['a@b.example', 451, null, '451 4.3.0 try later']],
  ],
  [
    'of two refusals the one with words',
    '<a@b.example>:\n550\n\n550 mailbox full',
    [['a@b.example', 550, null, '550 mailbox full']],
  ],
  [
    'what the mailer said itself is no reply',
    '<a@b.example>:\n>>> RCPT TO:<a@b.example> 550\n<<< 452 4.2.2 mailbox full',
    [['a@b.example', 452, 'rcpt', '<<< 452 4.2.2 mailbox full']],
  ],
  [
    'the command stands before the reply, and the nearest one counts',
    '<a@b.example>:\nin reply to MAIL FROM command\nafter RCPT TO:<a@b.example>\n550 5.7.1 no',
    [['a@b.example', 550, 'rcpt', '550 5.7.1 no']],
  ],
  [
    'an address that is named twice is told of once, by the words that say more',
    '<a@b.example>: delivery failed\n\n<c@d.example>: 552 5.2.2 mailbox full\n\n<a@b.example>: 550 5.1.1 no such user',
    [
      ['a@b.example', 550, null, '<a@b.example>: 550 5.1.1 no such user'],
      ['c@d.example', 552, null, '<c@d.example>: 552 5.2.2 mailbox full'],
    ],
  ],
  [
    'the reply in the line that names another is not borrowed',
    '<a@b.example>: delivery failed\n\n<c@d.example>: 552 5.2.2 mailbox full',
    [
      ['a@b.example', null, null, '<a@b.example>: delivery failed'],
      ['c@d.example', 552, null, '<c@d.example>: 552 5.2.2 mailbox full'],
    ],
  ],
  [
    'a reply behind a list of addresses is about all of them',
    'These addresses had fatal errors:\n<a@b.example>\n<c@b.example>\n\n--- Transcript follows ---\n... while talking to mx.b.example:\n>>> DATA\n<<< 554 5.7.1 rejected as spam',
    [
      ['a@b.example', 554, 'data', '<<< 554 5.7.1 rejected as spam'],
      ['c@b.example', 554, 'data', '<<< 554 5.7.1 rejected as spam'],
    ],
  ],
  [
    'and what says less does not take its place',
    '<a@b.example>: 550 5.1.1 no such user\n\n<c@d.example>: 552 5.2.2 mailbox full\n\n<a@b.example>: delivery failed',
    [
      ['a@b.example', 550, null, '<a@b.example>: 550 5.1.1 no such user'],
      ['c@d.example', 552, null, '<c@d.example>: 552 5.2.2 mailbox full'],
    ],
  ],
  [
    'a reply behind the returned message was written by its sender',
    'The mailbox of a@b.example is full.\n\n--- Below this line is a copy of the message.\n\n550 5.1.1 no such user',
    [['a@b.example', null, null, 'The mailbox of a@b.example is full.']],
  ],
  ['nothing', '', [[null, null, null, null]]],
]
for (const [what, text, expected] of TEXTS) {
  test(`a bounce in prose: ${what}`, () => {
    assert.deepEqual(told(text), expected)
  })
}

test('a text without an address is about the address in the header', () => {
  assert.deepEqual(told('550 5.1.1 no such user', ['a@b.example']), [
    ['a@b.example', 550, null, '550 5.1.1 no such user'],
  ])
})
