// The dashboard writes dates in English, whatever the browser's language.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateFormat } from '../../dashboard/src/words/date-format.ts'
import { inTimeZone } from '../world/time-zone.ts'

const AT = new Date('2026-11-03T13:05:09Z')
const SAME_DAY = new Date('2026-11-03T20:00:00Z')
const SAME_YEAR = new Date('2026-11-20T20:00:00Z')
const NEXT_YEAR = new Date('2027-01-20T20:00:00Z')

const FORMS: readonly (readonly [language: string | undefined, ...forms: string[]])[] = [
  ['en-US', '2:05:09 PM', 'Nov 3, 2:05 PM', 'Nov 3, 2026', 'Nov 3', 'Nov 3, 2026, 2:05:09 PM GMT+1'],
  ['en-GB', '14:05:09', '3 Nov, 14:05', '3 Nov 2026', '3 Nov', '3 Nov 2026, 14:05:09 CET'],
  ['de-DE', '14:05:09', '3 Nov, 14:05', '3 Nov 2026', '3 Nov', '3 Nov 2026, 14:05:09 CET'],
  ['ar-EG', '14:05:09', '3 Nov, 14:05', '3 Nov 2026', '3 Nov', '3 Nov 2026, 14:05:09 CET'],
  ['enm', '14:05:09', '3 Nov, 14:05', '3 Nov 2026', '3 Nov', '3 Nov 2026, 14:05:09 CET'],
  [undefined, '14:05:09', '3 Nov, 14:05', '3 Nov 2026', '3 Nov', '3 Nov 2026, 14:05:09 CET'],
]

for (const [language, ...forms] of FORMS)
  test(`dates in a browser in ${language ?? 'an unknown language'} are English`, () =>
    inTimeZone('Europe/Vienna', () => {
      const { short, date, day, full } = dateFormat(language)
      const shorts = [SAME_DAY, SAME_YEAR, NEXT_YEAR].map((now) => short(AT, now))
      // Between the time and PM stands a narrow no-break space.
      const written = [...shorts, day(AT), full(AT)].map((text) => text.replaceAll('\u202f', ' '))
      assert.deepEqual(written, forms)
      assert.equal(date(AT), shorts[2])
    }))
