import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'
import * as sql from './sql.ts'

export const webhookTables: readonly AccountTable[] = [
  { table: 'webhook_queue', erase: sql.eraseQueue },
  accountTable('webhook'),
  accountTable('webhook_delivery', 'id'),
]
