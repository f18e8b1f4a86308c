import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageWindow, paginationOf } from './envelopes.ts'

test('an empty list has no pages, complete or page by page', () => {
  assert.deepEqual(paginationOf(null, 0, 0), { page: 1, limit: 1, total: 0, pages: 0 })
  assert.equal(paginationOf(pageWindow({ page: 1 }), 0, 0).pages, 0)
  assert.deepEqual(paginationOf(null, 3, 3), { page: 1, limit: 3, total: 3, pages: 1 })
})

// Each row: page, limit, rows on the page, rows counted, the total told.
const TOTALS: [page: number, limit: number, shown: number, counted: number, total: number][] = [
  [1, 10, 3, 2, 3], // one was added after the count
  [1, 10, 0, 1, 0], // one was removed before the page was read
  [2, 10, 4, 13, 14],
  [2, 10, 10, 19, 20],
  [1, 10, 10, 35, 35],
  [9, 10, 0, 35, 35], // past the end, where the page says nothing
  [9, 10, 0, 0, 0],
]
for (const [page, limit, shown, counted, total] of TOTALS) {
  test(`page ${page} of ${limit} with ${shown} rows, ${counted} counted: total ${total}`, () => {
    const pages = Math.ceil(total / limit)
    assert.deepEqual(paginationOf(pageWindow({ page, limit }), shown, counted), { page, limit, total, pages })
  })
}
