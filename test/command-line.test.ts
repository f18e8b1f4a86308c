// The command line as an operator meets it: each command explains itself without doing anything, and a wrong call is
// refused before anything is touched, with status 2 and the reason on standard error alone.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import path from 'node:path'
import test from 'node:test'

interface Ended {
  readonly status: number
  readonly out: string
  readonly err: string
}

/** Without a database: whoever opened one here would fail, for its folder cannot be made. */
function posthorn(words: readonly string[], settings: Record<string, string> = {}): Promise<Ended> {
  const env = { ...process.env, POSTHORN_DATA_DIR: '/dev/null/posthorn', ...settings }
  const main = path.join(import.meta.dirname, '..', 'src', 'main.ts')
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...words], { env, timeout: 60_000 }, (error, out, err) => {
      resolve({ status: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

test('each command has its help, and asking for it starts nothing', async () => {
  for (const [words, wanted] of [
    [['serve', '--help'], /^posthorn serve\n/],
    [['account', 'create', '--help'], /^posthorn account create --email /],
    [['queue', '--help'], /^posthorn queue list[^]*posthorn queue flush[^]*posthorn queue retry/m],
  ] as const) {
    const { status, out, err } = await posthorn(words)
    assert.deepEqual([status, err], [0, ''], words.join(' '))
    assert.match(out, wanted)
  }
})

test('a wrong call is refused at once: exit 2, the reason on standard error', async () => {
  for (const [words, wanted] of [
    [['account', 'destroy'], /unknown command «account destroy»/],
    [['serve', '--port', '3'], /Unknown option '--port'/],
    [['doctor', 'everything'], /Unexpected argument 'everything'/],
  ] as const) {
    const { status, out, err } = await posthorn(words)
    assert.deepEqual([status, out], [2, ''], words.join(' '))
    assert.match(err, wanted)
    assert.equal(err.split(String(wanted.exec(err)?.[0])).length, 2, 'told once')
  }
})

test('a setting that cannot be read ends every command with its name, exit 1', async () => {
  const { status, out, err } = await posthorn(['account', 'list'], { POSTHORN_MX_PORT: 'x', POSTHORN_ROLES: ',' })
  assert.deepEqual([status, out], [1, ''])
  assert.match(err, /POSTHORN_MX_PORT: «x» is not a port[^]*POSTHORN_ROLES: «,» names no role/)
})
