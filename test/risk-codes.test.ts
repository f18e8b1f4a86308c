// Every documented reason code, reached through the API: preview and send report the same one, and a soft block can be
// overridden where the contract allows it.

import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { parseAddress } from '../src/mail/address.ts'
import { setFeature } from '../src/modules/accounts/index.ts'
import { scoreContent } from '../src/modules/content/index.ts'
import { REASON_CODES, TRAP_PURPOSE } from '../src/modules/risk/index.ts'
import { changeTraps } from '../src/modules/risk/traps.ts'
import { statement } from '../src/platform/db.ts'
import type { Principal } from '../src/platform/http.ts'
import { startReceiver } from './world/receiver.ts'
import { startWorld, type TestAccount, type World } from './world/world.ts'

const PREVIEW = '/api/v1/risk/preview'
const SEND = '/api/v1/send'
const SPAM = {
  subject: 'URGENT!!! You have WON $1,000,000 - claim your prize NOW',
  text: 'Congratulations winner! You have been selected for a cash prize of 1,000,000 dollars. Act now, limited time offer! Click here to claim: http://bit.ly/claim and send your bank account and password. 100% free, risk free, guaranteed, no obligation. Dear friend, wire transfer the fee by Western Union at once. Viagra, casino, lottery, make money fast, work from home!!!',
}

let world: World
const reached = new Set<string>()

before(async () => {
  world = await startWorld({ settings: { POSTHORN_ROLES: 'api,worker' } })
  await world.verifiedDomain('good.example')
})
after(() => world[Symbol.asyncDispose]())

interface Verdict {
  readonly score: number
  readonly action: string
  readonly code: string | null
}

/** What preview and send both say; the mail is previewed first, then sent. */
async function both(mail: object, account: TestAccount = world.account): Promise<Verdict> {
  const whole = { from: 'a@good.example', subject: 'Your receipt', text: 'Thank you for your order.', ...mail }
  const preview = await account.api.post(PREVIEW, whole)
  assert.equal(preview.status, 200, JSON.stringify(preview.body))
  const { risk_score: score, action, reason_code: code, would_block: blocks } = preview.body
  const sent = await account.api.post(SEND, whole)
  assert.equal(sent.status, blocks ? 422 : 202, JSON.stringify([preview.body, sent.body]))
  if (blocks) {
    assert.deepEqual(
      [sent.body.code, sent.body.details.risk_score, sent.body.details.action, sent.body.details.overridable],
      [code, score, action, preview.body.overridable],
    )
    assert.deepEqual(sent.body.details.recipients[0].reason, code)
  } else {
    assert.deepEqual([sent.body.data.risk.risk_score, sent.body.data.risk.action], [score, action])
    const { risk } = (await account.api.get(`/api/v1/emails/${sent.body.data.email_id}`)).body.data
    assert.deepEqual(
      [risk.risk_score, risk.reason_code, risk.engine_version],
      [score, code, preview.body.engine_version],
    )
    assert.deepEqual(risk.policy_snapshot, preview.body.policy_snapshot)
    assert.deepEqual(risk.breakdown, preview.body.breakdown)
  }
  if (code !== null) reached.add(code)
  return { score, action, code }
}

async function accountWithDomain(domain: string): Promise<TestAccount> {
  const account = await world.newAccount(domain)
  await world.verifiedDomain(domain, account)
  return account
}

test("the operator's spam traps block every account, by address and by domain, and only MACs are stored", async () => {
  const { database, secrets } = world.operator
  const store = {
    database,
    mac: (text: string) => secrets.mac(TRAP_PURPOSE, text),
    now: () => world.clock.now(),
  }
  const file = 'email,note\r\nTrap@Pits.example,first\r\n\r\n# a remark\r\nnot an address\r\nall-traps.example\r\n'
  const summary = await changeTraps(store, Readable.from([Buffer.from(file)]), 'add')
  assert.deepEqual([summary.read, summary.changed, summary.failed], [3, 2, 1])
  assert.deepEqual([summary.errors[0]?.line, summary.errors[0]?.text], [5, 'not an address'])
  const again = await changeTraps(store, Readable.from([Buffer.from(file)]), 'add')
  assert.equal(again.changed, 0)
  const blocked = { score: 100, action: 'block', code: 'spamtrap_detected' }
  assert.deepEqual(await both({ to: 'trap@pits.example' }), blocked)
  assert.deepEqual(await both({ to: 'anyone@all-traps.example' }), blocked)
  assert.equal((await both({ to: 'other@pits.example' })).action, 'allow')
  const rows = await database.system.query<{ row: string }>(
    statement('test_traps', 'select s::text as row from spamtrap s'),
  )
  assert.ok(!JSON.stringify(rows).includes('pits'))
  const listed = await world.api.get('/api/v1/customer/suppressions/trap@pits.example')
  assert.equal(listed.status, 404)
  await changeTraps(store, Readable.from([Buffer.from('trap@pits.example\n')]), 'remove')
  assert.equal((await both({ to: 'trap@pits.example' })).action, 'allow')
})

test("disposable domains, role names and the account's threshold", async () => {
  const account = await accountWithDomain('lasting.example')
  const from = 'a@lasting.example'
  const say = (to: string) => both({ from, to }, account)
  assert.deepEqual(await say('x@mailinator.com'), { score: 80, action: 'block', code: 'disposable_high_confidence' })
  assert.deepEqual(await say('x@sub.mailinator.com'), {
    score: 80,
    action: 'block',
    code: 'disposable_high_confidence',
  })
  await account.api.patch('/api/v1/customer/profile', { disposable_confidence_threshold: 0.98 })
  assert.deepEqual(await say('x@mailinator.com'), { score: 40, action: 'warn', code: 'disposable_medium_confidence' })
  assert.deepEqual(await both({ from, to: 'info@mailinator.com', ...SPAM }, account), {
    score: 100,
    action: 'block',
    code: 'risk_score_critical',
  })
  await account.api.patch('/api/v1/customer/profile', { block_disposable_emails: false })
  assert.deepEqual(await say('x@mailinator.com'), { score: 0, action: 'allow', code: null })
  assert.deepEqual(await say('support@example.net'), { score: 10, action: 'allow', code: null })
})

test('an unverified sender', async () => {
  const account = await world.newAccount('Unproved')
  await account.api.post('/api/v1/customer/domains', { domain: 'unproved.example' })
  const mail = { from: 'a@unproved.example', to: 'b@example.net' }
  assert.deepEqual(await both(mail, account), { score: 75, action: 'block', code: 'sender_not_verified' })
  await account.api.patch('/api/v1/customer/profile', { enforce_sender_verification: false })
  assert.deepEqual(await both(mail, account), { score: 15, action: 'allow', code: null })
})

test('content that looks like spam is a soft block that can be overridden, and the override is recorded', async () => {
  assert.deepEqual(await both({ to: 'b@example.net', ...SPAM }), {
    score: 55,
    action: 'soft_block',
    code: 'content_risk_high',
  })
  const preview = (await world.api.post(PREVIEW, { from: 'a@good.example', to: 'b@example.net', ...SPAM })).body
  const sent = await world.api.post(SEND, {
    from: 'a@good.example',
    to: 'b@example.net',
    ...SPAM,
    override_soft_block: true,
  })
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  const id = sent.body.data.email_id
  const { risk } = (await world.api.get(`/api/v1/emails/${id}`)).body.data
  assert.deepEqual([risk.action, risk.overridden, risk.content_level], ['soft_block', true, 'critical'])
  const [heaviest] = risk.content_matches
  const [, ofContent = '', ...others] = preview.recommendations
  assert.equal(ofContent, `${heaviest.description} ("${heaviest.match}"): ${heaviest.suggestion}`)
  assert.ok(others.length <= 2 && !others.includes(ofContent))
  const [record] = await world.rooms.database.system.query(
    statement('test_overrides', 'select account_id, key_id, reason, score from risk_override where email_id = $1'),
    [id],
  )
  assert.deepEqual(record, {
    account_id: world.account.accountId,
    key_id: risk.overridden_by,
    reason: 'content_risk_high',
    score: 55,
  })
  assert.notEqual(risk.overridden_by, null)
  const clean = await world.api.post(SEND, {
    from: 'a@good.example',
    to: 'b@example.net',
    subject: 'Your receipt',
    text: 'Thank you.',
    override_soft_block: true,
  })
  const plain = (await world.api.get(`/api/v1/emails/${clean.body.data.email_id}`)).body.data.risk
  assert.deepEqual([plain.overridden, plain.overridden_by], [false, null])
})

/** Content that scores `medium` with an unsubscribe link and `high` without one: those two points decide. */
function onTheEdge(): { readonly subject: string; readonly html: string } {
  const links = [1, 2, 3].map((n) => `<p><a href="https://good.example/${n}">Offer ${n}</a></p>`).join('')
  const pieces = [
    'Act now, it is 100% free!',
    'The lowest price, an amazing deal.',
    'Try our online casino with a casino bonus.',
    'A miracle: burn fat, lose weight.',
    'Financial freedom and fast cash.',
    'This is not spam.',
    'Please respond within 24 hours.',
    'Dear customer,',
  ]
  for (let chosen = 1; chosen < 2 ** pieces.length; chosen++) {
    const body = pieces.filter((_, i) => (chosen & (1 << i)) !== 0).join('</p><p>')
    const mail = { subject: 'Our offers of May', html: `<p>${body}</p>${links}` }
    const levelOf = (unsubscribable: boolean): string =>
      scoreContent({ ...mail, text: null, senderDomain: 'good.example', unsubscribable }).level
    if (levelOf(true) === 'medium' && levelOf(false) === 'high') return mail
  }
  throw new Error('no content stands on the edge')
}

test('the content engine knows whether a mail goes to many and has an unsubscribe link, in previews and on every way in', async () => {
  const account = await accountWithDomain('leaving.example')
  const mail = { ...onTheEdge(), text: null, from: 'a@leaving.example', to: 'b@example.net' }
  const [domain] = (await account.api.get('/api/v1/customer/domains')).body.data
  await account.api.patch(`/api/v1/customer/domains/${domain.id}`, { unsubscribe_header_enabled: false })
  // The account has sent before: the first bulk mail of a new account has a code of its own.
  await account.api.post(SEND, { from: mail.from, to: mail.to, subject: 'Hi', text: 'Hello' })
  const high = { score: 35, action: 'warn', code: 'content_risk_high' }
  const fine = { score: 0, action: 'allow', code: null }
  assert.deepEqual(await both(mail, account), high)
  assert.deepEqual(await both({ ...mail, is_bulk: true }, account), fine)
  assert.deepEqual(await both({ ...mail, stream: 'broadcast' }, account), fine)
  assert.deepEqual(
    await both({ ...mail, headers: { 'List-Unsubscribe': '<https://leaving.example/u>' } }, account),
    fine,
  )
  const template = await account.api.post('/api/v1/templates', { name: 'edge', subject: mail.subject, html: mail.html })
  for (const is_bulk of [false, true]) {
    const { from, to } = mail
    const sent = await account.api.post(SEND, { from, to, template_id: template.body.data.id, is_bulk })
    assert.equal(sent.body.data.risk.risk_score, is_bulk ? 0 : 35)
  }
  const address = parseAddress(mail.to)
  assert.ok(address.ok)
  for (const stream of ['transactional', 'broadcast']) {
    const raw = Buffer.from(
      `From: ${mail.from}\r\nTo: ${mail.to}\r\nSubject: ${mail.subject}\r\nX-Stream: ${stream}\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${mail.html.replaceAll('<p>', '\r\n<p>')}\r\n`,
    )
    const principal = { accountId: account.accountId, keyId: null, mode: 'live', scopes: ['full'], domainIds: null }
    const result = await world.rooms.smtpSubmission.submit(principal as Principal, {
      ...{ mailFrom: mail.from, senderFault: null, recipients: [address.address], raw, trace: () => '' },
    })
    assert.ok('emailId' in result, JSON.stringify(result))
    const { risk } = (await account.api.get(`/api/v1/emails/${result.emailId}`)).body.data
    assert.equal(risk.risk_score, stream === 'broadcast' ? 0 : 35)
  }
})

test('a sender named like a brand with replies going elsewhere gets the same verdict in preview and send', async () => {
  const account = await accountWithDomain('named.example')
  const phishing = {
    from: 'a@named.example',
    to: 'b@example.net',
    subject: 'Your account',
    text: 'Please update your payment details within 24 hours at https://named.example/start',
  }
  const { score } = await both(phishing, account)
  const named = await both(
    { ...phishing, from_name: 'Netflix Billing', reply_to: 'netflix.billing@gmail.com' },
    account,
  )
  assert.equal(score, 0)
  assert.ok(named.score >= 35, String(named.score))
  assert.equal(named.code, 'content_risk_high')
})

test('a first send that is bulk, and an unusual volume for the account', async () => {
  const account = await accountWithDomain('fresh.example')
  const bulk = { from: 'a@fresh.example', is_bulk: true }
  // Neither a blocked attempt nor sandbox mail counts as a send.
  assert.equal((await both({ ...bulk, to: 'x@mailinator.com' }, account)).code, 'disposable_high_confidence')
  const rehearsed = await account.testApi.post(SEND, { ...bulk, to: 'a@example.net', subject: 'Hi', text: 'Hi' })
  assert.equal(rehearsed.status, 202)
  // A sandbox send reports what a live send would.
  assert.deepEqual([rehearsed.body.data.risk.risk_score, rehearsed.body.data.risk.action], [30, 'warn'])
  assert.deepEqual(await both({ ...bulk, to: 'b@example.net' }, account), {
    score: 30,
    action: 'warn',
    code: 'velocity_first_send_bulk',
  })
  assert.deepEqual(await both({ ...bulk, to: 'b@example.net' }, account), { score: 0, action: 'allow', code: null })

  const recipients = Array.from({ length: 50 }, (_, i) => `r${i}@example.net`)
  const mail = { from: 'a@fresh.example', to: recipients, subject: 'News', text: 'Thank you for reading.' }
  const batch = await account.api.post('/api/v1/send/batch', { messages: Array.from({ length: 10 }, () => mail) })
  assert.equal(batch.body.summary.accepted, 10, JSON.stringify(batch.body).slice(0, 500))
  const role = { from: 'a@fresh.example', to: 'info@example.net' }
  assert.deepEqual(await both(role, account), { score: 35, action: 'warn', code: 'volume_spike' })
  assert.deepEqual(await both({ from: 'a@fresh.example', to: 'b@example.net' }, account), {
    score: 25,
    action: 'allow',
    code: null,
  })
  // The same volume is no spike once the account has had a similar one.
  world.clock.advance(25 * 3_600_000)
  assert.equal((await both(role, account)).score, 10)
  await account.api.post('/api/v1/send/batch', { messages: Array.from({ length: 11 }, () => mail) })
  assert.equal((await both(role, account)).score, 10)
})

const DELIVERED = statement('test_risk_delivered', 'update email set status = 3 where id = $1')

test('an address on both lists gets both codes', async () => {
  const from = 'a@good.example'
  const factors = async (to: string): Promise<readonly [string, number][]> => {
    const { body } = await world.api.post(PREVIEW, { from, to, subject: 'Your receipt', text: 'Thank you.' })
    return body.risk_factors.map(({ code, points }: { code: string; points: number }) => [code, points])
  }
  for (const email of ['gone@example.net', 'refused@example.net']) {
    await world.api.post('/api/v1/customer/unsubscribes', { email })
  }
  const sent = await world.api.post(SEND, { from, to: 'bounced@example.net', subject: 'Order', text: 'Thank you.' })
  await world.rooms.database.system.execute(DELIVERED, [sent.body.data.email_id])
  const bounce = { email_id: sent.body.data.email_id, type: 'hard', smtp_code: 550 }
  await world.api.post('/api/v1/inbound/bounces', bounce)
  assert.equal((await both({ to: 'bounced@example.net' })).code, 'previous_hard_bounce')
  await world.api.post('/api/v1/customer/unsubscribes', { email: 'bounced@example.net' })
  assert.deepEqual(await factors('bounced@example.net'), [
    ['recipient_unsubscribed', 100],
    ['previous_hard_bounce', 55],
  ])
  const said = { score: 100, action: 'block', code: 'recipient_unsubscribed' }
  assert.deepEqual(await both({ to: 'bounced@example.net' }), said)

  await world.api.post('/api/v1/customer/suppressions', { email: 'refused@example.net' })
  assert.deepEqual(await factors('refused@example.net'), [
    ['recipient_suppressed', 100],
    ['recipient_unsubscribed', 100],
  ])
  assert.equal((await both({ to: 'refused@example.net' })).code, 'recipient_suppressed')
  assert.deepEqual(await factors('gone@example.net'), [['recipient_unsubscribed', 100]])
})

/** Takes an address off a list. @returns what the answer says, which ends with the code of what still refuses mail to it */
async function removed(list: 'suppressions' | 'unsubscribes', email: string, account = world.account): Promise<string> {
  const { status, body } = await account.api.delete(`/api/v1/customer/${list}/${email}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.message
}

test('a hard bounce and a complaint are remembered when the entry is removed from the list, and the answer says so', async () => {
  const account = await accountWithDomain('past.example')
  const from = 'a@past.example'
  const deliver = async (to: string): Promise<string> => {
    const sent = await account.api.post(SEND, { from, to, subject: 'Order', text: 'Thank you for your order.' })
    assert.equal(sent.status, 202, JSON.stringify(sent.body))
    await world.rooms.database.system.execute(DELIVERED, [sent.body.data.email_id])
    return sent.body.data.email_id
  }
  const bounced = await deliver('bounced@example.net')
  await account.api.post('/api/v1/inbound/bounces', { email_id: bounced, type: 'hard', smtp_code: 550 })
  const onList = await account.api.post(PREVIEW, { from, to: 'bounced@example.net', subject: 'x', text: 'y' })
  assert.deepEqual([onList.body.reason_code, onList.body.overridable], ['previous_hard_bounce', false])
  const softly = { score: 55, action: 'soft_block', code: 'previous_hard_bounce' }
  assert.deepEqual(await both({ from, to: 'bounced@example.net', override_soft_block: undefined }, account), softly)
  const softlyRefused = await removed('suppressions', 'bounced@example.net', account)
  assert.match(
    softlyRefused,
    /^The address is no longer suppressed\. .* override_soft_block .*\(previous_hard_bounce\)$/,
  )
  assert.deepEqual(await both({ from, to: 'bounced@example.net' }, account), softly)
  const overridden = { from, to: 'bounced@example.net', subject: 'x', text: 'y', override_soft_block: true }
  assert.equal((await account.api.post(SEND, overridden)).status, 202)

  const complained = await deliver('complained@example.net')
  await account.api.post('/api/v1/inbound/complaints', { email_id: complained })
  const hard = { score: 90, action: 'block', code: 'previous_complaint' }
  assert.deepEqual(await both({ from, to: 'complained@example.net' }, account), hard)
  const refused = /^The address is no longer (?:suppressed|unsubscribed)\. .* still refused.*\(previous_complaint\)$/
  assert.match(await removed('suppressions', 'complained@example.net', account), refused)
  await account.api.post('/api/v1/customer/unsubscribes', { email: 'complained@example.net' })
  assert.match(await removed('unsubscribes', 'complained@example.net', account), refused)
  assert.deepEqual(await both({ from, to: 'complained@example.net' }, account), hard)
  assert.equal((await account.api.post(SEND, { ...overridden, to: 'complained@example.net' })).body.code, hard.code)
  assert.equal((await both({ to: 'complained@example.net' })).action, 'allow')

  // A manual entry leaves no history.
  await account.api.post('/api/v1/customer/suppressions', { email: 'byhand@example.net', reason: 'complaint' })
  assert.deepEqual(await both({ from, to: 'byhand@example.net' }, account), hard)
  await account.api.post('/api/v1/customer/unsubscribes', { email: 'byhand@example.net' })
  assert.match(await removed('suppressions', 'byhand@example.net', account), /\(recipient_unsubscribed\)$/)
  assert.equal(await removed('unsubscribes', 'byhand@example.net', account), 'The address can receive email again')
  await account.api.post('/api/v1/customer/suppressions', { email: 'byhand@example.net' })
  assert.equal(await removed('suppressions', 'byhand@example.net', account), 'The address is no longer suppressed')
  assert.equal((await both({ from, to: 'byhand@example.net' }, account)).action, 'allow')
})

test('a delivery clears the history of a hard bounce', async () => {
  const answers = { 'b@example.net': '550 5.1.1 no such user' }
  await using mx = await startReceiver({
    rcpt: (address) => answers[address as keyof typeof answers] ?? '250 2.1.5 ok',
  })
  await using there = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  await there.verifiedDomain('good.example')
  const mail = { from: 'a@good.example', to: 'b@example.net', subject: 'Hi', text: 'Thank you for your order.' }
  const previewed = async (): Promise<string | null> => (await there.api.post(PREVIEW, mail)).body.reason_code
  const until = async (what: () => Promise<boolean>): Promise<void> => {
    for (let i = 0; !(await what()); i++) {
      if (i === 1_200) throw new Error('it did not come within a minute')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  assert.equal((await there.api.post(SEND, mail)).status, 202)
  await until(async () => (await previewed()) === 'previous_hard_bounce')
  answers['b@example.net'] = '250 2.1.5 ok'
  assert.equal((await there.api.delete('/api/v1/customer/suppressions/b@example.net')).status, 200)
  assert.equal(await previewed(), 'previous_hard_bounce')
  const sent = await there.api.post(SEND, { ...mail, override_soft_block: true })
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  await until(async () => (await previewed()) === null)
})

test('entries of other kinds have their own codes', async () => {
  await world.api.post('/api/v1/customer/suppressions', { email: 'manual@example.net', reason: 'manual' })
  await world.api.post('/api/v1/customer/unsubscribes', { email: 'gone@example.net' })
  assert.deepEqual(await both({ to: 'manual@example.net' }), {
    score: 100,
    action: 'block',
    code: 'recipient_suppressed',
  })
  assert.deepEqual(await both({ to: 'gone@example.net' }), {
    score: 100,
    action: 'block',
    code: 'recipient_unsubscribed',
  })
})

test('content events report the verdict on each mail, to accounts that have the feature', async () => {
  const account = await accountWithDomain('told.example')
  const mail = { from: 'a@told.example', to: 'b@example.net' }
  const good = await account.api.post(SEND, { ...mail, subject: 'Your receipt', text: 'Thank you for your order.' })
  assert.equal((await account.api.post(SEND, { ...mail, ...SPAM })).body.code, 'content_risk_high')
  const passed = await account.api.post(SEND, { ...mail, ...SPAM, override_soft_block: true })
  const listed = async (query = '', of: TestAccount = account) =>
    (await of.api.get(`/api/v1/content-events${query}`)).body
  const { data, pagination } = await listed()
  assert.deepEqual(
    data.map(({ event, email_id, risk_level }: Record<string, unknown>) => [event, email_id, risk_level]),
    [
      ['content.warned', passed.body.data.email_id, 'critical'],
      ['content.blocked', null, 'critical'],
      ['content.scored', good.body.data.email_id, 'low'],
    ],
  )
  assert.deepEqual(pagination, { total: 3, limit: 100, offset: 0, next_cursor: null })
  assert.ok(data[0].matches.length > 0 && data[0].score < 40)
  assert.deepEqual(Object.keys(data[0]).sort(), [
    'created_at',
    'email_id',
    'event',
    'id',
    'matches',
    'risk_level',
    'score',
  ])
  for (const field of ['rule', 'category', 'points', 'severity', 'location', 'match', 'description', 'suggestion'])
    assert.ok(field in data[0].matches[0], field)
  assert.equal((await listed('?risk_level=low')).data.length, 1)
  assert.equal((await listed(`?email_id=${good.body.data.email_id}`)).data.length, 1)
  assert.equal((await listed(`?domain_id=${account.accountId}`)).data.length, 0)
  const until = new Date(world.clock.now().getTime() - 60_000).toISOString()
  assert.equal((await listed(`?to=${until}`)).data.length, 0)
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await listed(`?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`)
    ids.push(...page.data.map(({ id }: { id: string }) => id))
    cursor = page.pagination.next_cursor
  }
  assert.deepEqual(
    ids,
    data.map(({ id }: { id: string }) => id),
  )
  assert.equal((await listed('?offset=1&limit=1')).data[0].event, 'content.blocked')
  assert.equal((await account.api.get('/api/v1/content-events?risk_level=none')).status, 400)
  assert.deepEqual((await listed('', await world.newAccount('Other'))).data, [])
  await setFeature(world.operator, account.accountId, 'content_events', false)
  world.rooms.accounts.forget(account.accountId)
  assert.deepEqual((await listed()).details, { feature: 'content_events' })
})

test('all ten documented codes were reached', () => {
  assert.deepEqual(
    REASON_CODES.filter((code) => !reached.has(code)),
    [],
  )
})
