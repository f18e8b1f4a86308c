import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const inboxTables: readonly AccountTable[] = [accountTable('inbox')]
