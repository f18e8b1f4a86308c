// Daily jobs go through the accounts page by page, each page after the last account of the one before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '../../../test/world/world.ts'
import { statement } from '../../platform/db.ts'
import { activeAccounts } from './figures.ts'

const PAGE = 500
const TODAY = new Date('2026-12-01T00:00:00Z')

// Not in order of the ids.
const FILL = statement(
  'test_fill_accounts',
  `insert into stat_bucket (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, sent)
   select ('018f0000-0000-7000-8000-' || lpad(to_hex((n * 7919) % 65536), 12, '0'))::uuid, 0, 1,
     '00000000-0000-0000-0000-000000000000', '', $2::timestamptz - d * interval '1 day', 0, false, 1
   from generate_series(1, $1::int) n, generate_series(0, 3) d on conflict do nothing`,
)

test('the pages of active accounts have every account once, in order, whatever the plan', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const { system } = world.rooms.database
  const all = async (): Promise<readonly string[]> => {
    const found: string[] = []
    for (let after: string | null = null; ; ) {
      const from = new Date('2026-11-02T00:00:00Z')
      const page: readonly string[] = await activeAccounts(system, { from, after, limit: PAGE })
      found.push(...page)
      if (page.length < PAGE) return found
      after = page.at(-1) ?? null
    }
  }
  for (const accounts of [2, 20, 300, 1_500]) {
    await system.execute(FILL, [accounts, TODAY])
    const found = await all()
    assert.equal(found.length, accounts)
    assert.deepEqual(found, [...new Set(found)].toSorted())
  }
})
