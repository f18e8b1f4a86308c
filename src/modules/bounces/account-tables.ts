import { type AccountTable, accountTable } from '../../platform/account-tables.ts'

export const bounceTables: readonly AccountTable[] = [accountTable('bounce')]
