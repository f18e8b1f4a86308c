// Lists of people as files, exported and imported: unsubscribes, and contacts with their proof of consent.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CONTACTS, startContacts } from './world/contacts-world.ts'
import type { Reply, TestAccount } from './world/world.ts'

const { world, owner, fresh, added, mailsTo } = await startContacts()
after(() => world[Symbol.asyncDispose]())

const UNSUBSCRIBES = '/api/v1/customer/unsubscribes'

async function upload({ apiKey }: TestAccount, path: string, file: string): Promise<Reply['body']> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'text/csv' }
  return (await fetch(`${world.url}${path}`, { method: 'POST', headers, body: file })).json()
}

test('unsubscribes are exported as the filters of the list select them, and the file can be imported', async () => {
  const [from, to] = [await world.newAccount('From'), await world.newAccount('To')]
  await from.api.post(UNSUBSCRIBES, { email: '=odd@x.test', reason: 'says "no", twice' })
  await from.api.post(UNSUBSCRIBES, { email: 'plain@y.test' })
  await from.api.post(`${UNSUBSCRIBES}/import`, { entries: [{ email: 'trial@y.test', sandbox: true }] })
  const { status, body, headers } = await from.api.get(`${UNSUBSCRIBES}/export`)
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^text\/csv/)
  assert.match(headers.get('content-disposition') ?? '', /"unsubscribes\.csv"/)
  const [heading, ...lines]: string[] = body.trimEnd().split('\r\n')
  assert.equal(heading, 'id,email,source,reason,sandbox,created_at')
  assert.match(lines[0] ?? '', /^[\w-]{36},'=odd@x\.test,api,"says ""no"", twice",false,2\d{3}-/)
  assert.equal(lines.length, 2)
  for (const query of [
    'search=y.test',
    'search=ODD',
    'include_sandbox=true',
    'from_date=2031-01-01',
    'to_date=2001-01-01',
  ]) {
    const listed = (await from.api.get(`${UNSUBSCRIBES}?${query}`)).body.data as { email: string }[]
    const file: string[] = (await from.api.get(`${UNSUBSCRIBES}/export?${query}`)).body.trimEnd().split('\r\n').slice(1)
    const emails = listed.map(({ email }) => email.replace(/^=/, "'="))
    assert.deepEqual(file.map((line) => line.split(',')[1]).sort(), emails.sort(), query)
  }
  assert.equal((await from.api.get(`${UNSUBSCRIBES}/export?from_date=soon`)).status, 400)
  const moved = await upload(to, `${UNSUBSCRIBES}/import`, body)
  assert.deepEqual(moved.data, { imported: 2, updated: 0, failed: 0, errors: [], ignored_columns: [] })
  const [odd] = (await to.api.get(`${UNSUBSCRIBES}?search=odd`)).body.data
  assert.deepEqual([odd.email, odd.reason, odd.source], ['=odd@x.test', 'says "no", twice', 'import'])
})

async function contact(email: string, { api }: TestAccount = owner): Promise<Reply['body']> {
  const { body } = await api.get(`${CONTACTS}?search=${encodeURIComponent(email)}`)
  assert.equal(body.data.length, 1, email)
  return body.data[0]
}

test('contacts are exported as CSV and imported unchanged, whatever their tags are', async () => {
  const [from, to] = [await world.newAccount('From'), await world.newAccount('To')]
  const people = [
    {
      email: 'one@list.example',
      name: 'Doe, "Jo"',
      tags: ['news', 'a, b', 'say "hi"', ' ends ', '=1+1', "'x", '"', ','],
    },
    { email: 'two@list.example', tags: ['plain', 'words of it'], source: 'fair' },
    {
      email: 'three@list.example',
      consent: { source_url: 'https://x.test/', consent_text: 'Yes,\n"all"', timestamp: '2026-01-02T03:04:05.006Z' },
    },
  ]
  for (const person of people) await added({ ...person, double_opt_in: false }, from)
  const file = (await from.api.get(`${CONTACTS}/export`)).body
  assert.match(file, /^two@list\.example,,subscribed,fair,,,,"plain,words of it",false,/m)
  const { data } = await upload(to, `${CONTACTS}/import`, file)
  const whole = { imported: 3, asked: 0, known: 0, failed: 0, errors: [], ignored_columns: [] }
  assert.deepEqual(data, whole)
  for (const { email } of people) {
    const [was, is] = [await contact(email, from), await contact(email, to)]
    for (const field of ['name', 'status', 'tags', 'consent', 'double_opt_in', 'source']) {
      assert.deepEqual(is[field], was[field], `${email} ${field}`)
    }
  }
  const again = await upload(to, `${CONTACTS}/import`, file)
  assert.deepEqual(again.data, { ...whole, imported: 0, known: 3 })
})

test('an import sends confirmation mails unless told otherwise, reports faults by line, and mails nobody twice', async () => {
  const [asked, told, twice] = [fresh(), fresh(), fresh()]
  const left = fresh()
  await owner.api.post(UNSUBSCRIBES, { email: left })
  const file = [
    'Email Address;First name;Last name;Tags;double_opt_in;Shoe size;status',
    `${asked};Jo;Doe;"a,""b, c""";;41;`,
    `${told};;;;FALSE;;subscribed`,
    `${twice};;;;true;;`,
    `${twice.toUpperCase()};;;;true;;`,
    'not an address;;;;;;',
    `${fresh()};;;;perhaps;;`,
    `${fresh()};;;;;;unsubscribed`,
    `${left};;;;;;`,
    `"${fresh()}"x;;;;;;`,
  ].join('\r\n')
  const { data } = await upload(owner, `${CONTACTS}/import`, file)
  const { errors, ...counts } = data
  assert.deepEqual(counts, { imported: 3, asked: 2, known: 1, failed: 5, ignored_columns: ['shoe size'] })
  assert.deepEqual(
    errors.map(({ line }: { line: number }) => line),
    [6, 7, 8, 9, 10],
  )
  assert.match(errors[1].message, /^double_opt_in must be boolean/)
  assert.match(errors[3].message, /unsubscribed/)
  assert.deepEqual([errors[3].email, errors[4].email], [left, null])
  const made = await contact(asked)
  assert.deepEqual(
    [made.name, made.tags, made.status, made.source],
    ['Jo Doe', ['a', 'b, c'], 'pending_confirmation', 'import'],
  )
  assert.equal((await contact(told)).status, 'subscribed')
  assert.deepEqual([(await mailsTo(asked)).length, (await mailsTo(told)).length], [1, 0])
  assert.equal((await upload(owner, `${CONTACTS}/import`, file)).data.known, 4)
  assert.equal((await mailsTo(asked)).length, 1)
})

test('JSON entries have the fields of a single contact, and a setting for all of them wins', async () => {
  const [one, two] = [fresh(), fresh()]
  const entries = [
    { email: one, tags: ['x'], double_opt_in: true },
    { email: two, from: 'a@shop.example' },
    { email: fresh(), tags: 'x' },
    5,
    { email: 'nobody' },
  ]
  const { status, body } = await owner.api.post(`${CONTACTS}/import?double_opt_in=false`, { entries })
  assert.equal(status, 200)
  const { errors, ...counts } = body.data
  assert.deepEqual(counts, { imported: 1, asked: 0, known: 0, failed: 4, ignored_columns: [] })
  assert.deepEqual(
    errors.map(({ line, message }: { line: number; message: string }) => [line, message]),
    [
      [2, 'from is not a known field'],
      [3, 'tags must be array'],
      [4, 'must be a JSON object'],
      [5, errors[3].message],
    ],
  )
  const { double_opt_in: asks, status: state } = await contact(one)
  assert.deepEqual([asks, state], [false, 'subscribed'])
  for (const [query, parameter] of [
    ['double_opt_in=1', 'double_opt_in'],
    ['from=nobody', 'from'],
    ['template_id=x', 'template_id'],
    ['template_id=01980000-0000-7000-8000-000000000000', 'template_id'],
  ] as const) {
    const refused = await owner.api.post(`${CONTACTS}/import?${query}`, { entries: [{ email: fresh() }] })
    assert.deepEqual([refused.status, refused.body.details.parameter], [400, parameter], query)
  }
  assert.equal((await owner.api.post(`${CONTACTS}/import`, { list: [] })).status, 422)
  assert.equal((await upload(owner, `${CONTACTS}/import`, 'name\nJo\n')).details.fields[0].field, 'header')
  assert.equal((await world.apiWith(null).post(`${CONTACTS}/import`, { entries })).status, 401)
})

test('the limit of confirmation mails holds for imports too: past it the contact is created without a mail', async () => {
  const email = fresh()
  for (let i = 0; i < 3; i++) {
    const { testApi } = await world.newAccount()
    assert.equal((await testApi.post(CONTACTS, { email, from: 'a@other.example' })).status, 201)
  }
  const { data } = (await owner.testApi.post(`${CONTACTS}/import`, { entries: [{ email }] })).body
  assert.deepEqual([data.imported, data.asked], [1, 0])
  assert.equal((await contact(email)).confirmation_sent_at, null)
})

test('without a domain to send from, each row that needs a mail is refused and the others are imported', async () => {
  const account = await world.newAccount('No domain')
  const entries = [{ email: fresh() }, { email: fresh(), double_opt_in: false }, { email: fresh() }]
  const { data } = (await account.api.post(`${CONTACTS}/import`, { entries })).body
  assert.deepEqual([data.imported, data.failed], [1, 2])
  for (const { message } of data.errors) assert.match(message, /no verified domain/)
})
