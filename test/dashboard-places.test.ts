// What the preview of a template asks for, and the colours of states: the parts of the dashboard that know no browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import mustache from 'mustache'
import { nested, placesOf, valueTyped } from '../dashboard/src/places.ts'
import { toneOf } from '../dashboard/src/tones.ts'

// Each row: a template, and what is asked for it; null for a text.
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

test('the preview of a template asks for what fills it, sections as JSON, and not for the unsubscribe link', () => {
  for (const [text, asked] of TEMPLATES) {
    const places = placesOf([text, null])
    const found = places.map(({ name, sample }) => [name, sample === null ? null : JSON.parse(sample)] as const)
    assert.deepEqual(Object.fromEntries(found), asked, text)
  }
})

test('with what it begins with, each item of a section shows the names of its places', () => {
  const text = '{{#items}}<li>{{title}} x {{count.now}}</li>{{/items}}{{^items}}none{{/items}}'
  const values = nested(
    Object.fromEntries(placesOf([text]).map((place) => [place.name, valueTyped(place, place.sample ?? '')])),
  )
  assert.equal(mustache.render(text, values), '<li>title x count.now</li>')
})

test('what is typed for a section is JSON or is told as none; a text is taken as it stands', () => {
  assert.equal(valueTyped({ name: 'name', sample: null }, '[1'), '[1')
  assert.deepEqual(valueTyped({ name: 'items', sample: 'true' }, '[1]'), [1])
  assert.equal(valueTyped({ name: 'items', sample: 'true' }, '[1'), undefined)
})

test('a thing has one colour, whichever list tells of it', () => {
  for (const [one, other] of [
    ['complaint', 'complained'],
    ['clicked', 'opened'],
    ['verification_failed', 'failed'],
    ['multiple', 'mismatch'],
  ] as const)
    assert.equal(toneOf(one), toneOf(other), one)
  assert.equal(toneOf('not_set'), 'robot')
})
