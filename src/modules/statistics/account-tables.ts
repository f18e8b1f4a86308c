import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const statisticsTables: readonly AccountTable[] = [
  accountTable('stat_bucket'),
  accountTable('stat_first'),
  accountTable('stat_provider'),
]
