import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail, findingsOf } from './finding.ts'

test('what others say steers no terminal, and a check that throws is unknown', async () => {
  const findings = await findingsOf([
    ['port 25 out', async () => fail('554 5.7.1 \x1b]0;title\x07your\x9b31m address is listed', 'ask')],
    ['DNS', () => Promise.reject(new Error('no\x1b[2J answer'))],
  ])
  assert.deepEqual(
    findings.map(({ check, state, found }) => [check, state, found]),
    [
      ['port 25 out', 'fail', '554 5.7.1  ]0;title your 31m address is listed'],
      ['DNS', 'unknown', 'check failed: no [2J answer'],
    ],
  )
})
