import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { explainPrepared } from '../../../test/world/plan.ts'
import { connect } from '../../platform/db.ts'
import { askAboutName, askNamesLater } from './sql-renewals.ts'

test('the certificate to ask about next is found by its time, not among those of all accounts', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, onError: () => undefined })
  for (const asking of [askAboutName, askNamesLater]) {
    const plan = (await explainPrepared<string>(database, asking, 'costs off', ['now()', 'now()'])).join('\n')
    assert.match(plan, /Scan (?:using|on) tracking_domain_ask\b.*\n +Index Cond: \(COALESCE\(/, plan)
  }
  await database.close()
})
