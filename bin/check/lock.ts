// Checks the installed packages: the same bytes everywhere, complete for every platform, redistributable, and not older than
// the fixes of known vulnerabilities. No audit service is used: the table of versions is maintained by hand
// (docs/minimum-versions.json) when a package announces a fix.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly optional?: boolean
  readonly dev?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

export interface MinimumVersion {
  readonly package: string
  readonly atLeast: string
  readonly why: string
  /** Copies that another package depends on are not checked: that package does not reach the vulnerability. */
  readonly directOnly?: boolean
}

/** Licences that allow redistribution with our code. For a choice (`A OR B`), one of them must be listed. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
])

/** Brackets of an SPDX expression that contain no others. */
const INNERMOST = /\(([^()]*)\)/g

/** Weak copyleft: covers changes to the package's own files. Allowed for a tool that only our tests run, never for what ships. */
const FOR_TESTS_ONLY = new Set(['MPL-2.0'])

/** Packages whose package.json has no usable licence, and the licence from their licence file. */
const SAID_ELSEWHERE: Readonly<Record<string, string>> = {}

/** Checks the lock file: no download host, a checksum for each package, and the binaries of every platform. */
export function faultsOfLock(lock: Lock): string[] {
  const faults: string[] = []
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '' || entry.link === true) continue
    if (entry.resolved !== undefined) faults.push(`package-lock.json: ${path} names the host it came from`)
    if (entry.integrity === undefined) faults.push(`package-lock.json: ${path} has no checksum`)
  }
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const name of Object.keys(entry.optionalDependencies ?? {})) {
      if (!reachable(lock, path, name))
        faults.push(`package-lock.json: ${path || 'the project'} lacks its optional ${name}`)
    }
  }
  return faults
}

/** Resolves as Node does: in the package's own node_modules, then in each parent folder. */
function reachable(lock: Lock, from: string, name: string): boolean {
  let folder = from
  for (;;) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in lock.packages) return true
    if (folder === '') return false
    const above = folder.lastIndexOf('node_modules/')
    folder = above <= 0 ? '' : folder.slice(0, above - 1)
  }
}

/** Checks the installed packages, by the licence that each declares. */
export function faultsOfLicences(root: string, lock: Lock): string[] {
  const faults: string[] = []
  let read = 0
  for (const [path, { dev = false }] of Object.entries(lock.packages)) {
    const manifest = join(root, path, 'package.json')
    if (path === '' || !existsSync(manifest)) continue // for another platform
    const { name, license, licenses } = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, unknown>
    const said = SAID_ELSEWHERE[String(name)] ?? license ?? licenses
    if (!permits(said) && !(dev && FOR_TESTS_ONLY.has(String(said))))
      faults.push(`${path}: licence ${JSON.stringify(said)} is not on the list of permissive ones`)
    read++
  }
  if (read === 0) faults.push('no licence was read: install first')
  return faults
}

/** Whether an SPDX expression, or an older form, allows redistribution. AND needs both sides, OR one; AND binds closer. */
export function permits(said: unknown): boolean {
  if (Array.isArray(said)) return said.some((one) => permits(one))
  if (typeof said === 'object' && said !== null && 'type' in said) return permits(said.type)
  if (typeof said !== 'string') return false
  const plain = said.replace(INNERMOST, (_, inside: string) => (permits(inside) ? 'MIT' : 'none'))
  if (plain !== said) return permits(plain)
  return said.split(/\s+OR\s+/).some((way) => way.split(/\s+AND\s+/).every((one) => PERMISSIVE.has(one.trim())))
}

/** Checks every copy of a listed package in the lock file, including nested ones. */
export function faultsOfVersions(lock: Lock, minimums: readonly MinimumVersion[]): string[] {
  const faults: string[] = []
  for (const { package: name, atLeast, why, directOnly = false } of minimums) {
    for (const [path, { version }] of Object.entries(lock.packages)) {
      const isCopy = path === `node_modules/${name}` || (!directOnly && path.endsWith(`/node_modules/${name}`))
      if (!isCopy || version === undefined) continue
      if (isOlder(version, atLeast)) faults.push(`${path} is ${version}; at least ${atLeast}: ${why}`)
    }
  }
  return faults
}

/** Compares release numbers; a pre-release counts as its release. */
export function isOlder(version: string, than: string): boolean {
  const [left, right] = [version, than].map((text) => text.split('-', 1)[0]?.split('.').map(Number) ?? [])
  for (let i = 0; i < 3; i++) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}

export function checkLock(root: string): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const { minimums } = JSON.parse(readFileSync(join(root, 'docs/minimum-versions.json'), 'utf8')) as {
    minimums: readonly MinimumVersion[]
  }
  return [...faultsOfLock(lock), ...faultsOfLicences(root, lock), ...faultsOfVersions(lock, minimums)]
}
