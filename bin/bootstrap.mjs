// Entry point from a fresh checkout: installs what is missing, then runs the verb under the pinned Node 24.
//
//   node bin/bootstrap.mjs start|build|test|dev|check|test:peers|bench|faults|openapi|schema [arguments]
//   node bin/bootstrap.mjs cli [arguments of the command line]
//
// Runs under the machine's own Node, 20 or newer, and uses nothing but Node and npm. It never writes to standard output, which
// belongs to the verb. Where this Node supports it, the verb replaces this process; otherwise the verb is a child process
// that receives our signals and whose exit code becomes ours.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const OLDEST_NODE = [24, 14, 1]
const OLDEST_INSTALLER = 20
const LOCK_WITHIN_MS = 10 * 60_000
const LOCK_POLL_MS = 200
const WRITTEN_WITHIN_MS = 10_000

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const at = (...names) => path.join(root, ...names)

// By default V8 sizes the young generation by the machine's memory (two halves of 64 MB with 24 GB), and lets the old generation
// grow to four times the live data before collecting it. 8 MB, and twice the live data, cost no measurable CPU and take 40 MB
// less under load (docs/performance.md). So small a young generation is collected by one thread: waking others for it costs more
// than they save (docs/measurements.md). The malloc settings return freed memory to the system: glibc keeps a heap for each
// thread, and each retains more the larger the blocks freed. When memory is short, the service triggers garbage collection
// itself (src/platform/memory.ts). PostgreSQL has its own environment.
const SERVICE = ['--max-semi-space-size=8', '--heap-growing-percent=100', '--no-parallel-scavenge', '--expose-gc']
const MEMORY = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }

// Node's compile cache of our sources, kept between processes: saves .7 s of CPU per command. In a read-only checkout Node
// works without it.
const COMPILED = at('node_modules', '.cache', 'compiled')

/** The dashboard's sources: its own, those shared with the service, and the packages built into it. */
const DASHBOARD = [
  ...['dashboard/index.html', 'dashboard/vite.config.ts', 'dashboard/public', 'dashboard/src'],
  ...['src/mail', 'src/modules/accounts/scopes.ts', 'src/modules/contacts/contact-list.ts'],
  ...['src/platform/csv.ts', 'src/platform/languages.ts', 'package-lock.json'],
]

/** What each verb runs, relative to the checkout. `production`: works without the development packages. */
const VERBS = {
  start: { run: [...SERVICE, 'src/main.ts', 'start'], production: true },
  cli: { run: [...SERVICE, 'src/main.ts'], production: true, keepsFolder: true },
  // Builds everything that is created on first use, for a checkout that its service cannot write to.
  build: { run: ['bin/build.ts'], production: true },
  dev: { run: [...SERVICE, '--watch', 'src/main.ts', 'start'] },
  test: { run: ['test/run.mjs'] },
  check: { run: ['bin/check.mjs'] },
  'test:peers': { run: ['test/peers/run.mjs'] },
  bench: { run: ['bench/run.mjs'] },
  faults: { run: ['test/faults/run.ts'] },
  openapi: { run: ['bin/openapi.ts'] },
  schema: { run: ['bin/schema.ts'] },
}

const [name = '', ...args] = process.argv.slice(2)
const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
if (verb === undefined) fail(`unknown verb "${name}"; use one of ${Object.keys(VERBS).join(', ')}`)
if (verb.keepsFolder && !hasFolder()) fail('the current folder no longer exists; change to another one')
if (!isInstalled(verb.production)) await installOnce()
if (['start', 'dev', 'build'].includes(name) || (name === 'cli' && ['serve', 'start'].includes(args[0])))
  await buildDashboard()
hand(pinnedNode(), [...verb.run.map((arg) => (/\.(ts|mjs)$/.test(arg) ? at(arg) : arg)), ...args])

function fail(message) {
  process.stderr.write(`posthorn: ${message}\n`)
  process.exit(1)
}

// A terminal or a script may be in a folder that has been deleted since, such as that of an earlier release.
function hasFolder() {
  try {
    return process.cwd() !== ''
  } catch {
    return false
  }
}

// npm records what it installed in node_modules/.package-lock.json, which it writes last: it marks a complete installation.
// Packages for other platforms are optional and may be missing.
function isInstalled(production) {
  const wanted = packagesIn(at('package-lock.json'))
  const found = packagesIn(at('node_modules', '.package-lock.json'))
  if (wanted === null) fail('package-lock.json is missing: the checkout is incomplete')
  if (found === null) return false
  return Object.entries(wanted).every(([where, { version, optional, devOptional, dev, os: systems, cpu, libc }]) => {
    if (where === '') return true
    if (Object.hasOwn(found, where)) return found[where].version === version
    if (production && dev) return true
    if (!optional && !devOptional) return false
    // A package without a platform is a dependency of one for another platform, and is missing with it.
    if (systems === undefined && cpu === undefined) return true
    return !(fits(systems, process.platform) && fits(cpu, process.arch) && !libc)
  })
}

function fits(list, mine) {
  return list === undefined || list.includes(mine)
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch (error) {
    // Installed by another user with a strict umask: installing again could not succeed.
    if (error.code === 'EACCES') fail(`${error.path} cannot be read by this user: run chmod -R go+rX ${root}`)
    return null
  }
}

/** Installs, one process at a time; a process that waited finds the work done. */
async function installOnce() {
  if (lstatSync(at('node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    process.stderr.write(
      'posthorn: node_modules is a symbolic link and does not match package-lock.json; not installing into it\n',
    )
    return
  }
  const release = await takeLock()
  try {
    if (!isInstalled(verb.production)) install()
  } finally {
    release()
  }
}

// An older Node installs with a page of warnings, or npm fails without naming the Node version as the reason.
function install() {
  const mine = process.versions.node
  if (Number.parseInt(mine, 10) < OLDEST_INSTALLER)
    fail(
      `Node ${OLDEST_INSTALLER} or newer is needed to install the packages (including Posthorn's own Node); this is ${mine}`,
    )
  process.stderr.write('posthorn: installing packages (npm ci)\n')
  const spare = homeIsWritable() ? null : mkdtempSync(path.join(os.tmpdir(), 'posthorn-npm-'))
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  const wanted = ['ci', '--ignore-scripts', ...quiet, '--include=dev', '--include=optional']
  const options = spare === null ? wanted : [...wanted, `--cache=${spare}`]
  // Under `npm run`, use the same npm; else the one on the PATH.
  const own = process.env.npm_execpath
  const [file, prefix] = own !== undefined && own.endsWith('npm-cli.js') ? [process.execPath, [own]] : ['npm', []]
  const result = spawnSync(file, [...prefix, ...options], { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  if (spare !== null) rmSync(spare, { recursive: true, force: true })
  if (result.status === 0) return
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`)
  if (result.error?.code === 'ENOENT') fail('npm was not found; install Node together with npm')
  fail(`npm ci failed (${result.error?.message ?? result.signal ?? `exit code ${result.status}`})`)
}

/**
 * Builds the dashboard when it is missing or older than a source. Without it the service has no dashboard: a reason to say so,
 * and none to send no mail.
 */
async function buildDashboard() {
  const built = at('dashboard', 'dist')
  const vite = at('node_modules', 'vite', 'bin', 'vite.js')
  if (isBuilt(built) || !existsSync(vite)) return
  const kept = existsSync(path.join(built, 'index.html')) ? 'with the one that was built earlier' : 'without it'
  // The service's user, in a checkout of another one that was updated, or copied without its times.
  if (name !== 'build' && !isWritable(at('dashboard'))) {
    process.stderr.write(
      `posthorn: the dashboard is not built from these sources: run npm run build in ${root} as its owner; starting ${kept}\n`,
    )
    return
  }
  const release = await takeLock()
  const half = at('dashboard', `dist.${process.pid}`)
  try {
    if (isBuilt(built)) return
    process.stderr.write('posthorn: building the dashboard\n')
    const options = ['build', '--config', at('dashboard', 'vite.config.ts'), '--logLevel', 'error', '--outDir', half]
    const { status, stdout, stderr } = spawnSync(pinnedNode(), [vite, ...options], { cwd: root, encoding: 'utf8' })
    if (status !== 0) {
      process.stderr.write(
        `${stdout ?? ''}${stderr ?? ''}posthorn: the dashboard could not be built; starting ${kept}\n`,
      )
      return
    }
    rmSync(built, { recursive: true, force: true })
    renameSync(half, built)
  } finally {
    rmSync(half, { recursive: true, force: true })
    release()
  }
}

function isBuilt(built) {
  const made = statSync(path.join(built, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return made > 0 && DASHBOARD.every((source) => newestIn(at(source)) <= made)
}

function newestIn(file) {
  const { mtimeMs } = statSync(file)
  if (!statSync(file).isDirectory()) return mtimeMs
  return Math.max(mtimeMs, ...readdirSync(file).map((name) => newestIn(path.join(file, name))))
}

function homeIsWritable() {
  try {
    return isWritable(os.homedir())
  } catch {
    return false // a user without a name has none
  }
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

// The lock file holds the id and the start of its process; it is void once that process is gone. It is not a tracked file.
async function takeLock() {
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 16)
  const file =
    existsSync(at('.git')) && lstatSync(at('.git')).isDirectory() ? at('.git', 'posthorn-install.lock') : null
  const lock = file ?? path.join(os.tmpdir(), `posthorn-install-${process.getuid()}-${hash}.lock`)
  const giveUpAt = Date.now() + LOCK_WITHIN_MS
  for (let told = false; ; ) {
    try {
      writeFileSync(lock, `${process.pid} ${startOf(process.pid)}\n`, { flag: 'wx' })
      const release = () => rmSync(lock, { force: true })
      // A failure ends the process where it is noticed.
      process.once('exit', release)
      return () => {
        process.off('exit', release)
        release()
      }
    } catch (error) {
      const advice = ['EACCES', 'EROFS'].includes(error.code) ? '; run npm ci and npm run build there as its owner' : ''
      if (error.code !== 'EEXIST') fail(`cannot install or build in ${root}: ${error.message}${advice}`)
    }
    const seen = identityOf(lock)
    if (!holderLives(lock)) {
      removeVoid(lock, seen)
      continue
    }
    if (Date.now() > giveUpAt) fail(`another installation is still running (lock file ${lock})`)
    if (!told) process.stderr.write(`posthorn: waiting for another installation (lock file ${lock})\n`)
    told = true
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS))
  }
}

// Two processes may find the same one void: the second one must not remove the lock that the first one has taken since.
function removeVoid(lock, seen) {
  const moved = `${lock}.${process.pid}`
  try {
    renameSync(lock, moved)
    if (identityOf(moved) !== seen) linkSync(moved, lock)
  } catch {
    // Another process has removed it, or taken the next one.
  }
  rmSync(moved, { force: true })
}

function identityOf(file) {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true })
  return found === undefined ? '' : `${found.ino} ${found.mtimeNs}`
}

// An empty file is still being written, unless it is older: then a full disk or a power failure has left it. After a kill, another
// process may have the holder's pid; in a container this process itself often has it.
function holderLives(lock) {
  try {
    const [pid, start] = readFileSync(lock, 'utf8').trim().split(' ')
    if (!(Number(pid) > 0)) return Date.now() - statSync(lock).mtimeMs < WRITTEN_WITHIN_MS
    process.kill(Number(pid), 0)
    return Number(pid) === process.pid ? false : start === undefined || start === startOf(pid)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** When a process was started, in ticks since the machine was: with the pid, it means one process. Empty without /proc. */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return ''
  }
}

function pinnedNode() {
  const pinned = at('node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(pinned)) return pinned
  const mine = process.versions.node.split('.').map(Number)
  const difference = OLDEST_NODE.map((wanted, place) => mine[place] - wanted).find((step) => step !== 0) ?? 0
  if (difference >= 0) return process.execPath
  return fail(
    `Node ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.versions.node}, and npm installed none for this platform`,
  )
}

function hand(node, options) {
  if (!verb.keepsFolder) process.chdir(root)
  // The data directory is in the checkout, wherever the command is called from.
  const env = {
    ...MEMORY,
    NODE_COMPILE_CACHE: COMPILED,
    ...process.env,
    POSTHORN_DATA_DIR: process.env.POSTHORN_DATA_DIR || at('data'),
  }
  if (typeof process.execve === 'function') {
    process.removeAllListeners('warning') // hides the warning that execve is experimental
    process.execve(node, [node, ...options], env)
  }
  const child = spawn(node, options, { stdio: 'inherit', env })
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR2']) process.on(signal, () => child.kill(signal))
  // Ctrl-C at a terminal reaches the child directly; a second SIGINT would mean "stop at once".
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  child.on('error', (error) => fail(`cannot start ${node}: ${error.message}`))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (os.constants.signals[signal] ?? 0)
  })
}
