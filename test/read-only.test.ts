// A database that refuses writes, as hosting providers make it when its disk is full.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openSecrets } from '../src/platform/secrets/keys.ts'
import { until } from './world/accounts-fixture.ts'
import { startWorld } from './world/world.ts'

const SECRET = { POSTHORN_SECRET_KEY: 'a secret of the tests that nobody else has' }
const MAIL = { from: 'a@shop.example', to: 'reader@sandbox.test', subject: 'Hi', text: 'Hi' }

test('on a read-only database reads and readiness are answered, sends are refused, and listing commands start', async () => {
  await using world = await startWorld({ settings: { ...SECRET, POSTHORN_RATE_LIMITS: 'on' } })
  const { api } = world
  await world.verifiedDomain('shop.example')
  const sent = await api.post('/api/v1/send', MAIL)
  assert.equal(sent.status, 202)

  await readOnly(world.rooms.store.adminUrl, 'on')
  const paths = ['/readyz', '/api/v1/emails', `/api/v1/emails/${sent.body.data.email_id}`, '/api/v1/customer/domains']
  for (const path of paths) assert.equal((await api.get(path)).status, 200, path)
  const burst = await Promise.all(Array.from({ length: 400 }, () => api.get('/api/v1/templates')))
  assert.deepEqual(new Set(burst.map(({ status }) => status)), new Set([200, 429]), 'the rate holds')
  const refused = await api.post('/api/v1/send', MAIL)
  assert.equal(refused.status, 503)
  await openSecrets(world.rooms.database, { dataDir: '', secretKey: SECRET.POSTHORN_SECRET_KEY })

  await readOnly(world.rooms.store.adminUrl, 'off')
  // A call may still meet a connection that was closed at that moment.
  await until(async () => (await api.post('/api/v1/send', MAIL)).status === 202)
})

/** Applies to new connections; the open ones are closed. */
async function readOnly(url: string, value: 'on' | 'off'): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('set default_transaction_read_only = off')
  const { rows } = await client.query('select current_database() as name')
  await client.query(`alter database ${rows[0].name} set default_transaction_read_only = ${value}`)
  await client.query(
    'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
}
