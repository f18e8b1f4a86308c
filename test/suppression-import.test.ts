// A whole list in and out over HTTP, in memory that does not grow with it. `ROWS=1000000` for the long form.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from './world.ts'

const ROWS = Number(process.env['ROWS'] ?? 10_000)
const BAD_EVERY = 997
const MOST_MB = 100

function* lines(): Generator<string> {
  yield 'email,reason\n'
  for (let row = 1; row <= ROWS; row++) {
    yield row % BAD_EVERY === 0 ? `not an address ${row},manual\n` : `reader${row}@list${row % 97}.example,manual\n`
  }
}

function body(): ReadableStream<Uint8Array> {
  const source = lines()
  return new ReadableStream({
    pull: (controller) => {
      let text = ''
      while (text.length < 65_536) {
        const { value, done } = source.next()
        if (done === true) {
          if (text !== '') controller.enqueue(Buffer.from(text))
          controller.close()
          return
        }
        text += value
      }
      controller.enqueue(Buffer.from(text))
    },
  })
}

test(`${ROWS} rows go in and come out in bounded memory, and bad ones are told with their line`, {
  timeout: 600_000,
}, async (t) => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const headers = { 'x-api-key': world.account.apiKey }
  await world.api.post('/api/v1/customer/suppressions', { email: 'first@list0.example' })
  const samples: number[] = []
  const watch = setInterval(() => {
    const { rss } = process.memoryUsage()
    samples.push(rss)
  }, 20)
  const began = performance.now()
  const answer = await fetch(`${world.url}/api/v1/customer/suppressions/import`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/csv' },
    body: body(),
    duplex: 'half',
  } as RequestInit)
  const importedMs = performance.now() - began
  const { data } = (await answer.json()) as { data: { imported: number; errors: { line: number }[] } }
  assert.equal(answer.status, 200)
  const bad = Math.floor(ROWS / BAD_EVERY)
  assert.equal(data.imported, ROWS - bad)
  // The first 1,000 are listed.
  assert.deepEqual(
    data.errors.map(({ line }) => line),
    Array.from({ length: Math.min(bad, 1_000) }, (_, i) => (i + 1) * BAD_EVERY + 1),
  )
  const exportBegan = performance.now()
  const out = await fetch(`${world.url}/api/v1/customer/suppressions/export`, { headers })
  let [newlines, bytes] = [0, 0]
  for await (const piece of out.body ?? []) {
    bytes += piece.length
    for (const byte of piece as Uint8Array) if (byte === 0x0a) newlines++
  }
  clearInterval(watch)
  assert.equal(newlines, 1 + 1 + ROWS - bad)
  // What the first half took, the rest does not add to.
  const half = Math.floor(samples.length / 2)
  const megabytes = (some: readonly number[]): number => Math.round(Math.max(...some) / 1_048_576)
  const [first, second] = [megabytes(samples.slice(0, half)), megabytes(samples.slice(half))]
  t.diagnostic(
    `in: ${Math.round(importedMs)} ms, out: ${Math.round(performance.now() - exportBegan)} ms (${Math.round(bytes / 1e6)} MB), at most ${first} MB in the first half, ${second} MB in the second`,
  )
  assert.ok(second - first < MOST_MB, `${second - first} MB more in the second half`)
})
