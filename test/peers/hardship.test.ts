// A machine at its limits: a full disk, a process without file descriptors, thousands of strangers that hold connections or
// guess passwords. Accepted mail is kept, other mail is refused with a proper answer, and the service recovers by itself.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, open, readFile, rm, statfs } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { descendants, run, scratch, waitFor } from './fixture.ts'
import { startPostgres } from './postgres.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'

const DISK_MB = 512
const OPEN_FILES = 256
/** Connections that one address may hold at submission, and the number of addresses that hold 5,000. */
const PER_ADDRESS = 50
const ADDRESSES = 100
const MAIL = { from: 'a@x.example', to: 'b@dest.example', subject: 's', text: 't'.repeat(2_000) }
const SETTINGS = { POSTHORN_RATE_LIMITS: 'off', POSTHORN_LOG_LEVEL: 'error' }

/** Sends one mail by submission. @returns the code of the last answer, 0 without one */
async function submit(posthorn: Posthorn, key: string, localAddress = '127.0.0.1', mail = MAIL): Promise<number> {
  const transport = createTransport({
    host: '127.0.0.1',
    port: Number(posthorn.env['POSTHORN_SUBMISSION_PORT']),
    localAddress,
    auth: { user: 'apikey', pass: key },
    tls: { rejectUnauthorized: false },
  })
  try {
    return Number((await transport.sendMail(mail)).response.slice(0, 3))
  } catch (error) {
    return (error as { responseCode?: number }).responseCode ?? 0
  } finally {
    transport.close()
  }
}

/** Waits until no email is queued or deferred. @returns the account's emails: [all, delivered] */
async function outcome(posthorn: Posthorn, key: string): Promise<readonly [number, number]> {
  const total = async (query: string): Promise<number> =>
    (await posthorn.call(key, 'GET', `/api/v1/emails?limit=1${query}`)).body.pagination.total
  await waitFor('every mail', async () => (await total('&status=queued,deferred')) === 0)
  return [await total(''), await total('&status=delivered')]
}

/** Writes until the disk is full. */
async function fill(file: string): Promise<void> {
  const handle = await open(file, 'w')
  const megabyte = Buffer.alloc(1_048_576)
  try {
    for (;;) await handle.write(megabyte)
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
  } finally {
    await handle.close()
  }
}

test('on a full disk mail is refused, and no accepted mail is lost', { timeout: 120_000 }, async (t) => {
  await using stack = new AsyncDisposableStack()
  const folder = path.join(stack.use(await scratch('full-disk')).path, 'small')
  await mkdir(folder, { mode: 0o700 })
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder])
  } catch (error) {
    return t.skip(`no file systems can be mounted here: ${String(error)}`)
  }
  stack.defer(async () => void (await run('umount', ['-l', folder])))
  const posthorn = stack.use(await startPosthorn(folder, SETTINGS))
  const { test_api_key: key } = await posthorn.account()
  const statuses: number[] = []
  const loading = new AbortController()
  const load = (async () => {
    while (!loading.signal.aborted) {
      statuses.push((await posthorn.call(key, 'POST', '/api/v1/send', MAIL)).status)
      await delay(20)
    }
  })()
  stack.defer(async () => {
    loading.abort()
    await load
  })
  const answers = (what: string, status: number): Promise<unknown> =>
    waitFor(what, async () => statuses.at(-1) === status, 30_000)
  await waitFor('a load', async () => statuses.length > 50)
  const ballast = path.join(folder, 'ballast')
  for (const _ of [1, 2]) {
    await fill(ballast)
    await answers('mail that is refused', 503)
    await waitFor('a refusal by submission', async () => (await submit(posthorn, key)) === 452, 20_000)
    await delay(3_000)
    const { bavail, bsize } = await statfs(folder)
    assert.ok(bavail * bsize < 1_048_576)
    await rm(ballast)
    await answers('mail that is taken again', 202)
    assert.equal(await submit(posthorn, key), 250)
  }
  loading.abort()
  await load
  const accepted = statuses.filter((status) => status === 202).length
  t.diagnostic(`${accepted} accepted, ${statuses.filter((status) => status === 503).length} answered 503`)
  assert.deepEqual([...new Set(statuses)].sort(), [202, 503])
  assert.equal(posthorn.running.child.exitCode, null)
  assert.match(posthorn.running.said(), /no room on the disk: no mail is accepted/)
  const [all, delivered] = await outcome(posthorn, key)
  assert.equal(all, delivered)
  // A commit may have succeeded although its answer was lost.
  assert.ok(delivered >= accepted + 2)
})

test('with a database elsewhere, a full data disk refuses mails over a megabyte alone', {
  timeout: 120_000,
}, async (t) => {
  await using stack = new AsyncDisposableStack()
  const place = stack.use(await scratch('full-data-disk')).path
  const folder = path.join(place, 'small')
  await mkdir(folder, { mode: 0o700 })
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', folder])
  } catch (error) {
    return t.skip(`no file systems can be mounted here: ${String(error)}`)
  }
  stack.defer(async () => void (await run('umount', ['-l', folder])))
  const postgres = stack.use(await startPostgres(place))
  // The same address as a number, which does not look like this machine.
  const url = postgres.url.replace('@127.0.0.1', '@2130706433')
  assert.notEqual(url, postgres.url)
  const posthorn = stack.use(await startPosthorn(folder, { ...SETTINGS, DATABASE_URL: url }))
  const { test_api_key: key } = await posthorn.account()
  await fill(path.join(folder, 'ballast'))
  const large = { ...MAIL, text: 't'.repeat(2 * 1_048_576) }
  const sent = async (mail: typeof MAIL): Promise<number> =>
    (await posthorn.call(key, 'POST', '/api/v1/send', mail)).status
  assert.deepEqual([await sent(MAIL), await sent(large)], [202, 503])
  assert.deepEqual([await submit(posthorn, key), await submit(posthorn, key, '127.0.0.1', large)], [250, 452])
  assert.deepEqual(await outcome(posthorn, key), [2, 2])
  await rm(path.join(folder, 'ballast'))
  assert.match(posthorn.running.said(), /no room on the disk: no mail over a megabyte is accepted/)
})

/** Process id of the service, below the launcher. */
async function serviceOf(posthorn: Posthorn): Promise<number> {
  for (const pid of await descendants(posthorn.running.child.pid ?? 0)) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'latin1')
    if (line.includes('main.ts')) return pid
  }
  throw new Error('no service')
}

async function hold(
  port: number,
  count: number,
  from: (n: number) => string,
): Promise<AsyncDisposable & { said(): number[] }> {
  const said: number[] = []
  const sockets: Socket[] = []
  for (let n = 0; n < count; n++) {
    const socket = connect({ host: '127.0.0.1', port, localAddress: from(n) })
    socket.on('error', () => undefined).once('data', (line) => said.push(Number(line.toString().slice(0, 3))))
    sockets.push(socket)
    if (n % 100 === 99) await Promise.race([once(socket, 'connect').catch(() => undefined), once(socket, 'close')])
  }
  return {
    said: () => said,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

test('a process that ran out of file descriptors works again once some are free', { timeout: 90_000 }, async () => {
  await using stack = new AsyncDisposableStack()
  const posthorn = stack.use(await startPosthorn(stack.use(await scratch('no-files')).path, SETTINGS))
  const { test_api_key: key } = await posthorn.account()
  const pid = await serviceOf(posthorn)
  await run('prlimit', [`--pid=${pid}`, `--nofile=${OPEN_FILES}`])
  assert.equal((await posthorn.call(key, 'POST', '/api/v1/send', MAIL)).status, 202)
  {
    await using _held = await hold(Number(new URL(posthorn.url).port), OPEN_FILES * 2, () => '127.1.0.1')
    const before = await cpuTicks(pid)
    await delay(3_000)
    assert.ok((await cpuTicks(pid)) - before < 300, 'it does not turn in circles')
    assert.equal(posthorn.running.child.exitCode, null)
  }
  await waitFor('an answer', async () => {
    const sent = await posthorn.call(key, 'POST', '/api/v1/send', MAIL).catch(() => null)
    return sent?.status === 202
  })
  await waitFor('submission', async () => (await submit(posthorn, key)) === 250)
  const [all, delivered] = await outcome(posthorn, key)
  assert.deepEqual([all, delivered], [3, 3])
})

/** CPU time of the process, in hundredths of a second. */
async function cpuTicks(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'latin1')).split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

test('strangers that hold 5,000 connections do not keep others out', { timeout: 120_000 }, async (t) => {
  const files = Number(/^Max open files\s+(\d+)/m.exec(await readFile('/proc/self/limits', 'utf8'))?.[1])
  if (files < PER_ADDRESS * ADDRESSES * 1.2) return t.skip(`${files} open files are too few for a flood`)
  await using stack = new AsyncDisposableStack()
  const settings = { POSTHORN_LOG_LEVEL: 'error' }
  const posthorn = stack.use(await startPosthorn(stack.use(await scratch('strangers')).path, settings))
  const { test_api_key: key } = await posthorn.account()
  const from = (n: number): string => `127.1.0.${1 + Math.floor(n / PER_ADDRESS)}`
  for (const name of ['POSTHORN_SUBMISSION_PORT', 'POSTHORN_MX_PORT', 'POSTHORN_HTTP_PORT']) {
    const port = Number(posthorn.env[name])
    await using held = await hold(port, PER_ADDRESS * ADDRESSES, from)
    const asked = performance.now()
    assert.equal(await submit(posthorn, key, '127.2.0.1'), 250, name)
    assert.equal((await posthorn.call(key, 'POST', '/api/v1/send', MAIL)).status, 202, name)
    t.diagnostic(
      `${name}: one more sender served within ${Math.round(performance.now() - asked)} ms; ${held.said().length} greeted`,
    )
  }
  {
    await using held = await hold(Number(posthorn.env['POSTHORN_SUBMISSION_PORT']), PER_ADDRESS * 2, () => '127.1.0.1')
    await waitFor('answers', async () => held.said().length === PER_ADDRESS * 2)
    assert.equal(held.said().filter((code) => code === 421).length, PER_ADDRESS)
  }
})

/** Number of strangers that guess, each from its own address over all connections allowed to it, and the duration. */
const GUESSERS = 10
const GUESSING_MS = 15_000
/** Most wrong passwords checked for an address: those under way at the first lock, and a few more. */
const LOOKED_AT = PER_ADDRESS + 5

interface Credential {
  readonly username: string
  readonly password: string
}

/** Logs in over implicit TLS. @returns the code of the answer, 0 without one */
async function logIn(posthorn: Posthorn, { username, password }: Credential, localAddress: string): Promise<number> {
  const transport = createTransport({
    host: '127.0.0.1',
    port: Number(posthorn.env['POSTHORN_SUBMISSION_TLS_PORT']),
    secure: true,
    localAddress,
    auth: { user: username, pass: password },
    tls: { rejectUnauthorized: false },
  })
  try {
    await transport.verify()
    return 235
  } catch (error) {
    return (error as { responseCode?: number }).responseCode ?? 0
  } finally {
    transport.close()
  }
}

test('strangers that guess passwords are locked out, and a client with the right one is not', {
  timeout: 120_000,
}, async (t) => {
  await using stack = new AsyncDisposableStack()
  const settings = { POSTHORN_LOG_LEVEL: 'error' }
  const posthorn = stack.use(await startPosthorn(stack.use(await scratch('guesses')).path, settings))
  const { test_api_key: key } = await posthorn.account()
  const { username, password } = (await posthorn.call(key, 'GET', '/api/v1/smtp-credentials')).body as Credential
  const answers = new Map<string, number[]>()
  let guessing = true
  const guess = async (address: string, said: number[]): Promise<void> => {
    while (guessing) said.push(await logIn(posthorn, { username, password: `guess ${Math.random()}` }, address))
  }
  const strangers = Array.from({ length: GUESSERS }, (_, n) => {
    const said: number[] = []
    answers.set(`127.1.0.${n + 1}`, said)
    return Array.from({ length: PER_ADDRESS }, () => guess(`127.1.0.${n + 1}`, said))
  })
  stack.defer(async () => {
    guessing = false
    await Promise.all(strangers.flat())
  })
  const pid = await serviceOf(posthorn)
  const [began, ticks] = [performance.now(), await cpuTicks(pid)]
  const tookMs: number[] = []
  while (performance.now() - began < GUESSING_MS) {
    const asked = performance.now()
    assert.equal(await logIn(posthorn, { username, password }, '127.2.0.1'), 235)
    tookMs.push(performance.now() - asked)
    assert.equal(await submit(posthorn, key, '127.2.0.1'), 250)
    await delay(100)
  }
  const seconds = (performance.now() - began) / 1_000
  const cpu = Math.round((await cpuTicks(pid)) - ticks) / seconds
  const amidGuesses = await logIn(posthorn, { username, password }, '127.1.0.1')
  guessing = false
  await Promise.all(strangers.flat())
  const tries = [...answers.values()].flat().length
  t.diagnostic(`${tries} guesses, ${Math.round(tries / seconds)} a second, ${Math.round(cpu)} % of a core`)
  const inOrder = tookMs.map(Math.round).sort((one, other) => one - other)
  t.diagnostic(
    `${inOrder.length} log-ins beside: half within ${inOrder[inOrder.length >> 1]}, all ${inOrder.at(-1)} ms`,
  )
  assert.equal(amidGuesses, 421, 'the right one, from where it is guessed at')
  for (const [address, said] of answers) {
    const lookedAt = said.filter((code) => code === 535).length
    assert.ok(lookedAt <= LOOKED_AT, `${lookedAt} guesses from ${address} were looked at`)
    assert.ok(said.filter((code) => code === 421).length > 0, address)
    assert.deepEqual(
      said.filter((code) => ![535, 421, 0].includes(code)),
      [],
    )
  }
})
