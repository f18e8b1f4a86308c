// The columns that are stored sealed, declared by the rooms that store them, and their resealing after a change of the
// instance's secret. A row is replaced only if it still holds what was read; one written meanwhile is left to the next pass.
// Each row is a transaction of its own, so the next pass resumes one that was cut off.

import type { Db, Statement } from '../db.ts'
import type { Secrets } from '../secrets.ts'
import { sealedStatements } from './sql-secrets.ts'

export interface SealedColumn {
  /** Such as `dkim key`: the purpose that is sealed for, named when a value cannot be opened. */
  readonly purpose: string
  /**
   * $1 number of the current secret, $2 row id to continue after (empty: from the beginning), $3 limit. Answers `SealedRow`s
   * sealed under another secret, ordered by row id.
   */
  readonly find: Statement
  /** $1 row id, $2 the value that was read, $3 its replacement. */
  readonly replace: Statement
}

export interface SealedRow {
  /** The id that the sealed value is bound to. */
  readonly row_id: string
  readonly sealed: Buffer
}

const AT_ONCE = 500

/**
 * A column that is bound to the row's primary key.
 *
 * @param name name part of its statements
 * @param key the key column and its type
 */
export function sealedColumn(
  name: string,
  purpose: string,
  { table, column, key: [key, kind] }: { table: string; column: string; key: readonly [string, 'uuid' | 'text'] },
): SealedColumn {
  return { purpose, ...sealedStatements(name, table, column, key, kind) }
}

/**
 * Runs one pass.
 *
 * @returns the number of rows resealed
 * @throws at the end of the pass, when some could not be opened
 */
export async function sealAnew(db: Db, secrets: Secrets, { purpose, find, replace }: SealedColumn): Promise<number> {
  const broken: string[] = []
  let sealed = 0
  for (let after = ''; ; ) {
    const rows = await db.query<SealedRow>(find, [secrets.present(), after, AT_ONCE])
    for (const row of rows) {
      const plain = opened(secrets, purpose, row)
      if (plain === null) broken.push(row.row_id)
      else sealed += await db.execute(replace, [row.row_id, row.sealed, secrets.seal(purpose, row.row_id, plain)])
    }
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.row_id
  }
  if (broken.length > 0) throw new Error(`${purpose}: ${broken.length} cannot be opened, such as that of ${broken[0]}`)
  return sealed
}

function opened(secrets: Secrets, purpose: string, { row_id, sealed }: SealedRow): Buffer | null {
  try {
    return secrets.open(purpose, row_id, sealed)
  } catch {
    return null
  }
}
