// `posthorn reports tls`: lists all received TLS reports for the operator, including those about this host.

import type { Command } from '../../platform/command.ts'
import { domainReportsCommand } from '../../platform/domain-reports/command.ts'
import { type ReportRow, wireTlsReport } from './routes.ts'
import * as sql from './sql.ts'

export const tlsReportCommands: readonly Command[] = [
  domainReportsCommand({
    kind: 'tls',
    summary: 'list the TLS reports received for sending domains and this host, newest first',
    every: sql.everyReport,
    wire: wireTlsReport,
    line: tableRow,
    columns: ['day', 'domain', 'organization', 'successful', 'failed', 'report_id', 'signed_by'],
  }),
]

function tableRow(row: ReportRow) {
  const { begins_at: begins, domain, organization, successful, failed, report_id, dkim_domain: signer } = row
  const signed_by = signer ?? `not verified: ${row.dkim_reason ?? row.dkim}`
  return { day: begins.toISOString().slice(0, 10), domain, organization, successful, failed, report_id, signed_by }
}
