import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { systemIds } from './ids.ts'
import { journalIn } from './journal.ts'

const folder = (): { path: string } & Disposable => {
  const made = mkdtempSync(path.join(os.tmpdir(), 'journal-'))
  return { path: made, [Symbol.dispose]: () => rmSync(made, { recursive: true }) }
}

test('what was appended is handed on once, also by a process that comes later', async () => {
  using dir = folder()
  const ids = systemIds()
  const dead = journalIn(path.join(dir.path, 'j'), ids)
  await dead.append(['{"a":1}', '{"b":"ü"}'])
  await dead.close()
  const next = journalIn(path.join(dir.path, 'j'), ids)
  await next.append(['c'])
  const got: string[] = []
  await next.drain(async (lines) => void got.push(...lines))
  await next.drain(async (lines) => void got.push(...lines))
  assert.deepEqual(got, ['{"a":1}', '{"b":"ü"}', 'c'])
  assert.equal(next.waiting(), false)
})

test('a refused file stays until it is taken', async () => {
  using dir = folder()
  const journal = journalIn(dir.path, systemIds())
  await journal.append(['x'])
  await assert.rejects(
    journal.drain(async () => Promise.reject(new Error('away'))),
    /away/,
  )
  assert.equal(journal.waiting(), true)
  const got: string[] = []
  await journal.drain(async (lines) => void got.push(...lines))
  assert.deepEqual(got, ['x'])
})

test('what another process has handed on takes no room here', async () => {
  using dir = folder()
  const ids = systemIds()
  const journal = journalIn(dir.path, ids, { maxBytes: 200 })
  const other = journalIn(dir.path, ids)
  for (let i = 0; i < 10; i++) {
    await journal.append(['x'.repeat(50)])
    await other.drain(async () => undefined)
    await journal.drain(async () => undefined)
  }
})

test('what is appended while a drain begins is waited for, and handed on by the next', async () => {
  using dir = folder()
  const journal = journalIn(dir.path, systemIds())
  const got: string[] = []
  const take = async (lines: readonly string[]): Promise<void> => void got.push(...lines)
  await journal.append(['before'])
  const drained = journal.drain(take)
  const appended = journal.append(['meanwhile'])
  await Promise.all([drained, appended])
  assert.deepEqual(got, ['before'])
  assert.equal(journal.waiting(), true)
  await journal.drain(take)
  assert.deepEqual(got, ['before', 'meanwhile'])
  assert.equal(journal.waiting(), false)
})

test('a torn line is passed over, the ones before it are not', async () => {
  using dir = folder()
  const journal = journalIn(dir.path, systemIds())
  await journal.append(['whole'])
  await journal.close()
  const [name = ''] = readdirSync(dir.path)
  appendFileSync(path.join(dir.path, name), '00000000 torn\n12345')
  const got: string[] = []
  await journalIn(dir.path, systemIds()).drain(async (lines) => void got.push(...lines))
  assert.deepEqual(got, ['whole'])
})

test('nothing is lost when one process drains while another appends', async () => {
  using dir = folder()
  const ids = systemIds()
  const writer = journalIn(dir.path, ids)
  const drainer = journalIn(dir.path, ids)
  const got = new Set<string>()
  const take = async (lines: readonly string[]): Promise<void> => lines.forEach((line) => got.add(line))
  let writing = true
  const drains = (async () => {
    while (writing) {
      await drainer.drain(take)
      await setTimeout(20)
    }
  })()
  const wanted = Array.from({ length: 300 }, (_, i) => `line ${i}`)
  try {
    for (const line of wanted) await writer.append([line])
  } finally {
    writing = false
  }
  await drains
  await drainer.drain(take)
  assert.deepEqual([...got].sort(), wanted.toSorted())
})

test('a journal that is full takes nothing more until it was handed on', async () => {
  using dir = folder()
  const journal = journalIn(dir.path, systemIds(), { maxBytes: 100 })
  await journal.append(['x'.repeat(60)])
  await assert.rejects(journal.append(['y'.repeat(60)]), /full/)
  await journal.drain(async () => undefined)
  await journal.append(['z'.repeat(60)])
  await journal.close()
})

test('a file is ended after 8 MB, and handed on in pieces and in order', async () => {
  using dir = folder()
  const journal = journalIn(dir.path, systemIds(), { linesAtOnce: 7 })
  const wanted = Array.from({ length: 20 }, (_, i) => `${i} ${'x'.repeat(1_048_576)}`)
  for (const line of wanted) await journal.append([line])
  assert.equal(readdirSync(dir.path).length, 3)
  const got: string[] = []
  await journal.drain(async (lines) => {
    assert.ok(lines.length <= 7)
    got.push(...lines.map((line) => line.slice(0, 2).trim()))
  })
  assert.deepEqual(
    got,
    wanted.map((_, i) => String(i)),
  )
  assert.deepEqual(readdirSync(dir.path), [])
})

test("another process's file is left alone until it is old", async () => {
  using dir = folder()
  const ids = systemIds()
  const other = journalIn(dir.path, ids)
  await other.append(['theirs'])
  const journal = journalIn(dir.path, ids, { othersAfterMs: 3_600_000 })
  await journal.append(['ours'])
  const got: string[] = []
  await journal.drain(async (lines) => void got.push(...lines))
  assert.deepEqual(got, ['ours'])
  assert.equal(journal.waiting(), true)
  const longAgo = new Date(Date.now() - 7_200_000)
  for (const name of readdirSync(dir.path)) utimesSync(path.join(dir.path, name), longAgo, longAgo)
  await journal.drain(async (lines) => void got.push(...lines))
  assert.deepEqual(got, ['ours', 'theirs'])
  assert.equal(journal.waiting(), false)
  await other.close()
})
