// TLS towards receivers: MTA-STS, DANE and the reports about them, with delivery on real sockets. The web and the validating
// resolver are declared, because both are outside the machine.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gunzipSync } from 'node:zlib'
import type { ReportMail } from '../src/modules/transport/index.ts'
import { type Fixture, fixture } from './world/delivery-fixture.ts'
import {
  type Answers,
  certificate,
  DAY_MS,
  type Guarded,
  guarded,
  keyOf,
  policy,
  RESULTS,
  signed,
  ZONE,
} from './world/tls-fixture.ts'
import { lookForReports, web } from './world/tls-web.ts'
import type { Zones } from './world/zones.ts'

const GOOD = certificate(['mx.sts.test'])
const OTHER_NAME = certificate(['mx.other.test'])
const EXPIRED = certificate(['mx.sts.test'], -2 * DAY_MS, -DAY_MS)
const UNKNOWN = certificate(['mx.sts.test'])
setDefaultCACertificates([...getCACertificates('default'), GOOD.cert, OTHER_NAME.cert, EXPIRED.cert])

test('an enforced policy: a host with a certificate for its name gets the mail, and the event names what verified it', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { tls: GOOD })
  const site = web(policy('enforce'))
  const { delivery } = guarded(h, site)
  const id = await h.put('a@sts.test')
  await delivery.turn()
  assert.equal((await mx.received(1))[0]?.tls, true)
  const { data } = await h.last(id)
  assert.equal((data['tls'] as { verified: string }).verified, 'mta_sts')
  assert.deepEqual(
    site.asked.map(({ url }) => url),
    ['https://mta-sts.sts.test/.well-known/mta-sts.txt'],
  )
  assert.deepEqual(h.logged, [])
})

// Each row: the state of the host, and the reason that no mail goes there.
const CLOSED = [
  ['STARTTLS stripped', {}, /does not offer STARTTLS.* by the MTA-STS policy/],
  ['STARTTLS refused', { tls: GOOD, starttls: '454 4.7.0 not now' }, /^454 .* by the MTA-STS policy/],
  ['a self-signed certificate', { tls: UNKNOWN }, /DEPTH_ZERO_SELF_SIGNED_CERT.*MTA-STS/],
  ['a certificate for another host', { tls: OTHER_NAME }, /ALTNAME.*MTA-STS/],
  ['an expired certificate', { tls: EXPIRED }, /EXPIRED.*MTA-STS/],
] as const
for (const [what, script, why] of CLOSED) {
  test(`an enforced policy and ${what}: deferred with 4.7.5, and not a byte of the mail is sent`, async () => {
    await using h = await fixture(ZONE)
    const mx = await h.receiver('127.0.0.2', script)
    const { delivery } = guarded(h, web(policy('enforce')))
    const id = await h.put('a@sts.test')
    await delivery.turn()
    assert.deepEqual(mx.messages, [])
    const last = await h.last(id)
    assert.equal(last.event, 'email.deferred')
    assert.equal(last.data['enhanced_code'], what.startsWith('STARTTLS') ? last.data['enhanced_code'] : '4.7.5')
    assert.match(String(last.data['response']), why)
    assert.deepEqual(h.logged, [])
  })
}

test('an enforced policy that does not name the host: no connection is made', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { tls: GOOD })
  const { delivery } = guarded(h, web(policy('enforce', '*.elsewhere.test')))
  const id = await h.put('a@sts.test')
  await delivery.turn()
  assert.equal(mx.connectionCount, 0)
  const { data } = await h.last(id)
  assert.equal(data['enhanced_code'], '4.7.5')
  assert.match(String(data['response']), /does not name mx\.sts\.test/)
})

/** Domains `d0.test`, `d1.test` and so on, one for each row, all with the host of `sts.test`. */
function domainsFor(rows: readonly unknown[]): Zones {
  const zones = rows.flatMap((_, index) => [
    [`d${index}.test`, { MX: ['10 mx.sts.test'] }],
    [`_mta-sts.d${index}.test`, { TXT: ['v=STSv1; id=1'] }],
  ])
  return { ...ZONE, ...Object.fromEntries(zones) } as Zones
}

test('a policy in testing mode, one of `none`, and one that cannot be fetched hold no mail back', async () => {
  const answers = [policy('testing'), policy('testing', 'mx.elsewhere.test'), policy('none'), '<html>', 'down']
  await using h = await fixture(domainsFor(answers))
  const mx = await h.receiver('127.0.0.2', { tls: UNKNOWN })
  for (const [index, answer] of answers.entries()) {
    const site = web(answer)
    if (answer === 'down') site.answer = 'down'
    const { delivery } = guarded(h, site)
    const id = await h.put(`a@d${index}.test`)
    await delivery.turn()
    assert.equal(mx.messages.length, index + 1, answer)
    assert.equal(((await h.last(id)).data['tls'] as { verified: string }).verified, 'none', answer)
  }
})

test('answers that are no policy are not trusted: a redirect, another type, 64 KB, a body that was cut', async () => {
  const elsewhere = policy('enforce', 'mx.elsewhere.test')
  const answers = [
    { status: 301, headers: { location: 'https://elsewhere.test/' } },
    { status: 404 },
    { headers: { 'content-type': 'text/html' }, body: Buffer.from(elsewhere) },
    { body: Buffer.from(elsewhere.padEnd(65_536, '\n')), whole: false },
    { body: Buffer.from(elsewhere), whole: false },
  ]
  await using h = await fixture(domainsFor(answers))
  for (const [index, answer] of answers.entries()) {
    const site = web('')
    site.answer = answer
    const { transport } = guarded(h, site)
    const found = await transport.policyOf(`d${index}.test`, ['mx.sts.test'])
    assert.equal(found.rule('mx.sts.test').kind, 'any', JSON.stringify(answer).slice(0, 80))
    assert.equal(site.asked.length, 1)
  }
})

test('a policy outlives its record and its web server until it expires, on every machine', async () => {
  await using h = await fixture(ZONE)
  const { zones, clock } = h
  const find = (node: Guarded): Promise<string> =>
    node.transport.policyOf('sts.test', ['mx.sts.test']).then((found) => found.rule('mx.sts.test').kind)
  const site = web(policy('enforce'))
  assert.equal(await find(guarded(h, site)), 'sts')
  site.answer = 'down'
  assert.equal(await find(guarded(h, site)), 'sts')
  assert.equal(site.asked.length, 1, 'the id is the same: nothing is fetched')
  zones.declare({ '_mta-sts.sts.test': { TXT: ['v=STSv1; id=2'] } })
  assert.equal(await find(guarded(h, site)), 'sts', 'the new one cannot be fetched: the old one holds')
  assert.equal(site.asked.length, 2)
  zones.forget('_mta-sts.sts.test')
  assert.equal(await find(guarded(h, site)), 'sts')
  zones.declare({ '_mta-sts.sts.test': 'servfail' })
  assert.equal(await find(guarded(h, site)), 'sts')
  clock.advance(DAY_MS)
  assert.equal(await find(guarded(h, site)), 'any')
  zones.declare({ '_mta-sts.sts.test': { TXT: ['v=STSv1; id=3'] } })
  site.answer = { body: Buffer.from(policy('none')) }
  assert.equal(await find(guarded(h, site)), 'any')
  site.answer = { body: Buffer.from(policy('enforce')) }
  zones.declare({ '_mta-sts.sts.test': { TXT: ['v=STSv1; id=4'] } })
  assert.equal(await find(guarded(h, site)), 'sts', 'another id is fetched anew')
})

test('a policy past half of its life is fetched again once an hour while its web server is down', async () => {
  await using h = await fixture(ZONE)
  const { clock } = h
  const site = web(policy('enforce'))
  const { transport } = guarded(h, site)
  const find = (): Promise<string> =>
    transport.policyOf('sts.test', ['mx.sts.test']).then((found) => found.rule('mx.sts.test').kind)
  assert.equal(await find(), 'sts')
  site.answer = 'down'
  clock.wait(DAY_MS / 2 + 1)
  // A look every ten minutes for four hours.
  for (let looks = 0; looks < 24; looks++) {
    assert.equal(await find(), 'sts')
    clock.wait(600_000)
  }
  assert.equal(site.asked.length, 1 + 4)
  site.answer = { body: Buffer.from(policy('enforce')) }
  for (let looks = 0; looks < 24; looks++) {
    assert.equal(await find(), 'sts')
    clock.wait(600_000)
  }
  assert.equal(site.asked.length, 1 + 4 + 1, 'once it could be had it is young again')
  assert.deepEqual(h.logged, [])
})

test('DANE: a certificate named in signed DNS is enough, though no authority knows it', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { tls: UNKNOWN })
  // An MTA-STS policy that would close the host does not count beside DANE.
  const { delivery } = guarded(h, web(policy('enforce', 'mx.elsewhere.test')), signed(h, [keyOf(GOOD), keyOf(UNKNOWN)]))
  const id = await h.put('a@sts.test')
  await delivery.turn()
  assert.equal(mx.messages.length, 1)
  assert.equal(((await h.last(id)).data['tls'] as { verified: string }).verified, 'dane')
})

test('DANE: another certificate, no STARTTLS, or answers that fail validation: deferred, whatever MTA-STS would allow', async () => {
  const port = (h: Fixture): string => `TLSA _${h.options.smtpPort}._tcp.mx.sts.test`
  const rows = [
    ['another certificate', {}, () => ({}), /DANE/],
    ['bogus TLSA', {}, (h: Fixture) => ({ [port(h)]: { kind: 'failed' } }), /DNSSEC: the TLSA/],
    ['bogus addresses', {}, () => ({ 'A mx.sts.test': { kind: 'failed' } }), /DNSSEC: the addresses/],
    ['bogus MX', {}, () => ({ 'MX sts.test': { kind: 'failed' } }), /DNSSEC: the MX/],
    ['no STARTTLS', { ehlo: '250-mx.sts.test\n250 PIPELINING' }, () => ({}), /does not offer STARTTLS.* by DANE/],
    ['STARTTLS refused', { ehlo: 'default', starttls: '454 4.7.0 not now' }, () => ({}), /^454 .* by DANE/],
  ] as const
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { tls: GOOD })
  for (const [what, script, answers, why] of rows) {
    mx.script(script)
    const { delivery } = guarded(h, web(policy('enforce')), signed(h, [keyOf(UNKNOWN)], answers(h) as Answers))
    const id = await h.put('a@sts.test')
    await delivery.turn()
    const last = await h.last(id)
    assert.equal(last.event, 'email.deferred', what)
    assert.match(String(last.data['response']), why)
  }
  assert.equal(mx.messages.length, 0)
})

test('DANE: a certificate of an authority in DNS, but for another host, is reported as that', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { tls: OTHER_NAME })
  const authority = { usage: 2, selector: 0, matching: 0, data: new X509Certificate(OTHER_NAME.cert).raw }
  const { delivery, transport } = guarded(h, web(''), signed(h, [authority]))
  await transport.service.start()
  const id = await h.put('a@sts.test')
  await delivery.turn()
  assert.equal(mx.messages.length, 0)
  assert.match(
    String((await h.last(id)).data['response']),
    /^4\.7\.5 the certificate is not one for the name of this host/,
  )
  await transport.service.stop(AbortSignal.timeout(5_000))
  const rows = await h.database.system.query(RESULTS)
  assert.deepEqual(rows, [{ result: 'certificate-host-mismatch' }])
})

test('DANE: unsigned answers do not count; unusable records require TLS only', async () => {
  const unsigned = { kind: 'found', records: ['mx.sts.test'], secure: false, name: 'sts.test' } as const
  const rows = [
    ['unsigned MX', { 'MX sts.test': unsigned }, [keyOf(GOOD)], 'sts'],
    [
      'unsigned addresses',
      { 'A mx.sts.test': { ...unsigned, records: ['127.0.0.2'], name: 'mx.sts.test' } },
      [keyOf(GOOD)],
      'sts',
    ],
    ['no TLSA', {}, [], 'sts'],
    ['PKIX usage', {}, [{ ...keyOf(GOOD), usage: 1 }], 'encrypted'],
  ] as const
  await using h = await fixture(ZONE)
  for (const [what, answers, records, expected] of rows) {
    const { transport } = guarded(h, web(policy('enforce')), signed(h, records, answers))
    const found = await transport.policyOf('sts.test', ['mx.sts.test'])
    assert.equal(found.rule('mx.sts.test').kind, expected, what)
  }
})

test('a connection that was good enough for one domain is not reused for another with stricter demands', async () => {
  await using h = await fixture({
    ...ZONE,
    'plain.test': { MX: ['10 mx.sts.test'] },
  })
  const mx = await h.receiver('127.0.0.2', { tls: UNKNOWN })
  const { delivery } = guarded(h, web(policy('enforce')))
  const plain = await h.put('a@plain.test')
  await delivery.turn()
  const strict = await h.put('a@sts.test')
  await delivery.turn()
  assert.equal(await h.status(plain), 'delivered')
  assert.equal(await h.status(strict), 'deferred')
  assert.equal(mx.messages.length, 1)
})

test('a connection is reused only under the host name of its certificate, even when another host has the same address', async () => {
  const both = { MX: ['10 mx.sts.test', '10 mx.other.test'] }
  await using h = await fixture({
    ...ZONE,
    'sts.test': both,
    'other.test': both,
    'mx.other.test': { A: ['127.0.0.2'] },
    '_mta-sts.other.test': { TXT: ['v=STSv1; id=1'] },
  })
  const mx = await h.receiver('127.0.0.2', { tls: GOOD })
  const connector = web('')
  const { delivery } = guarded(h, {
    ...connector,
    request: async (asked) => {
      connector.answer = { body: Buffer.from(policy('enforce', new URL(asked.url).hostname.replace('mta-sts', 'mx'))) }
      return connector.request(asked)
    },
  })
  const named = await h.put('a@sts.test')
  await delivery.turn()
  const again = await h.put('b@sts.test')
  await delivery.turn()
  const other = await h.put('a@other.test')
  await delivery.turn()
  assert.deepEqual([await h.status(named), await h.status(again)], ['delivered', 'delivered'])
  assert.equal(await h.status(other), 'deferred')
  assert.deepEqual([mx.connectionCount, mx.messageCount], [2, 2])
})

test('the sessions of a day are reported once, counted by result', async () => {
  await using h = await fixture({
    ...ZONE,
    'sts.test': { MX: ['10 old.sts.test', '20 mx.sts.test'] },
    'old.sts.test': { A: ['127.0.0.3'] },
    'silent.test': { MX: ['10 mx.sts.test'] },
  })
  await h.receiver('127.0.0.3')
  await h.receiver('127.0.0.2', { tls: GOOD })
  const connector = web(policy('enforce', '*.sts.test'))
  const { delivery, transport } = guarded(h, connector)
  await h.put('a@sts.test')
  await delivery.turn()
  await h.put('a@silent.test')
  await delivery.turn()
  await transport.service.start()
  await transport.service.stop(AbortSignal.timeout(5_000))
  const day = h.clock.now().toISOString().slice(0, 10)
  const mails: ReportMail[] = []
  const look = (): Promise<void> => lookForReports(h, connector, async (mail) => mails.push(mail) > 0)
  await look()
  assert.equal(mails.length, 0, 'the day is not over')
  h.clock.advance(DAY_MS + 1_200_000)
  await look()
  await look()
  assert.equal(mails.length, 1, 'one domain wants reports, and is told once')
  const [mail] = mails
  assert.equal(mail?.to, 'tls@sts.test')
  const report = JSON.parse(gunzipSync(mail?.report ?? Buffer.alloc(0)).toString()) as Record<string, unknown>
  assert.deepEqual(report['date-range'], { 'start-datetime': `${day}T00:00:00Z`, 'end-datetime': `${day}T23:59:59Z` })
  assert.deepEqual(report['policies'], [
    {
      policy: {
        'policy-type': 'sts',
        'policy-string': ['version: STSv1', 'mode: enforce', 'mx: *.sts.test', 'max_age: 86400'],
        'policy-domain': 'sts.test',
        'mx-host': ['*.sts.test'],
      },
      summary: { 'total-successful-session-count': 1, 'total-failure-session-count': 1 },
      'failure-details': [
        {
          'result-type': 'starttls-not-supported',
          'receiving-mx-hostname': 'old.sts.test',
          'receiving-ip': '127.0.0.3',
          'failed-session-count': 1,
        },
      ],
    },
  ])
  assert.deepEqual(h.logged, [])
})
