// Reports that an account hands in, and reports that reach the MX of a full process.

import assert from 'node:assert/strict'
import test from 'node:test'
import { statement } from '../src/platform/db.ts'
import { startWorld, type World } from './world/world.ts'

const DELIVERED = statement('test_delivered', 'update email set status = 3 where id = $1')

async function sentMail(world: World, to: string): Promise<{ readonly id: string; readonly messageId: string }> {
  const { status, body } = await world.api.post('/api/v1/send', {
    from: 'news@shop.example',
    to,
    subject: 'Order',
    text: 'Hello',
  })
  assert.ok(status < 300, JSON.stringify(body))
  const id = body.email_id ?? body.data?.email_id
  await world.rooms.database.system.execute(DELIVERED, [id])
  const email = (await world.api.get(`/api/v1/emails/${id}`)).body.data
  return { id, messageId: email.message_id }
}

const report = (messageId: string): string =>
  `From: MAILER-DAEMON@example.net\r\nSubject: Undelivered\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822; bob@example.net\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 no such user\r\n\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <${messageId}>\r\n\r\n--b--\r\n`

const complaint = (messageId: string, reportingMta: string): string =>
  `From: fbl@example.net\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nReporting-MTA: ${reportingMta}\r\n\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <${messageId}>\r\n\r\n--b--\r\n`

async function handIn(
  world: World,
  mail: string,
  key: string,
): Promise<{ status: number; data: Record<string, unknown> }> {
  const answer = await fetch(`${world.url}/api/v1/inbound/bounces`, {
    method: 'POST',
    headers: { 'content-type': 'message/rfc822', 'x-api-key': key },
    body: mail,
  })
  const body = (await answer.json()) as { data: Record<string, unknown> }
  return { status: answer.status, data: body.data }
}

test('a report handed in as the original mail takes effect once, for the account that sent the mail', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api,worker,mx' } })
  await world.verifiedDomain('shop.example')
  const { id, messageId } = await sentMail(world, 'bob@example.net')
  const other = await world.newAccount()
  const foreign = await handIn(world, report(messageId.replace(/[<>]/g, '')), other.apiKey)
  assert.equal(foreign.status, 202)
  assert.equal(foreign.data['matched'], false)
  const mail = report(messageId.replace(/[<>]/g, ''))
  const first = await handIn(world, mail, world.account.apiKey)
  assert.equal(first.status, 202)
  assert.deepEqual(
    { ...first.data, id: null },
    { id: null, matched: true, email_id: id, type: 'hard', suppressed: true },
  )
  const again = await handIn(world, mail, world.account.apiKey)
  assert.deepEqual(again, first, 'a report that comes again gets the answer that it got')
  const bounces = (await world.api.get('/api/v1/customer/bounces')).body.data
  assert.equal(bounces.length, 1)
  assert.equal(bounces[0].source, 'api')
  assert.equal((await world.api.get(`/api/v1/emails/${id}`)).body.data.status, 'bounced')
  const [bounce] = (await world.api.get(`/api/v1/customer/bounces?email_id=${id}`)).body.data
  assert.deepEqual(
    [bounce.diagnostic_code, bounce.error_message],
    ['smtp; 550 5.1.1 no such user', '550 5.1.1 no such user'],
  )
})

test('bytes that the database cannot store do not keep a complaint from taking effect', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api,worker,mx' } })
  await world.verifiedDomain('shop.example')
  for (const [to, mta] of Object.entries({ 'ann@example.net': 'dns; mx\0.example.net', 'bob@example.net': '\0' })) {
    const { id, messageId } = await sentMail(world, to)
    const answer = await handIn(world, complaint(messageId.replace(/[<>]/g, ''), mta), world.account.apiKey)
    assert.deepEqual([answer.status, answer.data['email_id'], answer.data['suppressed']], [202, id, true], to)
  }
})

test('a report that returns nothing of the mail identifies it by the address the report was sent to', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api,worker,mx' } })
  await world.verifiedDomain('shop.example')
  const { id } = await sentMail(world, 'bob@example.net')
  const { api, account } = world
  const raw: string = (await api.get(`/api/v1/emails/${id}/raw`)).body
  const localPart = /^CFBL-Feedback-ID: (b\+[a-z2-7]+)/m.exec(raw)?.[1] ?? assert.fail(raw)
  const bare = report('').replace(/--b\r\nContent-Type: text\/rfc822-headers[^]*/, '--b--\r\n')
  const forged = await handIn(world, `To: ${localPart.replace(/.$/, '')}@x.example\r\n${bare}`, account.apiKey)
  assert.equal(forged.data['matched'], false)
  const taken = await handIn(world, `To: ${localPart}@x.example\r\n${bare}`, account.apiKey)
  assert.deepEqual(
    [taken.data['matched'], taken.data['email_id'], taken.data['type'], taken.data['suppressed']],
    [true, id, 'hard', true],
  )
})

test("facts handed in must name an email of the account and that email's recipient", async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api,worker,mx' } })
  await world.verifiedDomain('shop.example')
  const { id } = await sentMail(world, 'bob@example.net')
  const post = (what: string, body: object): ReturnType<World['api']['post']> =>
    world.api.post(`/api/v1/inbound/${what}`, body)
  const elsewhere = await post('bounces', { email_id: id, recipient: 'eve@example.net', type: 'hard' })
  assert.equal(elsewhere.body.data.matched, false)
  const complained = await post('complaints', { email_id: id, recipient: 'BOB@example.net' })
  assert.equal(complained.status, 202)
  assert.equal(complained.body.data.type, 'complaint')
  assert.equal(complained.body.data.suppressed, true)
  assert.equal((await world.api.get(`/api/v1/emails/${id}`)).body.data.status, 'complained')
  assert.equal((await world.api.get('/api/v1/customer/suppressions/bob@example.net')).body.data.reason, 'complaint')
  assert.equal((await world.apiWith(null).post('/api/v1/inbound/bounces', { email_id: id })).status, 401)
})

test('null says that a fact is unknown, as in what the service itself answers', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api,worker,mx' } })
  await world.verifiedDomain('shop.example')
  const { id } = await sentMail(world, 'bob@example.net')
  const unknown = { message_id: null, recipient: null, enhanced_code: null, diagnostic_code: null, occurred_at: null }
  const facts = { email_id: id, smtp_code: null, type: 'soft' }
  const first = await world.api.post('/api/v1/inbound/bounces', { ...facts, ...unknown })
  assert.deepEqual([first.status, first.body.data?.type], [202, 'soft'], JSON.stringify(first.body))
  const again = await world.api.post('/api/v1/inbound/bounces', { email_id: id, type: 'soft' })
  assert.equal(again.body.data.id, first.body.data.id, 'the same report')
  const complained = await world.api.post('/api/v1/inbound/complaints', { ...facts, ...unknown, type: null })
  assert.deepEqual([complained.status, complained.body.data?.type], [202, 'complaint'], JSON.stringify(complained.body))
  const nobody = await world.api.post('/api/v1/inbound/bounces', { email_id: null, message_id: null })
  assert.deepEqual([nobody.status, nobody.body.details.fields[0].rule], [422, 'required'], JSON.stringify(nobody.body))
})

test('facts are checked against their schema, all faults at once; facts about an email that has not ended can be sent again', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api,worker,mx' } })
  assert.equal((await handIn(world, '', world.account.apiKey)).status, 422, 'an empty body names no email')
  await world.verifiedDomain('shop.example')
  const { id } = await sentMail(world, 'bob@example.net')
  const post = (what: string, body: object, type?: string): ReturnType<World['api']['post']> =>
    world.api.post(`/api/v1/inbound/${what}`, body, type === undefined ? {} : { 'content-type': type })
  const faultsOf = async (what: string, body: object, type?: string): Promise<readonly string[]> => {
    const { status, body: answer } = await post(what, body, type)
    assert.deepEqual([status, answer.code], [422, 'validation_error'], JSON.stringify(answer))
    return answer.details.fields.map(({ field, rule }: { field: string; rule: string }) => `${field} ${rule}`).sort()
  }
  for (const what of ['bounces', 'complaints']) {
    assert.deepEqual(await faultsOf(what, {}), ['email_id required'])
    assert.deepEqual(await faultsOf(what, { recipient: 'nobody' }), ['email_id required', 'recipient email'])
    assert.deepEqual(await faultsOf(what, { recipient: 'nobody', more: 1 }), [
      'email_id required',
      'more unknown_field',
      'recipient email',
    ])
    const unfit = { email_id: 'one', smtp_code: '550', enhanced_code: 'no', occurred_at: 'now', more: 1 }
    const faults = [
      'email_id format',
      'enhanced_code pattern',
      'more unknown_field',
      'occurred_at format',
      'smtp_code type',
    ]
    assert.deepEqual(await faultsOf(what, unfit), faults)
    assert.deepEqual(await faultsOf(what, unfit, 'application/vnd.report+json'), faults)
  }
  assert.deepEqual(await faultsOf('bounces', { email_id: id, type: 'other' }), ['type enum'])
  const notSpam = await post('complaints', { email_id: id, type: 'not-spam' })
  assert.deepEqual([notSpam.body.data.matched, notSpam.body.data.type], [true, null])
  const waiting = await world.api.post('/api/v1/send', {
    from: 'news@shop.example',
    to: 'eve@example.net',
    subject: 'Order',
    text: 'Hello',
  })
  const told = { email_id: waiting.body.data.email_id, type: 'complaint', smtp_code: 550 }
  assert.equal((await post('bounces', told)).body.data.type, null)
  // The service briefly checks again: this fact overtakes the delivery of its email.
  const overtaking = post('bounces', { ...told, smtp_code: 551 })
  await world.rooms.database.system.execute(DELIVERED, [told.email_id])
  const complained = await overtaking
  assert.deepEqual([complained.body.data.type, complained.body.data.suppressed], ['complaint', true])
  assert.deepEqual((await post('bounces', { ...told, smtp_code: 551 })).body, complained.body)
  const shown = (await world.api.get('/api/v1/customer/bounces')).body.data
  assert.deepEqual(
    shown.map((bounce: Record<string, unknown>) => [bounce['type'], bounce['feedback_type']]),
    [['complaint', 'abuse']],
  )
})

test('an invalid address is reported with the other faults of the body, and legacy paths still ignore unknown fields', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const faultsOf = async (path: string, body: object): Promise<readonly string[]> => {
    const { status, body: answer } = await world.api.post(path, body)
    assert.deepEqual([status, answer.code], [422, 'validation_error'], JSON.stringify(answer))
    return answer.details.fields.map(({ field, rule }: { field: string; rule: string }) => `${field} ${rule}`).sort()
  }
  const unfit = { email: 'nobody', more: 1 }
  for (const list of ['contacts', 'suppressions', 'unsubscribes']) {
    assert.deepEqual(await faultsOf(`/api/v1/customer/${list}`, unfit), ['email email', 'more unknown_field'])
    assert.deepEqual(await faultsOf(`/api/v1/customer/${list}`, { email: 5 }), ['email type'])
  }
  assert.deepEqual(await faultsOf('/api/customer/unsubscribes', unfit), ['email email'])
  const known = await world.api.post('/api/customer/unsubscribes', { email: 'a@example.net', more: 1 })
  assert.equal(known.status, 201)
})

test('a list imported as JSON takes only its own fields', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const path = '/api/v1/customer/suppressions/import'
  const refused = await world.api.post(path, { entries: [], list: 1 })
  assert.deepEqual([refused.status, refused.body.details.fields[0].field], [422, 'list'])
  const taken = await world.api.post(path, { entries: [{ email: 'a@example.net' }, { email: 'nobody' }] })
  assert.deepEqual([taken.status, taken.body.data.imported, taken.body.data.errors[0].line], [200, 1, 2])
})

test('a contact among imported unsubscribes is unsubscribed, and the event says how', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const contact = { email: 'jo@example.net', double_opt_in: false }
  const { id } = (await world.api.post('/api/v1/customer/contacts', contact)).body.data
  const path = '/api/v1/customer/unsubscribes/import'
  const csv = { 'content-type': 'text/csv' }
  const taken = await world.api.post(path, 'Recipient,Reason\nJo@Example.NET,too many\n', csv)
  assert.deepEqual([taken.status, taken.body.data.imported], [200, 1], JSON.stringify(taken.body))
  assert.equal((await world.api.get(`/api/v1/customer/contacts/${id}`)).body.data.status, 'unsubscribed')
  const [event] = (await world.api.get('/api/v1/events?event=email.unsubscribed')).body.data
  assert.deepEqual([event.data.email, event.data.source, event.data.reason], ['jo@example.net', 'import', 'too many'])
})

const DEFERRED = statement('test_deferred', 'update email set status = 2 where id = $1')

test('a bounce of a complained email changes nothing; one of a deferred email counts once it is delivered', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api,worker,mx' } })
  await world.verifiedDomain('shop.example')
  const post = (what: string, body: object): ReturnType<World['api']['post']> =>
    world.api.post(`/api/v1/inbound/${what}`, body)
  const statusOf = async (id: string): Promise<string> => (await world.api.get(`/api/v1/emails/${id}`)).body.data.status
  const complained = (await sentMail(world, 'bob@example.net')).id
  assert.equal((await post('complaints', { email_id: complained })).body.data.type, 'complaint')
  const late = (await post('bounces', { email_id: complained, type: 'soft' })).body.data
  assert.deepEqual([late.matched, late.type], [true, null])
  assert.equal(await statusOf(complained), 'complained')
  const deferred = (await sentMail(world, 'eve@example.net')).id
  await world.rooms.database.system.execute(DEFERRED, [deferred])
  assert.equal(await statusOf(deferred), 'deferred')
  const bounce = { email_id: deferred, type: 'soft' }
  assert.equal((await post('bounces', bounce)).body.data.type, null)
  await world.rooms.database.system.execute(DELIVERED, [deferred])
  assert.equal((await post('bounces', bounce)).body.data.type, 'soft')
  assert.equal(await statusOf(deferred), 'bounced')
  const { data } = (await world.api.get('/api/v1/customer/bounces')).body
  const listed = data.map((one: Record<string, unknown>) => [one['email_id'], one['type']])
  assert.deepEqual(listed, [
    [deferred, 'soft'],
    [complained, 'complaint'],
  ])
})

const ENDED = statement('test_ended', 'update email set status = $2, attempts_count = $3 where id = $1')
const STATUS = { deferred: 2, failed: 5, suppressed: 6, canceled: 7 }

test('a complaint about a mail whose taking was never answered stops all mail to the person', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api,worker' } })
  await world.verifiedDomain('shop.example')
  const after = async (status: number, attempts: number, to: string): Promise<unknown[]> => {
    const { id } = await sentMail(world, to)
    await world.rooms.database.system.execute(ENDED, [id, status, attempts])
    const { type, suppressed } = (await world.api.post('/api/v1/inbound/complaints', { email_id: id })).body.data
    const next = await world.api.post('/api/v1/send', { from: 'news@shop.example', to, subject: 's', text: 't' })
    const list = await world.api.get(`/api/v1/customer/suppressions/${to}`)
    const reason = list.body.data?.reason ?? null
    return [type, suppressed, (await world.api.get(`/api/v1/emails/${id}`)).body.data.status, reason, next.body.code]
  }
  const gone = ['complaint', true, 'complained', 'complaint', 'previous_complaint']
  assert.deepEqual(await after(STATUS.failed, 1, 'ann@example.net'), gone)
  assert.deepEqual(await after(STATUS.canceled, 2, 'bob@example.net'), gone)
  assert.deepEqual(await after(STATUS.suppressed, 1, 'zoe@example.net'), gone)
  const waiting = [null, true, 'deferred', 'complaint', 'previous_complaint']
  assert.deepEqual(await after(STATUS.deferred, 1, 'eve@example.net'), waiting)
  const untried = [null, false, 'canceled', null, undefined]
  assert.deepEqual(await after(STATUS.canceled, 0, 'joe@example.net'), untried, 'it never left')
  const unsent = [null, false, 'deferred', null, undefined]
  assert.deepEqual(await after(STATUS.deferred, 0, 'kim@example.net'), unsent, 'nor has this one')
})

test('what a report tells happened after the delivery, even when the clock of who reports it is behind', async () => {
  await using world = await startWorld()
  const { testApi } = world.account
  for (const what of ['bounces', 'complaints']) {
    const mail = { from: 'a@shop.example', to: `deliver+${what}@sandbox.test`, subject: 's', text: 't' }
    const { email_id: id } = (await testApi.post('/api/v1/send', mail)).body.data
    const email = async () => (await world.api.get(`/api/v1/emails/${id}`)).body.data
    for (const end = performance.now() + 20_000; (await email()).status !== 'delivered'; ) {
      assert.ok(performance.now() < end, 'the mail was not delivered')
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    const occurred_at = new Date(world.clock.now().getTime() - 3_600_000).toISOString()
    const report = { email_id: id, occurred_at, ...(what === 'bounces' && { type: 'hard' }) }
    assert.equal((await world.api.post(`/api/v1/inbound/${what}`, report)).body.data.matched, true)
    const { delivered_at, events } = await email()
    const list = `/api/v1/customer/bounces?email_id=${id}&include_sandbox=true`
    const [bounce] = (await world.api.get(list)).body.data
    const last = what === 'bounces' ? 'email.bounced' : 'email.complained'
    assert.equal(bounce.bounced_at, delivered_at)
    assert.deepEqual(
      events.slice(-2).map(({ event, timestamp }: { event: string; timestamp: string }) => [event, timestamp]),
      [
        ['email.delivered', delivered_at],
        [last, delivered_at],
      ],
    )
  }
})

test('what is handed in counts as it is stated: its type, its kind, and no time that lies ahead', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api,worker' } })
  await world.verifiedDomain('shop.example')
  const post = async (what: string, body: object): Promise<Record<string, unknown>> =>
    (await world.api.post(`/api/v1/inbound/${what}`, body)).body.data
  const bounceOf = async (id: string): Promise<Record<string, unknown>> =>
    (await world.api.get(`/api/v1/customer/bounces?email_id=${id}`)).body.data[0]
  const unknownUser = { smtp_code: 550, enhanced_code: '5.1.1', diagnostic_code: '550 5.1.1 no such user' }
  const blocked = (await sentMail(world, 'ann@example.net')).id
  const tomorrow = new Date(world.clock.now().getTime() + 86_400_000).toISOString()
  const stated = await post('bounces', { email_id: blocked, type: 'block', ...unknownUser, occurred_at: tomorrow })
  assert.deepEqual([stated['type'], stated['suppressed']], ['block', false], 'the type is stated, and the code is not')
  const { category, bounced_at, created_at } = await bounceOf(blocked)
  assert.equal(category, 'policy')
  assert.ok(String(bounced_at) <= String(created_at), `${bounced_at} ${created_at}`)
  const told = (await sentMail(world, 'bob@example.net')).id
  assert.equal((await post('bounces', { email_id: told }))['type'], 'unknown')
  assert.equal((await post('complaints', { email_id: told }))['type'], 'complaint', 'the same facts, of another kind')
  const occurred_at = world.clock.now().toISOString()
  const complained = (await sentMail(world, 'zoe@example.net')).id
  assert.equal((await post('complaints', { email_id: complained, occurred_at }))['type'], 'complaint')
  const { data: events } = (await world.api.get('/api/v1/events?event=email.complained')).body
  assert.deepEqual(
    events.map(({ email_id, data }: { email_id: string; data: Record<string, unknown> }) => [
      email_id,
      data['arrival_date'],
    ]),
    [
      [complained, (await bounceOf(complained))['bounced_at']],
      [told, null],
    ],
  )
  const left = (await sentMail(world, 'eve@example.net')).id
  const optOut = await post('complaints', { email_id: left, type: 'opt-out' })
  assert.deepEqual([optOut['matched'], optOut['type'], optOut['suppressed']], [true, null, false])
  const { unsubscribes } = (await world.api.get('/api/customer/unsubscribes')).body
  assert.deepEqual(
    unsubscribes.map(({ email, source }: Record<string, unknown>) => [email, source]),
    [['eve@example.net', 'api']],
  )
})
