// The file with the first account, which every start reads.

import assert from 'node:assert/strict'
import { link, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { firstRun } from '../src/first-run.ts'
import { statement } from '../src/platform/db.ts'
import { startWorld } from './world/world.ts'

test('a truncated first-account file is rewritten, and a half-written file never takes its place', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const { rooms } = world
  const file = path.join(rooms.config.dataDir, 'first-account.json')
  const keyOf = async (): Promise<string> => JSON.parse(await readFile(file, 'utf8')).test_api_key
  const lines = await firstRun(rooms)
  assert.ok(lines.includes(`  test key    ${await keyOf()}`))
  assert.deepEqual(await firstRun(rooms).then((again) => again[6]), lines[6], 'it is the same at the next start')
  await writeFile(file, '{\n  "account_id"')
  await link(file, `${file}.torn`)
  const after = await firstRun(rooms)
  assert.ok(after.includes(`  test key    ${await keyOf()}`))
  assert.equal(await readFile(`${file}.torn`, 'utf8'), '{\n  "account_id"')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
})

test('a process without the API creates no account and no token, and announces no address', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'delivery,worker' } })
  const accounts = statement('test_accounts', 'select count(*)::int as count from account')
  const count = async () => (await world.rooms.database.system.one<{ count: number }>(accounts))?.count
  const before = await count()
  assert.deepEqual(await firstRun(world.rooms), [])
  assert.equal(await count(), before)
  await assert.rejects(stat(path.join(world.rooms.config.dataDir, 'first-account.json')), { code: 'ENOENT' })
})
