import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import {
  appendFile,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { systemClock } from '../clock.ts'
import { assertBegun } from '../files/data-folder.ts'
import { createLogger } from '../log.ts'
import { type EmbeddedPostgres, embeddedCluster, embeddedPostgres } from '../postgres.ts'
import { attachStore, openStore } from '../store.ts'
import { assertOutside, checkBackup, readManifest, restoreBackup, takeBackup } from './backup.ts'
import { tryLock } from './lock.ts'

const SMALL = { shared_buffers: '16MB', fsync: 'off', max_wal_size: '32MB', min_wal_size: '32MB' }

interface Fixture extends AsyncDisposable {
  readonly folder: string
  start(name: string): Promise<EmbeddedPostgres>
}

async function fixture(): Promise<Fixture> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-backup-'))
  const running: EmbeddedPostgres[] = []
  return {
    folder,
    start: async (name) => {
      const dataDir = path.join(folder, name)
      const made = embeddedPostgres({ dataDir, log: createLogger('silent'), clock: systemClock(), settings: SMALL })
      await made.start()
      running.push(made)
      return made
    },
    [Symbol.asyncDispose]: async () => {
      for (const one of running) await one.stop(AbortSignal.timeout(10_000))
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function client(database: EmbeddedPostgres): Promise<pg.Client> {
  const made = new pg.Client({ connectionString: database.url() })
  await made.connect()
  return made
}

test('a backup taken during writes restores every row that existed when it began, and no partial row', async () => {
  await using place = await fixture()
  const { folder } = place
  const first = await place.start('data')
  await writeFile(path.join(folder, 'data/secret.key'), 'the key\n')
  await mkdir(path.join(folder, 'data/spool'))
  await writeFile(path.join(folder, 'data/spool/one'), 'not yet recorded')
  const writer = await client(first)
  await writer.query('create table entry (id int primary key, body text)')
  let written = 0
  const body = 'x'.repeat(4_000)
  const write = async (): Promise<void> => {
    await writer.query('insert into entry select $1, $2', [written + 1, body])
    written++
  }
  while (written < 500) await write()
  const before = written
  let busy = true
  const writing = (async () => {
    while (busy) await write()
  })()
  const cluster = await embeddedCluster(path.join(folder, 'data'))
  const target = path.join(folder, 'backup')
  const now = (): Date => systemClock().now()
  const taken = await takeBackup({ url: first.url(), dataDir: path.join(folder, 'data'), cluster, target, now })
  busy = false
  await writing
  assert.ok(written > before, 'rows were written while the copy was made')
  assert.equal(taken.files, (await readManifest(target)).files.length)
  const slots = await writer.query('select count(*)::int as n from pg_replication_slots')
  assert.equal(slots.rows[0].n, 0, 'nothing holds the log back afterwards')
  await writer.end()

  await restoreBackup(target, path.join(folder, 'restored'))
  assert.equal(await readFile(path.join(folder, 'restored/secret.key'), 'utf8'), 'the key\n')
  assert.equal(await readFile(path.join(folder, 'restored/spool/one'), 'utf8'), 'not yet recorded')
  const second = await place.start('restored')
  const reader = await client(second)
  const { rows } = await reader.query(
    'select count(*)::int as n, max(id) as last, bool_and(length(body) = 4000) as whole from entry',
  )
  await reader.end()
  assert.ok(rows[0].n >= before && rows[0].n <= written, `${rows[0].n} of ${before} to ${written}`)
  assert.equal(rows[0].last, rows[0].n, 'no row is missing in between')
  assert.equal(rows[0].whole, true)
})

test('what an operator has put on other disks, and linked to, is part of a backup', async () => {
  await using place = await fixture()
  const { folder } = place
  const dataDir = path.join(folder, 'data')
  const disk = path.join(folder, 'disk')
  await place.start('data').then((first) => first.stop(AbortSignal.timeout(10_000)))
  await mkdir(path.join(disk, 'backups/old'), { recursive: true })
  await writeFile(path.join(disk, 'key'), 'the key\n')
  await symlink(path.join(disk, 'key'), path.join(dataDir, 'secret.key'))
  const wal = path.join(dataDir, 'postgres/pg_wal')
  await rename(wal, path.join(disk, 'pg_wal'))
  await mkdir(path.join(disk, 'pg_wal/lost+found'))
  await symlink(path.join(disk, 'pg_wal'), wal)
  await symlink(path.join(disk, 'backups'), path.join(dataDir, 'backups'))
  await symlink('.', path.join(dataDir, 'itself'))
  await symlink('nowhere', path.join(dataDir, 'broken'))
  await mkdir(path.join(disk, 'tracking'))
  await writeFile(path.join(disk, 'tracking/one'), 'a hit')
  await symlink(path.join(disk, 'tracking'), path.join(dataDir, 'tracking'))

  const first = await place.start('data')
  const writer = await client(first)
  await writer.query('create table entry as select generate_series(1, 1000) as id')
  await writer.end()
  const target = path.join(disk, 'backups/new')
  await takeBackup({
    ...{ url: first.url(), dataDir, cluster: await embeddedCluster(dataDir) },
    ...{ target, now: () => systemClock().now() },
  })
  const { folders } = await readManifest(target)
  assert.deepEqual(
    folders.filter((name) => name.startsWith('data')),
    ['data', 'data/tracking'],
    'the backup does not contain itself',
  )
  assert.ok(folders.includes('base/pg_wal') && !folders.includes('base/pg_wal/lost+found'))
  const restored = path.join(folder, 'restored')
  await restoreBackup(target, restored)
  assert.equal(await readFile(path.join(restored, 'secret.key'), 'utf8'), 'the key\n')
  assert.equal(await readFile(path.join(restored, 'tracking/one'), 'utf8'), 'a hit')
  const reader = await client(await place.start('restored'))
  const { rows } = await reader.query('select count(*)::int as n from entry')
  await reader.end()
  assert.equal(rows[0].n, 1_000)
})

test('a backup into the data directory is refused, by whatever path', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-inside-'))
  try {
    const real = path.join(folder, 'real')
    await mkdir(real)
    await symlink('real', path.join(folder, 'linked'))
    const linked = path.join(folder, 'linked')
    for (const [dataDir, target] of [
      [real, real],
      [real, path.join(real, 'new/one')],
      [real, path.join(real, '..backup')],
      [linked, path.join(real, 'new')],
      [real, path.join(linked, 'new')],
    ] as const)
      await assert.rejects(assertOutside(dataDir, target), /must be outside the data directory/, `${dataDir} ${target}`)
    for (const target of [path.join(folder, 'real-backup'), folder, path.join(folder, 'new/one')])
      await assertOutside(linked, target)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('an instance, its backup and the restore may each be in the root of an ext4 file system, which has a folder of its own', async () => {
  await using place = await fixture()
  const { folder } = place
  const first = await place.start('data')
  const dataDir = path.join(folder, 'data')
  const target = path.join(folder, 'backup')
  const restored = path.join(folder, 'restored')
  for (const root of [dataDir, target, restored])
    await mkdir(path.join(root, 'lost+found', 'recovered'), { recursive: true, mode: 0o700 })
  await takeBackup({
    ...{ url: first.url(), dataDir, cluster: await embeddedCluster(dataDir) },
    ...{ target, now: () => systemClock().now() },
  })
  const { folders } = await readManifest(target)
  assert.deepEqual(
    folders.filter((name) => name.startsWith('data/lost')),
    [],
    'that of the file system is not copied: the user of the service may not read it',
  )
  const damaged = path.join(target, 'base', 'PG_VERSION')
  const whole = await readFile(damaged)
  await writeFile(damaged, 'x')
  await assert.rejects(restoreBackup(target, restored), /half restored/)
  await writeFile(damaged, whole)
  await restoreBackup(target, restored)
  assert.deepEqual(await readdir(path.join(restored, 'lost+found')), ['recovered'])
  assert.deepEqual(await readdir(path.join(target, 'lost+found')), ['recovered'])
  await client(await place.start('restored')).then((reader) => reader.end())
})

test('a backup into a folder in use and a restore over an instance are refused, and changed files are noticed', async () => {
  await using place = await fixture()
  const { folder } = place
  const first = await place.start('data')
  const dataDir = path.join(folder, 'data')
  const target = path.join(folder, 'backup')
  const options = { url: first.url(), dataDir, cluster: await embeddedCluster(dataDir), now: () => systemClock().now() }
  await takeBackup({ ...options, target })
  await assert.rejects(takeBackup({ ...options, target }), /is not empty/)
  await assert.rejects(restoreBackup(target, dataDir), /is not empty/)
  await assert.rejects(
    restoreBackup(path.join(folder, 'none'), path.join(folder, 'new')),
    /does not contain a finished backup/,
  )
  if (process.getuid?.() === 0) {
    const theirs = path.join(folder, 'theirs')
    await mkdir(theirs, { mode: 0o700 })
    await chown(theirs, 12_345, 12_346)
    await restoreBackup(target, theirs)
    const owners = (await readdir(theirs, { recursive: true })).map(async (name) => {
      const { uid, gid } = await lstat(path.join(theirs, name))
      return `${uid}:${gid}`
    })
    assert.deepEqual(
      [...new Set(await Promise.all(owners))],
      ['12345:12346'],
      'root restores it for whose the folder is',
    )
  }
  const listed = await readFile(path.join(target, 'manifest.json'), 'utf8')
  const huge = JSON.parse(listed)
  huge.files[0].bytes = 2 ** 50
  await writeFile(path.join(target, 'manifest.json'), JSON.stringify(huge))
  await assert.rejects(
    restoreBackup(target, path.join(folder, 'new')),
    /^Error: not enough disk space in .*new for the restored instance: \d+ MB needed, \d+ MB free$/,
  )
  await writeFile(path.join(target, 'manifest.json'), listed)
  await appendFile(path.join(target, 'base/PG_VERSION'), 'x')
  await assert.rejects(
    restoreBackup(target, path.join(folder, 'new')),
    /PG_VERSION does not match the backup's manifest/,
  )
  assert.ok(!(await readdir(path.join(folder, 'new'))).includes('postgres'), 'nothing can start on a half restored one')
  for (const manifest of ['{"format": 1, "fo', 'null']) {
    await writeFile(path.join(target, 'manifest.json'), manifest)
    const said =
      manifest === 'null'
        ? /a backup format that this release does not know/
        : /is not a usable backup: its manifest\.json is damaged/
    await assert.rejects(restoreBackup(target, path.join(folder, 'other')), said)
  }
  const file = path.join(folder, 'a-file')
  await writeFile(file, '')
  await assert.rejects(restoreBackup(file, path.join(folder, 'other')), /a-file does not contain a finished backup/)
})

test('a failed backup leaves nothing behind, and one into a place that takes no folder ends', async () => {
  await using place = await fixture()
  const { folder } = place
  const first = await place.start('data')
  const dataDir = path.join(folder, 'data')
  const target = path.join(folder, 'backup')
  const options = { url: first.url(), dataDir, cluster: await embeddedCluster(dataDir) }
  const rekeyed = (): Date => {
    writeFileSync(path.join(dataDir, 'secret.key'), 'another key\n')
    return systemClock().now()
  }
  await assert.rejects(
    takeBackup({ ...options, target, now: rekeyed }),
    ({ message, cause }: Error) =>
      message.startsWith(`the backup into ${target} failed`) && /secret/.test(String(cause)),
  )
  assert.deepEqual(await readdir(target), [])
  await takeBackup({ ...options, target, now: () => systemClock().now() })
  const nowhere = takeBackup({ ...options, target: '/proc/backup', now: rekeyed })
  await assert.rejects(nowhere, /cannot create a folder in \/proc/)
})

test('an unfinished restore does not start as an instance; another restore replaces it, and spares foreign files', async () => {
  await using place = await fixture()
  const { folder } = place
  const first = await place.start('data')
  const dataDir = path.join(folder, 'data')
  await mkdir(path.join(dataDir, 'tracking'))
  await writeFile(path.join(dataDir, 'tracking/one'), 'a hit')
  const options = { url: first.url(), dataDir, cluster: await embeddedCluster(dataDir), now: () => systemClock().now() }
  const [broken, whole] = [path.join(folder, 'broken'), path.join(folder, 'whole')]
  await takeBackup({ ...options, target: broken })
  await rm(path.join(dataDir, 'tracking/one'))
  await takeBackup({ ...options, target: whole })
  await rm(path.join(broken, 'base/PG_VERSION'))
  const target = path.join(folder, 'restored')
  await assert.rejects(
    restoreBackup(broken, target),
    /PG_VERSION does not match the backup's manifest; .* is half restored/,
  )
  const left = await readdir(target)
  const store = {
    dataDir: target,
    databaseUrl: null,
    secretKey: null,
    log: createLogger('silent'),
    clock: systemClock(),
  }
  const unfinished = /^POSTHORN_DATA_DIR: the restore into ".*restored" was not finished; run posthorn restore again/
  for (const begin of [
    () => place.start('restored'),
    () => assertBegun(target),
    () => attachStore(store, AbortSignal.timeout(10_000)),
    () => openStore({ ...store, databaseUrl: first.url() }, new AbortController().signal),
  ])
    await assert.rejects(begin, { message: unfinished })
  assert.deepEqual(await readdir(target), left, 'who was refused has changed nothing')

  await writeFile(path.join(target, 'tls.crt'), '')
  await assert.rejects(restoreBackup(whole, target), /half restored and also contains tls\.crt/)
  await rm(path.join(target, 'tls.crt'))
  const holder = tryLock(path.join(target, 'posthorn.lock'))
  await assert.rejects(restoreBackup(whole, target), /another Posthorn process or restore is using/)
  holder?.release()
  await restoreBackup(whole, target)
  assert.deepEqual(await readdir(path.join(target, 'tracking')), [], 'nothing of the first one is left')
  assert.ok(!(await readdir(target)).some((name) => name.startsWith('postgres.')))
  await place.start('restored')
})

test('a check of a backup names the files that are missing or changed, and reads nothing outside of it', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-check-'))
  try {
    const names = ['base/PG_VERSION', 'data/secret.key', ...Array.from({ length: 11 }, (_, n) => `base/${n}`)]
    for (const top of ['base', 'data']) await mkdir(path.join(folder, top))
    for (const name of names) await writeFile(path.join(folder, name), name)
    const files = names.map((name) => ({ path: name, bytes: name.length, sha256: hash('sha256', name) }))
    const manifest = { format: 1, postgres: '18', created_at: '2026-01-01T00:00:00.000Z', folders: ['base'], files }
    const write = (what: object): Promise<void> => writeFile(path.join(folder, 'manifest.json'), JSON.stringify(what))
    await write(manifest)
    assert.equal((await checkBackup(folder)).files.length, 13)

    await writeFile(path.join(folder, 'data/secret.key'), 'data/secret.KEY')
    await rm(path.join(folder, 'base/3'))
    const damaged = /is damaged: 2 of 13 files are missing or do not match the manifest: data\/secret\.key, base\/3$/
    await assert.rejects(checkBackup(folder), damaged)
    for (let n = 0; n < 11; n++) await rm(path.join(folder, `base/${n}`), { force: true })
    await assert.rejects(checkBackup(folder), /12 of 13 files are .*: data\/secret\.key, base\/0, .*, base\/8, \.\.\.$/)

    await write({ ...manifest, files: [{ path: 'base/../../passwd', bytes: 1, sha256: '' }] })
    await assert.rejects(checkBackup(folder), /^Error: the manifest names base\/\.\.\/\.\.\/passwd$/)
  } finally {
    await rm(folder, { recursive: true })
  }
})
