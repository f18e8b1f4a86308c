import assert from 'node:assert/strict'
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { systemIds } from '../ids.ts'
import { journalIn } from './journal.ts'

const folder = (): { path: string } & Disposable => {
  const made = mkdtempSync(path.join(os.tmpdir(), 'journal-'))
  return { path: made, [Symbol.dispose]: () => rmSync(made, { recursive: true }) }
}

test('appended lines are handed over once, also by a later process', async () => {
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

test("a refused file of another process stays, and is waited for, although this one's own are taken", async () => {
  using dir = folder()
  const ids = systemIds()
  const dead = journalIn(dir.path, ids)
  await dead.append(['left'])
  await dead.close()
  const journal = journalIn(dir.path, ids)
  await journal.append(['own'])
  const got: string[] = []
  const take = async (lines: readonly string[]): Promise<void> => {
    if (got.length === 0 && lines.includes('left')) throw new Error('away')
    got.push(...lines)
  }
  await assert.rejects(journal.drain(take), /away/)
  assert.deepEqual([got, journal.waiting()], [['own'], true])
  await journal.drain(take)
  assert.deepEqual([got, journal.waiting()], [['own', 'left'], false])
})

test('lines handed over by another process take no room here', async () => {
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

test('an append that is under way when a drain begins is waited for, and handed over by the next drain', async () => {
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

test('a torn line is skipped, the ones before it are not', async () => {
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
  await writer.close()
})

test('a full journal takes nothing more until it was drained', async () => {
  using dir = folder()
  const journal = journalIn(dir.path, systemIds(), { maxBytes: 100 })
  await journal.append(['x'.repeat(60)])
  await assert.rejects(journal.append(['y'.repeat(60)]), /full/)
  await journal.drain(async () => undefined)
  await journal.append(['z'.repeat(60)])
  await journal.close()
})

test('a file ends after 8 MB, and is handed over in pieces and in order', async () => {
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

for (const [hours, when] of [
  [-2, 'it is old'],
  [2, 'it is from the future, as when the clock was put back'],
] as const)
  test(`another process's file is left alone until ${when}`, async () => {
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
    const then = new Date(Date.now() + hours * 3_600_000)
    for (const name of readdirSync(dir.path)) utimesSync(path.join(dir.path, name), then, then)
    await journal.drain(async (lines) => void got.push(...lines))
    assert.deepEqual(got, ['ours', 'theirs'])
    assert.equal(journal.waiting(), false)
    await other.close()
  })

test('a kept file is handed over while it grows, each line once, and is removed when a drain finds nothing new', async () => {
  using dir = folder()
  const journal = journalIn(dir.path, systemIds(), { keepsFile: true, linesAtOnce: 3 })
  const got: string[] = []
  const take = async (lines: readonly string[]): Promise<void> => void got.push(...lines)
  for (let i = 0; i < 3; i++) {
    await journal.append([`${i}a`, `${i}b`, `${i}c`, `${i}d`])
    await journal.drain(take)
    assert.equal(readdirSync(dir.path).length, 1)
    assert.equal(journal.waiting(), true)
  }
  assert.equal(got.join(' '), '0a 0b 0c 0d 1a 1b 1c 1d 2a 2b 2c 2d')
  await journal.drain(take)
  assert.deepEqual(readdirSync(dir.path), [])
  assert.equal(journal.waiting(), false)
  assert.equal(got.length, 12)
})

test('an append does not wait for a drain, and after a crash everything is handed over again', async () => {
  using dir = folder()
  const journal = journalIn(dir.path, systemIds(), { keepsFile: true, linesAtOnce: 1 })
  await journal.append(['a', 'b'])
  const got: string[] = []
  await assert.rejects(
    journal.drain(async ([line = '']) => {
      await journal.append([`after ${line}`])
      if (line === 'b') throw new Error('away')
      got.push(line)
    }),
    /away/,
  )
  assert.deepEqual(got, ['a'])
  const again: string[] = []
  await journalIn(dir.path, systemIds()).drain(async (lines) => void again.push(...lines))
  assert.deepEqual(again, ['a', 'b', 'after a', 'after b'])
  await journal.append(['last'])
  await journal.drain(async (lines) => void got.push(...lines))
  assert.equal(got.at(-1), 'last')
  await journal.close()
  assert.deepEqual(readdirSync(dir.path), [])
})

test('under heavy writing the next file is prepared, and after a crash its written part is handed over', async () => {
  using dir = folder()
  const ids = systemIds()
  const journal = journalIn(dir.path, ids, { keepsFile: true })
  const line = (i: number): string => `${i} ${'x'.repeat(1_000)}`
  const isAhead = (): boolean =>
    readdirSync(dir.path).some((name) => statSync(path.join(dir.path, name)).size > 4_000_000)
  let written = 0
  const append = async (): Promise<void> => journal.append(Array.from({ length: 100 }, () => line(written++)))
  while (written < 3_000) await append()
  while (!isAhead()) await setTimeout(5)
  // Into the prepared file, past its end, and into the one after that.
  while (written < 12_000) await append()
  cpSync(dir.path, `${dir.path}-crash`, { recursive: true })
  using crashed = {
    path: `${dir.path}-crash`,
    [Symbol.dispose]: () => rmSync(`${dir.path}-crash`, { recursive: true }),
  }
  const wanted = Array.from({ length: written }, (_, i) => line(i))
  for (const each of [journal, journalIn(crashed.path, ids)]) {
    const got: string[] = []
    const take = async (lines: readonly string[]): Promise<void> => void got.push(...lines)
    while (each.waiting()) {
      await each.drain(take)
      await setTimeout(1)
    }
    const inOrder = (a: string, b: string): number => Number.parseInt(a, 10) - Number.parseInt(b, 10)
    assert.deepEqual(each === journal ? got : got.sort(inOrder), wanted)
  }
  assert.deepEqual(readdirSync(dir.path), [])
  assert.deepEqual(readdirSync(crashed.path), [])
  await append()
  await journal.close()
  assert.equal(readdirSync(dir.path).length, 1)
})

test('a prepared file that is taken by another process loses nothing', async () => {
  using dir = folder()
  const ids = systemIds()
  const journal = journalIn(dir.path, ids, { keepsFile: true })
  const other = journalIn(dir.path, ids)
  const got = new Set<string>()
  const take = async (lines: readonly string[]): Promise<void> => lines.forEach((line) => got.add(line))
  for (let i = 0; i < 600; i++) {
    await journal.append([`${i} ${'x'.repeat(2_000)}`])
    if (i % 7 === 0) await other.drain(take)
  }
  while (journal.waiting()) {
    await journal.drain(take)
    await setTimeout(1)
  }
  await other.drain(take)
  assert.equal(got.size, 600)
  await journal.close()
  assert.deepEqual(readdirSync(dir.path), [])
})
