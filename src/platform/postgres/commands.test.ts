import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../clock.ts'
import { createLogger } from '../log.ts'
import { attachOrStart } from '../postgres.ts'
import { processesIn } from './processes.ts'

const SMALL = { shared_buffers: '16MB', max_wal_size: '64MB', fsync: 'off' }

test('commands that end at the same moment leave no database running', async () => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-commands-'))
  const cluster = path.join(dataDir, 'postgres')
  const attach = () => attachOrStart({ dataDir, log: createLogger('silent'), clock: systemClock(), settings: SMALL })
  try {
    for (let round = 0; round < 3; round++) {
      const all = await Promise.all([attach(), attach(), attach()])
      await Promise.all(all.map((one) => one.close()))
      assert.deepEqual(await processesIn(cluster), [], `round ${round}`)
    }
  } finally {
    for (const pid of await processesIn(cluster)) process.kill(pid, 'SIGKILL')
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
})
