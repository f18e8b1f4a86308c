import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { until } from '../../../test/world/accounts-fixture.ts'
import { startWorld, type World } from '../../../test/world/world.ts'
import { statement } from '../../platform/db.ts'
import { append, type FollowedEvent, follow, followApart, followerLags, type NewEvent, type Share } from './index.ts'

const NAME = 'test wide'
const FEW = 5
const APART = statement('test_apart', `select name from follower where name like '${NAME}:%'`)
const WIDE = randomUUID()
const NARROW = randomUUID()

/** A follower that gives an account with more than a few events in a stretch a cursor of its own, and what it has heard. */
async function fixture() {
  const world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const { database } = world.rooms
  const heard = new Map<string, string[]>([
    [WIDE, []],
    [NARROW, []],
  ])
  const effect = async (_: unknown, some: readonly FollowedEvent[]): Promise<void> => {
    for (const { accountId, eventId } of some) heard.get(accountId)?.push(eventId)
  }
  const share = async (_: unknown, some: readonly FollowedEvent[]): Promise<Share> => {
    const counts = Map.groupBy(some, ({ accountId }) => accountId)
    const apart = new Set([...counts].filter(([, { length }]) => length > FEW).map(([accountId]) => accountId))
    return { apart, fits: some.length }
  }
  let before: string | null = null
  const made = {
    database,
    heard,
    whileHearing: async (): Promise<void> => {},
    written: async (accountId: string, count: number): Promise<readonly string[]> => {
      const events = Array.from({ length: count }, () => event(world, accountId))
      for (const one of events) await append(database.system, [one])
      return events.map(({ eventId }) => eventId)
    },
    follow: () =>
      follow(database, {
        ...{ name: NAME, limit: 20, share },
        effect: async (db, some) => {
          await effect(db, some)
          await made.whileHearing()
        },
      }),
    followApart: async (): Promise<string | null> => {
      before = await followApart(database, { name: NAME, before, limit: 20, most: async () => FEW, effect })
      return before
    },
    apart: async () => (await database.system.query<{ name: string }>(APART)).map(({ name }) => name),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
  return made
}

function event(world: World, accountId: string): NewEvent {
  const { clock, ids } = world.rooms.ground
  const about = { at: clock.now(), accountId, domainId: null, emailId: null, sandbox: false, tag: null, facts: null }
  return {
    ...about,
    eventId: ids.next(),
    type: 'suppression.created',
    stream: 'transactional',
    data: { email: 'a@x.test' },
  }
}

// A transaction that is open anywhere on the server, another test's too, keeps followers from what is written after its start.
test('an account with many events holds up no other, gets each of its own once and in order, and is then like the others', async () => {
  await using h = await fixture()
  const wide = [...(await h.written(WIDE, 50))]
  const narrow = [...(await h.written(NARROW, 3))]
  await until(async () => (await h.follow()) === 0 && h.heard.get(NARROW)?.length === narrow.length)
  assert.deepEqual(h.heard.get(NARROW), narrow)
  assert.deepEqual(h.heard.get(WIDE), [])
  assert.deepEqual(await h.apart(), [`${NAME}:${WIDE}`])
  const lags = await followerLags(h.database.system, new Date(Date.now() + 60_000))
  assert.ok((lags.find(({ name }) => name === NAME)?.lagSeconds ?? 0) >= 60, JSON.stringify(lags))

  assert.equal(await h.followApart(), WIDE)
  assert.deepEqual(h.heard.get(WIDE), wide.slice(0, FEW))
  wide.push(...(await h.written(WIDE, 2)))
  narrow.push(...(await h.written(NARROW, 2)))
  await until(async () => (await h.follow()) === 0 && h.heard.get(NARROW)?.length === narrow.length)
  await until(async () => (await h.followApart()) === null)
  assert.deepEqual(await h.apart(), [])
  wide.push(...(await h.written(WIDE, 2)))
  await until(async () => (await h.follow()) === 0 && h.heard.get(WIDE)?.length === wide.length)
  assert.equal(await h.followApart(), null)
  assert.deepEqual(h.heard.get(WIDE), wide)
  assert.deepEqual(h.heard.get(NARROW), narrow)
})

test('an account that has caught up just as the follower reads on does not lose what that leaves to it', async () => {
  await using h = await fixture()
  const wide = [...(await h.written(WIDE, FEW + 1))]
  await until(async () => (await h.follow()) === 0 && (await h.apart()).length === 1)
  await until(async () => (await h.followApart()) !== null && h.heard.get(WIDE)?.length === wide.length)
  assert.equal((await h.apart()).length, 1)
  wide.push(...(await h.written(WIDE, 2)))
  const narrow = await h.written(NARROW, 1)
  let meanwhile: Promise<string | null> | undefined
  h.whileHearing = async () => {
    meanwhile = h.followApart()
    await Promise.race([meanwhile, setTimeout(500)])
  }
  await until(async () => (await h.follow()) === 0 && h.heard.get(NARROW)?.length === narrow.length)
  await meanwhile
  h.whileHearing = async () => {}
  await until(async () => (await h.followApart()) === null && (await h.follow()) === 0)
  assert.deepEqual(h.heard.get(WIDE), wide)
})

test('accounts that are apart take turns', async () => {
  await using h = await fixture()
  await h.written(WIDE, 12)
  await h.written(NARROW, 12)
  await until(async () => (await h.follow()) === 0 && (await h.apart()).length === 2)
  const turns = [await h.followApart(), await h.followApart(), await h.followApart(), await h.followApart()]
  const [first, second] = [WIDE, NARROW].sort()
  assert.deepEqual(turns, [first, second, first, second])
})

test('several workers leave out no event and repeat none, while accounts come and go', async () => {
  await using h = await fixture()
  const wide: string[] = []
  const narrow: string[] = []
  let writing = true
  const heard = (): number => (h.heard.get(WIDE)?.length ?? 0) + (h.heard.get(NARROW)?.length ?? 0)
  const worker = (): Promise<number> =>
    until(async () => {
      const taken = await h.follow()
      const served = await h.followApart()
      return !writing && taken === 0 && served === null && heard() >= wide.length + narrow.length
    })
  const write = async (): Promise<void> => {
    for (let round = 0; round < 12; round++) {
      wide.push(...(await h.written(WIDE, 3 + 4 * (round % 3))))
      narrow.push(...(await h.written(NARROW, 2)))
    }
    writing = false
  }
  await Promise.all([worker(), worker(), write()])
  assert.deepEqual(h.heard.get(WIDE), wide)
  assert.deepEqual(h.heard.get(NARROW), narrow)
})
