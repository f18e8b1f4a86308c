// Simulates power cuts, in which a machine loses everything written but not yet synced. The data directory is on a separate
// ext4 in a file. The cut is FS_IOC_GOINGDOWN without a flush, which file system authors use for their own tests: from then
// on nothing reaches the file system, and its unsynced pages are lost. Then everything is killed, the file system is mounted
// again and replays its journal, and the service starts as after a real cut. Every email whose id a client received must
// exist. POWER_CUTS=3 by default; docs/reliability.md describes longer runs.
//
// A second test checks the cause, call by call: strace shows that PostgreSQL's fdatasync of the log has ended when an answer
// leaves. Both kinds of test must also detect a planted fault: commits that do not wait for the disk.

import assert from 'node:assert/strict'
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { SmtpClient } from '../faults/smtp.ts'
import { descendants, run, scratch, start, waitFor } from './fixture.ts'
import { type Account, type Posthorn, startPosthorn } from './posthorn.ts'
import { type Answered, readTrace, STRACE, unsynced } from './synced.ts'

const CUTS = Number(process.env['POWER_CUTS'] ?? 3)
const DISK_MB = 1_536
const CLIENTS = 6
const MESSAGES = 20
const SETTINGS = { POSTHORN_RATE_LIMITS: 'off', POSTHORN_LOG_LEVEL: 'error' }
const MAIL = { from: 'a@x.example', to: 'b@dest.example', subject: 's', text: 't'.repeat(2_000) }
const GOING_DOWN = `
import fcntl, os, struct, sys
FS_IOC_GOINGDOWN, NO_FLUSH = 0x8004587d, 2
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), FS_IOC_GOINGDOWN, struct.pack('I', NO_FLUSH))`

interface Disk extends AsyncDisposable {
  readonly folder: string
  mount(): Promise<void>
  unmount(): Promise<void>
  cut(): Promise<void>
}

async function disk(place: string): Promise<Disk> {
  const [image, folder] = [path.join(place, 'image'), path.join(place, 'disk')]
  await mkdir(folder)
  await writeFile(image, '')
  await truncate(image, DISK_MB * 1_048_576)
  await run('mkfs.ext4', ['-q', image])
  return {
    folder,
    mount: async () => void (await run('mount', ['-o', 'loop', image, folder])),
    unmount: async () => void (await run('umount', [folder])),
    cut: async () => void (await run('python3', ['-c', GOING_DOWN, folder])),
    [Symbol.asyncDispose]: async () => void (await run('umount', ['-l', folder]).catch(() => undefined)),
  }
}

/** @returns why file systems cannot be mounted here; null: they can */
async function notMountable(on: Disk): Promise<string | null> {
  try {
    await on.mount()
    await on.unmount()
    return null
  } catch (error) {
    return `no file systems can be mounted here: ${String(error)}`
  }
}

/** Sends by REST and submission until stopped. @returns the set of answered ids, which grows meanwhile */
function load(posthorn: Posthorn, key: string): { readonly ids: ReadonlySet<string>; stop(): Promise<void> } {
  const ids = new Set<string>()
  let stopped = false
  const place = `127.0.0.1:${posthorn.env['POSTHORN_SUBMISSION_TLS_PORT']}`
  const rest = async (): Promise<void> => {
    while (!stopped) {
      const sent = await posthorn.call(key, 'POST', '/api/v1/send', MAIL).catch(() => null)
      if (sent?.status === 202) ids.add(sent.body.data.email_id)
      else await delay(5)
    }
  }
  const submission = async (): Promise<void> => {
    const client = new SmtpClient(10_000)
    while (!stopped) {
      const sent = await client
        .send(place, { username: 'apikey', password: key }, MAIL.from, [MAIL.to], rfc822(MAIL.subject))
        .catch(() => null)
      const [id] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(sent?.said ?? '') ?? []
      if (sent?.code === 250 && id !== undefined) ids.add(id)
      else await delay(5)
    }
    client.close()
  }
  const working = Promise.all(Array.from({ length: CLIENTS }, (_, n) => (n % 3 === 0 ? submission() : rest())))
  return {
    ids,
    stop: async () => {
      stopped = true
      await working
    },
  }
}

const rfc822 = (subject: string): string =>
  `From: ${MAIL.from}\r\nTo: ${MAIL.to}\r\nSubject: ${subject}\r\n\r\n${MAIL.text}\r\n`

/** Makes commits not wait for the disk from now on. The service would refuse this setting at its start. */
async function makeForgetful(posthorn: Posthorn): Promise<void> {
  const client = new pg.Client({
    host: path.join(posthorn.env['POSTHORN_DATA_DIR'] ?? '', 'run'),
    user: 'posthorn',
    database: 'posthorn',
  })
  await client.connect()
  try {
    await client.query('alter system set synchronous_commit = off')
    await client.query('select pg_reload_conf()')
    await waitFor('it to forget', async () => {
      const { rows } = await client.query('show synchronous_commit')
      return rows[0].synchronous_commit === 'off'
    })
  } finally {
    await client.end()
  }
}

/** One life of the machine: start, load, power cut, kill. @returns the answered ids and the account */
async function life(
  on: Disk,
  round: number,
  before: Account | null,
  forgetful = false,
): Promise<{ readonly ids: ReadonlySet<string>; readonly account: Account }> {
  await on.mount()
  await using posthorn = await startPosthorn(on.folder, SETTINGS)
  const account = before ?? (await posthorn.account())
  if (forgetful) await makeForgetful(posthorn)
  const sending = load(posthorn, account.test_api_key)
  await waitFor('a load', async () => sending.ids.size > 50)
  // The rounds spread the cut over the second within which PostgreSQL and the kernel write by themselves.
  await delay((round * 137) % 1_000)
  const pids = await descendants(posthorn.running.child.pid ?? 0)
  await on.cut()
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  await sending.stop()
  await waitFor('an end of all', async () => on.unmount().then(() => true))
  return { ids: sending.ids, account }
}

/** @returns how many of the ids the restarted service does not know */
async function lostOf(on: Disk, { test_api_key: key }: Account, ids: ReadonlySet<string>): Promise<number> {
  await on.mount()
  // Removes the setting of `makeForgetful`.
  await writeFile(path.join(on.folder, 'data', 'postgres', 'postgresql.auto.conf'), '')
  let lost = 0
  {
    await using posthorn = await startPosthorn(on.folder, SETTINGS)
    for (const id of ids) {
      const { status } = await posthorn.call(key, 'GET', `/api/v1/emails/${id}`)
      if (status !== 200) lost++
    }
  }
  await waitFor('an end of all', async () => on.unmount().then(() => true))
  return lost
}

test(`${CUTS} power cuts under load lose no answered mail`, { timeout: CUTS * 60_000 }, async (t) => {
  await using place = await scratch('power-cut')
  await using on = await disk(place.path)
  const why = await notMountable(on)
  if (why !== null) return t.skip(why)
  let account: Account | null = null
  let [answered, lost] = [0, 0]
  for (let round = 0; round < CUTS; round++) {
    const one = await life(on, round, account)
    account = one.account
    answered += one.ids.size
    lost += await lostOf(on, account, one.ids)
  }
  t.diagnostic(`${lost} of ${answered} lost over ${CUTS} cuts`)
  assert.equal(lost, 0)
})

test('a cut is seen to lose mails when commits do not wait for the disk', { timeout: 120_000 }, async (t) => {
  await using place = await scratch('power-cut')
  await using on = await disk(place.path)
  const why = await notMountable(on)
  if (why !== null) return t.skip(why)
  let account: Account | null = null
  for (let round = 0; round < 5; round++) {
    const one = await life(on, round, account, true)
    account = one.account
    const lost = await lostOf(on, account, one.ids)
    t.diagnostic(`${lost} of ${one.ids.size} lost`)
    if (lost > 0) return
  }
  assert.fail('nothing was lost, so this could not have told')
})

/** Sends mails one by one, alternately by REST and submission, under strace. @returns markers of those answered too early */
async function watched(posthorn: Posthorn, key: string, folder: string, name: string): Promise<readonly string[]> {
  const file = path.join(folder, `${name}.strace`)
  const pids = await descendants(posthorn.running.child.pid ?? 0)
  const strace = start('strace', [...STRACE, '-o', file, ...pids.flatMap((pid) => ['-p', String(pid)])])
  const mails: Answered[] = []
  {
    await using _watching = strace
    await waitFor('strace', async () => strace.said().split('attached').length > pids.length)
    const [rest, tls] = [new URL(posthorn.url).port, posthorn.env['POSTHORN_SUBMISSION_TLS_PORT']].map(Number)
    const client = new SmtpClient(20_000)
    for (let n = 0; n < MESSAGES; n++) {
      const marker = `marked-${name}-${n}-end`
      if (n % 2 === 0) {
        const sent = await posthorn.call(key, 'POST', '/api/v1/send', { ...MAIL, subject: marker })
        assert.equal(sent.status, 202)
      } else {
        const login = { username: 'apikey', password: key }
        const sent = await client.send(`127.0.0.1:${tls}`, login, MAIL.from, [MAIL.to], rfc822(marker))
        assert.equal(sent.code, 250)
      }
      mails.push({ marker, port: (n % 2 === 0 ? rest : tls) ?? 0, at: Date.now() / 1_000 + 0.001 })
      await delay(50)
    }
    client.close()
  }
  return unsynced(readTrace(await readFile(file, 'latin1')), mails)
}

test('no answer leaves before the log is on disk', { timeout: 120_000 }, async () => {
  await using place = await scratch('synced')
  await using posthorn = await startPosthorn(place.path, SETTINGS)
  const { test_api_key: key } = await posthorn.account()
  assert.deepEqual(await watched(posthorn, key, place.path, 'durable'), [])
  await makeForgetful(posthorn)
  const early = await watched(posthorn, key, place.path, 'forgetful')
  assert.ok(early.length > MESSAGES / 2, `only ${early.length} answers were seen to leave early`)
})
