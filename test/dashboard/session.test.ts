// Signing in to the dashboard as a browser does it: with a cookie, and from our own pages only.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { createAccount } from '../../src/modules/accounts/index.ts'
import { MAX_USERS_OF_AN_EMAIL } from '../../src/modules/accounts/sign-in-checks.ts'
import { addUser } from '../../src/modules/accounts/sql-users.ts'
import { statement } from '../../src/platform/db.ts'
import { untilBlocked } from '../world/blocked.ts'
import { startWorld, type World } from '../world/world.ts'

interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests read answers of many shapes
  readonly body: any
  readonly cookie: string | null
  readonly headers: Headers
}

const PUBLIC_URL = 'http://mail.posthorn.test'
const OURS = { 'sec-fetch-site': 'same-origin' }
let world: World
let accounts = 0

before(async () => {
  world = await startWorld({
    settings: { POSTHORN_TRUSTED_PROXIES: '127.0.0.1,::1', POSTHORN_PUBLIC_URL: PUBLIC_URL },
  })
})
after(() => world[Symbol.asyncDispose]())

async function ask(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = OURS,
): Promise<Answered> {
  const answer = await fetch(`${world.url}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const cookie = answer.headers.get('set-cookie')
  return { status: answer.status, body: text === '' ? null : JSON.parse(text), cookie, headers: answer.headers }
}

interface Person {
  readonly email: string
  readonly password: string
  readonly accountId: string
}

async function person(): Promise<Person> {
  const email = `Person${++accounts}@posthorn.test`
  const made = await createAccount(world.operator, { email, name: `Account ${accounts}` })
  return { email, password: made.dashboardPassword, accountId: made.accountId }
}

async function signIn({ email, password }: Person, code?: string): Promise<Record<string, string>> {
  const answer = await ask('POST', '/api/v1/session', { email, password, ...(code !== undefined && { code }) })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return { ...OURS, cookie: (answer.cookie ?? '').split(';')[0] ?? '' }
}

test('signing in sets a cookie that no script and no other site can use, and that lets the user in', async () => {
  const who = await person()
  const answer = await ask('POST', '/api/v1/session', { email: who.email.toUpperCase(), password: who.password })
  assert.equal(answer.status, 200)
  assert.match(answer.cookie ?? '', /^posthorn=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.body.data.account.id, who.accountId)
  assert.deepEqual(answer.body.data.scopes, ['full'])
  const cookie = { ...OURS, cookie: (answer.cookie ?? '').split(';')[0] ?? '' }
  assert.equal((await ask('GET', '/api/v1/customer/profile', undefined, cookie)).body.data.id, who.accountId)
  assert.equal((await ask('POST', '/api/v1/templates', { name: 'n', subject: 's', text: 't' }, cookie)).status, 201)
})

test('a session ends by signing out, after half a day without use, and after 7 days', async () => {
  const who = await person()
  const first = await signIn(who)
  assert.equal((await ask('DELETE', '/api/v1/session', undefined, first)).status, 204)
  assert.equal((await ask('GET', '/api/v1/session', undefined, first)).body.code, 'not_signed_in')
  assert.equal((await ask('GET', '/api/v1/emails', undefined, first)).body.code, 'not_signed_in')
  const second = await signIn(who)
  world.clock.advance(12 * 3_600_000 + 1_000)
  assert.equal((await ask('GET', '/api/v1/session', undefined, second)).status, 401)
  const third = await signIn(who)
  for (let hours = 0; hours < 7 * 24; hours += 11) {
    assert.equal((await ask('GET', '/api/v1/session', undefined, third)).status, 200, `${hours} h`)
    world.clock.advance(11 * 3_600_000)
  }
  assert.equal((await ask('GET', '/api/v1/session', undefined, third)).status, 401)
})

test('a request that another site may have sent changes nothing, whatever its method', async () => {
  const who = await person()
  const { cookie = '' } = await signIn(who)
  const foreign: readonly Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    {},
  ]
  const { body: document } = await ask('GET', '/openapi.json')
  const unsafe = Object.entries(document.paths as Record<string, Record<string, object>>).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter(
        (method) =>
          method !== 'get' && ('x-scope' in (methods[method] ?? {}) || /\/(?:session|users|setup|operator)/.test(path)),
      )
      .map(
        (method) =>
          [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000')] as const,
      ),
  )
  assert.ok(unsafe.length > 40, `${unsafe.length} operations`)
  for (const [i, [method, path]] of unsafe.entries()) {
    const headers = { ...foreign[i % foreign.length], cookie }
    const answer = await ask(method, path, {}, headers)
    // Session endpoints with fields check the form of the body first; complete bodies follow below.
    const refused = /session|users|setup|operator/.test(path)
      ? ['cross_site_request', 'validation_error']
      : ['cross_site_request']
    assert.ok(refused.includes(answer.body?.code), `${method} ${path} ${JSON.stringify(headers)}: ${answer.status}`)
  }
  const whole: readonly (readonly [string, string, object])[] = [
    ['POST', '/api/v1/session', { email: who.email, password: who.password }],
    ['PUT', '/api/v1/session/password', { current_password: who.password, new_password: 'a long and new password' }],
    ['POST', '/api/v1/users', { email: 'evil@evil.example', role: 'owner' }],
    ['POST', '/api/v1/session/totp/remove', { current_password: who.password }],
  ]
  for (const [method, path, body] of whole) {
    for (const headers of foreign) {
      const answer = await ask(method, path, body, { ...headers, cookie })
      assert.equal(answer.body?.code, 'cross_site_request', `${method} ${path} ${JSON.stringify(headers)}`)
    }
  }
  const own = { origin: world.url, cookie }
  assert.equal((await ask('DELETE', '/api/v1/session', undefined, own)).status, 204)
})

test('a page acts and reads only for the account that it shows, also after another tab changed to another one', async () => {
  const [one, other] = [await person(), await person()]
  const session = await signIn(other)
  const page = { ...session, 'x-dashboard-account': one.accountId }
  const whole = { name: 'n', subject: 's', text: 't' }
  for (const [method, path, body] of [
    ['POST', '/api/v1/templates', whole],
    ['GET', '/api/v1/templates', undefined],
    ['POST', '/api/v1/users', { email: 'new@posthorn.test', role: 'viewer' }],
  ] as const) {
    const { status, body: said } = await ask(method, path, body, page)
    assert.deepEqual([status, said.code], [403, 'cross_site_request'], path)
    assert.match(said.error, /Another tab of this browser changed/)
  }
  assert.deepEqual((await ask('GET', '/api/v1/templates', undefined, session)).body.data, [])
  const right = { ...session, 'x-dashboard-account': other.accountId }
  assert.equal((await ask('POST', '/api/v1/templates', whole, right)).status, 201)
  // Who is signed in, and signing out, can always be asked.
  assert.equal((await ask('GET', '/api/v1/session', undefined, page)).body.data.account.id, other.accountId)
  assert.equal((await ask('DELETE', '/api/v1/session', undefined, page)).status, 204)
})

test('over plain HTTP, the public URL is our page behind a proxy that asks by another name', async () => {
  const { email, password } = await person()
  const signInFrom = (origin: string): ReturnType<typeof ask> =>
    ask('POST', '/api/v1/session', { email, password }, { origin })
  for (const origin of [`${PUBLIC_URL}:81`, 'https://mail.posthorn.test', 'http://posthorn.test'])
    assert.equal((await signInFrom(origin)).body.code, 'cross_site_request', origin)
  const signedIn = await signInFrom(PUBLIC_URL)
  assert.equal(signedIn.status, 200)
  const own = { origin: PUBLIC_URL, cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '' }
  const made = await ask('POST', '/api/v1/templates', { name: 'n', subject: 's', text: 't' }, own)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assert.equal((await ask('DELETE', '/api/v1/session', undefined, own)).status, 204)
})

test('an unknown address, a wrong password and a wrong code look the same from outside, and guessing becomes slow', async () => {
  const who = await person()
  const unknown = await ask('POST', '/api/v1/session', { email: 'nobody@posthorn.test', password: 'x' })
  const wrong = await ask('POST', '/api/v1/session', { email: who.email, password: 'x' })
  assert.equal(unknown.status, 401)
  assert.deepEqual({ ...unknown.body, request_id: '' }, { ...wrong.body, request_id: '' })
  let answer = wrong
  for (let i = 0; i < 10; i++) answer = await ask('POST', '/api/v1/session', { email: who.email, password: 'x' })
  assert.equal(answer.status, 429)
  assert.ok(Number(answer.headers.get('retry-after')) >= 1)
  assert.equal((await ask('POST', '/api/v1/session', who)).status, 422, 'the refusal comes after the form')
  world.clock.advance(15 * 60_000)
  await signIn(who)
})

test('a network of IPv6 addresses gets no more guesses than one address', async () => {
  const who = await person()
  const guess = async (ip: string): Promise<number> =>
    (await ask('POST', '/api/v1/session', { email: who.email, password: 'x' }, { ...OURS, 'x-forwarded-for': ip }))
      .status
  for (let i = 1; i <= 10; i++) assert.equal(await guess(`2001:db8:1:2:${i}::${i}`), 401)
  assert.equal(await guess('2001:db8:1:2::ffff'), 429)
  assert.equal(await guess('2001:db8:1:3::1'), 401)
})

test('simultaneous guesses are no more than sequential ones', async () => {
  const who = await person()
  const guess = () => ask('POST', '/api/v1/session', { email: who.email, password: 'x' })
  const answers = await Promise.all(Array.from({ length: 15 }, guess))
  assert.ok(answers.filter(({ status }) => status === 401).length <= 10)
  world.clock.advance(60_000)
  const later = await Promise.all(Array.from({ length: 15 }, guess))
  assert.ok(later.filter(({ status }) => status === 401).length <= 1)
  world.clock.advance(15 * 60_000)
  const signedIn = await Promise.all(Array.from({ length: 12 }, () => signIn(who)))
  assert.equal(signedIn.length, 12, 'who knows the password is not held up by themselves')
})

test('a second factor is asked for once it is set up, works once for each step, and recovery codes work once', async () => {
  const who = await person()
  const session = await signIn(who)
  const offered = await ask('POST', '/api/v1/session/totp', {}, session)
  const { secret, url } = offered.body.data
  assert.match(url, /^otpauth:\/\/totp\/Posthorn:person/i)
  const codeNow = (): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now().getTime() })
  assert.equal((await ask('PUT', '/api/v1/session/totp', { code: '000000' }, session)).status, 401)
  await signIn(who)
  // Time goes on: a code made later may belong to the next step.
  const first = codeNow()
  const confirmed = await ask('PUT', '/api/v1/session/totp', { code: first }, session)
  assert.equal(confirmed.status, 200)
  const recovery: readonly string[] = confirmed.body.data.recovery_codes
  assert.equal(recovery.length, 10)
  const { email, password } = who
  const asked = await ask('POST', '/api/v1/session', { email, password })
  assert.equal(asked.body.code, 'second_factor_required')
  assert.equal((await ask('POST', '/api/v1/session', { email, password: 'x', code: codeNow() })).status, 401)
  assert.equal((await ask('POST', '/api/v1/session', { email, password, code: first })).status, 401, 'used above')
  world.clock.advance(31_000)
  const code = codeNow()
  await signIn(who, code)
  assert.equal((await ask('POST', '/api/v1/session', { email, password, code })).status, 401)
  await signIn(who, recovery[0] ?? '')
  assert.equal((await ask('POST', '/api/v1/session', { email, password, code: recovery[0] })).status, 401)
  const again = await ask('POST', '/api/v1/session/totp', {}, session)
  assert.equal(again.body.code, 'second_factor_in_force', 'a stolen session does not exchange it')
  const remove = (given: object) =>
    ask('POST', '/api/v1/session/totp/remove', { current_password: password, ...given }, session)
  assert.equal((await remove({})).body.code, 'second_factor_required')
  assert.equal((await remove({ code })).body.code, 'invalid_credentials', 'used above')
  assert.equal((await remove({ code: recovery[1], current_password: 'x' })).status, 401)
  assert.equal((await remove({ code: recovery[1] })).status, 204)
  await signIn(who)
  world.clock.advance(15 * 60_000)
})

test('with a known password five codes can be guessed, then one every 15 minutes; a recovery code still works', async () => {
  const who = await person()
  const session = await signIn(who)
  const { secret } = (await ask('POST', '/api/v1/session/totp', {}, session)).body.data
  const codeNow = (): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now().getTime() })
  const confirmed = await ask('PUT', '/api/v1/session/totp', { code: codeNow() }, session)
  const recovery: readonly string[] = confirmed.body.data.recovery_codes
  const { email, password } = who
  const guess = (code: string) => ask('POST', '/api/v1/session', { email, password, code })
  const wrong = (): string => (codeNow() === '000000' ? '000001' : '000000')
  const answers = await Promise.all(Array.from({ length: 8 }, () => guess(wrong())))
  assert.equal(answers.filter(({ status }) => status === 401).length, 5)
  assert.equal(answers.filter(({ status }) => status === 429).length, 3)
  world.clock.advance(60_000)
  assert.equal((await guess(codeNow())).status, 429, 'the right one neither')
  await signIn(who, recovery[0] ?? '')
  world.clock.advance(15 * 60_000)
  await signIn(who, codeNow())
})

test('an offered second factor is confirmed once, with one set of recovery codes', async () => {
  const who = await person()
  const session = await signIn(who)
  const { secret } = (await ask('POST', '/api/v1/session/totp', {}, session)).body.data
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now().getTime() })
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => ask('PUT', '/api/v1/session/totp', { code }, session)),
  )
  const taken = answers.filter(({ status }) => status === 200)
  assert.equal(taken.length, 1)
  await signIn(who, taken[0]?.body.data.recovery_codes[0])
})

test('users see what their role allows, and the last owner cannot be removed', async () => {
  const who = await person()
  const owner = await signIn(who)
  const added = await ask('POST', '/api/v1/users', { email: 'Viewer@posthorn.test', role: 'viewer' }, owner)
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const again = await ask('POST', '/api/v1/users', { email: 'viewer@posthorn.test', role: 'viewer' }, owner)
  assert.equal(again.body.code, 'already_exists')
  const viewer = await signIn({ ...who, email: 'viewer@posthorn.test', password: added.body.data.password })
  assert.equal((await ask('GET', '/api/v1/emails', undefined, viewer)).status, 200)
  const mail = { from: 'a@b.example', to: 'c@d.example', subject: 's', text: 't' }
  const { body: beyond } = await ask('POST', '/api/v1/send', mail, viewer)
  assert.deepEqual([beyond.code, beyond.details], ['insufficient_scope', { required_scope: 'send' }])
  assert.match(beyond.error, /^Your role .* an owner of the account may change it$/)
  assert.equal(
    (await ask('POST', '/api/v1/users', { email: 'x@y.example', role: 'owner' }, viewer)).body.code,
    'insufficient_role',
  )
  const { body: sessions } = await ask('GET', '/api/v1/sessions', undefined, owner)
  assert.equal(sessions.data.length, 1, 'those of others in the account are not listed')
  assert.equal((await ask('DELETE', `/api/v1/sessions/${sessions.data[0].id}`, undefined, viewer)).status, 404)
  const { body: users } = await ask('GET', '/api/v1/users', undefined, viewer)
  const [first, second] = users.data
  for (const id of [first.id, first.id.toUpperCase()]) {
    assert.equal((await ask('DELETE', `/api/v1/users/${id}`, undefined, owner)).body.code, 'last_owner')
    assert.equal((await ask('PATCH', `/api/v1/users/${id}`, { role: 'viewer' }, owner)).body.code, 'last_owner')
  }
  assert.equal((await ask('PATCH', `/api/v1/users/${second.id}`, { role: 'owner' }, owner)).status, 200)
  assert.equal((await ask('GET', '/api/v1/session', undefined, viewer)).body.data.user.role, 'owner')
  const stranger = await signIn(await person())
  assert.equal((await ask('DELETE', `/api/v1/users/${second.id}`, undefined, stranger)).status, 404)
  assert.equal((await ask('DELETE', `/api/v1/users/${second.id}`, undefined, owner)).status, 204)
  assert.equal((await ask('GET', '/api/v1/session', undefined, viewer)).status, 401, 'their sessions end with them')
})

test('credentials are for owners: developers see them and make none, viewers do not see them', async () => {
  const who = await person()
  const owner = await signIn(who)
  for (const [role, seen] of Object.entries({ developer: 200, viewer: 403 })) {
    const email = `${role}-of-credentials@posthorn.test`
    const { password } = (await ask('POST', '/api/v1/users', { email, role }, owner)).body.data
    const session = await signIn({ ...who, email, password })
    for (const [method, path, body, status] of [
      ['GET', '/api/v1/customer/api-keys', undefined, seen],
      ['POST', '/api/v1/customer/api-keys', { name: 'k', scopes: ['emails:read'] }, 403],
      ['GET', '/api/v1/smtp-credentials', undefined, seen],
      ['POST', '/api/v1/smtp-credentials/rotate', {}, 403],
    ] as const)
      assert.equal((await ask(method, path, body, session)).status, status, `${role} ${method} ${path}`)
  }
})

test('an owner gives a user a new password, which ends their sessions and their second factor', async () => {
  const who = await person()
  const owner = await signIn(who)
  const added = await ask('POST', '/api/v1/users', { email: 'lost@posthorn.test', role: 'viewer' }, owner)
  const { id, password } = added.body.data
  const user = { ...who, email: 'lost@posthorn.test', password }
  const session = await signIn(user)
  const { secret } = (await ask('POST', '/api/v1/session/totp', {}, session)).body.data
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now().getTime() })
  assert.equal((await ask('PUT', '/api/v1/session/totp', { code }, session)).status, 200)
  const path = `/api/v1/users/${id}/password`
  assert.equal((await ask('POST', path, {}, session)).body.code, 'insufficient_role')
  assert.equal((await ask('POST', path, {}, await signIn(await person()))).status, 404)
  const reset = await ask('POST', path, {}, owner)
  assert.deepEqual(
    [reset.status, reset.body.data.email, reset.body.data.totp_enabled],
    [200, 'lost@posthorn.test', false],
  )
  assert.equal((await ask('GET', '/api/v1/session', undefined, session)).status, 401, 'their sessions end')
  const old = await ask('POST', '/api/v1/session', { email: user.email, password })
  assert.equal(old.body.code, 'invalid_credentials')
  await signIn({ ...user, password: reset.body.data.password })
  const own = (await ask('GET', '/api/v1/users', undefined, owner)).body.data[0]
  assert.equal((await ask('POST', `/api/v1/users/${own.id}/password`, {}, owner)).body.code, 'invalid_state')
  assert.equal((await ask('GET', '/api/v1/session', undefined, owner)).status, 200)
})

test('a developer can change the account’s profile, but not the address that its notices go to', async () => {
  const who = await person()
  const owner = await signIn(who)
  const added = await ask('POST', '/api/v1/users', { email: 'dev@posthorn.test', role: 'developer' }, owner)
  const developer = await signIn({ ...who, email: 'dev@posthorn.test', password: added.body.data.password })
  const change = (body: object, session: Record<string, string>) =>
    ask('PATCH', '/api/v1/customer/profile', body, session)
  assert.equal((await change({ company: 'Shop' }, developer)).status, 200)
  const refused = await change({ company: 'Other', email: 'dev@posthorn.test' }, developer)
  assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_role'])
  const { email, company } = (await ask('GET', '/api/v1/customer/profile', undefined, owner)).body.data
  assert.deepEqual([email, company], [who.email, 'Shop'])
  assert.equal((await change({ email: 'moved@posthorn.test' }, owner)).body.data.email, 'moved@posthorn.test')
})

test('an email has at most 20 users over all accounts; one more is refused, in any letter case', async () => {
  const { database, clock, ids } = world.operator
  const email = 'everywhere@posthorn.test'
  for (let i = 0; i < MAX_USERS_OF_AN_EMAIL; i++) {
    const { accountId: account_id } = await createAccount(world.operator, {
      email: `a${i}@posthorn.test`,
      name: `A${i}`,
    })
    const user = {
      account_id,
      id: ids.next(),
      email,
      password_hash: '',
      role: 'viewer',
      created_at: clock.now(),
    } as const
    await addUser(database.system, user)
  }
  const owner = await signIn(await person())
  const refused = await ask('POST', '/api/v1/users', { email: 'Everywhere@posthorn.test', role: 'viewer' }, owner)
  assert.deepEqual([refused.status, refused.body.code, refused.body.details.limit], [409, 'invalid_state', 20])
  assert.equal((await ask('GET', '/api/v1/users', undefined, owner)).body.data.length, 1)
})

test('a new password ends the other sessions, and one session can end another', async () => {
  const who = await person()
  const here = await signIn(who)
  const there = await signIn(who)
  const { body } = await ask('GET', '/api/v1/sessions', undefined, here)
  assert.equal(body.data.length, 2)
  const other = body.data.find(({ current }: { current: boolean }) => !current)
  const stranger = await signIn(await person())
  assert.equal((await ask('DELETE', `/api/v1/sessions/${other.id}`, undefined, stranger)).status, 404)
  assert.equal((await ask('DELETE', `/api/v1/sessions/${other.id}`, undefined, here)).status, 204)
  assert.equal((await ask('GET', '/api/v1/session', undefined, there)).status, 401)
  const third = await signIn(who)
  const short = await ask(
    'PUT',
    '/api/v1/session/password',
    { current_password: who.password, new_password: 'short' },
    here,
  )
  assert.equal(short.status, 422)
  const change = { current_password: who.password, new_password: 'a long and new password' }
  assert.equal((await ask('PUT', '/api/v1/session/password', { ...change, current_password: 'x' }, here)).status, 401)
  assert.equal((await ask('PUT', '/api/v1/session/password', change, here)).status, 204)
  assert.equal((await ask('GET', '/api/v1/session', undefined, third)).status, 401)
  assert.equal((await ask('GET', '/api/v1/session', undefined, here)).status, 200)
  await signIn({ ...who, password: change.new_password })
})

test('of changes of a password from several sessions at once, one succeeds', async () => {
  const who = await person()
  const all = await Promise.all(Array.from({ length: 3 }, () => signIn(who)))
  const wanted = all.map((session, n) => ({ session, password: `a long and new password ${n}` }))
  const statuses = await Promise.all(
    wanted.map(async ({ session, password }) => {
      const change = { current_password: who.password, new_password: password }
      return (await ask('PUT', '/api/v1/session/password', change, session)).status
    }),
  )
  assert.deepEqual(statuses.toSorted(), [204, 401, 401])
  const winner = wanted[statuses.indexOf(204)]
  assert.ok(winner)
  assert.equal((await ask('GET', '/api/v1/session', undefined, winner.session)).status, 200)
  await signIn({ ...who, password: winner.password })
})

const FILL = statement(
  'test_fill_users',
  `insert into dashboard_user (account_id, id, email, password_hash, created_at)
   select $1, gen_random_uuid(), 'filler' || n || '@posthorn.test', '', now() from generate_series(1, 98) n`,
)
const HOLD = statement(
  'test_hold_account',
  'select from account a join dashboard_user u using (account_id) where account_id = $1 for update',
)

test('users added at the same time do not exceed what an account may have', async () => {
  const who = await person()
  const owner = await signIn(who)
  const { database } = world.rooms
  await database.system.execute(FILL, [who.accountId])
  const added: Promise<Answered>[] = []
  await database.transaction(async (db) => {
    await db.query(HOLD, [who.accountId])
    for (let n = 0; n < 4; n++)
      added.push(ask('POST', '/api/v1/users', { email: `more${n}@posthorn.test`, role: 'viewer' }, owner))
    await untilBlocked(database, 4)
  })
  const statuses = (await Promise.all(added)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [201, 409, 409, 409])
  assert.equal((await ask('GET', '/api/v1/users', undefined, owner)).body.data.length, 100)
})

test('signing in on a page served over plain http is refused with the https address', async () => {
  await using secure = await startWorld({ settings: { POSTHORN_PUBLIC_URL: 'https://mail.posthorn.test' } })
  const someone = await createAccount(secure.operator, { email: 'clear@posthorn.test', name: 'Clear' })
  const signInFrom = (origin: string) =>
    fetch(`${secure.url}/api/v1/session`, {
      method: 'POST',
      headers: { ...OURS, origin, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'clear@posthorn.test', password: someone.dashboardPassword }),
    })
  const refused = await signInFrom('http://mail.posthorn.test')
  assert.equal(refused.status, 403)
  assert.equal(refused.headers.get('set-cookie'), null)
  assert.match(await refused.text(), /Sign in over https: https:\/\/mail\.posthorn\.test/)
  for (const origin of ['https://mail.posthorn.test', 'http://localhost:8080']) {
    assert.equal((await signInFrom(origin)).status, 200, origin)
  }
})
