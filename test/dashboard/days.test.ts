// The dashboard's days are those of the viewer's calendar, also around the days of 23 and 25 hours.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { edgeOfDay, lastDays, ownZone } from '../../dashboard/src/words/days.ts'
import { inTimeZone } from '../world/time-zone.ts'

// Half an hour after midnight and half an hour before it, after summer time began and after it ended.
const MOMENTS: readonly (readonly [zone: string, now: string, from_date: string])[] = [
  ['America/New_York', '2027-03-20T04:30:00Z', '2027-02-19'],
  ['America/New_York', '2027-11-16T04:30:00Z', '2027-10-17'],
  ['Europe/Berlin', '2027-04-09T22:30:00Z', '2027-03-12'],
  ['Australia/Lord_Howe', '2027-04-20T13:15:00Z', '2027-03-22'],
  ['Asia/Kolkata', '2028-03-01T18:29:59Z', '2028-02-01'],
]

for (const [zone, now, from_date] of MOMENTS)
  test(`the last 30 days at ${now} in ${zone} begin on ${from_date}`, () =>
    inTimeZone(zone, () => assert.equal(lastDays(30, new Date(now)).from_date, from_date)))

test('a list of one day begins and ends with the day, without a gap to the next one', () =>
  inTimeZone('America/Santiago', () => {
    // Summer time begins at midnight, so the day has no 00:00.
    assert.equal(edgeOfDay('2026-09-06', 'start'), '2026-09-06T04:00:00.000Z')
    assert.equal(edgeOfDay('2026-09-06', 'end'), '2026-09-07T03:00:00.000Z')
    assert.equal(edgeOfDay('2026-09-05', 'end'), edgeOfDay('2026-09-06', 'start'))
    assert.equal(edgeOfDay('2026-12-31', 'end'), edgeOfDay('2027-01-01', 'start'))
    assert.equal(edgeOfDay('soon', 'end'), undefined)
  }))

test('a viewer whose system names no time zone sees days in UTC', async () => {
  for (const zone of ['', 'No/Where']) await inTimeZone(zone, () => assert.equal(ownZone(), 'UTC'))
})
