// `npm run test:peers`: runs the tests with other people's programs (packages.txt), then the whole suite again against
// Debian's PostgreSQL 15 instead of the embedded one. Needs root. Arguments, files or `postgres`, select what to run.
// SUITE_UNTIL, in seconds since 1970: on PostgreSQL 15 no file is begun after it. A slow machine runs only a part of them.

import { spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { passTwice } from '../files.mjs'

const root = path.join(import.meta.dirname, '..', '..')
process.chdir(root)
const named = process.argv.slice(2)
const files = named.filter((name) => name !== 'postgres')
const peers = files.length > 0 ? files : named.length > 0 ? [] : globSync('test/peers/*.test.ts').sort()
const TEST_TIMEOUT_MS = 20 * 60_000
const FILE_TIMEOUT_MS = 30 * 60_000

const results = []
if (peers.length > 0) {
  const passed = await passTwice(peers, { concurrency: 1, timeout: TEST_TIMEOUT_MS, fileTimeout: FILE_TIMEOUT_MS })
  results.push(['peers', passed ? 0 : 1])
}
if (named.length === 0 || named.includes('postgres'))
  results.push(['the suite on PostgreSQL 15', await onDebianPostgres()])
for (const [what, code] of results) console.log(`${code === 0 ? 'ok     ' : 'FAILED '} ${what}`)
process.exit(results.some(([, code]) => code !== 0) ? 1 : 0)

function node(args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...env } })
    child.on('exit', (code) => resolve(code ?? 1))
  })
}

async function onDebianPostgres() {
  const bin = readdirSync('/usr/lib/postgresql', { withFileTypes: true })
    .map(({ name }) => `/usr/lib/postgresql/${name}/bin`)
    .findLast((folder) => existsSync(path.join(folder, 'initdb')))
  if (bin === undefined) throw new Error('no PostgreSQL of Debian is installed')
  const folder = mkdtempSync(path.join(os.tmpdir(), 'posthorn-pg-'))
  const uid = Number(spawnSync('id', ['-u', 'postgres'], { encoding: 'utf8' }).stdout)
  chownSync(folder, uid, uid)
  const port = await freePort()
  const data = path.join(folder, 'data')
  const as = (...words) => {
    const { status, stderr, stdout } = spawnSync('runuser', ['-u', 'postgres', '--', ...words], {
      encoding: 'utf8',
      cwd: folder,
    })
    if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}${stdout}`)
  }
  const settings = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=300`
  as(path.join(bin, 'initdb'), '-D', data, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync')
  as(path.join(bin, 'pg_ctl'), '-D', data, '-w', '-o', settings, '-l', path.join(folder, 'log'), 'start')
  try {
    return await node(['test/run.mjs', '--until', process.env.SUITE_UNTIL ?? ''], {
      DATABASE_URL: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    })
  } finally {
    as(path.join(bin, 'pg_ctl'), '-D', data, '-m', 'immediate', 'stop')
    rmSync(folder, { recursive: true, force: true })
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
