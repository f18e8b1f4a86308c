import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilBlocked } from '../../../test/world/blocked.ts'
import { freshDb } from '../../../test/world/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, type Database, type Db, statement } from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import { systemIds } from '../../platform/ids.ts'
import { MAX_TEMPLATE_TAGS, MAX_TEMPLATES } from './limits.ts'
import type { SendRequest } from './request.ts'
import * as sql from './sql.ts'
import { type Filler, type Templates, templatesOf } from './templates.ts'

const ACCOUNT = '018f0000-0000-7000-8000-000000000001'
const OTHER = '018f0000-0000-7000-8000-000000000002'
const WELCOME = { name: 'Welcome', subject: 'Hi {{name}}', html: '<p>{{name}}</p>', text: null }

interface Fixture extends AsyncDisposable {
  readonly templates: Templates
  readonly database: Database
  /** The names of the statements that ran as the service. */
  readonly asked: string[]
}

async function fixture(): Promise<Fixture> {
  const fresh = await freshDb()
  const asked: string[] = []
  const database = connect({ url: fresh.url, onError: () => undefined })
  const { system } = database
  const watched: Db = {
    ...system,
    one: (what, values) => {
      asked.push(what.name)
      return system.one(what, values)
    },
  }
  return {
    asked,
    database,
    templates: templatesOf({ database: { ...database, system: watched }, clock: systemClock(), ids: systemIds() }),
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

async function filled(fill: Filler, change: Partial<SendRequest>): Promise<SendRequest> {
  const render = await fill(request(change))
  return render()
}

function request(change: Partial<SendRequest>): SendRequest {
  return {
    subject: null,
    html: null,
    text: null,
    variables: {},
    templateId: null,
    templateVersion: null,
    ...change,
  } as SendRequest
}

test('a template is kept, changed with its version counting up, and removed', async () => {
  await using world = await fixture()
  const { templates } = world
  const made = await templates.create(ACCOUNT, WELCOME)
  assert.deepEqual(
    { ...made, id: '', createdAt: 0, updatedAt: 0 },
    { ...WELCOME, id: '', version: 1, createdAt: 0, updatedAt: 0 },
  )
  assert.deepEqual(await templates.get(ACCOUNT, made.id), made)
  const changed = await templates.replace(ACCOUNT, made.id, { ...WELCOME, subject: 'Hello {{name}}' })
  assert.equal(changed.version, 2)
  assert.equal((await templates.preview(ACCOUNT, made.id, null, { name: 'Ada' })).subject, 'Hello Ada')
  assert.deepEqual(await templates.list(ACCOUNT, null), { templates: [changed], total: 1 })
  await templates.remove(ACCOUNT, made.id)
  assert.equal(await codeOf(templates.get(ACCOUNT, made.id)), 'not_found')
  assert.equal(await codeOf(templates.remove(ACCOUNT, made.id)), 'not_found')
})

test('a draft is filled in like a stored template, with the same checks, and nothing is stored', async () => {
  await using world = await fixture()
  const { templates } = world
  const draft = { subject: 'Hi {{name}}', html: '<p>{{name}}, {{city}}</p>', text: null }
  assert.deepEqual(templates.previewDraft(draft, { name: 'A & B' }), {
    ...{ subject: 'Hi A & B', html: '<p>A &amp; B, </p>', text: null },
    missing: ['city'],
  })
  assert.throws(() => templates.previewDraft({ ...draft, html: '{{#open}}' }, {}), { code: 'validation_error' })
  assert.throws(() => templates.previewDraft({ ...draft, html: null }, {}), { code: 'validation_error' })
  assert.equal((await templates.list(ACCOUNT, null)).total, 0)
})

test('every version is kept: it can be read, previewed, sent, and restored', async () => {
  await using world = await fixture()
  const { templates } = world
  const { id } = await templates.create(ACCOUNT, WELCOME)
  await templates.replace(ACCOUNT, id, { name: 'Second', subject: 'Two {{name}}', html: null, text: 'two' })
  await templates.replace(ACCOUNT, id, { ...WELCOME, subject: 'Three {{name}}' })
  const subjects = async (): Promise<string[]> =>
    (await templates.versions(ACCOUNT, id, { offset: 0, limit: 100 })).versions.map(({ subject }) => subject)
  assert.deepEqual(await subjects(), ['Three {{name}}', 'Two {{name}}', 'Hi {{name}}'])
  const { html, text, name, version } = await templates.version(ACCOUNT, id, 2)
  assert.deepEqual([html, text, name, version], [null, 'two', 'Second', 2])
  const variables = { name: 'Ada' }
  assert.equal((await templates.preview(ACCOUNT, id, 1, variables)).subject, 'Hi Ada')
  const sent = (templateVersion: number | null): Promise<SendRequest> =>
    filled(templates.filler(ACCOUNT), { templateId: id, templateVersion, variables })
  assert.deepEqual([(await sent(2)).subject, (await sent(null)).subject], ['Two Ada', 'Three Ada'])
  const restored = await templates.restore(ACCOUNT, id, 2)
  assert.deepEqual(
    [restored.version, restored.name, restored.subject, restored.text],
    [4, 'Second', 'Two {{name}}', 'two'],
  )
  assert.equal((await sent(null)).subject, 'Two Ada')
  assert.equal((await subjects()).length, 4)
  for (const missing of [0, 5, 99]) {
    assert.equal(await codeOf(templates.version(ACCOUNT, id, missing)), 'not_found')
    assert.equal(await codeOf(templates.restore(ACCOUNT, id, missing)), 'not_found')
    assert.equal(await codeOf(sent(missing)), 'validation_error template_version exists')
  }
  assert.equal(await codeOf(templates.versions(OTHER, id, { offset: 0, limit: 100 })), 'not_found')
  assert.equal(await codeOf(templates.version(OTHER, id, 1)), 'not_found')
  assert.equal(await codeOf(templates.restore(OTHER, id, 1)), 'not_found')
  await templates.remove(ACCOUNT, id)
  assert.equal(await codeOf(templates.version(ACCOUNT, id, 1)), 'not_found')
})

test('what a request leaves blank comes from the template, and a blank result is refused', async () => {
  await using world = await fixture()
  const { templates } = world
  const fill = templates.filler(ACCOUNT)
  const { id } = await templates.create(ACCOUNT, { ...WELCOME, html: '{{#name}}<p>{{name}}</p>{{/name}}' })
  const { html, text } = await filled(fill, { templateId: id, html: ' ', variables: { name: 'Ada' } })
  assert.deepEqual([html, text], ['<p>Ada</p>', null])
  assert.equal(await codeOf(filled(fill, { templateId: id })), 'validation_error html required')
  const withText = await filled(fill, { templateId: id, text: 'hello' })
  assert.equal(withText.text, 'hello')
})

test('the last 50 versions of a template are kept, and the versions of another one stay', async () => {
  await using world = await fixture()
  const { templates } = world
  const [{ id }, other] = [await templates.create(ACCOUNT, WELCOME), await templates.create(ACCOUNT, WELCOME)]
  for (let version = 2; version <= 53; version++) {
    await templates.replace(ACCOUNT, id, { ...WELCOME, subject: `${version}` })
  }
  const { versions, total } = await templates.versions(ACCOUNT, id, { offset: 0, limit: 100 })
  assert.deepEqual([total, versions[0]?.version, versions.at(-1)?.version], [50, 53, 4])
  const page = await templates.versions(ACCOUNT, id, { offset: 49, limit: 10 })
  assert.deepEqual(
    page.versions.map(({ version }) => version),
    [4],
  )
  assert.equal((await templates.version(ACCOUNT, other.id, 1)).name, 'Welcome')
})

test('templates created concurrently do not exceed the limit of an account', async () => {
  await using world = await fixture()
  const { templates, database } = world
  const fill = statement(
    'test_fill_templates',
    `insert into template (id, account_id, name, subject, text, created_at, updated_at)
     select gen_random_uuid(), $1, 'n', 's', 't', now(), now() from generate_series(1, $2::int)`,
  )
  await database.system.execute(fill, [ACCOUNT, MAX_TEMPLATES - 1])
  const made = await Promise.all(
    Array.from({ length: 16 }, () =>
      templates.create(ACCOUNT, WELCOME).then(
        () => 'made',
        (error: ApiError) => error.code,
      ),
    ),
  )
  assert.deepEqual(made.toSorted(), ['made', ...Array(15).fill('validation_error')])
  const { templates: all, total } = await templates.list(ACCOUNT, null)
  assert.deepEqual([all.length, total], [MAX_TEMPLATES, MAX_TEMPLATES])
  for (const [offset, count] of [
    [0, 20],
    [490, 10],
    [600, 0],
  ] as const) {
    const page = await templates.list(ACCOUNT, { offset, limit: 20 })
    assert.deepEqual(page, { templates: all.slice(offset, offset + count), total })
  }
})

test("another account's template is not found", async () => {
  await using world = await fixture()
  const { templates } = world
  const { id } = await templates.create(ACCOUNT, WELCOME)
  assert.deepEqual(await templates.list(OTHER, null), { templates: [], total: 0 })
  assert.equal(await codeOf(templates.get(OTHER, id)), 'not_found')
  assert.equal(await codeOf(templates.replace(OTHER, id, WELCOME)), 'not_found')
  assert.equal(await codeOf(templates.remove(OTHER, id)), 'not_found')
  assert.equal(
    await codeOf(templates.filler(OTHER)(request({ templateId: id }))),
    'validation_error template_id exists',
  )
})

test('what the request itself contains wins over the template', async () => {
  await using world = await fixture()
  const { templates } = world
  const { id: templateId } = await templates.create(ACCOUNT, WELCOME)
  const variables = { name: 'A&B' }
  const all = await filled(templates.filler(ACCOUNT), { templateId, variables })
  assert.deepEqual([all.subject, all.html, all.text], ['Hi A&B', '<p>A&amp;B</p>', null])
  const mine = { templateId, variables, subject: 'Mine {{name}}', text: 'own' }
  const own = await filled(templates.filler(ACCOUNT), mine)
  assert.deepEqual([own.subject, own.html, own.text], ['Mine {{name}}', '<p>A&amp;B</p>', 'own'])
})

test('the messages of a call share one read of a template, and the next call reads it anew', async () => {
  await using world = await fixture()
  const { templates, asked } = world
  const { id: templateId } = await templates.create(ACCOUNT, WELCOME)
  const call = (templateVersion: number | null): Promise<readonly SendRequest[]> => {
    const fill = templates.filler(ACCOUNT)
    const names = Array.from({ length: 100 }, (_, number) => `n${number}`)
    return Promise.all(names.map((name) => filled(fill, { templateId, templateVersion, variables: { name } })))
  }
  const first = await call(null)
  assert.deepEqual([first[0]?.subject, first[99]?.subject], ['Hi n0', 'Hi n99'])
  assert.deepEqual(asked.splice(0), ['sending_template'])
  await templates.replace(ACCOUNT, templateId, { ...WELCOME, subject: 'Hello {{name}}' })
  assert.equal((await call(null))[99]?.subject, 'Hello n99')
  assert.equal((await call(1))[99]?.subject, 'Hi n99')
  assert.deepEqual(asked, ['sending_template', 'sending_template_version'])
})

test('a variable cannot break out of the subject', async () => {
  await using world = await fixture()
  const { templates } = world
  const { id: templateId } = await templates.create(ACCOUNT, WELCOME)
  for (const name of ['A\r\nBcc: v@evil.test', 'A\nB', 'A\u2028B', 'A\u0085B']) {
    const sent = filled(templates.filler(ACCOUNT), { templateId, variables: { name } })
    assert.equal(await codeOf(sent), 'validation_error subject control_character')
  }
  const long = filled(templates.filler(ACCOUNT), { templateId, variables: { name: 'x'.repeat(999) } })
  assert.equal(await codeOf(long), 'validation_error subject maxLength')
})

test('an invalid template is refused when it is stored', async () => {
  await using world = await fixture()
  const { templates } = world
  const refused: [change: object, code: string][] = [
    [{ html: '{{> part}}' }, 'validation_error html template'],
    [{ subject: '{{#a}}' }, 'validation_error subject template'],
    [{ html: null, text: null }, 'validation_error html required'],
    [{ name: 'a\nb' }, 'validation_error name control_character'],
    [{ text: 'x'.repeat(5 * 1_048_576 + 1) }, 'validation_error text max_bytes'],
    [{ text: '{{a}}'.repeat(MAX_TEMPLATE_TAGS + 1) }, 'validation_error text template'],
  ]
  for (const [change, code] of refused)
    assert.equal(await codeOf(templates.create(ACCOUNT, { ...WELCOME, ...change })), code)
})

const VERSIONS = statement('test_versions_left', 'select version from template_version where template_id = $1')

test('a template that is removed while it is being changed leaves no version behind', async () => {
  await using h = await fixture()
  const { id } = await h.templates.create(ACCOUNT, WELCOME)
  let removed: Promise<void> = Promise.resolve()
  await h.database.tenant(ACCOUNT, async (db) => {
    await db.execute(sql.replaceTemplate, [id, ACCOUNT, 'Welcome', 'Hello', '<p></p>', null, new Date()])
    removed = h.templates.remove(ACCOUNT, id)
    await untilBlocked(h.database, 1)
    await db.execute(sql.keepVersion, [ACCOUNT, id])
  })
  await removed
  assert.deepEqual(await h.database.system.query(VERSIONS, [id]), [])
})
