// What we promise with a 2xx or a 250 rests on the database keeping what it committed. A server that is set up to forget
// is refused at the start, ours or anyone's; and so is each connection to one later (db.ts), for after a failover it is
// another server with settings of its own.

export interface Queryable {
  query(text: string): Promise<{ rows: unknown[] }>
}

const OLDEST = 150_000

/**
 * Rejects with every fault when this server, as this user sees it, is older than PostgreSQL 15 or may lose a commit.
 * Ask on a connection of the user and database that the service uses: synchronous_commit can be set for either.
 */
export async function assertDurable(client: Queryable): Promise<void> {
  const names = `'fsync', 'synchronous_commit', 'full_page_writes', 'server_version_num', 'server_version'`
  const { rows } = await client.query(`select name, setting from pg_catalog.pg_settings where name in (${names})`)
  const found = new Map((rows as { name: string; setting: string }[]).map(({ name, setting }) => [name, setting]))
  const faults = ['fsync', 'synchronous_commit', 'full_page_writes']
    .filter((name) => (found.get(name) ?? 'off') === 'off')
    .map((name) => `${name} is off: an accepted mail could be lost in a power cut; set it to on`)
  if (Number(found.get('server_version_num') ?? 0) < OLDEST) {
    faults.unshift(`it is PostgreSQL ${found.get('server_version')}; 15 or newer is needed`)
  }
  if (faults.length > 0) throw new Error(`this database cannot be used: ${faults.join('. ')}`)
}
