import type { Database, Db } from '../../platform/db.ts'
import { loop, type Service } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import { deleteHostnames, HOSTNAMES_CHANNEL, listHostnames, useHostname } from './sql.ts'

export interface HostnamesOptions {
  readonly database: Database
  readonly log: Logger
  /** The POSTHORN_HOSTNAME of this process. */
  readonly hostname: string
}

/** The host names under which the installation sends mail and is reported to. */
export interface Hostnames {
  /**
   * Whether one of the installation's processes has had this POSTHORN_HOSTNAME within the last year, in any case of letters. A
   * process that starts with a new name is known to all before it sends mail.
   */
  isOurs(host: string): boolean
  readonly service: Service
}

const LOOK_EVERY_MS = 3_600_000
const RETRY_MS = 10_000
const FORGOTTEN_AFTER_MS = 365 * 86_400_000

export function hostnamesOf({ database, log, hostname }: HostnamesOptions): Hostnames {
  const own = hostname.toLowerCase()
  let known: ReadonlySet<string> = new Set([own])
  const look = async (): Promise<number> => {
    await useHostname(database.system, own)
    known = new Set([own, ...(await listHostnames(database.system))])
    return LOOK_EVERY_MS
  }
  const looking = loop({
    name: 'hostnames',
    turn: look,
    onError: (err) => log.warn({ err }, 'the host names of the other processes could not be read'),
    retryMs: RETRY_MS,
  })
  return {
    isOurs: (host) => known.has(host.toLowerCase()),
    service: {
      name: 'hostnames',
      start: async () => {
        await database.listen(HOSTNAMES_CHANNEL, () => looking.wake())
        await look()
        await looking.start()
      },
      stop: (deadline) => looking.stop(deadline),
    },
  }
}

/** Deletes the host names that no process has had for a year. @param now the time to delete by @returns how many */
export function forgetHostnames(db: Db, now: Date): Promise<number> {
  return deleteHostnames(db, new Date(now.getTime() - FORGOTTEN_AFTER_MS))
}
