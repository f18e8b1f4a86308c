import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasPlaceholder, hasTextPlaceholder } from '../../mail/html/links.ts'
import { type ParsedTemplate, parseTemplate } from './template-parse.ts'
import { type Rendered, render, type Variables } from './template-render.ts'

function parsed(source: string): ParsedTemplate {
  const template = parseTemplate(source)
  assert.ok(!('fault' in template))
  return template
}

function fill(source: string, variables: Variables, form: 'html' | 'plain' = 'html'): Rendered {
  const filled = render(parsed(source), variables, { form, maxBytes: 10_000, marker: '\ue000marker\ue001' })
  assert.notEqual(filled, 'too_large')
  return filled as Rendered
}

// Each row: a template, the variables, and the resulting html.
const ROWS: [source: string, variables: Variables, html: string][] = [
  ['Hi {{name}}', { name: '<b>"x"</b>' }, 'Hi &lt;b&gt;&quot;x&quot;&lt;&#x2F;b&gt;'],
  ['{{{x}}}{{&x}}', { x: '<i>' }, '<i><i>'],
  ['{{missing}}', {}, ''],
  ['{{a}}', { a: null }, ''],
  ['{{a.b.c}}', { a: { b: { c: 1 } } }, '1'],
  ['{{#items}}{{name}}{{^last}}, {{/last}}{{/items}}', { items: [{ name: 'a' }, { name: 'b', last: true }] }, 'a, b'],
  ['{{#none}}x{{/none}}{{^none}}y{{/none}}', { none: [] }, 'y'],
  ['{{#list}}{{.}};{{/list}}', { list: [1, 'b', false] }, '1;b;false;'],
  ['{{! a comment }}{{=<% %>=}}<% x %>', { x: 1 }, '1'],
  // Nothing that JavaScript objects inherit.
  ['{{constructor}}{{toString}}{{__proto__}}{{a.constructor.name}}{{s.length}}', { a: {}, s: 'abc' }, ''],
  // The value of a variable is never evaluated.
  ['{{a}}', { a: '{{b}}', b: 'no' }, '{{b}}'],
  ['{{{a}}}', { a: '{{{b}}}', b: 'no' }, '{{{b}}}'],
]
for (const [source, variables, html] of ROWS) {
  test(`${source} with ${JSON.stringify(variables)} is ${html}`, () => {
    assert.equal(fill(source, variables).text, html)
  })
}

test('the unsubscribe placeholder of the template is left to the service, whatever the variables hold', () => {
  for (const tag of ['{{unsubscribe}}', '{{ Unsubscribe }}', '{{{unsubscribe}}}', '{{&unsubscribe}}']) {
    assert.equal(fill(`<a href="${tag}">x</a>`, { unsubscribe: 'evil' }).text, '<a href="{{unsubscribe}}">x</a>')
  }
  assert.equal(fill('{{#a}}{{unsubscribe}}{{/a}}', { a: { unsubscribe: 'evil' } }).text, '{{unsubscribe}}')
  assert.deepEqual(fill('{{unsubscribe}}', {}).missing, [])
  assert.equal(fill('{{UNSUBSCRIBE}}', { UNSUBSCRIBE: 'word' }).text, 'word')
})

test('the placeholder is recognized in a template that changes its delimiters too', () => {
  const link = '<a href="{{unsubscribe}}">x</a>'
  assert.equal(fill(`{{=<% %>=}}<% a %>${link}<% unsubscribe %>`, { a: 1 }).text, `1${link}{{unsubscribe}}`)
  assert.equal(fill('{{=[ ]=}}[a] {{unsubscribe}}', { a: 1 }, 'plain').text, '1 {{unsubscribe}}')
  assert.equal(fill('<a href="http://%7B%7Bunsubscribe%7D%7D">', {}).text, '<a href="{{unsubscribe}}">')
  const told = fill('{{=<% %>=}}<%& a %>scribe}} {{unsubscribe}} <%& b %>', { a: '{{unsub', b: '{{unsubscribe}}' })
  assert.equal(told.text.split('{{unsubscribe}}').length, 2, "the template's own alone")
})

test('a placeholder that comes from data, whole or in pieces, is not recognized', () => {
  for (const form of ['html', 'plain'] as const) {
    for (const a of [
      '{{unsubscribe}}',
      '{{ UNSUBSCRIBE\n}}',
      'http://{{unsubscribe}}',
      '%7B%7bunsubscribe%7d%7D',
      '{{{unsubscribe}}}',
      '{{& unsubscribe}}',
    ]) {
      const { text } = fill('<a href="{{{a}}}">', { a }, form)
      assert.ok(!hasPlaceholder(text) && !hasTextPlaceholder(text), text)
    }
    assert.doesNotMatch(fill('{{{a}}}{{{b}}}', { a: '{{unsub', b: 'scribe}}' }, form).text, /\{\{unsubscribe\}\}/)
  }
})

test('plain text is not escaped', () => {
  assert.equal(fill('{{x}}', { x: '<&>' }, 'plain').text, '<&>')
})

test('missing names are reported once, in order', () => {
  assert.deepEqual(fill('{{b}}{{a.c}}{{b}}{{#no}}{{z}}{{/no}}', { a: {} }).missing, ['b', 'a.c'])
})

test('partials, broken tags and deep nesting are refused', () => {
  for (const source of ['{{> x}}', '{{#a}}', '{{/a}}', '{{a', `${'{{#a}}'.repeat(60)}${'{{/a}}'.repeat(60)}`]) {
    assert.ok('fault' in parseTemplate(source), source.slice(0, 20))
  }
})

test('nested loops end at the limit', () => {
  const list = Array.from({ length: 500 }, () => 1)
  const bomb = parsed('{{#l}}{{#l}}{{#l}}{{#l}}x{{/l}}{{/l}}{{/l}}{{/l}}')
  assert.equal(render(bomb, { l: list }, { form: 'html', maxBytes: 1e9, marker: 'm' }), 'too_large')
  const long = parsed('{{#l}}{{{s}}}{{/l}}')
  assert.equal(
    render(long, { l: list, s: 'x'.repeat(100) }, { form: 'html', maxBytes: 10_000, marker: 'm' }),
    'too_large',
  )
})

test('the renderings of one call share its steps, and a long name costs more of them', () => {
  const call = { left: 100 }
  const options = { form: 'html', maxBytes: 10_000, marker: 'm', call } as const
  const items = parsed('{{#l}}{{a}}{{/l}}')
  const once = (): unknown => render(items, { l: Array(20).fill(1) }, options)
  assert.deepEqual([once(), once(), once()], [{ text: '', missing: ['a'] }, { text: '', missing: ['a'] }, 'too_large'])
  const long = parsed(`{{${'a.'.repeat(10_000)}a}}`)
  assert.equal(render(long, {}, { ...options, call: { left: 1_000 } }), 'too_large')
})
