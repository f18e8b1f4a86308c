import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { declaredZones, type Zones } from '../../../test/world/zones.ts'
import type { Resolver } from '../../platform/dns.ts'
import { discoverDmarc, isDmarcRecord, parseDmarc, walkNames } from '../authentication/dmarc.ts'
import {
  checkDomain,
  dkimKeyFault,
  domainRecords,
  hostOf,
  type Purpose,
  parseTagList,
  type RecordCheck,
} from './records.ts'

const KEY = 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAv/abc+DEF=='
const IDENTITY = {
  domain: 'mail.shop.example',
  verificationToken: 'tok123',
  dkimSelector: 'ph1',
  dkimPublicKey: KEY,
  ed25519PublicKey: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
  spfMechanism: 'a:mx.posthorn.example',
}

const txt = (...values: string[]): Zones[string] => ({ TXT: values })

function published(changes: Zones = {}): Zones {
  const zones: Record<string, Zones[string]> = {}
  for (const { name, value } of domainRecords(IDENTITY)) zones[name] = txt(value)
  return { ...zones, ...changes }
}

test('the four records are ownership, SPF, DKIM and DMARC, with names for a DNS form', () => {
  const rows = domainRecords(IDENTITY).map(({ purpose, name, host, required }) => [purpose, name, host, required])
  assert.deepEqual(rows, [
    ['ownership', '_posthorn-verify.mail.shop.example', '_posthorn-verify.mail', true],
    ['spf', 'mail.shop.example', 'mail', true],
    ['dkim', 'ph1._domainkey.mail.shop.example', 'ph1._domainkey.mail', true],
    ['dmarc', '_dmarc.mail.shop.example', '_dmarc.mail', false],
  ])
  assert.equal(hostOf('shop.co.uk', 'shop.co.uk'), '@')
  assert.equal(hostOf('_dmarc.shop.co.uk', 'shop.co.uk'), '_dmarc')
})

test('publishing the four values as given, and nothing else, passes all four', async () => {
  const checks = await checkDomain(IDENTITY, declaredZones(published()))
  for (const [purpose, check] of Object.entries(checks)) {
    assert.equal(check.status, 'valid', `${purpose}: ${check.error}`)
    assert.deepEqual([check.found, check.error], [[check.expected], null])
  }
})

test('the mechanism of a service without a public name counts as any other', async () => {
  const other = { 'other.example': txt('v=spf1 ip4:192.0.2.7 -all') }
  for (const host of ['localhost', '192.0.2.1']) {
    const identity = { ...IDENTITY, spfMechanism: `a:${host}` }
    const check = async (record: string, included = `v=spf1 A:${host} -all`): Promise<RecordCheck> => {
      const zones = { [SPF]: txt(record), 'own.example': txt(included), ...other }
      return (await checkDomain(identity, declaredZones(zones))).spf
    }
    for (const record of [`v=spf1 a:${host} -all`, 'v=spf1 include:own.example -all', 'v=spf1 redirect=own.example']) {
      const { status, error } = await check(record)
      assert.deepEqual([status, error], ['valid', null], record)
    }
    const absent = await check('v=spf1 include:other.example -all')
    assert.equal(absent.status, 'mismatch')
    assert.match(absent.error ?? '', new RegExp(`publish v=spf1 a:${host} include:other\\.example -all$`))
    const another = await check(`v=spf1 a:elsewhere a:${host} -all`)
    assert.match(another.error ?? '', /"a:elsewhere" is not a mechanism/)
  }
})

test('an unknown domain has four missing records', async () => {
  const checks = await checkDomain(IDENTITY, declaredZones({}))
  assert.deepEqual(new Set(Object.values(checks).map(({ status }) => status)), new Set(['missing']))
})

const OWN = '_posthorn-verify.mail.shop.example'
const DKIM = 'ph1._domainkey.mail.shop.example'
const DMARC = '_dmarc.mail.shop.example'
const SPF = 'mail.shop.example'

// Each row: the records at one name, and the result of the check.
const CASES: readonly (readonly [purpose: Purpose, name: string, records: Zones[string], status: string])[] = [
  ['ownership', OWN, txt('posthorn-verify=other'), 'mismatch'],
  ['ownership', OWN, txt('posthorn-verify=TOK123'), 'mismatch'],
  ['ownership', OWN, txt('posthorn-verify=other', 'posthorn-verify=tok123'), 'valid'],
  ['ownership', OWN, txt('google-site-verification=x'), 'missing'],
  ['ownership', OWN, { CNAME: ['elsewhere.example'] }, 'valid'],
  ['ownership', OWN, 'timeout', 'error'],
  ['spf', SPF, txt('v=spf1 a:mx.posthorn.example ~all', 'other text'), 'valid'],
  ['spf', SPF, txt('v=spf1 ip4:192.0.2.1 a:mx.posthorn.example -all'), 'valid'],
  ['spf', SPF, txt('v=spf1 ip4:192.0.2.1 -all'), 'mismatch'],
  ['spf', SPF, txt('v=spf1 a:mx.posthorn.example ~all', 'v=spf1 -all'), 'multiple'],
  ['spf', SPF, txt('v=spf10 a:mx.posthorn.example ~all'), 'mismatch'],
  ['spf', SPF, txt('v=spf1 include:down.example a:mx.posthorn.example ~all'), 'error'],
  ['spf', SPF, 'timeout', 'error'],
  ['dkim', DKIM, txt(`v=DKIM1;k=rsa;p=${KEY.slice(0, 20)} ${KEY.slice(20)};`), 'valid'],
  ['dkim', DKIM, txt(`p=${KEY}`), 'valid'],
  ['dkim', DKIM, txt(`v=DKIM1; t=y:s; s=email; h=sha256:sha1; n=a note; p=${KEY}`), 'valid'],
  ['dkim', DKIM, txt(`v=DKIM1; p=${KEY}`, 'unrelated'), 'valid'],
  ['dkim', DKIM, txt(`v=DKIM1; p=${KEY}`, `v=DKIM1; p=${KEY}`), 'multiple'],
  ['dkim', DKIM, txt('v=DKIM1; p='), 'mismatch'],
  ['dkim', DKIM, txt('v=DKIM1; k=rsa; p=AAAA'), 'mismatch'],
  ['dkim', DKIM, txt(`v=DKIM1; k=ed25519; p=${KEY}`), 'mismatch'],
  ['dkim', DKIM, txt(`v=DKIM1; h=sha1; p=${KEY}`), 'mismatch'],
  ['dkim', DKIM, txt(`v=DKIM1; s=tlsrpt; p=${KEY}`), 'mismatch'],
  ['dkim', DKIM, txt(`k=rsa; v=DKIM1; p=${KEY}`), 'mismatch'],
  ['dkim', DKIM, txt(`v=DKIM1; p=${KEY}; p=${KEY}`), 'mismatch'],
  ['dkim', DKIM, {}, 'missing'],
  ['dkim', DKIM, 'timeout', 'error'],
  ['dmarc', DMARC, txt('v=DMARC1; p=reject; pct=50; fo=1'), 'valid'],
  ['dmarc', DMARC, txt('v=DMARC1; rua=mailto:a@shop.example'), 'valid'],
  ['dmarc', DMARC, txt('v=DMARC1; p=sometimes'), 'mismatch'],
  ['dmarc', DMARC, txt('v=dmarc1; p=none'), 'mismatch'],
  ['dmarc', DMARC, txt('v=DMARC1; p=none', 'v=DMARC1; p=reject'), 'multiple'],
  ['dmarc', DMARC, txt('v=DMARC1; p=none', 'something else'), 'valid'],
  ['dmarc', DMARC, 'timeout', 'error'],
]
for (const [purpose, name, records, status] of CASES) {
  test(`${purpose} with ${JSON.stringify(records).slice(0, 90)} is ${status}`, async () => {
    const zones = published({
      'elsewhere.example': txt('posthorn-verify=tok123'),
      'down.example': 'timeout',
      [name]: records,
    })
    const check = (await checkDomain(IDENTITY, declaredZones(zones)))[purpose]
    assert.equal(check.status, status, `${check.error}`)
    assert.equal(check.error === null, status === 'valid')
  })
}

test('an SPF record without us comes with the record to publish instead', async () => {
  const zones = published({ [SPF]: txt('v=spf1 include:other.example -all'), 'other.example': txt('v=spf1 -all') })
  const { spf } = await checkDomain(IDENTITY, declaredZones(zones))
  assert.match(spf.error ?? '', /publish v=spf1 a:mx\.posthorn\.example include:other\.example -all$/)
})

// Each row: what a person published by mistake, and the explanation of the check.
const LONG_KEY = `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA${'k7'.repeat(150)}`
const dkimValue = `v=DKIM1; k=rsa; p=${LONG_KEY}`
const MISTAKES: readonly (readonly [purpose: Purpose, changes: Zones, status: string, error: RegExp])[] = [
  ['ownership', { [OWN]: txt('"posthorn-verify=tok123"') }, 'mismatch', /has quotation marks in it/],
  ['ownership', { [OWN]: txt('tok123') }, 'mismatch', /must begin with "posthorn-verify="$/],
  ['ownership', { [OWN]: txt('POSTHORN-VERIFY=TOK123') }, 'mismatch', /must be in lower case/],
  ['ownership', { [OWN]: txt('posthorn-verify=other') }, 'mismatch', /holds another token/],
  [
    'ownership',
    { [OWN]: 'nxdomain', [`${OWN}.shop.example`]: txt('posthorn-verify=tok123') },
    'missing',
    /no ownership record at .*; it stands at .*\.mail\.shop\.example\.shop\.example: give it the name _posthorn-verify\.mail$/,
  ],
  [
    'ownership',
    { [OWN]: {}, [SPF]: txt('v=spf1 a:mx.posthorn.example ~all', 'posthorn-verify=tok123') },
    'missing',
    /it stands at mail\.shop\.example: give it the name _posthorn-verify\.mail$/,
  ],
  ['spf', { [SPF]: txt('"v=spf1 a:mx.posthorn.example ~all"') }, 'mismatch', /has quotation marks in it/],
  ['spf', { [SPF]: txt(' v=spf1 a:mx.posthorn.example ~all') }, 'mismatch', /has stray blanks or signs/],
  ['spf', { [SPF]: txt('v=spf1\u00a0a:mx.posthorn.example ~all') }, 'mismatch', /has stray blanks or signs/],
  ['spf', { [SPF]: txt('a:mx.posthorn.example ~all') }, 'mismatch', /must begin with "v=spf1 "$/],
  ['spf', { [SPF]: txt('v=spf2 a:mx.posthorn.example ~all') }, 'mismatch', /begins with "v=spf1 " is wanted/],
  [
    'spf',
    { [SPF]: txt('v=spf1 a:mx.posthorn.example ipv4:1.2.3.4') },
    'mismatch',
    /"ipv4:1.2.3.4" is not a mechanism$/,
  ],
  [
    'spf',
    {
      [SPF]: txt(`v=spf1 ${'include:more.example '.repeat(10)}a:mx.posthorn.example -all`),
      'more.example': txt('v=spf1'),
    },
    'mismatch',
    /more than 10 DNS look-ups.*; publish v=spf1 a:mx\.posthorn\.example include:more\.example /,
  ],
  [
    'spf',
    { [SPF]: txt('v=spf1 +all a:mx.posthorn.example') },
    'mismatch',
    /accepts every sender before it; publish v=spf1 a:mx\.posthorn\.example \+all$/,
  ],
  [
    'spf',
    { [SPF]: txt('v=spf1 ?A:mx.posthorn.example -all') },
    'mismatch',
    /does not name it; publish v=spf1 a:mx\.posthorn\.example -all$/,
  ],
  [
    'spf',
    { [SPF]: txt('v=spf1 include:other.example mx -all', 'v=spf1 a:mx.posthorn.example ~all') },
    'multiple',
    /accept one alone: publish v=spf1 a:mx\.posthorn\.example include:other\.example mx -all in their place$/,
  ],
  [
    'spf',
    { [SPF]: txt('v=spf1 mx -all', 'v=spf1 ip4:192.0.2.1 mx -all') },
    'multiple',
    /publish v=spf1 a:mx\.posthorn\.example mx ip4:192\.0\.2\.1 -all in their place$/,
  ],
  ['spf', { [SPF]: txt('v=spf1 mx -all', 'v=spf1 redirect=other.example') }, 'multiple', /: merge them$/],
  ['spf', { [SPF]: txt('v=spf1 mx -all', 'v=spf1 a ?all') }, 'multiple', /: merge them$/],
  ['dkim', { [DKIM]: txt(dkimValue.replaceAll(';', '\\;')) }, 'mismatch', /has backslashes in it/],
  ['dkim', { [DKIM]: txt(`"${dkimValue.slice(0, 200)}" "${dkimValue.slice(200)}"`) }, 'mismatch', /quotation marks/],
  ['dkim', { [DKIM]: txt(LONG_KEY) }, 'mismatch', /must begin with "v=DKIM1; k=rsa; p="$/],
  ['dkim', { [DKIM]: txt(dkimValue.slice(0, 255)) }, 'mismatch', /cut off after 237 of 344 characters/],
  ['dkim', { [DKIM]: txt('v=spf1 -all') }, 'missing', /no DKIM key at ph1\._domainkey\.mail\.shop\.example$/],
  [
    'dkim',
    { [DKIM]: 'nxdomain', [`${DKIM}.mail.shop.example`]: txt(dkimValue) },
    'missing',
    /it stands at .*\.mail\.shop\.example\.mail\.shop\.example: give it the name ph1\._domainkey$/,
  ],
  [
    'ownership',
    { [OWN]: 'nxdomain', '_posthorn-verify.mail.mail.shop.example': txt('posthorn-verify=tok123') },
    'missing',
    /it stands at _posthorn-verify\.mail\.mail\.shop\.example: give it the name _posthorn-verify$/,
  ],
  [
    'ownership',
    { [OWN]: 'nxdomain', '_posthorn-verify.shop.example': txt('posthorn-verify=tok123') },
    'missing',
    /it stands at _posthorn-verify\.shop\.example: give it the name _posthorn-verify\.mail$/,
  ],
  [
    'ownership',
    { [OWN]: 'nxdomain', 'posthorn-verify.mail.shop.example': txt('posthorn-verify=tok123') },
    'missing',
    /it stands at posthorn-verify\.mail\.shop\.example: give it the name _posthorn-verify\.mail$/,
  ],
  [
    'spf',
    { [SPF]: 'nxdomain', 'mail.mail.shop.example': txt('v=spf1 a:mx.posthorn.example ~all') },
    'missing',
    /it stands at mail\.mail\.shop\.example: give it the name @$/,
  ],
  [
    'spf',
    { [SPF]: 'nxdomain', 'shop.example': txt('v=spf1 a:mx.posthorn.example ~all') },
    'missing',
    /has no SPF record$/,
  ],
  [
    'dkim',
    { [DKIM]: 'nxdomain', 'ph1.mail.shop.example': txt(dkimValue) },
    'missing',
    /it stands at ph1\.mail\.shop\.example: give it the name ph1\._domainkey\.mail$/,
  ],
  ['dmarc', { [DMARC]: txt('"v=DMARC1; p=none"') }, 'mismatch', /has quotation marks in it/],
  ['dmarc', { [DMARC]: txt('v=DMARC1 p=none') }, 'mismatch', /begins with "v=DMARC1;" is wanted/],
  ['dmarc', { [DMARC]: txt('p=none; rua=mailto:a@shop.example') }, 'mismatch', /must begin with "v=DMARC1;"/],
]
for (const [purpose, changes, status, error] of MISTAKES) {
  test(`${purpose} with ${JSON.stringify(changes).slice(0, 90)} is explained as a mistake that can be fixed`, async () => {
    const identity = { ...IDENTITY, dkimPublicKey: LONG_KEY }
    const zones = Object.fromEntries(domainRecords(identity).map(({ name, value }) => [name, txt(value)]))
    const check = (await checkDomain(identity, declaredZones({ ...zones, ...changes })))[purpose]
    assert.equal(check.status, status, `${check.error}`)
    assert.match(check.error ?? '', error)
    if (status === 'mismatch') assert.ok(check.found.length > 0)
  })
}

test('a failed look-up of another name leaves the record missing', async () => {
  const zones = published({
    [OWN]: 'nxdomain',
    [`${OWN}.shop.example`]: 'timeout',
    [`${OWN}.mail.shop.example`]: 'servfail',
  })
  const { ownership } = await checkDomain(IDENTITY, declaredZones(zones))
  assert.deepEqual([ownership.status, ownership.error], ['missing', `no ownership record at ${OWN}`])
})

test('a broken zone is told from a silent one, with its usual causes', async () => {
  const { ownership, dkim } = await checkDomain(
    IDENTITY,
    declaredZones(published({ [OWN]: 'servfail', [DKIM]: 'timeout' })),
  )
  assert.match(
    ownership.error ?? '',
    /\(servfail: its name servers fail or refuse, or its DNSSEC signatures are not valid\)$/,
  )
  assert.match(dkim.error ?? '', /\(timeout\)$/)
})

test('correct records are looked up once', async () => {
  const zones = declaredZones(published())
  await checkDomain(IDENTITY, zones)
  assert.deepEqual([zones.queries(`${OWN}.shop.example`), zones.queries(OWN), zones.queries(DKIM)], [0, 1, 1])
})

test('a deadline turns unanswered checks into errors and keeps the answered ones', { timeout: 5_000 }, async () => {
  const quick = declaredZones(published())
  const resolver: Resolver = {
    ...quick,
    txt: (name, signal) =>
      name === DKIM
        ? new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
        : quick.txt(name),
  }
  const checks = await checkDomain(IDENTITY, resolver, AbortSignal.timeout(30))
  assert.deepEqual([checks.ownership.status, checks.dkim.status, checks.spf.status], ['valid', 'error', 'valid'])
})

test('a bug is not reported as a DNS failure', async () => {
  const broken: Resolver = { ...declaredZones({}), txt: () => Promise.reject(new TypeError('a bug')) }
  await assert.rejects(checkDomain(IDENTITY, broken, new AbortController().signal), /a bug/)
})

test('texts from the DNS are clipped before they are stored', async () => {
  const flood = txt(...Array.from({ length: 50 }, (_, index) => `posthorn-verify=${index}${'x'.repeat(4_000)}`))
  const { ownership } = await checkDomain(IDENTITY, declaredZones(published({ [OWN]: flood })))
  assert.equal(ownership.found.length, 10)
  assert.ok(ownership.found.every((text) => text.length <= 1_024))
})

test('an SPF record of the size of a whole answer is explained in a short text, without a record that is cut off', async () => {
  const long = `v=spf1 ${'ip4:192.0.2.1 '.repeat(4_000)}~all`
  const { spf } = await checkDomain(IDENTITY, declaredZones(published({ [SPF]: txt(long) })))
  assert.match(
    spf.error ?? '',
    /does not name it; publish the record with a:mx\.posthorn\.example as its first mechanism$/,
  )
  const spec = `${'%{d}.'.repeat(10_000)}example`
  const many = txt(`v=spf1 ${'ptr '.repeat(10)}include:${spec} -all`)
  const checks = await checkDomain(IDENTITY, declaredZones(published({ [SPF]: many })))
  assert.match(checks.spf.error ?? '', /^more than 10 DNS look-ups, at %\{d\}[^ ]{249}; publish the record with a:/)
})

test('a DMARC walk queries the domain, then at most seven labels, and never more than eight names', () => {
  assert.deepEqual(walkNames('a.mail.example.com'), ['a.mail.example.com', 'mail.example.com', 'example.com', 'com'])
  const long = walkNames('a.b.c.d.e.f.g.h.i.j.mail.example.com')
  assert.equal(long.length, 8)
  assert.deepEqual(long.slice(1, 3), ['g.h.i.j.mail.example.com', 'h.i.j.mail.example.com'])
})

// Each row: the DMARC records of a tree, and the name whose record applies to a.b.shop.example.
const WALKS: readonly (readonly [zones: Zones, at: string | null])[] = [
  [{ '_dmarc.shop.example': txt('v=DMARC1; p=none') }, 'shop.example'],
  [
    { '_dmarc.b.shop.example': txt('v=DMARC1; p=none'), '_dmarc.shop.example': txt('v=DMARC1; p=reject') },
    'shop.example',
  ],
  [
    { '_dmarc.b.shop.example': txt('v=DMARC1; p=none; psd=n'), '_dmarc.shop.example': txt('v=DMARC1; p=reject') },
    'b.shop.example',
  ],
  [
    { '_dmarc.shop.example': txt('v=DMARC1; p=none'), '_dmarc.example': txt('v=DMARC1; p=none; psd=y') },
    'shop.example',
  ],
  [{ '_dmarc.example': txt('v=DMARC1; p=none; psd=y') }, 'example'],
  [{ '_dmarc.shop.example': txt('v=DMARC1; p=none', 'v=DMARC1; p=none') }, null],
]
for (const [zones, at] of WALKS) {
  test(`the DMARC policy of ${Object.keys(zones).join(' and ')} comes from ${at}`, async () => {
    const found = await discoverDmarc('a.b.shop.example', declaredZones(zones))
    assert.equal(found.kind === 'found' ? found.at : null, at)
  })
}

test('a faulty DMARC record at the domain itself is reported although the DNS above it does not answer', async () => {
  const two = txt('v=DMARC1; p=none', 'v=DMARC1; p=reject')
  for (const [records, status] of [[two, 'multiple'] as const, [txt('v=DMARC1; p=rejct'), 'mismatch'] as const]) {
    const zones = published({ [DMARC]: records, '_dmarc.shop.example': 'servfail', '_dmarc.example': 'timeout' })
    assert.equal((await checkDomain(IDENTITY, declaredZones(zones))).dmarc.status, status)
  }
})

test('a DMARC record whose p= names no policy is explained, though receivers take it for p=none', async () => {
  const text = 'v=DMARC1; p=rejct; rua=mailto:dmarc@shop.example'
  const { dmarc } = await checkDomain(IDENTITY, declaredZones(published({ [DMARC]: txt(text) })))
  assert.deepEqual([dmarc.status, dmarc.found], ['mismatch', [text]])
  assert.match(dmarc.error ?? '', /^p=rejct is not a policy: write none, quarantine or reject/)
  const without = 'v=DMARC1; rua=mailto:dmarc@shop.example'
  const checks = await checkDomain(IDENTITY, declaredZones(published({ [DMARC]: txt(without) })))
  assert.equal(checks.dmarc.status, 'valid')
})

test('no text makes a record reader throw', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      parseTagList(text)
      dkimKeyFault(text, KEY)
      isDmarcRecord(text)
      parseDmarc(text)
    }),
  )
})
