import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const sendingTables: readonly AccountTable[] = [
  accountTable('content_block'),
  accountTable('idempotency'),
  accountTable('template_version'),
  accountTable('template'),
]
