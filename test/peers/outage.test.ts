// The database dies under load, and later freezes for six seconds. Until it is back, requests get 503 within 5 seconds: never
// a 2xx for a mail that is not stored, and never a hang. The process keeps running, and every accepted mail is delivered.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { descendants, run, scratch, waitFor } from './fixture.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'

const LOAD_MS = 16_000
const KILL_AT_MS = 2_000
const FREEZE_AT_MS = 5_000
const FROZEN_MS = 6_000
const ANSWER_WITHIN_MS = 5_000
const MAIL = { from: 'a@x.example', to: 'b@dest.example', subject: 's', text: 't' }

/** The postmaster and its children. */
async function postgresOf(posthorn: Posthorn): Promise<readonly number[]> {
  const pids = await descendants(posthorn.running.child.pid ?? 0)
  const rows = (await run('ps', ['-o', 'pid=,args=', '-p', pids.join(',')])).split('\n').map((row) => row.trim())
  const postmaster = Number(rows.find((row) => row.includes('postgres -D'))?.split(' ')[0])
  return descendants(postmaster)
}

test('a database that dies or freezes loses answers, never mails', { timeout: 90_000 }, async (t) => {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await scratch('outage')).path
  const posthorn = stack.use(await startPosthorn(folder, { POSTHORN_RATE_LIMITS: 'off', POSTHORN_LOG_LEVEL: 'error' }))
  const { test_api_key: key } = await posthorn.account()
  const began = performance.now()
  const counts = new Map<number, number>()
  let slowestMs = 0
  const client = async (): Promise<void> => {
    while (performance.now() - began < LOAD_MS) {
      const asked = performance.now()
      const { status } = await posthorn.call(key, 'POST', '/api/v1/send', MAIL)
      slowestMs = Math.max(slowestMs, performance.now() - asked)
      counts.set(status, (counts.get(status) ?? 0) + 1)
      await delay(20)
    }
  }
  const nemesis = async (): Promise<void> => {
    await delay(KILL_AT_MS)
    const [postmaster = 0] = await postgresOf(posthorn)
    process.kill(postmaster, 'SIGKILL')
    await delay(FREEZE_AT_MS - KILL_AT_MS)
    const frozen = await postgresOf(posthorn)
    for (const pid of frozen) process.kill(pid, 'SIGSTOP')
    await delay(FROZEN_MS)
    for (const pid of frozen) process.kill(pid, 'SIGCONT')
  }
  await Promise.all([nemesis(), ...Array.from({ length: 8 }, client)])
  const accepted = counts.get(202) ?? 0
  t.diagnostic(`${accepted} accepted, ${counts.get(503) ?? 0} answered 503, slowest ${Math.round(slowestMs)} ms`)
  assert.deepEqual(
    [...counts.keys()].filter((status) => status !== 202 && status !== 503),
    [],
  )
  assert.ok(accepted > 100 && (counts.get(503) ?? 0) > 0)
  assert.ok(slowestMs < ANSWER_WITHIN_MS)
  assert.equal(posthorn.running.child.exitCode, null)
  const delivered = await waitFor('every mail', async () => {
    const waiting = await posthorn.call(key, 'GET', '/api/v1/emails?status=queued,deferred')
    if (waiting.body.pagination?.total !== 0) return null
    return (await posthorn.call(key, 'GET', '/api/v1/emails?status=delivered')).body.pagination.total as number
  })
  // A commit may have succeeded although its answer was lost: more may be delivered than accepted, never fewer.
  assert.ok(delivered >= accepted)
})
