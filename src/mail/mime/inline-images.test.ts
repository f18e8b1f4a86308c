import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withInlineImages } from './inline-images.ts'

const LOGO = { contentId: 'logo@shop', contentType: 'image/png; name=logo.png', content: Buffer.from('png') }
const ODD = { contentId: 'a b&c%@shop', contentType: 'image/svg+xml', content: Buffer.from('<svg/>') }
const PDF = { contentId: 'pdf@shop', contentType: 'application/pdf', content: Buffer.from('pdf') }
const SLY = { contentId: 'sly', contentType: 'image/"onerror=x', content: Buffer.from('x') }
const AGAIN = { ...LOGO, content: Buffer.from('another') }
const IS_LOGO = 'data:image/png;base64,cG5n'
const IS_ODD = 'data:image/svg+xml;base64,PHN2Zy8+'

// Each row: html in a mail, and as a frame gets it; null when unchanged.
const HTML: readonly (readonly [html: string, shown: string | null])[] = [
  ['<img src="cid:logo@shop">', `<img src="${IS_LOGO}">`],
  ["<img src='CID:logo@shop'>", `<img src='${IS_LOGO}'>`],
  ['<img src=cid:logo@shop alt=x>', `<img src=${IS_LOGO} alt=x>`],
  ['<td style="background:url(cid:logo@shop)">', `<td style="background:url(${IS_LOGO})">`],
  ['<td style="background:url(&quot;cid:logo@shop&quot;)">', `<td style="background:url(&quot;${IS_LOGO}&quot;)">`],
  ["<style>p { background: url('cid:logo@shop') }</style>", `<style>p { background: url('${IS_LOGO}') }</style>`],
  ['<img src="cid:logo%40shop">', `<img src="${IS_LOGO}">`],
  ['<img src="cid:a%20b&amp;c%25@shop">', `<img src="${IS_ODD}">`],
  ['<img src="cid:logo@shop"><img src="cid:logo@shop">', `<img src="${IS_LOGO}"><img src="${IS_LOGO}">`],
  ['<img src="cid:%">', null],
  ['<img src="cid:nobody@shop">', null],
  ['<img src="cid:sly">', null],
  ['<a href="cid:pdf@shop">the paper</a>', null],
  ['<p>Write cid:logo@shop where the picture is to stand</p>', null],
  ['<img src="https://shop.example/cid:logo@shop">', null],
]
for (const [html, shown] of HTML) {
  test(`${html} is shown ${shown === null ? 'as it is' : 'with its picture'}`, () => {
    assert.equal(withInlineImages(html, [LOGO, ODD, PDF, SLY, AGAIN]), shown ?? html)
  })
}

test('html that repeats an image does not make the frame larger than any mail', () => {
  const html = '<img src="cid:big">'.repeat(1_000)
  const shown = withInlineImages(html, [{ ...LOGO, contentId: 'big', content: Buffer.alloc(1_000_000) }])
  assert.ok(shown.startsWith('<img src="data:image/png;base64,AAAA'))
  assert.ok(shown.endsWith('<img src="cid:big">'))
  assert.ok(shown.length < 36_000_000, `${shown.length}`)
})
