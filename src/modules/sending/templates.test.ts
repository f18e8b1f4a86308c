import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect } from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import { systemIds } from '../../platform/ids.ts'
import type { SendRequest } from './request.ts'
import { type Templates, templatesOf } from './templates.ts'

const ACCOUNT = '018f0000-0000-7000-8000-000000000001'
const OTHER = '018f0000-0000-7000-8000-000000000002'
const WELCOME = { name: 'Welcome', subject: 'Hi {{name}}', html: '<p>{{name}}</p>', text: null }

interface House extends AsyncDisposable {
  readonly templates: Templates
}

async function house(): Promise<House> {
  const fresh = await freshDb()
  const database = connect({ url: fresh.url, onError: () => undefined })
  return {
    templates: templatesOf({ database, clock: systemClock(), ids: systemIds() }),
    [Symbol.asyncDispose]: async () => {
      await database.close()
      await fresh[Symbol.asyncDispose]()
    },
  }
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ApiError)
  const [first] = (error.details['fields'] ?? []) as { field: string; rule: string }[]
  return first === undefined ? error.code : `${error.code} ${first.field} ${first.rule}`
}

function request(change: Partial<SendRequest>): SendRequest {
  return { subject: null, html: null, text: null, variables: {}, templateId: null, ...change } as SendRequest
}

test('a template is kept, changed with its version counting up, and removed', async () => {
  await using world = await house()
  const { templates } = world
  const made = await templates.create(ACCOUNT, WELCOME)
  assert.deepEqual(
    { ...made, id: '', createdAt: 0, updatedAt: 0 },
    { ...WELCOME, id: '', version: 1, createdAt: 0, updatedAt: 0 },
  )
  assert.deepEqual(await templates.get(ACCOUNT, made.id), made)
  const changed = await templates.replace(ACCOUNT, made.id, { ...WELCOME, subject: 'Hello {{name}}' })
  assert.equal(changed.version, 2)
  assert.equal((await templates.preview(ACCOUNT, made.id, { name: 'Ada' })).subject, 'Hello Ada')
  assert.deepEqual(await templates.list(ACCOUNT), [changed])
  await templates.remove(ACCOUNT, made.id)
  assert.equal(await codeOf(templates.get(ACCOUNT, made.id)), 'not_found')
  assert.equal(await codeOf(templates.remove(ACCOUNT, made.id)), 'not_found')
})

test("another account's template is not there", async () => {
  await using world = await house()
  const { templates } = world
  const { id } = await templates.create(ACCOUNT, WELCOME)
  assert.deepEqual(await templates.list(OTHER), [])
  assert.equal(await codeOf(templates.get(OTHER, id)), 'not_found')
  assert.equal(await codeOf(templates.replace(OTHER, id, WELCOME)), 'not_found')
  assert.equal(await codeOf(templates.remove(OTHER, id)), 'not_found')
  assert.equal(await codeOf(templates.fill(OTHER, request({ templateId: id }))), 'validation_error template_id exists')
})

test('what the request says itself wins over the template', async () => {
  await using world = await house()
  const { templates } = world
  const { id: templateId } = await templates.create(ACCOUNT, WELCOME)
  const variables = { name: 'A&B' }
  const all = await templates.fill(ACCOUNT, request({ templateId, variables }))
  assert.deepEqual([all.subject, all.html, all.text], ['Hi A&B', '<p>A&amp;B</p>', null])
  const own = await templates.fill(ACCOUNT, request({ templateId, variables, subject: 'Mine {{name}}', text: 'own' }))
  assert.deepEqual([own.subject, own.html, own.text], ['Mine {{name}}', '<p>A&amp;B</p>', 'own'])
})

test('a variable cannot break out of the subject', async () => {
  await using world = await house()
  const { templates } = world
  const { id: templateId } = await templates.create(ACCOUNT, WELCOME)
  for (const name of ['A\r\nBcc: v@evil.test', 'A\nB', 'A\u2028B', 'A\u0085B']) {
    const filled = templates.fill(ACCOUNT, request({ templateId, variables: { name } }))
    assert.equal(await codeOf(filled), 'validation_error subject control_character')
  }
  const long = templates.fill(ACCOUNT, request({ templateId, variables: { name: 'x'.repeat(999) } }))
  assert.equal(await codeOf(long), 'validation_error subject maxLength')
})

test('what is no template is refused when it is kept', async () => {
  await using world = await house()
  const { templates } = world
  const refused: [change: object, code: string][] = [
    [{ html: '{{> part}}' }, 'validation_error html template'],
    [{ subject: '{{#a}}' }, 'validation_error subject template'],
    [{ html: null, text: null }, 'validation_error html required'],
    [{ name: 'a\nb' }, 'validation_error name control_character'],
    [{ text: 'x'.repeat(5 * 1_048_576 + 1) }, 'validation_error text max_bytes'],
  ]
  for (const [change, code] of refused)
    assert.equal(await codeOf(templates.create(ACCOUNT, { ...WELCOME, ...change })), code)
})
