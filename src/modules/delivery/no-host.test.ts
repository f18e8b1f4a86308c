// Domains that exist in the DNS but have no host that takes mail.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixture } from '../../../test/world/delivery-fixture.ts'
import type { Db } from '../../platform/db.ts'

const MINUTE = 60_000

const NO_HOST = {
  'nodata.test': { TXT: ['here'] },
  'literal.test': { MX: ['10 192.0.2.1'] },
  'gone.test': { MX: ['10 mx.gone.test'] },
  'empty.test': { MX: ['10 mx.empty.test'] },
  'mx.empty.test': { TXT: ['here'] },
}
for (const domain of ['nodata.test', 'literal.test', 'gone.test', 'empty.test']) {
  test(`mail to ${domain}, which has no mail host, bounces when that is still so after 15 minutes, not before`, async () => {
    await using h = await fixture(NO_HOST)
    const id = await h.put(`bob@${domain}`)
    for (const minutes of [0, 7, 5]) {
      h.clock.advance(minutes * MINUTE)
      await h.delivery.turn()
      assert.equal(await h.status(id), 'deferred')
    }
    h.clock.advance(5 * MINUTE)
    await h.delivery.turn()
    const { event, data } = await h.last(id)
    assert.deepEqual([event, data['type'], data['category']], ['email.bounced', 'hard', 'bad_domain'])
    assert.match(String(data['error_message']), /^5\.1\.2 no /)
    assert.equal(await h.suppressed(`bob@${domain}`), 'hard_bounce')
  })
}

test('a domain does not count as without hosts while its DNS fails, or while most domains have none', async () => {
  const zones = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`nodata${n}.test`, { TXT: ['here'] }]))
  await using h = await fixture({ ...zones, 'one.test': { MX: ['10 mx.one.test'] }, 'mx.one.test': 'servfail' })
  const emails = [await h.put('bob@one.test')]
  for (const domain of Object.keys(zones)) emails.push(await h.put(`bob@${domain}`))
  for (const minutes of [0, 17]) {
    h.clock.advance(minutes * MINUTE)
    await h.delivery.turn()
  }
  for (const id of emails) assert.equal(await h.status(id), 'deferred')
})

test('a domain whose earlier attempts cannot be read is looked at again later', async () => {
  await using h = await fixture()
  let readable = false
  const system: Db = {
    ...h.database.system,
    one: (what, values) =>
      what.name === 'outbox_first_attempt_with' && !readable
        ? Promise.reject(Object.assign(new Error('invalid input syntax for type json'), { code: '22P02' }))
        : h.database.system.one(what, values),
  }
  const delivery = h.another({ database: { ...h.database, system } })
  const id = await h.put('bob@gone.test')
  for (const minutes of [0, 17]) {
    h.clock.wait(minutes * MINUTE)
    await delivery.turn()
  }
  assert.deepEqual([await h.status(id), (await h.story(id)).attempts.length, h.logged.length], ['deferred', 2, 1])
  readable = true
  h.clock.wait(20 * MINUTE)
  await delivery.turn()
  assert.equal(await h.status(id), 'bounced')
})
