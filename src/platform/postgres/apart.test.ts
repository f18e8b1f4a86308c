import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../clock.ts'
import { createLogger } from '../log.ts'
import { type EmbeddedPostgres, embeddedPostgres } from '../postgres.ts'

const SETTINGS = { shared_buffers: '16MB', max_wal_size: '64MB', fsync: 'off' }

test('a database apart is not deleted when the data directory is empty, as when its disk is not mounted', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('needs root')
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-apart-'))
  const service = (): EmbeddedPostgres =>
    embeddedPostgres({
      dataDir,
      log: createLogger('silent'),
      clock: systemClock(),
      settings: SETTINGS,
      serverUser: 'apart',
    })
  const first = service()
  await first.start()
  await first.stop(AbortSignal.timeout(10_000))
  const mark = path.join(dataDir, 'postgres.apart')
  const note = await readFile(mark, 'utf8')
  const home = note.trim().split('\n').at(-1) ?? ''
  t.after(async () => {
    for (const folder of [home, dataDir]) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  await writeFile(path.join(home, 'postgres', 'kept'), '')
  await rm(mark)
  await assert.rejects(service().start(), /^Error: the database of .* is in .*: mount the disk of the data directory/)
  assert.ok((await readdir(path.join(home, 'postgres'))).includes('kept'))
  await writeFile(mark, note)
  const again = service()
  await again.start()
  await again.stop(AbortSignal.timeout(10_000))
})
