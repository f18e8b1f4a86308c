import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Fixture, fixture, type Node, until } from '../../../test/world/accounts-fixture.ts'
import { statement } from '../../platform/db.ts'
import type { ApiError } from '../../platform/errors.ts'
import { type CreatedAccount, resume, setFeature, suspend } from './accounts.ts'
import { keyFault } from './gate.ts'
import { newKey } from './key-format.ts'
import {
  changeKey,
  createKey,
  type KeyRequest,
  type KeyWithSecret,
  MAX_LIVE_KEYS,
  revokeKey,
  rotateKey,
  UNBOUNDED,
} from './keys.ts'
import { SCOPES } from './scopes.ts'
import { type KeyRow, listKeys } from './sql.ts'

let home: Fixture
let node: Node
let account: CreatedAccount

before(async () => {
  home = await fixture()
  node = await home.node()
  account = await home.account()
})
after(() => home[Symbol.asyncDispose]())

const context = () => ({
  ids: home.operator.ids,
  clock: home.operator.clock,
  ownedDomains: async () => new Set<string>(),
})

function make(request: Partial<KeyRequest> = {}, owner = account, db = home.database.system): Promise<KeyWithSecret> {
  return createKey(
    db,
    context(),
    { accountId: owner.accountId, ...UNBOUNDED },
    { name: 'k', mode: 'live', scopes: ['full'], domainIds: null, allowedIps: [], expiresAt: null, ...request },
  )
}

test('a key opens by X-API-Key and by Bearer', async () => {
  for (const headers of [
    { 'x-api-key': account.apiKey },
    { authorization: `Bearer ${account.apiKey}` },
    { authorization: `bearer ${account.apiKey}`, 'x-api-key': account.apiKey },
    { authorization: 'Basic dXNlcjpwYXNz', 'x-api-key': account.apiKey },
  ]) {
    const answer = await node.call('GET', '/probe/read', { headers })
    assert.equal(answer.status, 200)
    assert.equal(answer.body.data.accountId, account.accountId)
    assert.equal(answer.body.data.mode, 'live')
  }
  const test = await node.call('GET', '/probe/read', { key: account.testApiKey })
  assert.equal(test.body.data.mode, 'sandbox')
})

test('keys made at once never exceed the limit of an account, which counts none that is revoked', async () => {
  const owner = await home.account()
  const fill = statement(
    'test_fill_keys',
    `insert into api_key (account_id, id, name, prefix, last4, hash, mode, scopes, created_at)
     select $1, gen_random_uuid(), 'k', 'p', 'l', '', 'live', '{full}', now()
     from generate_series(1, $2 - (select count(*)::int from api_key where account_id = $1))`,
  )
  await home.database.system.execute(fill, [owner.accountId, MAX_LIVE_KEYS - 1])
  const made = await Promise.all(
    Array.from({ length: 16 }, () =>
      home.database
        .tenant(owner.accountId, (db) => make({}, owner, db))
        .then(
          () => 'made',
          (error: ApiError) => error.code,
        ),
    ),
  )
  assert.deepEqual(made.toSorted(), [...Array(15).fill('invalid_state'), 'made'])
  const { system } = home.database
  const [first] = await listKeys(system, owner.accountId, 1, 0)
  await revokeKey(system, home.operator.clock, { accountId: owner.accountId, ...UNBOUNDED }, first?.id ?? '')
  assert.equal((await make({}, owner)).row.revoked_at, null, 'a revoked key makes room for another')
  await assert.rejects(make({}, owner), { code: 'invalid_state' })
})

const random = (length: number) => home.operator.ids.bytes(length)
const REFUSED: readonly [what: string, headers: () => Record<string, string>, code: string][] = [
  ['nothing', () => ({}), 'missing_api_key'],
  ['an empty key', () => ({ 'x-api-key': '' }), 'missing_api_key'],
  ['another scheme', () => ({ authorization: 'Basic abc' }), 'missing_api_key'],
  ['no key at all', () => ({ 'x-api-key': 'hello' }), 'invalid_api_key'],
  ['a key nobody has', () => ({ 'x-api-key': newKey('live', random).key }), 'invalid_api_key'],
  ['a key cut short', () => ({ 'x-api-key': account.apiKey.slice(0, -1) }), 'invalid_api_key'],
  [
    'a key with one character changed',
    () => ({ 'x-api-key': account.apiKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')) }),
    'invalid_api_key',
  ],
  ['the right name with another secret', () => ({ 'x-api-key': sameName(account.apiKey) }), 'invalid_api_key'],
  ['two keys in one header', () => ({ 'x-api-key': `${account.apiKey}, ${account.apiKey}` }), 'invalid_api_key'],
  [
    'two that differ',
    () => ({ 'x-api-key': account.apiKey, authorization: `Bearer ${account.testApiKey}` }),
    'invalid_api_key',
  ],
]

/** Another key with the same first 16 characters and a valid checksum. */
function sameName(key: string): string {
  const wanted = Buffer.from([...key.slice(8, 16)].map((digit) => DIGITS.indexOf(digit)))
  return newKey('live', (length) => (length === 40 ? Buffer.concat([wanted, random(32)]) : random(length))).key
}
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

for (const [what, headers, code] of REFUSED) {
  test(`${what} is refused with 401 ${code} and a challenge`, async () => {
    const answer = await node.call('GET', '/probe/read', { headers: headers() })
    assert.equal(answer.status, 401)
    assert.equal(answer.body.code, code)
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
    assert.deepEqual(answer.body.details, {})
    assert.ok(answer.body.request_id)
  })
}

test('an expired key is reported as expired, but only to a caller who has it', async () => {
  const { key, row } = await make({ expiresAt: new Date(home.operator.clock.now().getTime() + 60_000) })
  assert.equal((await node.call('GET', '/probe/read', { key })).status, 200)
  const owner = { accountId: account.accountId, ...UNBOUNDED }
  await changeKey(home.database.system, context(), owner, row.id, { expiresAt: new Date(1_000) })
  await until(async () => (await node.call('GET', '/probe/read', { key })).body.code === 'api_key_expired')
})

test('a key and its previous secret end at their very time; without a time the previous secret is over', async () => {
  const { row } = await make()
  const at = new Date(1_000)
  const faultAt = (ms: number, over: Partial<KeyRow>, previous: boolean): string | undefined =>
    keyFault({ row: { ...row, ...over }, previous }, new Date(ms))?.().code
  assert.equal(faultAt(999, { expires_at: at }, false), undefined)
  assert.equal(faultAt(1_000, { expires_at: at }, false), 'api_key_expired')
  assert.equal(faultAt(999, { previous_valid_until: at }, true), undefined)
  assert.equal(faultAt(1_000, { previous_valid_until: at }, true), 'api_key_revoked')
  assert.equal(faultAt(1_000, { previous_valid_until: null }, true), 'api_key_revoked')
  assert.equal(faultAt(1_000, { previous_valid_until: at }, false), undefined)
})

test('a revocation holds in another process within 5 s, with and without its notification', async () => {
  for (const deaf of [false, true]) {
    const other = await home.node({ deaf })
    const { key, row } = await make()
    assert.equal((await other.call('GET', '/probe/read', { key })).status, 200)
    await revokeKey(home.database.system, home.operator.clock, { accountId: account.accountId, ...UNBOUNDED }, row.id)
    const tookMs = await until(async () => (await other.call('GET', '/probe/read', { key })).status === 401)
    if (!deaf) assert.ok(tookMs < 20_000, `${tookMs} ms`)
    assert.equal((await other.call('GET', '/probe/read', { key })).body.code, 'api_key_revoked')
  }
})

test('a rotation with grace leaves the old secret good until its time', async () => {
  const owner = { accountId: account.accountId, ...UNBOUNDED }
  const first = await make()
  const second = await rotateKey(home.database.system, context(), owner, first.row.id, 5_000)
  assert.equal(second.row.id, first.row.id)
  for (const { key } of [first, second]) assert.equal((await node.call('GET', '/probe/read', { key })).status, 200)
  await until(async () => (await node.call('GET', '/probe/read', { key: first.key })).status === 401)
  assert.equal((await node.call('GET', '/probe/read', { key: second.key })).status, 200)

  const third = await rotateKey(home.database.system, context(), owner, first.row.id, 0)
  await until(async () => (await node.call('GET', '/probe/read', { key: second.key })).status === 401)
  assert.equal((await node.call('GET', '/probe/read', { key: third.key })).status, 200)
  // The prefix of the first secret is no longer stored.
  assert.equal((await node.call('GET', '/probe/read', { key: first.key })).body.code, 'invalid_api_key')
})

test('a key with addresses is valid only from those', async () => {
  const { key } = await make({ allowedIps: ['192.0.2.0/24', '2001:db8::/32', '198.51.100.7'] })
  for (const [ip, status] of [
    ['192.0.2.77', 200],
    ['::ffff:192.0.2.77', 200],
    ['192.0.2.77:50123', 200],
    ['[2001:db8::1]', 200],
    ['[2001:db8::1]:50123', 200],
    ['2001:db8::1%eth0', 200],
    ['192.0.2.77, unknown', 403],
    ['192.0.2.77, 198.51.100.8:50123', 403],
    ['2001:db8::1', 200],
    ['198.51.100.7', 200],
    ['198.51.100.8', 403],
    ['2001:db9::1', 403],
    ['127.0.0.1', 403],
  ] as const) {
    const answer = await node.call('GET', '/probe/read', { key, headers: { 'x-forwarded-for': ip } })
    assert.equal(answer.status, status, ip)
    if (status === 403) assert.equal(answer.body.code, 'ip_not_allowed')
    assert.match(answer.headers.get('ratelimit-remaining') ?? '', /^\d+$/, ip)
  }
})

test('a scope opens what asks for it and nothing else', async () => {
  const routes = { 'domains:read': 'GET /probe/read', 'domains:write': 'POST /probe/write', send: 'POST /probe/send' }
  for (const scope of SCOPES) {
    const { key } = await make({ scopes: [scope] })
    for (const [needed, route] of Object.entries(routes)) {
      const [method = '', path = ''] = route.split(' ')
      const answer = await node.call(method, path, { key })
      assert.equal(answer.status, scope === 'full' || scope === needed ? 200 : 403, `${scope} on ${route}`)
      if (answer.status === 403) {
        assert.equal(answer.body.code, 'insufficient_scope')
        assert.deepEqual(answer.body.details, { required_scope: needed })
      }
    }
  }
})

test('a suspended account reads and does not write, within 5 s and everywhere', async () => {
  const owner = await home.account()
  const other = await home.node({ deaf: true })
  const key = owner.apiKey
  for (const one of [node, other]) assert.equal((await one.call('POST', '/probe/write', { key })).status, 200)
  await suspend(home.operator, owner.accountId)
  for (const one of [node, other]) {
    await until(async () => (await one.call('POST', '/probe/write', { key })).body.code === 'account_suspended')
    for (const method of ['GET', 'HEAD']) assert.equal((await one.call(method, '/probe/read', { key })).status, 200)
    assert.equal((await one.call('POST', '/probe/look', { key })).status, 200)
    const refused = await one.call('POST', '/probe/send', { key })
    assert.equal(refused.status, 403)
    assert.match(refused.headers.get('x-ratelimit-reset') ?? '', /^\d+$/)
  }
  await until(async () => node.room.suspendedAccounts().has(owner.accountId))
  await resume(home.operator, owner.accountId)
  await until(async () => (await node.call('POST', '/probe/write', { key })).status === 200)
  await until(async () => !node.room.suspendedAccounts().has(owner.accountId))
})

test('what a plan leaves out is refused with the plans that have it', async () => {
  const starter = await home.account('starter')
  const risk = await node.call('GET', '/probe/risk', { key: starter.apiKey })
  assert.equal(risk.status, 403)
  assert.equal(risk.body.code, 'plan_required')
  assert.deepEqual(risk.body.details, {
    required_plans: ['professional', 'business', 'enterprise', 'custom'],
    current_plan: 'starter',
  })
  const professional = await home.account('professional')
  assert.equal((await node.call('GET', '/probe/risk', { key: professional.apiKey })).status, 200)
  const content = await node.call('GET', '/probe/content', { key: professional.apiKey })
  assert.equal(content.body.code, 'feature_not_enabled')
  assert.deepEqual(content.body.details, { feature: 'content_events' })
  await setFeature(home.operator, professional.accountId, 'risk', false)
  const ask = () => node.call('GET', '/probe/risk', { key: professional.apiKey })
  await until(async () => (await ask()).status === 403)
  const taken = await ask()
  assert.deepEqual([taken.body.code, taken.body.details], ['feature_not_enabled', { feature: 'risk' }])
})

test("the first fault in the contract's order is the one reported", async () => {
  const owner = await home.account('starter')
  const { key } = await make({ scopes: ['domains:read'], allowedIps: ['192.0.2.1'] }, owner)
  await suspend(home.operator, owner.accountId)
  const from = { 'x-forwarded-for': '192.0.2.1' }
  assert.equal((await node.call('POST', '/probe/write', { key })).body.code, 'ip_not_allowed')
  assert.equal((await node.call('POST', '/probe/write', { key, headers: from })).body.code, 'account_suspended')
  assert.equal((await node.call('GET', '/probe/risk', { key, headers: from })).body.code, 'insufficient_scope')
  assert.equal((await node.call('GET', '/no/such', { key, headers: from })).status, 404)
})

test("a key's last use is recorded with its time and address; one refused for its address is no use", async () => {
  const bound = await make({ allowedIps: ['192.0.2.0/24'] })
  const { key, row } = await make()
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  assert.equal((await node.call('GET', '/probe/read', { key: bound.key, headers })).status, 403)
  await node.call('GET', '/probe/read', { key, headers })
  const keyOf = async (id: string): Promise<KeyRow | undefined> =>
    (await listKeys(home.database.system, account.accountId, null, 0)).find((one) => one.id === id)
  await until(async () => {
    const used = await keyOf(row.id)
    return used?.last_used_ip === '203.0.113.9' && used.last_used_at !== null
  })
  assert.equal((await keyOf(bound.row.id))?.last_used_at, null)
})

test('a flood of wrong keys from an address is told to wait, and does not hold up the good key beside it', async () => {
  const limited = await home.node({ rateLimits: true })
  const owner = await home.account()
  const headers = { 'x-forwarded-for': '203.0.113.50' }
  const statuses = new Set<number>()
  // A machine slower than the rate is never told to wait.
  for (let i = 0; i < 12 || (!statuses.has(429) && i < 100); i++) {
    const wrong = await Promise.all(
      Array.from({ length: 100 }, () =>
        limited.call('GET', '/probe/read', { key: newKey('live', random).key, headers }),
      ),
    )
    for (const { status } of wrong) statuses.add(status)
  }
  assert.deepEqual([...statuses].sort(), [401, 429])
  assert.equal((await limited.call('GET', '/probe/read', { key: owner.apiKey, headers })).status, 200)
  const others = await Promise.all(Array.from({ length: 100 }, () => limited.call('GET', '/probe/read', { key: 'x' })))
  assert.deepEqual([...new Set(others.map(({ status }) => status))], [401], 'another address')
})
