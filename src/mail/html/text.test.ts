import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textFromHtml } from './text.ts'

test('text generated from html keeps words and links, and any html terminates', () => {
  assert.equal(
    textFromHtml('<h1>Hi</h1><p>Read <a href="https://a.example/x">this</a>.</p><img src="x">'),
    'Hi\n\nRead this [https://a.example/x].\n',
  )
  assert.equal(textFromHtml(''), '')
  for (const href of [
    '{{unsubscribe}}',
    ' %7B%7Bunsubscribe%7D%7D',
    'http://{{unsubscribe}}',
    'https://%7b%7bunsubscribe%7d%7d ',
  ])
    assert.equal(textFromHtml(`<a href="${href}">Out</a>`), 'Out [{{unsubscribe}}]\n', href)
  const nested = '<table><tr><td>'
  const hostile = [
    '<',
    '<a ',
    '<div>',
    '&',
    nested,
    '<tr>',
    '<td>x',
    '<td colspan=999999999>',
    '<img alt=x>',
    '&nbsp;<br>',
  ]
  for (const one of hostile) assert.equal(typeof textFromHtml(one.repeat(60_000 / one.length)), 'string')
})

// Each row: html and the text generated from it.
const TEXTS: [html: string, text: string][] = [
  [
    '<table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea</td><td>3</td></tr><tr><td><b>Mi</b>lk</td><td>2</td></tr></table>',
    'Item Price\nTea 3\nMilk 2\n',
  ],
  ['<p>Hi</p><table><caption>Order</caption><tr><td>Tea<td>3</table>Bye', 'Hi\n\nOrder\nTea 3\n\nBye\n'],
  [
    `<table><tr><td><table><tr><td><img src="l.png" alt="The Shop"></td></tr></table></td></tr>${'<tr><td height="9">&nbsp;</td></tr><tr><td></td></tr>'.repeat(3)}<tr><td><table><tr><td><p>Dear Ann</p></td><td><p>welcome</p></td></tr></table></td></tr></table>`,
    'The Shop\n\nDear Ann\n\nwelcome\n',
  ],
  [
    '<a href="https://a.example"><img src="b.png" alt="Buy now"></a><img src="p" alt="">',
    'Buy now [https://a.example]\n',
  ],
  ['<center>Hello</center><center>World</center>', 'Hello\nWorld\n'],
  // The positions of html and body tags have no effect.
  ['<p>Your code is 482910.</p><html><body><p>Footer</p></body></html>', 'Your code is 482910.\n\nFooter\n'],
  [
    '<html><body><p>Hello</p></body></html>\n<p>Acme. <a href="{{unsubscribe}}">Out</a>',
    'Hello\n\nAcme. Out [{{unsubscribe}}]\n',
  ],
  ['<p>a<body>b</p>c', 'ab\n\nc\n'],
  // Hidden content.
  ['<!doctype html><title>Mail title</title><p>Hi</p><template><p>x</p></template>', 'Hi\n'],
  ['a<!-- x --!>b<!-->c<![CDATA[x>d', 'abcd\n'],
  ['<<!-- -->b>a</b> &lt;i&gt; &amp;amp;', '<b>a <i> &amp;\n'],
  ['<div style="display:none;mso-hide:all">pre<p>header</div>Hi', 'Hi\n'],
  ['<p style="opacity:0">x<p><span style="max-height:0;overflow:hidden">x</span>Hi<b hidden>x</b>', 'Hi\n'],
  ['<div style="visibility:hidden">x<p>x<b style="visibility:visible">Hi</b>x</p></div>', 'Hi\n'],
  ['<div style="font-size:0px">x<span style="font-size:9px">Hi <i>Ann</i></span>x</div>', 'Hi Ann\n'],
  ['<p style="display:none"><b>x<div>Hi</div>', 'Hi\n'],
  ['<table><tr><td style="display:none">x<td>Hi<tr><td>Ann</table>', 'Hi\nAnn\n'],
  // Content that a style rule of the mail may show stays.
  ['<style>@media print{div{display:block!important}}</style><div style="display:none">Hi</div>', 'Hi\n'],
  ['<style>b{font-size:9px}</style><div style="font-size:0"><b>Hi</b></div>', 'Hi\n'],
  // Addresses that lead nowhere are left out.
  ['<a href="javascript:void(0)">Buy</a> <a href="#top">Up</a> <a>No</a>', 'Buy Up No\n'],
  [
    '<base href="https://a.example/b/"><a href="c">C</a> <a href="{{ UNSUBSCRIBE }}">Out</a> <a href="tel:1">T</a> <a href="//[">N</a>',
    'C [https://a.example/b/c] Out [{{unsubscribe}}] T [tel:1] N\n',
  ],
  ['<a href="https://a.example/?a=1&amp;b=&quot;2">C</a>', 'C [https://a.example/?a=1&b="2]\n'],
  ['<a href="https://a.example">a<a href="https://b.example">b</a>', 'ab [https://a.example]\n'],
  ['To leave: {{ Unsubscribe\n}}', 'To leave: {{unsubscribe}}\n'],
  ['<ol start=3><li>a<b>b<li>c<ul><li>d</ul></ol>', ' 3. ab\n 4. c\n    * d\n'],
]
for (const [html, text] of TEXTS) {
  test(`the text of ${html.slice(0, 60)} is what a reader of it sees`, () => {
    assert.equal(textFromHtml(html), text)
  })
}

test('the text is complete, however deep or long the html is', () => {
  const deep = `${'<div>'.repeat(110)}Hi <a href="https://a.example">Ann</a>${'</div>'.repeat(110)}Bye`
  assert.equal(textFromHtml(deep), 'Hi Ann [https://a.example]\n\nBye\n')
  const rows = Array.from({ length: 12_000 }, (_, n) => `<tr><td>row</td><td>${n}</td></tr>`).join('')
  const lines = textFromHtml(`<table>${rows}</table>`).trimEnd().split('\n')
  assert.deepEqual([lines.length, lines.at(-1)], [12_000, 'row 11999'])
  const long = textFromHtml(`${'<p>words</p>\n'.repeat(150_000)}<p>end</p>`)
  assert.equal(long.length, 7 * 150_000 + 4)
  assert.ok(long.endsWith('\n\nend\n'))
})
