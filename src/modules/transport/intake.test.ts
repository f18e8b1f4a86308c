import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilBlocked } from '../../../test/world/blocked.ts'
import { freshDb } from '../../../test/world/database.ts'
import type { DkimOutcome } from '../../mail/authentication/dkim-check.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, type Db } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { tlsIntake } from './intake.ts'

const DAILY = 200
const UNSIGNED: DkimOutcome = { result: 'none', domain: null, reason: 'unsigned' }

function mailOf(id: string, domains: readonly string[]): Buffer {
  const report = {
    'organization-name': 'Company-X',
    'date-range': { 'start-datetime': '2026-04-01T00:00:00Z', 'end-datetime': '2026-04-01T23:59:59Z' },
    'report-id': id,
    policies: domains.map((domain) => ({
      policy: { 'policy-type': 'no-policy-found', 'policy-domain': domain },
      summary: { 'total-successful-session-count': 1, 'total-failure-session-count': 0 },
    })),
  }
  return Buffer.from(
    `From: tls@company-x.example\r\nContent-Type: application/tlsrpt+json\r\n\r\n${JSON.stringify(report)}`,
  )
}

test('of reports taken in at the same time no more are kept than a day has places for', async () => {
  await using fresh = await freshDb()
  const database = connect({ url: fresh.url, onError: () => undefined })
  const ids = systemIds()
  const accountId = ids.next()
  const intake = tlsIntake({ clock: systemClock(), ids, ownersOf: async () => [accountId] })
  const keeping = async (id: string, ...domains: string[]): Promise<(db: Db) => Promise<string>> => {
    const keep = await intake.read(mailOf(id, domains), async () => UNSIGNED, false)
    assert.ok(keep !== null)
    return keep
  }
  try {
    for (let i = 1; i < DAILY; i++) {
      const keep = await keeping(`r${i}`, 'shop.example')
      assert.equal(await database.transaction(keep), 'unverified')
    }
    const [last, late] = [await keeping('last', 'shop.example', 'news.example'), await keeping('late', 'shop.example')]
    const kept = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const first = database.transaction(async (db) => {
      const outcome = await last(db)
      kept.resolve()
      await end.promise
      return outcome
    })
    await kept.promise
    const second = database.transaction(late)
    await untilBlocked(database, 1)
    end.resolve()
    assert.deepEqual(await Promise.all([first, second]), ['unverified', 'too_many'])
  } finally {
    await intake.close()
    await database.close()
  }
})
