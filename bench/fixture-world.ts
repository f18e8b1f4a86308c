// The service in this process, over its own PostgreSQL that writes to the disk as in production.

import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../src/platform/clock.ts'
import { createLogger } from '../src/platform/log.ts'
import { attachOrStart } from '../src/platform/postgres.ts'
import { startWorld, type World } from '../test/world/world.ts'

export interface DurableWorld extends AsyncDisposable {
  readonly world: World
  /** The folder of the server, to measure its CPU time. */
  readonly postgresFolder: string
}

export async function durableWorld(settings: Readonly<Record<string, string>> = {}): Promise<DurableWorld> {
  const stack = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-bench-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const server = await attachOrStart({ dataDir: folder, log: createLogger('warn'), clock: systemClock() })
  stack.defer(() => server.close())
  process.env['TEST_DATABASE_URL'] = server.url()
  const world = stack.use(await startWorld({ settings: { POSTHORN_RATE_LIMITS: 'off', ...settings } }))
  const owned = stack.move()
  return { world, postgresFolder: folder, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
