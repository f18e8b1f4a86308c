// Days of other zones are composed of days in UTC, hours and quarters; checked against the calendar of Intl.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { startWorld, type World } from '../../../test/world/world.ts'
import type { FollowedEvent } from '../events/index.ts'
import { rollUpProviders } from './providers.ts'
import { rollUp } from './roll-up.ts'
import { dayStart } from './zones.ts'

const V1 = '/api/v1/stats/outbound'
const DAY_MS = 86_400_000

let world: World
before(async () => {
  world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
})
after(() => world[Symbol.asyncDispose]())

// Offsets of quarter and half hours and of more than twelve hours; clocks that change by half an hour, at midnight (in Santiago
// that midnight does not exist on the day summer time begins; in Havana it happens twice on the day it ends), or never.
const ZONES = [
  'UTC',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Australia/Adelaide',
  'Pacific/Chatham',
  'Pacific/Auckland',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'America/St_Johns',
  'America/Santiago',
  'America/Havana',
  'America/New_York',
  'Europe/Vienna',
]

// Dates around which one or more of these zones change their clocks in 2026.
const TURNS = ['03-08', '03-29', '04-05', '09-06', '09-27', '10-04', '10-25', '11-01'].map((day) =>
  Date.parse(`2026-${day}T00:00:00Z`),
)

const moments = fc.tuple(
  fc.constantFrom(...TURNS),
  fc.array(fc.integer({ min: -3 * 96, max: 3 * 96 }), { minLength: 1, maxLength: 40 }),
  fc.integer({ min: 0, max: 899_999 }),
)

test('every day and every period of every zone has the events that happened in it', async () => {
  const { database, ground } = world.rooms
  let stories = 0
  await fc.assert(
    fc.asyncProperty(
      moments,
      fc.constantFrom(...ZONES),
      fc.nat({ max: 6 }),
      fc.nat({ max: 6 }),
      async ([turn, quarters, within], timezone, one, other) => {
        const tag = `story ${++stories}`
        const events = quarters.map(
          (quarter): FollowedEvent => ({
            eventId: ground.ids.next(),
            at: new Date(turn + quarter * 900_000 + within),
            accountId: world.account.accountId,
            domainId: null,
            emailId: ground.ids.next(),
            type: 'email.sent',
            stream: 'transactional',
            sandbox: false,
            tag,
            data: {},
            facts: null,
            provider: null,
          }),
        )
        const answers = events.map((event, i): FollowedEvent => {
          return { ...event, type: 'email.delivered', provider: i % 3 === 0 ? 'google' : 'gmx' }
        })
        await database.transaction(async (db) => {
          await rollUp(db, events)
          await rollUpProviders(db, answers)
        })
        const format = new Intl.DateTimeFormat('en-CA', { timeZone: timezone })
        const dates = events.map(({ at }) => format.format(at))
        const date = (days: number): string => new Date(turn + (days - 3) * DAY_MS).toISOString().slice(0, 10)
        const [from, to] = [date(Math.min(one, other)), date(Math.max(one, other))]
        const query = `from_date=${from}&to_date=${to}&timezone=${timezone}&tag=${tag}`
        const { data, totals } = (await world.api.get(`${V1}/sends?${query}`)).body
        const providers = (await world.api.get(`${V1}/providers?${query}`)).body
        for (const [i, day] of data.entries()) {
          const told = dates.flatMap((known, n) => (known === day.date ? [n % 3 === 0 ? 'google' : 'gmx'] : []))
          const answered = providers.data[i]
          assert.deepEqual([answered.date, answered.accepted], [day.date, told.length], `${query} answers`)
          for (const { provider, accepted, attempts } of answered.providers) {
            assert.ok(accepted > 0 && accepted === attempts)
            assert.equal(accepted, told.filter((known) => known === provider).length, `${query} ${provider}`)
          }
          assert.equal(day.sent, dates.filter((known) => known === day.date).length, `${day.date} in ${timezone}`)
        }
        const expected = dates.filter((known) => known >= from && known <= to).length
        assert.equal(totals.sent, expected)
        assert.equal(providers.totals.accepted, expected)
        assert.equal((await world.api.get(`${V1}?${query}`)).body.data.sent, expected, `${query} as a whole`)
      },
    ),
    { numRuns: 40 },
  )
})

test('the day of a zone begins with its first moment, also where clocks change at midnight', () => {
  const apart: string[] = []
  for (const timezone of Intl.supportedValuesOf('timeZone')) {
    const format = new Intl.DateTimeFormat('en-CA', { timeZone: timezone })
    for (let ms = Date.parse('2025-01-01T00:00:00Z'); ms < Date.parse('2028-01-01T00:00:00Z'); ms += DAY_MS) {
      const startMs = ms + dayStart(timezone, ms) * 1_000
      const day = new Date(ms).toISOString().slice(0, 10)
      if (format.format(startMs) !== day || format.format(startMs - 1) >= day) apart.push(`${timezone} ${day}`)
    }
  }
  assert.deepEqual(apart, [])
})

// In autumn 2026 Morocco gave up its summer time, which databases older than that still keep.
test('the days of every zone are those of Intl, whatever the database knows of zones', async () => {
  const { database, ground } = world.rooms
  const account = await world.newAccount()
  const hours = Array.from({ length: 48 }, (_, hour) => new Date(Date.parse('2026-12-01T00:30:00Z') + hour * 3_600_000))
  const events = hours.map((at): FollowedEvent => {
    return {
      ...{ eventId: ground.ids.next(), emailId: ground.ids.next(), at, accountId: account.accountId },
      ...{ type: 'email.sent', domainId: null, stream: 'transactional', sandbox: false, tag: null },
      ...{ data: {}, facts: null, provider: null },
    }
  })
  await database.transaction((db) => rollUp(db, events))
  for (const timezone of Intl.supportedValuesOf('timeZone')) {
    const format = new Intl.DateTimeFormat('en-CA', { timeZone: timezone })
    const dates = hours.map((at) => format.format(at))
    const query = `from_date=2026-11-30&to_date=2026-12-03&timezone=${timezone}`
    const { data } = (await account.api.get(`${V1}/sends?${query}`)).body
    for (const { date, sent } of data)
      assert.equal(sent, dates.filter((known) => known === date).length, `${date} in ${timezone}`)
  }
})

// An event's time in summer and its local day: PostgreSQL reads these names as abbreviations with a fixed offset, and the last
// one as Israel's.
const SHORT: [zone: string, at: string, day: string][] = [
  ['CET', '2026-07-01T22:30:00Z', '2026-07-02'],
  ['met', '2026-07-01T22:30:00Z', '2026-07-02'],
  ['EET', '2026-07-01T21:30:00Z', '2026-07-02'],
  ['WET', '2026-07-01T23:30:00Z', '2026-07-02'],
  ['EST', '2026-07-02T04:30:00Z', '2026-07-01'],
  ['IST', '2026-07-01T19:00:00Z', '2026-07-02'],
]

test('a zone with a short name has daylight saving time, and is the one that Intl knows', async () => {
  const { database, ground } = world.rooms
  for (const [timezone, at, day] of SHORT) {
    const account = await world.newAccount()
    const event: FollowedEvent = {
      ...{ eventId: ground.ids.next(), emailId: ground.ids.next(), at: new Date(at), accountId: account.accountId },
      ...{ type: 'email.sent', domainId: null, stream: 'transactional', sandbox: false, tag: null },
      ...{ data: {}, facts: null, provider: null },
    }
    await database.transaction((db) => rollUp(db, [event]))
    const query = `from_date=2026-06-30&to_date=2026-07-03&timezone=${timezone}`
    const { body } = await account.api.get(`${V1}/sends?${query}`)
    const told = body.data.filter(({ sent }: { sent: number }) => sent > 0)
    assert.deepEqual(told, [{ date: day, sent: 1 }], timezone)
    assert.equal(body.period.timezone, timezone)
  }
})

test('the first and last days of the calendar work in every zone, and a report of them ends', async () => {
  const account = await world.newAccount()
  for (const timezone of ZONES) {
    for (const [first, last] of [
      ['0001-01-01', '0001-12-31'],
      ['9999-01-01', '9999-12-31'],
    ] as const) {
      const query = `from_date=${first}&to_date=${last}&timezone=${timezone}`
      const { status, body } = await account.api.get(`${V1}/sends?${query}`)
      const told = [status, body.data?.length, body.data?.at(0)?.date, body.data?.at(-1)?.date, body.totals?.sent]
      assert.deepEqual(told, [200, 365, first, last, 0], query)
      for (const other of ['', '/providers']) {
        const { status } = await account.api.get(`${V1}${other}?${query}`)
        assert.equal(status, 200, `${other} ${query}`)
      }
    }
  }
})
