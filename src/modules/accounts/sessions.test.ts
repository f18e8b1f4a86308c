import assert from 'node:assert/strict'
import { test } from 'node:test'
import { house } from '../../../test/accounts-house.ts'
import { sessionsOf } from './sessions.ts'
import { deleteSessionsBut, deleteUser, listUsers, setUserPassword, type UserRow } from './sql-users.ts'

for (const [what, meanwhile] of [
  ['a new password is set', 'password'],
  ['the user is removed', 'removed'],
] as const) {
  test(`who signs in while ${what} has no session afterwards`, async () => {
    await using home = await house()
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
    const sessions = sessionsOf({ database: { ...database, system }, clock, ids, secrets, passwords, secure: false })
    const asked = { email: user.email, password: account.dashboardPassword, code: null, ip: '192.0.2.1', agent: '' }
    await assert.rejects(sessions.signIn(asked), { code: 'invalid_credentials' })
  })
}

test('whoever guesses from many addresses shuts a user out of none that they have signed in from', async () => {
  await using home = await house()
  const { database, clock, ids, secrets } = home.operator
  const account = await home.account()
  const [user] = await listUsers(database.system, account.accountId)
  assert.ok(user)
  const passwords = { hash: async () => '', verify: async (password: string) => password === 'right' }
  const sessions = sessionsOf({ database, clock, ids, secrets, passwords, secure: false })
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
