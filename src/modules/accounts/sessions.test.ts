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
