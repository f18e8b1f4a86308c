// `posthorn reports tls`: lists all received TLS reports for the operator, including those about this host.

import { allRows } from '../../platform/all-rows.ts'
import { type Command, JSON_OPTION, UsageError } from '../../platform/command.ts'
import { printRecords } from '../../platform/command-output.ts'
import { type ReportRow, wireTlsReport } from './routes.ts'
import * as sql from './sql.ts'

export const tlsReportCommands: readonly Command[] = [
  {
    path: ['reports', 'tls'],
    summary: 'list the TLS reports received for sending domains and this host, newest first',
    usage: '[--domain <name>]',
    options: { domain: { type: 'string', value: 'name', about: 'only reports about this domain' }, ...JSON_OPTION },
    run: async (context, values, positionals) => {
      if (positionals.length > 0) throw new UsageError('name the domain with --domain')
      const { domain } = values
      const name = typeof domain === 'string' ? domain.toLowerCase() : null
      const { system } = context.database
      const all = await allRows((before, limit) => system.query<ReportRow>(sql.everyReport, [name, before, limit]))
      if (values['json'] === true) return context.print(JSON.stringify(all.map(wireTlsReport)))
      printRecords(context, values, all.map(tableRow), [
        'day',
        'domain',
        'organization',
        'successful',
        'failed',
        'report_id',
        'signed_by',
      ])
    },
  },
]

function tableRow(row: ReportRow) {
  const { begins_at: begins, domain, organization, successful, failed, report_id, dkim_domain: signer } = row
  const signed_by = signer ?? `not verified: ${row.dkim_reason ?? row.dkim}`
  return { day: begins.toISOString().slice(0, 10), domain, organization, successful, failed, report_id, signed_by }
}
