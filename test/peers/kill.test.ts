// kill -9 of everything, PostgreSQL included, again and again under load. What was answered 202 reaches the receiver;
// nothing else does; a second copy only of what was under way at a kill; and nobody lifts a hand in between.
//
// KILLS=30 by default. The ledgers are the test's own: ids in subjects, written down when the 202 came.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startReceiver } from '../receiver.ts'
import { type Bind, startBind, txt } from './bind.ts'
import { descendants, freePort, scratch, waitFor } from './ground.ts'
import { type Account, type Posthorn, startPosthorn } from './posthorn.ts'

const KILLS = Number(process.env['KILLS'] ?? 30)
const SENDERS = 16
const DOMAIN = 'kill.test'
const RECOVER_MS = 30_000
/** The design's bound: at most so many answered copies of a process are unrecorded at any time. */
const UNRECORDED = 64

const stack = new AsyncDisposableStack()
after(() => stack.disposeAsync())

test(`${KILLS} times kill -9 of everything under load lose nothing`, { timeout: 15 * 60_000 }, async (t) => {
  const folder = stack.use(await scratch('kill')).path
  const receiver = stack.use(await startReceiver({}))
  const bind = stack.use(await startBind(folder, { [DOMAIN]: [], 'posthorn.test': ['mail A 127.0.0.1'] }))
  const settings = {
    POSTHORN_HTTP_PORT: String(await freePort()),
    POSTHORN_DELIVERY: `relay:127.0.0.1:${receiver.port}`,
    POSTHORN_RELAY_TLS: 'off',
    POSTHORN_DNS_SERVERS: bind.server,
    POSTHORN_HOSTNAME: 'mail.posthorn.test',
    POSTHORN_RATE_LIMITS: 'off',
    POSTHORN_LOG_LEVEL: 'error',
  }
  let posthorn = await startPosthorn(folder, settings)
  const account = await posthorn.account('Kill')
  await verify(posthorn, account, bind)

  const accepted = new Set<string>()
  const asked = new Set<string>()
  let running = true
  const senders = Array.from({ length: SENDERS }, async (_, sender) => {
    for (let n = 0; running; n++) {
      const id = `mail-${sender}-${n}`
      asked.add(id)
      if (
        await sendUntilAnswered(
          () => posthorn,
          account,
          id,
          () => running,
        )
      )
        accepted.add(id)
    }
  })
  let slowest = 0
  for (let kill = 0; kill < KILLS; kill++) {
    await delay(200 + Math.random() * 1_300)
    const pids = await descendants(posthorn.running.child.pid ?? 0)
    for (const pid of pids) tryKill(pid)
    const began = performance.now()
    posthorn = await startPosthorn(folder, settings)
    slowest = Math.max(slowest, performance.now() - began)
  }
  running = false
  await Promise.all(senders)
  stack.use(posthorn)

  const idOf = (data: Buffer): string => /^Subject: (mail-\d+-\d+)\r$/m.exec(data.toString('latin1'))?.[1] ?? '?'
  await waitFor(
    'every accepted mail',
    async () => {
      const there = new Set(receiver.messages.map(({ data }) => idOf(data)))
      return [...accepted].every((id) => there.has(id))
    },
    120_000,
  )
  const copies = new Map<string, number>()
  for (const { data } of receiver.messages) copies.set(idOf(data), (copies.get(idOf(data)) ?? 0) + 1)
  const phantoms = [...copies.keys()].filter((id) => !asked.has(id))
  const duplicates = [...copies.values()].reduce((sum, count) => sum + count - 1, 0)
  t.diagnostic(
    `${accepted.size} accepted, 0 lost, ${duplicates} duplicates over ${KILLS} kills, slowest start ${Math.round(slowest)} ms`,
  )
  assert.deepEqual(phantoms, [])
  assert.ok(accepted.size > KILLS, 'the load was no load')
  assert.ok(duplicates <= KILLS * UNRECORDED, `${duplicates} duplicates`)
})

async function verify(posthorn: Posthorn, { api_key: key }: Account, bind: Bind): Promise<void> {
  const made = await posthorn.call(key, 'POST', '/api/v1/customer/domains', { domain: DOMAIN })
  const { id } = made.body.data
  const { body } = await posthorn.call(key, 'GET', `/api/v1/customer/domains/${id}/dns`)
  await bind.publish(
    DOMAIN,
    body.dns_records.map(({ host, value }: { host: string; value: string }) => txt(host, value)),
  )
  await waitFor(
    'verification',
    async () => (await posthorn.call(key, 'POST', `/api/v1/customer/domains/${id}/verify`)).body.verified,
  )
}

/** Asks under one key until there is an answer, as a client that cares does. @returns whether it was accepted */
async function sendUntilAnswered(
  current: () => Posthorn,
  { api_key: key }: Account,
  id: string,
  wanted: () => boolean,
): Promise<boolean> {
  const mail = { from: `a@${DOMAIN}`, to: 'b@dest.test', subject: id, text: 'x'.repeat(2_000) }
  const giveUpAt = performance.now() + RECOVER_MS * 2
  while (performance.now() < giveUpAt) {
    const reply = await current()
      .call(key, 'POST', '/api/v1/send', mail, { 'idempotency-key': id })
      .catch(() => null)
    if (reply?.status === 202) return true
    assert.ok(reply === null || reply.status === 503 || reply.status === 409, JSON.stringify(reply?.body))
    if (!wanted() && reply === null) return false
    await delay(50)
  }
  throw new Error('no answer for a minute')
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself a moment ago.
  }
}
