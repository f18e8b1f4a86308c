// The whole service, PostgreSQL included, in a gigabyte (CAP_MB): a control group whose limit the kernel enforces by killing.
// Fifty clients at a time send 25 MB each: an attachment by REST or submission, or 8-bit HTML by submission. Nothing is killed: mails that do not fit wait or are
// refused with an answer that says so. Afterwards new mail is accepted, and all accepted mail has arrived.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { AROUND, logIn, postLarge, sendLarge } from '../world/large.ts'
import { scratch, waitFor } from './fixture.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'

const MB = 1_048_576
const CAP_MB = Number(process.env['CAP_MB'] ?? 1_024)
const CLIENTS = 50
const LOAD_MS = Number(process.env['LOAD_SECONDS'] ?? 15) * 1_000
const SETTINGS = { POSTHORN_RATE_LIMITS: 'off', POSTHORN_LOG_LEVEL: 'error' }
const SMALL = { from: 'a@shop.example', to: 'b@example.net', subject: 's', text: 't' }

interface Group {
  /** Processes started while `work` runs stay in the group. */
  within<T>(work: () => Promise<T>): Promise<T>
  killed(): Promise<number>
  mostMb(): Promise<number>
  remove(): Promise<void>
}

/** @returns null when memory control groups cannot be created here */
async function memoryGroup(capMb: number): Promise<Group | null> {
  const old = '/sys/fs/cgroup/memory'
  const isOld = existsSync(path.join(old, 'memory.limit_in_bytes'))
  const base = isOld ? old : '/sys/fs/cgroup'
  const [limit, most, events] = isOld
    ? ['memory.limit_in_bytes', 'memory.max_usage_in_bytes', 'memory.oom_control']
    : ['memory.max', 'memory.peak', 'memory.events']
  const own = /^(?:\d+:memory|0:):(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1] ?? '/'
  const folder = path.join(base, `posthorn-${process.pid}`)
  const file = (name: string): string => path.join(folder, name)
  try {
    await mkdir(folder)
    await writeFile(file(limit), String(capMb * MB))
  } catch {
    return null
  }
  return {
    within: async (work) => {
      await writeFile(file('cgroup.procs'), String(process.pid))
      try {
        return await work()
      } finally {
        await writeFile(path.join(base, own, 'cgroup.procs'), String(process.pid))
      }
    },
    killed: async () => Number(/^oom_kill (\d+)/m.exec(await readFile(file(events), 'utf8'))?.[1]),
    mostMb: async () => Math.round(Number(await readFile(file(most), 'utf8')) / MB),
    remove: async () => void (await waitFor('an empty group', () => rmdir(folder).then(() => true))),
  }
}

/** Sends until LOAD_MS is over. Counts answers by protocol and code; 0: the connection ended without one. */
async function client(n: number, posthorn: Posthorn, key: string, count: (what: string) => void): Promise<void> {
  const port = Number(posthorn.env['POSTHORN_SUBMISSION_TLS_PORT'])
  const end = performance.now() + LOAD_MS
  while (performance.now() < end) {
    if (n % 2 === 0) {
      count(`rest ${await postLarge(posthorn.url, key, 24 * MB, AROUND).catch(() => 0)}`)
      continue
    }
    const answer = await logIn(port, key).then(
      async (session) => {
        const said = await sendLarge(session, 25 * MB - 4_096, true, n % 4 === 1 ? 'text' : 'attachment')
        session.close()
        return said
      },
      (error: Error) => error.message,
    )
    count(`smtp ${Number.parseInt(answer, 10) || 0}`)
  }
}

test(`${CLIENTS} clients with 25 MB each do not kill a service of ${CAP_MB} MB`, {
  timeout: LOAD_MS + 240_000,
}, async (t) => {
  await using stack = new AsyncDisposableStack()
  const group = await memoryGroup(CAP_MB)
  if (group === null) return t.skip('no control groups of memory can be made here')
  stack.defer(group.remove)
  const folder = stack.use(await scratch('memory-cap')).path
  const posthorn = stack.use(await group.within(() => startPosthorn(folder, SETTINGS)))
  const { test_api_key: key } = await posthorn.account()
  const answers = new Map<string, number>()
  const count = (what: string): void => void answers.set(what, (answers.get(what) ?? 0) + 1)
  await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n, posthorn, key, count)))
  t.diagnostic(`${JSON.stringify(Object.fromEntries(answers))}, at most ${await group.mostMb()} MB`)
  assert.equal(await group.killed(), 0)
  assert.equal(posthorn.running.child.exitCode, null)
  const allowed = /^rest (202|429|503)$|^smtp (250|421|451|452)$/
  assert.deepEqual(
    [...answers.keys()].filter((what) => !allowed.test(what)),
    [],
  )
  assert.equal((await posthorn.call(key, 'POST', '/api/v1/send', SMALL)).status, 202)
  await waitFor(
    'a large mail that is taken',
    async () => (await postLarge(posthorn.url, key, 24 * MB, AROUND)) === 202,
    60_000,
  )
  const total = async (query: string): Promise<number> =>
    (await posthorn.call(key, 'GET', `/api/v1/emails?limit=1${query}`)).body.pagination.total
  await waitFor('every mail', async () => (await total('&status=queued,deferred')) === 0, 120_000)
  const accepted = (answers.get('rest 202') ?? 0) + (answers.get('smtp 250') ?? 0)
  t.diagnostic(`${await total('&status=delivered')} delivered of ${accepted} accepted`)
  assert.ok(accepted > 0)
  assert.equal(await total('&status=delivered'), await total(''))
  assert.ok((await total('')) >= accepted + 2)
  assert.equal(await group.killed(), 0)
})
