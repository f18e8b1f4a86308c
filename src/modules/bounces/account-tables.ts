import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const bounceTables: readonly AccountTable[] = [accountTable('bounce')]
