// A commit waits for the synchronous standby. When an operator cancels that wait, PostgreSQL answers COMMIT with a warning,
// and the commit is on one server only.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { systemClock } from '../clock.ts'
import { connect, isUnavailable, statement } from '../db.ts'
import { createLogger } from '../log.ts'
import { embeddedPostgres } from '../postgres.ts'

const SMALL = { shared_buffers: '16MB', max_wal_size: '64MB', fsync: 'off' }
const CANCEL = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'"
const ADD = statement('test_add', 'insert into alone values (1)')

test('a commit that no standby has confirmed does not succeed', async () => {
  await using stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-standby-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const log = createLogger('silent')
  const server = embeddedPostgres({ dataDir, log, clock: systemClock(), settings: SMALL, serverUser: 'auto' })
  await server.start()
  stack.defer(() => server.stop(AbortSignal.timeout(10_000)))
  const admin = new pg.Client({ connectionString: server.url() })
  await admin.connect()
  stack.defer(() => admin.end())
  await admin.query('create role posthorn_system; create role posthorn_tenant; create schema posthorn')
  await admin.query('create table posthorn.alone (n int)')
  await admin.query(
    'grant usage on schema posthorn to posthorn_system; grant insert on posthorn.alone to posthorn_system',
  )
  const database = connect({ url: server.url(), onError: () => undefined })
  stack.defer(() => database.close())
  const add = () => database.transaction((db) => db.execute(ADD))
  await add()
  await admin.query("alter system set synchronous_standby_names = 'nobody'")
  await admin.query('select pg_reload_conf()')
  for (let on = false; !on; )
    on = (await admin.query("select current_setting('synchronous_standby_names') as set")).rows[0].set === 'nobody'
  // The checkpointer applies the setting a moment after we see it: until then a commit does not wait.
  let refused: unknown = null
  while (refused === null) {
    const added = add().then(
      () => null,
      (error: unknown) => error,
    )
    while ((await Promise.race([added, delay(20)])) === undefined) await admin.query(CANCEL)
    refused = await added
  }
  assert.ok(isUnavailable(refused))
  await admin.query('alter system reset synchronous_standby_names')
  await admin.query('select pg_reload_conf()')
  await add()
})
