// Reports in prose only: who wrote them, what they prove, and how unknown words are handled.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounceFromReply } from '../smtp/bounce.ts'
import { replyOf } from '../smtp/reply.ts'
import { isAutomatic, type Report, readReport } from './classify.ts'

const TO = 'bob@dest.example'
const MAILER = 'From: MAILER-DAEMON@mx.dest.example\nSubject: '
const NOBODY = 'Return-Path: <>\n'
const LETTER =
  'My parcel was not delivered; your tracking says undeliverable address, address unknown. Please help.\nWrite me at jane@example.net, Jane'
const JANE = 'From: Jane <jane@example.net>\nSubject: Undelivered parcel'

function told(report: Report): string {
  if (!('recipients' in report)) return report.kind
  const [one] = report.recipients
  return `${report.kind} ${one?.verdict.type} ${one?.verdict.category}`
}

const MAILS: Readonly<Record<string, readonly [headers: string, body: string, expected: string]>> = {
  'a letter, from its writer': [`Return-Path: <jane@example.net>\n${JANE}`, LETTER, 'other'],
  'a letter, from nobody': [NOBODY + JANE, LETTER, 'other'],
  'a letter, whoever sent it': [JANE, LETTER, 'other'],
  'a letter in words of mailers, from its writer': [
    `Return-Path: <jane@example.net>\n${JANE}`,
    `Your message was not delivered to ${TO}: 550 5.1.1 user unknown`,
    'other',
  ],
  'a report under a name, from nobody, that quotes a reply': [
    `${NOBODY}From: Mail at Dest <info@dest.example>\nSubject: Undelivered`,
    `Your message to ${TO} was not delivered.\n550 5.1.1 user unknown`,
    'bounce hard invalid_recipient',
  ],
  'a report in its form, under a name, with a sender': [
    'Return-Path: <jane@example.net>\nFrom: Jane <jane@example.net>\nSubject: Undelivered\nContent-Type: multipart/report; boundary=b',
    `--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; x.example\n\nFinal-Recipient: rfc822; ${TO}\nAction: failed\nStatus: 5.1.1\n--b--`,
    'bounce hard invalid_recipient',
  ],
  'a receipt of who read it, under the subject of a bounce': [
    `${NOBODY}${MAILER}Undelivered Mail Returned to Sender\nContent-Type: multipart/report; report-type=disposition-notification; boundary=b`,
    `--b\n\nYour message could not be delivered? It was displayed.\n--b\nContent-Type: message/disposition-notification\n\nFinal-Recipient: rfc822; ${TO}\nDisposition: manual-action/MDN-sent-manually; displayed\n--b--`,
    'other',
  ],
}

for (const [what, [headers, body, expected]] of Object.entries(MAILS)) {
  test(`${what}: ${expected}`, () => {
    for (const end of ['\n', '\r\n', '\r'])
      assert.equal(told(readReport(Buffer.from(`${headers}\n\n${body}\n`.replaceAll('\n', end)))), expected)
  })
}

const ASKING: readonly (readonly [headers: string, automatic: boolean])[] = [
  ['Subject: unsubscribe\nAuto-Submitted: auto-generated', false],
  ['Subject: Unsubscribe \nAuto-Submitted: Auto-Generated (a mail program)', false],
  ['Subject: unsubscribe', false],
  ['Subject: unsubscribe\nAuto-Submitted: auto-replied', true],
  ['Subject: unsubscribe\nAuto-Submitted: auto-generated; type=vacation', true],
  ['Subject: unsubscribe\nAuto-Submitted: auto-generated\nX-Autoreply: yes', true],
  ['Subject: Re: unsubscribe\nAuto-Submitted: auto-generated', true],
  ['Subject: ticket 1\nAuto-Submitted: auto-generated', true],
]
for (const [headers, automatic] of ASKING) {
  test(`mail that unsubscribes, ${JSON.stringify(headers)}: ${automatic ? 'a machine answers' : 'it counts'}`, () => {
    assert.equal(isAutomatic(Buffer.from(`From: bob@dest.example\n${headers}\n\nx`), false), automatic)
  })
}

test('a status that names a failed check is authentication, whatever the words', () => {
  for (const words of ['rejected by local policy', 'message refused', 'blocked', 'multiple checks failed'])
    for (const detail of [20, 21, 22, 23, 24, 25, 26])
      assert.equal(bounceFromReply(replyOf(550, [`5.7.${detail} ${words}`]), 'data').category, 'authentication', words)
})

test('boundaries of parts nested too deep are not read as prose', () => {
  const opening = (level: number): string => `Content-Type: multipart/mixed; boundary="b${level}x"\n\n--b${level}x\n`
  const deep = Array.from({ length: 200 }, (_, level) => opening(level)).join('')
  const report = readReport(Buffer.from(`${NOBODY}${MAILER}Undelivered\n${deep}\nuser unknown\n--b199x--\n`))
  assert.equal(told(report), 'bounce unknown unknown')
  assert.doesNotMatch(JSON.stringify(report), /--b|Content-Type/)
})

const HARD = 'bounce hard invalid_recipient'
const WORDS: readonly (readonly [subject: string, body: string, expected: string])[] = [
  ['Undelivered', `Your message to ${TO} could not be delivered.\nUser unknown`, HARD],
  ['Returned mail: User unknown', `The following addresses had permanent errors: <${TO}>`, HARD],
  [
    'Undelivered',
    `Your message to ${TO} could not be delivered, for one of these:\n- user unknown\n- no route`,
    'bounce soft inactive_mailbox',
  ],
  ['Message non distribué', `Votre message à ${TO} n'a pas été distribué.\nUtilisateur inconnu`, HARD],
  ['Échec de la remise', `Votre message à ${TO} n'a pas été remis.\nUtilisateur inconnu`, HARD],
  ['Messaggio non consegnato', `Il messaggio a ${TO} non è stato consegnato.\nUtente sconosciuto`, HARD],
  ['Mensagem não entregue', `A mensagem para ${TO} não foi entregue.\nUsuário desconhecido`, HARD],
  [
    'Bericht niet afgeleverd',
    `Uw bericht aan ${TO} is niet afgeleverd.\nOnbekende gebruiker: gebruiker onbekend`,
    HARD,
  ],
  ['Wiadomość niedostarczona', `Wiadomość do ${TO} nie została dostarczona.\nUżytkownik nieznany`, HARD],
  ['İleti teslim edilemedi', `${TO} adresine ileti teslim edilemedi.\nKullanıcı bulunamadı`, HARD],
  ['Сообщение не доставлено', `Сообщение для ${TO} не доставлено.\nНеизвестный пользователь`, HARD],
  ['メールを配信できませんでした', `${TO} に配信できませんでした。\n不明なユーザー`, HARD],
  ['邮件未送达', `发往 ${TO} 的邮件未送达。\n用户未知`, HARD],
  ['메일 전송 실패', `${TO} 에게 전송하지 못했습니다.\n알 수 없는 사용자`, HARD],
  ['메일이 배달되지 않았습니다', `${TO} 메일함을 확인하십시오.`, 'bounce unknown unknown'],
  ['Viesti', `Viestiä osoitteeseen ${TO} ei voitu toimittaa.`, 'bounce unknown unknown'],
  ['Försenat: brev', `Brevet till ${TO} har inte nått fram.`, 'other'],
  ['Notice', 'Your mail was delivered.', 'other'],
]
for (const [subject, body, expected] of WORDS) {
  test(`a mailer's own words, ${subject}, ${body.split('\n').at(-1)}: ${expected}`, () => {
    const type = 'Content-Type: text/plain; charset=utf-8'
    for (const end of ['\n', '\r\n', '\r'])
      assert.equal(
        told(readReport(Buffer.from(`${NOBODY}${MAILER}${subject}\n${type}\n\n${body}\n`.replaceAll('\n', end)))),
        expected,
      )
  })
}
test('unknown words without an empty sender do not count as a report', () => {
  assert.equal(told(readReport(Buffer.from(`${MAILER}Viesti\n\nViestiä ei voitu toimittaa.\n`))), 'other')
})
