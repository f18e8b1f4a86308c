// Runs the tests: one PostgreSQL for all of them, then `node --test`, then the PostgreSQL is stopped.
//
//   node test/run.mjs                      every *.test.ts in src and test, but not test/peers
//   node test/run.mjs src/mail/mime.test.ts --test-name-pattern=...
//
// DATABASE_URL names another PostgreSQL to test against; its user must be allowed to create databases and roles.

import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../src/platform/clock.ts'
import { createLogger } from '../src/platform/log.ts'
import { embeddedPostgres } from '../src/platform/postgres.ts'
import { ensureTemplate, TEST_SETTINGS } from './database.ts'

const FILES_AT_ONCE = 2
const TEST_TIMEOUT_MS = 120_000
const STOP_WITHIN_MS = 10_000

const root = path.join(import.meta.dirname, '..')
process.chdir(root)
const options = process.argv.slice(2).filter((arg) => arg.startsWith('-'))
const named = process.argv.slice(2).filter((arg) => !arg.startsWith('-'))
const files = (named.length > 0 ? named : ['src/**/*.test.ts', 'test/**/*.test.ts'])
  .flatMap((pattern) => globSync(pattern))
  .filter((file) => named.length > 0 || !file.startsWith(path.join('test', 'peers')))
  .sort()
if (files.length === 0) {
  console.error('no test files found')
  process.exit(1)
}

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

/** Resolves to the exit code. A signal is handed on, and the tests' end is awaited. */
async function runTests() {
  const args = [
    '--test',
    `--test-concurrency=${FILES_AT_ONCE}`,
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    ...options,
    ...files,
  ]
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (exitCode) => resolve(exitCode ?? 1))
  })
}
