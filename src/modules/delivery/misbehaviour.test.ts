// Misbehaving receivers: each email has the right state after one try and exactly one event; one that may be retried arrives
// once the receiver behaves. Whatever a receiver does, the others get their mail in the same turn. (How the client reads
// these receivers: src/mail/smtp/client.test.ts.)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selfSigned } from '../../../test/world/certificate.ts'
import { fixture } from '../../../test/world/delivery-fixture.ts'
import type { Answer, Receiver, ReceiverScript } from '../../../test/world/receiver.ts'

const stall: Answer = { then: 'stall' }
const close: Answer = { then: 'close' }
const IMPATIENT = { tls: 500, banner: 500, ehlo: 500, mail: 500, rcpt: 500, data: 500, block: 500, dot: 500, quit: 100 }
const MINUTE = 60_000

const ORDINARY: ReceiverScript = {
  banner: 'default',
  ehlo: 'default',
  mail: 'default',
  rcpt: 'default',
  data: 'default',
  dot: 'default',
  midBody: { bytes: Number.POSITIVE_INFINITY, answer: 'default' },
}

type Row = [name: string, script: ReceiverScript, told: string, local?: string]

// `told`: the reply's code and enhanced code; without a reply, null and our own enhanced code.
const DELIVERED: Row[] = [
  ['an ordinary receiver', {}, '250 2.0.0'],
  ['EHLO refused, HELO taken', { ehlo: '502 no' }, '250 2.0.0'],
  ['STARTTLS refused', { tls: true, starttls: '454 not now' }, '250 2.0.0'],
  ['garbage in place of a handshake', { tls: true, handshake: { raw: 'garbage\r\n', afterMs: 20 } }, '250 2.0.0'],
  ['a handshake that hangs', { tls: true, handshake: stall }, '250 2.0.0'],
  ['TLS 1.0 alone', { tls: true, maxTlsVersion: 'TLSv1' }, '250 2.0.0'],
  ['an expired certificate', { tls: selfSigned({ notAfter: new Date('2021-01-01') }) }, '250 2.0.0'],
  ['a certificate of another name', { tls: selfSigned({ names: ['other.test'] }) }, '250 2.0.0'],
  ['text behind the reply to STARTTLS', { tls: true, starttls: { raw: '220 ok\r\n250 SIZE 1\r\n' } }, '250 2.0.0'],
  ['RCPT 251', { rcpt: '251 will forward' }, '250 2.0.0'],
  ['RCPT 252', { rcpt: '252 perhaps' }, '250 2.0.0'],
  ['DATA 399', { data: '399 go' }, '250 2.0.0'],
  ['the dot answered 299', { dot: '299 fine' }, '299 null'],
  ['10,000 lines', { dot: { raw: '250-more\r\n'.repeat(10_000).concat('250 end\r\n') } }, '250 null'],
  ['a reply without text', { dot: '250' }, '250 null'],
  ['a reply that ends with a bare LF', { dot: { raw: '250 ok\n' } }, '250 null'],
  ['the dot answered 550 and 250', { dot: { raw: '550-5.1.1 bad\r\n250 ok\r\n' } }, '250 null'],
  ['QUIT never answered', { quit: stall }, '250 2.0.0'],
  ['a receiver without any extension', { ehlo: '250 mx' }, '250 2.0.0'],
]

const DEFERRED: Row[] = [
  ['a greeting of 421', { banner: '421 busy' }, '421 null'],
  ['a greeting of 554 by the only host', { banner: '554 no' }, '554 null'],
  ['no greeting', { banner: stall }, 'null 4.4.2'],
  ['a greeting of 1 MB', { banner: { raw: `220 ${'x'.repeat(1_048_576)}\r\n` } }, 'null 4.5.0'],
  ['an HTTP greeting', { banner: { raw: 'HTTP/1.1 400 Bad Request\r\n\r\n' } }, 'null 4.5.0'],
  ['EHLO closes', { ehlo: close }, 'null 4.4.2'],
  ['MAIL 451', { mail: '451 later' }, '451 null'],
  ['MAIL 421', { mail: '421 bye' }, '421 null'],
  ['RCPT 450', { rcpt: '450 4.2.0 later' }, '450 4.2.0'],
  ['RCPT 421', { rcpt: '421 4.3.2 bye' }, '421 4.3.2'],
  ['RCPT unanswered', { rcpt: stall }, 'null 4.4.2'],
  ['RCPT 450 with 5.1.1', { rcpt: '450 5.1.1 greylisted' }, '450 5.1.1'],
  ['DATA 451', { data: '451 later' }, '451 null'],
  ['DATA 250 in place of 354', { data: '250 ok' }, 'null 4.5.0'],
  ['a close after 354', { data: { reply: '354 go', then: 'close' } }, 'null 4.4.2'],
  ['a close in the body', { midBody: { bytes: 100, answer: close } }, 'null 4.4.2'],
  ['the dot answered 451', { dot: '451 later' }, '451 null'],
  ['the dot unanswered', { dot: stall }, 'null 4.4.2'],
  ['the dot answered by a close', { dot: close }, 'null 4.4.2'],
  ['the dot answered 354', { dot: '354 go on' }, 'null 4.5.0'],
  ['the dot answered 399', { dot: '399 hm' }, 'null 4.5.0'],
  ['the dot answered 600', { dot: '600 hm' }, 'null 4.5.0'],
  ['RCPT answered 250 and 550', { rcpt: { raw: '250-accepted\r\n550 5.1.1 no such user\r\n' } }, 'null 4.5.0'],
  ['the dot answered 250 and 550', { dot: { raw: '250-accepted\r\n550 5.1.1 no such user\r\n' } }, 'null 4.5.0'],
  ['the dot answered abc', { dot: { raw: 'abc\r\n' } }, 'null 4.5.0'],
]

const ENDED: Row[] = [
  ['a greeting of 554 by the only host, who names a block', { banner: '554 5.7.1 blocked' }, '554 5.7.1'],
  ['EHLO and HELO refused', { ehlo: '502 no', helo: '550 no' }, '550 null'],
  ['MAIL 550', { mail: '550 no' }, '550 null'],
  ['RCPT 550', { rcpt: '550 5.1.1 no such user' }, '550 5.1.1'],
  ['RCPT 552', { rcpt: '552 5.2.2 mailbox full' }, '552 5.2.2'],
  ['RCPT 550 with 4.2.1', { rcpt: '550 4.2.1 disabled' }, '550 4.2.1'],
  ['DATA 554', { data: '554 no valid recipients' }, '554 null'],
  ['DATA accepted though the recipient was not', { rcpt: '550 5.1.1 no', data: '354 go' }, '550 5.1.1'],
  ['550 before the dot', { midBody: { bytes: 100, answer: { reply: '550 enough', then: 'stall' } } }, '550 null'],
  ['the dot answered 552', { dot: '552 5.3.4 too big' }, '552 5.3.4'],
  ['the dot answered 554', { dot: '554 5.7.1 spam' }, '554 5.7.1'],
  [
    'a reply that is not UTF-8',
    { dot: { raw: Buffer.from([0x35, 0x35, 0x30, 0x20, 0xe9, 0xff, 0x0d, 0x0a]) } },
    '550 null',
  ],
  ['SIZE 100', { size: 100 }, 'null 5.3.4'],
  ['a UTF-8 address without SMTPUTF8', { smtpUtf8: false }, 'null 5.6.7', 'böb'],
]

test('each misbehaving receiver gives one state and one event, and delays no other', async () => {
  const rows = [
    ...DELIVERED.map((row) => ({ row, becomes: 'delivered' })),
    ...DEFERRED.map((row) => ({ row, becomes: 'deferred' })),
    ...ENDED.map((row) => ({ row, becomes: 'bounced' })),
  ].map((each, n) => ({ ...each, domain: `row${n}.test`, ip: `127.0.4.${n + 1}` }))
  const zones = rows.flatMap(({ domain, ip }) => [
    [domain, { MX: [`10 mx.${domain}`] }] as const,
    [`mx.${domain}`, { A: [ip] }] as const,
  ])
  await using h = await fixture(Object.fromEntries(zones), { timeouts: IMPATIENT })
  const cases = []
  for (const each of rows) {
    const [, script, , local = 'bob'] = each.row
    const mx = await h.receiver(each.ip, script)
    cases.push({ ...each, mx, id: await h.put(`${local}@${each.domain}`) })
  }
  assert.equal(await h.delivery.turn(), rows.length)
  const found: string[] = []
  const expected: string[] = []
  for (const {
    row: [name, , told],
    becomes,
    id,
  } of cases) {
    const { attempts, events } = await h.story(id)
    const codes = attempts.map(({ detail }) => JSON.stringify([detail['smtp_code'], detail['enhanced_code']]))
    found.push(`${name}: ${await h.status(id)}, ${events.map(({ event }) => event)}, ${codes}`)
    const [code, enhanced] = told.split(' ').map((each) => (each === 'null' ? null : each))
    const codesOf = JSON.stringify([code == null ? null : Number(code), enhanced])
    expected.push(`${name}: ${becomes}, email.${becomes}, ${codesOf}`)
  }
  assert.deepEqual(found, expected)

  for (const { mx } of cases) mx.script(ORDINARY)
  h.clock.advance(10 * MINUTE)
  const node = h.another()
  assert.equal(await node.turn(), DEFERRED.length)
  for (const {
    row: [name],
    becomes,
    id,
  } of cases) {
    const events = (await h.events(id)).map(({ event }) => event)
    assert.deepEqual(events, [`email.${becomes}`, ...(becomes === 'deferred' ? ['email.delivered'] : [])], name)
  }
  assert.equal(await h.queued(), 0)
})

test('the next host is tried after silence, 4xx and a 5xx greeting, never after another 5xx, and five at most', async () => {
  const hosts = (domain: string, count: number): [string, Record<string, string[]>][] => [
    [domain, { MX: Array.from({ length: count }, (_, n) => `${n + 10} mx${n}.${domain}`) }],
    ...Array.from({ length: count }, (_, n): [string, Record<string, string[]>] => [
      `mx${n}.${domain}`,
      { A: [`127.0.5.${ADDRESSES.indexOf(domain) * 16 + n + 1}`] },
    ]),
  ]
  const ADDRESSES = ['dead.test', 'later.test', 'refused.test', 'door.test', 'many.test']
  await using h = await fixture(
    Object.fromEntries(ADDRESSES.flatMap((domain) => hosts(domain, domain === 'many.test' ? 16 : 2))),
    {
      timeouts: IMPATIENT,
    },
  )
  const at = (domain: string, n: number, script: ReceiverScript = {}) =>
    h.receiver(`127.0.5.${ADDRESSES.indexOf(domain) * 16 + n + 1}`, script)
  await at('later.test', 0, { rcpt: '451 4.2.0 later' })
  await at('refused.test', 0, { rcpt: '550 5.1.1 no such user' })
  await at('door.test', 0, { banner: '554 no' })
  const second = new Map<string, Receiver>()
  for (const domain of ['dead.test', 'later.test', 'refused.test', 'door.test']) second.set(domain, await at(domain, 1))
  const many = []
  for (let n = 0; n < 16; n++) many.push(await at('many.test', n, { banner: '421 4.3.2 busy' }))
  const ids = new Map<string, string>()
  for (const domain of ADDRESSES) ids.set(domain, await h.put(`bob@${domain}`))
  await h.delivery.turn()
  const found = []
  for (const [domain, id] of ids) {
    const events = (await h.events(id)).map(({ event }) => event)
    found.push([domain, await h.status(id), events, second.get(domain)?.messageCount ?? null])
  }
  assert.deepEqual(found, [
    ['dead.test', 'delivered', ['email.delivered'], 1],
    ['later.test', 'delivered', ['email.delivered'], 1],
    ['refused.test', 'bounced', ['email.bounced'], 0],
    ['door.test', 'delivered', ['email.delivered'], 1],
    ['many.test', 'deferred', ['email.deferred'], null],
  ])
  assert.deepEqual(
    many.map(({ connectionCount }) => Math.min(1, connectionCount)),
    Array.from({ length: 16 }, (_, n) => (n < 5 ? 1 : 0)),
  )
})

// Each row: what each host's EHLO rules out, or what else it does, and the mail's state. No host refuses the mail.
const LIMITS: [first: ReceiverScript, second: ReceiverScript | null, becomes: string, said: string][] = [
  [{ size: 100 }, { size: 30_000_000 }, 'delivered', '250 2.0.0'],
  [{ size: 100 }, { size: 200 }, 'bounced', "exceeds the receiving server's limit of 200"],
  [{ size: 100 }, { rcpt: '451 4.2.0 later' }, 'deferred', '451 4.2.0'],
  [{ rcpt: '451 4.2.0 later' }, { size: 100 }, 'deferred', '451 4.2.0'],
  [{ size: 100 }, null, 'deferred', '4.4.1'],
]
for (const [first, second, becomes, said] of LIMITS) {
  test(`with a first host ${JSON.stringify(first)} and a second ${JSON.stringify(second)} a mail is ${becomes}`, async () => {
    await using h = await fixture({
      'example.net': { MX: ['10 mx1.example.net', '20 mx2.example.net'] },
      'mx1.example.net': { A: ['127.0.5.201'] },
      'mx2.example.net': { A: ['127.0.5.202'] },
    })
    await h.receiver('127.0.5.201', first)
    if (second !== null) await h.receiver('127.0.5.202', second)
    const id = await h.put('bob@example.net')
    await h.delivery.turn()
    assert.equal(await h.status(id), becomes)
    const { attempts } = await h.story(id)
    assert.match(String(attempts[0]?.detail['response']), new RegExp(said.replaceAll('.', '\\.')))
  })
}
