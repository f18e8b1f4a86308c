// Machines whose clocks are wrong: every process follows the clock of the database, whatever its roles.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { startApp } from '../src/app.ts'
import { systemGround } from '../src/composition/ground.ts'
import { readConfig } from '../src/config.ts'
import { systemClock } from '../src/platform/clock.ts'
import { connect } from '../src/platform/db.ts'
import { systemIds } from '../src/platform/ids.ts'
import { createLogger } from '../src/platform/log.ts'
import { openSecrets, renewSecrets } from '../src/platform/secrets/keys.ts'
import { freshDb } from './world/database.ts'

const MINUTE_MS = 60_000

for (const roles of ['api,tracking', 'submission', 'worker', 'mx', 'delivery', 'tracking'])
  for (const minutes of [-7, 7])
    test(`a machine ${Math.abs(minutes)} min ${minutes < 0 ? 'behind' : 'ahead'} has the database's time once its ${roles} is up`, async () => {
      await using stack = new AsyncDisposableStack()
      const db = stack.use(await freshDb())
      const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-clock-'))
      stack.defer(() => rm(dataDir, { recursive: true, force: true }))
      const config = readConfig({
        POSTHORN_DATA_DIR: dataDir,
        POSTHORN_ROLES: roles,
        POSTHORN_HTTP_PORT: '0',
        POSTHORN_SUBMISSION_PORT: '0',
        POSTHORN_SUBMISSION_TLS_PORT: '0',
        POSTHORN_MX_PORT: '0',
      })
      const database = connect({ url: db.url, onError: () => undefined })
      stack.defer(() => database.close())
      const secrets = await openSecrets(database, config)
      const clock = systemClock()
      clock.correct(minutes * MINUTE_MS)
      const ids = systemIds(() => clock.now().getTime())
      const ground = { ...systemGround(config), clock, ids, log: createLogger('silent', clock) }
      const app = await startApp(config, ground, {
        adminUrl: db.url,
        clusterFolders: [],
        database,
        secrets,
        renewSecrets: () => renewSecrets(database, secrets, config),
        close: async () => undefined,
      })
      stack.defer(() => app.stop(AbortSignal.timeout(10_000)))
      const offMs = clock.now().getTime() - systemClock().now().getTime()
      assert.ok(Math.abs(offMs) < MINUTE_MS, `${offMs} ms beside the database`)
    })
