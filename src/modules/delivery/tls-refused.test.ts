// Receivers that do not give TLS: what happens to mail that does not require it, and to mail that does.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixture } from '../../../test/world/delivery-fixture.ts'
import type { ReceiverScript } from '../../../test/world/receiver.ts'

const MINUTE = 60_000
const GARBAGE = { raw: '220 ready for TLS\r\n', afterMs: 20 }
const ZONE = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.2'] } }

// Each row: the behaviour of a receiver that gives no TLS.
const NO_TLS: [name: string, script: ReceiverScript][] = [
  ['does not offer STARTTLS', {}],
  ['answers STARTTLS 454', { tls: true, starttls: '454 4.7.0 TLS not available' }],
  ['answers STARTTLS 421', { tls: true, starttls: '421 4.7.0 TLS not available' }],
  ['breaks the handshake', { tls: true, handshake: GARBAGE }],
]
for (const [name, script] of NO_TLS) {
  test(`a mail that requires TLS is not sent in clear to a host that ${name}, and fails with tls_required`, async () => {
    await using h = await fixture(ZONE)
    await h.receiver('127.0.0.2', script)
    const id = await h.put('b@example.net', {
      tlsRequired: true,
      expiresAt: new Date(h.clock.now().getTime() + 10 * MINUTE),
    })
    for (const minutes of [0, 7, 3]) {
      h.clock.wait(minutes * MINUTE)
      await h.delivery.turn()
    }
    assert.deepEqual([await h.status(id), (await h.last(id)).data['reason']], ['failed', 'tls_required'])
  })
}

const PLEASE = '530 5.7.0 Must issue a STARTTLS command first'

// Each row: the receiver's answers to TLS and to the mail in clear, and the mail's state.
const FALLBACKS: [name: string, script: ReceiverScript, becomes: string][] = [
  ['STARTTLS answered 454 and MAIL 530', { tls: true, starttls: '454 4.7.0 not now', mail: PLEASE }, 'deferred'],
  ['a broken handshake and MAIL 530', { tls: true, handshake: GARBAGE, mail: PLEASE }, 'deferred'],
  [
    'a broken handshake and RCPT 554',
    { tls: true, handshake: GARBAGE, rcpt: '554 5.7.10 Encryption needed' },
    'deferred',
  ],
  ['a broken handshake and another refusal', { tls: true, handshake: GARBAGE, mail: '550 5.7.1 no' }, 'bounced'],
  ['MAIL answered 530 where STARTTLS was not offered', { mail: PLEASE }, 'bounced'],
]
for (const [name, script, becomes] of FALLBACKS) {
  test(`after ${name} a mail is ${becomes}`, async () => {
    await using h = await fixture(ZONE)
    const mx = await h.receiver('127.0.0.2', script)
    const id = await h.put('bob@example.net')
    await h.delivery.turn()
    assert.equal(await h.status(id), becomes)
    if (becomes === 'bounced') return
    mx.script({ starttls: 'default', handshake: 'default', mail: 'default', rcpt: 'default' })
    h.clock.wait(7 * MINUTE)
    await h.delivery.turn()
    assert.equal(await h.status(id), 'delivered')
  })
}

test('a mail sent in clear because TLS failed records what was said about TLS', async () => {
  await using h = await fixture(ZONE)
  await h.receiver('127.0.0.2', { tls: true, handshake: GARBAGE })
  const id = await h.put('bob@example.net')
  await h.delivery.turn()
  const { attempts } = await h.story(id)
  const dialogue = attempts[0]?.detail['dialogue'] as { line: string; at: number }[]
  const lines = dialogue.map(({ line }) => line)
  const at = (start: string): number => lines.findIndex((line) => line.startsWith(start))
  const again = at('(connecting again without TLS)')
  assert.equal(lines[0], `(connecting to 127.0.0.2 port ${h.options.smtpPort})`)
  assert.ok(at('STARTTLS') > 0 && at('STARTTLS') < again, lines.join('\n'))
  assert.equal(lines[again - 1], '(the TLS handshake failed: wrong version number)')
  assert.ok(at('MAIL FROM') > again)
  assert.deepEqual(
    dialogue.map((line) => line.at),
    dialogue.map((line) => line.at).toSorted((a, b) => a - b),
  )
})

test('the reason for a TLS failure is given as a sentence', async () => {
  await using h = await fixture(ZONE)
  await h.receiver('127.0.0.2', { tls: true, handshake: GARBAGE })
  const id = await h.put('bob@example.net', { tlsRequired: true })
  await h.delivery.turn()
  assert.equal(
    (await h.last(id)).data['response'],
    "4.7.5 the TLS handshake failed: wrong version number (TLS is required by the mail's tls_policy)",
  )
})

test('a refusal to start TLS is reported with the rule that requires it', async () => {
  await using h = await fixture(ZONE)
  await h.receiver('127.0.0.2', { tls: true, starttls: '454 4.7.0 TLS not available' })
  const id = await h.put('bob@example.net', { tlsRequired: true })
  await h.delivery.turn()
  const { response, enhanced_code: status } = (await h.last(id)).data
  assert.deepEqual(
    [response, status],
    ["454 4.7.0 TLS not available (TLS is required by the mail's tls_policy)", '4.7.0'],
  )
})
