import { type Statement, statement } from '../db.ts'

/** $1 account, $2 limit. */
export function eraseRows(table: string, key: string): Statement {
  return statement(
    `account_erase_${table}`,
    `delete from ${table} where account_id = $1
       and ${key} = any(array(select ${key} from ${table} where account_id = $1 limit $2))`,
  )
}
