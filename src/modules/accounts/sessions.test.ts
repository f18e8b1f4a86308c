import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { fixture } from '../../../test/world/accounts-fixture.ts'
import type { Clock } from '../../platform/clock.ts'
import { sessionsOf } from './sessions.ts'
import { MAX_USERS_OF_AN_EMAIL } from './sign-in-checks.ts'
import {
  addUser,
  deleteSessionsBut,
  deleteUser,
  listUsers,
  offerTotp,
  setUserPassword,
  type UserRow,
  usersByEmail,
} from './sql-users.ts'

/** A clock whose sleep returns at once, so that refusals are not delayed. */
function hurried(clock: Clock): Clock {
  return { ...clock, sleep: async () => undefined }
}

for (const [what, meanwhile] of [
  ['a new password is set', 'password'],
  ['the user is removed', 'removed'],
] as const) {
  test(`a sign-in while ${what} leaves no session`, async () => {
    await using home = await fixture()
    const { database, clock, ids, secrets, passwords } = home.operator
    const account = await home.account()
    const change = async ({ account_id, id }: UserRow): Promise<void> => {
      if (meanwhile === 'removed') await deleteUser(database.system, account_id, id)
      else {
        await setUserPassword(database.system, account_id, id, await passwords.hash('a long and new password'))
        await deleteSessionsBut(database.system, account_id, id, null)
      }
    }
    const [user] = await listUsers(database.system, account.accountId)
    assert.ok(user)
    const system: typeof database.system = {
      ...database.system,
      execute: async (statement, values) => {
        if (statement.name === 'accounts_add_session') await change(user)
        return database.system.execute(statement, values)
      },
    }
    const sessions = sessionsOf({
      database: { ...database, system },
      clock,
      ids,
      secrets,
      passwords,
      publicUrl: 'http://127.0.0.1:8080',
    })
    const asked = { email: user.email, password: account.dashboardPassword, code: null, ip: '192.0.2.1', agent: '' }
    await assert.rejects(sessions.signIn(asked), { code: 'invalid_credentials' })
  })
}

test('a code confirms the second factor that was offered when the user was read, and no later offer', async () => {
  await using home = await fixture()
  const { database, clock } = home.operator
  const { accountId } = await home.account()
  const sessions = sessionsOf({ ...home.operator, publicUrl: 'http://127.0.0.1:8080' })
  const user = async (): Promise<UserRow> => (await listUsers(database.system, accountId))[0] ?? assert.fail()
  const offer = async (): Promise<string> => {
    const { secret, sealed } = sessions.newSecret(await user())
    await offerTotp(database.system, accountId, (await user()).id, sealed)
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() })
  }
  const code = await offer()
  const read = await user()
  await offer()
  assert.equal(await sessions.confirmSecret(read, code), null)
  assert.equal((await user()).totp_secret, null)
  const last = await offer()
  assert.equal((await sessions.confirmSecret(await user(), last))?.length, 10)
})

test('guessing from many addresses does not lock a user out of networks they have signed in from', async () => {
  await using home = await fixture()
  const { database, clock, ids, secrets } = home.operator
  const account = await home.account()
  const [user] = await listUsers(database.system, account.accountId)
  assert.ok(user)
  const passwords = { hash: async () => '', verify: async (password: string) => password === 'right' }
  const sessions = sessionsOf({
    database,
    clock: hurried(clock),
    ids,
    secrets,
    passwords,
    publicUrl: 'http://127.0.0.1:8080',
  })
  const codeOf = (password: string, ip: string): Promise<string> =>
    sessions.signIn({ email: user.email, password, code: null, ip, agent: '' }).then(
      () => 'ok',
      (error: { code: string }) => error.code,
    )
  assert.equal(await codeOf('right', '2001:db8:1:2::1'), 'ok')
  for (let i = 0; i < 100; i++) assert.equal(await codeOf('wrong', `192.0.2.${i}`), 'invalid_credentials')
  assert.equal(await codeOf('right', '198.51.100.1'), 'rate_limit_exceeded')
  assert.equal(await codeOf('right', '2001:db8:1:2::9'), 'ok', 'of the same network')
  await sessions.checkPassword(user, 'right', '2001:db8:1:2::9')
  assert.equal(await codeOf('wrong', '198.51.100.1'), 'rate_limit_exceeded', 'that gives the others no more guesses')
  for (let i = 0; i < 10; i++) assert.equal(await codeOf('wrong', '2001:db8:1:2::2'), 'invalid_credentials')
  assert.equal(await codeOf('right', '2001:db8:1:2::1'), 'rate_limit_exceeded', 'its own count holds')
})

test('the right password without the right code is no signing in: it makes no network known and clears no count', async () => {
  await using home = await fixture()
  const { database, clock } = home.operator
  const { accountId } = await home.account()
  const passwords = { hash: async () => '', verify: async (password: string) => password === 'right' }
  const publicUrl = 'http://127.0.0.1:8080'
  const sessions = sessionsOf({ ...home.operator, clock: hurried(clock), passwords, publicUrl })
  const user = async (): Promise<UserRow> => (await listUsers(database.system, accountId))[0] ?? assert.fail()
  const { secret, sealed } = sessions.newSecret(await user())
  await offerTotp(database.system, accountId, (await user()).id, sealed)
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() })
  assert.equal((await sessions.confirmSecret(await user(), code))?.length, 10)
  const { email } = await user()
  const codeOf = (password: string, ip: string, given: string | null = null): Promise<string> =>
    sessions.signIn({ email, password, code: given, ip, agent: '' }).then(
      () => 'ok',
      (error: { code: string }) => error.code,
    )
  for (let i = 0; i < 99; i++) assert.equal(await codeOf('wrong', `192.0.2.${i}`), 'invalid_credentials')
  assert.equal(await codeOf('right', '198.51.100.1'), 'second_factor_required')
  assert.equal(await codeOf('right', '198.51.100.1', 'none-of-the-codes'), 'invalid_credentials')
  assert.equal(await codeOf('wrong', '192.0.2.99'), 'invalid_credentials')
  assert.equal(await codeOf('right', '198.51.100.1'), 'rate_limit_exceeded')
})

test('whoever has a session gets no more guesses at its password, from however many addresses', async () => {
  await using home = await fixture()
  const { accountId } = await home.account()
  const [user] = await listUsers(home.database.system, accountId)
  assert.ok(user)
  const passwords = { hash: async () => '', verify: async (password: string) => password === 'right' }
  const sessions = sessionsOf({ ...home.operator, passwords, publicUrl: 'http://127.0.0.1:8080' })
  const guess = (password: string, at: number): Promise<void> => sessions.checkPassword(user, password, `192.0.2.${at}`)
  for (let i = 0; i < 100; i++) await assert.rejects(guess('wrong', i), { code: 'invalid_credentials' })
  await assert.rejects(guess('right', 100), { code: 'rate_limit_exceeded' })
})

test('a user of the same email in another account gives no further guesses by signing in', async () => {
  await using home = await fixture()
  const { database, clock, ids, secrets } = home.operator
  const [victims, own] = [await home.account(), await home.account()]
  const [victim] = await listUsers(database.system, victims.accountId)
  assert.ok(victim)
  const row = {
    account_id: own.accountId,
    id: ids.next(),
    email: victim.email,
    password_hash: 'own',
    role: 'viewer',
  } as const
  await addUser(database.system, { ...row, created_at: clock.now() })
  const passwords = {
    hash: async () => '',
    verify: async (password: string, stored: string | null) => password === (stored === 'own' ? 'own' : 'right'),
  }
  const sessions = sessionsOf({
    database,
    clock: hurried(clock),
    ids,
    secrets,
    passwords,
    publicUrl: 'http://127.0.0.1:8080',
  })
  const accountOf = (password: string, ip: string): Promise<string> =>
    sessions.signIn({ email: victim.email, password, code: null, ip, agent: '' }).then(
      ({ session }) => session.account_id,
      (error: { code: string }) => error.code,
    )
  const told = new Set<string>()
  for (let i = 0; i < 110; i++) {
    told.add(await accountOf('wrong', `192.0.2.${i}`))
    if (i % 9 === 0) assert.equal(await accountOf('own', `198.51.100.${i}`), own.accountId)
  }
  assert.deepEqual([...told], ['invalid_credentials', 'rate_limit_exceeded'])
  assert.equal(await accountOf('right', '203.0.113.1'), 'rate_limit_exceeded')
  assert.equal(await accountOf('own', '203.0.113.2'), own.accountId, 'who is not guessed at is let in')
})

test('users that others add under an email lock out no user made with their account', async () => {
  await using home = await fixture()
  const { database, clock, ids } = home.operator
  const victims = await home.account()
  const [victim] = await listUsers(database.system, victims.accountId)
  assert.ok(victim)
  for (let i = 0; i < MAX_USERS_OF_AN_EMAIL; i++) {
    const { accountId: account_id } = await home.account()
    const row = { account_id, id: ids.next(), email: victim.email, password_hash: '', role: 'viewer' } as const
    await addUser(database.system, { ...row, created_at: new Date(clock.now().getTime() - 3_600_000) })
  }
  const [first] = await usersByEmail(database.system, victim.email, MAX_USERS_OF_AN_EMAIL)
  assert.equal(first?.id, victim.id)
})

test('an unknown email, a known one and one in two accounts cost the same number of hashings', async () => {
  await using home = await fixture()
  const { database, clock, ids, secrets } = home.operator
  const [one, two] = [await home.account(), await home.account()]
  const [[user], [other]] = [
    await listUsers(database.system, one.accountId),
    await listUsers(database.system, two.accountId),
  ]
  assert.ok(user && other)
  const row = {
    account_id: two.accountId,
    id: ids.next(),
    email: user.email,
    password_hash: '',
    role: 'viewer',
  } as const
  await addUser(database.system, { ...row, created_at: clock.now() })
  let hashings = 0
  const verify = async (): Promise<boolean> => {
    hashings++
    return false
  }
  const sessions = sessionsOf({
    database,
    clock,
    ids,
    secrets,
    passwords: { hash: async () => '', verify },
    publicUrl: 'http://127.0.0.1:8080',
  })
  for (const email of ['nobody@example.com', other.email, user.email]) {
    hashings = 0
    const asked = { email, password: 'x', code: null, ip: '192.0.2.1', agent: '' }
    await assert.rejects(sessions.signIn(asked), { code: 'invalid_credentials' })
    assert.equal(hashings, 2, email)
  }
})

test('the time of a refusal does not reveal how many users an email has', async () => {
  await using home = await fixture()
  const { database, ids, secrets } = home.operator
  const [first] = await listUsers(database.system, (await home.account()).accountId)
  assert.ok(first)
  let nowMs = 0
  const clock: Clock = {
    ...home.operator.clock,
    monotonicMs: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms
    },
  }
  const verify = async (): Promise<boolean> => {
    nowMs += 21
    return false
  }
  const passwords = { hash: async () => '', verify }
  const sessions = sessionsOf({ database, clock, ids, secrets, passwords, publicUrl: 'http://127.0.0.1:8080' })
  const refusedAfterMs = async (email: string, ip: string): Promise<number> => {
    const beganMs = nowMs
    const asked = { email, password: 'x', code: null, ip, agent: '' }
    await assert.rejects(sessions.signIn(asked), { code: 'invalid_credentials' })
    return nowMs - beganMs
  }
  const seen = [await refusedAfterMs('nobody@example.com', '192.0.2.1')]
  for (let users = 1; users <= MAX_USERS_OF_AN_EMAIL; users++) {
    if (users > 1) {
      const { accountId: account_id } = await home.account()
      const row = { account_id, id: ids.next(), email: first.email, password_hash: '', role: 'viewer' } as const
      await addUser(database.system, { ...row, created_at: clock.now() })
    }
    seen.push(await refusedAfterMs(first.email, `198.51.100.${users}`))
  }
  assert.deepEqual([...new Set(seen)], [1_000])
})
