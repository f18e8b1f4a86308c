// The test runner itself: a file that hangs is killed, and fails; after a given time no file is begun; more failures than
// chance brings are not run once more.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'

const RUNNER = JSON.stringify(path.join(import.meta.dirname, 'files.mjs'))
const PASSES = `import { test } from 'node:test'\ntest('it passes', () => {})\n`
const FAILS = `import { test } from 'node:test'\ntest('it fails', () => { throw new Error('it does') })\n`

/** What a script prints that runs these files, by their names and contents. */
function printed(contents: Readonly<Record<string, string>>, script: (files: string) => string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'posthorn-files-'))
  try {
    const files = Object.entries(contents).map(([name, content]) => {
      const file = path.join(folder, `${name}.mjs`)
      writeFileSync(file, content)
      return file
    })
    const main = path.join(folder, 'main.mjs')
    writeFileSync(main, script(JSON.stringify(files)))
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    return spawnSync(process.execPath, [main], { env, encoding: 'utf8', timeout: 60_000 }).stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const copies = (count: number, content: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`file-${at}`, content]))

test('a file that hangs after its tests is killed, reported and failed; the others are not', (t) => {
  if (process.platform !== 'linux') return t.skip('it looks for processes in /proc')
  const hangs = `${PASSES}setInterval(() => {}, 1_000)`
  const spins = `${PASSES}process.on('exit', () => { for (;;); })`
  const stdout = printed(
    { hangs, spins, ends: PASSES },
    (files) => `import { failing } from ${RUNNER}
    const failed = await failing(${files}, { concurrency: 3, fileTimeout: 4_000 })
    console.log('failed: ' + failed.map((one) => one.replace(/.*\\//, '')).join(' '))`,
  )
  assert.match(stdout, /hangs\.mjs is not through after 4000 ms, and is killed/)
  assert.match(stdout, /\nfailed: hangs\.mjs spins\.mjs\n/)
})

test('after a given time no file is begun but the first 24, and the others are counted', () => {
  const stdout = printed(
    copies(26, PASSES),
    (files) => `import { passTwice } from ${RUNNER}
    console.log('passed: ' + (await passTwice(${files}, { concurrency: 4, until: Date.now() - 1 })))`,
  )
  assert.equal(stdout.match(/it passes/g)?.length, 24)
  assert.match(stdout, /Not run, because the time was over: 2 of 26 files, from \S*file-24\.mjs on/)
  assert.match(stdout, /\npassed: true\n/)
})

test('before the given time all files are run, and what fails is run once more', () => {
  const stdout = printed(
    { ...copies(25, PASSES), 'file-25': FAILS },
    (files) => `import { passTwice } from ${RUNNER}
    console.log('passed: ' + (await passTwice(${files}, { concurrency: 4, until: Date.now() + 600_000 })))`,
  )
  assert.equal(stdout.match(/it passes/g)?.length, 25)
  assert.match(stdout, /FAILED {2}twice: \S*file-25\.mjs\n/)
  assert.match(stdout, /\npassed: false\n/)
})

test('when more than 20 files fail, none is run once more', () => {
  const stdout = printed(
    copies(21, FAILS),
    (files) => `import { passTwice } from ${RUNNER}
    console.log('passed: ' + (await passTwice(${files}, { concurrency: 4 })))`,
  )
  assert.match(stdout, /21 files failed, too many to be run once more\n/)
  assert.match(stdout, /\npassed: false\n/)
})
