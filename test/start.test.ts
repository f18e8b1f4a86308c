// What a process of the service loads before it gets any work.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'

const APP = path.join(import.meta.dirname, '..', 'src', 'app.ts')
/** 9.5 MB together, needed only for certificate orders, which most processes never make. */
const LATER = ['acme-client', 'axios', '@peculiar/x509']

test('packages that only certificate orders need are not loaded with the service', () => {
  const ask = `await import(${JSON.stringify(APP)})
    const { createRequire } = await import('node:module')
    console.log(JSON.stringify(Object.keys(createRequire(${JSON.stringify(APP)}).cache)))`
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', ask], { encoding: 'utf8' })
  const loaded = JSON.parse(out) as readonly string[]
  const packages = new Set(
    loaded.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(file)?.[1]),
  )
  assert.ok(packages.has('undici') && packages.has('pg'), 'what is loaded is seen')
  assert.deepEqual(
    LATER.filter((name) => packages.has(name)),
    [],
  )
})
