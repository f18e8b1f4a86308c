// Validation through the API, against receivers on real sockets.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DatabaseProxy, databaseProxy } from '../../../test/world/database-proxy.ts'
import { type Receiver, type ReceiverScript, startReceiver } from '../../../test/world/receiver.ts'
import { startWorld, type World } from '../../../test/world/world.ts'
import { statement } from '../../platform/db.ts'
import { sharedBuckets } from '../accounts/buckets.ts'
import { type OperatorContext, passwords, setPlan } from '../accounts/index.ts'
import { AT_ONCE_PER_HOST, PER_MINUTE, SHUN_MS, sharedProbeLimits } from './probe-limits.ts'

const VALIDATE = '/api/v1/address/validate'
const PORT = 2_600 + (process.pid % 400)

let world: World
const receivers = new Map<string, Receiver>()
const hostOf = new Map<string, string>()

/** A receiver for one domain: each has its own loopback address, and all use the port that probes go to. */
async function receiverOf(domain: string, script: ReceiverScript): Promise<Receiver> {
  const ip = `127.0.44.${receivers.size + 2}`
  const receiver = await startReceiver({ host: ip, port: PORT, ...script })
  receivers.set(domain, receiver)
  hostOf.set(domain, `mx.${domain}`)
  world.zones.declare({ [domain]: { MX: [`10 mx.${domain}`] }, [`mx.${domain}`]: { A: [ip] } })
  return receiver
}

const UNKNOWN = '550 5.1.1 no such user'
const onlyFor = (...known: string[]): ReceiverScript => ({
  rcpt: (address) => (known.includes(address.split('@')[0] ?? '') ? '250 2.1.5 OK' : UNKNOWN),
})

before(async () => {
  world = await startWorld({ settings: { POSTHORN_SMTP_PORT: String(PORT) } })
})
after(async () => {
  await world[Symbol.asyncDispose]()
  for (const receiver of receivers.values()) await receiver.close()
})

test('a confirmed mailbox of a domain that refuses others is deliverable; no mail is begun', async () => {
  const receiver = await receiverOf('good.test', onlyFor('anna.smith'))
  const { status, body } = await world.api.post(VALIDATE, { email: 'anna.smith@good.test' })
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.smtp_result, 'deliverable')
  assert.equal(body.is_valid, true)
  assert.deepEqual(body.validation_checks, {
    syntax_valid: true,
    domain_exists: true,
    has_mx_records: true,
    is_disposable: false,
    is_role_account: false,
    mailbox_exists: true,
    is_catch_all: false,
    smtp_check_performed: true,
  })
  assert.deepEqual([body.mx_provider.name, body.mx_provider.tier], ['self_hosted', 'tier_3'])
  assert.deepEqual([body.email_pattern, body.confidence_label, body.risk_level], ['human_name', 'very_high', 'low'])
  assert.deepEqual(body.data.validation_checks, body.validation_checks)
  const said = receiver.dialogue.filter((line) => line.startsWith('C: '))
  assert.ok(said.includes('C: MAIL FROM:<>'), said.join('\n'))
  assert.equal(said.filter((line) => line.startsWith('C: RCPT')).length, 3)
  assert.ok(said.some((line) => line === 'C: EHLO mail.posthorn.test'))
  assert.ok(!said.some((line) => line.startsWith('C: DATA')))
})

test('a domain that takes one of two addresses nobody has is no catch-all', async () => {
  const chosen: string[] = []
  await receiverOf('halfway.test', {
    rcpt: (address) => {
      if (address.startsWith('bob@')) return '250 OK'
      chosen.push(address)
      return chosen.length === 1 ? '250 OK' : UNKNOWN
    },
  })
  const asked = await world.api.post(VALIDATE, { email: 'bob@halfway.test' })
  assert.deepEqual([asked.body.smtp_result, chosen.length], ['deliverable', 2])
})

test('a server that turned another process away is left alone here too', async () => {
  const receiver = await receiverOf('elsewhere.test', onlyFor('bob'))
  const { database, ground } = world.rooms
  const buckets = sharedBuckets(database, ground.clock)
  await sharedProbeLimits({ database, clock: ground.clock, buckets }).shun('mx.elsewhere.test')
  const asked = await world.api.post(VALIDATE, { email: 'bob@elsewhere.test' })
  assert.deepEqual([asked.body.smtp_result, asked.body.is_valid, receiver.connectionCount], ['blocked', true, 0])
})

test('an answer is kept for a day for the asking account only; the catch-all result serves all accounts', async () => {
  const receiver = await receiverOf('kept.test', onlyFor('bob'))
  await world.api.post(VALIDATE, { email: 'bob@kept.test' })
  await world.api.post(VALIDATE, { email: 'bob@kept.test' })
  assert.equal(receiver.connectionCount, 1)
  const other = await world.newAccount()
  await other.api.post(VALIDATE, { email: 'bob@kept.test' })
  assert.equal(receiver.connectionCount, 2)
  assert.equal(receiver.dialogue.filter((line) => line.startsWith('C: RCPT')).length, 4)
  const { body } = await world.api.post(VALIDATE, { email: 'carol@kept.test' })
  assert.deepEqual([body.smtp_result, body.is_valid, body.deliverability_score], ['rejected', false, 5])
  assert.ok(body.confidence_score < 30)
})

const WANTED: readonly (readonly [what: string, script: ReceiverScript, result: string])[] = [
  ['catchall', {}, 'catch_all'],
  ['greylisting', { rcpt: '451 4.7.1 Greylisting in action, please come back later' }, 'greylisted'],
  ['tempfail', { rcpt: '450 4.2.0 mailbox unavailable for now' }, 'greylisted'],
  ['blocking', { banner: '554 5.7.1 your address is on our blocklist' }, 'blocked'],
  ['busy', { banner: '421 4.7.0 too many connections' }, 'blocked'],
  ['nullsender', { mail: '550 5.7.1 null sender not accepted' }, 'blocked'],
  ['full', { rcpt: '552 5.2.2 mailbox full' }, 'blocked'],
  ['refusing', { rcpt: UNKNOWN }, 'rejected'],
  ['closing', { banner: { then: 'close' } }, 'timeout'],
]

test('each kind of server answer is reported correctly, and only a rejection makes an address invalid', async () => {
  for (const [what, script, result] of WANTED) {
    await receiverOf(`${what}.test`, script)
    const { body } = await world.api.post(VALIDATE, { email: `anna@${what}.test` })
    assert.equal(body.smtp_result, result, what)
    assert.equal(body.is_valid, result !== 'rejected', what)
    const performed = result === 'catch_all' || result === 'rejected'
    assert.equal(body.validation_checks.smtp_check_performed, performed, what)
    assert.equal(body.validation_checks.mailbox_exists, result === 'catch_all', what)
    assert.ok(result === 'rejected' || (body.confidence_score >= 30 && body.confidence_score <= 69), what)
    assert.ok(body.suggestions.length > 0, what)
    assert.ok(!JSON.stringify(body).includes('blocklist'), 'what the server said stays here')
  }
})

test('an accepted mailbox is not certain when random addresses are deferred', async () => {
  const rcpt = (address: string): string => (address.startsWith('anna') ? '250 OK' : '451 4.3.0 try later')
  await receiverOf('unclear.test', { rcpt })
  for (const _ of ['asked', 'kept']) {
    const { body } = await world.api.post(VALIDATE, { email: ' anna@unclear.test ' })
    assert.deepEqual([body.smtp_result, body.validation_checks.is_catch_all], ['deliverable', false])
    assert.ok(body.confidence_score < 70, String(body.confidence_score))
    assert.match(body.suggestions.join(), /could not be found out/)
  }
})

test('a full mailbox is reported as such, not as a server without an answer', async () => {
  await receiverOf('fullbox.test', { rcpt: '552 5.2.2 mailbox full' })
  const { body } = await world.api.post(VALIDATE, { email: 'anna@fullbox.test' })
  assert.deepEqual([body.smtp_result, body.suggestions], ['blocked', ['The mailbox exists and is full']])
})

test('while the database fails, nothing is reported or learnt about a server', async () => {
  await using stack = new AsyncDisposableStack()
  let proxy: DatabaseProxy | null = null
  const own = stack.use(
    await startWorld({
      settings: { POSTHORN_SMTP_PORT: String(PORT) },
      way: async (url) => {
        proxy = stack.use(await databaseProxy(url))
        return proxy.url
      },
    }),
  )
  const receiver = await startReceiver({ host: '127.0.45.2', port: PORT, ...onlyFor('anna') })
  stack.defer(() => receiver.close())
  own.zones.declare({ 'sound.test': { MX: ['10 mx.sound.test'] }, 'mx.sound.test': { A: ['127.0.45.2'] } })
  const failing = (wanted: string): void => {
    if (proxy !== null) proxy.fault = ({ name }) => (name === wanted ? { state: '53200' } : null)
  }
  const ask = () => own.api.post(VALIDATE, { email: 'anna@sound.test' })
  // More failures than a server may be silent.
  for (const statement of [
    'shunned',
    'take_slot',
    'shunned',
    'claim_catch_all',
    'take_slot',
    'shunned',
    'keep_result',
  ]) {
    failing(`validation_${statement}`)
    const { status, body } = await ask()
    assert.deepEqual([status, body.code], [503, 'service_unavailable'], statement)
  }
  failing('nothing')
  const { status, body } = await ask()
  assert.deepEqual([status, body.smtp_result], [200, 'deliverable'], JSON.stringify(body))
})

test('a server that turned us away is left alone, for any address', async () => {
  const receiver = await receiverOf('door.test', { banner: '421 4.7.0 go away' })
  await world.api.post(VALIDATE, { email: 'a@door.test' })
  const { body } = await world.api.post(VALIDATE, { email: 'b@door.test' })
  assert.deepEqual([body.smtp_result, receiver.connectionCount], ['blocked', 1])
})

test('the end of greylisting is noticed when the address is checked again', async () => {
  let first = true
  await receiverOf('lifting.test', {
    rcpt: (address) => {
      if (!address.startsWith('dora')) return UNKNOWN
      const answer = first ? '451 4.7.1 Greylisted' : '250 OK'
      first = false
      return answer
    },
  })
  assert.equal((await world.api.post(VALIDATE, { email: 'dora@lifting.test' })).body.smtp_result, 'greylisted')
  world.clock.advance(120_000)
  assert.equal((await world.api.post(VALIDATE, { email: 'dora@lifting.test' })).body.smtp_result, 'deliverable')
})

test('a greylisted address is asked about again in the background, and later requests get that answer', async () => {
  let lifted = false
  const receiver = await receiverOf('background.test', {
    rcpt: (address) => (lifted ? (address.startsWith('greta') ? '250 OK' : UNKNOWN) : '451 4.7.1 Greylisted'),
  })
  const ask = async (): Promise<string> =>
    (await world.api.post(VALIDATE, { email: 'greta@background.test' })).body.smtp_result
  assert.equal(await ask(), 'greylisted')
  world.clock.advance(30_000)
  assert.equal(await ask(), 'greylisted')
  assert.equal(receiver.connectionCount, 1)
  lifted = true
  world.clock.advance(121_000)
  for (let tries = 0; receiver.connectionCount < 2 && tries < 1_200; tries++)
    await new Promise((r) => setTimeout(r, 50))
  for (let tries = 0; (await ask()) === 'greylisted' && tries < 1_200; tries++)
    await new Promise((r) => setTimeout(r, 50))
  // Requests made meanwhile may have asked the server too.
  const asked = receiver.connectionCount
  assert.ok(asked >= 2)
  assert.equal(await ask(), 'deliverable')
  assert.equal(receiver.connectionCount, asked)
})

test('a domain is asked about two random addresses a day, and the same two again after an unclear answer', async () => {
  const chance = new Set<string>()
  let isOpen = false
  const receiver = await receiverOf('chance.test', {
    rcpt: (address) => {
      if (address.startsWith('known')) return '250 OK'
      chance.add(address)
      return isOpen ? UNKNOWN : '451 4.7.1 Greylisted'
    },
  })
  const emails = Array.from({ length: 20 }, (_, index) => `known${index}@chance.test`)
  const unclear = (await world.api.post(`${VALIDATE}/batch`, { emails })).body.results
  assert.ok(unclear.every((one: { smtp_result: string }) => one.smtp_result === 'deliverable'))
  const asked = (): number => receiver.dialogue.filter((line) => /^C: RCPT TO:<[0-9a-f]{20}@/.test(line)).length
  assert.deepEqual([chance.size, asked()], [2, 2])
  isOpen = true
  world.clock.advance(301_000)
  await world.api.post(VALIDATE, { email: 'known99@chance.test' })
  assert.deepEqual([chance.size, asked()], [2, 4])
  await world.api.post(VALIDATE, { email: 'known98@chance.test' })
  assert.equal(asked(), 4)
  const { body } = await world.api.post(VALIDATE, { email: 'known1@chance.test' })
  assert.ok(!body.suggestions.some((text: string) => text.includes('could not be found out')), body.suggestions.join())
})

test('a checker that cannot work answers 503 with status error and refunds the credits', async () => {
  const account = await world.newAccount()
  const { database } = world.rooms
  const rename = (from: string, to: string) => statement(`test_${from}`, `alter table ${from} rename to ${to}`)
  const owner = statement('test_owner', 'set role posthorn_owner')
  await database.transaction(async (db) => {
    await db.execute(owner)
    await db.execute(rename('validation_result', 'validation_gone'))
    await db.execute(statement('test_system', 'set role posthorn_system'))
  })
  const { status, body, headers } = await account.api.post(VALIDATE, { email: 'anna@good.test' })
  await database.transaction(async (db) => {
    await db.execute(owner)
    await db.execute(rename('validation_gone', 'validation_result'))
    await db.execute(statement('test_system', 'set role posthorn_system'))
  })
  assert.deepEqual([status, body.status, body.code], [503, 'error', 'service_unavailable'])
  assert.ok(Number(headers.get('retry-after')) > 0)
  assert.equal((await account.api.get(`${VALIDATE}/quota`)).body.used, 0)
})

test('two processes together ask a server no more often than one may', async () => {
  const { database, ground, accounts } = world.rooms
  const own = ground.clock
  const buckets = [sharedBuckets(database, own), sharedBuckets(database, own)]
  const [one, two] = buckets.map((each) => sharedProbeLimits({ database, clock: own, buckets: each }))
  assert.ok(accounts !== undefined && one !== undefined && two !== undefined)
  const answers: string[] = []
  for (let count = 0; count < 100; count++)
    answers.push(await one.ask('mx.shared.test'), await two.ask('mx.shared.test'))
  const granted = answers.filter((answer) => answer === 'granted').length
  assert.ok(granted >= PER_MINUTE - 4 && granted <= PER_MINUTE + 20, String(granted))
  await one.shun('mx.shared.test')
  assert.equal(await two.ask('mx.shared.test'), 'shunned')
  world.clock.advance(SHUN_MS + 1_000)
  assert.equal(await two.ask('mx.shared.test'), 'granted')
})

test('two processes together hold no more connections to a server than one may; a dead process holds them for 15 s', async () => {
  const { database, ground, accounts } = world.rooms
  assert.ok(accounts !== undefined)
  const [one, two] = [1, 2].map(() =>
    sharedProbeLimits({ database, clock: ground.clock, buckets: sharedBuckets(database, ground.clock) }),
  )
  assert.ok(one !== undefined && two !== undefined)
  const never = new AbortController().signal
  const places = await Promise.all(
    Array.from({ length: AT_ONCE_PER_HOST }, (_, i) => (i % 2 === 0 ? one : two).enter('mx.slots.test', never)),
  )
  assert.ok(places.every((place) => place !== null))
  for (const each of [one, two]) assert.equal(await each.enter('mx.slots.test', AbortSignal.timeout(300)), null)
  assert.notEqual(await two.enter('mx.other.test', never), null)
  const next = two.enter('mx.slots.test', never)
  await places[0]?.()
  assert.notEqual(await next, null)
  assert.equal(await one.enter('mx.slots.test', AbortSignal.timeout(300)), null)
  world.clock.advance(15_001)
  assert.notEqual(await one.enter('mx.slots.test', never), null)
  // A late release must not free a slot that another process holds.
  await places[1]?.()
})

test('DNS answers decide before any server is asked', async () => {
  world.zones.declare({
    'nullmx.test': { MX: ['0 .'] },
    'deadmx.test': { MX: ['10 gone.deadmx.test'] },
    'nomx.test': { TXT: ['nothing here'] },
    'broken.test': 'servfail',
  })
  const check = async (email: string) => (await world.api.post(VALIDATE, { email })).body
  const gone = await check('a@nowhere.test')
  assert.deepEqual([gone.is_valid, gone.validation_checks.domain_exists, gone.deliverability_score], [false, false, 0])
  for (const domain of ['nullmx.test', 'nomx.test']) {
    const body = await check(`a@${domain}`)
    assert.deepEqual([body.is_valid, body.validation_checks.domain_exists], [false, true], domain)
    assert.deepEqual([body.validation_checks.has_mx_records, body.deliverability_score], [false, 0], domain)
  }
  const dead = (await world.api.post(VALIDATE, { email: 'a@deadmx.test' })).body
  assert.deepEqual([dead.is_valid, dead.validation_checks.has_mx_records, dead.deliverability_score], [false, true, 0])
  assert.match(dead.suggestions[0], /names a mail exchanger that does not exist/)
  const broken = await check('a@broken.test')
  assert.deepEqual([broken.is_valid, broken.validation_checks.mailbox_exists], [true, false])
  assert.deepEqual([broken.deliverability_score, broken.risk_level], [60, 'medium'])
  assert.match(broken.suggestions.join(), /DNS of the domain did not answer/)
  const bad = await check('no address at all')
  assert.deepEqual([bad.is_valid, bad.validation_checks.syntax_valid, bad.confidence_score], [false, false, 0])
  const comma = await check('erin@gmail,com')
  assert.deepEqual([comma.is_valid, comma.deliverability_score, comma.did_you_mean], [false, 0, 'erin@gmail.com'])
  assert.match(comma.suggestions.join(), /Did you mean erin@gmail\.com\?/)
})

test('a batch is answered in order, with duplicates, and hung servers do not hold up a healthy one', async () => {
  await receiverOf('healthy.test', onlyFor('erin'))
  await receiverOf('mute.test', { banner: { then: 'stall' } })
  const emails = ['erin@healthy.test', 'nobody@healthy.test', 'not an address', 'erin@healthy.test']
  for (let count = 0; count < 5; count++) emails.push(`hung${count}@mute.test`)
  let isOver = false
  const hung = world.api.post(`${VALIDATE}/batch`, { addresses: emails }).finally(() => {
    isOver = true
  })
  const alone = await world.api.post(VALIDATE, { email: 'frank@healthy.test' })
  assert.equal(alone.body.smtp_result, 'rejected')
  assert.equal(isOver, false, 'it waited for the hung ones')
  const { status, body } = await hung
  assert.equal(status, 200)
  assert.deepEqual(
    body.data.map(({ email }: { email: string }) => email),
    emails,
  )
  assert.deepEqual(body.summary, { total: 9, valid: 2, invalid: 2, unknown: 5 })
  assert.deepEqual(body.results, body.data)
  assert.equal(body.data[8].smtp_result, 'timeout')
})

function operator(): OperatorContext {
  const { database, store, ground } = world.rooms
  const { ids, clock } = ground
  return { database, secrets: store.secrets, ids, clock, passwords: passwords(ids.bytes) }
}

test('credits are taken for all or for none, and an invalid call costs nothing', async () => {
  const account = await world.newAccount()
  await setPlan(operator(), account.accountId, 'starter')
  const quota = async () => (await account.api.get(`${VALIDATE}/quota`)).body
  assert.deepEqual([(await quota()).limit, (await quota()).used], [100, 0])
  const emails = Array.from({ length: 60 }, (_, index) => `bad ${index}`)
  const first = await account.api.post(`${VALIDATE}/batch`, { emails })
  assert.deepEqual(first.body.usage, { used: 60, limit: 100, remaining: 40 })
  const second = await account.api.post(`${VALIDATE}/batch`, { emails })
  assert.deepEqual([second.status, second.body.code], [429, 'quota_exceeded'])
  for (const body of [{}, { email: 1 }, { email: '' }, { email: null }, { email: 'x'.repeat(1_001) }]) {
    assert.equal((await account.api.post(VALIDATE, body)).status, 422, JSON.stringify(body))
  }
  for (const body of [{}, { emails: [] }, { emails: Array(101).fill('a') }, { emails: ['a'], addresses: ['a'] }]) {
    assert.equal((await account.api.post(`${VALIDATE}/batch`, body)).status, 422)
  }
  const { used, remaining, reset_at } = await quota()
  assert.deepEqual([used, remaining], [60, 40])
  assert.ok(!Number.isNaN(Date.parse(reset_at)))
})

test('a sandbox key asks no server', async () => {
  const receiver = await receiverOf('untouched.test', {})
  const { body } = await world.account.testApi.post(VALIDATE, { email: 'a@untouched.test' })
  assert.deepEqual([body.smtp_result, body.is_valid, receiver.connectionCount], ['skipped', true, 0])
})

test('an exchanger at a private address is asked only if that is allowed', async () => {
  await using strict = await startWorld({
    settings: { POSTHORN_ALLOW_PRIVATE_NETWORKS: 'false', POSTHORN_SMTP_PORT: String(PORT) },
    zones: { 'inner.test': { MX: ['10 mx.inner.test'] }, 'mx.inner.test': { A: ['127.0.0.1'] } },
  })
  const { body } = await strict.api.post(VALIDATE, { email: 'a@inner.test' })
  assert.deepEqual([body.is_valid, body.smtp_result, body.deliverability_score], [false, 'skipped', 0])
})
