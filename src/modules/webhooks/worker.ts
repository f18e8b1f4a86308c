// Delivering what waits. A claim puts a delivery off to the end of its lease and marks it with the claim's own id; a worker
// that dies over it delays it by LEASE_MS, and it is told again. What is in this process is bounded by the shares; the rest
// stays in the table, and a claim looks at each endpoint once, however much it has waiting.

import type { Clock } from '../../platform/clock.ts'
import type { Connector } from '../../platform/connect.ts'
import type { Database } from '../../platform/db.ts'
import { groupCommit } from '../../platform/group-commit.ts'
import type { Ids } from '../../platform/ids.ts'
import { type Loop, loop } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { eventsByReference, factsOf, wireEvent } from '../events/index.ts'
import { type AttemptResult, attempt } from './attempt.ts'
import { openSecret } from './endpoints.ts'
import { type Ended, type RecordOptions, recordEnded } from './record.ts'
import { type Candidate, MAX_UNDER_WAY, share } from './share.ts'
import * as sql from './sql.ts'

const LEASE_MS = 60_000
const POLL_MS = 250
const MAX_RECORDED_TOGETHER = 200

export interface WorkerOptions extends RecordOptions {
  readonly ids: Ids
  readonly secrets: Secrets
  readonly connector: Connector
  readonly log: Logger
}

interface Claimed {
  readonly id: string
  readonly account_id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly event_at: Date
  readonly attempt: number
  readonly leads: boolean
  readonly url: string
  readonly secret: Buffer
  readonly is_active: boolean
}

interface Running {
  readonly webhookId: string
  readonly accountId: string
  readonly failing: boolean
}

const NOT_KEPT: AttemptResult = {
  success: false,
  gone: false,
  retryAfter: null,
  facts: { http_status: null, duration_ms: 0, response_body: null, error: 'the event is no longer kept' },
}

export function webhookWorker(options: WorkerOptions): Loop {
  const { database, clock, log } = options
  const running = new Map<string, Running>()
  const settled = new Set<Promise<void>>()
  const results = groupCommit<Ended, null>({
    write: async (ended) => {
      await recordEnded(options, ended)
      return ended.map(() => null)
    },
    sizeOf: () => 1,
    maxItems: MAX_RECORDED_TOGETHER,
    maxBytes: MAX_RECORDED_TOGETHER,
    concurrency: 1,
    maxWaitingBytes: MAX_UNDER_WAY * 2,
    full: () => new Error('too many results wait to be written'),
  })

  const deliver = async (claimed: Claimed, lease: string, payload: object | null): Promise<void> => {
    const { id, webhook_id: webhookId, event_id: eventId, url, leads: leading } = claimed
    try {
      const secret = openSecret(options.secrets, webhookId, claimed.secret)
      const result = payload === null ? NOT_KEPT : await attempt(options, { url, secret, eventId, payload, webhookId })
      const ended = { id, lease, webhookId, eventId, leading, attempt: claimed.attempt, result }
      await results.add({ ...ended, wasSent: payload !== null })
      log.debug({ webhook_id: webhookId, event_id: eventId, status: result.facts.http_status }, 'webhook attempted')
    } catch (err) {
      log.warn({ err, webhook_id: webhookId, event_id: eventId }, 'a webhook attempt will be made again')
    } finally {
      running.delete(id)
      worker.wake()
    }
  }

  const turn = async (): Promise<number> => {
    if (running.size >= MAX_UNDER_WAY) return POLL_MS
    const slots = share(await candidatesOf(database, clock), underWayOf([...running.values()]))
    if (slots.size === 0) return POLL_MS
    const lease = options.ids.next()
    const now = clock.now()
    const until = new Date(now.getTime() + LEASE_MS)
    const claimed = await database.system.query<Claimed>(sql.claim, [
      [...slots.keys()],
      [...slots.values()],
      now,
      lease,
      until,
    ])
    const live = claimed.filter((one) => one.is_active)
    const dead = [...new Set(claimed.filter((one) => !one.is_active).map((one) => one.webhook_id))]
    if (dead.length > 0) await database.system.execute(sql.purge, [dead])
    const payloads = await payloadsOf(database, live)
    for (const one of live) {
      running.set(one.id, { webhookId: one.webhook_id, accountId: one.account_id, failing: one.attempt > 0 })
      const delivery = deliver(one, lease, payloads.get(one.event_id) ?? null)
      settled.add(delivery)
      void delivery.finally(() => settled.delete(delivery))
    }
    return claimed.length > 0 ? 0 : POLL_MS
  }

  const worker = loop({
    name: 'webhooks',
    turn,
    onError: (err) => log.warn({ err }, 'webhooks will be tried again'),
  })
  return {
    ...worker,
    stop: async (deadline) => {
      await worker.stop(deadline)
      const late = new Promise<void>((resolve) => {
        deadline.addEventListener('abort', () => resolve(), { once: true })
      })
      await Promise.race([Promise.allSettled(settled), late])
    },
  }
}

async function candidatesOf(database: Database, clock: Clock): Promise<readonly Candidate[]> {
  const rows = await database.system.query<{
    readonly webhook_id: string
    readonly account_id: string
    readonly consecutive_failures: number
  }>(sql.waiting, [clock.now()])
  return rows.map((row) => ({
    webhookId: row.webhook_id,
    accountId: row.account_id,
    failing: row.consecutive_failures > 0,
  }))
}

function underWayOf(running: readonly Running[]) {
  const endpoints = Map.groupBy(running, ({ webhookId }) => webhookId)
  const accounts = Map.groupBy(running, ({ accountId }) => accountId)
  const levels = (own: readonly Running[]) => ({
    all: own.length,
    failing: own.filter(({ failing }) => failing).length,
  })
  return {
    endpoint: (webhookId: string) => endpoints.get(webhookId)?.length ?? 0,
    account: (accountId: string) => levels(accounts.get(accountId) ?? []),
    process: levels(running),
  }
}

/** The bodies by event, as the log and the mail's first event tell it. */
async function payloadsOf(database: Database, claimed: readonly Claimed[]): Promise<ReadonlyMap<string, object>> {
  const events = await eventsByReference(
    database.system,
    claimed.map((one) => ({ accountId: one.account_id, at: one.event_at, eventId: one.event_id })),
  )
  const facts = await factsOf(database.system, [...events.values()])
  return new Map([...events].map(([id, event]) => [id, wireEvent(event, facts.get(event.emailId ?? '') ?? null)]))
}
