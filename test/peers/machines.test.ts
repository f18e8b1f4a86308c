// Three machines over a PostgreSQL with a synchronous standby, each in its own network namespace. Under load one machine is
// killed, another loses its route to the database for longer than its leases last and gets it back, and the primary is
// killed. Nothing is lost, nothing is repaired by hand, and within 30 s of the failover mail is accepted and delivered again.
//
// In CI the harness's own supervisor promotes the standby within seconds. With SUPERVISOR=patroni, Patroni and etcd do it
// (Debian's packages patroni, python3-etcd and etcd-server), the primary is also cut off, and each failed server is brought
// back: this adds a minute and a half per round (ROUNDS). Patroni needs at least 20 s to consider a primary gone.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { now, openLedger, readLedger } from '../faults/ledger.ts'
import { type Machine, startNetwork, startPair } from '../faults/machines.ts'
import { settle } from '../faults/part.ts'
import { startPatroni } from '../faults/patroni.ts'
import { startGround } from '../faults/world.ts'
import { descendants, scratch, waitFor } from './fixture.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'

const SEED = Number(process.env['SEED'] ?? Math.round(now()) % 1_000_000)
const ROUNDS = Number(process.env['ROUNDS'] ?? 1)
const PATRONI = process.env['SUPERVISOR'] === 'patroni'
const BACK_WITHIN_MS = 30_000
/** Longer than a lease of 30 s. */
const CUT_OFF_MS = 34_000
const LEASE_MS = 30_000
const ROLES = ['api,submission,tracking,worker', 'api,submission,delivery,worker', 'delivery,tracking,mx'] as const
const [HTTP, SUBMISSION] = ['8080', '2465']

test('nothing is lost when a machine dies, another is cut off, and the primary dies', {
  timeout: (5 + 5 * ROUNDS) * 60_000,
}, async (t) => {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await scratch('machines')).path
  const network = stack.use(await startNetwork())
  const servers = [await network.machine('p1', 21), await network.machine('p2', 22)] as const
  const patroni = PATRONI ? stack.use(await startPatroni(folder, servers, await network.machine('e', 23))) : null
  const pair = patroni ?? stack.use(await startPair(folder, ...servers))
  const nemesis = await openLedger(path.join(folder, 'nemesis.ledger'))
  stack.defer(() => nemesis.close())
  const ground = stack.use(await startGround(folder, SEED, { host: network.address, farm: network.farm }))
  const machines: Machine[] = []
  for (const n of ROLES.keys()) machines.push(await network.machine(`n${n}`, 31 + n))
  const urls = machines.slice(0, 2).map(({ address }) => `http://${address}:${HTTP}`)
  const startOn = (n: number): Promise<Posthorn> =>
    startPosthorn(
      path.join(folder, `machine${n}`),
      {
        ...ground.settings,
        DATABASE_URL: pair.url,
        POSTHORN_SECRET_KEY: 'one secret key that all machines of the test share',
        POSTHORN_PUBLIC_URL: urls[0] ?? '',
        POSTHORN_ROLES: ROLES[n] ?? '',
        POSTHORN_HTTP_PORT: HTTP,
        POSTHORN_SUBMISSION_TLS_PORT: SUBMISSION,
        POSTHORN_SUBMISSION_PORT: '2587',
        POSTHORN_MX_PORT: '2525',
      },
      machines[n],
    )
  const running: Posthorn[] = []
  stack.defer(async () => void (await Promise.all(running.map((one) => one[Symbol.asyncDispose]()))))
  for (const n of ROLES.keys()) running.push(await startOn(n))
  const customers = await ground.customers(running[0] as Posthorn)
  await ground.clients({
    urls,
    submissions: machines.slice(0, 2).map(({ address }) => `${address}:${SUBMISSION}`),
    customers,
    restSenders: 4,
    smtpSenders: 2,
    // About twenty mails a second. On a busy machine receivers answer late, so more mails are under way at a kill.
    pauseMs: 250,
    answerWithinMs: 5_000,
  })
  await waitFor('the first mail', async () => existsSync(ground.ledger('farm')))
  await ground.readers(urls[0] ?? '', 0.1)

  const machinesDie = async (): Promise<void> => {
    await nemesis.write({ k: 'kill', what: 'a machine', hard: true, deliveries: 1 })
    const killed = performance.now()
    for (const pid of await descendants(running[2]?.running.child.pid ?? 0)) process.kill(pid, 'SIGKILL')
    // On a busy machine noticeably after the `kill` line: mails answered in between were under way too.
    await nemesis.write({ k: 'struck', what: 'a machine' })
    running[2] = await startOn(2)
    await nemesis.write({ k: 'ready', what: 'a machine', ms: Math.round(performance.now() - killed) })

    // It still reaches receivers: its mails are not sent twice only because it stops by itself.
    await delay(1_000)
    await nemesis.write({ k: 'kill', what: 'cut off', hard: true, deliveries: 1, forMs: LEASE_MS })
    await machines[1]?.cutOff(pair.addresses)
    await delay(CUT_OFF_MS)
    await machines[1]?.joinAgain(pair.addresses)
    const joined = performance.now()
    await waitFor('the machine that was cut off', async () => (await fetch(`${urls[1]}/readyz`)).status === 200, 60_000)
    await nemesis.write({ k: 'ready', what: 'cut off', ms: Math.round(performance.now() - joined) })
  }

  const since = (actor: string, kind: string, when: number): number | undefined =>
    readLedger(ground.ledger(actor)).find((line) => line.k === kind && line.t > when)?.t
  const back: { readonly what: string; readonly accepted: number; readonly delivered: number }[] = []
  const primary = async (what: string, blow: () => Promise<void>): Promise<void> => {
    const died = now()
    await nemesis.write({ k: 'kill', what, hard: false, deliveries: 0 })
    await blow()
    const promoted = now()
    const accepted = await waitFor('mail to be taken', async () => since('generator', 'ok', promoted), 90_000)
    const delivered = await waitFor('mail to be delivered', async () => since('farm', 'dot', promoted), 90_000)
    await nemesis.write({ k: 'ready', what, ms: Math.round(accepted - died) })
    back.push({ what, accepted: Math.round(accepted - died), delivered: Math.round(delivered - died) })
    t.diagnostic(`${what}: another promoted after ${Math.round(promoted - died)} ms, ${JSON.stringify(back.at(-1))}`)
    await delay(2_000)
  }

  for (let round = 0; round < ROUNDS; round++) {
    await delay(2_000)
    await machinesDie()
    if (patroni === null) continue
    await primary('the primary is killed', patroni.killPrimary)
    await patroni.mend()
    await primary('the primary is cut off', patroni.unplugPrimary)
    await patroni.mend()
  }
  if (patroni === null) await primary('the primary is killed', pair.killPrimary)

  const verdict = await settle(ground, () => running[0] as Posthorn, customers)
  const { accepted: mails, lost, duplicates } = verdict.figures
  t.diagnostic(`seed ${SEED}: ${lost} of ${mails} lost, ${duplicates} twice`)
  assert.deepEqual(verdict.faults, [])
  for (const { what, accepted, delivered } of back)
    assert.ok(Math.max(accepted, delivered) < BACK_WITHIN_MS, `${what}: ${accepted}, ${delivered} ms`)
  assert.ok(mails > 100, 'the load was no load')
})
