// The operator's look at reports about TLS, those about this host among them: `posthorn reports tls`.

import type { Command } from '../../platform/command.ts'
import { UsageError } from '../../platform/command.ts'
import { type ReportRow, wireTlsReport } from './routes.ts'
import * as sql from './sql.ts'

const PAGE = 200

export const tlsReportCommands: readonly Command[] = [
  {
    path: ['reports', 'tls'],
    summary: 'list the TLS reports received for sending domains and this host, newest first',
    usage: '[--domain <name>]',
    options: { domain: { type: 'string' }, json: { type: 'boolean' } },
    run: async ({ database, print }, values, positionals) => {
      if (positionals.length > 0) throw new UsageError('name the domain with --domain')
      const { domain } = values
      const name = typeof domain === 'string' ? domain.toLowerCase() : null
      for (let before: string | null = null, first = true; ; first = false) {
        const rows: readonly ReportRow[] = await database.system.query(sql.everyReport, [name, before, PAGE])
        for (const row of rows) print(values['json'] === true ? JSON.stringify(wireTlsReport(row)) : line(row))
        if (first && rows.length === 0 && values['json'] !== true) print('none')
        before = rows.at(-1)?.id ?? null
        if (rows.length < PAGE) return
      }
    },
  },
]

function line(row: ReportRow): string {
  const { begins_at: begins, domain, organization, successful, failed, report_id: id, dkim_domain: signer } = row
  const signed = signer === null ? `not verified: ${row.dkim_reason ?? row.dkim}` : `signed by ${signer}`
  const day = begins.toISOString().slice(0, 10)
  return [day, domain, organization, `${successful} successful`, `${failed} failed`, id, signed].join('\t')
}
