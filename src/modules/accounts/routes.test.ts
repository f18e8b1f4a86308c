import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Fixture, fixture, log, type Node, until } from '../../../test/world/accounts-fixture.ts'
import type { Statement } from '../../platform/db.ts'
import type { CreatedAccount } from './accounts.ts'
import { isKey } from './key-format.ts'
import { accountRoutes } from './routes.ts'

const PROFILE = '/api/v1/customer/profile'
const KEYS = '/api/v1/customer/api-keys'
const OWNED = '0192f000-0000-7000-8000-000000000001'
const FOREIGN = '0192f000-0000-7000-8000-000000000002'

let home: Fixture
let node: Node
let account: CreatedAccount
let stranger: CreatedAccount

before(async () => {
  home = await fixture((accounts, { database, secrets, ids, clock }) =>
    accountRoutes({
      accounts,
      database,
      secrets,
      ids,
      clock,
      log,
      submission: { host: 'mail.example.com', starttlsPorts: [2587], implicitTlsPorts: [2465] },
      onMoved: async () => () => undefined,
      ownedDomains: async (_db, _accountId, domainIds) => new Set(domainIds.filter((id) => id === OWNED)),
    }),
  )
  node = await home.node()
  account = await home.account()
  stranger = await home.account('starter')
})
after(() => home[Symbol.asyncDispose]())

const call = (method: string, path: string, body?: unknown, key = account.apiKey) =>
  node.call(method, path, { key, body })

test('a new account has the defaults of the contract', async () => {
  const { status, body } = await call('GET', PROFILE)
  assert.equal(status, 200)
  const { created_at, ...rest } = body.data
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(rest, {
    id: account.accountId,
    email: 'owner1@example.com',
    name: 'Owner',
    company: null,
    timezone: 'UTC',
    locale: 'en',
    plan: 'enterprise',
    tracking_enabled: false,
    open_tracking_enabled: true,
    click_tracking_enabled: true,
    unsubscribe_header_enabled: false,
    enforce_sender_verification: true,
    block_disposable_emails: true,
    disposable_confidence_threshold: 0.85,
    retention_days: 90,
  })
})

test('a change of the profile is answered, stored, and known to the other modules at once', async () => {
  const change = {
    company: 'Posthorn & Söhne',
    timezone: 'Europe/Vienna',
    locale: 'de-AT',
    tracking_enabled: true,
    disposable_confidence_threshold: 0.5,
  }
  const { status, body } = await call('PATCH', PROFILE, change)
  assert.equal(status, 200)
  for (const [name, value] of Object.entries(change)) assert.equal(body.data[name], value)
  assert.deepEqual((await call('GET', PROFILE)).body, body)
  assert.equal((await node.room.settings(account.accountId)).tracking.trackingEnabled, true)
  assert.equal((await call('PATCH', PROFILE, { company: null })).body.data.company, null)
})

test('a time zone is a name that statistics accept, stored in its canonical spelling', async () => {
  const { apiKey } = await home.account()
  for (const timezone of ['+02:00', '-0330', '+14', 'Mars/Olympus']) {
    assert.equal((await call('PATCH', PROFILE, { timezone }, apiKey)).status, 422, timezone)
  }
  for (const [given, kept] of [
    ['utc', 'UTC'],
    ['Europe/berlin', 'Europe/Berlin'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
  ]) {
    assert.equal((await call('PATCH', PROFILE, { timezone: given }, apiKey)).body.data.timezone, kept)
  }
})

test("fields that are the operator's or unknown are refused, all faults at once", async () => {
  for (const field of ['plan', 'id', 'account_id', 'created_at', 'suspended_at', 'is_admin']) {
    const { status, body } = await call('PATCH', PROFILE, { [field]: 'enterprise' })
    assert.equal(status, 422, field)
    assert.equal(body.details.fields[0].rule, 'unknown_field')
  }
  const wrong = await call('PATCH', PROFILE, { email: 'nobody', timezone: 'Mars/Olympus', locale: '???' })
  assert.equal(wrong.status, 422)
  assert.deepEqual(
    wrong.body.details.fields.map(({ field }: { field: string }) => field),
    ['email', 'timezone', 'locale'],
  )
  for (const change of [
    { disposable_confidence_threshold: 1.1 },
    { retention_days: 0 },
    { name: '' },
    { name: 'a\r\nBcc: b@example.com' },
    { name: 'a\u0000' },
    { tracking_enabled: 'true' },
    { company: 'x'.repeat(201) },
  ]) {
    assert.equal((await call('PATCH', PROFILE, change)).status, 422, JSON.stringify(change))
  }
})

test('usage and limits say what the plan gives and what is used', async () => {
  const { apiKey, accountId } = await home.account('starter')
  const receipt = await home.database.transaction((db) => node.room.quotas.consume(db, accountId, 'validations', 40))
  await home.database.transaction((db) => node.room.quotas.consume(db, accountId, 'emails', 3))
  const usage = await call('GET', '/api/customer/usage', undefined, apiKey)
  assert.equal(usage.status, 200)
  assert.match(usage.headers.get('link') ?? '', /^<\/api\/v1\/customer\/usage>/)
  const { period, reset_at, ...rest } = usage.body.data
  assert.match(period, /^\d{4}-\d\d$/)
  assert.match(reset_at, /-01T00:00:00\.000Z$/)
  assert.deepEqual(rest, {
    plan: 'starter',
    emails: { used: 3, sent: 3, limit: 10_000, remaining: 9_997 },
    validations: { used: 40, limit: 100, remaining: 60 },
    content_checks: { used: 0, limit: 1_000, remaining: 1_000 },
    risk_previews: { used: 0, limit: 0, remaining: 0 },
    delivery: { delivered: 0, bounced: 0, failed: 0, deferred: 0, complained: 0, delivery_rate: null },
  })
  await home.database.transaction((db) => node.room.quotas.refund(db, receipt))
  const { data } = (await call('GET', '/api/v1/customer/limits', undefined, apiKey)).body
  assert.equal(data.plan, 'starter')
  assert.deepEqual(data.usage.validations, { used: 0, limit: 100, remaining: 100 })
  assert.deepEqual(data.features, { risk: false, content_events: false })
  assert.equal(data.limits.webhooks, 1)
  assert.deepEqual(data.limits.rate.default, { limit: 20, window_seconds: 2 })
  assert.deepEqual(data.limits.rate.verify, { limit: 10, window_seconds: 60 })
  const unlimited = (await call('GET', '/api/v1/customer/limits')).body.data
  assert.deepEqual(unlimited.usage.emails, { used: 0, limit: null, remaining: null })
})

test('a key is made, shown once, changed, and found again without its secret', async () => {
  const made = await call('POST', KEYS, {
    name: 'Shop',
    scopes: ['send', 'send', 'emails:read'],
    domain_ids: [OWNED],
    allowed_ips: ['192.0.2.0/24', '2001:db8::1'],
    expires_at: '2099-01-01T00:00:00Z',
  })
  assert.equal(made.status, 201)
  assert.equal(made.headers.get('cache-control'), 'no-store')
  const { key, ...shown } = made.body.data
  assert.ok(isKey(key))
  assert.ok(key.startsWith(shown.prefix) && key.endsWith(shown.last4))
  assert.deepEqual(
    { ...shown, id: null, prefix: null, last4: null, created_at: null },
    {
      id: null,
      name: 'Shop',
      prefix: null,
      last4: null,
      mode: 'live',
      scopes: ['send', 'emails:read'],
      domain_ids: [OWNED],
      allowed_ips: ['192.0.2.0/24', '2001:db8::1/128'],
      expires_at: '2099-01-01T00:00:00.000Z',
      last_used_at: null,
      last_used_ip: null,
      created_at: null,
      revoked_at: null,
      previous_valid_until: null,
    },
  )
  const path = `${KEYS}/${shown.id}`
  assert.deepEqual((await call('GET', path)).body.data, shown)
  const changed = await call('PATCH', path, { name: 'Shop 2', allowed_ips: [], domain_ids: null, expires_at: null })
  assert.equal(changed.status, 200)
  assert.deepEqual(changed.body.data, { ...shown, name: 'Shop 2', allowed_ips: [], domain_ids: null, expires_at: null })
  assert.ok(!JSON.stringify((await call('GET', KEYS)).body).includes(key))
  assert.equal((await node.call('POST', '/probe/send', { key })).status, 200)
})

test('a body with only a name makes a live key of scope full', async () => {
  const { data } = (await call('POST', KEYS, { name: 'plain' })).body
  assert.equal(data.mode, 'live')
  assert.deepEqual(data.scopes, ['full'])
  assert.deepEqual([data.domain_ids, data.allowed_ips, data.expires_at], [null, [], null])
  const sandbox = (await call('POST', KEYS, { name: 'test', mode: 'sandbox' })).body.data
  assert.match(sandbox.key, /^ph_test_/)
})

const WRONG: readonly [body: object, field: string][] = [
  [{}, 'name'],
  [{ name: 'x', scopes: [] }, 'scopes'],
  [{ name: 'x', scopes: ['root'] }, 'scopes[0]'],
  [{ name: 'x', mode: 'both' }, 'mode'],
  [{ name: 'x', domain_ids: [OWNED, FOREIGN] }, 'domain_ids[1]'],
  [{ name: 'x', domain_ids: ['1'] }, 'domain_ids[0]'],
  [{ name: 'x', allowed_ips: ['192.0.2.0/24', '300.1.1.1'] }, 'allowed_ips[1]'],
  [{ name: 'x', allowed_ips: ['192.0.2.0/33'] }, 'allowed_ips[0]'],
  [{ name: 'x', allowed_ips: Array.from({ length: 101 }, () => '192.0.2.1') }, 'allowed_ips'],
  [{ name: 'x', expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
  [{ name: 'x', expires_at: 'tomorrow' }, 'expires_at'],
  [{ name: 'x', hash: 'abc' }, 'hash'],
  [{ name: '' }, 'name'],
]
for (const [body, field] of WRONG) {
  test(`a key that asks for ${JSON.stringify(body).slice(0, 60)} is refused at ${field}`, async () => {
    const answer = await call('POST', KEYS, body)
    assert.equal(answer.status, 422)
    assert.equal(answer.body.code, 'validation_error')
    assert.equal(answer.body.details.fields[0].field, field)
  })
}

test('a key cannot be given an expiry in the past', async () => {
  const { id } = (await call('POST', KEYS, { name: 'x' })).body.data
  const answer = await call('PATCH', `${KEYS}/${id}`, { expires_at: '2001-01-01T00:00:00Z' })
  assert.deepEqual([answer.status, answer.body.details.fields[0].field], [422, 'expires_at'])
})

test('another account sees no key of ours, by any method, and learns nothing', async () => {
  const { id } = (await call('POST', KEYS, { name: 'ours' })).body.data
  for (const target of [id, FOREIGN]) {
    for (const [method, path, body] of [
      ['GET', `${KEYS}/${target}`],
      ['PATCH', `${KEYS}/${target}`, { name: 'theirs' }],
      ['DELETE', `${KEYS}/${target}`],
      ['POST', `${KEYS}/${target}/rotate`, {}],
    ] as const) {
      const answer = await call(method, path, body, stranger.apiKey)
      assert.equal(answer.status, 404, method)
      assert.deepEqual(
        { ...answer.body, request_id: '' },
        { error: 'Not found', code: 'not_found', details: {}, request_id: '' },
      )
    }
  }
  assert.equal((await call('GET', `${KEYS}/nonsense`)).status, 400)
  assert.equal((await call('GET', `${KEYS}/${id}`)).body.data.name, 'ours')
})

test('a revoked key is refused at once, stays in the list, and cannot come back', async () => {
  const { id, key } = (await call('POST', KEYS, { name: 'gone' })).body.data
  const { key: next } = (await call('POST', `${KEYS}/${id}/rotate`, { grace_period_hours: 72 })).body.data
  for (const secret of [key, next]) assert.equal((await call('GET', PROFILE, undefined, secret)).status, 200)
  const revoked = await call('DELETE', `${KEYS}/${id}`)
  assert.equal(revoked.status, 200)
  assert.notEqual(revoked.body.data.revoked_at, null)
  assert.equal(revoked.body.data.previous_valid_until, null, 'the secret from before the rotation ends with it')
  for (const secret of [key, next])
    assert.equal((await call('GET', PROFILE, undefined, secret)).body.code, 'api_key_revoked')
  const again = await call('DELETE', `${KEYS}/${id}`)
  assert.equal(again.body.data.revoked_at, revoked.body.data.revoked_at)
  for (const [method, path] of [
    ['PATCH', `${KEYS}/${id}`],
    ['POST', `${KEYS}/${id}/rotate`],
  ] as const) {
    assert.equal((await call(method, path, {})).body.code, 'invalid_state')
  }
  const listed = (await call('GET', KEYS)).body.data.find((one: { id: string }) => one.id === id)
  assert.equal(listed.revoked_at, revoked.body.data.revoked_at)
})

test('a rotation shows a new secret under the same id, and how long the old one stays valid', async () => {
  const { id, key } = (await call('POST', KEYS, { name: 'turns' })).body.data
  const graceful = await call('POST', `${KEYS}/${id}/rotate`, { grace_period_hours: 72 })
  assert.equal(graceful.status, 200)
  assert.equal(graceful.body.data.id, id)
  const leftMs = Date.parse(graceful.body.data.previous_valid_until) - home.operator.clock.now().getTime()
  assert.ok(Math.abs(leftMs - 72 * 3_600_000) < 10_000)
  for (const secret of [key, graceful.body.data.key])
    assert.equal((await call('GET', PROFILE, undefined, secret)).status, 200)
  const hard = await call('POST', `${KEYS}/${id}/rotate`)
  assert.equal(hard.body.data.previous_valid_until, null)
  assert.equal((await call('GET', PROFILE, undefined, graceful.body.data.key)).body.code, 'api_key_revoked')
  assert.equal((await call('GET', PROFILE, undefined, hard.body.data.key)).status, 200)
  for (const hours of [-1, 73, '1']) {
    assert.equal((await call('POST', `${KEYS}/${id}/rotate`, { grace_period_hours: hours })).status, 422)
  }
})

test('no key makes, changes, rotates or revokes one that may do more than itself', async () => {
  const narrow = (await call('POST', KEYS, { name: 'n', scopes: ['api_keys:write', 'send'] })).body.data
  const bound = (await call('POST', KEYS, { name: 'b', domain_ids: [OWNED] })).body.data
  const wide = (await call('POST', KEYS, { name: 'w' })).body.data
  const confined = { allowed_ips: ['127.0.0.0/8', '::1', '198.18.0.0/16'], expires_at: '2999-01-01T00:00:00Z' }
  const local = (await call('POST', KEYS, { name: 'l', ...confined })).body.data
  const cases: readonly [key: string, method: string, path: string, body: object][] = [
    [narrow.key, 'POST', KEYS, { name: 'x' }],
    [narrow.key, 'POST', KEYS, { name: 'x', scopes: ['send', 'emails:read'] }],
    [narrow.key, 'PATCH', `${KEYS}/${narrow.id}`, { scopes: ['full'] }],
    [narrow.key, 'POST', `${KEYS}/${wide.id}/rotate`, {}],
    [bound.key, 'POST', KEYS, { name: 'x' }],
    [bound.key, 'PATCH', `${KEYS}/${bound.id}`, { domain_ids: null }],
    [account.testApiKey, 'POST', KEYS, { name: 'x' }],
    [account.testApiKey, 'POST', `${KEYS}/${wide.id}/rotate`, {}],
    [bound.key, 'POST', KEYS, { name: 'x', domain_ids: [] }],
    [narrow.key, 'PATCH', `${KEYS}/${wide.id}`, { scopes: ['send'] }],
    [narrow.key, 'DELETE', `${KEYS}/${wide.id}`, {}],
    [bound.key, 'DELETE', `${KEYS}/${wide.id}`, {}],
    [account.testApiKey, 'DELETE', `${KEYS}/${wide.id}`, {}],
    [local.key, 'POST', KEYS, { name: 'x', expires_at: confined.expires_at }],
    [local.key, 'POST', KEYS, { name: 'x', allowed_ips: ['127.0.0.1'] }],
    [local.key, 'POST', KEYS, { name: 'x', ...confined, allowed_ips: ['127.0.0.1', '10.0.0.0/8'] }],
    [local.key, 'POST', KEYS, { name: 'x', ...confined, expires_at: '2999-01-01T00:00:00.001Z' }],
    [local.key, 'POST', KEYS, { name: 'x', ...confined, allowed_ips: ['198.18.0.0/15'] }],
    [local.key, 'PATCH', `${KEYS}/${local.id}`, { allowed_ips: [] }],
    [local.key, 'PATCH', `${KEYS}/${local.id}`, { expires_at: null }],
    [local.key, 'PATCH', `${KEYS}/${local.id}`, { expires_at: '2999-01-01T00:00:00.001Z' }],
    [local.key, 'DELETE', `${KEYS}/${wide.id}`, {}],
  ]
  for (const [key, method, path, body] of cases) {
    const answer = await call(method, path, body, key)
    assert.equal(answer.status, 403, `${method} ${JSON.stringify(body)}`)
    assert.equal(answer.body.code, 'insufficient_scope')
  }
  assert.equal((await call('POST', KEYS, { name: 'x', scopes: ['send'] }, narrow.key)).status, 201)
  assert.equal((await call('POST', KEYS, { name: 'x', mode: 'sandbox' }, account.testApiKey)).status, 201)
  const within = { name: 'x', allowed_ips: ['127.0.0.1', '::ffff:127.0.0.0/120'], expires_at: confined.expires_at }
  assert.equal((await call('POST', KEYS, within, local.key)).status, 201)
  assert.equal((await call('PATCH', `${KEYS}/${local.id}`, { name: 'renamed' }, local.key)).status, 200)
  for (const { id, key } of [narrow, bound, local]) {
    assert.equal((await call('DELETE', `${KEYS}/${id}`, undefined, key)).status, 200, 'a key may end itself')
  }
})

test('keys are listed in full without `page`, and page by page with it', async () => {
  const { apiKey } = await home.account()
  for (let i = 0; i < 4; i++) await call('POST', KEYS, { name: `k${i}` }, apiKey)
  const whole = (await call('GET', KEYS, undefined, apiKey)).body
  assert.equal(whole.data.length, 6)
  assert.deepEqual(whole.pagination, { page: 1, limit: 6, total: 6, pages: 1 })
  const second = (await call('GET', `${KEYS}?page=2&limit=4`, undefined, apiKey)).body
  assert.deepEqual(second.pagination, { page: 2, limit: 4, total: 6, pages: 2 })
  assert.deepEqual(second.data, whole.data.slice(4))
  for (const query of ['page=0', 'limit=101', 'limit=x']) {
    assert.equal((await call('GET', `${KEYS}?${query}`, undefined, apiKey)).body.code, 'invalid_parameter')
  }
})

test('SMTP credentials are shown bare, log in, and end when they are rotated', async () => {
  const { status, body, headers } = await call('GET', '/api/v1/smtp-credentials')
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  const { data, ...top } = body
  assert.deepEqual(top, data)
  const { username, password, created_at: _created, ...rest } = top
  assert.deepEqual(rest, {
    host: 'mail.example.com',
    port: 2587,
    ports: { starttls: [2587], implicit_tls: [2465] },
    encryption: 'STARTTLS',
    auth_methods: ['PLAIN', 'LOGIN'],
    rotated_at: null,
    last_used_at: null,
  })
  const login = async (secret: string, name = username) =>
    (await node.room.authenticateSmtp({ username: name, password: secret, ip: '192.0.2.1' })).kind
  assert.equal(await login(password), 'ok')
  assert.equal(await login(password, `${username}x`), 'refused')
  assert.equal(await login(`${password}x`), 'refused')
  const graceful = (await call('POST', '/api/v1/smtp-credentials/rotate', { grace_period_hours: 1 })).body
  assert.notEqual(graceful.previous_valid_until, null)
  assert.equal(graceful.username, username)
  assert.deepEqual([await login(password), await login(graceful.password)], ['ok', 'ok'])
  const hard = (await call('POST', '/api/v1/smtp-credentials/rotate')).body
  assert.equal(hard.previous_valid_until, null)
  assert.deepEqual(
    [await login(password), await login(graceful.password), await login(hard.password)],
    ['refused', 'refused', 'ok'],
  )
  await until(async () => (await call('GET', '/api/v1/smtp-credentials')).body.last_used_at !== null)
})

test('a sandbox key reads and rotates a password of its own, which sends nothing live', async () => {
  const read = async (key?: string) => (await call('GET', '/api/v1/smtp-credentials', undefined, key)).body
  const login = async ({ username, password }: { username: string; password: string }) => {
    const answer = await node.room.authenticateSmtp({ username, password, ip: '192.0.2.1' })
    return answer.kind === 'ok' ? answer.principal.mode : answer.kind
  }
  const live = await read()
  const test = await read(account.testApiKey)
  assert.equal(test.username, live.username)
  assert.deepEqual([await login(live), await login(test)], ['live', 'sandbox'])
  const rotate = async (body: object, key?: string) =>
    (await call('POST', '/api/v1/smtp-credentials/rotate', body, key)).body
  const next = await rotate({ grace_period_hours: 1 }, account.testApiKey)
  assert.deepEqual([await login(live), await login(test), await login(next)], ['live', 'sandbox', 'sandbox'])
  const third = await rotate({}, account.testApiKey)
  assert.deepEqual([await login(test), await login(next), await login(third)], ['refused', 'refused', 'sandbox'])
  const { password, rotated_at } = await read()
  assert.deepEqual([password, rotated_at], [live.password, live.rotated_at], 'the live one is as it was')
  await rotate({})
  assert.deepEqual([await login(live), await login(third), await login(await read())], ['refused', 'sandbox', 'live'])
})

test('a key bound to domains, addresses or a date is shown no password, which would reach further', async () => {
  const soon = new Date(home.operator.clock.now().getTime() + 3_600_000).toISOString()
  for (const bounds of [{ domain_ids: [OWNED] }, { allowed_ips: ['127.0.0.0/8', '::/0'] }, { expires_at: soon }]) {
    const bound = await call('POST', KEYS, { name: 'bound', ...bounds })
    assert.equal(bound.status, 201)
    for (const [method, path] of [
      ['GET', '/api/v1/smtp-credentials'],
      ['GET', '/api/v1/smtp-credentials/settings'],
      ['POST', '/api/v1/smtp-credentials/rotate'],
    ] as const) {
      const refused = await call(method, path, method === 'POST' ? {} : undefined, bound.body.data.key)
      assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope'], JSON.stringify(bounds))
    }
  }
})

test('a password log-in costs and answers the same whatever is wrong with it', async () => {
  const { username } = (await call('GET', '/api/v1/smtp-credentials')).body
  const work: string[] = []
  const { database } = node
  const counting = {
    ...database,
    system: {
      ...database.system,
      query: <Row extends object>(asked: Statement, values?: readonly unknown[]) => {
        work.push(asked.name)
        return database.system.query<Row>(asked, values)
      },
    },
  }
  const own = await home.node({
    deaf: true,
    database: counting,
    secrets: {
      ...home.operator.secrets,
      mac: (purpose, text) => {
        work.push(purpose)
        return home.operator.secrets.mac(purpose, text)
      },
    },
  })
  const costs = new Set<string>()
  for (const name of [username, `${username}x`, 'smtp_nobody', 'nobody', 'a\0b', '', 'x'.repeat(100_000)]) {
    for (const password of ['wrong', '', 'x'.repeat(10_000), `a\0b`]) {
      work.length = 0
      const { kind } = await own.room.authenticateSmtp({ username: name, password, ip: '192.0.2.1' })
      costs.add(`${kind}: ${work.join(' ')}`)
    }
  }
  assert.deepEqual([...costs], ['refused: accounts_smtp_by_name smtp-password-mac smtp-password-mac'])
})

test('the user apikey logs in with a key that may send, from where the key may be used', async () => {
  const keyOf = async (body: object) => (await call('POST', KEYS, { name: 's', ...body })).body.data.key
  const login = async (password: string, ip = '192.0.2.1') =>
    node.room.authenticateSmtp({ username: 'apikey', password, ip })
  const sending = await login(await keyOf({ scopes: ['send'], domain_ids: [OWNED] }))
  assert.ok(sending.kind === 'ok')
  assert.deepEqual(sending.principal.domainIds, [OWNED])
  const sandbox = await login(account.testApiKey)
  assert.ok(sandbox.kind === 'ok' && sandbox.principal.mode === 'sandbox')
  assert.equal((await login(await keyOf({ scopes: ['emails:write'] }))).kind, 'refused')
  assert.equal((await login(await keyOf({ allowed_ips: ['198.51.100.0/24'] }))).kind, 'refused')
  assert.equal((await login('ph_live_nonsense')).kind, 'refused')
})

test('a sealed password moved to another account does not open', async () => {
  await home.database.system.execute(
    {
      name: 'test_swap',
      text: 'update smtp_credential s set password_sealed = o.password_sealed from smtp_credential o where s.account_id = $1 and o.account_id = $2',
    },
    [stranger.accountId, account.accountId],
  )
  const answer = await call('GET', '/api/v1/smtp-credentials', undefined, stranger.apiKey)
  assert.equal(answer.status, 500)
  assert.equal(answer.body.code, 'internal_error')
})
