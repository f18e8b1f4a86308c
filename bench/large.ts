// Large submissions: the memory that ten concurrent messages of 25 MB take, and what a refused one of 100 MB leaves behind.
//
//   npm run bench -- large [--messages 10] [--slow 0]
//
// Posthorn runs with its own store and the roles api and submission; a test key, implicit TLS. Memory is sampled every 20 ms:
// the resident set of the Node process, and the proportional set sizes of all processes together (PostgreSQL included). A
// message of 100 MB is sent once with its size declared (refused at MAIL), once without, and once as a REST body; then ten large
// ones at once, by SMTP and by REST. With `--slow` it has all roles and delivers to a receiver that answers each message after
// that many ms; memory is sampled until all are delivered, and how long that takes is told.

import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { descendants, scratch, waitFor } from '../test/peers/fixture.ts'
import { startPosthorn } from '../test/peers/posthorn.ts'
import { AROUND, logIn, postLarge, sendLarge } from '../test/world/large.ts'
import { startReceiver } from '../test/world/receiver.ts'
import { commandLine } from './fixture-options.ts'

const { messages: MESSAGES, slow: SLOW_MS } = commandLine({ messages: 10, slow: 0 })
const MB = 1_048_576

interface Memory {
  readonly nodeMb: number
  readonly allMb: number
}

function memoryOf(pids: readonly number[]): Memory {
  let node = 0
  let all = 0
  for (const pid of pids) {
    const rollup = (() => {
      try {
        return readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      } catch {
        return '' // it has ended
      }
    })()
    const kb = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0)
    node = Math.max(node, kb('Rss'))
    all += kb('Pss')
  }
  return { nodeMb: Math.round(node / 1_024), allMb: Math.round(all / 1_024) }
}

/** Runs `work` and returns the peak memory during it. */
async function peak(root: number, work: () => Promise<void>): Promise<Memory> {
  let nodeMb = 0
  let allMb = 0
  const done = new AbortController()
  const watching = (async () => {
    while (!done.signal.aborted) {
      const now = memoryOf(await descendants(root))
      nodeMb = Math.max(nodeMb, now.nodeMb)
      allMb = Math.max(allMb, now.allMb)
      await delay(20)
    }
  })()
  await work()
  done.abort()
  await watching
  return { nodeMb, allMb }
}

await using folder = await scratch('bench-large')
await using receiver =
  SLOW_MS === 0 ? null : await startReceiver({ keep: false, dot: { afterMs: SLOW_MS, reply: '250 2.0.0 taken' } })
await using posthorn = await startPosthorn(folder.path, {
  POSTHORN_RATE_LIMITS: 'off',
  ...(receiver === null
    ? { POSTHORN_ROLES: 'api,submission' }
    : { POSTHORN_DELIVERY: `relay:127.0.0.1:${receiver.port}`, POSTHORN_RELAY_TLS: 'off' }),
})
const account = await posthorn.account()
const key = receiver === null ? account.test_api_key : account.api_key
if (receiver !== null) {
  const made = await posthorn.call(key, 'POST', '/api/v1/customer/domains', { domain: 'shop.example' })
  await posthorn.cli('domain', 'set-status', made.body.data.id, 'verified')
}
/** @returns how long it took, where there is a receiver */
const delivered = async (count: number): Promise<string> => {
  if (receiver === null) return ''
  const began = performance.now()
  await waitFor('the deliveries', async () => receiver.messageCount >= count, 300_000)
  return `, delivered in ${((performance.now() - began) / 1_000).toFixed(0)} s`
}
const port = Number(posthorn.env['POSTHORN_SUBMISSION_TLS_PORT'])
const root = posthorn.running.child.pid ?? 0
const idle = memoryOf(await descendants(root))
const figures: object[] = [{ what: 'idle', ...idle, answer: '' }]
const measure = async (what: string, work: () => Promise<string | number>): Promise<void> => {
  const before = memoryOf(await descendants(root))
  let answer: string | number = ''
  const most = await peak(root, async () => {
    answer = await work()
  })
  figures.push({ what, ...most, grownMb: most.nodeMb - before.nodeMb, answer: String(answer).slice(0, 50) })
}
const refused = await logIn(port, key)
await measure('100 MB by SMTP, size declared', () => sendLarge(refused, 100 * MB, true))
await measure('100 MB by SMTP, not declared', () => sendLarge(refused, 100 * MB, false))
await measure('100 MB by REST', () => postLarge(posthorn.url, key, 100 * MB))
const sessions = await Promise.all(Array.from({ length: MESSAGES }, () => logIn(port, key)))
await measure(`${MESSAGES} x 25 MB by SMTP at once`, async () => {
  const replies = await Promise.all(sessions.map((session) => sendLarge(session, 25 * MB - 4_096, true)))
  return `${replies.filter((reply) => reply.startsWith('250')).length} accepted${await delivered(MESSAGES)}`
})
await measure(`${MESSAGES} x 24 MB by REST at once`, async () => {
  const calls = Array.from({ length: MESSAGES }, () => postLarge(posthorn.url, key, 24 * MB, AROUND))
  const accepted = (await Promise.all(calls)).filter((status) => status === 202).length
  return `${accepted} accepted${await delivered(2 * MESSAGES)}`
})
console.table(figures)
console.log(JSON.stringify(figures))
for (const session of [refused, ...sessions]) session.close()
