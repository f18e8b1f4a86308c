// One part of a run: starts a world and a scene, causes a number of faults under load, waits until all is quiet, and runs the
// checker over the ledgers.

import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '../peers/fixture.ts'
import type { Posthorn } from '../peers/posthorn.ts'
import { chanceOf } from './chance.ts'
import { check, type Verdict } from './checker.ts'
import type { Customer } from './generator.ts'
import { readLedgers } from './joined.ts'
import { openLedger } from './ledger.ts'
import { type SceneName, startScene } from './nemesis.ts'
import { survey, unfinished } from './survey.ts'
import { type Ground, startGround } from './world.ts'

export interface PartOptions {
  /** For its ledgers and everything else; must be accessible to every user, including PostgreSQL's. */
  readonly folder: string
  readonly seed: number
  readonly scene: SceneName
  readonly kills: number
  /** Stops and starts gracefully instead of killing: then no mail may come twice. */
  readonly graceful?: boolean
  readonly restSenders?: number
  readonly smtpSenders?: number
  readonly pauseMs?: number
  /** Share of mails that the receiver defers once; their second attempt is six minutes later. */
  readonly later?: number
}

const BETWEEN_MS = [150, 1_300] as const
const QUIET_WITHIN_MS = 150_000
const LATER_WITHIN_MS = 600_000

export async function runPart(options: PartOptions): Promise<Verdict> {
  const { folder, seed, scene: name, kills, graceful = false, later = 0 } = options
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  await using stack = new AsyncDisposableStack()
  const chance = chanceOf(seed)
  const ledger = await openLedger(path.join(folder, 'nemesis.ledger'))
  stack.defer(() => ledger.close())
  const ground = stack.use(await startGround(folder, seed))
  const scene = stack.use(await startScene(name, { folder, settings: ground.settings, chance, ledger }))
  const customers = await ground.customers(scene.api())
  await ground.clients({
    urls: scene.urls,
    submissions: scene.submissions,
    customers,
    restSenders: options.restSenders ?? 12,
    smtpSenders: options.smtpSenders ?? 4,
    pauseMs: options.pauseMs ?? 20,
    later,
  })
  await waitFor('the first mail', async () => existsSync(ground.ledger('farm')))
  await ground.readers(scene.urls[0] ?? '', 0.1)
  for (let kill = 0; kill < kills; kill++) {
    await delay(chance.whole(...BETWEEN_MS))
    await (graceful ? scene.restart() : scene.strike())
  }
  return await settle(ground, scene.api, customers, later > 0 ? LATER_WITHIN_MS : QUIET_WITHIN_MS)
}

/** Ends the clients, waits until all is quiet and runs the checker. */
export async function settle(
  ground: Ground,
  api: () => Posthorn,
  customers: readonly Customer[],
  limitMs = QUIET_WITHIN_MS,
): Promise<Verdict> {
  await ground.endClients()
  await waitFor('an end of every mail', async () => (await unfinished(api(), customers)) === 0, limitMs)
  await ground.endReaders()
  // Webhooks that a dead process had leased are retried after a minute.
  for (const end = performance.now() + QUIET_WITHIN_MS; ; await delay(2_000)) {
    await survey(api(), customers, ground.ledger('survey'))
    const verdict = check(readLedgers(ground.folder))
    if (verdict.faults.length === 0 || performance.now() > end) return verdict
  }
}
