import { type AccountTable, accountTable } from '../../platform/account-tables.ts'

export const dmarcTables: readonly AccountTable[] = [accountTable('dmarc_report')]
