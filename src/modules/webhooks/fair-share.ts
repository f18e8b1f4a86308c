// How many deliveries each endpoint may have in this process. Pure.
//
// There are three kinds of endpoints, each with its own room so that none affects the others: those that answer within
// SLOW_MS, those that take longer, and those whose last attempt failed. An endpoint with a request in progress for more than
// SLOW_MS counts as slow with everything it has here. So quick endpoints get their room back within a second, even when many
// receivers go silent at once. Places are given to the accounts in turn, and to the endpoints of each in turn. Who comes first is
// drawn each time: where there are more endpoints than places, one that answers again must not wait until others, which have
// thousands of deliveries due and answer none, are switched off.
//
// An endpoint starts with FIRST_WINDOW parallel requests. Each quick success doubles the window, up to COMMON_WINDOW; a failure
// resets it. From there it grows by one request, up to MAX_WINDOW, for each windowful of answers that were not late although all
// of the window was in use, and shrinks by one for each late answer: an endpoint whose requests wait for each other takes longer
// for each, and gets no more of them. A quick endpoint has as many more waiting here, MAX_WAITING at most, so that its next
// request needs no database lookup.
//
// An endpoint that failed RESTS_AFTER times in a row rests for REST_MS after each further failure: refusals return at once,
// and thousands of pending deliveries would be tried as fast as they can be refused. The first success ends this.

export const SLOW_MS = 1_000
export const RESTS_AFTER = 8
export const REST_MS = 100
export const FIRST_WINDOW = 2
export const COMMON_WINDOW = 16
export const MAX_WINDOW = 64
const MAX_WAITING = 32
/** An answer is late when it took this many times the quickest one. */
const LATE = 2

export type Pace = 'quick' | 'slow' | 'failing'

interface Room {
  readonly account: number
  readonly process: number
}

export const ROOM: Readonly<Record<Pace, Room>> = {
  quick: { account: 128, process: 512 },
  slow: { account: 64, process: 384 },
  failing: { account: 16, process: 64 },
}
export const MAX_HELD = ROOM.quick.process + ROOM.slow.process + ROOM.failing.process

export interface Candidate {
  readonly webhookId: string
  readonly accountId: string
  readonly pace: Pace
  /** Maximum parallel requests. */
  readonly window: number
}

/** A delivery in this process that is not yet answered. */
export interface UnansweredDelivery {
  readonly webhookId: string
  readonly accountId: string
  readonly pace: Pace
}

/** How many may wait here behind the requests of a quick endpoint. */
export function maxWaitingOf(window: number): number {
  return Math.min(window, MAX_WAITING)
}

/** Maximum number of deliveries an endpoint may have here. */
export function maxDeliveriesOf({ pace, window }: Pick<Candidate, 'pace' | 'window'>): number {
  if (pace === 'failing') return FIRST_WINDOW
  return pace === 'quick' ? window + maxWaitingOf(window) : window
}

export interface QuickAnswer {
  readonly tookMs: number
  /** The endpoint's quickest answer so far, this one included. */
  readonly quickestMs: number
  /** Whether all requests that its window allows were in progress. */
  readonly wasFull: boolean
}

/** The window after a success within SLOW_MS; above COMMON_WINDOW with fractions of a request. */
export function windowAfter(window: number, { tookMs, quickestMs, wasFull }: QuickAnswer): number {
  if (window < COMMON_WINDOW) return Math.min(COMMON_WINDOW, window * 2)
  if (tookMs > LATE * quickestMs) return Math.max(COMMON_WINDOW, window - 1)
  return wasFull ? Math.min(MAX_WINDOW, window + 1 / window) : window
}

interface AccountShare {
  readonly endpoints: { readonly candidate: Candidate; places: number; free: number }[]
  readonly left: Record<Pace, number>
  turn: number
}

/**
 * @param chance draws a number in [0, 1)
 * @returns how many deliveries to claim per endpoint, without those that get 0
 */
export function fairShare(
  candidates: readonly Candidate[],
  held: readonly UnansweredDelivery[],
  chance: () => number,
): ReadonlyMap<string, number> {
  const byEndpoint = Map.groupBy(held, ({ webhookId }) => webhookId)
  const byAccount = Map.groupBy(held, ({ accountId }) => accountId)
  const accounts = shuffled([...Map.groupBy(candidates, ({ accountId }) => accountId)], chance).map(
    ([accountId, own]): AccountShare => ({
      endpoints: shuffled(own, chance).map((candidate) => ({
        candidate,
        places: 0,
        free: maxDeliveriesOf(candidate) - (byEndpoint.get(candidate.webhookId)?.length ?? 0),
      })),
      left: roomLeft('account', byAccount.get(accountId) ?? []),
      turn: 0,
    }),
  )
  const left = roomLeft('process', held)
  for (let given = true; given; ) {
    given = false
    for (const account of accounts) given = giveOne(account, left) || given
  }
  const given = accounts.flatMap(({ endpoints }) => endpoints).filter(({ places }) => places > 0)
  return new Map(given.map(({ candidate, places }) => [candidate.webhookId, places]))
}

function roomLeft(of: keyof Room, held: readonly UnansweredDelivery[]): Record<Pace, number> {
  const left = { quick: ROOM.quick[of], slow: ROOM.slow[of], failing: ROOM.failing[of] }
  for (const { pace } of held) left[pace]--
  return left
}

function giveOne(account: AccountShare, left: Record<Pace, number>): boolean {
  for (let tried = 0; tried < account.endpoints.length; tried++) {
    const one = account.endpoints[account.turn++ % account.endpoints.length]
    if (one === undefined || one.free <= 0) continue
    const { pace } = one.candidate
    if (account.left[pace] <= 0 || left[pace] <= 0) continue
    one.places++
    one.free--
    account.left[pace]--
    left[pace]--
    return true
  }
  return false
}

function shuffled<Item>(items: readonly Item[], chance: () => number): readonly Item[] {
  const drawn = items.map((item): readonly [number, Item] => [chance(), item])
  return drawn.sort(([a], [b]) => a - b).map(([, item]) => item)
}
