import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listPage } from './list-page.ts'

const page = (offset: number | null, limit: number, found: number, counted: number) =>
  listPage(
    Array.from({ length: found }, (_, index) => index),
    { limit, offset: offset ?? 0, cursor: offset === null ? 'c' : null },
    counted,
    (row) => `after ${row}`,
  )

test('where a page shows the end of its list, its rows decide the total, not a count made a moment later', () => {
  const total = (...[offset, limit, found, counted]: Parameters<typeof page>): number =>
    page(offset, limit, found, counted).total
  assert.equal(total(0, 50, 0, 1), 0)
  assert.equal(total(0, 50, 1, 0), 1)
  assert.equal(total(50, 50, 3, 54), 53)
  assert.equal(total(0, 50, 51, 54), 54)
  assert.equal(total(100, 50, 0, 54), 54, 'past the end')
  assert.equal(total(null, 50, 3, 54), 54, 'after a cursor')
})

test('a page shows at most its limit, and continues after its last row where there are more', () => {
  assert.deepEqual(page(0, 2, 3, 3), { rows: [0, 1], total: 3, next: 'after 1' })
  assert.deepEqual(page(0, 2, 2, 2), { rows: [0, 1], total: 2, next: null })
  assert.deepEqual(page(null, 2, 0, 2), { rows: [], total: 2, next: null })
})
