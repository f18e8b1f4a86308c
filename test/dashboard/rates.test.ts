// How the dashboard shows a share of a whole.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { percent, rate } from '../../dashboard/src/words/rates.ts'

test('a share is as exact as it is small, and never rounded to all or to none', () => {
  const shown = (share: number): string => percent(share).replace('\u00a0', ' ')
  assert.deepEqual([0, 0.00004, 0.001, 0.0499, 0.96].map(shown), ['0 %', '< 0.01 %', '0.10 %', '5.0 %', '96.0 %'])
  assert.deepEqual([0.9994, 0.9996, 1].map(shown), ['99.9 %', '> 99.9 %', '100 %'])
})

test('only what is whole is shown as all of it, and only nothing as none', () => {
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 1e7 }), fc.nat(), (whole, some) => {
      const part = some % (whole + 1)
      const told = rate(part, whole)
      assert.equal(told === '100\u00a0%', part === whole, `${part} of ${whole}: ${told}`)
      assert.equal(told === '0\u00a0%', part === 0, `${part} of ${whole}: ${told}`)
      assert.doesNotMatch(told, /^(?:100\.0|0\.00)/)
    }),
  )
})

test('more than was sent in the period is all of it, as in the API', () => {
  assert.equal(rate(25, 20), '100\u00a0%')
  assert.equal(rate(3, 2), '3 of 2')
  assert.equal(rate(0, 0), 'none yet')
  assert.equal(rate(5, 0), 'of earlier emails')
})
