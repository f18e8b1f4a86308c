// The placeholders that the preview of a template asks for, and the colours of states: parts of the dashboard that need no
// browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import mustache from 'mustache'
import { nested, placeholdersOf, valueTyped } from '../../dashboard/src/emails/placeholders.ts'
import { toneOf } from '../../dashboard/src/words/tones.ts'

// Each row: a template and the placeholders that are asked for, with the sample of a section; null for a text.
const TEMPLATES: readonly (readonly [text: string, asked: Readonly<Record<string, unknown>>])[] = [
  ['Hi {{name}}, {{{ order.id }}} {{& name}}', { name: null, 'order.id': null }],
  ['<a href="{{unsubscribe}}">no more</a> {{ Unsubscribe }}', {}],
  ['{{! a remark }}{{name}}', { name: null }],
  ['{{#items}}{{title}} x {{count}}{{/items}} {{name}}', { items: [{ title: 'title', count: 'count' }], name: null }],
  ['{{#tags}}{{.}} {{/tags}}', { tags: ['first', 'second'] }],
  ['{{#vip}}Thank you, {{name}}{{/vip}} {{name}}', { vip: true, name: null }],
  ['{{^items}}Nothing for {{name}}{{/items}}', { items: true, name: null }],
  [
    '{{#orders}}{{id}}: {{#lines}}{{what.name}}{{/lines}}{{/orders}}',
    { orders: [{ id: 'id', lines: [{ what: { name: 'what.name' } }] }] },
  ],
  ['{{#a}}{{#b}}{{#a}}{{x}}{{/a}}{{/b}}{{/a}}', { a: [{ b: true, x: 'x' }] }],
  ['{{/stray}} {{name', {}],
]

test('the preview of a template asks for its placeholders, sections as JSON, and not for the unsubscribe link', () => {
  for (const [text, asked] of TEMPLATES) {
    const places = placeholdersOf([text, null])
    const found = places.map(({ name, sample }) => [name, sample === null ? null : JSON.parse(sample)] as const)
    assert.deepEqual(Object.fromEntries(found), asked, text)
  }
})

test('with the initial values, each item of a section shows the names of its placeholders', () => {
  const text = '{{#items}}<li>{{title}} x {{count.now}}</li>{{/items}}{{^items}}none{{/items}}'
  const values = nested(
    Object.fromEntries(placeholdersOf([text]).map((place) => [place.name, valueTyped(place, place.sample ?? '')])),
  )
  assert.equal(mustache.render(text, values), '<li>title x count.now</li>')
})

test('the value typed for a section must be JSON; a text value is taken as it is', () => {
  assert.equal(valueTyped({ name: 'name', sample: null }, '[1'), '[1')
  assert.deepEqual(valueTyped({ name: 'items', sample: 'true' }, '[1]'), [1])
  assert.equal(valueTyped({ name: 'items', sample: 'true' }, '[1'), undefined)
})

test('a state has the same colour in every list', () => {
  for (const [one, other] of [
    ['complaint', 'complained'],
    ['clicked', 'opened'],
    ['verification_failed', 'failed'],
    ['multiple', 'mismatch'],
  ] as const)
    assert.equal(toneOf(one), toneOf(other), one)
  assert.equal(toneOf('not_set'), 'robot')
})
