import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const domainTables: readonly AccountTable[] = [accountTable('sending_domain')]
