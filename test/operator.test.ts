// What an operator can do through the API, what nobody else can, and what the log of operator actions records.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { commands } from '../src/commands.ts'
import { readConfig } from '../src/config.ts'
import { createAccount, newSetupToken, PLACEHOLDER } from '../src/modules/accounts/index.ts'
import { setUp } from '../src/modules/accounts/operators.ts'
import { type Database, type Db, statement } from '../src/platform/db.ts'
import { createLogger } from '../src/platform/log.ts'
import { untilBlocked } from './world/blocked.ts'
import { type Receiver, startReceiver } from './world/receiver.ts'
import { startWorld, type World } from './world/world.ts'

interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests read answers of many shapes
  readonly body: any
  readonly cookie: string
}
interface Person {
  readonly email: string
  readonly password: string
  readonly accountId: string
}
type Asks = (method: string, path: string, body?: object) => Promise<Answered>

const OURS = { 'sec-fetch-site': 'same-origin' }
const NO_ID = '0192f000-0000-7000-8000-00000000dead'
let world: World
let receiver: Receiver
let busy = false
let people = 0

before(async () => {
  receiver = await startReceiver({ rcpt: () => (busy ? '451 4.3.0 come back later' : 'default') })
  world = await startWorld({
    settings: { POSTHORN_SMTP_PORT: String(receiver.port) },
    zones: {
      'example.net': { MX: ['10 mx.example.net'] },
      'mixed.example': { MX: ['10 mx.example.net'] },
      'mx.example.net': { A: ['127.0.0.1'] },
    },
  })
  await world.verifiedDomain('sender.example')
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

async function ask(method: string, path: string, body?: object, headers: object = OURS): Promise<Answered> {
  const answer = await fetch(`${world.url}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  return { status: answer.status, body: text === '' ? null : JSON.parse(text), cookie }
}

async function person(): Promise<Person> {
  const email = `op${++people}@posthorn.test`
  const made = await createAccount(world.operator, { email, name: `Office ${people}` })
  return { email, password: made.dashboardPassword, accountId: made.accountId }
}

async function signIn({ email, password }: Pick<Person, 'email' | 'password'>): Promise<Asks> {
  const { status, cookie, body } = await ask('POST', '/api/v1/session', { email, password })
  assert.equal(status, 200, JSON.stringify(body))
  return (method, path, sent) => ask(method, `/api/v1${path}`, sent, { ...OURS, cookie })
}

async function command(...words: string[]): Promise<readonly string[]> {
  const found = commands.find(({ path }) => path.every((word, i) => words[i] === word))
  assert.ok(found)
  const lines: string[] = []
  const { ids } = world.rooms.ground
  const { database, secrets } = world.rooms.store
  const context = { config: readConfig({}), database, secrets, ids, clock: world.clock, log: createLogger('silent') }
  await found.run(
    { ...context, print: (line: string) => lines.push(line), warn: assert.fail },
    { json: true },
    words.slice(found.path.length),
  )
  return lines
}

async function operator(): Promise<{ readonly who: Person; readonly asks: Asks }> {
  const who = await person()
  await command('operator', 'grant', who.email)
  return { who, asks: await signIn(who) }
}

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_400; tries++) {
    if (await what()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.fail('it did not come')
}

test('a request without a session is told nothing about the form of its body or query', async () => {
  for (const [method, path, body] of [
    ['POST', '/operator/accounts', {}],
    ['PATCH', `/operator/accounts/${NO_ID}`, { plan: 'no such' }],
    ['GET', '/operator/accounts?limit=0', undefined],
    ['POST', '/operator/accounts/no-id/suspend', undefined],
    ['GET', '/operator/queues?limit=0', undefined],
    ['POST', '/users', {}],
    ['PATCH', '/users/no-id', {}],
    ['POST', '/users/no-id/password', {}],
    ['PUT', '/session/password', {}],
    ['DELETE', '/sessions/no-id', undefined],
  ] as const) {
    const { status, body: said } = await ask(method, `/api/v1${path}`, body)
    assert.deepEqual([status, said.code], [401, 'not_signed_in'], `${method} ${path}`)
  }
  const owner = await signIn(await person())
  assert.equal((await owner('POST', '/operator/accounts', {})).body.code, 'not_operator')
  const answer = await fetch(`${world.url}/api/v1/session`)
  assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
})

test('operator endpoints refuse requests without a session, owners and keys; each admits an operator', async () => {
  const { body: document } = await ask('GET', '/openapi.json')
  const all = Object.entries(document.paths as Record<string, Record<string, object>>).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter(() => path.startsWith('/api/v1/operator/'))
      .map(
        (method) => [method.toUpperCase(), path.replace('{id}', NO_ID).replace('{destination}', 'no.example')] as const,
      ),
  )
  assert.ok(all.length >= 13, `${all.length} operations`)
  const owner = await signIn(await person())
  const { asks } = await operator()
  const bodies: Record<string, object> = { 'POST /api/v1/operator/accounts': { email: 'not one', name: 'N' } }
  for (const [method, path] of all) {
    const body = bodies[`${method} ${path}`] ?? (method === 'PATCH' ? {} : undefined)
    assert.equal((await ask(method, path, body)).body.code, 'not_signed_in', `${method} ${path}`)
    const key = { ...OURS, 'x-api-key': world.account.apiKey }
    assert.equal((await ask(method, path, body, key)).status, 401, `${method} ${path} with a key`)
    const refused = await owner(method, path.slice('/api/v1'.length), body)
    assert.deepEqual([refused.status, refused.body.code], [403, 'not_operator'], `${method} ${path}`)
    const let_in = await asks(method, path.slice('/api/v1'.length), body)
    assert.ok([200, 204, 404, 422].includes(let_in.status), `${method} ${path}: ${let_in.status}`)
  }
})

test("a user that another account created with the operator's address does not become an operator", async () => {
  const stranger = await person()
  const who = await person()
  const made = await (await signIn(stranger))('POST', '/users', { email: who.email, role: 'viewer' })
  assert.equal(made.status, 201)
  await assert.rejects(command('operator', 'grant', who.email), /several accounts/)
  assert.match((await command('operator', 'grant', who.email, who.accountId)).join(), /"changed":1/)
  const beside = await signIn({ email: who.email, password: made.body.data.password })
  assert.equal((await beside('GET', '/operator/accounts')).body.code, 'not_operator')
  assert.equal((await (await signIn(who))('GET', '/operator/accounts')).status, 200)
})

test("nobody can change the system's own account", async () => {
  const { asks } = await operator()
  const id = '00000000-0000-0000-0000-000000000000'
  const deeds = ['suspend', 'resume', 'open'].map((deed) => ['POST', `/operator/accounts/${id}/${deed}`] as const)
  for (const [method, path, body] of [...deeds, ['PATCH', `/operator/accounts/${id}`, { plan: 'starter' }] as const])
    assert.equal((await asks(method, path, body)).status, 404, path)
  assert.equal((await asks('GET', `/operator/actions?account_id=${id}`)).body.pagination.total, 0, 'nothing was done')
  assert.equal((await asks('GET', '/session')).body.data.acting, false)
})

test('an operator creates, finds, limits, suspends and resumes accounts, and the log records each action', async () => {
  const { who, asks } = await operator()
  const made = await asks('POST', '/operator/accounts', { email: 'new@customer.example', name: '100 % Post_' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id, api_key: key, dashboard_password: password } = made.body.data
  await signIn({ email: 'new@customer.example', password })
  for (const search of ['customer.ex', '100 % p', 'post_', id]) {
    const found = await asks('GET', `/operator/accounts?search=${encodeURIComponent(search)}`)
    assert.deepEqual(
      found.body.data.map((one: { id: string }) => one.id),
      [id],
      search,
    )
  }
  assert.equal((await asks('GET', '/operator/accounts?search=p%25st')).body.pagination.total, 0, 'no pattern of LIKE')

  const changed = await asks('PATCH', `/operator/accounts/${id}`, {
    plan: 'starter',
    limits: { emails: 5, webhooks: null },
    features: { risk: true },
  })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  assert.equal(changed.body.data.limits.emails, 5)
  assert.deepEqual(changed.body.data.own_limits, { emails: 5, webhooks: null })
  assert.equal(changed.body.data.features.risk, true)
  const back = await asks('PATCH', `/operator/accounts/${id}`, { limits: { emails: 'plan' }, features: { risk: null } })
  assert.deepEqual([back.body.data.limits.emails, back.body.data.features.risk], [10_000, false])
  const plans = await asks('GET', '/operator/plans')
  assert.equal(plans.body.data.find(({ plan }: { plan: string }) => plan === 'starter').accounts, 1)

  const suppress = (): Promise<number> =>
    world
      .apiWith(key)
      .post('/api/v1/customer/suppressions', { email: 'x@y.example' })
      .then(({ status }) => status)
  assert.ok((await asks('POST', `/operator/accounts/${id}/suspend`)).body.data.suspended_at)
  await until(async () => (await suppress()) === 403)
  assert.equal((await asks('GET', '/operator/accounts?suspended=true')).body.pagination.total, 1)
  assert.equal((await asks('POST', `/operator/accounts/${id}/resume`)).body.data.suspended_at, null)
  await until(async () => [200, 201].includes(await suppress()))

  const { body: log } = await asks('GET', `/operator/actions?account_id=${id}`)
  assert.deepEqual(
    log.data.map(({ action }: { action: string }) => action),
    'resume suspend features limits features limits plan create'.split(' ').map((name) => `account.${name}`),
  )
  for (const one of log.data) assert.equal(one.operator, who.email)
  assert.ok(!JSON.stringify(log).includes(password) && !JSON.stringify(log).includes(key), 'no secret is written down')
})

test('an operator opens an account as its owner would see it, each change is logged, and leaving ends it', async () => {
  const { who, asks } = await operator()
  const other = await person()
  assert.equal((await asks('POST', `/operator/accounts/${NO_ID}/open`)).status, 404)
  assert.equal((await asks('POST', `/operator/accounts/${other.accountId}/open`)).status, 204)
  const { body: me } = await asks('GET', '/session')
  assert.deepEqual([me.data.account.id, me.data.acting, me.data.user.email], [other.accountId, true, who.email])
  assert.equal((await asks('GET', '/customer/profile')).body.data.id, other.accountId)
  assert.equal((await asks('POST', '/templates', { name: 'n', subject: 's', text: 't' })).status, 201)
  assert.equal((await asks('POST', '/users', { email: 'third@posthorn.test', role: 'viewer' })).status, 201)
  const { body: users } = await asks('GET', '/users')
  assert.deepEqual(
    users.data.map(({ email }: { email: string }) => email),
    [other.email, 'third@posthorn.test'],
  )
  // The operator's own sessions and password are not those of the account.
  assert.equal((await asks('GET', '/sessions')).body.data.length, 1)
  assert.equal(
    (await asks('PUT', '/session/password', { current_password: other.password, new_password: 'a'.repeat(20) })).status,
    401,
  )
  assert.equal((await asks('POST', '/operator/leave')).status, 204)
  assert.equal((await asks('GET', '/customer/profile')).body.data.id, who.accountId)
  const { body: log } = await asks('GET', `/operator/actions?account_id=${other.accountId}`)
  assert.deepEqual(
    log.data.map(({ action, detail }: { action: string; detail: { path?: string } }) => [action, detail.path]),
    [
      ['account.close', undefined],
      ['account.request', '/api/v1/users'],
      ['account.request', '/api/v1/templates'],
      ['account.open', undefined],
      ['account.create', undefined],
    ],
  )

  await asks('POST', `/operator/accounts/${other.accountId}/open`)
  await command('operator', 'revoke', who.email)
  assert.equal((await asks('GET', '/customer/profile')).body.data.id, who.accountId, 'the other account closes at once')
  assert.equal((await asks('GET', '/operator/accounts')).body.code, 'not_operator')
})

test('a paused destination gets nothing from any machine until it is resumed', async () => {
  const { asks } = await operator()
  const mail = { from: 'a@sender.example', to: 'b@example.net', subject: 's', text: 't' }
  const send = async (): Promise<string> => (await world.api.post('/api/v1/send', mail)).body.data.email_id
  const status = async (id: string): Promise<string> => (await world.api.get(`/api/v1/emails/${id}`)).body.data.status
  const first = await send()
  await until(async () => (await status(first)) === 'delivered')
  assert.equal((await asks('POST', '/operator/queues/nowhere.example/pause')).status, 404)
  assert.equal((await asks('POST', '/operator/queues/Example.net/pause')).status, 200)
  const held = await send()
  const elsewhere = (await world.api.post('/api/v1/send', { ...mail, to: 'b@gone.example' })).body.data.email_id
  await until(async () => (await status(elsewhere)) !== 'queued')
  assert.equal(await status(held), 'queued', 'others went out meanwhile')
  await until(async () => {
    const { body } = await asks('GET', '/operator/queues')
    const row = body.data.find(({ destination }: { destination: string }) => destination === 'example.net')
    world.clock.advance(3_000)
    return row?.ready === 1 && row.paused_at !== null
  })
  busy = true
  await asks('POST', '/operator/queues/example.net/resume')
  await until(async () => (await status(held)) === 'deferred')
  const { body: listed } = await asks('GET', '/operator/queues?search=AMPLE.n')
  assert.equal(listed.data.length, 1)
  assert.match(listed.data[0].last_response, /come back later/)
  assert.equal(listed.data[0].paused_at, null)
  const { body: causes } = await asks('GET', '/operator/queues/causes?destination=Example.net')
  const [cause] = causes.data
  assert.deepEqual([causes.data.length, causes.examined, cause.emails, cause.accounts], [1, 1, 1, 1])
  assert.deepEqual([cause.response, cause.smtp_code], ['451 4.3.0 come back later', 451])
  assert.equal((await asks('GET', '/operator/queues/causes?destination=nowhere.example')).body.examined, 0)
  busy = false
  assert.equal((await asks('POST', '/operator/queues/example.net/retry')).body.data.emails, 1)
  await until(async () => (await status(held)) === 'delivered')
  const { body: log } = await asks('GET', '/operator/actions')
  assert.deepEqual(
    log.data.slice(0, 3).map(({ action }: { action: string }) => action),
    ['queue.retry', 'queue.resume', 'queue.pause'],
  )
  await command('queue', 'pause', 'example.net')
  assert.match((await command('queue', 'list')).join(''), /"destination":"example.net","paused_at":"2/)
  await command('queue', 'resume', 'example.net')
})

test('answers of the sandbox are not shown as answers of a destination and do not count in its rates', async () => {
  const { asks } = await operator()
  const mail = { from: 'a@sender.example', to: 'b@sandboxed.example', subject: 's', text: 't' }
  const status = async (id: string): Promise<string> => (await world.api.get(`/api/v1/emails/${id}`)).body.data.status
  const tested = (await world.account.testApi.post('/api/v1/send', mail)).body.data.email_id
  await until(async () => (await status(tested)) === 'delivered')
  const asked = (await world.api.post('/api/v1/send', { ...mail, to: 'b@asked.example' })).body.data.email_id
  await until(async () => (await status(asked)) !== 'queued')
  for (const name of ['sandboxed', 'asked']) await asks('POST', `/operator/queues/${name}.example/pause`)
  const told = async (name: string): Promise<readonly unknown[]> => {
    const [row] = (await asks('GET', `/operator/queues?search=${name}.example`)).body.data
    return [row.last_response, row.last_outcome, row.attempts_per_minute, row.delivered_per_minute]
  }
  // Both reports are written in the same pass.
  await until(async () => {
    world.clock.advance(3_000)
    return (await told('asked'))[1] !== null
  })
  assert.deepEqual(await told('sandboxed'), [null, null, 0, 0])
})

test('waiting sandbox mail is counted apart, and hides no answer that other mail to its destination got', async () => {
  const { asks } = await operator()
  const mail = { from: 'a@sender.example', to: 'b@mixed.example', subject: 's', text: 't' }
  const deferred = (id: string) =>
    until(async () => (await world.api.get(`/api/v1/emails/${id}`)).body.data.status === 'deferred')
  const told = async (): Promise<readonly unknown[]> => {
    world.clock.advance(3_000)
    const [row] = (await asks('GET', '/operator/queues?search=mixed.example')).body.data
    return [row.waiting, row.sandbox, row.last_response]
  }
  const sent = await world.api.post('/api/v1/send', { ...mail, sandbox: true, sandbox_result: 'defer' })
  await deferred(sent.body.data.email_id)
  assert.deepEqual(await told(), [1, 1, null])
  busy = true
  await deferred((await world.api.post('/api/v1/send', mail)).body.data.email_id)
  busy = false
  await world.rooms.database.system.execute(statement('test_forget_reports', 'delete from site_report'))
  assert.deepEqual(await told(), [2, 1, '451 4.3.0 come back later'])
})

test('the machines page shows what runs, and a killed process is shown as silent', async () => {
  const { asks } = await operator()
  const { body } = await asks('GET', '/operator/machines')
  const here = body.data.find(({ pid }: { pid: number }) => pid === process.pid)
  assert.equal(here.state, 'running')
  assert.deepEqual(here.roles.toSorted(), [...world.rooms.config.roles].toSorted())
  assert.match(here.version, /^\d+\.\d+\.\d+$/)
  assert.ok(here.memory_bytes > 1e7)
  assert.ok(body.followers.length > 0)
  const { system } = world.rooms.database
  const age = statement('test_age_machine', `update machine set seen_at = now() - interval '40 seconds' where id = $1`)
  await system.execute(age, [here.id])
  const again = await asks('GET', '/operator/machines')
  assert.equal(again.body.data.find(({ id }: { id: string }) => id === here.id).state, 'silent')
})

test('the first set-up token creates one operator, once, within a week, and removes the placeholder', async () => {
  const { database, ids, clock } = world.operator
  const first = await createAccount(world.operator, { email: PLACEHOLDER, name: 'First account' })
  const old = await newSetupToken({ database, ids, clock }, first.accountId)
  const token = await newSetupToken({ database, ids, clock }, first.accountId)
  const form = { email: 'Me@company.example', password: 'a long password', name: 'Company' }
  const setup = '/api/v1/setup'
  assert.equal((await ask('POST', setup, { ...form, token: old })).body.code, 'invalid_token', 'a new one ends the old')
  assert.equal((await ask('POST', setup, { ...form, token }, {})).body.code, 'cross_site_request')
  assert.equal((await ask('POST', setup, { ...form, token, password: 'short' })).status, 422)
  const done = await ask('POST', setup, { ...form, token })
  assert.equal(done.status, 204, JSON.stringify(done.body))
  const { body: me } = await ask('GET', '/api/v1/session', undefined, { ...OURS, cookie: done.cookie })
  assert.deepEqual(
    [me.data.user.operator, me.data.account.id, me.data.account.name],
    [true, first.accountId, 'Company'],
  )
  assert.equal((await ask('POST', setup, { ...form, token })).body.code, 'invalid_token')
  const { body: users } = await ask('GET', '/api/v1/users', undefined, { ...OURS, cookie: done.cookie })
  assert.deepEqual(
    users.data.map(({ email }: { email: string }) => email),
    ['me@company.example'],
  )
  const [printed = ''] = await command('operator', 'token')
  world.clock.advance(7 * 86_400_000 + 1_000)
  const late = await ask('POST', setup, { ...form, token: JSON.parse(printed).token })
  assert.equal(late.body.code, 'invalid_token')
})

test('an operator who lost password and second factor comes back with a set-up token, and every old session ends', async () => {
  const { who, asks } = await operator()
  const { data: offered } = (await asks('POST', '/session/totp', {})).body
  const totp = new TOTP({ secret: Secret.fromBase32(offered.secret) })
  const code = totp.generate({ timestamp: world.clock.now().getTime() })
  assert.equal((await asks('PUT', '/session/totp', { code })).status, 200)
  assert.equal((await asks('PATCH', '/customer/profile', { email: 'billing@company.example' })).status, 200)
  const [printed = ''] = await command('operator', 'token', who.accountId)
  const password = 'another long password'
  const back = await ask('POST', '/api/v1/setup', { token: JSON.parse(printed).token, email: who.email, password })
  assert.equal(back.status, 204, JSON.stringify(back.body))
  const { body: me } = await ask('GET', '/api/v1/session', undefined, { ...OURS, cookie: back.cookie })
  assert.deepEqual([me.data.user.operator, me.data.user.totp_enabled], [true, false])
  assert.equal((await asks('GET', '/session')).status, 401)
  const again = await signIn({ email: who.email, password })
  const { body: profile } = await again('GET', '/customer/profile')
  assert.equal(
    profile.data.email,
    'billing@company.example',
    'notices of the account still go where its owner wants them',
  )
})

test('no owner of an account sets the password of an operator who is a user of it', async () => {
  const { who, asks } = await operator()
  const added = await asks('POST', '/users', { email: 'owner.beside@posthorn.test', role: 'owner' })
  const beside = await signIn({ email: 'owner.beside@posthorn.test', password: added.body.data.password })
  const { id } = (await beside('GET', '/users')).body.data.find(({ email }: { email: string }) => email === who.email)
  const refused = await beside('POST', `/users/${id}/password`, {})
  assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state'])
  assert.match(refused.body.error, /posthorn operator token/)
  await signIn(who)
})

test('a set-up that fails half-way keeps its token valid and leaves no account; of two at once one succeeds', async () => {
  const { database, ids, clock } = world.operator
  const token = await newSetupToken({ database, ids, clock }, null)
  const form = { token, email: 'half@company.example', password: 'a long password', name: null }
  const lost = (db: Db): Db => ({
    ...db,
    one: async (what, values) => {
      if (what.name === 'accounts_put_operator') throw new Error('the connection is lost')
      return db.one(what, values)
    },
  })
  const transaction: Database['transaction'] = (work) => database.transaction((db, posting) => work(lost(db), posting))
  await assert.rejects(setUp({ ...world.operator, database: { ...database, transaction } }, form), /is lost/)
  const found = statement('test_accounts_of', 'select count(*)::int as accounts from account where email = $1')
  assert.deepEqual(await database.system.one(found, [form.email]), { accounts: 0 })
  const both = await Promise.allSettled([setUp(world.operator, form), setUp(world.operator, form)])
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  assert.deepEqual(await database.system.one(found, [form.email]), { accounts: 1 })
})

test('whoever reads an SMTP password is logged before it is shown: a key, an owner, an operator', async () => {
  const { who, asks } = await operator()
  const owner = await person()
  const asOwner = await signIn(owner)
  const made = (await asOwner('POST', '/customer/api-keys', { name: 'reader' })).body.data
  const shown: string[] = []
  const noteShown = ({ status, body }: Answered): void => {
    assert.equal(status, 200, JSON.stringify(body))
    shown.push(body.password)
  }
  const path = '/api/v1/smtp-credentials'
  noteShown(await ask('GET', path, undefined, { 'x-api-key': made.key }))
  const settings = await asOwner('GET', '/smtp-credentials/settings')
  assert.deepEqual([settings.status, 'password' in settings.body.data], [200, false], 'which nobody needs to know of')
  noteShown(await asOwner('GET', '/smtp-credentials'))
  assert.equal((await asks('POST', `/operator/accounts/${owner.accountId}/open`)).status, 204)
  noteShown(await asks('GET', '/smtp-credentials'))
  noteShown(await ask('POST', `${path}/rotate`, {}, { 'x-api-key': made.key }))
  assert.equal((await ask('GET', path, undefined, { 'x-api-key': `${made.key.slice(0, -1)}_` })).status, 401)
  const { body: log } = await asks('GET', `/operator/actions?account_id=${owner.accountId}`)
  type Row = { readonly action: string; readonly operator: string; readonly ip: string; readonly detail: object }
  const rows = (log.data as Row[]).filter(({ action }) => action.startsWith('smtp_password.'))
  assert.deepEqual(
    rows.map(({ action, operator: by, ip, detail }) => [action, by, ip, { ...detail, request_id: '' }]),
    [
      ['smtp_password.rotate', `key ${made.id}`, '127.0.0.1', { mode: 'live', request_id: '' }],
      ['smtp_password.read', who.email, '127.0.0.1', { mode: 'live', request_id: '' }],
      ['smtp_password.read', owner.email, '127.0.0.1', { mode: 'live', request_id: '' }],
      ['smtp_password.read', `key ${made.id}`, '127.0.0.1', { mode: 'live', request_id: '' }],
    ],
  )
  assert.ok(shown.every((password) => !JSON.stringify(log).includes(password)))
})

const DROP = statement('test_drop_setup_token', 'delete from setup_token')
const TOKENS = statement('test_setup_tokens', 'select hash from setup_token')

test('of two set-up tokens created at once by two processes only one is valid', async () => {
  const { database } = world.rooms
  await newSetupToken(world.operator, null)
  const made: Promise<string>[] = []
  await database.transaction(async (db) => {
    await db.execute(DROP)
    for (let n = 0; n < 2; n++) made.push(newSetupToken(world.operator, null))
    await untilBlocked(database, 2)
  })
  await Promise.all(made)
  assert.equal((await database.system.query(TOKENS)).length, 1)
})
