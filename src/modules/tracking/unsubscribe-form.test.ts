import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { unsubscribeRequestOf } from './unsubscribe-form.ts'

const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=b'
const LONG = 'b'.repeat(5_000)

function part(head: string, value = 'One-Click', boundary = 'b'): string {
  return `--${boundary}\r\n${head}\r\n\r\n${value}\r\n--${boundary}--\r\n`
}

const NAMED = 'Content-Disposition: form-data; name="List-Unsubscribe"'

// Each row: the body's type (null: none of the form types), the body, and the request it makes.
const BODIES: [contentType: string | null | undefined, form: string, wish: 'one_click' | 'link' | null][] = [
  [FORM, 'List-Unsubscribe=One-Click', 'one_click'],
  [`${FORM}; charset=utf-8`, ' list-unsubscribe = one-click \r\n', 'one_click'],
  [FORM, 'List%2DUnsubscribe=One%2DClick', 'one_click'],
  [FORM, 'List-Unsubscribe=One-Click&foo=bar', 'one_click'],
  [FORM, '', 'link'],
  [FORM, '\r\n', 'link'],
  [undefined, '', 'link'],
  [FORM, 'List-Unsubscribe=No', null],
  [FORM, 'List-Unsubscribe', null],
  [FORM, 'foo=bar', null],
  [FORM, 'x=List-Unsubscribe=One-Click', null],
  [FORM, 'xList-Unsubscribe=One-Clicks', null],
  [null, '', null],
  [MULTIPART, part(NAMED), 'one_click'],
  ['Multipart/Form-Data; charset=utf-8; boundary="b"', part(NAMED), 'one_click'],
  ['multipart/form-data', part(NAMED), 'one_click'],
  [MULTIPART, part(NAMED).replaceAll('\r\n', '\n'), 'one_click'],
  [MULTIPART, part(`Content-Type: text/plain\r\n${NAMED}\r\nX-More: 1`, ' one-click\r\n'), 'one_click'],
  [MULTIPART, part('content-disposition:form-data;\r\n name=list-unsubscribe'), 'one_click'],
  [
    MULTIPART,
    `hello\r\n${part('Content-Disposition: form-data; name="a"').slice(0, -7)}\r\n${part(NAMED)}`,
    'one_click',
  ],
  [`multipart/form-data; boundary=${LONG}`, part(NAMED, 'One-Click', LONG), 'one_click'],
  [MULTIPART, '', 'link'],
  [MULTIPART, '--b--\r\n', 'link'],
  [`multipart/form-data; boundary=${LONG}`, 'x', null],
  ['multipart/form-data', 'x', null],
  [MULTIPART, part(NAMED, 'No'), null],
  [MULTIPART, part('Content-Disposition: form-data; name="x"; filename="List-Unsubscribe"'), null],
  [MULTIPART, part('X: name="List-Unsubscribe"'), null],
  [MULTIPART, '--b', null],
  [MULTIPART, 'List-Unsubscribe=One-Click', null],
]
for (const [type, form, wish] of BODIES) {
  test(`${type?.slice(0, 60)}: ${JSON.stringify(form.slice(0, 90))} asks for ${wish}`, () => {
    assert.equal(unsubscribeRequestOf(form, type), wish)
  })
}

test('no body throws', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      (type, form) => unsubscribeRequestOf(form, `multipart/${type}`) !== undefined,
    ),
  )
  fc.assert(fc.property(fc.string(), (form) => unsubscribeRequestOf(form, FORM) !== undefined))
})
