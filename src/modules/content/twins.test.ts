import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TWINS } from '../../../test/content-mails/twins.ts'
import { scoreContent } from './score.ts'
import type { ContentQuestion } from './types.ts'

const plain = (subject: string, text: string): ContentQuestion => ({ subject, html: null, text })
const page = (html: string): ContentQuestion => ({ subject: 'About your visit', html, text: null })
const rulesOf = (question: ContentQuestion): string =>
  scoreContent(question)
    .matches.map(({ rule }) => rule)
    .join(', ')

test('a rule finds its crime in the mail that commits it, and not in honest mail about the same things', () => {
  for (const { rules, fraud, honest } of TWINS) {
    const breaks = ([subject, text]: readonly [string, string]) => {
      const { score, matches } = scoreContent(plain(subject, text))
      return { score, broken: matches.filter(({ rule }) => rules.includes(rule)).length, said: `${subject}: ${score}` }
    }
    for (const { score, broken, said } of fraud.map(breaks)) assert.ok(broken > 0 && score < 60, said)
    for (const { score, broken, said } of honest.map(breaks)) assert.ok(broken === 0 && score >= 80, said)
  }
})

test('a lesson about fraud may quote it when nothing leads away from the sender', () => {
  const quotes = `Phrases to beware of: "Your account has been suspended", "Verify your password within 24 hours", "Click here
    immediately", "Are you available? Buy five gift cards and send me the codes". Forward such mails to the helpdesk.`
  const lesson = plain('This month: phishing training', quotes)
  const at = (address: string): ContentQuestion => ({
    ...lesson,
    text: `${lesson.text} https://${address}/`,
    senderDomain: 'harlow.org',
  })
  for (const one of [lesson, at('learn.harlow.org')]) assert.ok(scoreContent(one).score >= 60, rulesOf(one))
  const others = [
    at('elsewhere.org'),
    { ...lesson, subject: 'Hello' },
    { ...lesson, text: `${lesson.text} Or call +1 888 555 0143.` },
    { ...lesson, text: `${lesson.text} Or write to it.team.desk@gmail.com.` },
    { ...lesson, attachments: [{ filename: 'a.js', contentType: null }] },
  ]
  for (const one of others) assert.ok(scoreContent(one).score < 40, rulesOf(one))
})

test('a link that shows a sign-in page of a brand, or a password field, alone makes a mail at least high', () => {
  const shown = '<p>Please log in at <a href="http://evil.example.ru/pp">https://www.paypal.com/signin</a></p>'
  const asked = '<form action="https://x.example"><input name="email"><input type="password"><button>Go</button></form>'
  for (const html of [shown, asked]) assert.ok(scoreContent(page(html)).score < 60, html)
})

test('a host that borrows the name of the brand in the mail, or a recording that is a page, makes it at least high', () => {
  const mails: readonly ContentQuestion[] = [
    plain(
      'A document to review and sign via DocuSign',
      'You have received a document to sign via DocuSign: https://docu-signz.click/d/1',
    ),
    plain(
      'ING: uw betaalpas verloopt',
      'Uw ING betaalpas verloopt. Vraag een nieuwe aan: https://ing-pas.info/aanvragen',
    ),
    plain('InPost', 'Twoja paczka InPost czeka. Dopłać 1,29 zł: https://inpost-doplata.info/p'),
    plain('Poste Italiane: conto', 'Aggiorni il suo conto Poste Italiane: https://poste-sicurezza.xyz/login'),
    plain('CTT', 'A sua encomenda CTT aguarda o pagamento da taxa: https://ctt-taxa.top/p'),
    page('<p>Il suo conto: <a href="https://poste-sicurezza.xyz/l">https://www.poste.it/login</a></p>'),
    page('<p>Your account: <a href="https://harlow-club.top/l">https://www.harlow.example.org/login</a></p>'),
    {
      ...plain('Message', 'Please see attached.'),
      attachments: [{ filename: 'VM_0043.html', contentType: 'text/html' }],
    },
    { ...plain('Fax', 'A fax of 2 pages is attached.'), attachments: [{ filename: 'a.htm', contentType: null }] },
  ]
  for (const one of mails) assert.ok(scoreContent(one).score < 60, `${one.subject}: ${rulesOf(one)}`)
  const honest: readonly ContentQuestion[] = [
    plain('Ihr Angebot', 'Guten Tag, anbei das Angebot. Dipl.-Ing. Weber, https://ing-weber.example'),
    plain('Offre', 'Le poste est ouvert : https://poste-a-pourvoir.example/offre'),
    page('<p>See <a href="https://click.mailer.example/1">https://shop.example.org/spring</a></p>'),
  ]
  for (const one of honest) assert.ok(scoreContent(one).score >= 60, `${one.subject}: ${rulesOf(one)}`)
})
