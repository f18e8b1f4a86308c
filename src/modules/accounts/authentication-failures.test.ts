import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../../test/world/world.ts'
import { authenticationFailures, FAILURES_BURST } from './authentication-failures.ts'

test('failures are counted per IPv4 address and per IPv6 /64', () => {
  for (const [addressOf, other] of [
    [() => '192.0.2.1', '192.0.2.2'],
    [(n: number) => `2001:db8:1:2:${n.toString(16)}::1`, '2001:db8:1:3::1'],
  ] as const) {
    // A clock that stands still: no failure is forgiven meanwhile.
    const failures = authenticationFailures({ ...manualClock(), monotonicMs: () => 0 })
    for (let n = 0; n < FAILURES_BURST; n++) assert.equal(failures.count(addressOf(n)), null)
    assert.equal(failures.count(addressOf(FAILURES_BURST)), 1)
    assert.equal(failures.count(other), null)
  }
})
