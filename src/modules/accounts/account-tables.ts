import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const accountOwnTables: readonly AccountTable[] = [
  accountTable('api_key'),
  accountTable('dashboard_session'),
  accountTable('dashboard_user'),
  accountTable('forgetting'),
  accountTable('setup_token'),
  accountTable('smtp_credential'),
  accountTable('usage'),
]
