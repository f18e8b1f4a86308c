// The query of a dashboard's URL holds text, whatever it looks like; what people write by hand or share is read as it stands.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSearch, stringifySearch } from '../../dashboard/src/ui/search.ts'

const TEXTS = [
  'true',
  'null',
  '1.10',
  '007',
  '1e3',
  '{"a":1}',
  '[]',
  '"quoted"',
  '"',
  '""',
  ' a b ',
  'ü & ö=🎉',
  '%41',
  '',
]

test('every text is read as it was written into the URL', () => {
  for (const text of TEXTS) {
    assert.deepEqual(parseSearch(stringifySearch({ tag: text, page: '2' })), { tag: text, page: '2' })
    assert.deepEqual(
      parseSearch(`?tag=${encodeURIComponent(text)}`)['tag'],
      text === '"quoted"' ? 'quoted' : text === '""' ? '' : text,
    )
  }
})

test('words and numbers stay text, an absent filter is left out, and of a repeated one the first counts', () => {
  assert.deepEqual(parseSearch('?include_sandbox=true&tag=1.10&tag=2&search='), {
    ...{ include_sandbox: 'true', tag: '1.10', search: '' },
  })
  assert.equal(stringifySearch({ tag: undefined, status: 'true' }), '?status=true')
  assert.equal(stringifySearch({}), '')
})

test('a URL shared from an earlier release, with quotes around such a text, still works', () =>
  assert.deepEqual(parseSearch('?tag=%22true%22&page=%222%22'), { tag: 'true', page: '2' }))
