// The check of the lock file and the installed packages, shown to fail.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOfLock, faultsOfVersions, isOlder, permits } from '../bin/check/lock.ts'

const sound = { version: '1.0.0', integrity: 'sha512-x' }

test('a lock file that names a host, lacks a checksum or lacks a platform is refused', () => {
  assert.deepEqual(faultsOfLock({ packages: { '': {}, 'node_modules/a': sound } }), [])
  assert.match(
    faultsOfLock({ packages: { 'node_modules/a': { ...sound, resolved: 'https://packages.example/a.tgz' } } }).join(),
    /names the host/,
  )
  assert.match(faultsOfLock({ packages: { 'node_modules/a': { version: '1.0.0' } } }).join(), /no checksum/)
  const tool = { ...sound, optionalDependencies: { 'tool-linux': '1.0.0', 'tool-darwin': '1.0.0' } }
  assert.deepEqual(faultsOfLock({ packages: { 'node_modules/tool': tool, 'node_modules/tool-linux': sound } }), [
    'package-lock.json: node_modules/tool lacks its optional tool-darwin',
  ])
})

test('an optional dependency is found where Node would find it', () => {
  const nested = { ...sound, optionalDependencies: { b: '1' } }
  for (const place of [
    'node_modules/x/node_modules/a/node_modules/b',
    'node_modules/x/node_modules/b',
    'node_modules/b',
  ]) {
    assert.deepEqual(faultsOfLock({ packages: { 'node_modules/x/node_modules/a': nested, [place]: sound } }), [], place)
  }
  const elsewhere = { 'node_modules/x/node_modules/a': nested, 'node_modules/y/node_modules/b': sound }
  assert.equal(faultsOfLock({ packages: elsewhere }).length, 1)
})

// Each row: the licence a package states, and whether we may distribute it.
const LICENCES: [said: unknown, permitted: boolean][] = [
  ['MIT', true],
  ['(BSD-3-Clause OR GPL-2.0)', true],
  ['MIT AND GPL-3.0', false],
  ['(MIT OR GPL-2.0) AND (GPL-3.0 OR GPL-2.0)', false],
  ['(MIT AND (GPL-2.0 OR ISC)) OR GPL-3.0', true],
  ['GPL-2.0 AND MIT OR ISC', true],
  ['AGPL-3.0-or-later', false],
  ['SEE LICENSE IN LICENSE.md', false],
  [{ type: 'ISC' }, true],
  [[{ type: 'MIT' }, { type: 'GPL-2.0' }], true],
  [undefined, false],
]
for (const [said, permitted] of LICENCES) {
  test(`the licence ${JSON.stringify(said)} is ${permitted ? 'permitted' : 'refused'}`, () => {
    assert.equal(permits(said), permitted)
  })
}

test('an outdated copy is found at any depth, and a package with a longer name is not mistaken for it', () => {
  const packages = {
    'node_modules/undici': { version: '8.12.4' },
    'node_modules/a/node_modules/undici': { version: '8.11.9' },
    'node_modules/@types/undici': { version: '1.0.0' },
    'node_modules/not-undici': { version: '1.0.0' },
  }
  const minimum = { package: 'undici', atLeast: '8.12.0', why: 'a reason' }
  assert.deepEqual(faultsOfVersions({ packages }, [minimum]), [
    'node_modules/a/node_modules/undici is 8.11.9; at least 8.12.0: a reason',
  ])
  assert.deepEqual(faultsOfVersions({ packages }, [{ ...minimum, directOnly: true }]), [])
  assert.equal(isOlder('8.9.0', '8.12.0'), true)
  assert.equal(isOlder('18.4.0-beta.17', '18.4.0'), false)
})
