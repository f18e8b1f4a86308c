// The time by which data is deleted, while the clock jumps.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '../../../test/world/world.ts'
import { settledClock } from './index.ts'
import { settledAfter } from './settled-time.ts'
import type { SettledTime } from './sql.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const YEAR = 365 * DAY
const START = Date.parse('2026-03-01T12:00:00Z')

// Each row: the times of day of the turns in hours after the start, and what deletions count from after the last of them.
const TURNS: readonly (readonly [what: string, hours: readonly number[], settled: number])[] = [
  ['a clock that goes on', [0, 1, 2, 26], 26],
  ['a clock ahead', [0, 1, 9_000], 1],
  ['a clock ahead for less than a day', [0, 1, 9_000, 9_010, 9_023.9], 1],
  ['a clock ahead for a day', [0, 1, 9_000, 9_010, 9_024], 9_024],
  ['one that goes on from there', [0, 1, 9_000, 9_010, 9_024, 9_025], 9_025],
  ['a clock put right again', [0, 1, 9_000, 9_010, 2], 2],
  ['one that jumps again meanwhile', [0, 1, 9_000, 9_010, 99_000, 99_020], 1],
  ['one that jumps on, and back to where it was first', [0, 1, 9_000, 99_000, 9_001, 9_020], 1],
  ['a service that was stopped for a week, and runs a day', [0, 168, 180, 192], 192],
  ['a clock put back by years', [0, -90_000, -89_999], -89_999],
]
for (const [what, hours, settled] of TURNS)
  test(`deletions with ${what} count from hour ${settled}`, () => {
    const at = (hour: number): Date => new Date(START + hour * HOUR)
    const last = hours.reduce<SettledTime | null>((before, hour) => settledAfter(before, at(hour)), null)
    assert.deepEqual(last?.settledAt, at(settled))
    assert.equal(last?.doubtedSince === null, last?.seenAt.getTime() === last?.settledAt.getTime())
  })

test('the state outlives the process that asks, and is told once', async () => {
  const lines: string[] = []
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const log = { ...world.rooms.ground.log, error: (_: object, text: string) => void lines.push(text) }
  const ask = async (): Promise<number> => {
    const options = { database: world.rooms.database, clock: world.clock, log } as Parameters<typeof settledClock>[0]
    return (await settledClock(options)).now().getTime()
  }
  const first = await ask()
  world.clock.advance(2 * YEAR)
  for (let hour = 0; hour < 24; hour++) {
    assert.equal(await ask(), first, `${hour} h`)
    world.clock.advance(HOUR)
  }
  const after = world.clock.now().getTime()
  assert.ok((await ask()) >= after)
  assert.equal(lines.length, 1)
})
