// Starting from a fresh checkout, in the cases where it fails.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, cp, glob, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import test from 'node:test'

const ROOT = path.join(import.meta.dirname, '..')
const OLDER = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })`

/** What the dashboard is built from, as bin/bootstrap.mjs lists it. */
async function dashboardSources(): Promise<string[]> {
  const bootstrap = await readFile(path.join(ROOT, 'bin/bootstrap.mjs'), 'utf8')
  const [, list = ''] = /const DASHBOARD = \[([\s\S]*?)\n\]/.exec(bootstrap) ?? []
  return [...list.matchAll(/'([^']+)'/g)].map(([, source = '']) => source)
}

/** A checkout in which nothing is installed yet. */
async function withoutPackages(): Promise<{ readonly folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-checkout-'))
  for (const file of ['bin/bootstrap.mjs', 'package-lock.json'])
    await cp(path.join(ROOT, file), path.join(folder, file))
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

test('a Node that is too old to install says which version is needed, and installs nothing', async () => {
  await using checkout = await withoutPackages()
  const { folder } = checkout
  const older = `data:text/javascript,${encodeURIComponent(OLDER)}`
  const words = ['--import', older, path.join(folder, 'bin/bootstrap.mjs'), 'cli', 'version']
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000 })
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^posthorn: Node 20 or newer is needed to install .*; this is 18\.20\.8\n$/)
  assert.deepEqual((await readdir(folder)).toSorted(), ['bin', 'package-lock.json'])
})

// In containers, a uid often has no name, for which os.userInfo() throws.
test('a user without a name on the machine installs as any other', { skip: process.getuid?.() !== 0 }, async () => {
  await using checkout = await withoutPackages()
  const { folder } = checkout
  await chmod(folder, 0o755)
  const words = [path.join(folder, 'bin/bootstrap.mjs'), 'cli', 'version']
  const env = { PATH: path.join(folder, 'bin'), HOME: os.tmpdir() }
  const options = { encoding: 'utf8', timeout: 60_000, uid: 54_321, env } as const
  const { status, stderr } = spawnSync(process.execPath, words, options)
  assert.equal(status, 1)
  assert.match(
    stderr,
    /^posthorn: installing packages .*\nposthorn: npm was not found; install Node together with npm\n$/,
  )
})

test('what a failed or killed installation leaves behind holds up no later one', async () => {
  await using checkout = await withoutPackages()
  const { folder } = checkout
  await mkdir(path.join(folder, '.git'))
  const lock = path.join(folder, '.git', 'posthorn-install.lock')
  const env = { PATH: path.join(folder, 'bin'), HOME: folder }
  const install = () =>
    spawnSync(process.execPath, [path.join(folder, 'bin/bootstrap.mjs'), 'cli', 'version'], {
      encoding: 'utf8',
      timeout: 3_000,
      env,
    })
  const failed = /^posthorn: installing packages .*\nposthorn: npm was not found; install Node together with npm\n$/
  assert.match(install().stderr, failed)
  assert.deepEqual(await readdir(path.join(folder, '.git')), [])
  // The pid of the killed one now belongs to another process: this one.
  await writeFile(lock, `${process.pid} 1\n`)
  assert.match(install().stderr, failed)
  // A power failure or a full disk left it empty.
  await writeFile(lock, '')
  await utimes(lock, new Date(), new Date(Date.now() - 60_000))
  assert.match(install().stderr, failed)
  // While the holder does live, the wait is told.
  const stat = await readFile('/proc/self/stat', 'utf8')
  const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  await writeFile(lock, `${process.pid} ${start}\n`)
  const waiting = install()
  assert.equal(waiting.signal, 'SIGTERM')
  assert.equal(waiting.stderr, `posthorn: waiting for another installation (lock file ${lock})\n`)
})

test('of two that find the same void lock, one installs after the other', async () => {
  await using checkout = await withoutPackages()
  const { folder } = checkout
  await mkdir(path.join(folder, '.git'))
  const lock = path.join(folder, '.git', 'posthorn-install.lock')
  const [log, held] = [path.join(folder, 'log'), path.join(folder, 'held')]
  const npm = `#!/bin/sh\necho begin >> ${log}\nsleep 1\necho end >> ${log}\n`
  await writeFile(path.join(folder, 'bin/npm'), npm, { mode: 0o755 })
  await writeFile(lock, `${process.pid} 1\n`)
  // Has found the lock void, and removes it once the other one has a lock of its own.
  const late = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const pause = new Int32Array(new SharedArrayBuffer(4))
    for (const name of ['rmSync', 'renameSync']) {
      const act = fs[name]
      fs[name] = (file, ...more) => {
        const isFirst = file === '${lock}' && !fs.existsSync('${held}')
        if (isFirst) fs.writeFileSync('${held}', '')
        while (isFirst && [undefined, '${process.pid} 1\\n'].includes(read())) Atomics.wait(pause, 0, 0, 5)
        return act(file, ...more)
      }
    }
    const read = () => { try { return fs.readFileSync('${lock}', 'utf8') || undefined } catch {} }
    syncBuiltinESMExports()`
  const install = (...words: string[]) => {
    const env = { PATH: `${path.join(folder, 'bin')}:/usr/bin:/bin`, HOME: folder }
    const args = [...words, path.join(folder, 'bin/bootstrap.mjs'), 'cli', 'version']
    return once(spawn(process.execPath, args, { env, stdio: 'ignore', timeout: 60_000 }), 'exit')
  }
  const second = install('--import', `data:text/javascript,${encodeURIComponent(late)}`)
  while (!existsSync(held)) await new Promise((resolve) => setTimeout(resolve, 10))
  await Promise.all([install(), second])
  assert.equal(await readFile(log, 'utf8'), 'begin\nend\nbegin\nend\n')
  assert.deepEqual(await readdir(path.join(folder, '.git')), [])
})

test('an installation that another user closed is reported as that', { skip: process.getuid?.() !== 0 }, async () => {
  await using checkout = await withoutPackages()
  const { folder } = checkout
  await mkdir(path.join(folder, 'node_modules'), { mode: 0o700 })
  await chmod(folder, 0o755)
  const words = [path.join(folder, 'bin/bootstrap.mjs'), 'cli', 'version']
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000, uid: 54_321 })
  assert.equal(status, 1)
  assert.match(stderr, /^posthorn: .*node_modules\S* cannot be read by this user: run chmod -R go\+rX \S+\n$/)
})

test('an outdated dashboard that the user may not build keeps no mail waiting', {
  skip: process.getuid?.() !== 0,
}, async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-checkout-'))
  try {
    await chmod(folder, 0o755)
    const files = {
      'package-lock.json': '{"packages":{}}',
      'node_modules/.package-lock.json': '{"packages":{}}',
      'node_modules/vite/bin/vite.js': "throw new Error('not for this user')",
      'src/main.ts': "console.log('up')",
      'dashboard/dist/index.html': '',
    }
    await cp(path.join(ROOT, 'bin/bootstrap.mjs'), path.join(folder, 'bin/bootstrap.mjs'))
    for (const source of await dashboardSources())
      await cp(path.join(ROOT, source), path.join(folder, source), { recursive: true })
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true })
      await writeFile(path.join(folder, file), text)
    }
    await mkdir(path.join(folder, '.git'))
    const earlier = new Date('2020-01-01T00:00:00Z')
    await utimes(path.join(folder, 'dashboard/dist/index.html'), earlier, earlier)
    const words = [path.join(folder, 'bin/bootstrap.mjs'), 'cli', 'serve']
    const options = { encoding: 'utf8', timeout: 60_000, uid: 54_321, cwd: '/' } as const
    const { status, stdout, stderr } = spawnSync(process.execPath, words, options)
    assert.deepEqual([status, stdout], [0, 'up\n'], stderr)
    assert.match(stderr, /run npm run build in \S+ as its owner; starting with the one that was built earlier\n$/)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a command called in a folder that was deleted says so', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-gone-'))
  const script = 'cd "$0" && rmdir "$0" && exec "$@"'
  const words = ['-c', script, folder, process.execPath, path.join(ROOT, 'bin/bootstrap.mjs'), 'cli', 'version']
  const { status, stdout, stderr } = spawnSync('/bin/sh', words, { encoding: 'utf8', timeout: 60_000 })
  assert.deepEqual([status, stdout], [1, ''])
  assert.equal(stderr, 'posthorn: the current folder no longer exists; change to another one\n')
})

// npm passes a signal to the shell of its script, and Debian's shell dies of it without passing it to the program it runs.
test('ending `npm start` ends what it started, not only npm', { timeout: 60_000 }, async (t) => {
  const { stdout: version } = spawnSync('npm', ['--version'], { encoding: 'utf8' })
  if (Number.parseInt(version, 10) < 11) return t.skip('npm before version 11 may pass no signal on')
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-checkout-'))
  try {
    await cp(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'))
    await mkdir(path.join(folder, 'bin'))
    const service = `process.on('SIGTERM', () => { console.log('told'); process.exit() }); setInterval(() => {}, 1_000); console.log('up')`
    await writeFile(path.join(folder, 'bin/bootstrap.mjs'), service)
    const npm = spawn('npm', ['start', '--silent'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
    const said: string[] = []
    for await (const text of npm.stdout) {
      said.push(String(text).trim())
      if (said.length === 1) npm.kill('SIGTERM')
    }
    assert.deepEqual(said, ['up', 'told'])
    if (npm.exitCode === null && npm.signalCode === null) await once(npm, 'exit')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('the dashboard is rebuilt when one of the service files it imports changes', async () => {
  const sources = await dashboardSources()
  assert.ok(sources.includes('dashboard/src'))
  assert.ok(sources.includes('package-lock.json'), 'the packages are built into it too')
  const taken: string[] = []
  for await (const file of glob('dashboard/src/**/*.{ts,tsx}', { cwd: ROOT })) {
    const text = await readFile(path.join(ROOT, file), 'utf8')
    for (const [, from = ''] of text.matchAll(/ from '(\.[^']+)'/g)) taken.push(path.join(path.dirname(file), from))
  }
  assert.ok(taken.some((file) => file.startsWith('src/')))
  assert.deepEqual(
    taken.filter((file) => !sources.some((source) => file === source || file.startsWith(`${source}/`))),
    [],
  )
})
