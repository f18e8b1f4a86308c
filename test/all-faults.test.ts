// A client that sends a body with several faults is told all of them at once, whatever finds them: the types and limits of
// the schema, the rules of a room, or the state of the account.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startWorld, type World } from './world/world.ts'

const ABSENT = '01a00000-0000-7000-8000-000000000000'
const PAST = '2020-01-01T00:00:00Z'

let world: World

before(async () => {
  world = await startWorld()
})
after(() => world[Symbol.asyncDispose]())

/** Each row: the request, its body, and the faulty fields in it. */
const ROWS: readonly (readonly [method: 'POST' | 'PATCH', path: string, body: object, fields: readonly string[]])[] = [
  [
    'POST',
    '/api/v1/customer/webhooks',
    { url: 'ftp://hooks.example/', events: [], domain_ids: [ABSENT], more: 1 },
    ['domain_ids[0]', 'events', 'more', 'url'],
  ],
  ['POST', '/api/v1/customer/webhooks', { url: 5, events: ['*'], domain_ids: ['x'] }, ['domain_ids[0]', 'url']],
  [
    'POST',
    '/api/v1/customer/api-keys',
    { scopes: [], allowed_ips: ['192.0.2.0/24', '192.0.2.0/99'], domain_ids: [ABSENT], expires_at: PAST },
    ['allowed_ips[1]', 'domain_ids[0]', 'expires_at', 'name', 'scopes'],
  ],
  [
    'PATCH',
    '/api/v1/customer/profile',
    { name: 5, email: 'nobody', timezone: 'Mars/Olympus', locale: '?', retention_days: 0 },
    ['email', 'locale', 'name', 'retention_days', 'timezone'],
  ],
  [
    'POST',
    '/api/v1/customer/suppressions',
    { email: 'nobody', reason: 'because', expires_at: PAST },
    ['email', 'expires_at', 'reason'],
  ],
  ['POST', '/api/v1/templates', { name: 'a\tb\n', subject: '{{#a}}', text: 5 }, ['name', 'subject', 'text']],
  [
    'POST',
    '/api/v1/address/validate/batch',
    { emails: [5], addresses: ['a@b.example'], more: 1 },
    ['addresses', 'emails[0]', 'more'],
  ],
  [
    'POST',
    '/api/v1/customer/contacts',
    { email: 'nobody', from: 'a shop', template_id: ABSENT, tags: [''], more: 1 },
    ['email', 'from', 'more', 'tags[0]', 'template_id'],
  ],
  [
    'POST',
    '/api/v1/customer/contacts',
    { email: 'a@b.example', double_opt_in: false, from: 'a shop', template_id: ABSENT },
    ['from', 'template_id'],
  ],
  [
    'POST',
    `/api/v1/customer/webhooks/${ABSENT}/replay`,
    { from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z', events: ['email.eaten'] },
    ['events[0]', 'to'],
  ],
  ['POST', '/api/v1/content-score', { html: 'x'.repeat(5 * 1_048_576 + 1), text: 5 }, ['html', 'subject', 'text']],
]

for (const [method, path, body, fields] of ROWS) {
  test(`${method} ${path} names ${fields.join(', ')}`, async () => {
    const send = method === 'POST' ? world.api.post : world.api.patch
    const answer = await send(path, body)
    assert.deepEqual([answer.status, answer.body.code], [422, 'validation_error'])
    const named = answer.body.details.fields.map(({ field }: { field: string }) => field)
    assert.deepEqual(named.sort(), [...fields])
  })
}

const MAIL = { from: 'a@shop.example', to: 'b@reader.example', subject: 's', text: 't' }

test('a send body that is not an object has a single fault, alone and in a batch', async () => {
  const whole = { field: '', rule: 'type', message: 'must be a JSON object' }
  for (const path of ['/api/v1/send', '/api/v1/send/batch', '/api/v1/customer/webhooks']) {
    for (const body of ['[]', 'null', '"x"']) {
      const answer = await world.api.post(path, body)
      assert.deepEqual([answer.status, answer.body.details.fields], [422, [whole]], `${path} ${body}`)
    }
  }
  const { body } = await world.api.post('/api/v1/send/batch', { messages: [null, []] })
  for (const { error } of body.data) assert.deepEqual(error.details.fields, [whole])
})

test('the fault messages of a send name what is allowed and repeat nothing', async () => {
  const said = async (more: object): Promise<string[]> => {
    const { body } = await world.api.post('/api/v1/send', { ...MAIL, ...more })
    return body.details.fields.map((fault: Record<string, string>) => `${fault['field']} ${fault['message']}`)
  }
  assert.deepEqual(
    await said({ stream: 'x', tls_policy: 'x', attachments: [{ filename: 'f', content: '', disposition: 'x' }] }),
    [
      'attachments[0].disposition must be one of attachment, inline',
      'stream must be one of transactional, broadcast',
      'tls_policy must be one of opportunistic, required',
    ],
  )
  assert.deepEqual(await said({ text: undefined }), ['html is required unless a text or a template is given'])
  assert.deepEqual(await said({ from: '', to: '' }), [
    'from is empty, and takes an address',
    'to is empty, and takes an address',
  ])
})

test('a strict batch says that nothing was sent; an unknown mode is refused by name', async () => {
  const batch = (mode: string) =>
    world.api.post('/api/v1/send/batch', { messages: [MAIL, { ...MAIL, to: 'x' }] }, { 'x-batch-validation': mode })
  const strict = await batch('Strict')
  assert.deepEqual([strict.status, strict.body.code], [422, 'validation_error'])
  assert.match(strict.body.error, /^Nothing was sent: 2 of 2 /)
  const odd = await batch('stirct')
  assert.deepEqual([odd.status, odd.body.details], [400, { parameter: 'X-Batch-Validation', rule: 'enum' }])
  assert.equal((await batch('permissive')).status, 200)
})

test('a list of statuses may contain spaces', async () => {
  assert.equal((await world.api.get('/api/v1/emails?status=delivered,%20bounced')).status, 200)
  assert.equal((await world.api.get('/api/v1/emails?status=delivered,')).status, 400)
})

test('an update of a key or a webhook names all faults too', async () => {
  const key = (await world.api.post('/api/v1/customer/api-keys', { name: 'k' })).body.data.id
  const hook = { url: 'https://hooks.example/', events: ['*'] }
  const webhook = (await world.api.post('/api/v1/customer/webhooks', hook)).body.data.id
  const changes = [
    await world.api.patch(`/api/v1/customer/api-keys/${key}`, { name: '', allowed_ips: ['x'], domain_ids: [ABSENT] }),
    await world.api.put(`/api/v1/customer/webhooks/${webhook}`, { name: '', url: 'x', domain_ids: [ABSENT] }),
  ]
  assert.deepEqual(
    changes.map(({ body }) => body.details.fields.map(({ field }: { field: string }) => field).sort()),
    [
      ['allowed_ips[0]', 'domain_ids[0]', 'name'],
      ['domain_ids[0]', 'name', 'url'],
    ],
  )
})
