// The statements on the instance's secrets, and on values sealed with them.

import { type Statement, statement } from '../db.ts'

/** Notified to every process when something about the secrets has changed. */
export const SECRETS_CHANNEL = 'secret_key'

export interface KeyRow {
  readonly number: number
  readonly check_mac: string
  readonly sealed: Buffer | null
  readonly begun_at: Date | null
  readonly finished_at: Date | null
}

export const addSecretCheck = statement(
  'platform_add_secret_check',
  `insert into instance (name, value) values ('secret_check', $1) on conflict (name) do nothing`,
)
export const secretCheck = statement(
  'platform_read_secret_check',
  `select value from instance where name = 'secret_check'`,
)
export const secretKeys = statement(
  'platform_secret_keys',
  'select number, check_mac, sealed, begun_at, finished_at from secret_key order by number',
)
export const lockSecretKeys = statement(
  'platform_lock_secret_keys',
  `select pg_advisory_xact_lock(hashtext('secret_key'))`,
)
/** $1 number, $2 check MAC, $3 sealed or null, $4 time of announcement, $5 whether it has begun and finished at that time. */
export const putSecretKey = statement(
  'platform_put_secret_key',
  `insert into secret_key (number, check_mac, sealed, announced_at, begun_at, finished_at)
   values ($1, $2, $3, $4, case when $5 then $4::timestamptz end, case when $5 then $4::timestamptz end)
   on conflict (number) do update set sealed = excluded.sealed`,
)
export const beginSecretKey = statement(
  'platform_begin_secret_key',
  'update secret_key set begun_at = $2 where number = $1 and begun_at is null',
)
export const finishSecretKey = statement(
  'platform_finish_secret_key',
  'update secret_key set finished_at = $2 where number = $1 and finished_at is null',
)
export const tellOfSecrets = statement('platform_tell_secret_keys', `select pg_notify('${SECRETS_CHANNEL}', '')`)

const FIRST_UUID = `coalesce(nullif($2, ''), '00000000-0000-0000-0000-000000000000')::uuid`

/** The statements of a `SealedColumn` (sealed-columns.ts). */
export function sealedStatements(
  name: string,
  table: string,
  column: string,
  key: string,
  kind: 'uuid' | 'text',
): { readonly find: Statement; readonly replace: Statement } {
  return {
    find: statement(
      `${name}_to_seal`,
      `select ${key}::text as row_id, ${column} as sealed from ${table}
       where ${key} > ${kind === 'uuid' ? FIRST_UUID : '$2'} and get_byte(${column}, 0) <> $1 order by ${key} limit $3`,
    ),
    replace: statement(
      `${name}_sealed_anew`,
      `update ${table} set ${column} = $3 where ${key} = $1::${kind} and ${column} = $2`,
    ),
  }
}
