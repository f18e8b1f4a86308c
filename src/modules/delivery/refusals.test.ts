// The effects of a refusal beyond its email: what it slows down, and what it does not count against.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Fixture, fixture } from '../../../test/world/delivery-fixture.ts'
import type { ReceiverScript } from '../../../test/world/receiver.ts'

const MINUTE = 60_000
const ZONE = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.2'] } }

/** Each row: the receiver's answer, and the email's state after its first try. */
const FIRST: readonly (readonly [script: ReceiverScript, became: string, category: string | null])[] = [
  [{ banner: '550 Connection frequency limited. http://service.mail.qq.example/1000722' }, 'deferred', null],
  [{ banner: '554 5.7.1 Too many connections from your host, try again later' }, 'deferred', null],
  [{ rcpt: '550 Domain frequency limited [MJ8K7h 192.0.2.1]' }, 'deferred', null],
  [{ rcpt: '554 5.7.1 The server IP address 192.0.2.1 is rate-limited. try later' }, 'deferred', null],
  [{ rcpt: '554 5.7.1 Greylisted, please try again' }, 'deferred', null],
  [{ banner: '554 no SMTP service here' }, 'deferred', null],
  [{ banner: '554 your IP 192.0.2.1 is on our block list' }, 'bounced', 'reputation'],
  [{ banner: '521 this host takes no mail' }, 'bounced', 'unknown'],
  [{ rcpt: '550 5.2.1 The user you are trying to contact is receiving mail at a rate' }, 'bounced', 'rate_limited'],
]
for (const [script, became, category] of FIRST) {
  const [[command, said] = []] = Object.entries(script)
  test(`${command} answered "${said}" leaves the email ${became}`, async () => {
    await using h = await fixture(ZONE)
    await h.receiver('127.0.0.2', script)
    const id = await h.put('bob@example.net')
    await h.delivery.turn()
    assert.equal(await h.status(id), became)
    assert.equal((await h.last(id)).data['category'] ?? null, category)
    assert.equal(await h.bounces(), became === 'bounced' ? 1 : 0)
    assert.deepEqual(h.logged, [])
  })
}

test('a rate limit answered with 550 is temporary: the mail arrives at its next try', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { banner: '550 Connection frequency limited' })
  const id = await h.put('bob@example.net')
  await h.delivery.turn()
  mx.script({ banner: 'default' })
  h.clock.wait(7 * MINUTE)
  await h.delivery.turn()
  assert.equal(await h.status(id), 'delivered')
})

/** Sends three mails in turn, each to its end. @returns their states and the recipient's suppression */
async function threeTo(h: Fixture): Promise<string> {
  const ends: string[] = []
  for (let mail = 0; mail < 3; mail++) {
    const id = await h.put('bob@example.net')
    for (let hours = 0; hours < 74; hours++) {
      await h.delivery.turn()
      if (['bounced', 'failed'].includes(await h.status(id))) break
      h.clock.wait(60 * MINUTE)
    }
    ends.push(await h.status(id))
  }
  const known = await h.bounces()
  return `${[...new Set(ends)]} ${known} ${await h.suppressed('bob@example.net')}`
}

const THREE: readonly (readonly [script: ReceiverScript, became: string])[] = [
  [{ rcpt: '552 5.2.2 mailbox full' }, 'bounced 3 repeated_soft_bounce'],
  [{ rcpt: '450 mailbox busy' }, 'failed 3 repeated_soft_bounce'],
  // An outage of the receiver, greylisting that never ends, rate limits.
  [{ dot: '451 4.3.0 error' }, 'failed 3 null'],
  [{ rcpt: '450 4.7.1 greylisted' }, 'failed 3 null'],
  [{ rcpt: '550 Domain frequency limited' }, 'failed 3 null'],
  [{ banner: '550 Connection frequency limited' }, 'failed 0 null'],
  // The receiver was not asked about the recipient, or refused the mail for its size.
  [{ mail: '552 4.2.2 mailbox full' }, 'bounced 3 null'],
  [{ size: 100 }, 'bounced 3 null'],
  [{ dot: '552 5.2.3 message too large for this mailbox' }, 'bounced 3 null'],
  // A block is about us, and an answer that says nothing is about nobody.
  [{ rcpt: '550 blocked by our blocklist' }, 'bounced 3 null'],
  [{ rcpt: '550 no' }, 'bounced 3 null'],
  // The reply of a Postfix that cannot reach the next server to verify the recipient.
  [
    {
      rcpt: '550 5.1.1 <bob@example.net>: Recipient address rejected: unverified address: connect to mail.internal[10.0.0.2]:25: Connection refused',
    },
    'bounced 3 null',
  ],
  [{ rcpt: '550 5.4.316 Message expired, connection refused' }, 'bounced 3 null'],
  [{ rcpt: '550 5.4.4 Unable to route: Host or domain name not found' }, 'bounced 3 null'],
]
for (const [script, became] of THREE) {
  const [[command, said] = []] = Object.entries(script)
  test(`three mails where ${command} is answered "${said}" end as ${became}`, async () => {
    await using h = await fixture(ZONE)
    await h.receiver('127.0.0.2', script)
    assert.equal(await threeTo(h), became)
    assert.deepEqual(h.logged, [])
  })
}
