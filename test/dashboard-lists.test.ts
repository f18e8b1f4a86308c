// The parts of the dashboard that know no browser: lists as people have them, and working through them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvText, readList, readRows } from '../dashboard/src/csv.ts'
import { type Outcome, type Progress, type Work, workThrough } from '../dashboard/src/work.ts'

test('what is written as CSV is read back the same, but for formulas and blanks at the ends', () => {
  const cell = fc.string({ unit: 'binary' }).map((text) =>
    text
      .replaceAll('\r', '')
      .replace(/^[=+\-@\t]+/, '')
      .trim(),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constant('x,'), cell, cell), { minLength: 1, maxLength: 5 }), (rows) => {
      assert.deepEqual(
        readRows(csvText(rows)).map(({ cells }) => cells),
        rows.map((cells) => cells.map((one) => one.trim())),
      )
    }),
  )
  assert.equal(csvText([['=1+1', '@x', '-2.5', '+49 30']]), "'=1+1,'@x,-2.5,'+49 30\r\n")
})

test('addresses are found by their heading or by their @, with the lines on which they stand', () => {
  const headed = readList(
    '\uFEFFName;E-Mail;Reason\r\n"Jo; the\r\nfirst";jo@example.net;gone\r\n\r\nnobody;;\r\nAl;al@example.net\r\n',
  )
  assert.deepEqual(
    headed.entries.map(({ line, email, fields }) => [line, email, fields['reason']]),
    [
      [2, 'jo@example.net', 'gone'],
      [6, 'al@example.net', ''],
    ],
  )
  assert.deepEqual(headed.without, [{ line: 5, text: 'nobody, , ' }])
  const pasted = readList('jo@example.net\n\n  al@example.net , Al\nnobody')
  assert.deepEqual(
    pasted.entries.map(({ line, email }) => [line, email]),
    [
      [1, 'jo@example.net'],
      [3, 'al@example.net'],
    ],
  )
  assert.deepEqual(pasted.without, [{ line: 4, text: 'nobody' }])
})

function work(call: Work<number>['call'], given: Partial<Work<number>> = {}) {
  const told: Progress[] = []
  const waited: number[] = []
  const pause = async (ms: number): Promise<void> => void waited.push(ms)
  const { signal } = new AbortController()
  const items = Array.from({ length: 25 }, (_, i) => i)
  const tell = (progress: Progress): void => void told.push(progress)
  return { told, waited, done: workThrough({ items, size: 10, call, tell, signal, pause, ...given }) }
}

const well = (part: readonly number[]): Outcome => ({ done: part.length, faults: [] })
const problem = (status: number, details: object = {}): Error =>
  Object.assign(new Error(`${status}`), { status, details })

test('a list is worked through part by part, waits as long as it is told, and tries passing faults again', async () => {
  let asked = 0
  const answers = [problem(429, { retry_after: 7 }), null, problem(503), problem(503), null, null]
  const { told, waited, done } = work(async (part) => {
    const error = answers[asked++]
    if (error instanceof Error) throw error
    return well(part)
  })
  assert.deepEqual(await done, { at: 25, total: 25, done: 25, faults: [], waits: 0 })
  assert.deepEqual(waited, [7_000, 4_000, 6_000])
  assert.deepEqual(
    told.filter(({ waits }) => waits === 0).map(({ at }) => at),
    [0, 10, 20, 25],
  )
})

test('what will not get better ends the work, and being stopped leaves the rest undone', async () => {
  await assert.rejects(work(() => Promise.reject(problem(403))).done, /403/)
  await assert.rejects(work(() => Promise.reject(problem(500))).done, /500/)
  const control = new AbortController()
  const stopped = work(
    async (part) => {
      control.abort()
      return well(part)
    },
    { signal: control.signal },
  )
  assert.equal((await stopped.done).at, 10)
  const waiting = new AbortController()
  const held = work(() => Promise.reject(problem(429, { retry_after: 60 })), {
    signal: waiting.signal,
    pause: async () => waiting.abort(),
  })
  assert.equal((await held.done).at, 0)
})
