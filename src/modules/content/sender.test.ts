import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attachmentFindings } from './attachments.ts'
import { senderFindings } from './sender.ts'
import type { ContentQuestion } from './types.ts'

const MAIL: ContentQuestion = { subject: 's', html: null, text: 't' }

// Each row: the claimed sender, and the findings.
const SENDERS: readonly (readonly [what: string, question: Partial<ContentQuestion>, rules: readonly string[]])[] = [
  ['a house under its own name', { senderName: 'Ann of the Shop', senderDomain: 'shop.example' }, []],
  [
    'a brand at another address',
    { senderName: 'Netflix Österreich', senderDomain: 'shop.example' },
    ['sender_brand 24'],
  ],
  ['a brand at its own address', { senderName: 'Netflix', senderDomain: 'mail.netflix.com' }, []],
  [
    'a brand with marks above its letters',
    { senderName: 'Nétflix', senderDomain: 'shop.example' },
    ['sender_brand 24'],
  ],
  [
    'a brand with characters that display nothing',
    { senderName: `${'\u200b'.repeat(300)}Net\u2063flix \u{e0041}Team`, senderDomain: 'shop.example' },
    ['sender_brand 24'],
  ],
  ...[
    'Nеtflіx',
    'РауРаl Security',
    'Раураӏ',
    '\u{1f17f}\u{1f170}\u{1f188}\u{1f17f}\u{1f170}\u{1f17b}',
    'ᴘᴀʏᴘᴀʟ',
    'P4ypal',
  ].map(
    (name) =>
      [
        `a brand in letters that look like its own: ${name}`,
        { senderName: name, senderDomain: 'shop.example' },
        ['sender_brand 24'],
      ] as const,
  ),
  ['a name in another alphabet', { senderName: 'Раиса Норова', senderDomain: 'shop.example' }, []],
  ['a brand as a site', { senderName: 'Netflix.com', senderDomain: 'shop.example' }, ['sender_brand 24']],
  ['a word that only begins like a brand', { senderName: 'Netflixing', senderDomain: 'shop.example' }, []],
  ['a brand behind 300 characters', { senderName: `${'x '.repeat(150)}Netflix`, senderDomain: 'shop.example' }, []],
  ['a brand, and no address to compare', { senderName: 'Netflix' }, []],
  ['an address, and no name', { senderDomain: 'shop.example' }, []],
  [
    'answers to a mailbox that anybody can have',
    { senderDomain: 'shop.example', replyTo: ['a@shop.example', 'shop@gmail.com'] },
    ['reply_elsewhere 5'],
  ],
  ['answers to the sender', { senderDomain: 'gmail.com', replyTo: ['Shop@Gmail.com'] }, []],
  ['answers to another house', { senderDomain: 'shop.example', replyTo: ['a@other.example'] }, []],
  ['answers, and no address to compare', { replyTo: ['shop@gmail.com'] }, []],
]
for (const [what, question, rules] of SENDERS) {
  test(`a sender: ${what}`, () => {
    const found = senderFindings({ ...MAIL, ...question })
    assert.deepEqual(
      found.map(({ rule, points }) => `${rule} ${points}`),
      rules,
    )
  })
}

// Each row: name and type of a file, and the finding.
const FILES: readonly (readonly [filename: string | null, contentType: string | null, rule: string | null])[] = [
  ['a.pdf', 'application/pdf', null],
  ['exe', null, null],
  ['a.exe', null, 'attachment_program 40'],
  ['A.EXE. ', null, 'attachment_program 40'],
  ['a', 'application/x-msdownload', 'attachment_program 40'],
  ['invoice.pdf.exe', null, 'attachment_double_ending 50'],
  ['v1.2.exe', null, 'attachment_program 40'],
  ['invoice.pdf.zip', null, 'attachment_double_ending 22'],
  ['plans.2026.zip', null, 'attachment_archive 6'],
  ['a.docm', null, 'attachment_macros 22'],
  ['login.html', null, 'attachment_page 14'],
  ['invoice\u202efdp.exe', null, 'attachment_disguised 45'],
  [null, null, null],
]
for (const [filename, contentType, rule] of FILES) {
  test(`a file ${filename} of ${contentType}: ${rule}`, () => {
    const [found] = attachmentFindings([{ filename, contentType }])
    assert.equal(found === undefined ? null : `${found.rule} ${found.points}`, rule)
  })
}

test('a fault of many files is reported once, with the first of them', () => {
  const files = ['a.exe', 'b.exe', 'c.html'].map((filename) => ({ filename, contentType: null }))
  assert.deepEqual(
    attachmentFindings(files).map(({ rule, match }) => `${rule} ${match}`),
    ['attachment_program a.exe', 'attachment_page c.html'],
  )
})
