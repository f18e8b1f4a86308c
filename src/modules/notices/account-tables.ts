import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const noticeTables: readonly AccountTable[] = [accountTable('notice')]
