// DANE where hosts are aliases, the names that a certificate may be for, and the delivery of TLS reports themselves.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { parseAddress } from '../src/mail/address.ts'
import { SYSTEM_ACCOUNT_ID } from '../src/modules/accounts/index.ts'
import { inboxOwner, isTlsReport, systemMailer } from '../src/modules/notices/index.ts'
import { siteIds } from '../src/modules/outbox/index.ts'
import { transportOf } from '../src/modules/transport/index.ts'
import { fixture } from './world/delivery-fixture.ts'
import { type Answers, certificate, guarded, keyOf, policy, RESULTS, signed, ZONE } from './world/tls-fixture.ts'
import { web } from './world/tls-web.ts'

const GOOD = certificate(['mx.sts.test'])
const UNKNOWN = certificate(['mx.sts.test'])

// A host that is an alias: `mx.sts.test` for `mx.host.test`. Each row: whether the alias is signed, whether the addresses
// behind it are, the names that have TLSA records, and the name whose records count (null: none).
const ALIASES: [alias: boolean, addresses: boolean, at: string[], first: string | null][] = [
  [true, true, ['mx.host.test'], 'mx.host.test'],
  [true, true, ['mx.sts.test'], 'mx.sts.test'],
  [true, true, ['mx.host.test', 'mx.sts.test'], 'mx.host.test'],
  [true, false, ['mx.sts.test'], 'mx.sts.test'],
  [true, false, ['mx.host.test', 'mx.sts.test'], 'mx.sts.test'],
  [true, false, ['mx.host.test'], null],
  [false, false, ['mx.host.test', 'mx.sts.test'], null],
]
for (const [alias, addresses, at, first] of ALIASES) {
  const zones = `${alias ? 'a signed' : 'an unsigned'} alias of a host that is ${addresses ? 'signed' : 'not'}`
  test(`DANE: ${zones}, with records at ${at.join(' and ')}: those at ${first ?? 'neither'} count`, async () => {
    await using h = await fixture(ZONE)
    const found = { kind: 'found', secure: addresses, records: ['127.0.0.2'], name: 'mx.host.test' } as const
    const records = at.map((name) => [
      `TLSA _${h.options.smtpPort}._tcp.${name}`,
      { kind: 'found', secure: true, records: [keyOf(name === first ? UNKNOWN : GOOD)], name: '' },
    ])
    const none = { [`TLSA _${h.options.smtpPort}._tcp.mx.sts.test`]: { kind: 'none', secure: true } }
    const answers = {
      ...none,
      'A mx.sts.test': found,
      'CNAME mx.sts.test': { kind: 'found', secure: alias, records: ['mx.host.test'], name: 'mx.sts.test' },
      ...Object.fromEntries(records),
    } as Answers
    const mx = await h.receiver('127.0.0.2', { tls: UNKNOWN })
    const { delivery } = guarded(h, web(''), signed(h, [], answers))
    const id = await h.put('a@sts.test')
    await delivery.turn()
    const { verified } = (await h.last(id)).data['tls'] as { verified: string }
    assert.deepEqual([verified, mx.messages[0]?.serverName], first === null ? ['none', 'mx.sts.test'] : ['dane', first])
  })
}

test('DANE: an alias that cannot be shown to be signed or unsigned closes the host', async () => {
  await using h = await fixture(ZONE)
  const insecure = { kind: 'found', secure: false, records: ['127.0.0.2'], name: 'mx.host.test' } as const
  for (const answer of [{ kind: 'failed' }, { kind: 'none', secure: true }] as const) {
    const secure = signed(h, [], { 'A mx.sts.test': insecure, 'CNAME mx.sts.test': answer })
    const { transport } = guarded(h, web(''), secure)
    assert.equal((await transport.policyOf('sts.test', ['mx.sts.test'])).rule('mx.sts.test').kind, 'closed')
  }
})

test("DANE: with an authority's certificate the recipients' domain is a valid name, as written and after its aliases", async () => {
  await using h = await fixture({ ...ZONE, 'mail.test': { MX: ['10 mx.sts.test'] } })
  for (const name of ['mail.test', 'sts.test', 'mx.sts.test', 'mx.other.test']) {
    const issued = certificate([name])
    const authority = { usage: 2, selector: 0, matching: 0, data: new X509Certificate(issued.cert).raw }
    const mx = await h.receiver('127.0.0.2', { tls: issued })
    const answers = {
      'MX mail.test': { kind: 'found', secure: true, records: ['mx.sts.test'], name: 'sts.test' },
    } as const
    const { delivery } = guarded(h, web(''), signed(h, [authority], answers))
    const id = await h.put('a@mail.test')
    await delivery.turn()
    assert.equal(await h.status(id), name === 'mx.other.test' ? 'deferred' : 'delivered', name)
    if (name === 'mail.test') {
      const other = await h.put('a@sts.test')
      await delivery.turn()
      assert.equal(await h.status(other), 'deferred', 'the open connection is for the mail of the first domain alone')
    }
    await mx.close()
  }
})

test('a TLS report goes out whatever TLS its receiver demands (RFC 8460 section 5.3.1), and is not counted as a session', async () => {
  const policies = [policy('enforce'), policy('enforce', 'mx.elsewhere.test')]
  for (const text of policies) {
    await using h = await fixture(ZONE)
    const mx = await h.receiver('127.0.0.2')
    const { database, clock, zones, options } = h
    const onError = (error: unknown): void => void h.logged.push(String(error))
    const common = { database, clock, resolver: zones, connector: web(text), onError }
    const transport = transportOf({ ...common, secure: null, port: options.smtpPort })
    const delivery = h.another({ transport, isTlsReport, signingKeys: async () => new Map() })
    await transport.service.start()
    const mailer = systemMailer({
      clock,
      ids: h.ids,
      sites: siteIds(database.system),
      from: 'posthorn@posthorn.test',
      hostname: options.hostname,
      signingDomain: async () => null,
    })
    const to = parseAddress('tls@sts.test')
    assert.ok(to.ok)
    const mail = { to: to.address, subject: 'Report Domain: sts.test', text: 'A report.\n', headers: [] }
    const attached = { type: 'application/tlsrpt+gzip', filename: 'report.json.gz', content: Buffer.from('x') } as const
    await database.transaction((db) => mailer.send(db, { ...mail, attached: null }))
    await database.transaction((db) => mailer.send(db, { ...mail, attached }))
    await delivery.turn()
    assert.equal(mx.messages.length, 1)
    assert.match(mx.messages[0]?.data.toString() ?? '', /report-type="?tlsrpt/)
    await transport.service.stop(AbortSignal.timeout(5_000))
    assert.equal((await database.system.query(RESULTS)).length, 1)
    assert.deepEqual(h.logged, [])
  }
})

test('a system mail stands in the inbox of the account it is about, and a TLS report is about no account', () => {
  const [system, somebody] = [SYSTEM_ACCOUNT_ID, '01980000-0000-7000-8000-00000000000a']
  assert.equal(inboxOwner({ accountId: system, tag: somebody }), somebody)
  assert.equal(inboxOwner({ accountId: system, tag: 'tls-report' }), system)
  assert.equal(inboxOwner({ accountId: somebody, tag: 'tls-report' }), somebody)
  assert.equal(isTlsReport({ accountId: somebody, tag: 'tls-report' }), false, 'nobody gets around a policy by a tag')
})
