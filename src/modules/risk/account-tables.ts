import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const riskTables: readonly AccountTable[] = [
  accountTable('risk_override'),
  accountTable('risk_preview_count'),
  accountTable('sent_day'),
]
