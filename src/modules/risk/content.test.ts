import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { contentScorer, scoreContent } from '../content/index.ts'
import { contentReader } from './content.ts'

const large = (piece: string) => ({
  subject: 'Hello',
  html: piece.repeat(Math.ceil(1_000_000 / piece.length)),
  text: null,
})

test('a large content is scored in a thread, with the same score, and the process stays responsive', async () => {
  const scorer = contentScorer()
  try {
    const question = large('<a href=x>account suspended within 24 hours ')
    const first = scorer.score(question)
    assert.ok(first instanceof Promise)
    assert.deepEqual(await first, scoreContent(question))
    // The thread is warm, so a further large content must not block the event loop.
    let longestMs = 0
    let lastMs = performance.now()
    const watch = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - lastMs)
      lastMs = performance.now()
    }, 1)
    const all = ['</', 'a@', 'https://a.b/ '].map(async (piece) => scorer.score(large(piece)))
    await Promise.all(all)
    clearInterval(watch)
    assert.ok(longestMs < 1_000, `${longestMs} ms`)
    const small = scorer.score({ subject: 'Hello', html: null, text: 'x'.repeat(100_000) })
    assert.ok(!(small instanceof Promise))
  } finally {
    await scorer.close()
  }
})

test('a known content is not scored again, nor twice at once; one that differs anywhere is scored', async () => {
  let scored = 0
  const read = contentReader({
    score: (question) => {
      scored++
      return scoreContent(question)
    },
    monotonicMs: () => performance.now(),
    onUnscored: (error) => assert.fail(String(error)),
  })
  const first = { subject: 'Your order', html: '<p>It is on its way</p>', text: null, attachments: [] }
  const found = await Promise.all([read(first), read({ ...first }), read(structuredClone(first))])
  assert.equal((await read(first)).score, found[0]?.score)
  assert.equal(scored, 1)
  for (const other of [{ subject: 'Your orders' }, { html: '<p>It is on its way!</p>' }, { text: '' }, { bulk: true }])
    await read({ ...first, ...other })
  assert.equal(scored, 5)
})

test('a content beyond the limits costs its thread; a send counts it as high and caches that like a score', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-scorer-'))
  const file = path.join(folder, 'thread.mjs')
  await writeFile(
    file,
    `import { parentPort } from 'node:worker_threads'
parentPort.on('message', ({ subject }) => {
  if (subject === 'forever') for (;;);
  if (subject === 'huge') { const all = []; for (;;) all.push(new Array(1e6).fill(subject)) }
  parentPort.postMessage({ score: 90, level: 'low', matches: [], suggestions: [] })
})`,
  )
  const scorer = contentScorer({ file: pathToFileURL(file), withinMs: 1_500, memoryMb: 32 })
  const faults: unknown[] = []
  const read = contentReader({
    score: scorer.score,
    monotonicMs: () => performance.now(),
    onUnscored: (error) => faults.push(error),
  })
  try {
    const of = (subject: string) => ({ ...large('a '), subject })
    for (const subject of ['forever', 'huge']) {
      const { score, level, matches } = await read(of(subject))
      assert.deepEqual([score, level, matches[0]?.rule], [40, 'high', 'content_unreadable'])
    }
    assert.equal((await read(of('plain'))).score, 90)
    assert.equal((await read(of('forever'))).level, 'high')
    assert.equal(faults.length, 2)
    await assert.rejects(async () => scorer.score(of('forever')))
  } finally {
    await scorer.close()
    await rm(folder, { recursive: true })
  }
})
