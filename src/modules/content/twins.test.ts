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

test('a rule sees its crime in the mail that commits it, and in none that speaks of the same things', () => {
  for (const { rules, fraud, honest } of TWINS) {
    const breaks = ([subject, text]: readonly [string, string]) => {
      const { score, matches } = scoreContent(plain(subject, text))
      return { score, broken: matches.filter(({ rule }) => rules.includes(rule)).length, said: `${subject}: ${score}` }
    }
    for (const { score, broken, said } of fraud.map(breaks)) assert.ok(broken > 0 && score < 60, said)
    for (const { score, broken, said } of honest.map(breaks)) assert.ok(broken === 0 && score >= 80, said)
  }
})

test('a lesson about fraud may quote it, where nothing leads out of the house', () => {
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

test('a link that shows a brand where one signs in, and a field for a password, are high at least on their own', () => {
  const shown = '<p>Please log in at <a href="http://evil.example.ru/pp">https://www.paypal.com/signin</a></p>'
  const asked = '<form action="https://x.example"><input name="email"><input type="password"><button>Go</button></form>'
  for (const html of [shown, asked]) assert.ok(scoreContent(page(html)).score < 60, html)
})
