// The command line as an operator meets it: each command explains itself without doing anything, and a wrong call is refused
// before anything is touched, with status 2 and the reason on standard error only.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import test from 'node:test'
import { commands } from '../src/commands.ts'
import { UsageError } from '../src/platform/command.ts'

const MAIN = path.join(import.meta.dirname, '..', 'src', 'main.ts')

interface Ended {
  readonly status: number
  readonly out: string
  readonly err: string
}

/** Leaves out the POSTHORN_ variables of the test run itself, which are not settings of the service. */
function environment(settings: Record<string, string>): Record<string, string | undefined> {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('POSTHORN_'))
  return { ...Object.fromEntries(others), ...settings }
}

/** Runs without a database: a command that tried to open one would fail, because its folder cannot be created. */
function posthorn(words: readonly string[], settings: Record<string, string> = {}, uid?: number): Promise<Ended> {
  const env = environment({ POSTHORN_DATA_DIR: '/dev/null/posthorn', ...settings })
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [MAIN, ...words],
      { env, timeout: 60_000, ...(uid !== undefined && { uid }) },
      (error, out, err) => {
        resolve({ status: error === null ? 0 : Number(error.code), out, err })
      },
    )
  })
}

test('each command has its help, and asking for it starts nothing', async () => {
  for (const [words, wanted] of [
    [['serve', '--help'], /^posthorn serve\n/],
    [['-h'], /^posthorn \d+\.\d+\.\d+\n[^]*\n {2}account create +create an account/],
    [['account', 'create', '-h'], /^posthorn account create --email /],
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
    [['account', 'destroy'], /unknown command "account destroy"; posthorn account --help/],
    [['account'], /which command of account\?\n {2}account create +create an account [^]*\n {2}account delete /],
    [['backup'], /name exactly one folder\nposthorn backup <folder>\n/],
    [
      ['rekey', '--finish', '--new-secret-file', 'x'],
      /--finish cannot be combined with --new-secret-file\nposthorn rekey \[/,
    ],
    [['serve', '--port', '3'], /Unknown option '--port'/],
    [['doctor', 'everything'], /Unexpected argument 'everything'/],
    [['send', '--from', 'a@shop.example', '--to', 'b@example.net'], /--subject is required\nposthorn send --from/],
  ] as const) {
    const { status, out, err } = await posthorn(words)
    assert.deepEqual([status, out], [2, ''], words.join(' '))
    assert.match(err, wanted)
    assert.equal(err.split(String(wanted.exec(err)?.[0])).length, 2, 'told once')
  }
})

test('a new secret that POSTHORN_SECRET_KEY would not take is refused before it is announced', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-command-'))
  const file = path.join(folder, 'secret')
  try {
    for (const [secret, wanted] of [
      [`"${'s3cret'.repeat(8)}"\n`, /the new secret must not be in quotes\n/],
      ['s3cret\n', /the new secret must have at least 32 characters\n/],
      [`${'s3cret'.repeat(8)}\n${'s3cret'.repeat(8)}\n`, /the new secret must be a single line\n/],
    ] as const) {
      await writeFile(file, secret)
      const { status, err } = await posthorn(['rekey', '--new-secret-file', file])
      assert.match(err, wanted)
      assert.deepEqual([status, err.includes('s3cret')], [2, false])
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('an argument too many is refused, so that nobody takes it for done', async () => {
  const commandsWithWords = commands.filter(({ path: [group], usage }) => /^\[?</.test(usage) && group !== 'reports')
  assert.ok(commandsWithWords.length > 15, `${commandsWithWords.length}`)
  const id = '01890000-0000-7000-8000-000000000000'
  const values = { name: 'n', confirm: 'a@b.example' }
  for (const { path: words, run } of commandsWithWords) {
    const given = words[0] === 'link-key' ? '1' : id
    // Refused before the database or a setting is looked at.
    const called = async () => run({} as never, values, [given, ...Array<string>(4).fill('more')])
    await assert.rejects(called, UsageError, words.join(' '))
  }
})

test('output that cannot be written is a failure: a key that is shown once would be lost unnoticed', async () => {
  await using full = await open('/dev/full', 'w')
  for (const word of ['version', '--help']) {
    const child = spawn(process.execPath, [MAIN, word], { env: environment({}), stdio: ['ignore', full.fd, 'pipe'] })
    assert.ok(child.stderr !== null)
    const [err, [status]] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
    assert.equal(status, 1, word)
    assert.match(err, /^posthorn: the command was carried out, but its output could not be written: ENOSPC: [^\n]+\n$/)
  }
})

test('an unreadable setting ends every command with the name of the setting, exit 1', async () => {
  const { status, out, err } = await posthorn(['account', 'list'], { POSTHORN_MX_PORT: 'x', POSTHORN_ROLES: ',' })
  assert.deepEqual([status, out], [1, ''])
  assert.match(err, /POSTHORN_MX_PORT: "x" is not a port number[^]*POSTHORN_ROLES: "," contains no role/)
})

test("a service on a free port of the system's choice must be told where its links lead", async () => {
  const { status, err } = await posthorn(['serve'], { POSTHORN_HTTP_PORT: '0', POSTHORN_ROLES: 'delivery' })
  assert.equal(status, 1)
  assert.match(err, /^posthorn: incomplete settings:\n {2}POSTHORN_HTTP_PORT=0 needs POSTHORN_PUBLIC_URL/)
})

test('an unusable data directory or database is reported by its setting, and nothing waits for it', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-command-'))
  const file = path.join(folder, 'file')
  await writeFile(file, '')
  try {
    for (const [settings, wanted] of [
      // A folder that exists, but in which nothing can be created.
      [{ POSTHORN_DATA_DIR: '/proc/posthorn' }, /^posthorn: POSTHORN_DATA_DIR: "\/proc\/posthorn" cannot be used: /],
      [{ POSTHORN_DATA_DIR: file }, /^posthorn: POSTHORN_DATA_DIR: ".*" cannot be used: it is not a folder\n$/],
      [{ POSTHORN_DATA_DIR: `${file}/data` }, /^posthorn: POSTHORN_DATA_DIR: ".*" cannot be used: /],
      [{ POSTHORN_DATA_DIR: folder, DATABASE_URL: 'postgresql://a:s3cret@127.0.0.1:1/b' }, /^posthorn: DATABASE_URL: /],
      [
        { POSTHORN_DATA_DIR: folder, DATABASE_URL: 'postgresql://a:s3cret@[b' },
        /^posthorn: invalid settings:\n {2}DATABASE_URL: Invalid URL\n$/,
      ],
    ] as const) {
      const { status, out, err } = await posthorn(['migrate'], settings)
      assert.deepEqual([status, out], [1, ''], JSON.stringify(settings))
      assert.match(err, wanted)
      assert.ok(!err.includes('s3cret'))
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a command that finds no instance says so and creates none, since an empty new one could be mistaken for it', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-command-'))
  const missing = path.join(folder, 'missing')
  await writeFile(path.join(folder, 'postgres.log'), '')
  await mkdir(path.join(folder, 'postgres.moved'))
  try {
    for (const [dataDir, words] of [
      [missing, ['account', 'list']],
      [folder, ['doctor']],
      [folder, ['backup', `${folder}-copy`]],
      [missing, ['upgrade-database']],
    ] as const) {
      const { status, out, err } = await posthorn(words, { POSTHORN_DATA_DIR: dataDir, DATABASE_URL: '' })
      assert.deepEqual([status, out], [1, ''], words.join(' '))
      assert.match(
        err,
        /^posthorn: POSTHORN_DATA_DIR: there is no instance in ".*"; .*, or create one with posthorn start, .*\n$/,
      )
    }
    assert.deepEqual((await readdir(folder)).toSorted(), ['postgres.log', 'postgres.moved'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a data directory of another user is refused with the name of its owner', {
  skip: process.getuid?.() !== 0,
}, async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-command-'))
  const data = path.join(folder, 'data')
  const NOBODY = 65_534
  try {
    await chmod(folder, 0o755)
    await mkdir(path.join(data, 'postgres'), { recursive: true, mode: 0o700 })
    await chown(data, 12_345, 12_345)
    for (const words of [['serve'], ['doctor']]) {
      const { status, err } = await posthorn(words, { POSTHORN_DATA_DIR: data, DATABASE_URL: '' }, NOBODY)
      assert.equal(status, 1)
      assert.match(err, /^posthorn: POSTHORN_DATA_DIR: ".*" cannot be used: it belongs to user 12345: run this as /)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a reader that leaves early breaks nothing: the command ends as usual', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-command-'))
  try {
    const settings = { POSTHORN_DATA_DIR: folder, DATABASE_URL: '' }
    assert.equal((await posthorn(['migrate'], settings)).status, 0)
    const env = { ...process.env, ...settings }
    const child = spawn(process.execPath, [MAIN, 'operator', 'token'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    const [err, [status]] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
    assert.deepEqual([status, err], [0, ''])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a variable that looks like a setting but is none is reported at the start, which goes on', async () => {
  const settings = { POSTHORN_HTTPPORT: '80', POSTHORN_KEY: 'ph_test_x', POSTHORN_SECRETKEY: '', DATABASE_URL: '' }
  const { out, err } = await posthorn(['serve'], settings)
  const [first = '', second = ''] = err.split('\n')
  assert.equal(out, '')
  assert.deepEqual(JSON.parse(first).names, ['POSTHORN_HTTPPORT', 'POSTHORN_SECRETKEY'])
  assert.match(second, /^posthorn: POSTHORN_DATA_DIR: "\/dev\/null\/posthorn" cannot be used/)
})

test('a service that waits for its database server says so, and ends when asked to', async () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) await endsInOrder(signal)
})

async function endsInOrder(signal: NodeJS.Signals): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-command-'))
  try {
    const env = environment({ POSTHORN_DATA_DIR: folder, DATABASE_URL: 'postgresql://a:s3cret@127.0.0.1:1/b' })
    const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [told] = (await once(child.stderr, 'data')) as [Buffer]
    assert.match(told.toString(), /"level":"warn".*DATABASE_URL: .*waiting for the database server, which is not up/)
    assert.ok(!told.toString().includes('s3cret'))
    child.kill(signal)
    const [rest, [status]] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
    assert.equal(status, 0, signal)
    assert.match(rest, new RegExp(`^\\{[^\\n]*"signal":"${signal}","msg":"stopping"\\}\\n$`))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test('a signal that asks other programs to reopen their logs has no effect, and opens no debugger', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-command-'))
  try {
    const env = environment({ POSTHORN_DATA_DIR: folder, DATABASE_URL: 'postgresql://a@127.0.0.1:1/b' })
    const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    await once(child.stderr, 'data')
    for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) {
      child.kill(signal)
      const [told] = (await once(child.stderr, 'data')) as [Buffer]
      assert.match(
        told.toString(),
        new RegExp(`^\\{[^\\n]*"signal":"${signal}","msg":"the signal has no effect: [^\\n]*\\n$`),
      )
    }
    child.kill('SIGTERM')
    const [rest, [status]] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
    assert.equal(status, 0)
    assert.match(rest, /^\{[^\n]*"signal":"SIGTERM","msg":"stopping"\}\n$/)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test("the variables of the operator's PostgreSQL clients have no effect on the embedded database", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-command-'))
  try {
    const foreign = { PGHOST: '192.0.2.1', PGUSER: 'me', PGOPTIONS: '-x', PGSSLMODE: 'require' }
    const settings = { POSTHORN_DATA_DIR: folder, DATABASE_URL: ' ', ...foreign }
    const { status, out, err } = await posthorn(['migrate'], settings)
    assert.deepEqual([status, out], [0, 'the schema is up to date\n'], err)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a start that fails by its plans or certificate says why, and nothing else, before it makes a database', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-command-'))
  const absent = `${folder}/absent`
  const faulty = {
    POSTHORN_PLANS_FILE: { POSTHORN_PLANS_FILE: absent },
    'POSTHORN_TLS_CERT_FILE:': { POSTHORN_TLS_CERT_FILE: absent, POSTHORN_TLS_KEY_FILE: absent },
  }
  try {
    for (const [named, files] of Object.entries(faulty)) {
      const settings = { ...files, POSTHORN_DATA_DIR: folder, DATABASE_URL: '', POSTHORN_LOG_LEVEL: 'warn' }
      const { status, out, err } = await posthorn(['serve'], settings)
      assert.deepEqual([status, out], [1, ''])
      assert.match(err, new RegExp(`^posthorn: ${named} .*\n$`))
      assert.deepEqual(await readdir(folder), [])
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a service with source addresses that this machine does not have says so at its start', async () => {
  const settings = { POSTHORN_SOURCE_IPS: '127.0.0.1,192.0.2.77', DATABASE_URL: '' }
  const direct = await posthorn(['serve'], { ...settings, POSTHORN_DELIVERY: 'direct' })
  const [told = ''] = direct.err.split('\n')
  assert.deepEqual(JSON.parse(told).addresses, ['192.0.2.77'])
  assert.match(told, /"level":"warn".*POSTHORN_SOURCE_IPS: these addresses are not on this machine/)
  const sandbox = await posthorn(['serve'], settings)
  assert.match(sandbox.err, /^posthorn: POSTHORN_DATA_DIR/)
})

test('settings of a relay without a relay are said to have no effect', async () => {
  const settings = { POSTHORN_RELAY_USER: 'me', POSTHORN_RELAY_PASSWORD: 's3cret', DATABASE_URL: '' }
  const direct = await posthorn(['serve'], { ...settings, POSTHORN_DELIVERY: 'direct' })
  const [told = ''] = direct.err.split('\n')
  assert.deepEqual(JSON.parse(told).names, ['POSTHORN_RELAY_USER', 'POSTHORN_RELAY_PASSWORD'])
  assert.match(told, /"level":"warn".*not used: POSTHORN_DELIVERY names no relay/)
  assert.ok(!direct.err.includes('s3cret'))
  for (const others of [
    { ...settings, POSTHORN_DELIVERY: 'relay:127.0.0.1:25' },
    { POSTHORN_DELIVERY: 'direct', DATABASE_URL: '' },
  ])
    assert.match((await posthorn(['serve'], others)).err, /^posthorn: POSTHORN_DATA_DIR/)
})

test('a public URL with a path, where nothing answers, is reported at the start', async () => {
  const settings = { POSTHORN_PUBLIC_URL: 'https://mail.example.org/posthorn', DATABASE_URL: '' }
  const [told = ''] = (await posthorn(['serve'], settings)).err.split('\n')
  assert.match(told, /"level":"warn".*POSTHORN_PUBLIC_URL has a path/)
})

test('a mail in another encoding than UTF-8 is refused before its letters are lost', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-command-'))
  try {
    const file = path.join(folder, 'latin1.html')
    await writeFile(file, Buffer.from('<p>Grüße</p>', 'latin1'))
    const words = ['send', '--from', 'a@shop.example', '--to', 'b@example.net', '--subject', 's', '--html-file', file]
    const { status, err } = await posthorn(words, { POSTHORN_DATA_DIR: folder, DATABASE_URL: '' })
    assert.equal(status, 1)
    assert.equal(err, `posthorn: ${file} is not UTF-8: convert it first, for example with iconv\n`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a service with a low limit of open files says so before the limit hurts', async () => {
  const script = `ulimit -n 64; exec ${process.execPath} ${MAIN} serve`
  const child = spawn('/bin/sh', ['-c', script], {
    env: environment({ DATABASE_URL: '', POSTHORN_DATA_DIR: '/dev/null/data' }),
  })
  const [err, [status]] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
  assert.equal(status, 1)
  const [told = ''] = err.split('\n')
  const { level, open_files, wanted } = JSON.parse(told)
  assert.deepEqual([level, open_files, wanted], ['warn', 64, 1_024])
})

test('the doctor checks what it can when the database server is down or the certificate is unreadable', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-command-'))
  try {
    const settings = {
      POSTHORN_DATA_DIR: folder,
      DATABASE_URL: 'postgresql://a:s3cret@127.0.0.1:1/b',
      POSTHORN_TLS_CERT_FILE: '/there/is/none.crt',
      POSTHORN_TLS_KEY_FILE: '/there/is/none.key',
      POSTHORN_PUBLIC_URL: 'https://mail.example.org/posthorn',
    }
    const { status, out, err } = await posthorn(['doctor'], settings)
    assert.equal(status, 1)
    assert.match(out, /^ok {6}disk +.* free at .*$/m)
    assert.match(out, /^FAIL {4}certificate +POSTHORN_TLS_CERT_FILE: the file cannot be read$/m)
    assert.match(out, /^FAIL {4}database +DATABASE_URL: connect ECONNREFUSED/m)
    assert.match(out, /^warn {4}public address +https:\/\/mail\.example\.org\/posthorn\n +leave \/posthorn out of/m)
    assert.match(err, /^posthorn: failed checks: certificate, database\n$/)
    assert.ok(!`${out}${err}`.includes('s3cret'))
    const { out: json } = await posthorn(['doctor', '--json'], settings)
    assert.equal(JSON.parse(json).find(({ check }: { check: string }) => check === 'clock').state, 'skipped')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
