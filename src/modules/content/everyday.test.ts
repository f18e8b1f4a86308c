// Mail that every house sends, in a few plain words, and mail in languages that the model has not learnt.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoreContent } from './score.ts'

const EVERYDAY: readonly (readonly [subject: string, text: string])[] = [
  [
    'Verify your email address',
    'Welcome to Acme! Please confirm your email address by clicking the link below:\n\nhttps://acme.com/v/abc\n\nThis link expires in 24 hours.',
  ],
  [
    'Please confirm your subscription',
    "Please click the link below to confirm your subscription to the Acme newsletter:\n\nhttps://acme.com/c/abc\n\nIf you received this email by mistake, simply delete it. You won't be subscribed if you don't click the link above.",
  ],
  [
    'Your magic link',
    'Click the link below to sign in. It expires in 10 minutes and can be used once.\n\nhttps://acme.com/m/abc',
  ],
  [
    'Welcome to Acme',
    'We are glad to have you. If you have any questions, just reply to this email.\n\nhttps://acme.com/start',
  ],
  ['Your weekly report', 'Here is your weekly report. Visitors: 1,204 (+4%). See more: https://acme.com/reports'],
  [
    'Your appointment',
    'This is a reminder of your appointment on Monday at 2:30 pm. Please call us at 555 0100 if you cannot make it.',
  ],
  [
    'Your order has shipped',
    'Good news! Your order #1234 is on its way. Track your package: https://acme.com/track/1234',
  ],
  ['Hello', 'Hello, this is a test email. Please ignore.'],
]
for (const [subject, text] of EVERYDAY) {
  test(`«${subject}», as everybody sends it, keeps 85 points and more`, () => {
    const linked = text.replaceAll(/https:\S+/g, (url) => `<a href="${url}">Open</a>`)
    const html = `<html><body><p>${linked}</p></body></html>`
    for (const question of [
      { subject, html: null, text },
      { subject, html, text },
      { subject, html, text: null },
    ]) {
      const { score, matches } = scoreContent(question)
      assert.ok(score >= 85, `${score}: ${matches.map(({ rule, points }) => `${rule} ${points}`).join(', ')}`)
    }
  })
}

test('a language that the words were not learnt from costs nothing', () => {
  for (const text of [
    'Merhaba, siparişiniz bugün kargoya verildi. Teslimat iki gün sürer. Teşekkürler',
    '商品は明日発送いたします。この度はご注文いただきありがとうございます。',
    'تم شحن طلبك رقم 1234 اليوم. شكرا لك',
    'Здравствуйте! Ваш заказ отправлен. Спасибо за покупку',
  ]) {
    assert.equal(scoreContent({ subject: '1234', html: null, text }).score, 100, text)
  }
})
