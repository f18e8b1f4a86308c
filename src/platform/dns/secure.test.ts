import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDnsServer } from '../../../test/world/zones.ts'
import { type Clock, systemClock } from '../clock.ts'
import { secureResolver } from './secure.ts'

// Aliases have a TTL of 300 s. Each row: the TTL of the address behind one, and for how many seconds the answer is cached.
const LIVES: readonly (readonly [ttl: number, holds: number])[] = [
  [0, 5],
  [60, 60],
  [604_800, 300],
]
for (const [ttl, holds] of LIVES) {
  test(`an answer is cached for the shortest of its TTLs, at least 5 s: ${ttl} s behind an alias gives ${holds}`, async () => {
    await using dns = await startDnsServer({
      'alias.test': { CNAME: ['mx.test'] },
      'mx.test': { A: ['192.0.2.1'], ttl },
    })
    let nowMs = 0
    const clock: Clock = { ...systemClock(), monotonicMs: () => nowMs }
    const { addresses } = secureResolver([dns.server], clock)
    const asked = async (atMs: number): Promise<number> => {
      nowMs = atMs
      const answer = await addresses('alias.test')
      assert.deepEqual(answer.kind === 'found' && answer.records, ['192.0.2.1'])
      return dns.queries('alias.test')
    }
    assert.equal(await asked(0), 1)
    assert.equal(await asked(holds * 1_000 - 1), 1)
    assert.equal(await asked(holds * 1_000), 2)
  })
}

test('a server whose answer by TCP arrives byte by byte and never ends counts as silent', {
  timeout: 20_000,
}, async () => {
  await using dns = await startDnsServer({ 'mx.test': { A: ['192.0.2.1'] } }, { udpBytes: 0, tcp: 'drips' })
  assert.deepEqual(await secureResolver([dns.server], systemClock()).addresses('mx.test'), { kind: 'failed' })
})
