import { type AccountTable, accountTable } from '../../platform/account-tables.ts'

export const contactTables: readonly AccountTable[] = [accountTable('contact')]
