import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const suppressionTables: readonly AccountTable[] = [
  accountTable('erased_address'),
  accountTable('list_removal'),
  accountTable('past_refusal'),
  accountTable('recipient_erasure'),
  accountTable('soft_bounce'),
  accountTable('suppression'),
  accountTable('unsubscribe'),
]
