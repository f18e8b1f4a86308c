import { type AccountTable, accountTable } from '../../platform/account-tables.ts'

export const inboxTables: readonly AccountTable[] = [accountTable('inbox')]
