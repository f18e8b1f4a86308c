// What generated clients rely on: names for every reusable type, operation ids that are method names, examples that are true.
// Checked on the document that the service serves.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { withoutRefs } from '../src/platform/http/openapi-schemas.ts'
import { startWorld, type World } from './world/world.ts'

type Node = Readonly<Record<string, unknown>>
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly tags: readonly string[]
  readonly parameters?: readonly { readonly name: string; readonly description?: string; readonly schema?: Node }[]
  readonly requestBody?: { readonly content: Record<string, Media> }
  readonly responses: Readonly<Record<string, { readonly content?: Record<string, Media> }>>
}
interface Media {
  readonly schema: Node
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

let world: World
// biome-ignore lint/suspicious/noExplicitAny: tests read every part of the document
let document: any
let operations: readonly (Operation & { readonly where: string })[]

before(async () => {
  world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  document = (await world.api.get('/openapi.json')).body
  operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ ...one, where: `${method} ${path}` })),
  )
})
after(() => world[Symbol.asyncDispose]())

/** Every JSON body, and every JSON answer of success. */
function jsonOf({ requestBody, responses }: Operation): readonly Media[] {
  const good = Object.entries(responses).flatMap(([status, one]) => (Number(status) < 400 ? [one.content ?? {}] : []))
  return [requestBody?.content ?? {}, ...good].flatMap((content) => content['application/json'] ?? [])
}

test('each operation id is the name of a method, and a legacy one ends in Legacy', () => {
  assert.ok(operations.length > 150, `${operations.length} operations: a check that checked nothing fails`)
  for (const { operationId, deprecated, where } of operations) {
    assert.match(operationId, /^[a-z]+(?:[A-Z][a-z]+)+$|^unsubscribe$/, where)
    assert.equal(operationId.endsWith('Legacy'), deprecated === true, where)
  }
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
})

test('each operation has a title without an end, and a description in whole sentences if it needs one', () => {
  for (const { summary, description, where } of operations) {
    assert.match(summary, /^[A-Z].{5,119}[^.]$/s, where)
    assert.doesNotMatch(summary, /\. [A-Z]/, where)
    if (description !== undefined) assert.match(description, /^[A-Z].*\.$/s, where)
  }
  const send = operations.find(({ operationId }) => operationId === 'sendEmail')
  assert.deepEqual([send?.summary, send?.description?.startsWith('It is stored durably')], ['Send an email', true])
})

test('each operation belongs to one described group, and no group is empty', () => {
  const described = (document.tags as { name: string; description: string }[]).filter(
    ({ description }) => description !== '',
  )
  const used = new Set(operations.map(({ tags, where }) => (assert.equal(tags.length, 1, where), tags[0])))
  assert.deepEqual(described.map(({ name }) => name).sort(), [...used].sort())
})

test('each body and each answer that is an object with known fields has a name', () => {
  for (const operation of operations) {
    for (const { schema } of jsonOf(operation)) {
      const isNamed = '$ref' in schema || !('properties' in schema)
      assert.ok(isNamed, `${operation.where}: call named(..) where its schema is declared`)
    }
  }
})

/** Collects nested objects and enumerations by their content without description, with the places where they stand. */
function unnamed(node: unknown, where: string, found: Map<string, string[]>, isTop = false): void {
  if (node === null || typeof node !== 'object') return
  const { description: _, ...said } = node as Node
  const isThing = 'properties' in said || (Array.isArray(said['enum']) && said['enum'].length > 1)
  if (isThing && !isTop) found.set(JSON.stringify(said), [...(found.get(JSON.stringify(said)) ?? []), where])
  for (const [key, inner] of Object.entries(node)) unnamed(inner, `${where}.${key}`, found)
}

test('an object or an enumeration that is used in more than one place has a name', () => {
  const found = new Map<string, string[]>()
  const schemas = Object.entries(document.components.schemas as Record<string, Node>)
  assert.ok(schemas.length > 200, `${schemas.length} schemas: a check that checked nothing fails`)
  for (const [name, schema] of schemas) unnamed(schema, name, found, true)
  unnamed(document.paths, 'paths', found)
  const named = new Set(schemas.map(([, { description: _, ...said }]) => JSON.stringify(said)))
  for (const [said, places] of found) {
    assert.ok(places.length === 1 && !named.has(said), `${places.join(' and ')}: call named(..) where it is declared`)
  }
})

test('every reference has a target, and every schema is referred to', () => {
  const text = JSON.stringify(document)
  const refs = new Set(
    [...text.matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)].map(([, kind, name]) => `${kind}/${name}`),
  )
  for (const ref of refs) {
    const [kind = '', name = ''] = ref.split('/')
    assert.ok(document.components[kind]?.[name] !== undefined, ref)
  }
  for (const name of Object.keys(document.components.schemas)) assert.ok(refs.has(`schemas/${name}`), name)
})

// The service does not check this: it compiles each schema on its first use.
test('each schema of a body, an answer and a parameter is valid by the meta-schema', () => {
  const ajv = new Ajv2020({ strict: false })
  const parameters = operations.flatMap(({ where, parameters: list = [] }) =>
    list.flatMap(({ name, schema }) => (schema === undefined ? [] : [[`${where} ${name}`, schema] as const])),
  )
  const held = [...Object.entries(document.components.schemas as Record<string, Node>), ...parameters]
  assert.ok(parameters.length > 300, `${parameters.length} parameters: a check that checked nothing fails`)
  for (const [name, schema] of held) assert.ok(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`)
})

test('each example fits its schema, and each example of a body is accepted', async () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ;(formats as unknown as (target: unknown) => void)(ajv)
  const { paths } = withoutRefs(document) as { paths: Record<string, Record<string, Operation>> }
  let held = 0
  for (const { where } of operations) {
    const [method = '', path = ''] = where.split(' ')
    const operation = paths[path]?.[method]
    for (const { schema, examples = {} } of operation === undefined ? [] : jsonOf(operation)) {
      for (const [name, { value }] of Object.entries(examples)) {
        held++
        assert.ok(ajv.validate(schema, value), `${where} ${name}: ${ajv.errorsText()}`)
      }
    }
    for (const [name, { value }] of Object.entries(
      operation?.requestBody?.content['application/json']?.examples ?? {},
    )) {
      // What names something that must exist, or is done by people, is checked against the schema alone.
      if (/\{|\/(?:session|users|setup|operator|smtp-credentials)\b/.test(path) || operation?.deprecated === true)
        continue
      // A test key sends from any domain, and handles no live keys.
      const api = path.includes('/customer/api-keys') ? world.account.api : world.account.testApi
      const { status, body } = await (method === 'patch' ? api.patch(path, value) : api.post(path, value))
      assert.ok(status < 300, `${where} ${name}: ${status} ${JSON.stringify(body)}`)
    }
  }
  assert.ok(held >= 50, `${held} examples: a check that checked nothing fails`)
})

test('each body has an example', () => {
  const { paths } = withoutRefs(document) as { paths: Record<string, Record<string, Operation>> }
  let held = 0
  for (const { where } of operations) {
    const [method = '', path = ''] = where.split(' ')
    const { schema, examples } = paths[path]?.[method]?.requestBody?.content['application/json'] ?? {}
    if (Object.keys(schema?.['properties'] ?? {}).length === 0) continue
    held++
    assert.notDeepEqual(examples ?? {}, {}, where)
  }
  assert.ok(held > 40, `${held} bodies: a check that checked nothing fails`)
})

test('what bounds a list says what it does and what holds without it', () => {
  let held = 0
  for (const { where, parameters = [] } of operations) {
    for (const { name, description, schema = {} } of parameters) {
      if (!/^(?:page|limit|from|to|from_date|to_date)$/.test(name) || where.includes('{page}')) continue
      held++
      assert.ok(
        description !== undefined || 'default' in schema,
        `${where}: ${name} has neither a description nor a default`,
      )
    }
  }
  assert.ok(held >= 80, `${held} parameters: a check that checked nothing fails`)
})

test('the example of an accepted email is written as a real one', async () => {
  const { requestBody, responses } = document.paths['/api/v1/send'].post
  const body = requestBody.content['application/json'].examples.receipt.value
  const shown = responses[202].content['application/json'].examples.accepted.value
  const { body: real } = await world.account.testApi.post('/api/v1/send', body)
  // An id and the time differ; the status of the example is that of a live key.
  const alike = (answer: unknown): string =>
    JSON.stringify(answer)
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace('sandboxed', 'queued')
  assert.deepEqual(JSON.parse(alike(shown)), JSON.parse(alike(real)))
})

test('a legacy schema that takes unknown fields does not share the name of the strict one', () => {
  const bodyOf = (path: string) => document.paths[path].post.requestBody.content['application/json'].schema.$ref
  const { CreateDomainRequest: strict, CreateDomainRequestLegacy: lenient } = document.components.schemas
  assert.match(bodyOf('/api/v1/customer/domains'), /\/CreateDomainRequest$/)
  assert.match(bodyOf('/api/customer/domains'), /\/CreateDomainRequestLegacy$/)
  assert.deepEqual([strict.additionalProperties, lenient.additionalProperties], [false, undefined])
})
