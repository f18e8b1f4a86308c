// `npm run check`: every check of the code that does not run the service. It prints one line per check with its time, all
// faults at the end, and exits with 1 when there is one. `--fix` repairs what a tool can repair.
// `npm run check -- walls lock` runs only the named checks.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error('bin/check.mjs needs Node 24: npm run check finds the one that is pinned')
  process.exit(1)
}
const asked = process.argv.slice(2)
const fix = asked.includes('--fix')
const only = asked.filter((word) => !word.startsWith('--'))

/** Runs a program in the project's folder. Resolves to its output when it fails, else to null. */
function run(program, args) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const output = []
    child.stdout.on('data', (chunk) => output.push(chunk))
    child.stderr.on('data', (chunk) => output.push(chunk))
    child.on('error', (error) => resolve(`${program} did not start: ${error.message}`))
    child.on('close', (code) => {
      if (code === 0) resolve(null)
      else resolve(Buffer.concat(output).toString('utf8').trim() || `${program} ended with ${code}`)
    })
  })
}

const tool = (name, ...args) => run(join(root, 'node_modules/.bin', name), args)
const node = (...args) => run(process.execPath, args)

/** A generator that compares its output with the committed file; `--fix` writes the file. */
const generated = (script) => ({
  there: existsSync(join(root, script)),
  run: () => (fix ? node(script) : node(script, '--check')),
})

function sources() {
  const { stdout, status } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error('git does not list the files of src')
  return stdout.split('\n').filter((path) => path.endsWith('.ts') && existsSync(join(root, path)))
}

const CHECKS = [
  { name: 'types', run: async () => (await tool('tsc', '-p', '.')) ?? tool('tsc', '-p', 'dashboard') },
  {
    name: 'format',
    run: () => tool('biome', 'check', '--diagnostic-level=error', ...(fix ? ['--write'] : []), '.'),
  },
  {
    name: 'lint',
    run: () => tool('oxlint', '--type-aware', '--deny-warnings', ...(fix ? ['--fix'] : []), '.'),
  },
  {
    name: 'walls',
    run: async () => {
      const { checkWalls } = await import('./check/walls.ts')
      const { faults, modules } = await checkWalls(root, sources())
      return faults.length > 0 ? faults.join('\n') : { note: `${modules} modules` }
    },
  },
  { name: 'tidy', run: () => node('--test', '--test-reporter=dot', 'test/tidy.test.ts') },
  {
    name: 'lock',
    run: async () => {
      const { checkLock } = await import('./check/lock.ts')
      return checkLock(root).join('\n') || null
    },
  },
  { name: 'openapi', ...generated('bin/openapi.ts') },
  { name: 'schema', ...generated('bin/schema.ts') },
  { name: 'docs', ...generated('bin/docs.ts') },
]

const unknown = only.filter((name) => !CHECKS.some((check) => check.name === name))
if (unknown.length > 0) {
  console.error(`no such check: ${unknown.join(' ')} (there are: ${CHECKS.map((check) => check.name).join(' ')})`)
  process.exit(1)
}

const failures = []
for (const { name, run: check, there = true } of CHECKS) {
  if (only.length > 0 && !only.includes(name)) continue
  if (!there) {
    console.log(`${name.padEnd(8)} not there yet`)
    continue
  }
  const began = performance.now()
  let fault
  try {
    fault = await check()
  } catch (error) {
    fault = error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
  const ms = Math.round(performance.now() - began)
  const failed = typeof fault === 'string'
  if (failed) failures.push({ name, fault })
  console.log(
    `${name.padEnd(8)} ${failed ? 'FAILED' : 'ok    '} ${String(ms).padStart(6)} ms${fault?.note ? `  ${fault.note}` : ''}`,
  )
}
for (const { name, fault } of failures) console.error(`\n--- ${name}\n${fault}`)
process.exitCode = failures.length > 0 ? 1 : 0
