// Everyday mail that every organisation sends, and mail in languages that the model has not learnt.

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
  [
    'Activate your account',
    'Hello Anna,\n\nYour administrator created an account for you at Acme. Click here to activate your account and choose a password: https://acme.com/activate/abc\n\nThis link is valid for 48 hours.',
  ],
  [
    'Set your password',
    'Hi Sam,\n\nTo finish setting up your account, please create a password within 24 hours:\nhttps://acme.com/password/new?token=abc\n\nIf you did not sign up, ignore this email.',
  ],
  [
    'Reset your password',
    'Someone requested a password reset for your account. Click the link below to choose a new password. The link expires in one hour.\n\nhttps://acme.com/reset/abc\n\nIf it was not you, you can safely ignore this email; your password stays the same.',
  ],
  [
    'Zugang aktivieren',
    'Für Sie wurde ein Konto angelegt. Bitte klicken Sie innerhalb von 48 Stunden auf den folgenden Link und vergeben Sie ein Passwort: https://acme.de/a/abc',
  ],
  [
    'Activez votre compte',
    'Bonjour Marie,\n\nUn compte a été créé pour vous. Cliquez ici pour choisir votre mot de passe sous 48 heures : https://acme.fr/a/abc',
  ],
  [
    'Activa tu cuenta',
    'Hola Ana: haz clic aquí para activar tu cuenta y elegir una contraseña antes de 24 horas: https://acme.es/a/abc',
  ],
]
for (const [subject, text] of EVERYDAY) {
  test(`the everyday mail «${subject}» scores at least 85`, () => {
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

test('a language that the model has not learnt costs nothing', () => {
  for (const text of [
    'Merhaba, siparişiniz bugün kargoya verildi. Teslimat iki gün sürer. Teşekkürler',
    '商品は明日発送いたします。この度はご注文いただきありがとうございます。',
    'تم شحن طلبك رقم 1234 اليوم. شكرا لك',
    'Здравствуйте! Ваш заказ отправлен. Спасибо за покупку',
  ]) {
    assert.equal(scoreContent({ subject: '1234', html: null, text }).score, 100, text)
  }
})

test('asking the reader to choose a password excuses no other request', () => {
  const score = (text: string): number => scoreContent({ subject: 'Your account', html: null, text }).score
  const whole = 'To set up a password confirm your card number and PIN within 24 hours: https://acme.com/a'
  assert.ok(score(whole) < 70, `${score(whole)}`)
  const threat =
    'Your mailbox will be suspended today. Sign in and choose a new password within 24 hours or you will lose access: https://acme.com/a'
  assert.ok(score(threat) < 50, `${score(threat)}`)
})
