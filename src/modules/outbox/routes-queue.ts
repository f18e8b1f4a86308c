// The operator's endpoints on the queue, by destination.

import { Type } from 'typebox'
import { platformErrors } from '../../platform/errors.ts'
import {
  type Answer,
  type AnyEndpoint,
  DateTime,
  dataOf,
  endpoint,
  named,
  nullable,
  single,
} from '../../platform/http.ts'
import { accountErrors, type OperatorCheck } from '../accounts/index.ts'
import { type DestinationOptions, holdDestination, retryDestination } from './destinations.ts'
import { EXAMINED, waitingCauses, wireCause } from './queue-causes.ts'
import { type QueuedDestination, queueByDestination, queueFigures } from './queue-figures.ts'
import { ATTEMPT_OUTCOMES, ATTEMPT_OUTCOMES_ARE } from './types.ts'

export interface QueueRoutesOptions extends DestinationOptions {
  readonly operator: OperatorCheck
  /** Wakes delivery, if it runs in this process. */
  readonly onQueued: () => void
}

const TAG = 'Operator'
const MAX_LISTED = 500
const LISTED = 100
const LISTED_CAUSES = 20
// Counting a long queue takes a second: it is counted at most once in this time, however many look at the page.
const FRESH_MS = 2_000
const FRESH_CAUSES_MS = 5_000

const most = (absent: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LISTED, description: `${absent} when absent.` }))
const Name = Type.String({ minLength: 1, maxLength: 255 })
const Destination = named(
  'QueueDestination',
  Type.Object({
    destination: Type.String(),
    paused_at: nullable(DateTime),
    ready: Type.Integer({ description: 'Number of emails ready for an attempt.' }),
    leased: Type.Integer({ description: 'Number of emails that a process has taken for an attempt.' }),
    waiting: Type.Integer({ description: 'Number of deferred emails.' }),
    scheduled: Type.Integer(),
    sandbox: Type.Integer({
      description: 'How many of all these are sandbox emails. They go to the inbox, so no receiver answers them.',
    }),
    oldest_at: nullable(DateTime),
    next_attempt_at: nullable(DateTime),
    attempts_per_minute: Type.Integer(),
    delivered_per_minute: Type.Integer(),
    last_response: nullable(Type.String()),
    last_outcome: nullable(
      named('AttemptOutcome', Type.Enum([...ATTEMPT_OUTCOMES], { description: ATTEMPT_OUTCOMES_ARE })),
    ),
    last_attempt_at: nullable(DateTime),
  }),
)
const Totals = named(
  'QueueTotals',
  Type.Object({ ready: Type.Integer(), leased: Type.Integer(), waiting: Type.Integer() }),
)

const Cause = named(
  'QueueCause',
  Type.Object({
    response: nullable(
      Type.String({ description: 'The last response of one of the emails. Null where no attempt has had a result.' }),
    ),
    smtp_code: nullable(Type.Integer()),
    emails: Type.Integer(),
    accounts: Type.Integer({ description: 'Number of accounts that have such emails.' }),
    destinations: Type.Integer({ description: 'Number of destinations that such emails wait for.' }),
    top_destinations: Type.Array(Type.String(), { description: 'The destinations with the most such emails.' }),
    next_attempt_at: DateTime,
  }),
)

interface Counted {
  readonly data: readonly object[]
  readonly counted_at: string
}

export function queueRoutes(options: QueueRoutesOptions): readonly AnyEndpoint[] {
  const read = [accountErrors.not_signed_in, accountErrors.not_operator]
  const count = counting(options, FRESH_MS, queueCount)
  const causes = counting(options, FRESH_CAUSES_MS, causeCount)
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/operator/queues',
      access: null,
      authenticate: options.operator,
      operationId: 'listQueues',
      summary: 'List the queue by destination, longest first. The figures can be up to 2 seconds old.',
      tag: TAG,
      query: Type.Object({
        search: Type.Optional(Type.String({ maxLength: 255 })),
        limit: most(LISTED),
      }),
      answers: {
        200: named('QueueList', Type.Object({ data: Type.Array(Destination), totals: Totals, counted_at: DateTime })),
      },
      errors: read,
      handle: async (call): Promise<Answer> => {
        const { search = '', limit = LISTED } = call.query
        return { status: 200, body: await count(search.trim() === '' ? null : search.trim(), limit) }
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/operator/queues/causes',
      access: null,
      authenticate: options.operator,
      operationId: 'listQueueCauses',
      summary: `List why deferred emails wait: their last responses, most emails first. The ${EXAMINED.toLocaleString('en-US')} emails that are due first are examined. The figures can be up to 5 seconds old.`,
      tag: TAG,
      query: Type.Object({
        destination: Type.Optional(Name),
        limit: most(LISTED_CAUSES),
      }),
      answers: {
        200: named(
          'QueueCauseList',
          Type.Object({ data: Type.Array(Cause), examined: Type.Integer(), counted_at: DateTime }),
        ),
      },
      errors: read,
      handle: async (call): Promise<Answer> => {
        const { destination, limit = LISTED_CAUSES } = call.query
        return { status: 200, body: await causes(destination?.trim().toLowerCase() ?? null, limit) }
      },
    }),
    ...(['pause', 'resume', 'retry'] as const).map((verb) => steering(options, verb)),
  ]
}

const SUMMARIES = {
  pause: 'Pause a destination. No further emails to it are attempted until it is resumed.',
  resume: 'Resume a paused destination',
  retry: 'Retry the deferred emails of a destination now',
}

function steering(options: QueueRoutesOptions, verb: keyof typeof SUMMARIES): AnyEndpoint {
  return endpoint({
    method: 'POST',
    path: `/api/v1/operator/queues/{destination}/${verb}`,
    access: null,
    authenticate: options.operator,
    operationId: `${verb}Queue`,
    summary: SUMMARIES[verb],
    tag: TAG,
    params: Type.Object({ destination: Name }),
    answers: {
      200: dataOf(named('SteeredQueue', Type.Object({ destination: Type.String(), emails: nullable(Type.Integer()) }))),
    },
    errors: [
      accountErrors.not_signed_in,
      accountErrors.not_operator,
      accountErrors.cross_site_request,
      platformErrors.not_found,
    ],
    handle: async (call): Promise<Answer> => {
      const by = call.visitor
      const destination = call.params.destination.toLowerCase()
      let emails: number | null = null
      if (verb === 'retry') emails = await retryDestination(options, by, destination)
      else await holdDestination(options, by, destination, verb === 'pause')
      options.onQueued()
      return single({ destination, emails })
    },
  })
}

type Count = (options: QueueRoutesOptions, text: string | null, limit: number) => Promise<Counted>

/** At most one count at a time for each query; the answer is reused for `freshMs`. */
function counting(
  options: QueueRoutesOptions,
  freshMs: number,
  count: Count,
): (text: string | null, limit: number) => Promise<Counted> {
  let known: { readonly key: string; readonly atMs: number; readonly answer: Promise<Counted> } | null = null
  return (text, limit) => {
    const key = JSON.stringify([text, limit])
    const nowMs = options.clock.monotonicMs()
    if (known === null || known.key !== key || nowMs - known.atMs > freshMs) {
      const answer = count(options, text, limit)
      known = { key, atMs: nowMs, answer }
      answer.catch(() => {
        if (known?.answer === answer) known = null
      })
    }
    return known.answer
  }
}

async function queueCount(
  { database, clock }: QueueRoutesOptions,
  search: string | null,
  limit: number,
): Promise<Counted & { readonly totals: Record<string, number> }> {
  const now = clock.now()
  const [figures, rows] = await Promise.all([
    queueFigures(database.system, now),
    queueByDestination(database.system, { limit, now, search }),
  ])
  const totals = Object.fromEntries(figures.map(({ state, emails }) => [state, emails]))
  return { data: rows.map(wireDestination), totals, counted_at: now.toISOString() }
}

async function causeCount(
  { database, clock }: QueueRoutesOptions,
  destination: string | null,
  limit: number,
): Promise<Counted & { readonly examined: number }> {
  const now = clock.now()
  const { causes, examined } = await waitingCauses(database.system, { destination, limit })
  return { data: causes.map(wireCause), examined, counted_at: now.toISOString() }
}

/** Also used by `posthorn queue list --json`. */
export function wireDestination(one: QueuedDestination): object {
  return {
    destination: one.destination,
    paused_at: one.pausedAt?.toISOString() ?? null,
    ready: one.ready,
    leased: one.leased,
    waiting: one.waiting,
    scheduled: one.scheduled,
    sandbox: one.sandbox,
    oldest_at: one.oldestAt?.toISOString() ?? null,
    next_attempt_at: one.nextAttemptAt?.toISOString() ?? null,
    attempts_per_minute: one.attempts,
    delivered_per_minute: one.delivered,
    last_response: one.lastResponse,
    last_outcome: one.lastOutcome,
    last_attempt_at: one.lastAt?.toISOString() ?? null,
  }
}
