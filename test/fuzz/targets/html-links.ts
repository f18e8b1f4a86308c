// Links in html: everything but the URL of a link stays byte for byte, and each replaced URL is read as the link.

import assert from 'node:assert/strict'
import { fillHtml, MAX_LINK_BYTES, MAX_LINKS, scanHtml } from '../../../src/mail/html/links.ts'
import type { Target } from '../frame.ts'

const NOTHING = { link: null, pixel: null, unsubscribe: null }
const linkOf = (index: number): string => `https://l.test/track/c/${index}`

export const target: Target = {
  name: 'html-links',
  about: 'links, placeholders and the place of the pixel in html (src/mail/html/links.ts)',
  seeds: [
    '<!doctype html><html><body><a href="https://x.test/?a=1&amp;b=2#f">x</a></body></html>',
    "<AREA HREF = 'http://y.test'><a href=http://z.test/ data-track=off>z</a><a hidden href=http://h.test>",
    '<!--[if mso]><v:roundrect href="http://v.test"></v:roundrect><![endif]--><!--[if !mso]><!--><a href="http://m.test"><!--<![endif]-->',
    '<p>{{unsubscribe}} <a href="{{unsubscribe}}">u</a> <a href="https://x.test/?r={{unsubscribe}}">r</a></p>',
    '<script>"<a href=http://s.test>"</script><style>a</style><template><a href="http://t.test"></template>',
    '<svg><a xlink:href="http://s.test" href="http://t.test"><title><a href="http://u.test"></title></svg>',
    '<a style="display:none" href=" http://w.test/\n x ">w</a><textarea><a href="http://q.test">',
    '<![CDATA[<a href="http://c.test">]]><a href="http://x&#1;y"><a href="http://x/&#0;"><a href="https:evil">',
  ],
  corpora: ['bounce/mails'],
  words: [
    '<a href="http://x.test">',
    '<a ',
    ' href=',
    '"',
    "'",
    '>',
    '/>',
    '<!--',
    '-->',
    '--!>',
    '<script>',
    '</script>',
    '<template>',
    '</template>',
    '<plaintext>',
    '<noscript>',
    '<select>',
    '<![CDATA[',
    ']]>',
    '{{unsubscribe}}',
    '%7B%7Bunsubscribe%7D%7D',
    '&amp;',
    '&#0;',
    '&#xD800;',
    '&copy',
    'https://',
    'javascript:',
    'data-track="off"',
    'display : none',
    '</body>',
    '\0',
    '\u2028',
  ],
  run: (input) => {
    const html = input.toString('utf8')
    const scanned = scanHtml(html)
    // Without an unsubscribe URL the placeholder is removed.
    if (!/unsubscribe/i.test(html)) assert.equal(fillHtml(scanned, NOTHING), html)
    assert.ok(scanned.links.length <= MAX_LINKS)
    for (const { url } of scanned.links) {
      assert.match(url, /^https?:\/\/[^/?#\\]/i)
      assert.doesNotMatch(url, /[\0-\x1f\x7f]/)
      assert.ok(url.isWellFormed() && Buffer.byteLength(url) <= MAX_LINK_BYTES)
    }
    const filled = fillHtml(scanned, {
      link: ({ index }) => linkOf(index),
      pixel: 'https://l.test/track/o/p',
      unsubscribe: 'https://l.test/track/u/u',
    })
    assert.ok(filled.split('/track/o/p"').length <= 2, 'more than one pixel')
    const found = scanHtml(filled).links.map(({ url }) => url)
    const links = found.filter((url) => url.startsWith('https://l.test/track/c/'))
    // Placeholders have become links too: together they may exceed MAX_LINKS.
    const read = found.length < MAX_LINKS ? scanned.links.length : links.length
    assert.deepEqual(
      links,
      Array.from({ length: read }, (_, index) => linkOf(index)),
    )
    return `${Math.min(scanned.links.length, 9)} ${filled.includes('/track/o/p"')} ${filled.includes('/track/u/u')}`
  },
}
