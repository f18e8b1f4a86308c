// Contacts and double opt-in through the public interfaces: API, built-in inbox, public page, event log.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { suspend } from '../src/modules/accounts/index.ts'
import { CONTACTS, settled, startContacts } from './world/contacts-world.ts'
import { webhookReceiver } from './world/webhook-receiver.ts'
import { type Reply, startWorld } from './world/world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const CONSENT = { source_url: 'https://shop.example/signup', consent_text: 'Yes,\n\tweekly "offers" & <news>' }

const { world, owner, later, fresh, add, added, mailsTo, linkTo, press } = await startContacts()
after(() => world[Symbol.asyncDispose]())

async function confirmations(account = owner): Promise<Reply['body'][]> {
  return (await account.api.get('/api/v1/events?event=contact.confirmed')).body.data
}

async function statusOf(id: string, account = owner): Promise<string> {
  return (await account.api.get(`${CONTACTS}/${id}`)).body.data.status
}

test('a contact gets a mail from the account, confirms by the button, and the event has exactly the documented fields', async () => {
  const email = fresh()
  const contact = await added({
    email: email.toUpperCase(),
    name: 'Jo Doe',
    source: 'footer',
    consent: { ...CONSENT, timestamp: '2026-01-02T03:04:05+01:00' },
    tags: ['a', 'b', 'a'],
  })
  const { id, created_at, updated_at, confirmation_sent_at, ...rest } = contact
  assert.deepEqual(rest, {
    email,
    name: 'Jo Doe',
    status: 'pending_confirmation',
    source: 'footer',
    consent: { ...CONSENT, timestamp: '2026-01-02T02:04:05.000Z' },
    tags: ['a', 'b'],
    double_opt_in: true,
    resend_count: 0,
    confirmed_at: null,
    confirmed_ip: null,
    confirmed_user_agent: null,
    earlier_consents: [],
    unsubscribed_at: null,
    suppressed: false,
  })
  assert.ok(created_at === updated_at && confirmation_sent_at !== null)
  const [mail, ...others] = await mailsTo(email)
  assert.equal(others.length, 0)
  assert.match(mail?.from ?? '', /no-reply@shop\.example/)
  assert.equal(mail?.subject, 'Please confirm: mail from Shop <b>&</b> Söhne')
  assert.ok(mail?.html.includes('Shop &lt;b&gt;&amp;&lt;/b&gt; S') && !mail.html.includes('<b>'))
  assert.ok(!`${mail?.html}${mail?.text}`.includes('Jo Doe'), 'what a sign-up form says is not passed on')

  const link = await linkTo(email)
  const page = await fetch(link)
  const html = await page.text()
  assert.equal(page.status, 200)
  assert.ok(
    !html.includes('<script') && !html.includes('<b>') && !html.includes(email) && html.includes('p***@r***.example'),
  )
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /^default-src 'none'; style-src 'sha256-\S+'; form-action 'self'/,
  )
  assert.equal(page.headers.get('cache-control'), 'no-store')
  assert.equal(page.headers.get('set-cookie'), null)

  const pressed = await press(link, { headers: { 'user-agent': 'Reader/1' }, body: new URLSearchParams() })
  assert.deepEqual([pressed.status, /You are subscribed/.test(pressed.text)], [200, true])
  const confirmed = (await owner.api.get(`${CONTACTS}/${id}`)).body.data
  assert.deepEqual(
    [confirmed.status, confirmed.confirmed_ip, confirmed.confirmed_user_agent],
    ['subscribed', '127.0.0.1', 'Reader/1'],
  )
  const [event] = await confirmations()
  assert.match(event.event_id, /^[0-9a-f-]{36}$/)
  assert.deepEqual(event, {
    event_id: event.event_id,
    event: 'contact.confirmed',
    timestamp: confirmed.confirmed_at,
    data: {
      contact_id: id,
      email,
      previous_status: 'pending_confirmation',
      status: 'subscribed',
      confirmed_at: confirmed.confirmed_at,
      source: 'footer',
      consent: { ...CONSENT, timestamp: '2026-01-02T02:04:05.000Z' },
    },
  })
})

test('fetching the page a hundred times confirms nothing', async () => {
  const email = fresh()
  const { id } = await added({ email })
  const link = await linkTo(email)
  const before = (await confirmations()).length
  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    await Promise.all(Array.from({ length: 33 }, () => fetch(link, { method, headers: { purpose: 'prefetch' } })))
  }
  assert.equal(await statusOf(id), 'pending_confirmation')
  assert.equal((await confirmations()).length, before)
})

test('two simultaneous posts and a later one make one event', async () => {
  const email = fresh()
  const { id } = await added({ email })
  const link = await linkTo(email)
  const before = (await confirmations()).length
  const pressed = await Promise.all(Array.from({ length: 8 }, () => press(link, { body: new FormData() })))
  assert.deepEqual([...new Set(pressed.map(({ status }) => status))], [200])
  assert.equal((await press(link)).status, 200)
  assert.match(await (await fetch(link)).text(), /You are subscribed/)
  assert.equal((await confirmations()).length, before + 1)
  assert.equal(await statusOf(id), 'subscribed')
})

test('a link is unknown when it was altered, made up, or its contact is gone', async () => {
  const email = fresh()
  const { id } = await added({ email })
  const link = await linkTo(email)
  const token = link.slice(link.lastIndexOf('/') + 1)
  for (const at of [0, 3, 20, 45, 50, 60, 71]) {
    const other = token[at] === 'A' ? 'B' : 'A'
    const altered = token.slice(0, at) + other + token.slice(at + 1)
    assert.equal((await press(`${world.url}/confirm/${altered}`)).status, 404, `${at}`)
  }
  const cutOff = ['%', '%zz', '%00', `${token}/`, `${token}%0a`, 'a/b']
  for (const made of ['x', 'A'.repeat(72), 'A'.repeat(4_000), `${token}A`, '..%2f..', ...cutOff]) {
    const reply = await fetch(`${world.url}/confirm/${made}`)
    assert.deepEqual([reply.status, reply.headers.get('content-type')], [404, 'text/html; charset=utf-8'], made)
    await reply.text()
  }
  assert.equal(await statusOf(id), 'pending_confirmation')
  await owner.api.delete(`${CONTACTS}/${id}`)
  assert.equal((await press(link)).status, 404)
  assert.equal(
    (await press(link, { body: 'x'.repeat(70_000), headers: { 'content-type': 'application/x-www-form-urlencoded' } }))
      .status,
    413,
  )
})

test('a link expires after 7 days; one that was used still says so', async () => {
  const [late, done] = [fresh(), fresh()]
  const { id } = await added({ email: late })
  await added({ email: done })
  const [lateLink, doneLink] = [await linkTo(late), await linkTo(done)]
  await later(7 * DAY_MS - 60_000)
  assert.match(await (await fetch(lateLink)).text(), /Yes, I want it/)
  assert.equal((await press(doneLink)).status, 200)
  await later(61_000)
  assert.deepEqual([(await fetch(lateLink)).status, (await press(lateLink)).status], [410, 410])
  assert.equal(await statusOf(id), 'pending_confirmation')
  assert.match(await (await fetch(doneLink)).text(), /You are subscribed/)
})

test('asking again goes once an hour, three times at most, and each link has its own seven days', async () => {
  const email = fresh()
  const { id } = await added({ email })
  const again = (): Promise<Reply> => owner.api.post(`${CONTACTS}/${id}/resend-confirmation`)
  const first = await again()
  assert.deepEqual([first.status, first.body.data.resend_count], [200, 1])
  const soon = await again()
  assert.deepEqual([soon.status, soon.body.code, soon.body.details.limit], [429, 'rate_limit_exceeded', 1])
  const { retry_after: retryAfter } = soon.body.details
  assert.ok(retryAfter > 3_500 && retryAfter <= 3_600 && soon.headers.get('retry-after') === String(retryAfter))
  await later(HOUR_MS)
  const racing = await Promise.all([again(), again(), again()])
  assert.deepEqual(racing.map(({ status }) => status).sort(), [200, 429, 429])
  await later(HOUR_MS)
  const full = await again()
  assert.deepEqual([full.status, full.body.details.limit, full.body.details.window_seconds], [429, 3, 604_800])
  assert.equal((await mailsTo(email)).length, 3)
  await later(7 * DAY_MS)
  assert.equal((await again()).status, 200)
  assert.equal((await mailsTo(email)).length, 4)
  await later(7 * DAY_MS)
  const over = await again()
  assert.deepEqual([over.status, over.body.details.limit, over.body.details.retry_after], [429, 3, null])
  const known = await added({ email: fresh(), double_opt_in: false })
  const done = await owner.api.post(`${CONTACTS}/${known.id}/resend-confirmation`)
  assert.deepEqual([done.status, done.body.code], [409, 'invalid_state'])
})

test('an address gets three confirmation mails a week over all accounts; then contacts are created without one', async () => {
  const email = fresh()
  const others = await Promise.all(
    Array.from({ length: 5 }, async (_, i) => {
      const account = await world.newAccount(`Other ${i}`)
      await world.verifiedDomain(`other${i}.example`, account)
      return account
    }),
  )
  const contacts = await Promise.all(others.map((account) => added({ email }, account)))
  const mailed = contacts.filter(({ confirmation_sent_at: at }) => at !== null)
  assert.equal(mailed.length, 3, 'exactly three, also when five ask at once')
  assert.ok(contacts.every(({ status }) => status === 'pending_confirmation'))
  const inboxes = await Promise.all(others.map((account) => mailsTo(email, account)))
  assert.equal(inboxes.flat().length, 3)
  const unasked = contacts.findIndex(({ confirmation_sent_at: at }) => at === null)
  const again = (): Promise<Reply> | undefined =>
    others[unasked]?.api.post(`${CONTACTS}/${contacts[unasked].id}/resend-confirmation`)
  assert.equal((await again())?.status, 429)
  await later(7 * DAY_MS + 1_000)
  assert.equal((await again())?.status, 200)
})

test('a contact is refused without a domain in use or when its address is known, and leaves nothing behind', async () => {
  const stranger = await world.newAccount('Stranger')
  const email = fresh()
  const none = await add({ email }, stranger)
  assert.deepEqual([none.status, none.body.code], [422, 'sender_not_verified'])
  assert.equal((await stranger.api.get(CONTACTS)).body.pagination.total, 0)
  const first = await added({ email })
  const second = await add({ email: email.toUpperCase() })
  assert.deepEqual([second.status, second.body.code], [409, 'already_exists'])
  const racing = fresh()
  const both = await Promise.all([add({ email: racing }), add({ email: racing }), add({ email: racing })])
  assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409, 409])
  assert.equal((await mailsTo(racing)).length, 1, 'one contact, one mail')
  assert.equal((await owner.api.delete(`${CONTACTS}/${first.id}`)).body.success, true)
})

test('a listed address gets no confirmation mail, and an older link subscribes nobody who has opted out since', async () => {
  const [listed, later] = [fresh(), fresh()]
  await owner.api.post('/api/v1/customer/unsubscribes', { email: listed })
  const refused = await add({ email: listed })
  assert.deepEqual([refused.status, refused.body.code], [422, 'recipient_unsubscribed'])
  const imported = await added({ email: listed, double_opt_in: false })
  assert.equal(imported.status, 'unsubscribed')
  const { id } = await added({ email: later })
  const link = await linkTo(later)
  const patched = await owner.api.patch(`${CONTACTS}/${id}`, { status: 'unsubscribed', name: 'New', tags: ['x'] })
  assert.deepEqual(
    [patched.body.data.status, patched.body.data.name, patched.body.data.tags],
    ['unsubscribed', 'New', ['x']],
  )
  assert.deepEqual([(await fetch(link)).status, (await press(link)).status], [409, 409])
  assert.match(await (await fetch(link)).text(), /contact <strong>[^]*signing up again is not enough/)
  assert.equal((await owner.api.post(`${CONTACTS}/${id}/resend-confirmation`)).body.code, 'invalid_state')
  await owner.api.delete(`/api/v1/customer/unsubscribes/${later}`)
  assert.equal((await press(link)).status, 200)
  for (const [reason, status] of [
    ['complaint', 'complained'],
    ['hard_bounce', 'bounced'],
    ['manual', 'subscribed'],
  ]) {
    const email = fresh()
    const contact = await added({ email, double_opt_in: false })
    assert.equal(contact.status, 'subscribed')
    await owner.api.post('/api/v1/customer/suppressions', { email, reason })
    const shown = (await owner.api.get(`${CONTACTS}/${contact.id}`)).body.data
    assert.deepEqual([shown.status, shown.suppressed], [status, true])
    const listed = await owner.api.get(`${CONTACTS}?status=${status}&search=${email}`)
    assert.equal(listed.body.pagination.total, 1)
  }
})

test("the account's template carries the link, and the request its own sender", async () => {
  const template = async (html: string | null, text: string | null): Promise<string> =>
    (await owner.api.post('/api/v1/templates', { name: 't', subject: 'Hi {{name}}', html, text })).body.data.id
  const email = fresh()
  const id = await template('<a href="{{confirm_url}}">{{account_name}}</a>', 'Hello')
  await added({ email, name: 'Jo', from: 'News <news@shop.example>', template_id: id })
  const [mail] = await mailsTo(email)
  assert.equal(mail?.subject, 'Hi Jo')
  assert.match(mail?.from ?? '', /news@shop\.example/)
  assert.match(mail?.text ?? '', /^Hello\s+https:\S+\/confirm\/\S{72}\s*$/)
  assert.equal((await press(await linkTo(email))).status, 200)
  for (const [bad, rule] of [
    [await template('<p>no link</p>', 'none'), 'confirm_url'],
    ['0192f000-0000-7000-8000-00000000dead', 'exists'],
  ]) {
    const { status, body } = await add({ email: fresh(), template_id: bad })
    assert.deepEqual([status, body.details.fields[0].field, body.details.fields[0].rule], [422, 'template_id', rule])
  }
})

test('faults of a body are reported by field; null means absent', async () => {
  const nulls = { name: null, source: null, consent: null, tags: null, double_opt_in: null, from: null }
  const { source, tags, double_opt_in } = await added({ email: fresh(), ...nulls })
  assert.deepEqual([source, tags, double_opt_in], ['api', [], true])
  const cases: [object, string][] = [
    [{}, 'email'],
    [{ email: 'nobody' }, 'email'],
    [{ email: fresh(), name: 'a\nb' }, 'name'],
    [{ email: fresh(), tags: ['x'.repeat(129)] }, 'tags[0]'],
    [{ email: fresh(), consent: { ip: 'x' } }, 'consent.ip'],
    [{ email: fresh(), consent: { consent_text: 'a\u0007' } }, 'consent.consent_text'],
    [{ email: fresh(), consent: { timestamp: 'yesterday' } }, 'consent.timestamp'],
    [{ email: fresh(), double_opt_in: 'no' }, 'double_opt_in'],
    [{ email: fresh(), status: 'subscribed' }, 'status'],
    [{ email: fresh(), from: 'nobody' }, 'from'],
  ]
  for (const [body, field] of cases) {
    const reply = await add(body)
    assert.deepEqual([reply.status, reply.body.details.fields[0].field], [422, field], JSON.stringify(reply.body))
  }
  const { id } = await added({ email: fresh(), double_opt_in: false })
  const subscribed = await owner.api.patch(`${CONTACTS}/${id}`, { status: 'subscribed' })
  assert.equal(subscribed.status, 422, 'nobody is signed up by a key that asked for a confirmation')
})

test('lists are paged, newest first, searched and filtered; the export has every contact and runs no formula', async () => {
  const account = await world.newAccount('Lists')
  for (let i = 0; i < 5; i++) {
    await added(
      {
        email: `a${i}_%@list.example`,
        name: i === 3 ? '=1+1' : null,
        tags: i < 2 ? ['vip'] : [],
        double_opt_in: false,
      },
      account,
    )
  }
  const ask = async (query: string): Promise<Reply['body']> => (await account.api.get(`${CONTACTS}?${query}`)).body
  const page = await ask('limit=2&page=2')
  assert.deepEqual(page.pagination, { page: 2, limit: 2, total: 5, pages: 3 })
  assert.deepEqual(
    page.data.map(({ email }: { email: string }) => email),
    ['a2_%@list.example', 'a1_%@list.example'],
  )
  assert.equal((await ask('search=A3')).pagination.total, 1)
  assert.equal((await ask('search=%25')).pagination.total, 5)
  assert.equal((await ask('search=1%2B1')).pagination.total, 1)
  assert.equal((await ask('search=zzz')).pagination.total, 0)
  assert.equal((await ask('tag=vip')).pagination.total, 2)
  assert.equal((await ask('status=pending_confirmation')).pagination.total, 0)
  const { body, headers } = await account.api.get(`${CONTACTS}/export`)
  assert.match(headers.get('content-type') ?? '', /text\/csv/)
  const lines = body.trimEnd().split('\r\n')
  assert.equal(lines.length, 6)
  assert.ok(lines[4].startsWith("a3_%@list.example,'=1+1,subscribed,api,"), lines[4])
  await account.api.post('/api/v1/customer/unsubscribes', { email: 'a1_%@list.example' })
  for (const query of [
    'tag=vip',
    'search=A3',
    'search=1%2B1',
    'status=unsubscribed',
    'status=subscribed&tag=vip',
    'search=zzz',
  ]) {
    const listed: string[] = (await ask(query)).data.map(({ email }: { email: string }) => email)
    const file = (await account.api.get(`${CONTACTS}/export?${query}`)).body.trimEnd().split('\r\n')
    const exported = file.slice(1).map((line: string) => line.split(',')[0])
    assert.deepEqual(exported.toReversed(), listed, query)
    assert.ok(listed.length < 3, query)
  }
  assert.equal((await account.api.get(`${CONTACTS}/export?status=gone`)).status, 400)
  assert.equal((await owner.api.get(`${CONTACTS}?search=list.example`)).body.pagination.total, 0)
})

test('a suspended account asks nobody, and its links do not work', async () => {
  const account = await world.newAccount('Later suspended')
  await world.verifiedDomain('suspended.example', account)
  const email = fresh()
  await added({ email }, account)
  const link = await linkTo(email, account)
  await suspend(world.operator, account.accountId)
  await later(6_000)
  assert.equal((await add({ email: fresh() }, account)).status, 403)
  for (const end = performance.now() + 5_000; performance.now() < end; ) {
    if ((await press(link)).status === 410) break
    await settled()
  }
  assert.equal((await press(link)).status, 410)
})

test('live mail: the sender rule holds, quota is counted, mail of test keys stays inside, and webhooks hear of the confirmation', async () => {
  await using live = await startWorld()
  await using receiver = await webhookReceiver()
  const { api, testApi } = live.account
  await live.verifiedDomain('live.example')
  const hook = { url: `${receiver.url}/hook`, events: ['contact.confirmed'] }
  assert.equal((await api.post('/api/v1/customer/webhooks', hook)).status, 201)
  const foreign = await api.post(CONTACTS, { email: 'a@reader.example', from: 'me@elsewhere.example' })
  assert.deepEqual([foreign.status, foreign.body.code], [403, 'sender_domain_not_allowed'])
  const used = async (): Promise<number> => (await api.get('/api/v1/customer/usage')).body.data.emails.used
  const before = await used()
  const made = await api.post(CONTACTS, { email: 'a@reader.example' })
  assert.equal(made.status, 201)
  assert.equal(await used(), before + 1)
  const email = 'b@reader.example'
  for (let tries = 0; tries < 3; tries++) {
    const tested = await testApi.post(CONTACTS, { email })
    assert.deepEqual([tested.status, tested.body.data?.confirmation_sent_at !== null], [201, true])
    await api.delete(`${CONTACTS}/${tested.body.data.id}`)
  }
  assert.equal(await used(), before + 1)
  const asked = await api.post(CONTACTS, { email })
  assert.notEqual(
    asked.body.data?.confirmation_sent_at,
    null,
    'mails of test keys take none of the three from live ones',
  )
  const [mail] = (await api.get('/api/v1/emails?recipient=a@reader.example')).body.data
  const { text, html } = (await api.get(`/api/v1/emails/${mail.id}`)).body.data
  const [link] = /http\S+\/confirm\/(\S+)/.exec(text) ?? []
  assert.ok(link !== undefined && html.includes(`href="${link}"`), 'the link is not tracked')
  const pressed = await fetch(live.url + new URL(link).pathname, { method: 'POST' })
  assert.equal(pressed.status, 200)
  await receiver.until((received) => received.length === 1)
  const body = receiver.received[0]?.body
  assert.deepEqual(Object.keys(body).sort(), ['data', 'event', 'event_id', 'timestamp'])
  assert.deepEqual(
    [body.event, body.data.contact_id, body.data.status],
    ['contact.confirmed', made.body.data.id, 'subscribed'],
  )
})
