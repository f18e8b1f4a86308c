// `posthorn reports dmarc`: lists all received DMARC reports for the operator.

import { allRows } from '../../platform/all-rows.ts'
import { type Command, JSON_OPTION, UsageError } from '../../platform/command.ts'
import { printRecords } from '../../platform/command-output.ts'
import { type ReportRow, wireDmarcReport } from './routes.ts'
import * as sql from './sql.ts'

const COLUMNS = ['day', 'domain', 'organization', 'messages', 'passed', 'quarantined', 'rejected', 'signed_by'] as const

export const dmarcReportCommands: readonly Command[] = [
  {
    path: ['reports', 'dmarc'],
    summary: 'list the DMARC aggregate reports received for sending domains, newest first',
    usage: '[--domain <name>]',
    options: { domain: { type: 'string', value: 'name', about: 'only reports about this domain' }, ...JSON_OPTION },
    run: async (context, values, positionals) => {
      if (positionals.length > 0) throw new UsageError('name the domain with --domain')
      const { domain } = values
      const name = typeof domain === 'string' ? domain.toLowerCase() : null
      const { system } = context.database
      const all = await allRows((before, limit) => system.query<ReportRow>(sql.everyReport, [name, before, limit]))
      if (values['json'] === true) return context.print(JSON.stringify(all.map(wireDmarcReport)))
      printRecords(context, values, all.map(tableRow), COLUMNS)
    },
  },
]

function tableRow(row: ReportRow) {
  const { begins_at: begins, domain, organization, messages, passed, quarantined, rejected, dkim_domain: signer } = row
  const signed_by = signer ?? `not verified: ${row.dkim_reason ?? row.dkim}`
  return {
    day: begins.toISOString().slice(0, 10),
    domain,
    organization,
    messages,
    passed,
    quarantined,
    rejected,
    signed_by,
  }
}
