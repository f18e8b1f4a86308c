// From acceptance to the end of a mail, through the public interfaces and a receiver on a real socket.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import PostalMime from 'postal-mime'
import { parseAddress } from '../src/mail/address.ts'
import { type Receiver, startReceiver } from './world/receiver.ts'
import { startWorld, type World } from './world/world.ts'

const MINUTE = 60_000
const MAIL = { from: 'Shop <a@shop.example>', to: 'b@example.net', subject: 'Hi', html: '<p>Hi</p>', text: 'Hi' }

async function worldWith(rcpt: string): Promise<{ world: World; stack: AsyncDisposableStack; mx: Receiver }> {
  const stack = new AsyncDisposableStack()
  const mx = stack.use(await startReceiver({ rcpt }))
  const world = stack.use(
    await startWorld({
      zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
      settings: { POSTHORN_SMTP_PORT: String(mx.port) },
    }),
  )
  await world.verifiedDomain('shop.example')
  return { world, stack, mx }
}

/** Polls until the email has left the queue, for at most 10 seconds. */
async function ended(
  world: World,
  id: string,
): Promise<{
  status: string
  events: { event: string; data: Record<string, unknown> }[]
  attempts: Record<string, unknown>[]
}> {
  for (let i = 0; i < 1_200; i++) {
    const { body } = await world.api.get(`/api/v1/emails/${id}`)
    if (!['queued', 'scheduled'].includes(body.data.status)) return body.data
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the email did not leave the queue within a minute')
}

/** Asserts that the times of the dialogue are in order and within the attempt. */
function assertTold(attempt: Record<string, unknown> | undefined): void {
  const {
    started_at: start,
    duration_ms: lasted,
    dialogue,
  } = attempt as {
    started_at: string
    duration_ms: number
    dialogue: readonly { at: string }[]
  }
  const times = dialogue.map(({ at }) => at)
  for (const at of times) assert.match(at, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
  assert.deepEqual(times, times.toSorted())
  const [first = '', last = ''] = [times[0], times.at(-1)]
  assert.ok(times.length > 5 && first >= start && Date.parse(last) <= Date.parse(start) + lasted + 2, times.join())
}

// Each row: the next hop's reply to RCPT, and what the sender is told.
const REPLIES: [reply: string, status: string, event: string, bounce: string | null, suppressed: boolean][] = [
  ['250 2.1.5 ok', 'delivered', 'email.delivered', null, false],
  ['550 5.1.1 no such user', 'bounced', 'email.bounced', 'hard', true],
  ['552 5.2.2 mailbox full', 'bounced', 'email.bounced', 'soft', false],
  ['550 5.7.1 blocked by policy', 'bounced', 'email.bounced', 'block', false],
  ['451 4.7.1 greylisted', 'deferred', 'email.deferred', null, false],
]
for (const [reply, status, event, bounce, suppressed] of REPLIES) {
  test(`a recipient answered "${reply}" gives ${event}`, async () => {
    const { world, stack } = await worldWith(reply)
    await using _ = stack
    const sent = await world.api.post('/api/v1/send', MAIL)
    assert.equal(sent.status, 202, JSON.stringify(sent.body))
    const email = await ended(world, sent.body.data.email_id)
    assert.equal(email.status, status)
    assert.equal(email.events.at(-1)?.event, event)
    assert.equal(email.attempts[0]?.['smtp_code'], Number(reply.slice(0, 3)))
    assertTold(email.attempts[0])
    const { body } = await world.api.get('/api/v1/customer/bounces')
    assert.equal(body.data[0]?.type ?? null, bounce)
    const listed = await world.api.get('/api/v1/customer/suppressions/b@example.net')
    assert.equal(listed.status === 200, suppressed)
  })
}

test('an email that its receiver defers until it is given up is one soft bounce, in the list and in every figure', async () => {
  const { world, stack } = await worldWith('451 4.2.1 not now')
  await using _ = stack
  const until = new Date(world.clock.now().getTime() + 180 * MINUTE).toISOString()
  const sent = await world.api.post('/api/v1/send', { ...MAIL, expires_at: until })
  const now = async () => (await world.api.get(`/api/v1/emails/${sent.body.data.email_id}`)).body.data
  const comes = async (isSo: (email: { status: string; attempts_count: number }) => boolean): Promise<void> => {
    for (let i = 0; i < 400 && !isSo(await now()); i++) await new Promise((resolve) => setTimeout(resolve, 50))
    assert.ok(isSo(await now()))
  }
  for (const tries of [1, 2, 3]) {
    await comes(({ status, attempts_count: count }) => status === 'deferred' && count === tries)
    world.clock.advance(70 * MINUTE)
  }
  await comes(({ status, attempts_count: count }) => status === 'failed' && count === 3)
  const { body: listed } = await world.api.get('/api/v1/customer/bounces?type=soft')
  assert.equal(listed.pagination.total, 1)
  const inUsage = async (): Promise<number[]> => {
    const { bounced, failed } = (await world.api.get('/api/customer/usage')).body.data.delivery
    return [bounced, failed]
  }
  assert.deepEqual(await inUsage(), [1, 1])
  const report = async (kind: string) => (await world.api.get(`/api/stats/outbound${kind}`)).body
  for (let i = 0; i < 200 && (await report('')).data.failed === 0; i++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const { failed, bounces, soft, bounce_rate: rate } = (await report('')).data
  assert.deepEqual({ failed, bounces, soft, rate }, { failed: 1, bounces: 1, soft: 1, rate: 1 })
  assert.deepEqual((await report('/bounces')).totals, { bounces: 1, hard: 0, soft: 1, block: 0, unknown: 0 })
  assert.deepEqual(await inUsage(), [1, 1])
})

test('what a receiver gets is what the API shows as raw', async () => {
  await using mx = await startReceiver({})
  await using world = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  await world.verifiedDomain('shop.example')
  const sent = await world.api.post('/api/v1/send', MAIL)
  const id = sent.body.data.email_id
  await ended(world, id)
  const raw = await world.api.get(`/api/v1/emails/${id}/raw`)
  assert.equal(raw.headers.get('content-type'), 'message/rfc822')
  assert.equal(mx.messages[0]?.data.toString('latin1'), raw.body)
  assert.match(raw.body, /^DKIM-Signature: /)
  assert.equal((await world.api.get(`/api/v1/emails/${id}`)).body.data.size, Buffer.byteLength(raw.body))
})

test('a receiver reads the Reply-To addresses and the attachment types as they were meant', async () => {
  const { world, stack, mx } = await worldWith('250 2.1.5 ok')
  await using _ = stack
  const content = Buffer.from('BEGIN:VCALENDAR').toString('base64')
  const sent = await world.api.post('/api/v1/send', {
    ...MAIL,
    headers: { 'Reply-To': '"Müller, Hans" <hans@shop.example>, desk@shop.example' },
    attachments: [
      { filename: 'invite.ics', content, content_type: 'text/calendar; method=REQUEST; charset=utf-8' },
      { filename: 'Rechnung März.pdf', content },
    ],
  })
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  assert.equal((await ended(world, sent.body.data.email_id)).status, 'delivered')
  const letter = await PostalMime.parse(mx.messages[0]?.data ?? '')
  assert.deepEqual(letter.replyTo, [
    { name: 'Müller, Hans', address: 'hans@shop.example' },
    { name: '', address: 'desk@shop.example' },
  ])
  assert.deepEqual(
    letter.attachments.map(({ filename, mimeType, method }) => [filename, mimeType, method]),
    [
      ['invite.ics', 'text/calendar', 'REQUEST'],
      ['Rechnung März.pdf', 'application/pdf', undefined],
    ],
  )
})

test('a List-Unsubscribe-Post of the sender is not doubled beside our List-Unsubscribe, by REST and by SMTP', async () => {
  const { world, stack, mx } = await worldWith('250 2.1.5 ok')
  await using _ = stack
  const brought = { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  const sent = await world.api.post('/api/v1/send', { ...MAIL, stream: 'broadcast', headers: brought })
  assert.equal((await ended(world, sent.body.data.email_id)).status, 'delivered')
  const parsed = parseAddress(MAIL.to)
  assert.ok(parsed.ok)
  const head = `From: ${MAIL.from}\r\nTo: ${MAIL.to}\r\nSubject: Hi\r\nX-Stream: broadcast\r\n`
  const raw = Buffer.from(`${head}List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n\r\nHi\r\n`)
  const { accountId } = world.account
  const submit = async (message: Buffer): Promise<void> => {
    const submitted = await world.rooms.smtpSubmission.submit(
      { accountId, keyId: null, mode: 'live', scopes: ['full'], domainIds: null },
      { mailFrom: 'a@shop.example', senderFault: null, recipients: [parsed.address], raw: message, trace: () => '' },
    )
    assert.ok('emailId' in submitted)
    assert.equal((await ended(world, submitted.emailId)).status, 'delivered')
  }
  await submit(raw)
  // The placeholder in the header asks for our link, whatever the stream and the settings.
  const wish = { headers: { 'List-Unsubscribe': '<{{unsubscribe}}>' }, unsubscribe_header_enabled: false }
  const asked = await world.api.post('/api/v1/send', { ...MAIL, ...wish })
  assert.equal((await ended(world, asked.body.data.email_id)).status, 'delivered')
  await submit(
    Buffer.from(`${head.replace('broadcast', 'transactional')}List-Unsubscribe: {{unsubscribe}}\r\n\r\nHi\r\n`),
  )
  for (const { data } of mx.messages) {
    const fields = data.toString('latin1').match(/^list-unsubscribe(?:-post)?:/gim) ?? []
    assert.deepEqual(fields.map((field) => field.toLowerCase()).sort(), ['list-unsubscribe-post:', 'list-unsubscribe:'])
    assert.match(data.toString('latin1'), /^List-Unsubscribe: <https?:[^>]+\/track\/u\//m)
  }
  assert.equal(mx.messages.length, 4)
})

test('a domain with a published return path name uses it as long as the record exists', async () => {
  await using mx = await startReceiver()
  await using world = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  const id = await world.verifiedDomain('shop.example')
  const place = `/api/v1/customer/domains/${id}`
  const recordOf = async () =>
    (await world.api.get(`${place}/dns`)).body.optional_records.find(
      ({ purpose }: { purpose: string }) => purpose === 'return_path',
    )
  const hostNow = async (): Promise<string> => {
    const sent = await world.api.post('/api/v1/send', MAIL)
    assert.equal((await ended(world, sent.body.data.email_id)).status, 'delivered')
    return mx.messages.at(-1)?.from.split('@')[1] ?? ''
  }
  const own = await hostNow()
  const record = await recordOf()
  assert.deepEqual([record.type, record.name, record.value], ['CNAME', 'bounce.shop.example', own])
  assert.equal(record.status, 'missing')
  world.zones.declare({ [record.name]: { CNAME: [`${record.value}.`] } })
  await world.api.post(`${place}/verify`)
  assert.equal((await recordOf()).status, 'valid')
  assert.equal(await hostNow(), 'bounce.shop.example')
  world.zones.declare({ [record.name]: 'servfail' })
  await world.api.post(`${place}/verify`)
  assert.equal(await hostNow(), 'bounce.shop.example', 'without an answer nothing is known anew')
  world.zones.forget(record.name)
  await world.api.post(`${place}/verify`)
  assert.equal(await hostNow(), own)
})

test('a mail from a domain that has published both keys carries two signatures, each valid by its own key', async () => {
  await using mx = await startReceiver()
  await using world = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  const id = await world.verifiedDomain('shop.example')
  const dns = await world.api.get(`/api/v1/customer/domains/${id}/dns`)
  const [record] = dns.body.optional_records
  world.zones.declare({ [record.name]: { TXT: [record.value] } })
  await world.api.post(`/api/v1/customer/domains/${id}/verify`)
  const sent = await world.api.post('/api/v1/send', MAIL)
  assert.equal((await ended(world, sent.body.data.email_id)).status, 'delivered')
  const keys = new Map([...dns.body.dns_records, record].map(({ name, value }) => [name, value]))
  const { results } = await dkimVerify(mx.messages[0]?.data ?? Buffer.alloc(0), {
    resolver: async (name: string) => [[keys.get(name) ?? '']],
  })
  assert.deepEqual(results.map(({ status, signingDomain, algo }) => [status.result, signingDomain, algo]).sort(), [
    ['pass', 'shop.example', 'ed25519-sha256'],
    ['pass', 'shop.example', 'rsa-sha256'],
  ])
})

test('each mail is signed by keys that the DNS publishes, before, while and after they are replaced', async () => {
  await using mx = await startReceiver()
  await using world = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  const id = await world.verifiedDomain('shop.example')
  const place = `/api/v1/customer/domains/${id}`
  const signers = async (): Promise<readonly (readonly (string | undefined)[])[]> => {
    const sent = await world.api.post('/api/v1/send', MAIL)
    assert.equal((await ended(world, sent.body.data.email_id)).status, 'delivered')
    const { results } = await dkimVerify(mx.messages.at(-1)?.data ?? Buffer.alloc(0), {
      resolver: async (name: string) => {
        const answer = await world.zones.txt(name)
        return answer.kind === 'found' ? answer.records.map((record) => [record]) : []
      },
    })
    return results.map(({ status, selector, algo }) => [status.result, selector, algo]).sort()
  }
  const old: string = (await world.api.get(place)).body.data.dkim_selector
  assert.deepEqual(await signers(), [['pass', old, 'rsa-sha256']])
  const { selector } = (await world.api.post(`${place}/dkim/rotate`)).body.data.dkim_rotation
  await world.api.post(`${place}/verify`)
  assert.deepEqual(await signers(), [['pass', old, 'rsa-sha256']])
  for (const record of (await world.api.get(`${place}/dns`)).body.optional_records) {
    if (record.purpose === 'dkim_next') world.zones.declare({ [record.name]: { TXT: [record.value] } })
  }
  await world.api.post(`${place}/verify`)
  assert.deepEqual(await signers(), [
    ['pass', selector, 'rsa-sha256'],
    ['pass', `${selector}e`, 'ed25519-sha256'],
  ])
})
