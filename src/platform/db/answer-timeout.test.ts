import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { answerWithin } from './answer-timeout.ts'

/** Blocks this process completely. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('an answer that arrived while this process stood still is in time', async () => {
  const other = spawn('cat')
  try {
    other.stdin.write('asked\n')
    const asked = answerWithin(once(other.stdout, 'data'), 200)
    standStill(1_000)
    assert.equal(String(await asked), 'asked\n')
    const silent = answerWithin(once(other.stdout, 'data'), 200)
    standStill(400)
    await assert.rejects(silent, /no answer within 200 ms/)
  } finally {
    other.kill()
  }
})

test('failed and missing answers count as no answer', async () => {
  await assert.rejects(answerWithin(Promise.reject(new Error('refused')), 1_000), /refused/)
  await assert.rejects(answerWithin(new Promise(() => undefined), 20), /no answer within 20 ms/)
  assert.equal(await answerWithin(Promise.resolve(7), 0), 7)
})
