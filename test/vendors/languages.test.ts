// What clients of other vendors in other languages send, byte for byte as they write it: their own forms of fields. The clients
// that run here have test/vendors/calls.test.ts.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Reply } from '../world/world.ts'
import { FROM, startVendorWorld, type VendorWorld } from './world.ts'

let world: VendorWorld

before(async () => {
  world = await startVendorWorld()
})
after(() => world[Symbol.asyncDispose]())

const fresh = (): string => world.fresh()

async function call(path: string, key: Record<string, string>, body: unknown): Promise<Reply> {
  const headers = { ...key, 'content-type': 'application/json' }
  const reply = await fetch(`${world.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: reply.status, body: await reply.json(), headers: reply.headers }
}

const email = (id: string): Promise<Reply['body']> => world.email(id)

// Clients that pass bytes on to JSON as they are: the ones for Python, Go and Ruby, and older ones for Node.
test('Resend: files given as lists of bytes arrive, also large ones', async () => {
  const key = { authorization: `Bearer ${world.account.apiKey}` }
  const file = Buffer.alloc(1_048_576, 'some bytes \u00ff', 'latin1')
  const message = {
    from: FROM,
    to: fresh(),
    subject: 's',
    text: 't',
    attachments: [
      { filename: 'list.bin', content: [...file] },
      { filename: 'buffer.bin', content: file, inline_content_id: 'logo' },
      { filename: 'empty.bin', content: [] },
    ],
  }
  const sent = await call('/emails', key, message)
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const batch = await call('/emails/batch', key, [{ ...message, to: fresh() }])
  for (const id of [sent.body.id, batch.body.data[0].id]) {
    const { attachments } = await email(id)
    const found = attachments.map(({ filename, size, content_id }: Reply['body']) => [filename, size, content_id])
    assert.deepEqual(found.sort(), [
      ['buffer.bin', file.length, 'logo'],
      ['empty.bin', 0, null],
      ['list.bin', file.length, null],
    ])
  }
  for (const content of [[256], ['a'], [1.5], { type: 'Buffer' }]) {
    const refused = await call('/emails', key, { ...message, attachments: [{ filename: 'a', content }] })
    assert.deepEqual([refused.status, refused.body.name], [422, 'invalid_attachment'], JSON.stringify(content))
  }
})

test('Postmark: the quoted addresses of the client for Java, and ContentId of it and of the one for .NET, are taken', async () => {
  const [one, two, named, cc] = [fresh(), fresh(), fresh(), fresh()]
  const Content = Buffer.from('some bytes').toString('base64')
  const answer = await call(
    '/email',
    { 'x-postmark-server-token': world.account.apiKey },
    {
      From: FROM,
      To: `"${one}","${two}" , "No@one, really"<${named}>`,
      Cc: `"${cc}"`,
      Subject: 's',
      TextBody: 't',
      TrackLinks: 'None',
      Attachments: [
        { Name: 'a.png', Content, ContentType: 'image/png', ContentId: 'cid:logo' },
        { Name: 'b.pdf', Content, ContentType: 'application/pdf', ContentId: null },
      ],
    },
  )
  assert.deepEqual([answer.status, answer.body.ErrorCode], [200, 0], JSON.stringify(answer.body))
  for (const to of [one, two, named, cc]) {
    assert.equal((await world.api.get(`/api/v1/emails?recipient=${to}`)).body.pagination.total, 1, to)
  }
  const { attachments } = await email(answer.body.MessageID)
  assert.deepEqual(
    attachments.map(({ filename, content_id, disposition }: Reply['body']) => [filename, content_id, disposition]),
    [
      ['a.png', 'logo', 'inline'],
      ['b.pdf', null, 'attachment'],
    ],
  )
})

// PHP has one type for lists and objects, and writes it as a list when it is empty.
test('an empty list in place of an object, as PHP writes it, is none, and so is an empty text at Postmark', async () => {
  const resend = { authorization: `Bearer ${world.account.apiKey}` }
  const none = { cc: [], bcc: [], reply_to: [], attachments: [], headers: [] }
  // What Laravel sends for a mail without any of these.
  const laravel = {
    ...none,
    from: `"Shop" <hello@shop.example>`,
    to: [fresh()],
    subject: 's',
    html: '<p>t</p>',
    text: null,
  }
  assert.equal((await call('/emails', resend, laravel)).status, 200)
  const { body: made } = await world.api.post('/api/v1/templates', { name: 'empty', subject: 's', text: 't' })
  const template = { id: made.data.id, variables: [] }
  assert.equal((await call('/emails', resend, { from: FROM, to: fresh(), template })).status, 200)
  const postmark = { 'x-postmark-server-token': world.account.apiKey }
  const message = { From: FROM, To: fresh(), Subject: 's', TextBody: 't', Headers: [], Metadata: [], Attachments: [] }
  assert.equal((await call('/email', postmark, message)).status, 200)
  const file = { Name: 'a.txt', Content: 'YQ==', ContentType: '', ContentID: '' }
  const blank = { Cc: '', Bcc: ' ', ReplyTo: '', Tag: '', MessageStream: 'outbound', Attachments: [file] }
  const sent = await call('/email', postmark, { ...message, To: fresh(), ...blank })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const { tag, stream, attachments } = await email(sent.body.MessageID)
  const { content_type: type, content_id: id, disposition } = attachments[0]
  assert.deepEqual([tag, stream, type, id, disposition], [null, 'transactional', 'text/plain', null, 'attachment'])
  const refused = await call('/emails', resend, { ...laravel, headers: ['X-A: b'] })
  assert.equal(refused.body.message, 'headers must be object')
})
