// The network: a relay's settings, and what domains with the same hosts share.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fixture } from '../../../test/world/delivery-fixture.ts'
import { heap } from '../../../test/world/memory.ts'
import { type Answer, type Receiver, type ReceiverScript, startReceiver } from '../../../test/world/receiver.ts'
import { declaredZones, type Zones } from '../../../test/world/zones.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Resolver } from '../../platform/dns.ts'
import { EMAIL_LIFE_MS } from '../outbox/index.ts'
import { type Network, networkOf } from './network.ts'
import type { DeliveryJob, Outgoing } from './types.ts'

for (const tls of [false, true]) {
  const became = tls ? 'goes out inside TLS' : 'is deferred'
  test(`over a relay without TLS a mail that requires it ${became}, where the relay has ${tls ? 'it' : 'none'}`, async () => {
    await using relay = await startReceiver({ tls })
    const login = { username: null, password: null }
    await using h = await fixture(
      {},
      { mode: 'relay', relay: { host: '127.0.0.1', port: relay.port, tls: 'off', ...login } },
    )
    const plain = await h.put('a@nowhere.test')
    await h.delivery.turn()
    const strict = await h.put('b@nowhere.test', { tlsRequired: true })
    await h.delivery.turn()
    assert.deepEqual(
      relay.messages.map((message) => message.tls),
      tls ? [false, true] : [false],
    )
    assert.equal(await h.status(plain), 'delivered')
    assert.equal(await h.status(strict), tls ? 'delivered' : 'deferred')
  })
}

// Each row: a relay's answer, the command, and the mail's state. The status of a bounce gives its kind.
const RELAY_SAYS: readonly (readonly [command: 'banner' | 'mail' | 'rcpt' | 'data' | 'dot', Answer, became: string])[] =
  [
    ['mail', '530 5.7.0 Authentication required', 'deferred'],
    ['mail', '530 5.7.0 Must issue a STARTTLS command first', 'deferred'],
    ['mail', '550 5.7.57 Client not authenticated to send mail', 'deferred'],
    ['mail', '503 5.5.1 authenticate first', 'deferred'],
    ['rcpt', '535 5.7.8 log in anew', 'deferred'],
    ['rcpt', '538 5.7.11 Encryption required for requested authentication mechanism', 'deferred'],
    ['rcpt', '554 5.7.1 <bob@nowhere.test>: Relay access denied', 'deferred'],
    ['rcpt', '454 4.7.1 <bob@nowhere.test>: Relay access denied', 'deferred'],
    ['rcpt', '550 5.7.1 <bob@nowhere.test>... Relaying denied. Proper authentication required.', 'deferred'],
    ['rcpt', '553 sorry, that domain is not in my list of allowed rcpthosts (#5.7.1)', 'deferred'],
    ['rcpt', '554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied', 'deferred'],
    ['data', '530 5.7.0 Authentication required', 'deferred'],
    ['banner', { reply: '554 5.7.1 no access from 192.0.2.1', then: 'close' }, 'deferred'],
    ['mail', '550 5.7.1 Sender address rejected: not owned by user', 'bounced block'],
    ['rcpt', '550 5.1.1 <bob@nowhere.test>: Recipient address rejected: User unknown', 'bounced hard'],
    [
      'rcpt',
      '550 5.1.1 undeliverable address: host mx.nowhere.test said: 554 5.7.1 Relay access denied',
      'bounced block',
    ],
    ['rcpt', '550 no such user', 'bounced hard'],
    ['dot', '554 5.7.1 Message rejected as spam', 'bounced block'],
    ['dot', '550 5.7.26 SPF authentication required of this sender', 'bounced block'],
  ]

test('replies of a relay about our log-in, TLS or right to relay defer mail, even at the last try; others bounce', async () => {
  for (const [command, answer, became] of RELAY_SAYS) {
    await using relay = await startReceiver({ [command]: answer })
    const login = { username: null, password: null }
    await using h = await fixture(
      {},
      { mode: 'relay', relay: { host: '127.0.0.1', port: relay.port, tls: 'off', ...login } },
    )
    const id = await h.put('bob@nowhere.test')
    await h.delivery.turn()
    const said = typeof answer === 'string' ? answer : answer.reply
    const { type } = (await h.last(id)).data as { readonly type?: string }
    assert.equal([await h.status(id), type].join(' ').trim(), became, `${command}: ${said}`)
    if (became !== 'deferred') continue
    h.clock.wait(EMAIL_LIFE_MS - 60_000)
    await h.delivery.turn()
    assert.equal(await h.status(id), 'failed', said)
    assert.equal(await h.bounces(), 0, said)
  }
})

test('an attempt whose log-in was refused over TLS says so', async () => {
  const shown: unknown[] = []
  for (const tls of [true, false]) {
    await using relay = await startReceiver({ tls, login: { username: 'u', password: 'p' } })
    const login = { username: 'u', password: 'wrong' }
    await using h = await fixture(
      {},
      { mode: 'relay', relay: { host: '127.0.0.1', port: relay.port, tls: 'offered', ...login } },
    )
    const id = await h.put('bob@nowhere.test')
    await h.delivery.turn()
    const [attempt] = (await h.story(id)).attempts
    const { smtp_code: code, tls: used } = attempt?.detail ?? {}
    shown.push([code, used])
  }
  assert.deepEqual(shown, [
    [535, { version: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', verified: 'none' }],
    [null, null],
  ])
})

const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
const LETTER: Outgoing = {
  message: Buffer.from('Subject: s\r\n\r\nx\r\n'),
  returnPath: 'b@posthorn.test',
  recipient: 'bob@example.net',
  smtpUtf8: false,
  eightBit: false,
}

interface Line extends AsyncDisposable {
  readonly network: Network
  readonly port: number
  /** Advances the monotonic clock, which stands still otherwise. */
  wait(ms: number): void
  receiver(host: string, script?: ReceiverScript): Promise<Receiver>
  /** @returns the receiver's last reply; null: given back untried */
  send(site: string, more?: Partial<DeliveryJob>): Promise<string | null>
}

/** A network over real sockets. Equal MX hosts keep their order in the DNS, unless `chance` says otherwise. */
async function lineTo(zones: Zones, chance: () => number = () => 0, answers: Partial<Resolver> = {}): Promise<Line> {
  const first = await startReceiver({ host: '127.0.0.250' })
  const receivers = [first]
  const faults: unknown[] = []
  let nowMs = 0
  const network = networkOf({
    resolver: { ...declaredZones(zones), ...answers },
    clock: { ...systemClock(), monotonicMs: () => nowMs },
    chance,
    hostname: 'mail.posthorn.test',
    port: first.port,
    sourceIps: [],
    allowPrivate: true,
    isOurs: () => false,
    relay: null,
    timeouts: {},
    maxSockets: 400,
    onError: (error) => void faults.push(error),
  })
  return {
    network,
    port: first.port,
    wait: (ms) => {
      nowMs += ms
    },
    receiver: async (host, script = {}) => {
      const made = await startReceiver({ ...script, host, port: first.port })
      receivers.push(made)
      return made
    },
    send: async (site, more = {}) => {
      const sent = await network.send(site, {
        accountId: ACCOUNT,
        bulk: false,
        tlsRequired: false,
        obeysTlsPolicy: true,
        site,
        sender: 'news@shop.example',
        prepare: async () => ({ ...LETTER, recipient: `bob@${site}` }),
        maySend: async () => true,
        beforeDot: async () => true,
        ...more,
      })
      return sent?.verdict.finalReply.text ?? null
    },
    [Symbol.asyncDispose]: async () => {
      network.abort()
      for (const one of receivers) await one.close()
      assert.deepEqual(faults, [])
    },
  }
}

const TAKEN = '250 2.0.0 taken'
const SLOW_DOWN = { reply: '421 4.7.0 slow down', then: 'close' } as const

/** A DNS answer that differs each time: some of the addresses, in turn. */
function inTurn(addresses: readonly string[], many: number): () => { A: readonly string[] } {
  let turn = 0
  return () => {
    const from = turn++ % addresses.length
    return { A: [...addresses, ...addresses].slice(from, from + many) }
  }
}

test('the names of a mail are looked up in the share of its account', async () => {
  const zones: Zones = { 'shop.test': { MX: ['10 mx.shop.test'] }, 'mx.shop.test': { A: ['127.0.0.250'] } }
  const shares: string[] = []
  const askedFor = (whom: string): Resolver => {
    shares.push(whom)
    return declaredZones(zones)
  }
  await using h = await lineTo({}, undefined, { askedFor })
  assert.match((await h.send('shop.test')) ?? '', /^2/)
  assert.deepEqual(shares, [ACCOUNT])
})

test('a provider of two equal hosts with four addresses each gets five to twenty connections for forty customers', async () => {
  const mx1 = ['127.0.8.1', '127.0.8.2', '127.0.8.3', '127.0.8.4']
  const mx2 = ['127.0.8.5', '127.0.8.6', '127.0.8.7', '127.0.8.8']
  const customers = Array.from({ length: 40 }, (_, n) => `customer${n}.test`)
  await using line = await lineTo(
    {
      ...Object.fromEntries(customers.map((name) => [name, { MX: ['10 mx1.big.test', '10 mx2.big.test'] }])),
      'mx1.big.test': { A: mx1 },
      'mx2.big.test': { A: mx2 },
    },
    Math.random,
  )
  let most = 0
  const receivers: Receiver[] = []
  const mail = (): Answer => {
    most = Math.max(
      most,
      receivers.reduce((sum, { openCount }) => sum + openCount, 0),
    )
    return { reply: '250 2.1.0 ok', afterMs: 5 }
  }
  for (const ip of [...mx1, ...mx2]) receivers.push(await line.receiver(ip, { mail }))
  const sent = await Promise.all(customers.flatMap((site) => Array.from({ length: 10 }, () => line.send(site))))
  assert.ok(sent.every((text) => text === TAKEN))
  assert.ok(most >= 5 && most <= 20, `${most} connections at once`)
  const connections = receivers.reduce((sum, { connectionCount }) => sum + connectionCount, 0)
  // Each connection is reused for the next mail of any customer.
  assert.ok(connections <= 20, `${connections} connections`)
  // The first five lanes, all of one domain, start at different hosts.
  assert.ok(receivers.filter(({ connectionCount }) => connectionCount > 0).length >= 5)
})

test('mail that waits for the DNS is also given back, and later mail is sent', async () => {
  await using line = await lineTo({ 'one.test': { MX: ['10 mx.one.test'] }, 'mx.one.test': { A: ['127.0.8.1'] } })
  await line.receiver('127.0.8.1')
  const waiting = line.send('one.test')
  line.network.release()
  assert.equal(await waiting, null)
  assert.equal(await line.send('one.test'), TAKEN)
})

test('a refusal of STARTTLS for a mail that requires it does not throttle others, whatever its code', async () => {
  await using line = await lineTo({ 'one.test': { MX: ['10 mx.one.test'] }, 'mx.one.test': { A: ['127.0.8.1'] } })
  await line.receiver('127.0.8.1', { tls: true, starttls: '454 4.7.0 TLS not available' })
  assert.match((await line.send('one.test', { tlsRequired: true })) ?? '', /^454 4\.7\.0/)
  assert.equal(line.network.pauseMs('one.test'), 0)
})

for (const [dot, pauseMs] of [
  ['451 4.7.1 Greylisting in action, please come back later', 0],
  // rspamd, whose greylisting names itself nowhere.
  ['451 4.7.1 Try again later', 0],
  ['451 4.7.1 Please try again later.', 0],
  // About one sender's domain, and about one mail.
  ['451 4.7.24 SPF check of shop.example failed for now', 0],
  ['451 4.7.1 Message deferred, it looks like spam', 0],
  ['451 4.7.1 Deferred because of your spam rate: too many messages', 1_000],
  ['451 4.7.1 Too much mail from you, try again later', 1_000],
  ['421 4.7.1 Try again later', 1_000],
] as const)
  test(`a mail answered "${dot}" pauses the others for ${pauseMs} ms`, async () => {
    await using line = await lineTo({ 'one.test': { MX: ['10 mx.one.test'] }, 'mx.one.test': { A: ['127.0.8.1'] } })
    await line.receiver('127.0.8.1', { dot })
    assert.equal(await line.send('one.test'), dot)
    assert.equal(Math.min(1, line.network.pauseMs('one.test')) * 1_000, pauseMs)
  })

test('a back-off applies to the provider, whatever addresses a look-up gives, and keeps growing across plans', async () => {
  const all = ['127.0.8.1', '127.0.8.2', '127.0.8.3', '127.0.8.4']
  await using line = await lineTo({
    'one.test': { MX: ['10 mx.big.test', '20 backup.big.test'] },
    'two.test': { MX: ['1 mx.big.test', '9 backup.big.test'] },
    'mx.big.test': inTurn(all, 2),
    'backup.big.test': inTurn(all.toReversed(), 1),
  })
  for (const ip of all) await line.receiver(ip, { banner: SLOW_DOWN })
  const { network } = line
  await line.send('one.test')
  assert.equal(network.pauseMs('one.test'), 1_000)
  const waiting = line.send('two.test')
  while (network.pauseMs('two.test') === 0) await setImmediate()
  assert.equal(network.pauseMs('two.test'), 1_000)
  network.release()
  assert.equal(await waiting, null)
  line.wait(61_000)
  await line.send('one.test')
  assert.equal(network.pauseMs('one.test'), 2_000)
  assert.equal(network.pauseMs('two.test'), 2_000)
})

test('customers with their own names for the same addresses share one back-off until one of them moves elsewhere', async () => {
  let strayed = ['127.0.8.1', '127.0.8.2']
  await using line = await lineTo({
    'stray.test': { MX: ['10 mail.stray.test'] },
    'mail.stray.test': () => ({ A: strayed }),
    'one.test': { MX: ['10 mail.one.test'] },
    'mail.one.test': { A: ['127.0.8.2', '127.0.8.1'] },
  })
  const big = await line.receiver('127.0.8.1')
  await line.receiver('127.0.8.2')
  await line.receiver('127.0.8.3', { banner: SLOW_DOWN })
  const { network } = line
  assert.equal(await line.send('stray.test'), TAKEN)
  big.script({ mail: SLOW_DOWN })
  await line.send('one.test')
  assert.equal(network.pauseMs('one.test'), 1_000)
  assert.equal(network.pauseMs('stray.test'), 1_000)
  big.script({ mail: 'default' })
  // The owner points the name at a server that answers 421: that must not affect domains at the old addresses.
  strayed = ['127.0.8.3']
  line.wait(61_000)
  await line.send('stray.test')
  assert.ok(network.pauseMs('stray.test') > 0)
  assert.equal(await line.send('one.test'), TAKEN)
  assert.equal(network.pauseMs('one.test'), 0)
})

test('a host beside a provider in the MX of a domain does not slow down the provider', async () => {
  await using line = await lineTo({
    'one.test': { MX: ['10 mx.big.test'] },
    'both.test': { MX: ['10 mx.stray.test', '10 mx.big.test'] },
    'mx.big.test': { A: ['127.0.8.1'] },
    'mx.stray.test': { A: ['127.0.8.3'] },
  })
  await line.receiver('127.0.8.1')
  await line.receiver('127.0.8.3', { banner: SLOW_DOWN })
  assert.equal(await line.send('one.test'), TAKEN)
  await line.send('both.test')
  assert.ok(line.network.pauseMs('both.test') > 0)
  assert.equal(line.network.pauseMs('one.test'), 0)
})

test('a connection is reused for its host name, also at other addresses, but not after the name has moved', async () => {
  let addresses = ['127.0.8.1', '127.0.8.2']
  await using line = await lineTo({
    'one.test': { MX: ['10 mx.big.test'] },
    'two.test': { MX: ['10 mx.big.test'] },
    'mx.big.test': () => ({ A: addresses }),
  })
  const before = await line.receiver('127.0.8.1')
  const after = await line.receiver('127.0.8.3')
  await line.send('one.test')
  addresses = ['127.0.8.3']
  await line.send('two.test')
  assert.deepEqual([before.connectionCount, before.messageCount, after.messageCount], [1, 2, 0])
  line.wait(61_000)
  await line.send('one.test')
  assert.deepEqual([before.messageCount, after.messageCount], [2, 1])
})

test('a receiver that takes one message per connection gets the next at once on another connection', async () => {
  await using line = await lineTo({ 'one.test': { A: ['127.0.8.1'] } })
  const used = new Set<number>()
  const mail = (_: string, { connection }: { readonly connection: number }): Answer => {
    if (used.has(connection)) return '451 4.7.1 one message per connection'
    used.add(connection)
    return 'default'
  }
  const mx = await line.receiver('127.0.8.1', { mail })
  for (let n = 0; n < 3; n++) assert.equal(await line.send('one.test'), TAKEN)
  assert.deepEqual([mx.connectionCount, mx.messageCount], [3, 3])
  assert.equal(line.network.pauseMs('one.test'), 0)
})

test('mail for a destination that counts as down goes out once one of its connections is answered', async () => {
  await using line = await lineTo({ 'one.test': { A: ['127.0.8.1'] } })
  const dot = ({ recipients: [to = ''] }: { readonly recipients: readonly string[] }): Answer => {
    if (to.startsWith('broken')) return { then: 'close' }
    return { reply: TAKEN, afterMs: to.startsWith('slow') ? Number(to[4]) * 100 : 0 }
  }
  await line.receiver('127.0.8.1', { dot })
  const send = (name: string): Promise<string | null> =>
    line.send('one.test', { prepare: async () => ({ ...LETTER, recipient: `${name}@one.test` }) })
  // After six answers, six mails at once.
  for (let n = 0; n < 6; n++) await send('bob')
  const slow = ['slow1', 'slow2', 'slow3'].map(send)
  await Promise.all(['broken1', 'broken2', 'broken3'].map(send))
  const waiting = send('bob')
  assert.deepEqual(await Promise.all([...slow, waiting]), [TAKEN, TAKEN, TAKEN, TAKEN])
})

test('a destination is slow by its own answers, not by how long our mail waits for a place before the final dot', async () => {
  await using line = await lineTo({ 'ours.test': { A: ['127.0.8.1'] }, 'theirs.test': { A: ['127.0.8.2'] } })
  await line.receiver('127.0.8.1')
  const dot = (): Answer => {
    line.wait(1_100)
    return TAKEN
  }
  await line.receiver('127.0.8.2', { dot })
  const beforeDot = async (): Promise<boolean> => {
    line.wait(5_000)
    return true
  }
  for (const site of ['ours.test', 'theirs.test']) assert.equal(await line.send(site, { beforeDot }), TAKEN)
  assert.deepEqual([line.network.isSlow('ours.test'), line.network.isSlow('theirs.test')], [false, true])
})

test('a slow destination does not count as quick for what said nothing about its time', async () => {
  await using line = await lineTo({ 'one.test': { A: ['127.0.8.1'] } })
  const dot = (): Answer => {
    line.wait(1_100)
    return TAKEN
  }
  const mx = await line.receiver('127.0.8.1', { dot, smtpUtf8: false })
  assert.equal(await line.send('one.test'), TAKEN)
  const unsupported = await line.send('one.test', { prepare: async () => ({ ...LETTER, smtpUtf8: true }) })
  assert.match(unsupported ?? '', /^5\.6\.7 /)
  assert.equal(line.network.isSlow('one.test'), true, 'nothing was asked')
  mx.script({ dot, mail: (_, { connection }) => (connection === 1 ? '451 4.7.1 one message each' : 'default') })
  assert.equal(await line.send('one.test'), TAKEN)
  assert.equal(mx.connectionCount, 2)
  assert.equal(line.network.isSlow('one.test'), true, 'the connection took no more')
})

test('a mail whose MAIL is answered 4xx on its own connection is deferred', async () => {
  await using line = await lineTo({ 'one.test': { A: ['127.0.8.1'] } })
  const mx = await line.receiver('127.0.8.1')
  assert.equal(await line.send('one.test'), TAKEN)
  mx.script({ mail: '451 4.3.0 not now' })
  assert.equal(await line.send('one.test'), '451 4.3.0 not now')
  assert.equal(mx.connectionCount, 2)
})

test('a receiver that allows one connection at a time gets all mail over it', async () => {
  await using line = await lineTo({ 'one.test': { A: ['127.0.8.1'] } })
  const mx: Receiver = await line.receiver('127.0.8.1', {
    banner: () => (mx.openCount > 1 ? { reply: '421 4.7.0 one connection at a time', then: 'close' } : 'default'),
    dot: { reply: '250 2.0.0 taken', afterMs: 20 },
  })
  const sent = await Promise.all(Array.from({ length: 40 }, () => line.send('one.test')))
  assert.deepEqual(
    sent.filter((text) => text !== TAKEN),
    [],
  )
  assert.equal(mx.messageCount, 40)
  assert.ok(mx.connectionCount <= 10, `${mx.connectionCount} connections`)
})

test('a mail greeted with 421 goes over the one connection that is open, also when that is idle by then', async () => {
  await using line = await lineTo({ 'one.test': { A: ['127.0.8.1'] } })
  const full = { reply: '421 4.7.0 one connection at a time', then: 'close', afterMs: 100 } as const
  const mx: Receiver = await line.receiver('127.0.8.1', { banner: () => (mx.openCount > 1 ? full : 'default') })
  assert.deepEqual(await Promise.all([line.send('one.test'), line.send('one.test')]), [TAKEN, TAKEN])
  assert.equal(mx.connectionCount, 2)
})

test('the hosts of two thousand domains, each with all addresses that a plan may have, take little memory', async () => {
  let made = 0
  const found = <T>(records: readonly T[]) => ({ kind: 'found' as const, records, ttl: 0 })
  const addresses = (start: string): readonly string[] =>
    Array.from({ length: 64 }, () => {
      const n = (++made).toString(16).padStart(8, '0')
      return start === ''
        ? `2a00:${n.slice(0, 4)}:${n.slice(4)}::7:9`
        : `100.${made >> 16}.${(made >> 8) & 255}.${made & 255}`
    })
  await using w = await lineTo({}, () => 0.5, {
    mx: async (site: string) => found([1, 2, 3, 4, 5].map((n) => ({ exchange: `mx${n}.${site}`, preference: n }))),
    a: async () => found(addresses('100.')),
    aaaa: async () => found(addresses('')),
  })
  const send = async (site: string): Promise<void> => {
    await w.send(site, { prepare: async () => null }).catch(() => undefined)
  }
  await send('warm.test')
  const before = heap()
  for (let n = 0; n < 2_000; n++) await send(`d${n}.test`)
  const grown = heap() - before
  assert.ok(grown < 40 * 1_048_576, `${Math.round(grown / 1_048_576)} MB`)
})
