// The deliveries in this process, by endpoint: those waiting for their turn, those being sent, and how the endpoint has been
// doing. All of them are claimed in the database; one that is given back is free again.

import {
  FIRST_WINDOW,
  maxWaitingOf,
  type Pace,
  REST_MS,
  RESTS_AFTER,
  SLOW_MS,
  type UnansweredDelivery,
  windowAfter,
} from './fair-share.ts'

const MAX_REMEMBERED = 10_000

/** One endpoint. `Work` is a claimed delivery with its payload. */
interface EndpointQueue<Work> {
  readonly accountId: string
  readonly waiting: Work[]
  /** Start time of each request in progress, by delivery. */
  readonly asking: Map<string, number>
  /** May have a fraction (fair-share.ts). */
  window: number
  /** Since its last failure; infinite before the first answer. */
  quickestMs: number
  pace: Pace
  /** Consecutive failures. */
  failures: number
  restsUntilMs: number
}

export interface EndpointQueues<Work> {
  /** Adds a delivery, and starts those that may start. */
  add(work: Work): void
  /** Deliveries in this process that are not yet answered. */
  held(): readonly UnansweredDelivery[]
  readonly size: number
  /** `restMs`: how long the endpoint must not be called; 0 when it may. */
  of(webhookId: string): { readonly window: number; readonly pace: Pace; readonly restMs: number }
  /** Removes deliveries that have not started. @param webhookId null: of all endpoints */
  withdraw(webhookId: string | null): readonly Work[]
}

export interface EndpointQueuesOptions<Work> {
  readonly nowMs: () => number
  readonly keyOf: (work: Work) => { readonly id: string; readonly webhookId: string; readonly accountId: string }
  /** Resolves to whether the request succeeded, once it has ended. Never rejects. */
  readonly ask: (work: Work) => Promise<boolean>
  /** Called when the endpoint has room for more than is here. */
  readonly onRoom: () => void
  /** Called when the endpoint starts failing, with the waiting deliveries that will not be sent from here. */
  readonly onFailing: (withdrawn: readonly Work[]) => void
}

export function endpointQueues<Work>({
  nowMs,
  keyOf,
  ask,
  onRoom,
  onFailing,
}: EndpointQueuesOptions<Work>): EndpointQueues<Work> {
  const queues = new Map<string, EndpointQueue<Work>>()
  let size = 0

  const queueOf = (webhookId: string, accountId: string): EndpointQueue<Work> => {
    const known = queues.get(webhookId)
    if (known !== undefined) return known
    const made: EndpointQueue<Work> = {
      accountId,
      waiting: [],
      asking: new Map(),
      window: FIRST_WINDOW,
      quickestMs: Number.POSITIVE_INFINITY,
      pace: 'quick',
      failures: 0,
      restsUntilMs: 0,
    }
    queues.set(webhookId, made)
    if (queues.size > MAX_REMEMBERED) forgetIdle()
    return made
  }

  const forgetIdle = (): void => {
    for (const [webhookId, queue] of queues) {
      if (queue.waiting.length + queue.asking.size === 0) queues.delete(webhookId)
      if (queues.size <= MAX_REMEMBERED) return
    }
  }

  const pump = (queue: EndpointQueue<Work>): void => {
    while (queue.asking.size < Math.floor(queue.window)) {
      const work = queue.waiting.shift()
      if (work === undefined) return
      void run(queue, work)
    }
  }

  const run = async (queue: EndpointQueue<Work>, work: Work): Promise<void> => {
    const { id } = keyOf(work)
    const began = nowMs()
    queue.asking.set(id, began)
    const success = await ask(work)
    const wasFull = queue.asking.size >= Math.floor(queue.window)
    queue.asking.delete(id)
    size--
    judge(queue, success, nowMs() - began, wasFull)
    pump(queue)
    if (queue.waiting.length * 2 <= maxWaitingOf(queue.window)) onRoom()
  }

  const judge = (queue: EndpointQueue<Work>, success: boolean, tookMs: number, wasFull: boolean): void => {
    if (success) {
      queue.failures = 0
      queue.restsUntilMs = 0
      queue.pace = tookMs > SLOW_MS ? 'slow' : 'quick'
      if (tookMs > SLOW_MS) return
      queue.quickestMs = Math.min(queue.quickestMs, tookMs)
      queue.window = windowAfter(queue.window, { tookMs, quickestMs: queue.quickestMs, wasFull })
      return
    }
    if (++queue.failures >= RESTS_AFTER) queue.restsUntilMs = nowMs() + REST_MS
    queue.pace = 'failing'
    queue.window = FIRST_WINDOW
    queue.quickestMs = Number.POSITIVE_INFINITY
    const withdrawn = queue.waiting.splice(0)
    size -= withdrawn.length
    if (withdrawn.length > 0) onFailing(withdrawn)
  }

  /** An endpoint with a slow request in progress counts as slow. */
  const paceAt = (queue: EndpointQueue<Work>, now: number): Pace => {
    const isStuck = queue.pace === 'quick' && [...queue.asking.values()].some((began) => now - began > SLOW_MS)
    return isStuck ? 'slow' : queue.pace
  }

  return {
    add: (work) => {
      const { webhookId, accountId } = keyOf(work)
      const queue = queueOf(webhookId, accountId)
      queue.waiting.push(work)
      size++
      pump(queue)
    },
    held: () => {
      const now = nowMs()
      const held: UnansweredDelivery[] = []
      for (const [webhookId, queue] of queues) {
        const own = { webhookId, accountId: queue.accountId, pace: paceAt(queue, now) }
        for (let i = queue.asking.size + queue.waiting.length; i > 0; i--) held.push(own)
      }
      return held
    },
    get size() {
      return size
    },
    of: (webhookId) => {
      const queue = queues.get(webhookId)
      if (queue === undefined) return { window: FIRST_WINDOW, pace: 'quick', restMs: 0 }
      const now = nowMs()
      return {
        window: Math.floor(queue.window),
        pace: paceAt(queue, now),
        restMs: Math.max(0, queue.restsUntilMs - now),
      }
    },
    withdraw: (webhookId) => {
      const some =
        webhookId === null ? [...queues.values()] : [queues.get(webhookId)].filter((queue) => queue !== undefined)
      const withdrawn = some.flatMap(({ waiting }) => waiting.splice(0))
      size -= withdrawn.length
      return withdrawn
    },
  }
}
