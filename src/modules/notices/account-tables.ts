import { type AccountTable, accountTable } from '../../platform/account-tables.ts'

export const noticeTables: readonly AccountTable[] = [accountTable('notice')]
