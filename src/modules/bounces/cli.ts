// Lists inbound mail for the operator: `posthorn reports ...`. Mail that could not be read, and mail for postmaster and abuse
// that was not forwarded, is kept with its bytes for 65 days, up to a gigabyte; of all other mail only the outcome is kept.

import { feedbackAddress } from '../../mail/verp.ts'
import { type Command, JSON_OPTION, UsageError } from '../../platform/command.ts'
import { printRecords } from '../../platform/command-output.ts'
import { allRows } from '../../platform/db/all-rows.ts'
import type { Db } from '../../platform/db.ts'
import { isUuid } from '../../platform/ids.ts'
import { KINDS, type ReportKind } from './inbound.ts'
import * as sql from './sql.ts'

const STATES = ['waiting', 'done', 'quarantined'] as const

interface ReportRow {
  readonly id: string
  readonly kind: string
  readonly local_part: string
  readonly received_at: Date
  readonly state: number
  readonly tries: number
  readonly outcome: string | null
  readonly bytes: number | null
}

export interface ReportCount {
  readonly kind: string
  /** `waiting`, or the outcome. */
  readonly outcome: string
  readonly count: number
  readonly oldest: Date
}

/** Counts of the last 65 days, by kind and outcome: forged and foreign reports are `unmatched`. */
export function reportCounts(db: Db): Promise<readonly ReportCount[]> {
  return db.query<ReportCount>(sql.COUNT_REPORTS, [])
}

export const reportCommands: readonly Command[] = [
  {
    path: ['reports', 'list'],
    summary: 'list the mail received by the inbound MX, newest first',
    usage: `[--state ${STATES.join('|')}] [--outcome <outcome>] [--kind ${KINDS.join('|')}]`,
    options: {
      state: { type: 'string', value: STATES.join('|'), about: 'only mail in this state' },
      outcome: { type: 'string', value: 'outcome', about: 'only mail with this outcome, as `reports count` names it' },
      kind: { type: 'string', value: 'kind', about: 'only mail to addresses of this kind' },
      ...JSON_OPTION,
    },
    run: async (context, values, [more]) => {
      if (more !== undefined) throw new UsageError(`unexpected argument "${more}"`)
      const state = values['state'] === undefined ? null : STATES.indexOf(values['state'] as (typeof STATES)[number])
      if (state === -1) throw new UsageError(`--state must be one of ${STATES.join(', ')}`)
      const kind = values['kind'] ?? null
      if (kind !== null && !KINDS.includes(kind as ReportKind))
        throw new UsageError(`--kind must be one of ${KINDS.join(', ')}`)
      const filter = [state, values['outcome'] ?? null, kind]
      const { system } = context.database
      const all = await allRows((before, limit) =>
        system.query<ReportRow>(sql.LIST_REPORTS, [...filter, before, limit]),
      )
      printRecords(context, values, all.map(shown), [
        'id',
        'received_at',
        'kind',
        'state',
        'outcome',
        'tries',
        'bytes',
        'local_part',
      ])
    },
  },
  {
    path: ['reports', 'count'],
    summary: 'count the mail received in the last 65 days, by kind and outcome',
    usage: '',
    options: JSON_OPTION,
    run: async (context, values) => {
      const counts = await reportCounts(context.database.system)
      printRecords(context, values, counts, ['kind', 'outcome', 'count', 'oldest'])
    },
  },
  {
    path: ['reports', 'address'],
    summary: 'print the address to give to one provider for its complaint reports; keep it private',
    usage: '<name of the provider, such as yahoo>',
    options: JSON_OPTION,
    settings: ['POSTHORN_HOSTNAME'],
    run: async ({ config, secrets, print }, values, [name = '', ...more]) => {
      const address = feedbackAddress(secrets.signer('verp'), name, config.hostname)
      if (address === null || more.length > 0)
        throw new UsageError('name one provider: at most 30 characters of a-z, 0-9 and hyphens')
      print(values['json'] === true ? JSON.stringify({ provider: name, address }) : address)
    },
  },
  {
    path: ['reports', 'show'],
    summary: 'print the original of one mail, if it is kept',
    usage: '<report id>',
    options: {},
    run: async ({ database, print }, _values, positionals) => {
      const row = await database.system.one<{ raw: Buffer | null }>(sql.SHOW_REPORT, [idOf(positionals)])
      if (row?.raw == null) throw new Error(`the original of report ${positionals[0]} is not available`)
      print(row.raw)
    },
  },
  {
    path: ['reports', 'retry'],
    summary: 'process one mail again, such as after an upgrade',
    usage: '<report id>',
    options: JSON_OPTION,
    run: async ({ database, clock, print }, values, positionals) => {
      const id = idOf(positionals)
      const changed = await database.system.execute(sql.RETRY_REPORT, [id, clock.now()])
      if (changed === 0)
        throw new Error(`report ${id} does not exist, is already waiting, or its original is not available`)
      print(values['json'] === true ? JSON.stringify({ id, state: 'waiting' }) : `${id} will be processed again`)
    },
  },
]

function idOf(positionals: readonly string[]): string {
  const [id, ...more] = positionals
  if (id === undefined || more.length > 0 || !isUuid(id)) throw new UsageError('name one report by its id')
  return id
}

function shown(row: ReportRow) {
  return {
    id: row.id,
    received_at: row.received_at.toISOString(),
    kind: row.kind,
    state: STATES[row.state] ?? 'done',
    outcome: row.outcome,
    tries: row.tries,
    bytes: row.bytes,
    local_part: row.local_part,
  }
}
