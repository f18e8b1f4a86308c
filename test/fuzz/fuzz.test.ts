// The short form: every target with its own seeds and every input that ever broke it, then a few random inputs. The long
// form is test/fuzz/run.mjs; docs/security.md lists its results.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { fuzz, targetNames } from './driver.ts'
import { mutate, randomOf } from './frame.ts'

const FOR_MS = 100

test('the same seed makes the same inputs', () => {
  const made = (seed: number): string[] => {
    const random = randomOf(seed)
    const others = [Buffer.from('a: 1\nb: 2\n'), Buffer.from('c: 3\r\n')]
    const context = { others, words: ['x-y'], maxBytes: 1_000 }
    return Array.from({ length: 200 }, () => mutate(random.pick(others), random, context).toString('latin1'))
  }
  assert.deepEqual(made(7), made(7))
  assert.notDeepEqual(made(7), made(8))
  assert.ok(new Set(made(7)).size > 150)
  assert.ok(made(7).every((input) => input.length <= 1_000))
})

for (const target of targetNames()) {
  test(`no input breaks ${target}, including those that once did`, async (t) => {
    const seed = randomInt(2 ** 32)
    const { executions, findings } = await fuzz({ target, seed, forMs: FOR_MS, corpora: null })
    t.diagnostic(`FUZZ_SEED=${seed}, ${executions} executions`)
    assert.ok(executions > 0)
    assert.deepEqual(
      findings.map(({ what, input }) => `${what} ${JSON.stringify(Buffer.from(input).toString('latin1'))}`),
      [],
      `FUZZ_SEED=${seed}`,
    )
  })
}
