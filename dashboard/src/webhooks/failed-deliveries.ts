// Failed deliveries of an endpoint, from its delivery log: each event once, grouped by answer. Events replayed since, and delivered
// or pending, no longer count. Independent of the browser.

/** As returned by the API. */
export interface Delivery {
  readonly event_id: string
  readonly event: string
  readonly status: 'pending' | 'success' | 'failed'
  readonly http_status: number | null
  readonly error: string | null
  readonly response_body: string | null
  readonly created_at: string
}

export interface Reason {
  readonly answer: string
  readonly count: number
  /** Times of the first and last delivery with this answer. */
  readonly first: string
  readonly last: string
}

export interface FailedDeliveries {
  /** Retried automatically. */
  readonly waiting: number
  readonly givenUp: number
  /** The most frequent first. */
  readonly reasons: readonly Reason[]
  /** Time of the first one; null when there is none. */
  readonly since: string | null
  /** Their event types. */
  readonly kinds: readonly string[]
}

/** Delivered only on request, and never retried. */
export const TEST = 'test'

/** The server's answer, verbatim. */
export function answerOf({
  http_status: status,
  response_body: body,
  error,
}: Pick<Delivery, 'http_status' | 'response_body' | 'error'>): string {
  // An error that only repeats the status adds nothing to it.
  const why = status !== null && String(error).endsWith(` ${status}`) ? null : error
  return [status, why, body].filter((part) => part !== null && part !== '').join(' · ') || '–'
}

/** @param deliveries of the endpoint, in any state and order */
export function failedDeliveriesOf(deliveries: readonly Delivery[]): FailedDeliveries {
  const events = new Map<string, Delivery[]>()
  for (const one of deliveries) {
    if (one.event === TEST) continue
    const before = events.get(one.event_id)
    if (before === undefined) events.set(one.event_id, [one])
    else before.push(one)
  }
  const failed = [...events.values()].flatMap((told) => {
    const last = told.reduce((one, other) => (other.created_at > one.created_at ? other : one))
    const gone = told.some(({ status }) => status === 'success') || !wasAnswered(last)
    return gone ? [] : [{ last, first: told.reduce((one, other) => (other.created_at < one.created_at ? other : one)) }]
  })
  const firsts = failed.map(({ first }) => first.created_at).toSorted()
  return {
    waiting: failed.filter(({ last }) => last.status === 'pending').length,
    givenUp: failed.filter(({ last }) => last.status === 'failed').length,
    reasons: reasonsOf(failed.map(({ last }) => last)),
    since: firsts[0] ?? null,
    kinds: [...new Set(failed.map(({ last }) => last.event))].toSorted(),
  }
}

/** An untried delivery is pending. */
function wasAnswered({ http_status: status, error }: Delivery): boolean {
  return status !== null || error !== null
}

function reasonsOf(deliveries: readonly Delivery[]): readonly Reason[] {
  const reasons = new Map<string, Reason>()
  for (const one of deliveries) {
    const answer = answerOf(one)
    const at = one.created_at
    const { count, first, last } = reasons.get(answer) ?? { count: 0, first: at, last: at }
    reasons.set(answer, { answer, count: count + 1, first: at < first ? at : first, last: at > last ? at : last })
  }
  return [...reasons.values()].toSorted((a, b) => b.count - a.count)
}
