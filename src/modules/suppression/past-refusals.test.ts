// What the room remembers of an entry that was taken off the suppression list.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { freshDb, type TestDatabase } from '../../../test/world/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, type Database } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { ensureEventPartitions } from '../events/index.ts'
import { type NewSuppression, noteDelivery, removeSuppression, suppress } from './index.ts'
import { stillRefused } from './still-refused.ts'

const context = { ids: systemIds(), clock: systemClock() }
const { ids, clock } = context
const RECIPIENT = 'jo@example.net'

let store: TestDatabase
let database: Database
before(async () => {
  store = await freshDb()
  database = connect({ url: store.url, onError: () => undefined })
  await ensureEventPartitions(database.system, clock.now())
})
after(async () => {
  await database.close()
  await store[Symbol.asyncDispose]()
})

/** Suppresses the recipient and takes them off the list. @returns the account */
async function takenOff(entry: Partial<NewSuppression>): Promise<string> {
  const accountId = ids.next()
  const nothing = { domainId: null, emailId: null, details: null, expiresAt: null }
  const usual = { accountId, recipient: RECIPIENT, sandbox: false, source: 'smtp', bounceId: ids.next() } as const
  await database.transaction((db) => suppress(db, context, [{ ...usual, ...nothing, reason: 'hard_bounce', ...entry }]))
  await database.tenant(accountId, (db) => removeSuppression(db, context, accountId, RECIPIENT, { keyId: null }))
  return accountId
}

const refused = (accountId: string): Promise<string | null> =>
  stillRefused(database.system, accountId, RECIPIENT, clock.now())

// Each row: the entry, and what still refuses live mail to the address afterwards.
const ENTRIES: [what: string, entry: Partial<NewSuppression>, refused: string | null][] = [
  ['a hard bounce', {}, 'hard_bounce'],
  ['a complaint', { reason: 'complaint' }, 'complaint'],
  ['a suppression for soft bounces', { reason: 'repeated_soft_bounce' }, null],
  ['an entry by hand', { reason: 'hard_bounce', source: 'api', bounceId: null }, null],
  ['a bounce of sandbox mail', { sandbox: true }, null],
]
for (const [what, entry, expected] of ENTRIES) {
  test(`after ${what} was taken off the list it is remembered as ${expected}`, async () => {
    assert.equal(await refused(await takenOff(entry)), expected)
  })
}

// Each row: what is remembered, the mail that was delivered since, and what is remembered then.
const DELIVERIES: [reason: 'hard_bounce' | 'complaint', sandbox: boolean, refused: string | null][] = [
  ['hard_bounce', false, null],
  ['hard_bounce', true, 'hard_bounce'],
  ['complaint', false, 'complaint'],
]
for (const [reason, sandbox, expected] of DELIVERIES) {
  test(`a ${reason} is remembered as ${expected} after a delivery of ${sandbox ? 'sandbox' : 'live'} mail`, async () => {
    const accountId = await takenOff({ reason })
    const other = await takenOff({ reason })
    await noteDelivery(database.system, [{ accountId, recipient: RECIPIENT, sandbox, emailId: ids.next() }])
    assert.equal(await refused(accountId), expected)
    assert.equal(await refused(other), reason, 'of another account')
  })
}
