// The deliveries in this process, by endpoint: those waiting for their turn, those being sent, and how the endpoint has been
// doing. All of them are claimed in the database; one that is given back is free again.

import {
  FIRST_WINDOW,
  MAX_WINDOW,
  type Pace,
  REST_MS,
  RESTS_AFTER,
  SLOW_MS,
  type UnansweredDelivery,
} from './fair-share.ts'

const MAX_REMEMBERED = 10_000

/** One endpoint. `Work` is a claimed delivery with its payload. */
interface Lane<Work> {
  readonly accountId: string
  readonly waiting: Work[]
  /** Start time of each request in progress, by delivery. */
  readonly asking: Map<string, number>
  window: number
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
  const lanes = new Map<string, Lane<Work>>()
  let size = 0

  const laneOf = (webhookId: string, accountId: string): Lane<Work> => {
    const known = lanes.get(webhookId)
    if (known !== undefined) return known
    const made: Lane<Work> = {
      accountId,
      waiting: [],
      asking: new Map(),
      window: FIRST_WINDOW,
      pace: 'quick',
      failures: 0,
      restsUntilMs: 0,
    }
    lanes.set(webhookId, made)
    if (lanes.size > MAX_REMEMBERED) forgetIdle()
    return made
  }

  const forgetIdle = (): void => {
    for (const [webhookId, lane] of lanes) {
      if (lane.waiting.length + lane.asking.size === 0) lanes.delete(webhookId)
      if (lanes.size <= MAX_REMEMBERED) return
    }
  }

  const pump = (lane: Lane<Work>): void => {
    while (lane.asking.size < lane.window) {
      const work = lane.waiting.shift()
      if (work === undefined) return
      void run(lane, work)
    }
  }

  const run = async (lane: Lane<Work>, work: Work): Promise<void> => {
    const { id } = keyOf(work)
    const began = nowMs()
    lane.asking.set(id, began)
    const success = await ask(work)
    lane.asking.delete(id)
    size--
    judge(lane, success, nowMs() - began)
    pump(lane)
    if (lane.waiting.length * 2 <= lane.window) onRoom()
  }

  const judge = (lane: Lane<Work>, success: boolean, tookMs: number): void => {
    if (success) {
      lane.failures = 0
      lane.restsUntilMs = 0
      lane.pace = tookMs > SLOW_MS ? 'slow' : 'quick'
      if (tookMs <= SLOW_MS) lane.window = Math.min(MAX_WINDOW, lane.window * 2)
      return
    }
    if (++lane.failures >= RESTS_AFTER) lane.restsUntilMs = nowMs() + REST_MS
    lane.pace = 'failing'
    lane.window = FIRST_WINDOW
    const withdrawn = lane.waiting.splice(0)
    size -= withdrawn.length
    if (withdrawn.length > 0) onFailing(withdrawn)
  }

  /** An endpoint with a slow request in progress counts as slow. */
  const paceAt = (lane: Lane<Work>, now: number): Pace => {
    const isStuck = lane.pace === 'quick' && [...lane.asking.values()].some((began) => now - began > SLOW_MS)
    return isStuck ? 'slow' : lane.pace
  }

  return {
    add: (work) => {
      const { webhookId, accountId } = keyOf(work)
      const lane = laneOf(webhookId, accountId)
      lane.waiting.push(work)
      size++
      pump(lane)
    },
    held: () => {
      const now = nowMs()
      const held: UnansweredDelivery[] = []
      for (const [webhookId, lane] of lanes) {
        const own = { webhookId, accountId: lane.accountId, pace: paceAt(lane, now) }
        for (let i = lane.asking.size + lane.waiting.length; i > 0; i--) held.push(own)
      }
      return held
    },
    get size() {
      return size
    },
    of: (webhookId) => {
      const lane = lanes.get(webhookId)
      if (lane === undefined) return { window: FIRST_WINDOW, pace: 'quick', restMs: 0 }
      const now = nowMs()
      return { window: lane.window, pace: paceAt(lane, now), restMs: Math.max(0, lane.restsUntilMs - now) }
    },
    withdraw: (webhookId) => {
      const some =
        webhookId === null ? [...lanes.values()] : [lanes.get(webhookId)].filter((lane) => lane !== undefined)
      const withdrawn = some.flatMap(({ waiting }) => waiting.splice(0))
      size -= withdrawn.length
      return withdrawn
    },
  }
}
