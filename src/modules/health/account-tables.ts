import { type AccountTable, accountTable } from '../../platform/account-tables.ts'

export const healthTables: readonly AccountTable[] = [accountTable('health_record')]
