import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import type { FollowedEvent } from '../events/index.ts'
import { fanOut } from './fan-out.ts'

const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
const ENDPOINTS = 100
const EVENTS = 1_000

test('many events for many endpoints are queued in pieces, and others have a turn between them', async () => {
  const since = new Date(0)
  const endpoints = Array.from({ length: ENDPOINTS }, (_, n) => ({
    ...{ id: `${n}`, account_id: ACCOUNT, events: ['*'], domain_ids: null, active_since: since },
    consecutive_failures: 0,
  }))
  const sizes: number[] = []
  const execute = async (_: unknown, [ids]: readonly unknown[] = []): Promise<number> => {
    sizes.push((ids as readonly string[]).length)
    return 0
  }
  const db = { query: async () => endpoints, execute } as unknown as Db
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    ...{ eventId: `${n}`, at: new Date(), accountId: ACCOUNT, domainId: null, emailId: null, type: 'email.sent' },
  })) as unknown as FollowedEvent[]
  let turns = 0
  const others = setInterval(() => turns++, 0)
  assert.equal(await fanOut(db, { clock: systemClock(), ids: systemIds() }, events), ENDPOINTS * EVENTS)
  clearInterval(others)
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    ENDPOINTS * EVENTS,
  )
  assert.ok(Math.max(...sizes) <= 2_000, `${Math.max(...sizes)} in one statement`)
  assert.ok(turns > 1)
})
