// The module as one service that starts and stops: the gate, the readers of settings and quotas, SMTP log-ins, the set of
// suspended accounts, and the loop that keeps them fresh. Without the loop, caches still expire by age.

import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import { loop, type Service } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type AccountSettings, type SettingsReader, settingsReader } from './account-settings.ts'
import { authenticationFailures } from './authentication-failures.ts'
import { type Buckets, sharedBuckets, unlimitedBuckets } from './buckets.ts'
import { type ApiGate, apiGate } from './gate.ts'
import { keyLookup } from './key-lookup.ts'
import { lastUseLog } from './last-use.ts'
import { type Passwords, passwords } from './passwords.ts'
import type { Plans } from './plans.ts'
import { type Quotas, quotas } from './quota.ts'
import { SESSION_IDLE_MS, type Sessions, sessionsOf } from './sessions.ts'
import { authenticateSmtp, type SmtpLogin } from './smtp-credential.ts'
import { type SuspendedRow, selectSuspended } from './sql.ts'
import { dropBucketsBefore } from './sql-meter.ts'
import { forgetSessions } from './sql-users.ts'

export interface AccountsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly plans: Plans
  /** False: no rate limits (load tests). */
  readonly rateLimits: boolean
  /** Where the dashboard is reached. */
  readonly publicUrl: string
  readonly log: Logger
  readonly ids: Ids
}

export interface Accounts {
  readonly gate: ApiGate
  readonly quotas: Quotas
  readonly sessions: Sessions
  readonly passwords: Passwords
  readonly settingsReader: SettingsReader
  /** Token buckets that all processes share; always full while rate limits are off. */
  readonly buckets: Buckets
  /** From a cache at most 4 s old. @throws ApiError not_found */
  settings(accountId: string): Promise<AccountSettings>
  /** Clears this process's caches for the account; other processes are notified by the database. */
  forget(accountId: string): void
  /** Accounts that may not send, at most 5 s old while the service runs. Empty before it starts. */
  suspendedAccounts(): ReadonlySet<string>
  /** Accounts that an operator suspended, whether deleted since or not: their links lead nowhere. At most as old. */
  stoppedAccounts(): ReadonlySet<string>
  /** Rejects when the database does not answer. */
  authenticateSmtp(login: { username: string; password: string; ip: string }): Promise<SmtpLogin>
  readonly service: Service
}

/** Notified with an account's id when something changed that other processes must notice. */
export const CHANNEL = 'posthorn_accounts'

const TURN_MS = 2_000
const SWEEP_EVERY_MS = 3_600_000
const SESSIONS_AT_ONCE = 10_000
const BUCKET_KEPT_MS = 86_400_000

export function accountsRoom(options: AccountsOptions): Accounts {
  const { database, clock, secrets, plans, rateLimits, publicUrl, log, ids } = options
  const settings = settingsReader(database, clock, plans)
  const keys = keyLookup(database, clock)
  const uses = lastUseLog(database)
  const failed = authenticationFailures(clock)
  const failureCount = rateLimits ? failed : { count: () => null }
  const buckets = rateLimits ? sharedBuckets(database, clock) : unlimitedBuckets
  const passwordsOf = passwords(ids.bytes)
  const sessions = sessionsOf({ database, clock, ids, secrets, passwords: passwordsOf, publicUrl })
  const parts = { database, clock, secrets, plans, keys, settings, buckets, failures: failureCount, uses, sessions }
  let suspended: ReadonlySet<string> = new Set()
  let stopped: ReadonlySet<string> = new Set()
  const readSuspended = async (): Promise<void> => {
    const rows = await selectSuspended(database.system)
    const idsOf = (wanted: (row: SuspendedRow) => boolean): ReadonlySet<string> =>
      new Set(rows.filter(wanted).map(({ account_id: id }) => id))
    suspended = idsOf((row) => row.holds_mail)
    stopped = idsOf((row) => row.by_operator)
  }
  let sweptAtMs = clock.monotonicMs()

  const turn = async (): Promise<number> => {
    await readSuspended()
    await uses.flush()
    if (clock.monotonicMs() - sweptAtMs > SWEEP_EVERY_MS) {
      sweptAtMs = clock.monotonicMs()
      const idleSince = new Date(clock.now().getTime() - SESSION_IDLE_MS)
      await forgetSessions(database.system, { now: clock.now(), idleSince }, SESSIONS_AT_ONCE)
      await dropBucketsBefore(database.system, new Date(clock.now().getTime() - BUCKET_KEPT_MS))
    }
    return TURN_MS
  }
  const refresh = loop({
    name: 'accounts',
    turn,
    onError: (error) => log.warn({ err: error }, 'accounts could not be refreshed'),
    retryMs: TURN_MS,
  })
  const forget = (accountId: string | null): void => {
    settings.forget(accountId)
    keys.forget(accountId)
  }
  const accountChanged = (payload: string | null): void => {
    forget(payload)
    refresh.wake()
  }
  return {
    gate: apiGate(parts),
    buckets,
    sessions,
    passwords: passwordsOf,
    settingsReader: settings,
    quotas: quotas(settings, clock),
    settings: settings.get,
    forget,
    suspendedAccounts: () => suspended,
    stoppedAccounts: () => stopped,
    authenticateSmtp: (login) => authenticateSmtp(parts, login),
    service: {
      name: 'accounts',
      start: async () => {
        await database.listen(CHANNEL, accountChanged)
        await readSuspended()
        await refresh.start()
      },
      stop: async (deadline) => {
        await refresh.stop(deadline)
        await uses.flush().catch((error: unknown) => log.warn({ err: error }, 'last uses of keys were not written'))
      },
    },
  }
}
