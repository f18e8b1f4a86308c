// Hosts where TLS fails, alone and beside others: how a mail that does not require TLS is sent, and at what cost.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixture } from '../../../test/world/delivery-fixture.ts'
import { heap } from '../../../test/world/memory.ts'
import type { ReceiverScript } from '../../../test/world/receiver.ts'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { tlsFaults } from './tls-faults.ts'

const MINUTE = 60_000
const ZONE = {
  'example.net': { MX: ['10 mx1.example.net', '20 mx2.example.net'] },
  'mx1.example.net': { A: ['127.0.0.2'] },
  'mx2.example.net': { A: ['127.0.0.3'] },
  'single.example': { MX: ['10 mx1.example.net'] },
}
const IMPATIENT = { timeouts: { tls: 400, ehlo: 1_000, quit: 100 } }
const ONE_EACH = { reply: '250 2.0.0 taken', then: 'close' } as const
const STALL = { then: 'stall' } as const

// Each row: the behaviour of a host that offers TLS.
const BROKEN: [name: string, script: ReceiverScript][] = [
  ['never answers STARTTLS', { tls: true, starttls: STALL }],
  ['is silent in the handshake', { tls: true, handshake: STALL }],
  ['breaks the handshake', { tls: true, handshake: { raw: 'garbage\r\n', afterMs: 20 } }],
  ['refuses STARTTLS', { tls: true, starttls: '454 4.7.0 not now' }],
  ['is silent behind the handshake', { tls: true, ehlo: (_, { tls }) => (tls ? STALL : 'default') }],
  ['closes behind the handshake', { tls: true, ehlo: (_, { tls }) => (tls ? { then: 'close' } : 'default') }],
]
for (const [name, script] of BROKEN) {
  test(`a host that ${name} gets no mail in clear while another gives TLS, and the next mail does not try it`, async () => {
    await using h = await fixture(ZONE, IMPATIENT)
    const broken = await h.receiver('127.0.0.2', script)
    const sound = await h.receiver('127.0.0.3', { tls: true, dot: ONE_EACH })
    for (const count of [1, 2]) {
      const id = await h.put('bob@example.net')
      await h.delivery.turn()
      assert.equal(await h.status(id), 'delivered')
      assert.deepEqual([broken.messages.length, broken.connectionCount, sound.messages.length], [0, 1, count])
      assert.ok(sound.messages.every(({ tls }) => tls))
    }
  })

  test(`a single host that ${name} gets the mail in clear, and is asked for TLS again only after five minutes`, async () => {
    await using h = await fixture(ZONE, IMPATIENT)
    const mx = await h.receiver('127.0.0.2', { ...script, dot: ONE_EACH })
    const asked = (): number => mx.dialogue.filter((line) => line === 'C: STARTTLS').length
    for (const [minutes, times] of [
      [0, 1],
      [4, 1],
      [2, 2],
      [9, 2],
      [2, 3],
    ] as const) {
      h.clock.wait(minutes * MINUTE)
      const id = await h.put('bob@single.example')
      await h.delivery.turn()
      assert.equal(await h.status(id), 'delivered')
      assert.equal(asked(), times)
    }
    mx.script({ starttls: 'default', handshake: 'default', ehlo: 'default' })
    const strict = await h.put('bob@single.example', { tlsRequired: true })
    await h.delivery.turn()
    assert.equal(await h.status(strict), 'delivered', 'what may not go in clear asks all the same')
    const after = await h.put('bob@single.example')
    await h.delivery.turn()
    assert.equal(await h.status(after), 'delivered')
    assert.deepEqual(mx.messages.map(({ tls }) => tls).slice(-2), [true, true], 'TLS that works makes good')
  })
}

test('when no host gives TLS each is asked once; the best gets the mail in clear, none gets mail that requires TLS', async () => {
  await using h = await fixture(ZONE, IMPATIENT)
  const garbage = { tls: true, handshake: { raw: 'garbage\r\n', afterMs: 20 } }
  const best = await h.receiver('127.0.0.2', garbage)
  const other = await h.receiver('127.0.0.3', garbage)
  const id = await h.put('bob@example.net')
  await h.delivery.turn()
  assert.equal(await h.status(id), 'delivered')
  assert.deepEqual([best.messages.length, best.connectionCount, other.connectionCount], [1, 2, 1])
  const strict = await h.put('bob@example.net', { tlsRequired: true })
  await h.delivery.turn()
  assert.equal(await h.status(strict), 'deferred')
  assert.deepEqual([best.messages.length, other.messages.length], [1, 0])
})

test('after silence in a TLS handshake no other address of the host is asked for TLS in the same attempt', async () => {
  await using h = await fixture(
    { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.2', '127.0.0.3', '127.0.0.4'] } },
    IMPATIENT,
  )
  const hosts = []
  for (const ip of ['127.0.0.2', '127.0.0.3', '127.0.0.4'])
    hosts.push(await h.receiver(ip, { tls: true, handshake: STALL }))
  const id = await h.put('bob@example.net')
  await h.delivery.turn()
  assert.equal(await h.status(id), 'delivered')
  const asked = hosts.flatMap(({ dialogue }) => dialogue.filter((line) => line === 'C: STARTTLS'))
  assert.equal(asked.length, 1)
})

test('a TLS fault is remembered for 5 minutes, then 10, at most an hour; simultaneous ones count once; success clears it', () => {
  let nowMs = 0
  const clock: Clock = { ...systemClock(), monotonicMs: () => nowMs }
  const faults = tlsFaults(clock)
  const host = { host: 'mx.example.net', ip: '192.0.2.1' }
  for (const minutes of [5, 10, 20, 40, 60, 60]) {
    for (const _ of [1, 2, 3]) faults.note(host, 'broken')
    nowMs += minutes * MINUTE - 1
    assert.equal(faults.of(host), 'broken', `${minutes}`)
    nowMs += 1
    assert.equal(faults.of(host), null, `${minutes}`)
  }
  assert.equal(faults.of({ ...host, host: 'mx.other.example' }), null)
  faults.note(host, 'broken')
  faults.note({ ...host, ip: '192.0.2.2' }, 'broken')
  faults.note(host, null)
  assert.equal(faults.of(host), null)
  assert.equal(faults.of({ ...host, ip: '192.0.2.2' }), 'broken')
  faults.note(host, 'broken')
  nowMs += 5 * MINUTE
  assert.equal(faults.of(host), null)
})

test('what ten thousand hosts say when they refuse TLS takes little memory', () => {
  const faults = tlsFaults(systemClock())
  const before = heap()
  for (let n = 0; n < 2_000; n++) {
    // As a reply arrives: its text is put together.
    const words = Buffer.alloc(60_000, `${n} not now `).toString()
    faults.note({ host: `mx${n}.example.net`, ip: '192.0.2.1' }, `454 4.7.0 ${words}`)
  }
  const grown = heap() - before
  assert.ok(grown < 10 * 1_048_576, `${Math.round(grown / 1_048_576)} MB`)
  assert.match(faults.of({ host: 'mx7.example.net', ip: '192.0.2.1' }) ?? '', /^454 4\.7\.0 7 not now/)
})
