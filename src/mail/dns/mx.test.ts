import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declaredZones, type Zones } from '../../../test/world/zones.ts'
import { type MxOptions, type MxPlan, planOf, triesOf } from './mx.ts'

const HOST = { A: ['192.1.2.1'] }

function plan(zones: Zones, more: Partial<MxOptions> = {}, domain = 'example.net'): Promise<MxPlan> {
  return planOf(domain, { resolver: declaredZones(zones), chance: () => 0, ...more })
}

function hostsOf(found: MxPlan): string[] {
  assert.equal(found.kind, 'hosts', JSON.stringify(found))
  return found.kind === 'hosts' ? found.hosts.map(({ host }) => host) : []
}

function addressesOf(found: MxPlan): string[] {
  assert.equal(found.kind, 'hosts', JSON.stringify(found))
  return found.kind === 'hosts' ? found.hosts.flatMap(({ addresses }) => addresses) : []
}

// Each row: a name, the DNS zones, and the kind of plan for example.net.
const ROWS: [name: string, zones: Zones, kind: MxPlan['kind']][] = [
  ['no such domain', {}, 'nxdomain'],
  ['a time-out', { 'example.net': 'timeout' }, 'defer'],
  ['SERVFAIL', { 'example.net': 'servfail' }, 'defer'],
  ['a CNAME loop', { 'example.net': { CNAME: ['loop.test'] }, 'loop.test': { CNAME: ['example.net'] } }, 'defer'],
  ['null MX', { 'example.net': { MX: ['0 .'], A: ['192.1.2.1'] } }, 'null_mx'],
  ['null MX of another preference', { 'example.net': { MX: ['10 .'] } }, 'null_mx'],
  ['null MX beside a real one', { 'example.net': { MX: ['0 .', '10 mx.test'] }, 'mx.test': HOST }, 'hosts'],
  ['no MX, but an address', { 'example.net': HOST }, 'hosts'],
  ['no MX, but an IPv6 address', { 'example.net': { AAAA: ['2a00:1::1'] } }, 'hosts'],
  ['no MX and no address', { 'example.net': { TXT: ['x'] } }, 'no_hosts'],
  ['an MX that does not exist', { 'example.net': { MX: ['10 gone.test'] } }, 'no_hosts'],
  [
    'an MX that does not exist beside one that does',
    { 'example.net': { MX: ['1 gone.test', '2 mx.test'] }, 'mx.test': HOST },
    'hosts',
  ],
  ['an MX whose address times out', { 'example.net': { MX: ['10 slow.test'] }, 'slow.test': 'timeout' }, 'defer'],
  [
    'one MX timing out, one there',
    { 'example.net': { MX: ['1 slow.test', '2 mx.test'] }, 'slow.test': 'timeout', 'mx.test': HOST },
    'hosts',
  ],
  ['an MX that is an IPv4 address', { 'example.net': { MX: ['10 192.1.2.1'] } }, 'no_hosts'],
  ['an MX that is an IPv6 address', { 'example.net': { MX: ['10 2a00:1::1'] } }, 'no_hosts'],
  ['an MX of one label', { 'example.net': { MX: ['10 localhost'] }, localhost: HOST }, 'no_hosts'],
  ['an MX that is no host name', { 'example.net': { MX: ['10 a..b', '10 a b.test', '10 -a.test'] } }, 'no_hosts'],
  ['an MX at loopback', { 'example.net': { MX: ['10 mx.test'] }, 'mx.test': { A: ['127.0.0.1'] } }, 'private'],
  [
    'an MX at a private address',
    { 'example.net': { MX: ['10 mx.test'] }, 'mx.test': { A: ['10.0.0.5'], AAAA: ['fd00::1'] } },
    'private',
  ],
  [
    'an MX at the metadata service',
    { 'example.net': { MX: ['10 mx.test'] }, 'mx.test': { A: ['169.254.169.254'] } },
    'private',
  ],
  ['a domain at a private address', { 'example.net': { A: ['192.168.1.1'] } }, 'private'],
]

for (const [name, zones, kind] of ROWS) {
  test(`${name} gives "${kind}"`, async () => assert.equal((await plan(zones)).kind, kind))
}

test('hosts are ordered by preference, equal ones at random', async () => {
  const zones: Zones = {
    'example.net': { MX: ['20 c.test', '10 a.test', '10 b.test'] },
    'a.test': HOST,
    'b.test': HOST,
    'c.test': HOST,
  }
  const orders = new Set<string>()
  for (const first of [0.1, 0.9]) {
    let calls = 0
    orders.add(hostsOf(await plan(zones, { chance: () => (calls++ === 1 ? first : 0.5) })).join())
  }
  assert.deepEqual([...orders].sort(), ['a.test,b.test,c.test', 'b.test,a.test,c.test'])
})

test('of 200 MX records, 5 hosts and 10 addresses are tried, at most 4 per host', async () => {
  const names = Array.from({ length: 200 }, (_, index) => `mx${index}.test`)
  const addresses = Array.from({ length: 20 }, (_, index) => `192.1.2.${index + 1}`)
  const zones: Record<string, Zones[string]> = { 'example.net': { MX: names.map((name, index) => `${index} ${name}`) } }
  for (const name of names) zones[name] = HOST
  assert.equal(hostsOf(await plan(zones)).length, 5)
  for (const name of names) zones[name] = { A: addresses }
  const found = await plan(zones)
  assert.equal(addressesOf(found).length, 100)
  const tries = found.kind === 'hosts' ? triesOf(found.hosts) : []
  assert.deepEqual(
    tries.map(({ host }) => host.host),
    [...Array(4).fill('mx0.test'), ...Array(4).fill('mx1.test'), 'mx2.test', 'mx2.test'],
  )
})

test('an attempt tries ten addresses if there are ten, however few hosts have them', async () => {
  const tried = async (...counts: readonly number[]): Promise<string[]> => {
    const zones: Record<string, Zones[string]> = {
      'example.net': { MX: counts.map((_, index) => `${index} mx${index}.test`) },
    }
    for (const [index, count] of counts.entries()) {
      zones[`mx${index}.test`] = { A: Array.from({ length: count }, (_, last) => `192.1.${index}.${last + 1}`) }
    }
    const found = await plan(zones)
    return found.kind === 'hosts' ? triesOf(found.hosts).map(({ host }) => host.host.slice(2, 3)) : []
  }
  assert.equal((await tried(12)).join(''), '0'.repeat(10))
  assert.equal((await tried(3)).join(''), '000')
  assert.equal((await tried(12, 2)).join(''), '0000000011')
  assert.equal((await tried(2, 12)).join(''), '0011111111')
  assert.equal((await tried(12, 12)).join(''), '0000001111')
  assert.equal((await tried(6, 1, 6)).join(''), '00000122' + '22')
})

test('of thousands of addresses of a host, the same 64 are kept, however the DNS shuffles them', async () => {
  const addresses = Array.from({ length: 4_000 }, (_, index) => `192.1.${index >> 8}.${index & 255}`)
  const known = async (answer: readonly string[]): Promise<readonly string[]> =>
    addressesOf(await plan({ 'example.net': { A: answer } })).toSorted()
  const first = await known(addresses)
  assert.equal(first.length, 64)
  assert.deepEqual(await known(addresses.toReversed()), first)
})

test('the digest of all host names depends on rank and on hosts without an address, not on random order', async () => {
  const names = Array.from({ length: 9 }, (_, index) => `mx${index}.test`)
  const digestOf = async (last: readonly string[], chance?: () => number): Promise<string> => {
    const zones: Record<string, Zones[string]> = {
      'example.net': { MX: [...names.map((name) => `5 ${name}`), ...last] },
    }
    for (const name of names) zones[name] = HOST
    const found = await plan(zones, chance === undefined ? {} : { chance })
    return found.kind === 'hosts' ? found.names : ''
  }
  const digest = await digestOf(['7 last.test', '7 gone.test', '9 MX0.test.'], () => 0)
  for (let n = 0; n < 5; n++) assert.equal(await digestOf(['7 gone.test', '7 last.test'], Math.random), digest)
  assert.notEqual(await digestOf(['7 last.test', '8 gone.test']), digest)
  assert.notEqual(await digestOf(['7 last.test']), digest)
})

test('a plan of a domain that names thousands of hosts is small', async () => {
  const long = Array.from({ length: 3 }, () => 'x'.repeat(60)).join('.')
  const MX = Array.from({ length: 3_000 }, (_, n) => `${n} h${n}.${long}.test`)
  const found = await plan({ 'example.net': { MX }, [`h0.${long}.test`]: HOST })
  assert.equal(found.kind, 'hosts')
  assert.ok(JSON.stringify(found).length < 1_000)
})

test('a host in a family that we cannot reach is no proof that the domain takes no mail', async () => {
  const zones: Zones = { 'example.net': { MX: ['1 mx.test'] }, 'mx.test': { AAAA: ['2a00::1'] } }
  assert.equal((await plan(zones, { families: [4] })).kind, 'defer')
  assert.equal((await plan(zones)).kind, 'hosts')
})

test('200 MX records that lead nowhere cost a bounded number of look-ups, and prove nothing', async () => {
  const names = Array.from({ length: 200 }, (_, index) => `mx${index}.test`)
  const resolver = declaredZones({ 'example.net': { MX: names.map((name) => `1 ${name}`) } })
  assert.equal((await planOf('example.net', { resolver, chance: () => 0 })).kind, 'defer')
  assert.ok(resolver.queries() <= 21)
})

test('private addresses are dropped beside public ones, and kept where private networks are allowed', async () => {
  const zones: Zones = {
    'example.net': { MX: ['1 mx.test'] },
    'mx.test': { A: ['127.0.0.1', '192.1.2.1', '10.1.1.1'] },
  }
  assert.deepEqual(addressesOf(await plan(zones)), ['192.1.2.1'])
  assert.equal(addressesOf(await plan(zones, { allowPrivate: true })).length, 3)
})

test('our own host is not tried, nor any of the same or a lower preference (RFC 5321 section 5.1)', async () => {
  const zones: Zones = {
    'example.net': { MX: ['10 first.test', '20 us.test', '20 beside.test', '30 last.test'] },
    'loop.test': { MX: ['10 us.test', '20 last.test'] },
    'us.test': { A: ['192.1.2.9'] },
    'first.test': { A: ['192.1.2.1'] },
    'beside.test': { A: ['192.1.2.2'] },
    'last.test': { A: ['192.1.2.3'] },
  }
  const resolver = declaredZones(zones)
  for (const isOurs of [(host: string) => host === 'us.test', (_: string, ip: string | null) => ip === '192.1.2.9']) {
    for (const chance of [() => 0, () => 0.99, Math.random]) {
      const found = await planOf('example.net', { resolver, chance, isOurs })
      assert.deepEqual(addressesOf(found), ['192.1.2.1'])
    }
    assert.equal((await planOf('loop.test', { resolver, chance: () => 0, isOurs })).kind, 'private')
    assert.equal((await planOf('us.test', { resolver, chance: () => 0, isOurs })).kind, 'private')
  }
})

test('our own name counts as ourselves even without an address, or when its look-up fails', async () => {
  const isOurs = (host: string): boolean => host === 'us.test'
  for (const us of [{}, { 'us.test': 'servfail' as const }, { 'us.test': { AAAA: ['2a00:1::1'] } }]) {
    const resolver = declaredZones({
      'example.net': { MX: ['10 us.test', '20 last.test'] },
      'better.test': { MX: ['5 last.test', '10 US.test.'] },
      'last.test': { A: ['192.1.2.3'] },
      ...us,
    })
    const options = { resolver, chance: () => 0, isOurs, families: [4] as const }
    assert.equal((await planOf('example.net', options)).kind, 'private')
    assert.deepEqual(addressesOf(await planOf('better.test', options)), ['192.1.2.3'])
  }
})

test('IPv4 and IPv6 alternate, and a family that we cannot use is not looked up', async () => {
  const zones: Zones = { 'example.net': { A: ['192.1.2.1', '192.1.2.2'], AAAA: ['2a00:1::1'] } }
  assert.deepEqual(addressesOf(await plan(zones)), ['192.1.2.1', '2a00:1::1', '192.1.2.2'])
  assert.deepEqual(addressesOf(await plan(zones, { families: [6] })), ['2a00:1::1'])
})

test('an alias of the domain or of its host is followed', async () => {
  const zones: Zones = {
    'example.net': { CNAME: ['real.test'] },
    'real.test': { MX: ['5 mx.test'] },
    'mx.test': { CNAME: ['host.test'] },
    'host.test': HOST,
  }
  assert.deepEqual(addressesOf(await plan(zones)), ['192.1.2.1'])
})
