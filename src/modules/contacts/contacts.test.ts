// The parts of contacts on their own: tokens, the letter, the page while the database is unavailable. Everything else is
// tested over HTTP in test/contacts.test.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkHeaderText } from '../../mail/mime/headers.ts'
import { systemClock } from '../../platform/clock.ts'
import { platformErrors } from '../../platform/errors.ts'
import type { Answer } from '../../platform/http.ts'
import { systemIds } from '../../platform/ids.ts'
import { LANGUAGES } from '../../platform/languages.ts'
import { secretsFrom } from '../../platform/secrets.ts'
import { builtInEmail, oneLine, templateEmail } from './confirmation-email.ts'
import { confirmRoutes } from './routes-confirm.ts'
import { confirmationTokens } from './tokens.ts'

const secrets = secretsFrom(Buffer.alloc(32, 7))
const tokens = confirmationTokens(secrets)
const ID = fc.uuid({ version: 7 })
const LINK = `https://mail.posthorn.test/confirm/${'A'.repeat(72)}`

test('a token reads back what it was made from, only under its own secret', () => {
  const others = confirmationTokens(secretsFrom(Buffer.alloc(32, 8)))
  fc.assert(
    fc.property(ID, ID, fc.integer({ min: 0, max: 2 ** 39 }), (accountId, contactId, seconds) => {
      const token = { accountId, contactId, endsAt: new Date(seconds * 1_000) }
      const text = tokens.write(token)
      assert.match(text, /^[A-Za-z0-9_-]{72}$/)
      assert.deepEqual(tokens.read(text), token)
      assert.equal(others.read(text), null)
    }),
  )
})

test('a token with one character changed is invalid, and so is any other text', () => {
  const text = tokens.write({ accountId: systemIds().next(), contactId: systemIds().next(), endsAt: new Date(0) })
  fc.assert(
    fc.property(fc.nat(71), fc.constantFrom(...'ABCxyz019-_'), (at, character) => {
      const altered = text.slice(0, at) + character + text.slice(at + 1)
      assert.equal(tokens.read(altered) === null, altered !== text)
    }),
  )
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (other) => assert.equal(tokens.read(other), null)))
})

test('for any account name and language the letter has a one-line subject, escaped HTML and the link', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom(...LANGUAGES), (name, language) => {
      const facts = { sender: oneLine(name), link: LINK, liveDays: 7, language }
      const { subject, html, text } = builtInEmail(facts)
      assert.equal(checkHeaderText(subject), null)
      assert.ok(subject.length <= 150 && text.includes(`\n${LINK}\n`) && html?.includes(`href="${LINK}"`) === true)
      assert.ok(html?.includes(`<html lang="${language}">`) === true)
      assert.equal((html ?? '').split('<').length, builtInHtmlTags())
    }),
  )
})

function builtInHtmlTags(): number {
  return (builtInEmail({ sender: 'x', link: LINK, liveDays: 7, language: 'en' }).html ?? '').split('<').length
}

test('a template without the link in its HTML is refused; a text without it gets it appended', () => {
  const base = { subject: 's', html: null, text: null }
  assert.equal(templateEmail({ ...base, html: '<p>' }, LINK), null)
  assert.deepEqual(templateEmail({ ...base, html: LINK.replaceAll('/', '&#x2F;') }, LINK)?.text, `${LINK}\n`)
  assert.equal(templateEmail({ ...base, text: 'a' }, LINK)?.text, `a\n\n${LINK}\n`)
  assert.equal(templateEmail({ ...base, text: `a ${LINK} b` }, LINK)?.text, `a ${LINK} b`)
})

test("while the database is unavailable both methods answer with a retry page in the browser's language", async () => {
  const endpoints = confirmRoutes({
    database: null as never, // whileBeating stands before it
    clock: systemClock(),
    ids: systemIds(),
    tokens,
    isSuspended: () => false,
    senderOf: async () => ({ name: 'x', locale: 'en' }),
    whileBeating: () => Promise.reject(platformErrors.service_unavailable()),
  })
  const token = tokens.write({ accountId: systemIds().next(), contactId: systemIds().next(), endsAt: new Date(8e12) })
  const headers = { 'accept-language': 'pl-PL, en;q=0.5' }
  for (const { handle } of endpoints) {
    const answer: Answer = await handle({ params: { token }, stream: {}, headers, ip: '::1' } as never)
    assert.deepEqual([answer.status, answer.headers?.['retry-after']], [503, '5'])
    assert.match(String(answer.body), /<html lang="pl">.*Prosimy spróbować ponownie/s)
  }
})
