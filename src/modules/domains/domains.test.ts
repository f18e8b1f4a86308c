import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { after, before, test } from 'node:test'
import { freshDb, type TestDatabase } from '../../../test/database.ts'
import { type Declared, declaredResolver } from '../../../test/declared-dns.ts'
import { connect, type Database, statement } from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import { type HttpServer, httpServer, type Principal } from '../../platform/http.ts'
import { systemIds } from '../../platform/ids.ts'
import { createLogger } from '../../platform/log.ts'
import { secretsFrom } from '../../platform/secrets.ts'
import { ensureEventPartitions } from '../events/index.ts'
import {
  type Domains,
  domainRoutes,
  domainsOf,
  domainsUsing,
  leaveTrackingDomain,
  oldestUsable,
  ownedDomains,
  type RemovedDomain,
  recheckDue,
  type SenderDomains,
  senderDomainsOf,
} from './index.ts'

const START = new Date('2026-03-01T12:00:00Z')
const HOUR_MS = 3_600_000
let now = START
let monotonicMs = 0
const clock = { now: () => now, monotonicMs: () => monotonicMs, sleep: async () => undefined }
const ids = systemIds()
const log = createLogger('silent')
const secrets = secretsFrom(Buffer.alloc(32, 7))
const ACCOUNT = ids.next()
const OTHER = ids.next()
const TRACKING_DOMAIN = ids.next()
const V1 = '/api/v1/customer/domains'
const LEGACY = '/api/customer/domains'

const zones: Record<string, Declared[]> = {}
const removed: RemovedDomain[] = []
const principals = new Map<string, Principal>()
const principal = (accountId: string, over: Partial<Principal> = {}): Principal => {
  return { accountId, keyId: null, mode: 'live', scopes: ['full'], domainIds: null, ...over }
}
principals.set('ours', principal(ACCOUNT)).set('theirs', principal(OTHER))
principals.set('reader', principal(ACCOUNT, { scopes: ['domains:read'] }))

let store: TestDatabase
let database: Database
let server: HttpServer
let domains: Domains
let senders: SenderDomains

before(async () => {
  store = await freshDb()
  database = connect({ url: store.url, onError: () => undefined })
  for (let week = 0; week < 4; week++) {
    await ensureEventPartitions(database.system, new Date(START.getTime() + week * 168 * HOUR_MS))
  }
  // Reads the zones at each question, so that a test publishes by declaring.
  const resolver = { ...declaredResolver(zones) }
  for (const type of ['txt', 'a', 'aaaa', 'mx'] as const) {
    Object.assign(resolver, { [type]: (name: string) => declaredResolver(zones)[type](name) })
  }
  domains = domainsOf({
    database,
    clock,
    ids,
    resolver,
    secrets,
    spfMechanism: 'a:mx.posthorn.example',
    trackingDomainExists: async (_db, accountId, id) => accountId === ACCOUNT && id === TRACKING_DOMAIN,
    onRemoved: async (_db, domain) => void removed.push(domain),
  })
  senders = senderDomainsOf({ database, clock, secrets })
  await senders.listen()
  server = await httpServer({
    gate: {
      admit: async ({ apiKeyHeader, authorization }, { scope }) => {
        const asked = principals.get(String(apiKeyHeader ?? authorization?.replace('Bearer ', '')))
        if (asked === undefined) throw new ApiError(401, 'invalid_api_key', 'The API key is not valid')
        if (!asked.scopes.includes('full') && !asked.scopes.includes(scope)) {
          throw new ApiError(403, 'insufficient_scope', 'The key lacks a scope', { details: { required_scope: scope } })
        }
        return asked
      },
    },
    log,
    ids,
    trustedProxies: [],
    openapi: { publicUrl: 'http://127.0.0.1:8080', euUrl: null },
  })
  server.add(domainRoutes(domains))
})
after(async () => {
  await server.app.close()
  await database.close()
  await store[Symbol.asyncDispose]()
})

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON whose shape the tests assert
type Json = any

async function ask(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  body?: unknown,
  headers: Record<string, string> = { 'x-api-key': 'ours' },
): Promise<{ status: number; body: Json; headers: Record<string, unknown> }> {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  const json = body === undefined ? {} : { 'content-type': 'application/json', payload }
  const { payload: bytes, ...type } = json as { payload?: string }
  const answer = await server.app.inject({
    method,
    url,
    headers: { ...type, ...headers },
    ...(bytes !== undefined && { payload: bytes }),
  })
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
}

let made = 0
async function addDomain(key = 'ours', name = `shop${++made}.example`): Promise<Json> {
  const { status, body } = await ask('POST', V1, { domain: name }, { 'x-api-key': key })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}

/** Publishes the records as they are given, as the owner of the domain would. */
async function publish(domain: Json, key = 'ours', without: readonly string[] = []): Promise<void> {
  const { body } = await ask('GET', `${V1}/${domain.id}/dns`, undefined, { 'x-api-key': key })
  for (const { name, purpose, value } of body.dns_records) {
    zones[name] = (zones[name] ?? []).filter((record) => purpose === 'ownership' && record !== 'TIMEOUT')
    if (!without.includes(purpose)) zones[name].push({ txt: value })
  }
}

const EVENTS = statement('test_domain_events', 'select type, data from event where domain_id = $1 order by xid, seq')
async function eventsOf(id: string): Promise<readonly { type: number; data: Json }[]> {
  return database.system.query(EVENTS, [id])
}

test('adding a domain answers DomainDetail, with the private key this once', async () => {
  const { status, body } = await ask('POST', V1, { domain: 'added.example', tags: ['a', 'b', 'a'] })
  assert.equal(status, 201)
  assert.deepEqual(body.data, body.domain)
  const { data } = body
  assert.deepEqual(
    [data.domain, data.verification_status, data.is_active, data.tags, data.verified_at, data.last_checked_at],
    ['added.example', 'pending', false, ['a', 'b'], null, null],
  )
  assert.equal(data.spf_record, 'v=spf1 a:mx.posthorn.example ~all')
  assert.match(data.dmarc_record, /^v=DMARC1; p=none; rua=mailto:/)
  for (const setting of ['tracking_enabled', 'open_tracking_enabled', 'tracking_domain_id']) {
    assert.equal(data[setting], null)
  }
  const publicKey = createPublicKey({ key: Buffer.from(data.dkim_public_key, 'base64'), format: 'der', type: 'spki' })
  assert.equal(publicKey.asymmetricKeyDetails?.modulusLength, 2048)
  const signature = sign('sha256', Buffer.from('x'), createPrivateKey(data.dkim_private_key))
  assert.ok(verify('sha256', Buffer.from('x'), publicKey, signature))
  for (const url of [V1, `${V1}/${data.id}`, `${V1}/${data.id}/dns`]) {
    const shown = await ask('GET', url)
    assert.equal(shown.status, 200)
    assert.ok(!JSON.stringify(shown.body).includes('PRIVATE KEY'), url)
  }
})

test('the same domain twice on one account is 409, on another account it is not told of', async () => {
  await addDomain('ours', 'both.example')
  const again = await ask('POST', V1, { domain: 'both.example' })
  assert.deepEqual([again.status, again.body.code], [409, 'already_exists'])
  const [mine] = (await ask('GET', V1)).body.data.filter((each: Json) => each.domain === 'both.example')
  const theirs = await addDomain('theirs', 'both.example')
  assert.notEqual(mine.verification_token, theirs.verification_token)
  assert.notEqual(mine.dkim_selector, theirs.dkim_selector)
})

test('adding the same domain ten times at once makes one', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask('POST', V1, { domain: 'race.example' })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(9).fill(409)])
})

const long = `${'a'.repeat(63)}.example`
// Each row: a domain name, and whether the documented pattern and the lengths of the DNS allow it.
const NAMES: readonly (readonly [unknown, boolean])[] = [
  ['a.b-c.d1.example', true],
  [long, true],
  [`a${long}`, false],
  [`${'a.'.repeat(123)}example`, true],
  [`${'a.'.repeat(124)}example`, false],
  ['Shop.example', false],
  ['xn--bcher-kva.example', false],
  ['a--b.example', false],
  ['-a.example', false],
  ['a-.example', false],
  ['a..example', false],
  ['example', false],
  ['shop.example.', false],
  ['shop.e', false],
  ['shop.123', false],
  ['127.0.0.1', false],
  ['shop_x.example', false],
  ['shop.example\n', false],
  ['bücher.example', false],
  ['', false],
  [null, false],
  [7, false],
  [['a.example'], false],
]
for (const [name, good] of NAMES) {
  test(`the domain ${JSON.stringify(name)?.slice(0, 60)} is ${good ? 'taken' : 'refused with 422'}`, async () => {
    const { status, body } = await ask('POST', V1, { domain: name })
    assert.equal(status, good ? 201 : 422, JSON.stringify(body).slice(0, 300))
    if (!good) assert.deepEqual([body.code, body.details.fields[0].field], ['validation_error', 'domain'])
  })
}

// Each row: a request to add, and the answer.
const BAD: readonly (readonly [body: unknown, status: number, code: string, field: string | null])[] = [
  ['{"domain":', 400, 'invalid_json', null],
  [{}, 422, 'validation_error', 'domain'],
  [{ domain: 'x.example', verified_at: 'now' }, 422, 'validation_error', 'verified_at'],
  [{ domain: 'x.example', account_id: OTHER }, 422, 'validation_error', 'account_id'],
  [{ domain: 'x.example', tags: 'a' }, 422, 'validation_error', 'tags'],
  [{ domain: 'x.example', tags: ['ok', 'a\nb'] }, 422, 'validation_error', 'tags[1]'],
  [{ domain: 'x.example', tags: ['a\0b'] }, 422, 'validation_error', 'tags[0]'],
  [{ domain: 'x.example', tags: ['x'.repeat(129)] }, 422, 'validation_error', 'tags[0]'],
  [{ domain: 'x.example', tags: Array(51).fill('t') }, 422, 'validation_error', 'tags'],
]
for (const [body, status, code, field] of BAD) {
  test(`adding with ${JSON.stringify(body).slice(0, 70)} is ${status} ${code}`, async () => {
    const answer = await ask('POST', V1, body)
    assert.deepEqual([answer.status, answer.body.code], [status, code])
    if (field !== null) assert.equal(answer.body.details.fields[0].field, field)
  })
}

const ROUTES: readonly (readonly ['GET' | 'POST' | 'PATCH' | 'DELETE', string, needsWrite: boolean])[] = [
  ['GET', '/ID', false],
  ['GET', '/ID/dns', false],
  ['POST', '/ID/verify', true],
  ['PATCH', '/ID', true],
  ['DELETE', '/ID', true],
]
for (const [method, path, needsWrite] of ROUTES) {
  test(`${method} ${path}: 401, then 403, then 400, then 404 for an absent id and another account's alike`, async () => {
    const theirs = await addDomain('theirs')
    const url = (id: string): string => V1 + path.replace('ID', id)
    assert.equal((await ask(method, url('nonsense'), undefined, {})).status, 401)
    assert.equal((await ask(method, url('nonsense'), undefined, { 'x-api-key': 'wrong' })).status, 401)
    const reader = await ask(method, url(theirs.id), undefined, { 'x-api-key': 'reader' })
    assert.equal(reader.status, needsWrite ? 403 : 404)
    const malformed = await ask(method, url('nonsense'))
    assert.deepEqual([malformed.status, malformed.body.code], [400, 'invalid_parameter'])
    const foreign = await ask(method, url(theirs.id))
    const absent = await ask(method, url(ids.next()))
    assert.deepEqual([foreign.status, absent.status, foreign.body.code], [404, 404, 'not_found'])
    assert.equal(foreign.body.error, absent.body.error)
    assert.deepEqual(foreign.body.details, absent.body.details)
    assert.equal((await ask('GET', `${V1}/${theirs.id}`, undefined, { 'x-api-key': 'theirs' })).status, 200)
  })
}

test('listing and adding want a key and the scope', async () => {
  for (const method of ['GET', 'POST'] as const) assert.equal((await ask(method, V1, undefined, {})).status, 401)
  assert.equal((await ask('POST', V1, { domain: 'x.example' }, { 'x-api-key': 'reader' })).status, 403)
  assert.equal((await ask('GET', V1, undefined, { 'x-api-key': 'reader' })).status, 200)
})

test('both prefixes answer, by both ways to authenticate; the legacy one says what succeeds it', async () => {
  const bearer = { authorization: 'Bearer ours' }
  const added = await ask('POST', LEGACY, { domain: 'legacy.example', unknown: 'ignored' }, bearer)
  assert.equal(added.status, 201)
  const { id } = added.body.domain
  const calls: readonly (readonly ['GET' | 'POST' | 'DELETE', string])[] = [
    ['GET', ''],
    ['GET', `/${id}/dns`],
    ['POST', `/${id}/verify`],
    ['DELETE', `/${id}`],
  ]
  for (const [method, path] of calls) {
    const { status, headers } = await ask(method, LEGACY + path, undefined, bearer)
    assert.equal(status, 200, `${method} ${path}`)
    assert.equal(headers['link'], `<${V1}${path}>; rel="successor-version"`)
    assert.match(String(headers['deprecation']), /^@\d+$/)
  }
  assert.equal((await ask('PATCH', `${LEGACY}/${id}`, {}, bearer)).status, 405)
})

test('a list comes in full, or by the page', async () => {
  principals.set('pager', principal(ids.next()))
  const key = { 'x-api-key': 'pager' }
  const names = ['one.example', 'two.example', 'three.example']
  for (const name of names) await addDomain('pager', name)
  const full = await ask('GET', V1, undefined, key)
  assert.deepEqual(full.body.domains, full.body.data)
  assert.deepEqual(
    full.body.data.map((each: Json) => each.domain),
    names,
  )
  assert.deepEqual([full.body.pagination.total, full.body.pagination.pages], [3, 1])
  const second = await ask('GET', `${V1}?page=2&limit=2`, undefined, key)
  assert.deepEqual(
    second.body.data.map((each: Json) => each.domain),
    ['three.example'],
  )
  assert.deepEqual(second.body.pagination, { page: 2, limit: 2, total: 3, pages: 2 })
  for (const query of ['page=0', 'limit=101', 'limit=x']) {
    assert.equal((await ask('GET', `${V1}?${query}`, undefined, key)).status, 400)
  }
})

test('the four records, before any check, are pending and complete', async () => {
  const domain = await addDomain('ours', 'mail.records.example')
  const { body } = await ask('GET', `${V1}/${domain.id}/dns`)
  assert.deepEqual(Object.keys(body).sort(), ['data', 'dns_records', 'domain', 'optional_records'])
  assert.equal(body.domain, 'mail.records.example')
  assert.deepEqual(body.data.dns_records, body.dns_records)
  assert.deepEqual(
    body.dns_records.map((record: Json) => record.purpose),
    ['ownership', 'spf', 'dkim', 'dmarc'],
  )
  assert.deepEqual(body.dns_records[1], {
    type: 'TXT',
    purpose: 'spf',
    name: 'mail.records.example',
    host: 'mail',
    value: 'v=spf1 a:mx.posthorn.example ~all',
    ttl: 3600,
    priority: null,
    required: true,
    status: 'pending',
    found: [],
    error: null,
    last_checked_at: null,
  })
  assert.equal(body.dns_records[0].value, `posthorn-verify=${domain.verification_token}`)
})

test('publishing the four values as given verifies, and tells it once', async () => {
  const domain = await addDomain()
  const early = await ask('POST', `${V1}/${domain.id}/verify`)
  assert.deepEqual([early.status, early.body.verified, early.body.success], [200, false, true])
  assert.deepEqual(
    Object.values<Json>(early.body.checks).map(({ status }) => status),
    ['missing', 'missing', 'missing', 'missing'],
  )
  await publish(domain)
  for (let time = 0; time < 2; time++) {
    const { body } = await ask('POST', `${V1}/${domain.id}/verify`)
    assert.deepEqual([body.verified, body.verification_status, body.domain.is_active], [true, 'verified', true])
    assert.equal(body.domain.verified_at, now.toISOString())
    assert.equal(body.data.id, domain.id)
    assert.deepEqual(new Set(body.dns_records.map((record: Json) => record.status)), new Set(['valid']))
    assert.ok(Date.parse(body.next_check_at) >= now.getTime() + 24 * HOUR_MS)
  }
  const events = await eventsOf(domain.id)
  assert.equal(events.length, 1)
  const [{ type, data } = { type: 0, data: {} }] = events
  assert.deepEqual(
    [type, data.domain_id, data.domain, data.verification_status],
    [20, domain.id, domain.domain, 'verified'],
  )
  assert.equal(data.checks.dkim.status, 'valid')
})

test('two accounts with one domain: each is judged by its own token and key', async () => {
  const mine = await addDomain('ours', 'contested.example')
  const theirs = await addDomain('theirs', 'contested.example')
  await publish(theirs, 'theirs')
  assert.equal((await ask('POST', `${V1}/${mine.id}/verify`)).body.verified, false)
  const proved = await ask('POST', `${V1}/${theirs.id}/verify`, undefined, { 'x-api-key': 'theirs' })
  assert.equal(proved.body.verified, true)
  await publish(mine)
  assert.equal((await ask('POST', `${V1}/${mine.id}/verify`)).body.verified, true)
})

test('what a hostile DNS answers is stored and shown as text', async () => {
  const domain = await addDomain()
  await publish(domain, 'ours', ['spf'])
  zones[domain.domain] = [{ txt: 'v=spf1 a:\0\ud800 <script> -all' }]
  const { status, body } = await ask('POST', `${V1}/${domain.id}/verify`)
  assert.deepEqual([status, body.checks.spf.status], [200, 'mismatch'])
  assert.equal((await ask('GET', `${V1}/${domain.id}/dns`)).body.dns_records[1].status, 'mismatch')
})

test('settings: null, true and false are told apart, absent ones stay, an unknown tracking domain is 422', async () => {
  const { id } = await addDomain()
  const change = (body: object) => ask('PATCH', `${V1}/${id}`, body)
  const first = await change({ tracking_enabled: true, click_tracking_enabled: false, tags: ['x'] })
  assert.deepEqual(first.body.data, first.body.domain)
  const second = await change({ tracking_enabled: null, tracking_domain_id: TRACKING_DOMAIN })
  const { tracking_enabled, click_tracking_enabled, open_tracking_enabled, tracking_domain_id, tags } = second.body.data
  assert.deepEqual(
    [tracking_enabled, click_tracking_enabled, open_tracking_enabled, tracking_domain_id, tags],
    [null, false, null, TRACKING_DOMAIN, ['x']],
  )
  assert.deepEqual((await change({})).body.data, second.body.data)
  assert.deepEqual(await domainsUsing(database.system, ACCOUNT, TRACKING_DOMAIN), [
    { id, name: second.body.data.domain },
  ])
  await leaveTrackingDomain(database.system, ACCOUNT, TRACKING_DOMAIN)
  assert.equal((await ask('GET', `${V1}/${id}`)).body.data.tracking_domain_id, null)
  const faults: readonly (readonly [object, string])[] = [
    [{ tracking_domain_id: ids.next() }, 'tracking_domain_id'],
    [{ tracking_domain_id: 'x' }, 'tracking_domain_id'],
    [{ tracking_enabled: 'true' }, 'tracking_enabled'],
    [{ verification_status: 'verified' }, 'verification_status'],
  ]
  for (const [body, field] of faults) {
    const answer = await change(body)
    assert.deepEqual([answer.status, answer.body.details.fields[0].field], [422, field])
  }
})

test('removing answers what was removed, tells the rest of the house, and the name is free again', async () => {
  const { id, domain } = await addDomain()
  const { status, body } = await ask('DELETE', `${V1}/${id}`)
  assert.deepEqual([status, body.success, typeof body.message, body.domain], [200, true, 'string', { id, domain }])
  assert.deepEqual(removed.at(-1), { accountId: ACCOUNT, domainId: id })
  assert.equal((await ask('DELETE', `${V1}/${id}`)).status, 404)
  assert.notEqual((await addDomain('ours', domain)).id, id)
})

test('a key that is bound to domains sees and changes these alone', async () => {
  const [bound, free] = [await addDomain(), await addDomain()]
  principals.set('bound', principal(ACCOUNT, { domainIds: [bound.id] }))
  const key = { 'x-api-key': 'bound' }
  const { body } = await ask('GET', V1, undefined, key)
  assert.deepEqual([body.data.map((each: Json) => each.id), body.pagination.total], [[bound.id], 1])
  assert.equal((await ask('GET', `${V1}/${bound.id}`, undefined, key)).status, 200)
  for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
    assert.equal((await ask(method, `${V1}/${free.id}`, undefined, key)).status, 404)
  }
})

async function statusOf(id: string): Promise<string> {
  return (await ask('GET', `${V1}/${id}`)).body.data.verification_status
}

async function recheckAt(at: Date): Promise<void> {
  now = at
  const options = { database, clock, domains, log }
  const rounds = 20
  for (let round = 0; round < rounds; round++) {
    if ((await recheckDue(options, new AbortController().signal)) > 0) return
  }
  assert.fail(`still due after ${rounds} rounds`)
}

test('the clock rechecks: verified, lost, back, lost for 72 hours; a dead DNS changes nothing', async (t) => {
  t.after(() => {
    now = START
  })
  const domain = await addDomain()
  await publish(domain)
  const hours = (count: number): Date => new Date(START.getTime() + count * HOUR_MS)
  await recheckAt(hours(0.05))
  assert.equal(await statusOf(domain.id), 'pending')
  await recheckAt(hours(0.1))
  assert.equal(await statusOf(domain.id), 'verified')
  const dkim = `${domain.dkim_selector}._domainkey.${domain.domain}`
  const key = zones[dkim] ?? []
  zones[dkim] = ['TIMEOUT']
  await recheckAt(hours(30))
  assert.equal(await statusOf(domain.id), 'verified')
  zones[dkim] = []
  await recheckAt(hours(60))
  assert.equal(await statusOf(domain.id), 'temporary_failure')
  zones[dkim] = key
  await recheckAt(hours(61))
  assert.equal(await statusOf(domain.id), 'verified')
  zones[dkim] = []
  await recheckAt(hours(90))
  await recheckAt(hours(161))
  assert.equal(await statusOf(domain.id), 'temporary_failure')
  await recheckAt(hours(163))
  assert.equal(await statusOf(domain.id), 'failed')
  zones[dkim] = key
  await recheckAt(hours(200))
  assert.equal(await statusOf(domain.id), 'failed')
  assert.equal((await ask('POST', `${V1}/${domain.id}/verify`)).body.verified, true)
  assert.deepEqual(
    (await eventsOf(domain.id)).map(({ type }) => type),
    [20, 21, 20, 21, 21, 20],
  )
})

test('ten verifies at once tell one change of state once', async () => {
  const domain = await addDomain()
  await publish(domain)
  await Promise.all(Array.from({ length: 10 }, () => ask('POST', `${V1}/${domain.id}/verify`)))
  assert.equal((await eventsOf(domain.id)).length, 1)
})

test("the operator's word: suspended stays so whatever the DNS says, verified stands without rechecks", async () => {
  const domain = await addDomain()
  await publish(domain)
  const [known] = await domains.find(domain.domain)
  assert.equal(known?.id, domain.id)
  assert.equal((await domains.find(domain.id))[0]?.name, domain.domain)
  await domains.setStatus(ACCOUNT, domain.id, 'suspended')
  const suspended = (await ask('POST', `${V1}/${domain.id}/verify`)).body
  assert.deepEqual(
    [suspended.verified, suspended.verification_status, suspended.next_check_at],
    [false, 'suspended', null],
  )
  const set = await domains.setStatus(ACCOUNT, domain.id, 'verified')
  assert.deepEqual([set.status, set.nextCheckAt], ['verified', null])
  assert.deepEqual(
    (await eventsOf(domain.id)).map(({ type }) => type),
    [20],
  )
})

test('a sender is answered from memory, and a change in another process is heard', async () => {
  const domain = await addDomain()
  assert.equal(await senders.senderDomain(database.system, ACCOUNT, `sub.${domain.domain}`), null)
  assert.equal(await senders.senderDomain(database.system, OTHER, domain.domain), null)
  const before = await senders.senderDomain(database.system, ACCOUNT, domain.domain)
  assert.deepEqual([before?.id, before?.status, before?.isActive], [domain.id, 'pending', false])
  assert.equal(await senders.senderDomain(database.system, ACCOUNT, domain.domain), before)
  // The other process: its change reaches this memory through the database alone.
  await domains.setStatus(ACCOUNT, domain.id, 'verified')
  const heard = async (): Promise<boolean> =>
    (await senders.senderDomain(database.system, ACCOUNT, domain.domain))?.isActive === true
  for (let time = 0; time < 200 && !(await heard()); time++) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.ok(await heard())
  await ask('DELETE', `${V1}/${domain.id}`)
  monotonicMs += 5_000
  assert.equal(await senders.senderDomain(database.system, ACCOUNT, domain.domain), null)
})

test('signing keys come opened, and a removed domain is missing from the answer', async () => {
  const [one, two] = [await addDomain(), await addDomain('theirs')]
  const keys = await senders.signingKeys(database.system, [one.id, two.id, one.id, ids.next()])
  assert.deepEqual([...keys.keys()].sort(), [one.id, two.id].sort())
  const key = keys.get(one.id)
  assert.deepEqual([key?.domain, key?.selector, key?.isActive], [one.domain, one.dkim_selector, false])
  assert.equal(key?.privateKey.export({ type: 'pkcs8', format: 'pem' }), one.dkim_private_key)
  await ask('DELETE', `${V1}/${one.id}`)
  monotonicMs += 5_000
  const left = await senders.signingKeys(database.system, [one.id, two.id])
  assert.deepEqual([...left.keys()], [two.id])
  assert.ok(left.get(two.id)?.privateKey.equals(keys.get(two.id)?.privateKey as never))
})

const SWAP = statement(
  'test_domain_swap',
  `update sending_domain a set dkim_private_key = b.dkim_private_key from sending_domain b
   where (a.id, b.id) in (($1::uuid, $2::uuid), ($2::uuid, $1::uuid))`,
)
test('two sealed keys that are swapped in the database do not open', async () => {
  const [one, two] = [await addDomain(), await addDomain()]
  assert.equal(await database.system.execute(SWAP, [one.id, two.id]), 2)
  const fresh = senderDomainsOf({ database, clock, secrets })
  for (const id of [one.id, two.id]) await assert.rejects(fresh.signingKeys(database.system, [id]))
})

test('the oldest domain in use, and which ids are whose', async () => {
  const accountId = ids.next()
  principals.set('fresh', principal(accountId))
  const [pending, used] = [await addDomain('fresh'), await addDomain('fresh')]
  assert.equal(await oldestUsable(database.system, accountId), null)
  await domains.setStatus(accountId, used.id, 'temporary_failure')
  assert.deepEqual(await oldestUsable(database.system, accountId), { id: used.id, name: used.domain })
  const owned = await ownedDomains(database.system, accountId, [pending.id, used.id, ids.next()])
  assert.deepEqual([...owned].sort(), [pending.id, used.id].sort())
  assert.equal((await ownedDomains(database.system, OTHER, [pending.id])).size, 0)
})

test('the database itself shows a tenant its own rows alone', async () => {
  const all = statement('test_domain_all', 'select account_id from sending_domain')
  const rows = await database.tenant(OTHER, (db) => db.query<{ account_id: string }>(all))
  assert.ok(rows.length > 0)
  assert.deepEqual(new Set(rows.map((row) => row.account_id)), new Set([OTHER]))
})
