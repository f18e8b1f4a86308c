// The state of the tables that outlive their rows: dead rows, and the size of tables and indexes.

import pg from 'pg'

export interface Standing {
  readonly name: string
  readonly live: number
  readonly dead: number
  readonly table_kb: number
  readonly index_kb: number
}

// Partitions are dropped whole, so they count as one table. Includes the catalogs that grow and shrink with partitions.
const STANDING = `
  select name, sum(live)::int as live, sum(dead)::int as dead, (sum(bytes) / 1024)::int as table_kb,
    (sum(index_bytes) / 1024)::int as index_kb
  from (
    select regexp_replace(relname, '_\\d{8}$', ' of all days') as name, n_live_tup as live, n_dead_tup as dead,
      pg_relation_size(relid) as bytes, pg_indexes_size(relid) as index_bytes
    from pg_stat_all_tables
    where schemaname = 'posthorn' or relname in ('pg_class', 'pg_attribute', 'pg_statistic', 'pg_depend', 'pg_index')
  ) t
  group by name having sum(bytes) > 0 order by sum(bytes) + sum(index_bytes) desc limit 20`

/** The largest twenty. @param url of a superuser */
export async function standing(url: string): Promise<readonly Standing[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Standing>(STANDING)).rows
  } finally {
    await client.end()
  }
}
