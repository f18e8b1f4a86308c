// Runs the tests: starts one PostgreSQL for all of them, runs the files (files.mjs), then stops the PostgreSQL.
//
//   node test/run.mjs                      every *.test.ts in src and test, but not test/peers
//   node test/run.mjs src/mail/mime/compose.test.ts --test-name-pattern=...
//   node test/run.mjs --until 1767225600   begins no file after this time, in seconds since 1970
//
// DATABASE_URL names another PostgreSQL to test against; its user must be allowed to create databases and roles.

import { globSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../src/platform/clock.ts'
import { createLogger } from '../src/platform/log.ts'
import { embeddedPostgres } from '../src/platform/postgres.ts'
import { failing, passTwice } from './files.mjs'
import { ensureTemplate, TEST_SETTINGS } from './world/database.ts'

// With three files on two cores, connections to the database time out and tests fail for it.
const FILES_AT_ONCE = 2
const TEST_TIMEOUT_MS = 120_000
// Half of the time it is another day there than in UTC, and days are shorter and longer: nothing may depend on the machine's zone.
process.env.TZ = 'Pacific/Chatham'
const STOP_WITHIN_MS = 10_000

const root = path.join(import.meta.dirname, '..')
process.chdir(root)
const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { 'test-name-pattern': { type: 'string', multiple: true, default: [] }, until: { type: 'string' } },
})
const files = (named.length > 0 ? named : ['src/**/*.test.ts', 'test/**/*.test.ts'])
  .flatMap((pattern) => globSync(pattern))
  .filter((file) => named.length > 0 || !file.startsWith(path.join('test', 'peers')))
  .sort()
if (files.length === 0) fail('no test files found')
if (!/^\d*$/.test(values.until ?? '')) fail('--until is a time in seconds since 1970')

const server = process.env.DATABASE_URL ? null : await startServer()
let code = 1
try {
  if (server !== null) process.env.TEST_DATABASE_URL = server.url()
  await ensureTemplate()
  code = await runTests()
} catch (error) {
  console.error(error)
} finally {
  await server?.stop()
}
process.exit(code)

function fail(why) {
  console.error(why)
  process.exit(1)
}

async function startServer() {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'posthorn-run-'))
  const postgres = embeddedPostgres({
    dataDir,
    clock: systemClock(),
    log: createLogger('warn'),
    settings: TEST_SETTINGS,
  })
  try {
    await postgres.start()
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true })
    throw error
  }
  return {
    url: () => postgres.url(),
    stop: async () => {
      await postgres.stop(AbortSignal.timeout(STOP_WITHIN_MS))
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Resolves to the exit code. Files named on the command line run once. A signal ends the run. */
async function runTests() {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopping.abort())
  const options = {
    concurrency: FILES_AT_ONCE,
    timeout: TEST_TIMEOUT_MS,
    testNamePatterns: values['test-name-pattern'].map((pattern) => new RegExp(pattern)),
    signal: stopping.signal,
    until: values.until ? Number(values.until) * 1000 : undefined,
  }
  const passed = named.length > 0 ? (await failing(files, options)).length === 0 : await passTwice(files, options)
  return passed && !stopping.signal.aborted ? 0 : 1
}
