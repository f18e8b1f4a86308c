// What we promise with a 2xx or a 250 depends on the database keeping what it committed. A server that may lose commits is
// refused at the start, ours or anyone's. Every later connection is checked too (db.ts), because after a failover it is
// another server with its own settings.

export interface Queryable {
  query(text: string): Promise<{ rows: unknown[] }>
}

const OLDEST = 150_000

/**
 * Rejects with all faults when this server, as this user sees it, is older than PostgreSQL 15 or may lose a commit. Call it
 * on a connection with the user and database of the service: synchronous_commit can be set for either.
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
