// The way in from a fresh checkout, where it cannot go on.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import test from 'node:test'

const ROOT = path.join(import.meta.dirname, '..')
const OLDER = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })`

test('a Node that is too old to install says which one is needed, and installs nothing', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-checkout-'))
  try {
    await cp(path.join(ROOT, 'bin/bootstrap.mjs'), path.join(folder, 'bin/bootstrap.mjs'))
    await cp(path.join(ROOT, 'package-lock.json'), path.join(folder, 'package-lock.json'))
    const older = `data:text/javascript,${encodeURIComponent(OLDER)}`
    const words = ['--import', older, path.join(folder, 'bin/bootstrap.mjs'), 'cli', 'version']
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000 })
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^posthorn: Node 20 or newer is needed to install .*; this is 18\.20\.8\n$/)
    assert.deepEqual((await readdir(folder)).toSorted(), ['bin', 'package-lock.json'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
