import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { connect, statement } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { forgetOperatorActions, recordOperatorAction } from './operator-actions.ts'

const DAY_MS = 86_400_000
const NOW = new Date('2026-03-01T12:00:00Z')
const KEPT = statement('test_operator_actions', 'select action from operator_action order by id')

test('actions of operators are deleted after two years, a batch at a time', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, onError: () => undefined })
  try {
    for (const days of [800, 731, 729, 0]) {
      const at = new Date(NOW.getTime() - days * DAY_MS)
      const ids = systemIds(() => at.getTime())
      const clock = { now: () => at, monotonicMs: () => 0, sleep: async () => undefined }
      const operator = { email: 'a@example.org', ip: '' }
      await recordOperatorAction(database.system, { ids, clock }, operator, { action: `${days} days ago` })
    }
    const forget = (): Promise<number> => forgetOperatorActions(database.system, NOW, 1)
    assert.deepEqual([await forget(), await forget(), await forget()], [1, 1, 0])
    const kept = await database.system.query<{ action: string }>(KEPT, [])
    assert.deepEqual(
      kept.map(({ action }) => action),
      ['729 days ago', '0 days ago'],
    )
  } finally {
    await database.close()
  }
})
