// Preview and send reach the same verdict: random pairs through the API and by SMTP, with listed addresses, spam traps,
// disposable domains, unverified and foreign senders, spikes and different settings. PAIRS=10000 runs the long form,
// PAIRS_SEED repeats a run.

import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { parseAddress } from '../src/mail/address.ts'
import { TRAP_PURPOSE } from '../src/modules/risk/index.ts'
import { changeTraps } from '../src/modules/risk/traps.ts'
import { ApiError } from '../src/platform/errors.ts'
import type { Principal } from '../src/platform/http.ts'
import { type Api, startWorld, type TestAccount, type World } from './world/world.ts'

const PREVIEW = '/api/v1/risk/preview'
/** 10,000 in the long form; a failure prints its seed. */
const PAIRS = Number(process.env['PAIRS'] ?? 250)
const SEED = process.env['PAIRS_SEED'] === undefined ? undefined : Number(process.env['PAIRS_SEED'])

let world: World
const accounts: TestAccount[] = []
before(async () => {
  world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const { database, secrets } = world.operator
  const traps = { database, mac: (text: string) => secrets.mac(TRAP_PURPOSE, text), now: () => world.clock.now() }
  await changeTraps(traps, Readable.from([Buffer.from('trap@example.net\npits.example\n')]), 'add')
  // The second account has a spike and the third has other settings; the first has only ever sent a little.
  accounts.push(world.account, await world.newAccount('Busy'), await world.newAccount('Lenient'))
  for (const [i, account] of accounts.entries()) {
    await world.verifiedDomain(`good${i}.example`, account)
    await account.api.post('/api/v1/customer/domains', { domain: 'unproved.example' })
    for (const reason of ['manual', 'hard_bounce', 'complaint', 'spamtrap', 'repeated_soft_bounce'])
      await account.api.post('/api/v1/customer/suppressions', { email: `${reason}@example.net`, reason })
    await account.api.post('/api/v1/customer/unsubscribes', { email: 'gone@example.net' })
    await account.api.post('/api/v1/customer/unsubscribes', { email: 'hard_bounce@example.net' })
  }
  const to = Array.from({ length: 50 }, (_, i) => `r${i}@example.net`)
  const many = { from: 'x@good1.example', to, subject: 'News', text: 'Thank you for reading.' }
  const { body } = await accounts[1]!.api.post('/api/v1/send/batch', { messages: Array(11).fill(many) })
  assert.equal(body.summary.accepted, 11)
  await accounts[2]!.api.patch('/api/v1/customer/profile', {
    enforce_sender_verification: false,
    disposable_confidence_threshold: 0.99,
  })
})
after(() => world[Symbol.asyncDispose]())

const LOCALS = ['a', 'listed', 'gone', 'manual', 'hard_bounce', 'complaint', 'spamtrap', 'repeated_soft_bounce']
const SPAM =
  'You have WON 1,000,000 dollars!!! Act now, limited time, click here: http://bit.ly/x and wire the fee at once.'
const mail = fc.record(
  {
    to: fc.oneof(
      fc.constantFrom(...[...LOCALS, 'trap', 'info', 'Gone', 'x7f3k9q2zz'].map((local) => `${local}@example.net`)),
      fc.constantFrom(
        'b@pits.example',
        'a@mailinator.com',
        'info@mailinator.com',
        'a@duck.com',
        'deliver@sandbox.test',
      ),
      fc
        .tuple(fc.stringMatching(/^[a-z]{1,12}$/), fc.domain())
        .map((parts) => parts.join('@'))
        .filter((address) => parseAddress(address).ok),
    ),
    sender: fc.constantFrom('good', 'good', 'good', 'unproved', 'foreign'),
    subject: fc.oneof(fc.constantFrom('Your receipt', 'WIN $$$ NOW!!! Act fast', ''), fc.string({ maxLength: 60 })),
    text: fc.oneof(fc.constantFrom('Thank you for your order.', SPAM), fc.lorem({ maxCount: 30 })),
    html: fc.oneof(
      fc.constantFrom(`<p>${SPAM}</p>`, '<a href="http://evil.example/">www.bank.example.com</a>'),
      fc.string(),
    ),
    is_bulk: fc.boolean(),
    stream: fc.constantFrom('transactional', 'broadcast'),
    headers: fc.constantFrom({ 'X-Campaign': 'spring' }, { 'List-Unsubscribe': '<mailto:u@good0.example>' }),
  },
  { requiredKeys: ['to', 'sender', 'subject', 'text'] },
)
const caller = fc.record({
  account: fc.nat({ max: 2 }),
  sandboxKey: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  by: fc.constantFrom('send', 'send', 'batch', 'smtp'),
})

interface SendResult {
  readonly blocked: boolean
  readonly code: string | null
  readonly action: string | null
}

async function sent(by: string, api: Api, principal: Principal, message: Record<string, unknown>): Promise<SendResult> {
  if (by === 'smtp') return sentBySmtp(principal, message)
  if (by === 'send') {
    const { status, body } = await api.post('/api/v1/send', message)
    assert.ok(status === 202 || status === 422 || status === 403, JSON.stringify(body))
    return { blocked: status !== 202, code: body.code ?? null, action: body.data?.risk.action ?? body.details?.action }
  }
  const { body } = await api.post('/api/v1/send/batch', { messages: [message] })
  const [one] = body.data
  return {
    blocked: !one.success,
    code: one.error?.code ?? null,
    action: one.data?.risk.action ?? one.error?.details?.action,
  }
}

/** Submits the same fields as an SMTP client would, as header fields and parts. */
async function sentBySmtp(principal: Principal, message: Record<string, unknown>): Promise<SendResult> {
  const parsed = parseAddress(String(message['to']))
  assert.ok(parsed.ok)
  const encoded = (text: unknown): string => Buffer.from(String(text)).toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  const part = (type: string, content: unknown): string =>
    `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded(content)}\r\n`
  const stream = typeof message['stream'] === 'string' ? `X-Stream: ${message['stream']}\r\n` : ''
  const html = message['html']
  const head = `From: ${message['from']}\r\nTo: ${message['to']}\r\nSubject: =?utf-8?B?${Buffer.from(String(message['subject'])).toString('base64')}?=\r\nMIME-Version: 1.0\r\n${stream}`
  const alternatives = `Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n${part('text/plain', message['text'])}--b\r\n${part('text/html', html)}--b--\r\n`
  const raw = Buffer.from(head + (html === undefined ? part('text/plain', message['text']) : alternatives))
  const submitted = {
    mailFrom: String(message['from']),
    senderFault: null,
    recipients: [parsed.address],
    raw,
    trace: () => '',
  }
  try {
    const result = await world.rooms.smtpSubmission.submit(principal, submitted)
    assert.ok('emailId' in result, JSON.stringify(result))
    return { blocked: false, code: null, action: null }
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    return { blocked: true, code: error.code, action: (error.details as { action?: string }).action ?? null }
  }
}

test(`${PAIRS} random pairs get the same decision and the same code in preview and send`, async () => {
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(mail, caller, async ({ sender, ...fields }, { account: index, sandboxKey, by }) => {
      const account = accounts[index] as TestAccount
      const from = sender === 'good' ? `x@good${index}.example` : `x@${sender}.example`
      const bySmtp = by === 'smtp' ? { is_bulk: undefined, headers: undefined } : {}
      const message = { from, ...fields, ...bySmtp }
      const api = sandboxKey ? account.testApi : account.api
      const principal: Principal = {
        accountId: account.accountId,
        keyId: null,
        mode: sandboxKey ? 'sandbox' : 'live',
        scopes: ['full'],
        domainIds: null,
      }
      const preview = await api.post(PREVIEW, message)
      const told = await sent(by, api, principal, message)
      if (preview.status === 403) {
        assert.deepEqual([told.blocked, told.code], [true, preview.body.code])
        return
      }
      assert.equal(preview.status, 200, JSON.stringify([message, preview.body]))
      assert.equal(told.blocked, preview.body.would_block, JSON.stringify([by, message, preview.body, told]))
      if (told.blocked) assert.equal(told.code, preview.body.reason_code, JSON.stringify([by, message, preview.body]))
      if (told.action !== null) assert.equal(told.action, preview.body.action)
      const name = `${preview.body.action} ${preview.body.reason_code}`
      seen.set(name, (seen.get(name) ?? 0) + 1)
    }),
    { numRuns: PAIRS, ...(SEED !== undefined && { seed: SEED }) },
  )
  // The pairs were of all kinds: agreement is not due to a lack of variety.
  for (const kind of [
    'allow null',
    'block recipient_unsubscribed',
    'block sender_not_verified',
    'block spamtrap_detected',
  ])
    assert.ok((seen.get(kind) ?? 0) > 0, `${kind} among ${JSON.stringify([...seen])}`)
})

test('a preview costs one credit, a faulty one none, and statistics count them', async () => {
  const account = await world.newAccount('Counted')
  const empty = await account.api.get('/api/v1/risk/stats')
  assert.deepEqual([empty.status, empty.body.used, empty.body.average_score], [200, 0, null])
  const { status, body } = await account.api.post(PREVIEW, { to: 'a@example.net', subject: 'Hello' })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.action, body.reason_code, body.quota.used], ['block', 'sender_not_verified', 1])
  assert.deepEqual(body.data.breakdown, { recipient: 0, content: 0, sender: 75, behavior: 0 })
  const inside = await account.api.post(PREVIEW, { to: 'deliver@sandbox.test', subject: 'Hello' })
  assert.deepEqual([inside.body.reason_code, inside.body.quota.used], ['sender_not_verified', 2])
  const named = await account.api.post(PREVIEW, {
    ...{ from: 'a@b.example', to: 'deliver@sandbox.test' },
    ...{ subject: 'Hello', html: '' },
  })
  assert.deepEqual([named.body.action, named.body.quota.used], ['allow', 3])
  const faulty = await account.api.post(PREVIEW, { to: 'nobody', unknown: 1 })
  assert.deepEqual(faulty.body.details.fields.map(({ field }: { field: string }) => field).sort(), [
    'subject',
    'to',
    'unknown',
  ])
  const stats = (await account.api.get('/api/v1/risk/stats')).body
  assert.deepEqual([stats.used, stats.total_previews, stats.by_action.block, stats.average_score], [3, 3, 2, 50])
  assert.deepEqual(stats.top_reason_codes, [{ reason_code: 'sender_not_verified', count: 2 }])
})

test('without `from`, the sender is the oldest domain in use', async () => {
  const { body } = await world.api.post(PREVIEW, { to: 'a@example.net', subject: 'Hello' })
  assert.deepEqual([body.action, body.would_block], ['allow', false])
})

test('a content score costs one check and says what to improve', async () => {
  const account = await world.newAccount('Scored')
  const html = '<a href="http://evil.example/">www.bank.example.com</a>'
  const { status, body } = await account.api.post('/api/v1/content-score', { subject: 'Hello', html })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.status, body.usage.used, body.usage.limit, body.data.score], ['ok', 1, 1_000, body.score])
  assert.ok(
    body.matches.some(({ rule, location }: Record<string, string>) => rule === 'link_mismatch' && location === 'html'),
  )
  const broken = await account.api.post('/api/v1/content-score', { subject: 'a\u0001b\r\nBcc: x' })
  assert.deepEqual([broken.status, broken.body.details.fields[0].rule], [422, 'control_character'])
  const long = await account.api.post('/api/v1/content-score', { subject: 'x'.repeat(1_001) })
  assert.deepEqual([long.status, long.body.code], [422, 'validation_error'])
})
