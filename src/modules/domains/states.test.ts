import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DomainChecks, RecordCheck, RecordStatus } from '../../mail/dns/records.ts'
import { type DomainStatus, nextCheckAt, nextVerificationState } from './states.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const HOUR_MS = 3_600_000
const ago = (hours: number): Date => new Date(NOW.getTime() - hours * HOUR_MS)

/** One letter for each record, in the order ownership, SPF, DKIM, DMARC: v valid, m missing, e DNS error. */
function checks(letters: string): DomainChecks {
  const status = { v: 'valid', m: 'missing', e: 'error' } as const satisfies Record<string, RecordStatus>
  const check = (at: number): RecordCheck => {
    return { status: status[letters[at] as 'v' | 'm' | 'e'], expected: '', found: [], error: null }
  }
  return { ownership: check(0), spf: check(1), dkim: check(2), dmarc: check(3) }
}

const VERIFIED = 'domain.verified'
const FAILED = 'domain.verification_failed'

// Each row: the state, its age in hours, the records in the DNS, who asked, the new state, and the event for the log.
const MOVES: readonly (readonly [DomainStatus, number, string, 'asked' | 'clock', DomainStatus, string | null])[] = [
  ['pending', 0, 'vvvv', 'asked', 'verified', VERIFIED],
  ['pending', 1, 'vvvm', 'clock', 'verified', VERIFIED],
  ['pending', 1, 'mvvv', 'clock', 'pending', null],
  ['pending', 1, 'vmvv', 'clock', 'pending', null],
  ['pending', 1, 'vvmv', 'clock', 'pending', null],
  ['pending', 71.9, 'mmmm', 'clock', 'pending', null],
  ['pending', 72, 'mmmm', 'clock', 'failed', FAILED],
  ['pending', 90, 'vvvv', 'clock', 'verified', VERIFIED],
  ['pending', 90, 'mvev', 'clock', 'pending', null],
  ['pending', 90, 'eeee', 'clock', 'pending', null],
  ['failed', 500, 'vvvv', 'asked', 'verified', VERIFIED],
  ['failed', 500, 'mvvv', 'asked', 'pending', null],
  ['failed', 500, 'vvvv', 'clock', 'failed', null],
  ['verified', 500, 'vvvv', 'clock', 'verified', null],
  ['verified', 500, 'eeee', 'clock', 'verified', null],
  ['verified', 500, 'vvvm', 'clock', 'verified', null],
  ['verified', 500, 'vmvv', 'clock', 'verified', FAILED],
  ['verified', 500, 'mvvv', 'clock', 'temporary_failure', FAILED],
  ['verified', 500, 'vvmv', 'asked', 'temporary_failure', FAILED],
  ['temporary_failure', 10, 'vmvv', 'clock', 'verified', VERIFIED],
  ['temporary_failure', 10, 'vvmv', 'clock', 'temporary_failure', null],
  ['temporary_failure', 72, 'vvmv', 'clock', 'failed', FAILED],
  ['temporary_failure', 90, 'vvev', 'clock', 'temporary_failure', null],
  ['suspended', 500, 'vvvv', 'asked', 'suspended', null],
]
for (const [status, hours, letters, who, after, event] of MOVES) {
  test(`${status} for ${hours} h, DNS ${letters}, ${who}: ${after}, event ${event}`, () => {
    const before = { status, since: ago(hours), spfLost: false }
    const judged = nextVerificationState(before, checks(letters), NOW, who === 'asked')
    assert.deepEqual([judged.status, judged.event], [after, event])
  })
}

test('a lost SPF record is reported once, even with a DNS error before or in between, and again after it was back', () => {
  let standing = { status: 'verified' as DomainStatus, since: ago(500), spfLost: false }
  const events = ['vevv', 'vmvv', 'vmvv', 'vevv', 'vmvv', 'vvvv', 'vmvv'].map((letters) => {
    const judged = nextVerificationState(standing, checks(letters), NOW, false)
    standing = judged
    return judged.event
  })
  assert.deepEqual(events, [null, FAILED, null, null, null, null, FAILED])
})

test('an SPF record that is lost when a domain recovers is not reported a second time', () => {
  const before = { status: 'temporary_failure' as DomainStatus, since: ago(1), spfLost: false }
  const recovered = nextVerificationState(before, checks('vmvv'), NOW, false)
  assert.deepEqual([recovered.status, recovered.event], ['verified', 'domain.verified'])
  assert.equal(nextVerificationState(recovered, checks('vmvv'), NOW, false).event, null)
  assert.equal(nextVerificationState(before, checks('vvvv'), NOW, false).spfLost, false)
})

test('rechecks: pending or temporary_failure every 5 minutes for 24 h, then hourly; verified daily; others never', () => {
  const minutes = (status: DomainStatus, hours: number, chance = 0, spfLost = false): number | null => {
    const at = nextCheckAt({ status, since: ago(hours), spfLost }, NOW, chance)
    return at === null ? null : (at.getTime() - NOW.getTime()) / 60_000
  }
  assert.deepEqual([minutes('pending', 0), minutes('pending', 23.9), minutes('pending', 24)], [5, 5, 60])
  assert.deepEqual([minutes('temporary_failure', 1), minutes('temporary_failure', 71)], [5, 60])
  assert.deepEqual([minutes('verified', 1), minutes('failed', 1), minutes('suspended', 1)], [1440, null, null])
  assert.equal(minutes('verified', 1, 0, true), 60, 'so that a mended SPF record is seen within the hour')
  assert.equal(minutes('pending', 0, 0.999)?.toFixed(1), '5.5')
})

test('while new DKIM keys wait, a verified domain is checked every 5 minutes for 24 h, hourly to 72 h, then daily', () => {
  const minutes = (status: DomainStatus, rotatingHours: number, spfLost = false): number | null => {
    const at = nextCheckAt({ status, since: ago(500), spfLost }, NOW, 0, ago(rotatingHours))
    return at === null ? null : (at.getTime() - NOW.getTime()) / 60_000
  }
  assert.deepEqual(
    [0, 23.9, 24, 71.9, 72].map((hours) => minutes('verified', hours)),
    [5, 5, 60, 60, 1440],
  )
  assert.deepEqual([minutes('verified', 72, true), minutes('failed', 1), minutes('suspended', 1)], [60, null, null])
})
