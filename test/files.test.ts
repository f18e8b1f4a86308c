// The test runner itself: a file that hangs is killed, and fails.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'

test('a file that hangs after its tests is killed, reported and failed; the others are not', (t) => {
  if (process.platform !== 'linux') return t.skip('it looks for processes in /proc')
  const folder = mkdtempSync(path.join(os.tmpdir(), 'posthorn-files-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const [hangs, spins, ends, main] = ['hangs', 'spins', 'ends', 'main'].map((name) => path.join(folder, `${name}.mjs`))
  const passes = `import { test } from 'node:test'\ntest('it passes', () => {})\n`
  writeFileSync(hangs as string, `${passes}setInterval(() => {}, 1_000)`)
  writeFileSync(spins as string, `${passes}process.on('exit', () => { for (;;); })`)
  writeFileSync(ends as string, passes)
  const files = JSON.stringify([hangs, spins, ends])
  writeFileSync(
    main as string,
    `import { failing } from ${JSON.stringify(path.join(import.meta.dirname, 'files.mjs'))}
    const failed = await failing(${files}, { concurrency: 3, fileTimeout: 4_000 })
    console.log('failed: ' + failed.map((one) => one.replace(/.*\\//, '')).join(' '))`,
  )
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = spawnSync(process.execPath, [main as string], { env, encoding: 'utf8', timeout: 60_000 })
  assert.match(stdout, /hangs\.mjs is not through after 4000 ms, and is killed/)
  assert.match(stdout, /\nfailed: hangs\.mjs spins\.mjs\n/)
})
