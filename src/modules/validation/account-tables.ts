import { type AccountTable, accountTable } from '../../platform/db/account-tables.ts'

export const validationTables: readonly AccountTable[] = [accountTable('validation_result')]
