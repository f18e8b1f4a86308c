import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const transportTables: readonly AccountTable[] = [accountTable('tls_report')]
