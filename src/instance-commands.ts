// Commands about the instance as a whole. They do not need an open store, or open more than one: unlike the commands of the
// rooms they are given the settings and see to the rest themselves.

import path from 'node:path'
import type { Config } from './config.ts'
import type { Ground } from './ground.ts'
import { type CommandFace, type OptionValues, UsageError } from './platform/command.ts'
import { restoreBackup, takeBackup } from './platform/postgres/backup.ts'
import { attachOrStart, embeddedCluster } from './platform/postgres.ts'

export interface InstanceContext {
  readonly config: Config
  readonly ground: Ground
  /** One line on standard output. */
  readonly print: (line: string) => void
}

export interface InstanceCommand extends CommandFace {
  /** @throws Error, whose message is shown on standard error */
  run(context: InstanceContext, values: OptionValues, positionals: readonly string[]): Promise<void>
}

const OWN_BACKUPS =
  'DATABASE_URL is set: back that server up with its own means (pg_basebackup, pg_dump); docs/operations.md'

export const instanceCommands: readonly InstanceCommand[] = [
  {
    path: ['backup'],
    summary: 'copy the embedded database, the keys and the spool into a new folder, while everything runs',
    usage: '<folder>',
    options: { json: { type: 'boolean' } },
    run: async ({ config, ground, print }, values, positionals) => {
      const folder = onlyFolder(positionals)
      if (config.databaseUrl !== null) throw new Error(OWN_BACKUPS)
      const { dataDir } = config
      const inside = path.relative(dataDir, folder)
      if (inside === '' || !(inside.startsWith('..') || path.isAbsolute(inside))) {
        throw new UsageError('the backup must not lie in the data directory')
      }
      await using database = await attachOrStart({ dataDir, log: ground.log, clock: ground.clock })
      const cluster = await embeddedCluster(dataDir)
      const taken = await takeBackup({
        url: database.url(),
        dataDir,
        cluster,
        target: folder,
        now: () => ground.clock.now(),
      })
      print(
        values['json'] === true
          ? JSON.stringify({ folder, ...taken })
          : `${folder}: ${taken.files} files, ${taken.bytes} bytes. It holds the secret key: keep it as safe as the instance.`,
      )
    },
  },
  {
    path: ['restore'],
    summary: 'put a backup into the data directory, which must be new or empty',
    usage: '<folder>',
    options: { json: { type: 'boolean' } },
    run: async ({ config, print }, values, positionals) => {
      const folder = onlyFolder(positionals)
      if (config.databaseUrl !== null) throw new Error(OWN_BACKUPS)
      const { created_at: at, files } = await restoreBackup(folder, config.dataDir)
      print(
        values['json'] === true
          ? JSON.stringify({ data_dir: config.dataDir, created_at: at, files: files.length })
          : `${config.dataDir} holds the instance as of ${at}: start it. Mail that was delivered after that moment may be sent again.`,
      )
    },
  },
]

function onlyFolder(positionals: readonly string[]): string {
  const [folder, ...more] = positionals
  if (folder === undefined || more.length > 0) throw new UsageError('one folder is needed')
  return path.resolve(folder)
}
