import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { connect, type Statement, statement } from '../../platform/db.ts'
import { whenNamesChanged } from './name-changes.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
const NAME = '01980000-0000-7000-8000-00000000000b'
const DOMAIN = '01980000-0000-7000-8000-00000000000c'
const does = (what: string): Statement => statement(`test_${what.replaceAll(/\W+/g, '_').slice(-50)}`, what)

const FILL = [
  does(`insert into sending_domain (id, account_id, name, verification_token, dkim_selector, dkim_public_key, dkim_private_key,
      ed25519_public_key, ed25519_private_key, created_at, status_since)
    values ('${DOMAIN}', '${ACCOUNT}', 'shop.example', '', '', '', '', '', '', now(), now())`),
  does(`insert into tracking_domain (id, account_id, name, cname_target, created_at)
    values ('${NAME}', '${ACCOUNT}', 'go.shop.example', '', now())`),
]
// What is done to the rows above, in this order, and whether processes then have to read the names again.
const CHANGES: readonly [what: string, isAnnounced: boolean][] = [
  ["update tracking_domain set checked_at = now(), check_error = 'the name does not exist'", false],
  ["update tracking_domain set verified_at = '2026-03-01Z'", true],
  ["update tracking_domain set verified_at = '2026-03-01Z', next_check_at = now()", false],
  ["update tracking_domain set ssl_since = '2026-03-01Z', ssl_expires_at = '2026-06-01Z', certificate = 'x'", true],
  ["update tracking_domain set ssl_ask_at = now(), ssl_due_at = '2026-05-01Z'", false],
  ["update tracking_domain set ssl_expires_at = '2026-09-01Z', certificate = 'y'", true],
  [`update sending_domain set tracking_domain_id = '${NAME}'`, true],
  ["update sending_domain set last_checked_at = now(), status = 'verified'", false],
  ['update sending_domain set tracking_domain_id = null', true],
  [`insert into tracking_domain_hold values ('go.shop.example', '${ACCOUNT}', now())`, true],
  ['delete from tracking_domain', true],
  ["delete from tracking_domain_hold where until < '1999-01-01Z'", false],
]

test('the names of all accounts are read again when one of them has changed, and not because it was checked', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, onError: () => undefined })
  const { system } = database
  for (const row of FILL) await system.execute(row)
  let readings = 0
  const look = whenNamesChanged({ database, clock: { monotonicMs: () => 0 } }, async () => void readings++)
  await look()
  // Notifications come in the order of the commits: with that of a mark, all before it have come.
  let marks = 0
  await database.listen('test_mark', () => void marks++)
  for (const [index, [what, isAnnounced]] of CHANGES.entries()) {
    await system.execute(does(what))
    await system.execute(does('notify test_mark'))
    while (marks <= index) await new Promise((resolve) => setImmediate(resolve))
    const before = readings
    await look()
    assert.equal(readings - before, isAnnounced ? 1 : 0, what)
  }
  await database.close()
})

test('the names are read once a minute unasked, and again at once when reading failed', async () => {
  let nowMs = NOW.getTime()
  let readings = 0
  let isDown = true
  const look = whenNamesChanged(
    { database: { listen: async () => undefined }, clock: { monotonicMs: () => nowMs } },
    async () => {
      readings++
      if (isDown) throw new Error('down')
    },
  )
  await assert.rejects(look())
  isDown = false
  for (let second = 0; second <= 120; second += 2) {
    await look()
    nowMs += 2_000
  }
  assert.equal(readings, 4)
})
