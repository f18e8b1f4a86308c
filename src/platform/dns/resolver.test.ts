import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDnsServer, type Zones } from '../../../test/world/zones.ts'
import type { Clock } from '../clock.ts'
import { systemClock } from '../clock.ts'
import { askedFor } from '../dns.ts'
import { authoritativeResolver } from './authoritative.ts'
import { type DnsResolver, type DnsResolverOptions, dnsResolver } from './resolver.ts'

const LONG = `v=DKIM1; k=rsa; p=${'QUJD'.repeat(150)}`
const ZONES: Zones = {
  'example.net': {
    MX: ['20 b.example.net', '10 a.example.net'],
    A: ['192.1.2.1', '192.1.2.2'],
    AAAA: ['2a00:1::1'],
    TXT: ['v=spf1 -all', LONG],
    NS: ['ns.example.net'],
    ttl: 120,
  },
  'null.test': { MX: ['0 .'] },
  'alias.test': { CNAME: ['example.net'] },
  'slow.test': 'timeout',
  'bad.test': 'servfail',
  'many.test': { TXT: Array.from({ length: 40 }, (_, index) => `${index} ${'x'.repeat(80)}`) },
  '192.0.2.7': { PTR: ['mx.example.net'] },
  'brief.test': { A: ['192.1.2.3'], ttl: 0 },
  'week.test': { A: ['192.1.2.3'], ttl: 604_800 },
}

/** A clock whose monotonic time is advanced by hand. */
function handClock(): Clock & { forward(ms: number): void } {
  let ms = 0
  return { ...systemClock(), monotonicMs: () => ms, forward: (by) => (ms += by) }
}

async function world(more: Partial<DnsResolverOptions> = {}) {
  const server = await startDnsServer(ZONES)
  const clock = handClock()
  const resolver: DnsResolver = dnsResolver({ clock, servers: [server.server], tryMs: 150, tries: 1, ...more })
  return { server, clock, resolver, [Symbol.asyncDispose]: () => server.close() }
}

test('every record type is answered as a value', async () => {
  await using w = await world()
  const { resolver } = w
  const mx = await resolver.mx('example.net')
  assert.deepEqual(mx.kind === 'found' && mx.records.toSorted((a, b) => a.preference - b.preference), [
    { preference: 10, exchange: 'a.example.net' },
    { preference: 20, exchange: 'b.example.net' },
  ])
  const a = await resolver.a('Example.NET')
  assert.deepEqual(a.kind === 'found' && [a.records.toSorted(), a.ttl], [['192.1.2.1', '192.1.2.2'], 120])
  assert.deepEqual(await resolver.aaaa('example.net'), { kind: 'found', records: ['2a00:1::1'], ttl: 120 })
  assert.deepEqual(await resolver.cname('alias.test'), { kind: 'found', records: ['example.net'], ttl: 60 })
  assert.deepEqual(await resolver.ns('example.net'), { kind: 'found', records: ['ns.example.net'], ttl: 60 })
  assert.deepEqual(await resolver.ptr('192.0.2.7'), { kind: 'found', records: ['mx.example.net'], ttl: 60 })
  assert.deepEqual(await resolver.mx('null.test'), {
    kind: 'found',
    records: [{ preference: 0, exchange: '' }],
    ttl: 60,
  })
})

test('the strings of a TXT record over 255 bytes are joined', async () => {
  await using w = await world()
  const txt = await w.resolver.txt('example.net')
  assert.deepEqual(txt.kind === 'found' && txt.records.toSorted(), [LONG, 'v=spf1 -all'].toSorted())
})

test('a TXT record is read as UTF-8, across its strings too', async () => {
  await using w = await world()
  const text = `${'x'.repeat(254)}“v=spf1 -all”`
  w.server.declare({ 'quoted.test': { TXT: [text] } })
  assert.deepEqual(await w.resolver.txt('quoted.test'), { kind: 'found', records: [text], ttl: 60 })
})

test('an answer too large for UDP comes over TCP', async () => {
  await using w = await world()
  const txt = await w.resolver.txt('many.test')
  assert.equal(txt.kind === 'found' && txt.records.length, 40)
  assert.equal(w.server.tcpQueries, 1)
})

test('an alias is followed', async () => {
  await using w = await world()
  assert.equal((await w.resolver.a('alias.test')).kind, 'found')
  assert.equal((await w.resolver.mx('alias.test')).kind, 'found')
})

test('missing names, broken servers and silent servers are told apart', async () => {
  await using w = await world()
  assert.deepEqual(await w.resolver.a('nowhere.test'), { kind: 'nxdomain' })
  assert.deepEqual(await w.resolver.aaaa('null.test'), { kind: 'nodata' })
  assert.deepEqual(await w.resolver.a('bad.test'), { kind: 'servfail' })
  assert.deepEqual(await w.resolver.a('slow.test'), { kind: 'timeout' })
  assert.deepEqual(await w.resolver.ptr('no address'), { kind: 'nodata' })
  for (const odd of ['a..b', '', '.', 'x'.repeat(64).concat('.test'), 'a b.test', '\0.test', 'é.test']) {
    assert.notEqual((await w.resolver.a(odd)).kind, 'found')
  }
})

test('answers are cached for their TTL, between 5 s and 1 h, and negative answers for 30 s', async () => {
  await using w = await world()
  const rows: [name: string, seconds: number][] = [
    ['example.net', 120],
    ['brief.test', 5],
    ['week.test', 3_600],
    ['nowhere.test', 30],
    ['bad.test', 5],
  ]
  for (const [name, seconds] of rows) {
    await w.resolver.a(name)
    const asked = w.server.queries(name, 'A')
    w.clock.forward(seconds * 1_000 - 1)
    await w.resolver.a(name)
    assert.equal(w.server.queries(name, 'A'), asked, `${name} is kept`)
    w.clock.forward(2)
    await w.resolver.a(name)
    assert.ok(w.server.queries(name, 'A') > asked, `${name} is asked for anew`)
  }
})

test('a fresh query bypasses the cache and renews it', async () => {
  await using w = await world()
  await w.resolver.a('example.net')
  w.server.declare({ 'example.net': { A: ['192.1.2.9'] } })
  assert.equal(await w.resolver.a('example.net').then((a) => a.kind === 'found' && a.records.length), 2)
  assert.deepEqual(await w.resolver.fresh().a('example.net'), { kind: 'found', records: ['192.1.2.9'], ttl: 300 })
  assert.deepEqual(await w.resolver.a('example.net'), { kind: 'found', records: ['192.1.2.9'], ttl: 300 })
})

test('identical queries under way are sent once', async () => {
  await using w = await world()
  await Promise.all(Array.from({ length: 50 }, () => w.resolver.a('example.net')))
  assert.equal(w.server.queries('example.net', 'A'), 1)
})

test('a caller that gives up gets its reason, the others their answer', async () => {
  await using w = await world({ tryMs: 300 })
  const reason = new Error('enough')
  const stopping = new AbortController()
  const gone = w.resolver.a('slow.test', stopping.signal)
  const stays = w.resolver.a('slow.test')
  stopping.abort(reason)
  await assert.rejects(gone, reason)
  await assert.rejects(w.resolver.a('example.net', stopping.signal), reason)
  assert.deepEqual(await stays, { kind: 'timeout' })
})

test('hanging names of one zone do not hold up other zones', async () => {
  await using w = await world({ tryMs: 3_000, totalMs: 3_000 })
  const hanging = Array.from({ length: 100 }, (_, index) => `n${index}.slow.test`)
  w.server.declare(Object.fromEntries(hanging.map((name) => [name, 'timeout' as const])))
  const slow = Promise.all(hanging.map((name) => w.resolver.a(name)))
  const settled = slow.then(() => 'slow')
  const answered = w.resolver.a('example.net').then(({ kind }) => kind)
  assert.equal(await Promise.race([answered, settled]), 'found')
  assert.ok((await slow).every(({ kind }) => kind === 'timeout'))
})

test('hanging names that one asks for do not hold up what another asks for', async () => {
  await using w = await world({ tryMs: 3_000, totalMs: 3_000, maxUnderWay: 8 })
  const hanging = Array.from({ length: 100 }, (_, index) => `slow${index}.test`)
  w.server.declare(Object.fromEntries(hanging.map((name) => [name, 'timeout' as const])))
  const [much, more, little] = ['much', 'more', 'little'].map((whom) => askedFor(w.resolver, whom))
  const slow = Promise.all(hanging.flatMap((name, i) => (i % 2 === 0 ? much : more)?.a(name) ?? []))
  const settled = slow.then(() => 'slow')
  const answered = little?.a('example.net').then(({ kind }) => kind)
  assert.equal(await Promise.race([answered, settled]), 'found')
  assert.ok((await slow).every(({ kind }) => kind === 'timeout'))
})

test('a slow answer of a previously quick server is waited for, and a silent server is asked twice', async () => {
  await using w = await world({ tryMs: 4_000, tries: 2 })
  w.server.declare({ 'late.test': { TXT: ['late'], delayMs: 1_500 } })
  const quick = Array.from({ length: 20 }, (_, index) => `q${index}.test`)
  for (const name of quick) assert.equal((await w.resolver.txt(name)).kind, 'nxdomain')
  const [late, bad, silent] = await Promise.all([
    w.resolver.txt('late.test'),
    w.resolver.txt('bad.test'),
    w.resolver.txt('slow.test'),
  ])
  assert.deepEqual(late.kind === 'found' && late.records, ['late'])
  assert.deepEqual([bad.kind, silent.kind], ['servfail', 'timeout'])
  assert.deepEqual([w.server.queries('bad.test'), w.server.queries('slow.test')], [2, 2])
})

test('no server of ours that can be asked is a timeout: the name servers of the domain are not at fault', async () => {
  const { server } = await startDnsServer({}).then(async (closed) => {
    await closed[Symbol.asyncDispose]()
    return closed
  })
  const resolver = dnsResolver({ clock: systemClock(), servers: [server], tryMs: 300, tries: 2 })
  assert.deepEqual(await resolver.mx('shop.test'), { kind: 'timeout' })
})

test("a zone's own servers are asked, and an alias that leaves the zone is followed", async () => {
  await using authority = await startDnsServer({
    'shop.test': { TXT: ['new'], NS: ['ns.shop.test'] },
    'out.shop.test': { CNAME: ['key.other.test'] },
    'loop.shop.test': { CNAME: ['loop.shop.test'] },
  })
  const port = Number(authority.server.split(':')[1])
  await using cache = await startDnsServer({
    'shop.test': { TXT: ['old'], NS: ['ns.shop.test'] },
    'ns.shop.test': { A: ['127.0.0.1'] },
    'key.other.test': { TXT: ['the key'] },
    'lame.test': { TXT: ['still here'], NS: ['ns.lame.test'] },
    'ns.lame.test': { A: ['127.0.0.2'] },
    'moved.test': { TXT: ['at the new provider'], NS: ['ns.shop.test'] },
    'dead.test': 'servfail',
  })
  const clock = systemClock()
  const base = dnsResolver({ clock, servers: [cache.server], tryMs: 300, tries: 1 })
  const texts = async (allowPrivate: boolean, name: string): Promise<string> => {
    const answer = await authoritativeResolver(base, { clock, allowPrivate, port }).txt(name)
    return answer.kind === 'found' ? answer.records.join() : answer.kind
  }
  assert.equal(await texts(true, 'shop.test'), 'new')
  assert.equal(await texts(true, 'gone.shop.test'), 'nxdomain')
  assert.equal(await texts(true, 'out.shop.test'), 'the key')
  assert.equal(await texts(true, 'loop.shop.test'), 'nxdomain', 'what the base says')
  assert.equal(await texts(true, 'lame.test'), 'still here', 'servers that do not answer')
  assert.equal(await texts(true, 'moved.test'), 'at the new provider', 'a server that does not have the zone')
  assert.equal(await texts(true, 'dead.test'), 'servfail')
  assert.equal(await texts(false, 'shop.test'), 'old', 'servers at private addresses are not asked')
})
