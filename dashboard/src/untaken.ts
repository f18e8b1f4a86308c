// What an endpoint did not take, out of the log of its deliveries: each event once, by what was answered. An event that was told
// anew, and taken or on its way, counts no more. Knows nothing of the browser.

/** As the API tells of it. */
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
  /** Of the deliveries that were answered so: when the first and the last of them was made. */
  readonly first: string
  readonly last: string
}

export interface Untaken {
  /** Tried again by themselves. */
  readonly waiting: number
  readonly givenUp: number
  /** The most frequent first. */
  readonly reasons: readonly Reason[]
  /** When the first of them was told; null: there is none. */
  readonly since: string | null
  /** Of which kinds they are. */
  readonly kinds: readonly string[]
}

/** Told when somebody asks for it, and never again. */
export const TEST = 'test'

/** What the server said, as it said it. */
export function answerOf({
  http_status: status,
  response_body: body,
  error,
}: Pick<Delivery, 'http_status' | 'response_body' | 'error'>): string {
  // An error that is no more than the status in words says nothing beside it.
  const why = status !== null && String(error).endsWith(` ${status}`) ? null : error
  return [status, why, body].filter((part) => part !== null && part !== '').join(' · ') || '–'
}

/** @param deliveries of the endpoint, of each state, in any order */
export function untakenOf(deliveries: readonly Delivery[]): Untaken {
  const events = new Map<string, Delivery[]>()
  for (const one of deliveries) {
    if (one.event === TEST) continue
    const before = events.get(one.event_id)
    if (before === undefined) events.set(one.event_id, [one])
    else before.push(one)
  }
  const untaken = [...events.values()].flatMap((told) => {
    const last = told.reduce((one, other) => (other.created_at > one.created_at ? other : one))
    const gone = told.some(({ status }) => status === 'success') || !wasAnswered(last)
    return gone ? [] : [{ last, first: told.reduce((one, other) => (other.created_at < one.created_at ? other : one)) }]
  })
  const firsts = untaken.map(({ first }) => first.created_at).toSorted()
  return {
    waiting: untaken.filter(({ last }) => last.status === 'pending').length,
    givenUp: untaken.filter(({ last }) => last.status === 'failed').length,
    reasons: reasonsOf(untaken.map(({ last }) => last)),
    since: firsts[0] ?? null,
    kinds: [...new Set(untaken.map(({ last }) => last.event))].toSorted(),
  }
}

/** One that was not tried yet is on its way. */
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
