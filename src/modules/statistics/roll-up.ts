// Rolls up the log. A stretch of the log is counted as a whole or not at all: the counts, the firsts and the follower's cursor
// are written in one transaction.

import type { Db } from '../../platform/db.ts'
import { forgottenOfSince, SYSTEM_ACCOUNT_ID } from '../accounts/index.ts'
import type { FollowedEvent } from '../events/index.ts'
import { COUNTER_OF_FIRST, COUNTERS, type Counter, countersOf, FIRSTS, type First, firstsOf } from './counters.ts'
import * as sql from './sql.ts'

export const NO_DOMAIN = '00000000-0000-0000-0000-000000000000'
export const SCOPE = { account: 0, domain: 1, tag: 2, domainAndTag: 3 } as const
/** A mail's stream as stored in the roll-ups. `none` is for events without a mail, such as an unsubscribe by a key. */
export const STREAM = { transactional: 0, broadcast: 1, none: 2 } as const
export const SPAN = { quarter: 0, day: 1, hour: 2 } as const

export const QUARTER_MS = 900_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
export const SPANS = [
  [SPAN.quarter, QUARTER_MS],
  [SPAN.hour, HOUR_MS],
  [SPAN.day, DAY_MS],
] as const

type Dimensions = Pick<FollowedEvent, 'accountId' | 'domainId' | 'emailId' | 'tag' | 'stream' | 'sandbox'>

interface Row {
  readonly key: readonly [string, number, number, string, string, Date, number, boolean]
  readonly counts: Int32Array
}

interface Rows {
  readonly byKey: Map<string, Row>
  /** The rows in which an event of one quarter of an hour counts. Most events share them with the previous event. */
  readonly ofEvent: Map<string, readonly Row[]>
}

/** The follower's effect. The system's own mail is not counted. */
export async function rollUp(db: Db, all: readonly FollowedEvent[]): Promise<void> {
  const rows: Rows = { byKey: new Map(), ofEvent: new Map() }
  const events = await stillToCount(
    db,
    all.filter(({ accountId }) => accountId !== SYSTEM_ACCOUNT_ID),
  )
  for (const event of events) {
    for (const counter of countersOf(event)) add(rows, event, event.at, counter, 1)
  }
  await countFirsts(db, events, rows)
  const changed = [...rows.byKey.values()].filter(({ counts }) => counts.some((count) => count !== 0))
  if (changed.length === 0) return
  const keys = Array.from({ length: 8 }, (_, i) => changed.map(({ key }) => key[i]))
  const counts = COUNTERS.map((_, i) => changed.map((row) => row.counts[i]))
  await db.execute(sql.addCounts, [...keys, ...counts])
}

/** Leaves out events of days that are being forgotten: their figures are kept, so a replay must not count them again. */
export async function stillToCount(db: Db, events: readonly FollowedEvent[]): Promise<readonly FollowedEvent[]> {
  const times = events.map(({ at }) => at.getTime())
  if (times.length === 0) return events
  const accounts = [...new Set(events.map(({ accountId }) => accountId))]
  const forgetting = await forgottenOfSince(db, accounts, new Date(Math.min(...times)))
  if (forgetting.size === 0) return events
  return events.filter(({ accountId, at }) => at >= (forgetting.get(accountId) ?? at))
}

function add(rows: Rows, of: Dimensions, at: Date, counter: Counter, amount: number): void {
  const { accountId, domainId, sandbox, tag } = of
  const stream = streamOf(of)
  const quarter = Math.floor(at.getTime() / QUARTER_MS)
  const name = `${quarter} ${accountId} ${domainId} ${stream} ${sandbox}${tag === null ? '' : ` ${tag}`}`
  let counted = rows.ofEvent.get(name)
  if (counted === undefined) {
    counted = rowsOf(rows, of, at)
    rows.ofEvent.set(name, counted)
  }
  const position = COUNTERS.indexOf(counter)
  for (const { counts } of counted) counts[position] = (counts[position] ?? 0) + amount
}

/** One row per span and scope. */
function rowsOf({ byKey }: Rows, of: Dimensions, at: Date): readonly Row[] {
  const stream = streamOf(of)
  return SPANS.flatMap(([span, lengthMs]) => {
    const bucketMs = Math.floor(at.getTime() / lengthMs) * lengthMs
    return scopesOf(of).map(([scope, domainId, tag]) => {
      const name = `${of.accountId} ${scope} ${span} ${domainId} ${bucketMs} ${stream} ${of.sandbox} ${tag}`
      let row = byKey.get(name)
      if (row === undefined) {
        const key = [of.accountId, scope, span, domainId, tag, new Date(bucketMs), stream, of.sandbox] as const
        row = { key, counts: new Int32Array(COUNTERS.length) }
        byKey.set(name, row)
      }
      return row
    })
  })
}

function streamOf({ emailId, stream }: Dimensions): number {
  return emailId === null ? STREAM.none : STREAM[stream]
}

export function scopesOf({
  domainId,
  tag,
}: Pick<Dimensions, 'domainId' | 'tag'>): readonly (readonly [scope: number, domainId: string, tag: string])[] {
  const scopes: (readonly [number, string, string])[] = [[SCOPE.account, NO_DOMAIN, '']]
  if (domainId !== null) scopes.push([SCOPE.domain, domainId, ''])
  if (tag !== null) scopes.push([SCOPE.tag, NO_DOMAIN, tag])
  if (domainId !== null && tag !== null) scopes.push([SCOPE.domainAndTag, domainId, tag])
  return scopes
}

type Firsts = { -readonly [Name in First]: Date | null }
type FirstsRow = Firsts & { readonly account_id: string; readonly email_id: string }

/** When an earlier first turns up, its count moves to the earlier day. */
async function countFirsts(db: Db, events: readonly FollowedEvent[], rows: Rows): Promise<void> {
  const engaged = events.filter((event) => event.emailId !== null && firstsOf(event).length > 0)
  if (engaged.length === 0) return
  const byEmail = Map.groupBy(engaged, ({ accountId, emailId }) => `${accountId} ${emailId}`)
  const some = [...byEmail.values()].flatMap((group) => group.slice(0, 1))
  const stored = await db.query<FirstsRow>(sql.readFirsts, [
    some.map(({ accountId }) => accountId),
    some.map(({ emailId }) => emailId),
  ])
  const known = new Map(stored.map((row) => [`${row.account_id} ${row.email_id}`, row]))
  const written: FirstsRow[] = []
  for (const [name, group] of byEmail) {
    const before: Firsts = known.get(name) ?? { opened: null, any_opened: null, clicked: null, any_clicked: null }
    const after = firstsAfter(before, group)
    const [event] = group
    if (event === undefined || event.emailId === null || FIRSTS.every((first) => after[first] === before[first]))
      continue
    written.push({ account_id: event.accountId, email_id: event.emailId, ...after })
    for (const first of FIRSTS) move(rows, event, COUNTER_OF_FIRST[first], before[first], after[first])
  }
  if (written.length === 0) return
  const columns = ['account_id', 'email_id', ...FIRSTS] as const
  await db.execute(
    sql.writeFirsts,
    columns.map((column) => written.map((row) => row[column])),
  )
}

function firstsAfter(before: Firsts, events: readonly FollowedEvent[]): Firsts {
  const after: Firsts = {
    opened: before.opened,
    any_opened: before.any_opened,
    clicked: before.clicked,
    any_clicked: before.any_clicked,
  }
  for (const event of events) {
    for (const first of firstsOf(event)) {
      const known = after[first]
      if (known === null || event.at < known) after[first] = event.at
    }
  }
  return after
}

function move(rows: Rows, of: Dimensions, counter: Counter, from: Date | null, to: Date | null): void {
  if (from === to || to === null) return
  if (from !== null) add(rows, of, from, counter, -1)
  add(rows, of, to, counter, 1)
}
