// What is stored sealed, named by the rooms that store it, and sealed anew when the instance's secret was changed. A row is
// replaced only if it is still what was read; one that was written meanwhile is met by the next pass. Each row is a
// transaction of its own, so a pass that is cut off is gone on with by the next.

import type { Db, Statement } from './db.ts'
import type { Secrets } from './secrets.ts'
import { sealedStatements } from './sql-secrets.ts'

export interface SealedColumn {
  /** Such as `dkim key`: what is sealed for, and told when one cannot be opened. */
  readonly purpose: string
  /**
   * $1 the number of the secret that is right, $2 the row id to go on after (empty: from the beginning), $3 how many.
   * Answers `SealedRow`s that were sealed under another secret, by row id.
   */
  readonly find: Statement
  /** $1 row id, $2 what was read, $3 what takes its place. */
  readonly replace: Statement
}

export interface SealedRow {
  /** What the secret is bound to. */
  readonly row_id: string
  readonly sealed: Buffer
}

const AT_ONCE = 500

/**
 * A column that is bound to its row's one key.
 *
 * @param name of its statements
 * @param key the column, and what it is
 */
export function sealedColumn(
  name: string,
  purpose: string,
  { table, column, key: [key, kind] }: { table: string; column: string; key: readonly [string, 'uuid' | 'text'] },
): SealedColumn {
  return { purpose, ...sealedStatements(name, table, column, key, kind) }
}

/**
 * One pass.
 *
 * @returns how many were sealed anew
 * @throws when some could not be opened, at the end of the pass
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
