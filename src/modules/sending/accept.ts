// Acceptance: facts, verdict, and one commit.
//
// Requests that arrive while a commit is running are written together in the next one (group commit). A group is one
// transaction: it claims idempotency keys, checks the two lists, judges each message, takes quotas, then writes emails,
// contents, queue rows, events and answers. The answer to a request follows the commit. A process that dies before the commit
// has stored nothing, one that dies after it has stored everything; the client finds out with its idempotency key.
//
// A group that fails for another reason than an unavailable database is retried request by request, so that one request's
// fault affects no other; a group aborted in favor of another transaction is retried too, even if it is one request. If the
// connection breaks during the commit, the store is asked for the outcome, as long as the callers' patience lasts: a client
// without a key that was told to retry would send twice what was stored.

import type { Clock } from '../../platform/clock.ts'
import { wasCommitted } from '../../platform/db/commit-outcome.ts'
import {
  type Database,
  type Db,
  isBrokenOff,
  isPassing,
  isUnavailable,
  mayLackPartition,
  UnknownCommitOutcome,
  type Writer,
} from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import { type GroupCommit, groupCommit } from '../../platform/group-commit.ts'
import type { Ids } from '../../platform/ids.ts'
import { inPieces } from '../../platform/time-slices.ts'
import { append, ensureEventPartitions, type NewEvent } from '../events/index.ts'
import {
  enqueue,
  ensureOutboxPartitions,
  type FreshEmails,
  hasEmail,
  type NewBody,
  type NewEmail,
  releaseRemoved,
  type SiteIds,
} from '../outbox/index.ts'
import type { Override, RiskAsk, RiskRoom } from '../risk/index.ts'
import { isContentRefusal, type RefusedMessage, recordContentBlocks } from './content-events.ts'
import { errors } from './errors.ts'
import { claimKeys, freeKeys, type IdempotencyKey, nameOf, type StoredAnswer, storeAnswers } from './idempotency.ts'
import { COMMIT_PATIENCE_MS } from './limits.ts'
import { type Judged, judge } from './recipient-verdicts.ts'
import { type Accepted, rowsOf } from './rows.ts'
import type { Incoming } from './sender.ts'

/** One call: a send, a batch, or one message over SMTP. */
export interface Submission {
  readonly accountId: string
  /** A message that was refused earlier keeps its place. */
  readonly messages: readonly (Incoming | ApiError)[]
  /** All or none. */
  readonly strict: boolean
  readonly idempotency: IdempotencyKey | null
  /** The response body, to be stored with the key; null: a refusal, which frees the key. */
  readonly answerOf: (outcomes: readonly Outcome[]) => { readonly status: number; readonly body: unknown } | null
  /** How long the caller waits for the outcome of an unconfirmed commit. */
  readonly patienceMs?: number
  /** Writes in the transaction of the emails, once every message of the call is accepted; if it throws, they are rolled back. */
  readonly alongside?: (db: Db) => Promise<void>
}

export type Outcome =
  | { readonly kind: 'accepted'; readonly accepted: Accepted }
  | { readonly kind: 'refused'; readonly error: ApiError }

export type SubmissionResult =
  | { readonly kind: 'done'; readonly outcomes: readonly Outcome[] }
  /** The key has already been answered: the stored answer. */
  | { readonly kind: 'replayed'; readonly status: number; readonly body: unknown }

/** What acceptance needs from accounts. */
export interface EmailQuota {
  /** Takes credits of the month of `at` in the caller's transaction. @returns for each ask, whether it was granted */
  consume(db: Db, asks: readonly Credits[], at: Date): Promise<readonly boolean[]>
  refund(db: Db, taken: Credits, at: Date): Promise<void>
  /** The error of an account that has fewer credits left than asked for. */
  exceeded(db: Db, asked: Credits, at: Date): Promise<ApiError>
}

interface Credits {
  readonly accountId: string
  readonly count: number
}

export interface AcceptOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly sites: SiteIds
  readonly quota: EmailQuota
  readonly risk: Pick<RiskRoom, 'gather' | 'countSent' | 'recordOverrides'>
  /** False: the store's disk has no room for more. */
  readonly takesMail: () => boolean
  /** Passes what was just accepted to delivery, if it runs in this process. */
  readonly fresh: FreshEmails | null
  /** Wakes delivery, if it runs in this process. */
  readonly onAccepted: () => void
}

export interface Acceptance {
  /** Resolves after the commit. @throws ApiError for the whole call: the key is in use or was used for another body, 503 */
  submit(submission: Submission): Promise<SubmissionResult>
  /** Resolves once nothing is being written. */
  idle(): Promise<void>
}

const GROUP_MAX_CALLS = 200
const GROUP_MAX_BYTES = 16 * 1_048_576
const LARGE_BYTES = 1_048_576
const GROUPS_AT_ONCE = 1
/** What is judged, or stored, in one stretch. */
const RECIPIENTS_AT_ONCE = 500
const BYTES_AT_ONCE = 4 * 1_048_576
// A group costs as much as about ten calls: under load it waits briefly for more of them.
const LINGER_MS = 2
const ENOUGH_CALLS = 24
const BUSY_CALLS = 6
const MAX_WAITING_BYTES = 256 * 1_048_576
const RETRY_AFTER_SECONDS = 5

export function acceptance(options: AcceptOptions): Acceptance {
  const running = new Set<string>()
  const groups: GroupCommit<Submission, SubmissionResult | ApiError> = groupCommit({
    write: (submissions) => writeGroup(options, submissions),
    sizeOf: ({ messages }) =>
      messages.reduce((total, m) => total + (m instanceof ApiError ? 0 : m.draft.sizeBytes), 1_024),
    maxItems: GROUP_MAX_CALLS,
    maxBytes: GROUP_MAX_BYTES,
    largeBytes: LARGE_BYTES,
    concurrency: GROUPS_AT_ONCE,
    lingerMs: LINGER_MS,
    enough: ENOUGH_CALLS,
    lingerBehind: BUSY_CALLS,
    maxWaitingBytes: MAX_WAITING_BYTES,
    full: () => errors.service_unavailable({}, { retryAfter: RETRY_AFTER_SECONDS }),
  })
  const submit = async (submission: Submission): Promise<SubmissionResult> => {
    const result = await groups.add(submission)
    if (result instanceof ApiError) throw result
    if (result.kind === 'done') options.onAccepted()
    return result
  }
  return {
    idle: groups.idle,
    submit: async (submission) => {
      if (!options.takesMail()) throw errors.service_unavailable({}, { retryAfter: RETRY_AFTER_SECONDS })
      if (submission.idempotency === null) return submit(submission)
      const name = nameOf(submission.idempotency)
      if (running.has(name)) throw errors.idempotency_in_progress()
      running.add(name)
      try {
        return await submit(submission)
      } finally {
        running.delete(name)
      }
    },
  }
}

type GroupResult = SubmissionResult | ApiError
type GroupResults = readonly (GroupResult | Promise<GroupResult>)[]

interface Transaction {
  readonly db: Db
  /** For the final writes: only the commit waits for their results. */
  readonly posting: Writer
}

async function writeGroup(options: AcceptOptions, group: readonly Submission[]): Promise<GroupResults> {
  const sites = await options.sites.of(sitesOf(group))
  const write = async (some: readonly Submission[]): Promise<GroupResults> => {
    let results: readonly GroupResult[] = []
    try {
      await options.database.transaction(async (db, posting) => {
        results = await writeSubmissions(options, { db, posting }, some, sites)
      })
    } catch (error) {
      return afterUnknownEnd(options, some, results, error)
    }
    await releaseScheduled(options, some, results)
    return results
  }
  try {
    return await write(group)
  } catch (error) {
    if (isUnavailable(error)) throw error
    const unready = mayLackPartition(error)
    if (unready) await ensurePartitions(options)
    if (group.length === 1 && !unready && !isBrokenOff(error)) throw error
    return Promise.all(group.map(async (one) => (await write([one]).catch(asResult))[0] as GroupResult))
  }
}

/** Scheduled mail whose domain was removed during its acceptance: the removal did not see it, so it ends now, not in days. */
async function releaseScheduled(
  { database }: AcceptOptions,
  group: readonly Submission[],
  results: readonly GroupResult[],
): Promise<void> {
  const isScheduled = ({ messages }: Submission): boolean =>
    messages.some((message) => !(message instanceof ApiError) && message.draft.scheduledAt !== null)
  const emailIds = results.flatMap((result, i) => (isScheduled(group[i] as Submission) ? acceptedIds(result) : []))
  if (emailIds.length === 0) return
  // The mail is durable: without this it ends when its time comes.
  await releaseRemoved(database.system, emailIds).catch(() => undefined)
}

/** @param results what each call is told if the commit succeeded. @throws `error` when the outcome changes nothing for them */
function afterUnknownEnd(
  { database, clock }: AcceptOptions,
  group: readonly Submission[],
  results: readonly GroupResult[],
  error: unknown,
): GroupResults {
  const [emailId] = results.flatMap(acceptedIds)
  if (!(error instanceof UnknownCommitOutcome) || emailId === undefined) throw error
  const withinMs = Math.max(...group.map(({ patienceMs = COMMIT_PATIENCE_MS }) => patienceMs))
  const committed = wasCommitted(database, error, (db) => hasEmail(db, emailId), { clock, withinMs })
  return group.map(async ({ patienceMs = COMMIT_PATIENCE_MS }, i) => {
    const isCommitted = await within(committed, patienceMs)
    if (isCommitted === null) throw error
    if (!isCommitted) throw errors.service_unavailable({}, { cause: error, retryAfter: RETRY_AFTER_SECONDS })
    return results[i] as GroupResult
  })
}

function acceptedIds(result: GroupResult): readonly string[] {
  if (result instanceof ApiError || result.kind !== 'done') return []
  return result.outcomes.flatMap((outcome) => (outcome.kind === 'accepted' ? outcome.accepted.emailId : []))
}

/** @returns null when there is no answer within `ms` */
async function within<T>(answer: Promise<T>, ms: number): Promise<T | null> {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(late.resolve, ms, null)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function ensurePartitions({ database, clock }: AcceptOptions): Promise<void> {
  await ensureOutboxPartitions(database.system, clock.now())
  await ensureEventPartitions(database.system, clock.now())
}

function asResult(error: unknown): readonly GroupResult[] {
  if (isPassing(error)) return [errors.service_unavailable({}, { cause: error, retryAfter: RETRY_AFTER_SECONDS })]
  return [
    error instanceof ApiError
      ? error
      : new ApiError(500, 'internal_error', 'Something went wrong on our side', { cause: error }),
  ]
}

function sitesOf(group: readonly Submission[]): readonly string[] {
  return group.flatMap(({ messages }) =>
    messages.flatMap((message) =>
      message instanceof ApiError ? [] : message.draft.recipients.map(({ site }) => site),
    ),
  )
}

/** One message of a group while it goes through the transaction. */
interface Case {
  readonly submission: Submission
  readonly incoming: Incoming | ApiError
  judged: Judged | null
  outcome: Outcome | null
}

async function writeSubmissions(
  options: AcceptOptions,
  { db, posting }: Transaction,
  group: readonly Submission[],
  sites: ReadonlyMap<string, number>,
): Promise<readonly GroupResult[]> {
  const now = options.clock.now()
  const keyed = group.flatMap(({ idempotency }) => (idempotency === null ? [] : [idempotency]))
  const answered = await claimKeys(db, keyed, now)
  const cases = group
    .filter(({ idempotency }) => idempotency === null || !answered.has(nameOf(idempotency)))
    .flatMap((submission) =>
      submission.messages.map((incoming): Case => ({ submission, incoming, judged: null, outcome: null })),
    )
  await judgeCases(options, db, cases, now)
  await takeQuota(options, db, cases, now)
  await refuseHalfDone(options, db, { group, cases, now })
  const outcomes = await store(options, { db, posting }, cases, sites, now)
  for (const { alongside } of group.filter((one) => isAccepted(outcomes.get(one)))) await alongside?.(db)
  return settle(posting, group, answered, outcomes)
}

function isAccepted(outcomes: readonly Outcome[] | undefined): boolean {
  return outcomes?.every(({ kind }) => kind === 'accepted') === true
}

/** In pieces: a call may have 25,000 recipients. */
async function judgeCases({ risk }: AcceptOptions, db: Db, cases: readonly Case[], now: Date): Promise<void> {
  for await (const some of inPieces(cases, shareOf)) {
    const asks = some.flatMap(({ submission: { accountId }, incoming }): RiskAsk[] =>
      incoming instanceof ApiError
        ? []
        : incoming.draft.recipients.map(({ key }) => ({
            accountId,
            recipient: key,
            sandbox: incoming.sender.isSandbox(key),
          })),
    )
    const known = await risk.gather(db, asks, now)
    let first = 0
    for (const one of some) {
      const { incoming } = one
      if (incoming instanceof ApiError) {
        one.outcome = { kind: 'refused', error: incoming }
        continue
      }
      const next = first + incoming.draft.recipients.length
      one.judged = judge(incoming, known.slice(first, next))
      if (one.judged.refused !== null) one.outcome = { kind: 'refused', error: one.judged.refused }
      first = next
    }
  }
}

/** The share of a piece that a message takes. */
function shareOf({ incoming }: Case): number {
  if (incoming instanceof ApiError) return 0
  const { recipients, sizeBytes } = incoming.draft
  return Math.max(recipients.length / RECIPIENTS_AT_ONCE, sizeBytes / BYTES_AT_ONCE)
}

/**
 * Checks the quota before reporting the verdict: a refused message of an account without credits is refused for the quota. For
 * all refused messages of an account one credit is requested, last, and refunded: they cost nothing and block no accepted mail.
 */
async function takeQuota({ quota }: AcceptOptions, db: Db, cases: readonly Case[], now: Date): Promise<void> {
  const asking = cases.filter(({ judged }) => judged !== null && judged.liveCount > 0 && !judged.senderRefused)
  if (asking.length === 0) return
  const [going, refused] = [asking.filter(isGoing), asking.filter((one) => !isGoing(one))]
  const paid = going.map(({ submission: { accountId }, judged }) => ({ accountId, count: costOf(judged) }))
  const asked = [...new Set(refused.map(({ submission: { accountId } }) => accountId))]
  const asks = [...paid, ...asked.map((accountId) => ({ accountId, count: 1 }))]
  const granted = await quota.consume(db, asks, now)
  const exceeded = async (one: Case, ask: Credits): Promise<void> => {
    one.outcome = { kind: 'refused', error: await quota.exceeded(db, ask, now) }
  }
  for (const [i, one] of going.entries()) {
    if (granted[i] === false) await exceeded(one, { accountId: one.submission.accountId, count: costOf(one.judged) })
  }
  for (const [i, accountId] of asked.entries()) {
    const ask = { accountId, count: 1 }
    if (granted[paid.length + i] === true) await quota.refund(db, ask, now)
    else for (const one of refused) if (one.submission.accountId === accountId) await exceeded(one, ask)
  }
}

function isGoing({ outcome }: Case): boolean {
  return outcome === null
}

/** Refused recipients cost nothing when others of the message are sent. */
function costOf(judged: Judged | null): number {
  return judged === null ? 0 : judged.liveCount - judged.liveRefusedCount
}

/** Strict calls: one refused message refuses all, and the credits taken for the others are refunded. */
async function refuseHalfDone(
  { quota }: AcceptOptions,
  db: Db,
  { group, cases, now }: { readonly group: readonly Submission[]; readonly cases: readonly Case[]; readonly now: Date },
): Promise<void> {
  for (const submission of group) {
    if (!submission.strict) continue
    const own = cases.filter((one) => one.submission === submission)
    if (own.every(({ outcome }) => outcome?.kind !== 'refused')) continue
    let taken = 0
    for (const one of own) {
      if (one.outcome !== null) continue
      one.outcome = { kind: 'refused', error: NOT_ALL }
      taken += costOf(one.judged)
    }
    if (taken > 0) await quota.refund(db, { accountId: submission.accountId, count: taken }, now)
  }
}

/** Marks a message that had no fault itself; the caller leaves it out of its report. */
export const NOT_ALL = new ApiError(422, 'validation_error', 'Another message of a strict batch was refused')

async function store(
  { ids, fresh, risk }: AcceptOptions,
  { db, posting }: Transaction,
  cases: readonly Case[],
  sites: ReadonlyMap<string, number>,
  now: Date,
): Promise<ReadonlyMap<Submission, readonly Outcome[]>> {
  const refused: RefusedMessage[] = []
  const sent: { accountId: string; count: number }[] = []
  const outcomes = new Map<Submission, Outcome[]>()
  for await (const some of inPieces(cases, shareOf)) {
    const emails: NewEmail[] = []
    const bodies: NewBody[] = []
    const events: NewEvent[] = []
    const overrides: Override[] = []
    for (const { submission, incoming, judged, outcome } of some) {
      const own = outcomes.get(submission) ?? []
      outcomes.set(submission, own)
      if (outcome !== null || judged === null || incoming instanceof ApiError) {
        if (judged !== null && !(incoming instanceof ApiError) && isContentRefusal(incoming, judged)) {
          refused.push({ accountId: submission.accountId, incoming })
        }
        own.push(outcome ?? { kind: 'refused', error: NOT_ALL })
        continue
      }
      const rows = rowsOf({ accountId: submission.accountId, incoming, judged, ids, now })
      emails.push(...rows.emails)
      bodies.push(rows.body)
      events.push(...rows.events)
      overrides.push(...rows.overrides)
      sent.push({ accountId: submission.accountId, count: judged.liveCount - judged.liveRefusedCount })
      own.push({ kind: 'accepted', accepted: rows.accepted })
    }
    if (emails.length === 0) continue
    fresh?.put(emails, bodies)
    await Promise.all([
      enqueue(db, emails, bodies, sites, posting),
      append(posting, events),
      risk.recordOverrides(posting, overrides, now),
    ])
  }
  await recordContentBlocks(db, refused, { ids, now })
  if (sent.length > 0) await risk.countSent(posting, sent, now)
  return outcomes
}

async function settle(
  posting: Transaction['posting'],
  group: readonly Submission[],
  answered: ReadonlyMap<string, StoredAnswer>,
  outcomes: ReadonlyMap<Submission, readonly Outcome[]>,
): Promise<readonly GroupResult[]> {
  const answers: { key: IdempotencyKey; status: number; body: unknown }[] = []
  const freed: IdempotencyKey[] = []
  const results = group.map((submission): GroupResult => {
    const { idempotency } = submission
    const known = idempotency === null ? undefined : answered.get(nameOf(idempotency))
    if (idempotency !== null && known !== undefined) return replay(idempotency, known)
    const own = outcomes.get(submission) ?? []
    if (idempotency !== null) {
      const answer = submission.answerOf(own)
      if (answer === null) freed.push(idempotency)
      else answers.push({ key: idempotency, ...answer })
    }
    return { kind: 'done', outcomes: own }
  })
  await Promise.all([storeAnswers(posting, answers), freeKeys(posting, freed)])
  return results
}

function replay(key: IdempotencyKey, known: StoredAnswer): GroupResult {
  if (!known.bodyHash.equals(key.bodyHash)) return errors.idempotency_key_reused()
  return { kind: 'replayed', status: known.status, body: known.body }
}
