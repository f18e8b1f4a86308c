// Where in the database a person is named.

import { statement } from '../../src/platform/db.ts'
import type { World } from './world.ts'

const TABLES = statement(
  'test_person_tables',
  `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = 'posthorn' and c.relkind in ('r', 'p') and not c.relispartition order by c.relname`,
)

/** The tables with a row in which the text occurs, in any column that is not binary. */
export async function tablesNaming(world: World, text: string): Promise<readonly string[]> {
  const { system } = world.rooms.database
  const named: string[] = []
  for (const { name } of await system.query<{ name: string }>(TABLES, [])) {
    const ask = statement(
      `test_person_${name}`,
      `select 1 as found from ${name} t where t::text ilike '%' || $1 || '%'`,
    )
    if ((await system.one(ask, [text])) !== null) named.push(name)
  }
  return named
}
