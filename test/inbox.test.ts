// The sandbox inbox through the public interfaces.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { forgetInbox, inboxTables } from '../src/modules/delivery/index.ts'
import { statement } from '../src/platform/db.ts'
import { plain, smtpSession } from './world/submission.ts'
import { startWorld, type World } from './world/world.ts'

const MAIL = { from: 'Shop <a@shop.example>', to: 'bob@example.net', subject: 'Grüße', html: '<p>Hello</p>' }

async function events(world: World, id: string): Promise<string[]> {
  const { body } = await world.api.get(`/api/v1/emails/${id}`)
  return body.data.events.map(({ event }: { event: string }) => event)
}

/** Polls until the inbox has this email. @returns the answer with the list */
async function captured(world: World, id: string): Promise<Awaited<ReturnType<World['api']['get']>>> {
  let list = await world.api.get(`/api/v1/inbox?email_id=${id}`)
  for (let tries = 0; list.body.pagination.total === 0 && tries < 2_400; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 25))
    list = await world.api.get(`/api/v1/inbox?email_id=${id}`)
  }
  return list
}

test('sandbox mail stands in the inbox of the account, visible to its keys only', async () => {
  await using world = await startWorld()
  const { testApi } = world.account
  const sent = await testApi.post('/api/v1/send', { ...MAIL, from: 'you@example.com', to: 'bounce@sandbox.test' })
  const id = sent.body.data.email_id
  const list = await captured(world, id)
  assert.equal(list.body.pagination.total, 1)
  const full = (await testApi.get('/api/v1/inbox?limit=1')).body.pagination
  assert.deepEqual(
    full,
    { total: 1, limit: 1, offset: 0, next_cursor: null },
    'nothing lies behind a page that it fills',
  )
  const [mail] = list.body.data
  assert.deepEqual([mail.from, mail.to, mail.subject], ['you@example.com', 'bounce@sandbox.test', 'Grüße'])
  const since = async (from: string): Promise<number> =>
    (await testApi.get(`/api/v1/inbox?from=${from}`)).body.pagination.total
  assert.equal(await since(mail.received_at), 1)
  assert.equal(await since('2999-01-01T00:00:00Z'), 0)
  assert.equal((await testApi.get('/api/v1/inbox?from=yesterday')).body.details.parameter, 'from')
  const until = async (to: string): Promise<number> =>
    (await testApi.get(`/api/v1/inbox?to=${encodeURIComponent(to)}`)).body.pagination.total
  assert.equal(await until('Bounce@sandbox.test'), 1, 'an address')
  assert.equal(await until('2999-01-01T05:45:00+05:45'), 1, 'the end of a time')
  assert.equal(await until(mail.received_at), 0, 'which does not belong to it')
  for (const to of ['2999-02-30T00:00:00Z', 'sandbox.test', 'nobody']) {
    const { status, body } = await testApi.get(`/api/v1/inbox?to=${encodeURIComponent(to)}`)
    assert.deepEqual([status, body.details.parameter, body.details.rule], [400, 'to', 'email'], to)
  }
  const one = await testApi.get(`/api/v1/inbox/${mail.id}`)
  assert.equal(one.body.data.html.trim(), '<p>Hello</p>')
  assert.equal(one.body.data.text.trim(), 'Hello')
  const raw = await testApi.get(`/api/v1/inbox/${mail.id}/raw`)
  assert.equal(raw.headers.get('content-type'), 'message/rfc822')
  assert.equal((await testApi.get(`/api/v1/emails/${id}`)).body.data.size, mail.size, 'that of what was sent')
  assert.deepEqual(await events(world, id), ['email.sent', 'email.bounced'])
  const other = await world.newAccount()
  assert.equal((await other.api.get('/api/v1/inbox')).body.pagination.total, 0)
  assert.equal((await other.api.get(`/api/v1/inbox/${mail.id}`)).status, 404)
  assert.equal((await other.api.delete(`/api/v1/inbox/${mail.id}`)).status, 404)
  assert.equal((await world.api.get('/api/v1/inbox?email_id=x')).status, 400)
  assert.equal((await world.apiWith(null).get('/api/v1/inbox')).status, 401)
  assert.equal((await world.api.delete(`/api/v1/inbox/${mail.id}`)).status, 200)
  assert.equal((await world.api.get(`/api/v1/inbox/${mail.id}/raw`)).status, 404)
  assert.equal((await world.api.delete('/api/v1/inbox')).body.data.deleted, 0)
})

test('emptying the inbox with filters deletes what they find', async () => {
  await using world = await startWorld()
  const ids: string[] = []
  for (const [to, subject] of [
    ['one@sandbox.test', 'Order 1'],
    ['two@sandbox.test', 'Order 2'],
    ['three@sandbox.test', 'Invoice'],
  ]) {
    const { body } = await world.api.post('/api/v1/send', { from: 'you@example.com', to, subject, text: 'x' })
    ids.push(body.data.email_id)
    await captured(world, body.data.email_id)
  }
  const left = async (): Promise<string[]> =>
    (await world.api.get('/api/v1/inbox')).body.data.map(({ to }: { to: string }) => to).toSorted()
  const emptied = async (query: string): Promise<number> =>
    (await world.api.delete(`/api/v1/inbox?${query}`)).body.data.deleted
  for (const query of [
    'to=four@sandbox.test',
    'subject=receipt',
    `email_id=${randomUUID()}`,
    'to=2000-01-01T00:00:00Z',
  ])
    assert.equal(await emptied(query), 0, query)
  assert.equal((await world.api.delete('/api/v1/inbox?to=nobody')).status, 400)
  assert.equal((await left()).length, 3)
  assert.equal(await emptied('to=One@sandbox.test&subject=order'), 1)
  assert.deepEqual(await left(), ['three@sandbox.test', 'two@sandbox.test'])
  assert.equal(await emptied(`email_id=${ids[1]}`), 1)
  assert.deepEqual(await left(), ['three@sandbox.test'])
  assert.equal(await emptied(''), 1)
})

test('the inbox page runs its own script and nothing else', async () => {
  await using world = await startWorld()
  for (const where of ['/', '/inbox']) {
    const page = await world.apiWith(null).get(where)
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'sha256-/)
    assert.match(page.body, /sandbox=""/)
  }
})

test('an email submitted by SMTP shows its parts like one sent by REST', async () => {
  await using world = await startWorld()
  const smtp = await smtpSession(world.submissionPorts.implicitTls[0] ?? 0, { secure: true })
  await smtp.ask('EHLO me.example')
  assert.match(await smtp.ask(`AUTH PLAIN ${plain('apikey', world.account.apiKey)}`), /^235/)
  await smtp.ask('MAIL FROM:<you@example.com>')
  await smtp.ask('RCPT TO:<deliver@sandbox.test>')
  await smtp.ask('DATA')
  smtp.write(
    'From: You <you@example.com>\r\nTo: deliver@sandbox.test\r\nReply-To: me@example.com\r\nSubject: s\r\nX-Own: =?utf-8?q?gr=C3=BCn?=\r\n',
  )
  smtp.write('X-Tag: t\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n')
  smtp.write(
    '--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\n\r\nplain\r\n--c\r\nContent-Type: text/html\r\n\r\n',
  )
  smtp.write(
    '<p>html</p>\r\n--c--\r\n--b\r\nContent-Type: application/pdf; name="a.pdf"\r\nContent-Disposition: attachment\r\n',
  )
  const answer = await smtp.ask('Content-Transfer-Encoding: base64\r\n\r\neHl6\r\n--b--\r\n.')
  const id = /^250 2\.0\.0 queued as (\S+)$/.exec(answer)?.[1] ?? assert.fail(answer)
  smtp.close()
  const { data } = (await world.api.get(`/api/v1/emails/${id}`)).body
  assert.deepEqual(data.headers, { 'X-Own': 'grün' })
  assert.deepEqual([data.text.trim(), data.html.trim()], ['plain', '<p>html</p>'])
  assert.deepEqual(data.attachments, [
    { filename: 'a.pdf', content_type: 'application/pdf', content_id: null, disposition: 'attachment', size: 3 },
  ])
  const preview = await world.api.get(`/api/v1/emails/${id}/preview`)
  assert.match(preview.body, /<p>html<\/p>/)
})

test('a mail shown in the inbox has its inline pictures', async () => {
  await using world = await startWorld()
  const { testApi } = world.account
  const picture = { filename: 'logo.png', content: Buffer.from('png').toString('base64'), content_type: 'image/png' }
  const html = '<p style="color:red">Hello</p><img src="cid:logo"><img src="cid:none">'
  const attachments = [{ ...picture, content_id: 'logo', disposition: 'inline' }]
  const sent = await testApi.post('/api/v1/send', { ...MAIL, to: 'deliver@sandbox.test', html, attachments })
  const id = sent.body.data.email_id
  const [mail] = (await captured(world, id)).body.data
  for (const where of [`/api/v1/emails/${id}/preview`, `/api/v1/inbox/${mail.id}/preview`]) {
    const preview = await testApi.get(where)
    assert.match(preview.body, /<img src="data:image\/png;base64,cG5n"><img src="cid:none">/, where)
    assert.match(preview.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none';.* img-src data:;/)
  }
  assert.match((await testApi.get(`/api/v1/inbox/${mail.id}`)).body.data.html, /src="cid:logo"/, 'as it was sent')
})

test('an email whose content is stored in pieces is shown whole', async () => {
  await using world = await startWorld()
  const { testApi } = world.account
  const content = Buffer.alloc(2_000_000, 'posthorn').toString('base64')
  const attachments = [{ filename: 'a.bin', content }]
  const sent = await testApi.post('/api/v1/send', { ...MAIL, to: 'deliver@sandbox.test', attachments })
  const id = sent.body.data.email_id
  const raw = await world.api.get(`/api/v1/emails/${id}/raw`)
  assert.equal(raw.status, 200)
  assert.ok(raw.body.replaceAll('\r\n', '').includes(content), 'the attachment is there to its end')
  assert.match((await world.api.get(`/api/v1/emails/${id}/preview`)).body, /<p>Hello<\/p>/)
  assert.equal((await world.api.get(`/api/v1/emails/${id}`)).body.data.attachments[0].size, 2_000_000)
})

test('many or large mails are deleted in parts, and a filter keeps the others', async () => {
  await using world = await startWorld()
  const { accountId, testApi } = world.account
  const many = 12_000
  const stranger = await world.newAccount()
  const fill = statement(
    'test_fill_inbox',
    `insert into inbox (id, account_id, email_id, sender, recipient, recipient_key, subject, raw, size_bytes, received_at)
     select (lpad(to_hex(1800000000000 + i), 12, '0') || '70008000' || lpad(to_hex(i), 12, '0'))::uuid, $1,
       gen_random_uuid(), 'a@x.test', 'b@x.test', 'b@x.test', 'no ' || i % 2, '', case when i > $2 then $3 else 100 end, now()
     from generate_series(1, $2 + 3) i`,
  )
  const { system } = world.rooms.database
  await system.execute(fill, [accountId, many, 40_000_000])
  await system.execute(fill, [stranger.accountId, 1, 100])
  const admin = new pg.Client({ connectionString: world.rooms.store.adminUrl })
  await admin.connect()
  try {
    await admin.query(`
      set search_path to posthorn;
      create table cleared_together (xact xid8, many bigint, bytes bigint);
      create function note_cleared() returns trigger language plpgsql security definer set search_path to posthorn as $$
      begin
        insert into cleared_together select pg_current_xact_id(), count(*), sum(size_bytes) from gone;
        return null;
      end $$;
      create trigger note_cleared after delete on inbox referencing old table as gone
        for each statement execute function note_cleared()`)
    const cleared = async (query: string): Promise<unknown> =>
      (await testApi.delete(`/api/v1/inbox${query}`)).body.data.deleted
    assert.equal(await cleared('?subject=No+1'), many / 2 + 2)
    assert.equal((await testApi.get('/api/v1/inbox')).body.pagination.total, many / 2 + 1)
    assert.equal(await cleared(''), many / 2 + 1)
    assert.equal(await cleared(''), 0)
    assert.equal((await stranger.testApi.get('/api/v1/inbox')).body.pagination.total, 4)
    await system.execute(fill, [accountId, 2, 40_000_000])
    const [erasable] = inboxTables
    const erase = (): Promise<number> => system.execute(erasable?.erase ?? fill, [accountId, 500])
    assert.deepEqual([await erase(), await erase(), await erase()], [4, 1, 0])
    await system.execute(fill, [accountId, 2, 40_000_000])
    assert.equal(await forgetInbox(system, new Date('2100-01-01'), 7), 7)
    assert.equal(await forgetInbox(system, new Date('2100-01-01'), 1_000), 2)
    const { rows } = await admin.query(`select max(many)::int as most, max(bytes)::int as bytes from (
      select sum(many) as many, sum(bytes) as bytes from cleared_together group by xact) as each`)
    assert.ok(rows[0].most <= 5_000 && rows[0].bytes <= 108_000_000, JSON.stringify(rows))
  } finally {
    await admin.end()
  }
})
