import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { answersWithin } from './within.ts'

/** Keeps this process from everything. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('an answer that came while this process stood still has come in time', async () => {
  const other = spawn('cat')
  try {
    other.stdin.write('asked\n')
    const asked = answersWithin(once(other.stdout, 'data'), 200)
    standStill(1_000)
    assert.equal(await asked, true)
    const silent = answersWithin(once(other.stdout, 'data'), 200)
    standStill(400)
    assert.equal(await silent, false, 'nobody has answered')
  } finally {
    other.kill()
  }
})

test('what fails, and what does not come, has not answered', async () => {
  assert.equal(await answersWithin(Promise.reject(new Error('refused')), 1_000), false)
  assert.equal(await answersWithin(new Promise(() => undefined), 20), false)
  assert.equal(await answersWithin(Promise.resolve(), 0), true)
})
