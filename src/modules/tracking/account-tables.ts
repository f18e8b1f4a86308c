import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const trackingTables: readonly AccountTable[] = [
  accountTable('hit', 'id'),
  accountTable('tracking_domain'),
  accountTable('tracking_domain_hold'),
  accountTable('tracking_new_certificate'),
]
