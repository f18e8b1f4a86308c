// `posthorn reports dmarc`: lists all received DMARC reports for the operator.

import type { Command } from '../../platform/command.ts'
import { domainReportsCommand } from '../../platform/domain-reports/command.ts'
import { type ReportRow, wireDmarcReport } from './routes.ts'
import * as sql from './sql.ts'

export const dmarcReportCommands: readonly Command[] = [
  domainReportsCommand({
    kind: 'dmarc',
    summary: 'list the DMARC aggregate reports received for sending domains, newest first',
    every: sql.everyReport,
    wire: wireDmarcReport,
    line: tableRow,
    columns: ['day', 'domain', 'organization', 'messages', 'passed', 'quarantined', 'rejected', 'signed_by'],
  }),
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
