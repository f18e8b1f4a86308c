import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { parseAllDocuments } from 'yaml'
import { declaredZones, type ZoneRecords, type Zones } from '../../../test/world/zones.ts'
import { checkHost } from './spf.ts'
import { reaches } from './spf-reach.ts'
import { isMacroString, parseSpf } from './spf-record.ts'

const corpora = process.env['POSTHORN_CORPORA']
const suite = corpora === undefined ? null : join(corpora, 'spf', 'rfc7208-tests.yml')

interface Case {
  readonly helo: string
  readonly host: string
  readonly mailfrom: string
  readonly result: string | readonly string[]
  readonly explanation?: string
}
interface Scenario {
  readonly description: string
  readonly tests: Readonly<Record<string, Case>>
  readonly zonedata: Readonly<Record<string, readonly (string | Readonly<Record<string, unknown>>)[]>>
}

/** The suite's convention: SPF means TXT unless the name has its own TXT; NONE means no record. */
function declared(zonedata: Scenario['zonedata']): Zones {
  const zones: Record<string, Zones[string]> = {}
  for (const [name, entries] of Object.entries(zonedata)) {
    const hasTxt = entries.some((entry) => typeof entry === 'object' && 'TXT' in entry)
    const records: Record<string, string[]> = {}
    for (const entry of entries) {
      if (typeof entry === 'string') continue
      const [type = '', value] = Object.entries(entry)[0] ?? []
      if (value === 'NONE' || (type === 'SPF' && hasTxt)) continue
      const isText = type === 'SPF' || type === 'TXT'
      const text = Array.isArray(value) ? value.join(isText ? '' : ' ') : String(value)
      const kind = isText ? 'TXT' : type
      records[kind] = [...(records[kind] ?? []), text]
    }
    const silent = entries.includes('TIMEOUT') && Object.keys(records).length === 0
    zones[addressOf(name) ?? name.toLowerCase()] = silent ? 'timeout' : (records as ZoneRecords)
  }
  return zones
}

/** The address for a name in the reverse tree. */
function addressOf(name: string): string | null {
  const [, reversed = '', tree] = /^(.*)\.(in-addr|ip6)\.arpa$/i.exec(name) ?? []
  if (tree === undefined) return null
  const parts = reversed.split('.').toReversed()
  if (tree === 'in-addr') return parts.join('.')
  return ipaddr.parse(parts.join('').replace(/(.{4})(?=.)/g, '$1:')).toString()
}

if (suite === null || !existsSync(suite)) {
  test('the RFC 7208 suite', { skip: 'POSTHORN_CORPORA is not set: the test material is elsewhere' }, () => {})
} else {
  let ran = 0
  for (const document of parseAllDocuments(readFileSync(suite, 'utf8'), { version: '1.1' })) {
    const scenario = document.toJS() as Scenario | null
    if (!scenario?.tests) continue
    const resolver = declaredZones(declared(scenario.zonedata))
    for (const [name, { helo, host, mailfrom, result, explanation }] of Object.entries(scenario.tests)) {
      ran++
      test(`RFC 7208 suite, ${scenario.description}: ${name}`, async () => {
        const sender = mailfrom === '' ? `postmaster@${helo}` : mailfrom
        const domain = sender.slice(sender.lastIndexOf('@') + 1)
        const verdict = await checkHost(host, domain, sender, resolver, { helo })
        assert.ok([result].flat().includes(verdict.result), `${verdict.result} (${verdict.error}), not ${result}`)
        if (explanation !== undefined) {
          assert.equal(verdict.explanation, explanation === 'DEFAULT' ? null : explanation)
        }
      })
    }
  }
  test('the RFC 7208 suite was really read', () => assert.ok(ran > 190, `${ran} cases`))
}

const OURS = 'a:mail.posthorn.example'
const PLAIN: Zones = {
  'inc.example': { TXT: [`v=spf1 ip4:192.0.2.0/24 ${OURS} ~all`] },
  'other.example': { TXT: ['v=spf1 ip4:198.51.100.0/24 -all'] },
  'open.example': { TXT: ['v=spf1 +all'] },
  'broken.example': { TXT: ['v=spf1 foo:bar -all'] },
  'down.example': 'timeout',
  'web.example': { A: ['192.0.2.1'] },
  'six.example': { AAAA: ['2001:db8::1'] },
}
const many = (count: number): string => Array.from({ length: count }, () => 'include:other.example').join(' ')

// Each row: a domain's policy, and whether evaluating it reaches OURS.
const REACH: readonly (readonly [record: string, kind: string, why: string])[] = [
  [`v=spf1 ${OURS} ~all`, 'reached', 'the record as we hand it out'],
  [`v=spf1 +A:MAIL.posthorn.example. -all`, 'reached', 'case and the trailing dot say nothing'],
  [`v=spf1 ~all ${OURS}`, 'not_reached', 'all ends the record'],
  [`v=spf1 +all ${OURS}`, 'not_reached', 'a passing all ends it too'],
  [`v=spf1 -${OURS} ~all`, 'not_reached', 'it refuses us by name'],
  [`v=spf1 ?${OURS} +all`, 'not_reached', 'neutral is no pass'],
  ['v=spf1 a:mail.posthorn.example/24 ~all', 'reached', 'a wider network holds ours'],
  ['v=spf1 -a:mail.posthorn.example/24 ~all', 'not_reached', 'a wider network that is refused holds ours too'],
  [`v=spf1 ip4:192.0.2.1 mx a:web.example ${OURS} -all`, 'reached', 'what matches addresses does not stop'],
  [`v=spf1 exists:%{i}._spf.example ptr ${OURS} -all`, 'reached', 'macros of the client do not stop'],
  ['v=spf1 include:inc.example -all', 'reached', 'through an include'],
  ['v=spf1 -include:inc.example +all', 'not_reached', 'an include that refuses'],
  [`v=spf1 include:other.example ${OURS} -all`, 'reached', "an include's -all is no match"],
  [`v=spf1 include:open.example ${OURS} -all`, 'not_reached', "an include's +all matches everyone"],
  ['v=spf1 redirect=inc.example', 'reached', 'through a redirect'],
  ['v=spf1 ~all redirect=inc.example', 'not_reached', 'all goes before redirect'],
  ['v=spf1 redirect=absent.example', 'permerror', 'a redirect to nothing'],
  [`v=spf1 include:absent.example ${OURS} -all`, 'permerror', 'an include of nothing'],
  [`v=spf1 ${OURS} bogus -all`, 'permerror', 'an error behind it still spoils the record'],
  [`v=spf1 include:broken.example ${OURS} -all`, 'permerror', 'an error in an include'],
  [`v=spf1 include:down.example ${OURS} -all`, 'temperror', 'the DNS is down'],
  [`v=spf1 ${OURS} include:down.example -all`, 'reached', 'what stands behind is not asked'],
  [`v=spf1 ${many(9)} ${OURS} -all`, 'reached', 'ten look-ups, ours the tenth'],
  [`v=spf1 ${many(10)} ${OURS} -all`, 'permerror', 'ours would be the eleventh'],
  [`v=spf1 a:n1.example a:n2.example ${OURS} -all`, 'reached', 'two void look-ups'],
  [`v=spf1 a:n1.example a:n2.example a:n3.example ${OURS} -all`, 'permerror', 'three void look-ups'],
  [`v=spf1 a:six.example a:six.example a:six.example ${OURS} -all`, 'reached', 'IPv6 alone is not void'],
  ['v=spf1 include:loop.example -all', 'permerror', 'a loop ends at the tenth look-up'],
]
for (const [record, kind, why] of REACH) {
  test(`"${record}": ${kind}, ${why}`, async () => {
    const zones = { ...PLAIN, 'loop.example': { TXT: ['v=spf1 include:loop.example -all'] } }
    const withMx = { TXT: [record], MX: ['10 mail.posthorn.example'] }
    const resolver = declaredZones({ ...zones, 'shop.example': withMx })
    const reach = await reaches('shop.example', OURS, resolver)
    assert.equal(reach.kind, kind, JSON.stringify(reach))
  })
}

test('a mechanism without a look-up is reached after ten that have one', async () => {
  const resolver = declaredZones({ ...PLAIN, 'shop.example': { TXT: [`v=spf1 ${many(10)} ip4:203.0.113.7 -all`] } })
  assert.equal((await reaches('shop.example', 'ip4:203.0.113.7', resolver)).kind, 'reached')
})

// Each row: a domain's policy, the wanted mechanism, and whether evaluating the policy reaches it.
const COVER: readonly (readonly [record: string, wanted: string, kind: string])[] = [
  ['v=spf1 a:mail.posthorn.example ~all', 'a:mail.posthorn.example/24', 'not_reached'],
  ['v=spf1 a:mail.posthorn.example/24 ~all', 'a:mail.posthorn.example//64', 'not_reached'],
  ['v=spf1 ip4:203.0.113.0/24 -all', 'ip4:203.0.113.7', 'reached'],
  ['v=spf1 ip4:203.0.113.7 -all', 'ip4:203.0.113.0/24', 'not_reached'],
  ['v=spf1 ip4:203.0.112.0/24 -all', 'ip4:203.0.113.7', 'not_reached'],
  ['v=spf1 ip6:2001:db8::/32 -all', 'ip6:2001:DB8::25', 'reached'],
  ['v=spf1 redirect=other.example', 'include:other.example', 'reached'],
  ['v=spf1 -all redirect=other.example', 'include:other.example', 'not_reached'],
  [`v=spf1 ${many(9)} redirect=_spf.example`, 'include:_spf.example', 'reached'],
  [`v=spf1 ${many(10)} redirect=_spf.example`, 'include:_spf.example', 'permerror'],
]
for (const [record, wanted, kind] of COVER) {
  test(`"${record}" and ${wanted}: ${kind}`, async () => {
    const reach = await reaches('shop.example', wanted, declaredZones({ ...PLAIN, 'shop.example': { TXT: [record] } }))
    assert.equal(reach.kind, kind, JSON.stringify(reach))
  })
}

// Each row: the text after `include:`, and whether it is a domain-spec (RFC 7208 section 7.1).
const DOMAINS: readonly (readonly [domain: string, fits: boolean])[] = [
  ['a.b', true],
  ['a.b.', true],
  ['a.7b', true],
  ['a.1-2', true],
  ['a.XN--P1AI', true],
  ['%{d}.b', true],
  ['a.%{d}', true],
  ['b', false],
  ['a.', false],
  ['a..', false],
  ['a.7', false],
  ['a.7.', false],
  ['a.-b', false],
  ['a.b-', false],
  ['a.b_c', false],
  ['%{d}', true],
  ['%{d}b', false],
  [`a.${'b'.repeat(1_000_000)}`, true],
  [`a.${'b'.repeat(1_000_000)}_`, false],
  [`a.${'7'.repeat(1_000_000)}-`, false],
  [`a.${'-'.repeat(1_000_000)}b`, false],
]

test('a domain-spec of any length ends in a macro or in a top label that is not a number', () => {
  for (const [domain, fits] of DOMAINS) {
    assert.equal(!('syntaxError' in parseSpf(`v=spf1 include:${domain}`)), fits, domain.slice(0, 20))
  }
})

test('no record text makes the reader throw, and reading takes linear time', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 400 }), (text) => {
      parseSpf(`v=spf1 ${text}`)
      isMacroString(text)
    }),
  )
  const started = performance.now()
  for (const hostile of ['%{', 'a:%{i}', '%{d}.', 'a:%{%{', '/'.repeat(2), 'a.']) {
    parseSpf(`v=spf1 a:${hostile.repeat(20_000)}`)
  }
  assert.ok(performance.now() - started < 2_000)
})
