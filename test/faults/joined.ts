// Joins the ledgers of a run: a case is one mail to one recipient, with everything that the actors saw of it.

import path from 'node:path'
import { type Line, readLedger } from './ledger.ts'

export const ACTORS = ['generator', 'farm', 'sink', 'clicker', 'nemesis', 'survey'] as const
export type Ledgers = Readonly<Record<(typeof ACTORS)[number], readonly Line[]>>

export function readLedgers(folder: string): Ledgers {
  const read = ACTORS.map((actor) => [actor, readLedger(path.join(folder, `${actor}.ledger`))] as const)
  return Object.fromEntries(read) as unknown as Ledgers
}

export interface Copy {
  /** Time of its final dot. */
  readonly t: number
  /** Time of the reply to it; null: none. */
  readonly saidAt: number | null
  readonly messageId: string
  readonly bodyHash: string
}

/** An event in the product's log. */
export interface ToldEvent {
  readonly account: string
  readonly event: string
  readonly type: string
  readonly email: string | null
  readonly to: string | null
  readonly subject: string | null
  readonly agent: string | null
}

export interface Case {
  readonly id: string
  readonly account: string
  readonly to: string
  /** First word of the address. */
  readonly kind: string
  readonly askedAt: number
  readonly accepted: boolean
  /** Not by a later try than one without an answer, which may have been accepted. */
  readonly refused: boolean
  /** The mail was accepted without this recipient, who is on a suppression list. */
  readonly listed: boolean
  /** By time of arrival. */
  readonly copies: readonly Copy[]
  /** Events of its delivery, without those of its readers. */
  readonly events: readonly ToldEvent[]
  readonly emailIds: readonly string[]
  /** 1, plus 1 for each 451 to a client without a key that left unknown whether the mail was stored. */
  readonly mayBeTaken: number
}

export interface Survey {
  /** Only email events, including those of readers. */
  readonly events: readonly ToldEvent[]
  readonly statistics: readonly { readonly account: string; readonly data: Readonly<Record<string, unknown>> }[]
}

export const BY_READERS = ['email.opened', 'email.clicked', 'email.unsubscribed']

export function surveyOf({ survey }: Ledgers): Survey {
  return {
    events: survey.filter(({ k }) => k === 'event') as unknown as ToldEvent[],
    statistics: survey.filter(({ k }) => k === 'statistics') as unknown as Survey['statistics'],
  }
}

/** Submission looks for a commit that the database has not confirmed for about 15 s before it answers 451. */
const UNKNOWN_AFTER_MS = 14_000

const key = (id: unknown, to: unknown): string => `${String(id)} ${String(to)}`

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const own = groups.get(keyOf(one))
    if (own === undefined) groups.set(keyOf(one), [one])
    else own.push(one)
  }
  return groups
}

export function casesOf(ledgers: Ledgers): readonly Case[] {
  const { generator, farm } = ledgers
  const said = new Map(farm.filter(({ k }) => k === 'said').map((line) => [Number(line['n']), line.t]))
  const copies = grouped(
    farm
      .filter(({ k }) => k === 'dot')
      .flatMap(({ t, n, id, to, messageId, bodyHash }) =>
        (to as string[]).map((address) => ({
          id,
          address,
          t,
          saidAt: said.get(Number(n)) ?? null,
          messageId,
          bodyHash,
        })),
      ),
    ({ id, address }) => key(id, address),
  )
  const lives = surveyOf(ledgers).events.filter(({ type }) => !BY_READERS.includes(type) && type.startsWith('email.'))
  const events = grouped(lives, ({ subject, to }) => key(subject?.replace('mail ', ''), to))
  const oks = new Map(generator.filter(({ k }) => k === 'ok').map((line) => [String(line['id']), line]))
  const unknown = generator.filter(
    ({ k, status, ms }) => k === 'try' && status === 451 && Number(ms) >= UNKNOWN_AFTER_MS,
  )
  const unknownOf = grouped(unknown, ({ id }) => String(id))
  const unanswered = new Set(generator.filter(({ k, status }) => k === 'try' && status === null).map(({ id }) => id))
  const nos = new Set(generator.filter(({ k, id }) => k === 'no' && !unanswered.has(id)).map(({ id }) => String(id)))
  return generator
    .filter(({ k }) => k === 'ask')
    .flatMap(({ t, id, account, to, keyed }) =>
      (to as string[]).map((address): Case => {
        const answer = oks.get(id)?.['emails'] as
          | { email: string; status: string; email_id: string | null }[]
          | undefined
        const own = answer?.find(({ email }) => email === address)
        const told = events.get(key(id, address)) ?? []
        const ids = [...told.map(({ email }) => email), own?.email_id].filter((one) => typeof one === 'string')
        return {
          id,
          account,
          to: address,
          kind: address.split('-')[0] ?? '',
          askedAt: t,
          accepted: own?.status === 'queued',
          refused: nos.has(id),
          listed: own !== undefined && own.status !== 'queued',
          copies: [...(copies.get(key(id, address)) ?? [])].sort((a, b) => a.t - b.t),
          events: told.filter(({ type }) => !BY_READERS.includes(type)),
          emailIds: [...new Set(ids)],
          mayBeTaken: 1 + (keyed === false ? (unknownOf.get(String(id))?.length ?? 0) : 0),
        }
      }),
    )
}
