// Turns hits into events. A hit is judged once all hits of the 2 s after it are known. One transaction counts it, writes its
// event under the hit's own id and marks it as judged: a crash in between undoes all of it.
//
// The judge locks the email's row first, so firsts and counters are exact however many judges run. It never waits for a lock:
// a hit or an email that another transaction holds is left for the next turn.
// Counters, `first_open` and `first_click` cover people only. A click by a person implies an open: when there was none
// before, the judge writes an open with the same facts beside the click.
//
// Links work for longer than emails are kept. A hit on a deleted email still becomes an event, with the facts from its token.
// Earlier hits are then unknown: counters and firsts are null, and statistics count nothing unique.

import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { firstIdAt, type Ids, timeOfId } from '../../platform/ids.ts'
import { type Loop, loop } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import { append, loggedAt, type NewEvent } from '../events/index.ts'
import { clientOf } from './clients.ts'
import { kindOf } from './hits.ts'
import { linkScansIn, machineReasonOf, type Period, WINDOW_MS } from './machine-hits.ts'
import * as sql from './sql.ts'
import type { EmailLedger, EngagedEmail } from './types.ts'

export interface JudgeOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly ledger: EmailLedger
  /** This process is receiving a burst of hits. */
  readonly isBurst: () => boolean
}

/** Least age of a hit to be judged: the window plus the usual delay into the database; a process further behind reports it. */
const LIES_MS = WINDOW_MS + 750
const AT_ONCE = 100
const EVERY_MS = 250
/** Pause after a full turn, as a multiple of its duration: a burst of hits is answered first and judged later. */
const RESTS = 1
const RESTS_IN_A_BURST = 10
const LONGEST_REST_MS = 1_000
const MAX_CLICKS_NEAR = 20_000

export function hitJudgingLoop(options: JudgeOptions): Loop {
  return loop({
    name: 'tracking judge',
    turn: async () => {
      const began = options.clock.monotonicMs()
      const isFull = (await judgeDueHits(options)) === AT_ONCE
      const rests = options.isBurst() ? RESTS_IN_A_BURST : RESTS
      return isFull ? Math.min((options.clock.monotonicMs() - began) * rests, LONGEST_REST_MS) : EVERY_MS
    },
    onError: (err) => options.log.warn({ err }, 'hits will be judged again'),
  })
}

/** Makes hits due that were taken while the clock was ahead. */
export async function recallHits(db: Db, now: Date): Promise<void> {
  await db.execute(sql.recallHits, [now])
}

/** @returns how many hits were looked at; 100 means that there may be more */
export async function judgeDueHits({
  database,
  clock,
  ids,
  ledger,
}: Omit<JudgeOptions, 'log' | 'isBurst'>): Promise<number> {
  const now = clock.now()
  const until = new Date(now.getTime() - LIES_MS)
  return database.transaction(async (db) => {
    const hits = await db.query<sql.HitRow>(sql.waitingHits, [until, AT_ONCE, WINDOW_MS])
    if (hits.length === 0) return 0
    const keys = keysOf(hits)
    const [locked, known, scans] = await Promise.all([
      ledger.lock(db, keys),
      ledger.facts(db, keys),
      scansNear(db, hits),
    ])
    const due = hits.filter(({ email_id: id }) => locked.has(id) || !known.has(id))
    const judging = new Map([...locked.values()].map((email) => [email.id, tallyOf(email)]))
    const events = due.flatMap((hit) => eventsOf(hit, judging.get(hit.email_id) ?? tallyOf(goneEmail(hit)), scans, ids))
    await Promise.all([
      append(
        db,
        events.map((event) => ({ ...event, at: loggedAt(event.at, now) })),
      ),
      ledger.count(
        db,
        keys.flatMap((key) => countOf(key, judging.get(key.id))),
      ),
      db.execute(sql.judged, [due.map((hit) => hit.account_id), due.map((hit) => hit.id)]),
    ])
    return hits.length
  })
}

/** The counters are null for an email that is no longer kept. */
type JudgedEmail = Omit<EngagedEmail, 'openCount' | 'clickCount'> & {
  readonly openCount: number | null
  readonly clickCount: number | null
}

interface Tally {
  readonly email: JudgedEmail
  opens: number
  clicks: number
}

function tallyOf(email: JudgedEmail): Tally {
  return { email, opens: 0, clicks: 0 }
}

function goneEmail(hit: sql.HitRow): JudgedEmail {
  return {
    id: hit.email_id,
    domainId: hit.domain_id,
    stream: hit.stream === 1 ? 'broadcast' : 'transactional',
    sandbox: hit.sandbox,
    tag: null,
    // Close enough: the email is weeks old, since emails awaiting delivery are kept.
    deliveredAt: timeOfId(hit.email_id),
    openCount: null,
    clickCount: null,
  }
}

/** @returns null: unknown */
function sum(before: number | null, more: number): number | null {
  return before === null ? null : before + more
}

function isFirst(human: boolean, before: number | null): boolean | null {
  return human && before === null ? null : human && before === 0
}

function countOf(
  key: { accountId: string; id: string },
  tally: Tally | undefined,
): { accountId: string; id: string; opens: number; clicks: number }[] {
  if (tally === undefined || (tally.opens === 0 && tally.clicks === 0)) return []
  return [{ ...key, opens: tally.opens, clicks: tally.clicks }]
}

function keysOf(hits: readonly sql.HitRow[]): { accountId: string; id: string }[] {
  const keys = new Map(hits.map((hit) => [hit.email_id, { accountId: hit.account_id, id: hit.email_id }]))
  return [...keys.values()]
}

/** When the clients that clicked among `hits` scanned the links of their mails, by `clientKeyOf`. */
async function scansNear(db: Db, hits: readonly sql.HitRow[]): Promise<ReadonlyMap<string, readonly Period[]>> {
  const clicks = hits.filter(({ kind }) => kindOf(kind) === 'click')
  if (clicks.length === 0) return new Map()
  const times = clicks.map(({ at }) => at.getTime())
  const low = new Date(Math.min(...times) - WINDOW_MS)
  const high = new Date(Math.max(...times) + WINDOW_MS)
  const keys = keysOf(clicks)
  const rows = await db.query<sql.ClicksNearRow>(sql.clicksNear, [
    keys.map(({ accountId }) => accountId),
    keys.map(({ id }) => id),
    firstIdAt(new Date(low.getTime() - 1_000)),
    firstIdAt(new Date(high.getTime() + 1_000)),
    low,
    high,
    MAX_CLICKS_NEAR,
  ])
  const scansOf = (row: sql.ClicksNearRow): readonly Period[] =>
    linkScansIn(
      row.at_ms.map((atMs, i) => ({ atMs, linkIndex: row.link_index[i] ?? 0, hidden: row.hidden[i] === true })),
    )
  return new Map(rows.map((row) => [clientKeyOf(row), scansOf(row)]))
}

/** The mail, plus the IP address and User-Agent, which distinguish clients. */
function clientKeyOf({
  email_id: id,
  ip,
  user_agent: userAgent,
}: Pick<sql.HitRow, 'email_id' | 'ip' | 'user_agent'>): string {
  return `${id} ${ip} ${userAgent}`
}

function eventsOf(
  hit: sql.HitRow,
  tally: Tally,
  scans: ReadonlyMap<string, readonly Period[]>,
  ids: Ids,
): readonly NewEvent[] {
  const { email } = tally
  const kind = kindOf(hit.kind) === 'click' ? 'click' : 'open'
  const client = clientOf(hit.user_agent, kind)
  const fetched = { kind, at: hit.at, head: hit.head, prefetch: hit.prefetch, agent: client.agent } as const
  const reason = machineReasonOf(fetched, email.deliveredAt, scans.get(clientKeyOf(hit)) ?? [])
  const human = reason === null
  const at = hit.at.toISOString()
  const reader = {
    user_agent: hit.user_agent,
    ip: hit.ip,
    platform: client.platform,
    client: client.name,
    is_machine: !human,
    machine_reason: reason,
  }
  const event = (type: NewEvent['type'], eventId: string, data: object): NewEvent => ({
    eventId,
    at: hit.at,
    accountId: hit.account_id,
    domainId: email.domainId,
    emailId: email.id,
    type,
    stream: email.stream,
    sandbox: email.sandbox,
    tag: email.tag,
    data,
    facts: null,
  })
  const opensSoFar = (): number | null => sum(email.openCount, tally.opens)
  if (kind === 'open') {
    const first = isFirst(human, opensSoFar())
    if (human) tally.opens++
    return [event('email.opened', hit.id, { opened_at: at, first_open: first, open_count: opensSoFar(), ...reader })]
  }
  const firstOpen = isFirst(human, opensSoFar())
  const firstClick = isFirst(human, sum(email.clickCount, tally.clicks))
  if (firstOpen === true) tally.opens++
  if (human) tally.clicks++
  const opened = { opened_at: at, first_open: firstOpen, open_count: opensSoFar(), ...reader }
  const clicked = event('email.clicked', hit.id, {
    ...opened,
    // A machine that follows a link shows the mail to nobody.
    opened_at: human ? at : null,
    clicked_at: at,
    url: hit.url,
    link_index: hit.link_index,
    first_click: firstClick,
    click_count: sum(email.clickCount, tally.clicks),
  })
  return firstOpen === true ? [event('email.opened', ids.next(), opened), clicked] : [clicked]
}
