import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const healthTables: readonly AccountTable[] = [accountTable('health_record')]
