import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const dmarcTables: readonly AccountTable[] = [accountTable('dmarc_report')]
