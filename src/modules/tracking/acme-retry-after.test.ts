import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryAfterMs } from './acme-retry-after.ts'

const NOW = new Date('2026-03-01T12:00:00Z')

// Each row: Retry-After, Date, and the wait in seconds.
const HEADERS: [header: string, date: string, seconds: number][] = [
  ['7200', '', 7_200],
  ['0', '', 0],
  ['Sun, 01 Mar 2026 14:00:00 GMT', '', 7_200],
  ['Sun, 01 Mar 2026 11:00:00 GMT', '', 0],
  // The CA's clock is an hour fast.
  ['Sun, 01 Mar 2026 15:00:00 GMT', 'Sun, 01 Mar 2026 13:00:00 GMT', 7_200],
  ['Sun, 01 Mar 2026 14:00:00 GMT', 'soon', 7_200],
  ['soon', '', 0],
  ['', '', 0],
  ['-5', '', 0],
]
for (const [header, date, seconds] of HEADERS) {
  test(`Retry-After "${header}" at "${date}" asks for ${seconds} s`, () => {
    assert.equal(retryAfterMs(header, date, NOW), seconds * 1_000)
  })
}
