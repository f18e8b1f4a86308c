import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { bodySchema, completed } from './openapi.ts'
import { namedSchemas, withoutRefs } from './openapi-schemas.ts'
import { named } from './schema-names.ts'

const read = (schema: object): unknown => namedSchemas().read(JSON.parse(JSON.stringify(schema)))

test('a named schema is in the document once, wherever it is used', () => {
  const Colour = named('Colour', Type.Enum(['red', 'blue']))
  const Thing = named('Thing', Type.Object({ colour: Colour, other: Type.Union([Colour, Type.Null()]) }))
  const known = namedSchemas()
  assert.deepEqual(known.read({ schema: Type.Array(Thing) }), {
    schema: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
  })
  assert.deepEqual(known.all(), {
    Colour: { type: 'string', enum: ['red', 'blue'] },
    Thing: {
      type: 'object',
      required: ['colour', 'other'],
      properties: {
        colour: { $ref: '#/components/schemas/Colour' },
        other: { anyOf: [{ $ref: '#/components/schemas/Colour' }, { type: 'null' }] },
      },
    },
  })
})

test('two different schemas cannot share a name, two equal ones can', () => {
  const thing = (field: string) => named('Thing', Type.Object({ [field]: Type.String() }))
  namedSchemas().read([thing('id'), thing('id')])
  assert.throws(() => namedSchemas().read([thing('id'), thing('name')]), /called Thing/)
})

test('two operations cannot share an id', () => {
  const twins = { '/a': { get: { operationId: 'getThing' } }, '/b': { get: { operationId: 'getThing' } } }
  assert.throws(() => completed({ paths: twins }), /called getThing/)
})

test('a schema that a legacy path relaxes gets another name; one that stays the same keeps its name', () => {
  const Inner = named('Inner', Type.Object({ id: Type.String() }))
  const Closed = named('Closed', Type.Object({ inner: Inner }, { additionalProperties: false }))
  const known = namedSchemas()
  known.read([bodySchema(Closed, false), bodySchema(Closed, true)])
  assert.deepEqual(Object.keys(known.all()), ['Closed', 'ClosedLegacy', 'Inner'])
})

// Each row: a schema as TypeBox makes it, and as the document shows it.
const PLAIN: readonly (readonly [schema: object, said: object])[] = [
  [Type.Union([Type.Literal('a'), Type.Literal('b')]), { type: 'string', enum: ['a', 'b'] }],
  [Type.Literal('a'), { type: 'string', enum: ['a'] }],
  [Type.Literal(1), { type: 'number', const: 1 }],
  [{ contentMediaType: 'text/csv' }, { type: 'string', contentMediaType: 'text/csv' }],
  [Type.Enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
  [
    Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Null()]),
    { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
  ],
  [
    Type.Union([Type.String({ format: 'uuid' }), Type.Null()], { description: 'whose' }),
    { type: ['string', 'null'], format: 'uuid', description: 'whose' },
  ],
  [
    Type.Union([Type.String({ description: 'inner' }), Type.Null()], { description: 'outer' }),
    { anyOf: [{ type: 'string', description: 'inner' }, { type: 'null' }], description: 'outer' },
  ],
  [Type.Record(Type.String(), Type.Unknown()), { type: 'object', additionalProperties: true }],
  [Type.Record(Type.String(), Type.Integer()), { type: 'object', additionalProperties: { type: 'integer' } }],
  [
    Type.Union([Type.Union([Type.String(), Type.Integer()]), Type.Null()]),
    { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
  ],
]
for (const [schema, said] of PLAIN) {
  test(`${JSON.stringify(schema)} is written in the form generators read`, () => assert.deepEqual(read(schema), said))
}

test('references are inlined, and a schema that refers to itself comes to an end', () => {
  const schemas = { Tree: { type: 'object', properties: { below: { $ref: '#/components/schemas/Tree' } } } }
  const tree = { properties: { below: {} }, title: 'Tree', type: 'object' }
  const read = withoutRefs({
    a: { $ref: '#/components/schemas/Tree', description: 'of trees' },
    components: { schemas },
  })
  assert.deepEqual(read.a, { ...tree, description: 'of trees' })
})
