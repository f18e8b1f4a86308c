import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificateNotice, disabledNotice, NOTICED, noticesOf, trackingCertificateNotice } from './notice-texts.ts'

test('a text chosen by a customer is in no subject, and not a link in the text', () => {
  const name = `URGENT\u2028verify at https://evil.example/login or www.evil.example, a@evil.example ${'x'.repeat(200)}`
  const endpoint = {
    accountId: 'account-1',
    id: 'id-1',
    name,
    url: 'https://evil.example/hook',
    reason: 'gone',
  } as const
  const { subject, text } = disabledNotice(endpoint, new Date(0), 'key')
  assert.equal(subject, 'A webhook endpoint was disabled')
  assert.doesNotMatch(text, /:\/\/|www\.|evil\.example|@|\u2028|x{90}/)
  assert.match(text, /account-1/)
  assert.match(text, /^URL: {5}evil\[\.\]example\/hook$/m)
})

test('a certificate whose renewal fails is reported with the failure and what to do', () => {
  const until = new Date('2026-12-01T10:00:00Z')
  const certificate = { host: 'mail.posthorn.test', until, failure: 'HTTP-01: connection refused' }
  const at = (text: string) => certificateNotice(certificate, new Date(text))
  assert.equal(at('2026-11-17T09:59:59Z'), null)
  const soon = at('2026-11-17T10:00:00Z')
  assert.equal(soon?.subject, 'The certificate of mail.posthorn.test expires on 2026-12-01')
  assert.match(soon?.text ?? '', /^Its renewal fails: HTTP-01: connection refused$/m)
  assert.match(soon?.text ?? '', /Port 80 of mail\.posthorn\.test must reach POSTHORN_HTTP_PORT/)
  assert.equal(at('2026-11-30T00:00:00Z')?.key, soon?.key)
  const over = at('2026-12-01T10:00:00Z')
  assert.equal(over?.subject, 'The certificate of mail.posthorn.test has expired')
  assert.notEqual(over?.key, soon?.key)
})

test("an account hears of its tracking domain's certificate two weeks before it ends and when it has ended", () => {
  const until = new Date('2026-12-01T10:00:00Z')
  const failure = 'HTTP-01: http://links.shop.example/ answered 404'
  const ending = { accountId: 'account-1', id: 'name-1', host: 'links.shop.example', until, failure }
  const at = (text: string) => trackingCertificateNotice(ending, new Date(text))
  assert.equal(at('2026-11-17T09:59:59Z'), null)
  const soon = at('2026-11-17T10:00:00Z')
  assert.deepEqual(
    [soon?.accountId, soon?.subject],
    ['account-1', 'The certificate of a tracking domain expires on 2026-12-01'],
  )
  assert.match(soon?.text ?? '', /tracking domain links\[\.\]shop\[\.\]example \(account account-1\) expires at/)
  assert.match(soon?.text ?? '', /^Its renewal fails: HTTP-01: links\[\.\]shop\[\.\]example\/ answered 404$/m)
  assert.equal(at('2026-11-30T00:00:00Z')?.key, soon?.key)
  const over = at('2026-12-01T10:00:00Z')
  assert.equal(over?.subject, 'The certificate of a tracking domain has expired')
  assert.notEqual(over?.key, soon?.key)
})

test("the operator hears of a verified domain that looks like another's, once", () => {
  const at = new Date('2026-11-17T10:00:00Z')
  const verified = (eventId: string, domain: string) => ({
    ...{ type: 'domain.verified' as const, eventId, accountId: 'account-1', at },
    data: { domain },
  })
  const [notice, ...more] = noticesOf(verified('event-1', 'paypa1.com') as never)
  assert.equal(more.length, 0)
  assert.equal(notice?.accountId, null)
  assert.equal(notice?.subject, "Account account-1 can send from a domain that looks like another's")
  assert.match(
    notice?.text ?? '',
    /^Account account-1 verified paypa1\[\.\]com at 2026-11-17T10:00:00\.000Z\.\nIt bears the name of paypal /,
  )
  assert.equal(noticesOf(verified('event-2', 'paypa1.com') as never)[0]?.key, notice?.key)
  const [letters] = noticesOf(verified('event-3', 'xn--pypal-4ve.com') as never)
  assert.match(letters?.text ?? '', /^Its letters look like others: pаypal\[\.\]com$/m)
  assert.deepEqual(noticesOf(verified('event-4', 'shop.example') as never), [])
  assert.ok(NOTICED.includes('domain.verified'))
})
