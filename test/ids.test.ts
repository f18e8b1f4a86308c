// Ids as clients write them: an id in upper case is the same id, and other spellings of a UUID are refused. Checked on every
// route in the OpenAPI document of the composed service.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { documentOf } from './world/document.ts'
import { startWorld, type World } from './world/world.ts'

const ID = '0192f000-0000-7000-8000-00000000dead'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly format?: string }
}

let world: World

before(async () => {
  world = await startWorld({ settings: { POSTHORN_RATE_LIMITS: 'off' } })
})
after(() => world[Symbol.asyncDispose]())

/** Every path that is read, with this id in the place of each of its ids in turn. */
async function pathsWith(id: string): Promise<readonly string[]> {
  const { paths: described } = await documentOf(world.api)
  const paths = described as Record<string, Record<string, { 'x-scope'?: string; parameters?: readonly Parameter[] }>>
  return Object.entries(paths).flatMap(([template, { get }]) => {
    if (get?.['x-scope'] === undefined) return []
    const path = template.replaceAll(/\{\w+\}/g, ID)
    return (get.parameters ?? [])
      .filter(({ schema }) => schema.format === 'uuid')
      .map((one) => (one.in === 'query' ? `${path}?${one.name}=${id}` : template.replaceAll(/\{\w+\}/g, id)))
  })
}

test('an id in URN form (RFC 9562 section 4) is refused in every place of an id', async () => {
  const paths = await pathsWith(`urn:uuid:${ID}`)
  assert.ok(paths.length > 20, `${paths.length} paths: a check that checked nothing fails`)
  for (const path of paths) {
    const { status, body } = await world.api.get(path)
    assert.deepEqual([status, body.code], [400, 'invalid_parameter'], `${path}: ${JSON.stringify(body)}`)
  }
})

test('an id in upper case is the same id', async () => {
  for (const path of await pathsWith(ID)) {
    const [one, other] = [await world.api.get(path), await world.api.get(path.replaceAll(ID, ID.toUpperCase()))]
    assert.ok(one.status < 500, `${path}: ${JSON.stringify(one.body)}`)
    assert.deepEqual([other.status, other.body.code], [one.status, one.body.code], path)
  }
})

test('an invalid cursor is refused', async () => {
  const hyphens = '-'.repeat(36)
  const deliveries = `customer/webhooks/${ID}/deliveries`
  for (const path of ['emails', 'inbox', 'events', 'content-events', 'customer/bounces', deliveries]) {
    for (const cursor of ['x', hyphens, `1.${hyphens}`, `urn:uuid:${ID}`]) {
      const { status, body } = await world.api.get(`/api/v1/${path}?cursor=${cursor}`)
      assert.deepEqual([status, body.code], [400, 'invalid_parameter'], `${path} ${cursor}: ${JSON.stringify(body)}`)
    }
  }
})

test('a status named like a property of every JavaScript object is not a status of an email', async () => {
  for (const status of ['constructor', 'toString', '__proto__', 'delivered,constructor']) {
    const answer = await world.api.get(`/api/v1/emails?status=${status}`)
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_parameter'], status)
  }
})
