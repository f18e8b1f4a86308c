import type { AccountTable } from '../../platform/db/account-tables.ts'
import { eraseAccountInbox } from './sql.ts'

export const inboxTables: readonly AccountTable[] = [{ table: 'inbox', erase: eraseAccountInbox }]
