// The query plans that the server makes for statements of the service.

import { type Database, type Statement, statement } from '../../src/platform/db.ts'

/**
 * The plan as the service's own connections get it: prepared once, and planned without parameter values.
 *
 * @param how options of EXPLAIN
 * @param values SQL literals, one for each parameter
 * @returns the rows of EXPLAIN's answer
 */
export async function explainPrepared<T>(
  database: Database,
  { name, text }: Statement,
  how: string,
  values: readonly string[],
): Promise<readonly T[]> {
  const rows = await database.transaction(async (db) => {
    await db.execute(statement(`prepare_${name}`, `prepare planned_${name} as ${text}`))
    const asked = `explain (${how}) execute planned_${name}${values.length === 0 ? '' : `(${values.join()})`}`
    return db.query<{ 'QUERY PLAN': T }>(statement(`explain_${name}`, asked))
  })
  return rows.map((row) => row['QUERY PLAN'])
}
