import os from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import { loop, type Service } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import type { RenewedSecrets } from '../../platform/secrets/keys.ts'
import { SECRETS_CHANNEL } from '../../platform/secrets/sql-secrets.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { differingSettings } from './agreement.ts'
import { beat, forgetMachines, stopMachine } from './sql.ts'

export interface MachinesOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly roles: readonly string[]
  readonly version: string
  /** Those that must be the same in all processes, by name, as far as this one uses them. */
  readonly settings: Readonly<Record<string, string>>
  readonly secrets: Pick<Secrets, 'newest' | 'present'>
  /** Called at each beat, and when the secrets have changed. */
  readonly renewSecrets: () => Promise<RenewedSecrets>
}

const BEAT_EVERY_MS = 10_000
const FORGOTTEN_AFTER_SECONDS = 86_400
const NS_PER_MS = 1e6

/**
 * Maintains this process's row, keeps its secrets up to date, and reports settings in which the processes differ. Start rejects
 * when the secret was changed during the start. The process writes its row before it looks at the secret, so either it sees the
 * change or the one making the change sees it.
 */
export function machineService(options: MachinesOptions): Service {
  const { database, clock, ids, log, roles, version, settings, secrets } = options
  const id = ids.next()
  const delays = monitorEventLoopDelay({ resolution: 20 })
  const started_at = clock.now()
  const host = os.hostname()
  let reported = ''
  const compareSettings = async (): Promise<void> => {
    const own = (await differingSettings(database.system)).filter(({ setting }) => setting in settings)
    const differences = own.map(({ setting, value, processes }) => `${setting}: ${value} (${processes.join(', ')})`)
    const isNew = differences.join() !== reported
    reported = differences.join()
    if (isNew && differences.length > 0)
      log.warn({ differences }, 'settings that must be the same in all processes differ')
  }
  const beatOnce = async (): Promise<number> => {
    const loop_delay_ms = Math.round(Math.max(0, delays.percentile(99) / NS_PER_MS))
    delays.reset()
    const { rss: memory_bytes } = process.memoryUsage()
    const { isCurrent, begun } = await options.renewSecrets()
    if (!isCurrent && begun) log.error({}, "the instance's secret was changed: restart this process with the new one")
    const held = { secret_held: secrets.newest(), secret_used: secrets.present() }
    const running = { id, host, pid: process.pid, roles, version, started_at, loop_delay_ms, memory_bytes, settings }
    await beat(database.system, { ...running, ...held })
    await compareSettings()
    await forgetMachines(database.system, FORGOTTEN_AFTER_SECONDS)
    return BEAT_EVERY_MS
  }
  const beating = loop({
    name: 'machine',
    turn: beatOnce,
    onError: (err) => log.debug({ err }, 'this process could not say that it runs'),
    retryMs: BEAT_EVERY_MS,
  })
  return {
    name: 'machine',
    start: async () => {
      delays.enable()
      await database.listen(SECRETS_CHANNEL, () => beating.wake())
      await beatOnce()
      const { isCurrent } = await options.renewSecrets()
      if (!isCurrent) throw new Error("the instance's secret was changed meanwhile: start with the new one")
      await beating.start()
    },
    stop: async (deadline) => {
      delays.disable()
      await beating.stop(deadline)
      await stopMachine(database.system, id).catch(() => undefined)
    },
  }
}
