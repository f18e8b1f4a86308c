// Deliverability by mailbox provider: the results of the attempts that reached a provider's hosts. An attempt counts once, on
// the day of its answer: accepted; deferred (including the last deferral and broken-off attempts); blocked (refused because of
// who we are or what we send); bounced (any other refusal). Reports after a delivery do not answer an attempt.
//
// As exact as the other roll-ups: counted from the log in the transaction that advances the follower's cursor.

import type { Db } from '../../platform/db.ts'
import { SYSTEM_ACCOUNT_ID } from '../accounts/index.ts'
import type { FollowedEvent } from '../events/index.ts'
import { rate } from './figures.ts'
import { type Asked, datesOf, read } from './report.ts'
import { SPANS, STREAM, scopesOf, stillToCount } from './roll-up.ts'
import * as sql from './sql-providers.ts'

export type Answer = (typeof sql.ANSWERS)[number]
type Answers = Readonly<Record<Answer, number>>

/** The figure that the event raises by one; null when it does not answer an attempt. */
export function answerOf({ type, data, provider }: Pick<FollowedEvent, 'type' | 'data' | 'provider'>): Answer | null {
  if (provider === null) return null
  if (type === 'email.delivered') return 'accepted'
  if (type === 'email.bounced') return data['type'] === 'block' ? 'blocked' : 'bounced'
  return type === 'email.deferred' || type === 'email.failed' ? 'deferred' : null
}

interface Group {
  readonly of: FollowedEvent
  readonly counts: Record<Answer, number>
}

const QUARTER_MS = SPANS[0][1]

/** The follower's effect, beside the other roll-ups. The system's own mail is not counted. */
export async function rollUpProviders(db: Db, all: readonly FollowedEvent[]): Promise<void> {
  const answered = all.filter((event) => event.accountId !== SYSTEM_ACCOUNT_ID && answerOf(event) !== null)
  const groups = new Map<string, Group>()
  for (const event of await stillToCount(db, answered)) {
    const { accountId, domainId, at, stream, sandbox, provider, tag } = event
    const quarter = Math.floor(at.getTime() / QUARTER_MS)
    const name = `${accountId} ${domainId} ${quarter} ${stream} ${sandbox} ${provider} ${tag === null ? '' : `=${tag}`}`
    let group = groups.get(name)
    if (group === undefined) {
      group = { of: event, counts: { accepted: 0, deferred: 0, bounced: 0, blocked: 0 } }
      groups.set(name, group)
    }
    const answer = answerOf(event)
    if (answer !== null) group.counts[answer]++
  }
  if (groups.size === 0) return
  const rows = rowsOf([...groups.values()])
  const keys = Array.from({ length: 9 }, (_, i) => rows.map(({ key }) => key[i]))
  await db.execute(sql.addAnswers, [...keys, ...sql.ANSWERS.map((name) => rows.map(({ counts }) => counts[name]))])
}

interface Row {
  readonly key: readonly unknown[]
  readonly counts: Record<Answer, number>
}

function rowsOf(groups: readonly Group[]): readonly Row[] {
  const rows = new Map<string, Row>()
  for (const { of, counts } of groups) {
    const { accountId, stream, sandbox, provider } = of
    for (const [span, lengthMs] of SPANS) {
      const bucketMs = Math.floor(of.at.getTime() / lengthMs) * lengthMs
      for (const [scope, domainId, tag] of scopesOf(of)) {
        const name = `${accountId} ${scope} ${span} ${domainId} ${bucketMs} ${stream} ${sandbox} ${provider} ${tag}`
        let row = rows.get(name)
        if (row === undefined) {
          const key = [accountId, scope, span, domainId, tag, new Date(bucketMs), STREAM[stream], sandbox, provider]
          row = { key, counts: { accepted: 0, deferred: 0, bounced: 0, blocked: 0 } }
          rows.set(name, row)
        }
        for (const answer of sql.ANSWERS) row.counts[answer] += counts[answer]
      }
    }
  }
  return [...rows.values()]
}

// --- the report

type AnswersRow = { readonly date: string; readonly provider: string } & Answers

interface Tries extends Answers {
  readonly attempts: number
}

interface ProviderTries extends Tries {
  readonly provider: string
}

interface Day extends Tries {
  readonly date: string
  readonly providers: readonly ProviderTries[]
}

type Rates = Readonly<Record<`${Answer}_rate`, number | null>>

interface ProvidersReport {
  readonly data: readonly Day[]
  readonly totals: Tries & Rates & { readonly providers: readonly (ProviderTries & Rates)[] }
}

export async function providersReport(db: Db, accountId: string, of: Asked): Promise<ProvidersReport> {
  const rows = await read<AnswersRow>(db, accountId, sql.answersByDay, of)
  const byDay = Map.groupBy(rows, ({ date }) => date)
  const providers = byProvider(rows).map((tries) => ({ ...tries, ...ratesOf(tries) }))
  const totals = sumOf(rows)
  return {
    data: datesOf(of.period).map((date) => {
      const known = byDay.get(date) ?? []
      return { date, ...sumOf(known), providers: byProvider(known) }
    }),
    totals: { ...totals, ...ratesOf(totals), providers },
  }
}

/** Busiest first. */
function byProvider(rows: readonly AnswersRow[]): readonly ProviderTries[] {
  const groups = [...Map.groupBy(rows, ({ provider }) => provider)]
  return groups
    .map(([provider, of]) => ({ provider, ...sumOf(of) }))
    .sort((a, b) => b.attempts - a.attempts || (a.provider < b.provider ? -1 : 1))
}

function sumOf(rows: readonly AnswersRow[]): Tries {
  const sum = (name: Answer): number => rows.reduce((total, row) => total + row[name], 0)
  const [accepted, deferred, bounced, blocked] = [sum('accepted'), sum('deferred'), sum('bounced'), sum('blocked')]
  return { attempts: accepted + deferred + bounced + blocked, accepted, deferred, bounced, blocked }
}

function ratesOf({ attempts, accepted, deferred, bounced, blocked }: Tries): Rates {
  return {
    accepted_rate: rate(accepted, attempts),
    deferred_rate: rate(deferred, attempts),
    bounced_rate: rate(bounced, attempts),
    blocked_rate: rate(blocked, attempts),
  }
}
