import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const contactTables: readonly AccountTable[] = [accountTable('contact')]
