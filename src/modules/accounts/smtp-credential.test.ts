import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixture, newKey, until } from '../../../test/world/accounts-fixture.ts'
import { statement } from '../../platform/db.ts'
import { revokeKey, rotateKey, UNBOUNDED } from './keys.ts'
import { readSmtpCredential, rotateSmtpCredential } from './smtp-credential.ts'
import { selectKey } from './sql.ts'

const IP = '192.0.2.1'
const END_KEY = statement('test_end_key', 'update api_key set expires_at = $2 where id = $1')

test('a key that has ended logs in by SMTP no more: revoked, expired, or from before a rotation', async () => {
  await using home = await fixture()
  const { room } = await home.node()
  const { accountId } = await home.account()
  const { system } = home.database
  const owner = { accountId, ...UNBOUNDED }
  const logIn = async (password: string): Promise<string> =>
    (await room.authenticateSmtp({ username: 'apikey', password, ip: IP })).kind
  const ends: readonly ((id: string) => Promise<unknown>)[] = [
    (id) => revokeKey(system, home.operator.clock, owner, id),
    (id) => system.execute(END_KEY, [id, new Date(1_000)]),
    (id) => rotateKey(system, home.operator, owner, id, 0),
  ]
  for (const end of ends) {
    const { key, row } = await newKey(home, accountId)
    assert.equal(await logIn(key), 'ok')
    await end(row.id)
    room.forget(accountId)
    assert.equal(await logIn(key), 'refused')
  }
})

test('a log-in with a key is a use of it, from its address', async () => {
  await using home = await fixture()
  const { room } = await home.node()
  const { accountId } = await home.account()
  const { key, row } = await newKey(home, accountId)
  await room.authenticateSmtp({ username: 'apikey', password: key, ip: IP })
  await until(async () => (await selectKey(home.database.system, accountId, row.id))?.last_used_ip === IP)
})

test('the password from before a rotation ends at the very time that its grace does', async () => {
  await using home = await fixture()
  const { accountId } = await home.account()
  const { system } = home.database
  const owner = { accountId, keyId: null, mode: 'live' } as const
  const { username, password } = await readSmtpCredential(
    system,
    home.operator.secrets,
    owner,
    home.operator.clock.now(),
  )
  const until = (await rotateSmtpCredential(system, home.operator, owner, 60_000)).previousValidUntil
  const endMs = until?.getTime() ?? assert.fail('no grace')
  const answers: string[] = []
  for (const ms of [endMs - 1, endMs]) {
    const { room } = await home.node({ clock: { ...home.operator.clock, now: () => new Date(ms) } })
    answers.push((await room.authenticateSmtp({ username, password, ip: IP })).kind)
  }
  assert.deepEqual(answers, ['ok', 'refused'])
})
