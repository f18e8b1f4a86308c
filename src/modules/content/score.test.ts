import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../platform/clock.ts'
import { scoreContent } from './score.ts'

const GOOD: readonly (readonly [subject: string, html: string])[] = [
  [
    'Your order 4711 has shipped',
    '<p>Hello Ana,</p><p>your order is on its way. <a href="https://shop.example/t/1">Track it</a></p>',
  ],
  [
    'Reset your password',
    '<p>Someone asked to reset the password of your account. <a href="https://app.example/r/x">Choose a new one</a>. If it was not you, ignore this mail.</p>',
  ],
  [
    'Ihre Rechnung vom 3. Mai',
    '<p>Guten Tag, anbei Ihre Rechnung. Bei Fragen antworten Sie einfach auf diese Mail.</p>',
  ],
  [
    'The May newsletter: what is new',
    '<div style="display:none">What we built this month</div><h1>May</h1><p>Three things are new. <a href="https://news.example/a">Read on</a> or <a href="https://news.example/u">unsubscribe</a>.</p><img src="x">',
  ],
]
const BAD: readonly (readonly [subject: string, html: string])[] = [
  [
    'Final notice',
    '<p>Dear customer, your account has been suspended. Verify your account within 24 hours: <a href="http://evil.example/login">https://www.mybank.example.com</a></p>',
  ],
  ['YOU ARE A WINNER!!! $$$', '<p>You have won one million dollars. Act now, contact us for your atm card.</p>'],
  [
    'Ihr Konto wurde gesperrt',
    '<p>Bestätigen Sie Ihre Identität innerhalb von 24 Stunden, hier klicken: <a href="http://192.0.2.7/x">Login</a></p>',
  ],
]

test('plain transactional mail and newsletters score at least 80', () => {
  for (const [subject, html] of GOOD) assert.ok(scoreContent({ subject, html, text: null }).score >= 80, subject)
})

test('phishing and scams score at most 40, and each match says what to do', () => {
  for (const [subject, html] of BAD) {
    const { score, matches } = scoreContent({ subject, html, text: null })
    assert.ok(score <= 40, `${subject}: ${score}`)
    for (const { suggestion, match } of matches) assert.ok(suggestion !== '' && match !== '')
  }
})

test('1 MB of hostile input is scored within 300 ms, html and text alike', () => {
  const size = 1_000_000
  const hostile = [
    'a',
    '<',
    '<a ',
    '<a href="',
    '&',
    'href=" ',
    '<!--',
    '<script>',
    '<div style="display:none">',
    'http://',
    'a.',
    '\u200b',
    ' \t',
  ]
  for (const piece of hostile) {
    const html = piece.repeat(size / piece.length)
    const startedMs = systemClock().monotonicMs()
    scoreContent({ subject: html.slice(0, 1_000), html, text: html })
    scoreContent({ subject: '', html: null, text: html })
    const tookMs = systemClock().monotonicMs() - startedMs
    assert.ok(tookMs < 600, `${piece}: ${Math.round(tookMs)} ms`)
  }
})
