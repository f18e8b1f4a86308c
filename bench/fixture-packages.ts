// Third-party programs that a benchmark measures with. As root on Debian it installs the missing ones without starting their
// servers; anyone else gets a list of what is missing.

import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const APT = '/usr/bin/apt-get'
/** The script that Debian's packages consult before they start a server; exit code 101 forbids it. */
const POLICY = '/usr/sbin/policy-rc.d'

/** @param programs the Debian package of each program */
export function needPrograms(programs: Readonly<Record<string, string>>): void {
  const missing = Object.entries(programs).filter(([program]) => !isThere(program))
  if (missing.length === 0) return
  const packages = missing.map(([, name]) => name)
  const said = `missing: ${missing.map(([program, name]) => `${program} (Debian: ${name})`).join(', ')}`
  if (process.getuid?.() !== 0 || !existsSync(APT)) throw new Error(said)
  console.log(`${said}; installing`)
  const ours = !existsSync(POLICY)
  if (ours) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    execFileSync(APT, ['update', '-qq'], { env, stdio: 'ignore' })
    execFileSync(APT, ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env, stdio: 'ignore' })
  } finally {
    if (ours) rmSync(POLICY, { force: true })
  }
}

function isThere(program: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin']
  return folders.some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
