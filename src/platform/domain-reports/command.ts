// `posthorn reports <kind>`: lists the received reports about domains for the operator, whatever they report.

import { type Command, JSON_OPTION, UsageError } from '../command.ts'
import { printRecords } from '../command-output.ts'
import { allRows } from '../db/all-rows.ts'
import type { Statement } from '../db.ts'

export interface DomainReportsCommand<Row, Line extends object> {
  /** The word after `reports`. */
  readonly kind: string
  readonly summary: string
  /** `everyReport` of sql.ts. */
  readonly every: Statement
  /** As the API shows it, for `--json`. */
  readonly wire: (row: Row) => object
  readonly line: (row: Row) => Line
  readonly columns: readonly (keyof Line & string)[]
}

export function domainReportsCommand<Row extends { readonly id: string }, Line extends object>({
  kind,
  summary,
  every,
  wire,
  line,
  columns,
}: DomainReportsCommand<Row, Line>): Command {
  return {
    path: ['reports', kind],
    summary,
    usage: '[--domain <name>]',
    options: { domain: { type: 'string', value: 'name', about: 'only reports about this domain' }, ...JSON_OPTION },
    run: async (context, values, positionals) => {
      if (positionals.length > 0) throw new UsageError('name the domain with --domain')
      const { domain } = values
      const name = typeof domain === 'string' ? domain.toLowerCase() : null
      const { system } = context.database
      const all = await allRows((before, limit) => system.query<Row>(every, [name, before, limit]))
      if (values['json'] === true) return context.print(JSON.stringify(all.map(wire)))
      printRecords(context, values, all.map(line), columns)
    },
  }
}
