// An instance with many accounts, made by the database itself: rows of one real account, copied with other ids and names, and the
// long lists of that account. The sealed keys of copies do not open, since a seal is bound to its row: copies read, but do not send.

import pg from 'pg'
import { newKey } from '../src/modules/accounts/key-format.ts'
import { systemIds } from '../src/platform/ids.ts'
import type { Account, Posthorn } from '../test/peers/posthorn.ts'

export interface TenantsWorld {
  /** The account that the others are copied from; it has the long lists. */
  readonly large: Account
  /** A live key of each other account. */
  readonly keys: readonly string[]
  readonly megabytes: number
}

export interface TenantsOptions {
  readonly accounts: number
  readonly suppressions: number
  readonly contacts: number
}

const AS_SERVICE = 'set search_path to posthorn; set statement_timeout to 0'
const IDS = `create temporary table tenant as
  select i, md5('tenant' || i)::uuid as account_id from generate_series(1, $1::int) i`

/** A row of `table` for each tenant, like that of account $1, with these columns of its own. */
const copies = (table: string, own: string): string =>
  `insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(m) || jsonb_build_object(
     'account_id', t.account_id, ${own}))).* from tenant t cross join ${table} m where m.account_id = $1`
const idOf = (what: string): string => `'id', md5('${what}' || t.i)::uuid`
/** Spread over the coming day, as rechecks of names that were added at different times are. */
const IN_A_DAY = `now() + (t.i % 86400) * interval '1 second'`

// A tenth is suspended. Half of the branded names have a certificate, of which only the time of its renewal is ever read here.
const ACCOUNTS = copies(
  'account',
  `'name', 'Tenant ' || t.i, 'email', 'owner' || t.i || '@tenant.test', 'suspended_at', case when t.i % 10 = 0 then now() end`,
)
const COPIED = [
  copies(
    'sending_domain',
    `${idOf('domain')}, 'name', 'd' || t.i || '.tenant.test', 'status', 'verified', 'verified_at', now(),
     'tracking_domain_id', null, 'next_check_at', ${IN_A_DAY}`,
  ),
  copies(
    'tracking_domain',
    `${idOf('name')}, 'name', 'go.d' || t.i || '.tenant.test', 'verified_at', now(), 'next_check_at', ${IN_A_DAY},
     'ssl_status', case when t.i % 2 = 0 then 'issued' else 'none' end, 'ssl_due_at', now() + interval '30 days'`,
  ),
  copies('smtp_credential', `'username', md5('smtp' || t.i)`),
  copies('webhook', `${idOf('webhook')}, 'name', 'Endpoint of ' || t.i`),
  copies('dashboard_user', `${idOf('user')}, 'email', 'owner' || t.i || '@tenant.test', 'operator', false`),
]
const KEYS = `insert into api_key (account_id, id, name, prefix, last4, hash, mode, scopes, created_at)
  select t.account_id, md5('key' || t.i)::uuid, 'Live', k.prefix, k.last4, k.hash, 'live', '{full}', now()
  from unnest($1::text[], $2::text[], $3::bytea[]) with ordinality as k(prefix, last4, hash, i) join tenant t on t.i = k.i`
// $1 account, $2 how many; a fifth of the addresses are also contacts.
const SUPPRESSIONS = `insert into suppression (account_id, email, id, reason, source, created_at)
  select $1, 'user' || i || '@d' || i % 999 || '.dest.test', md5('suppressed' || i)::uuid, i / 5 % 5 + 1, 'bounce',
    now() - i * interval '10 seconds' from generate_series(1, $2::int) i`
const UNSUBSCRIBES = `insert into unsubscribe (account_id, email, id, source, created_at)
  select $1, 'user' || i || '@d' || i % 999 || '.dest.test', md5('unsubscribed' || i)::uuid, 'link', now() - i * interval '1 minute'
  from generate_series(1, $2::int) i`
const CONTACTS = `insert into contact (id, account_id, email, address, name, status, source, tags, double_opt_in, created_at, updated_at)
  select md5('contact' || i)::uuid, $1, 'user' || i * 5 || '@d' || i * 5 % 999 || '.dest.test',
    'user' || i * 5 || '@d' || i * 5 % 999 || '.dest.test', 'Person ' || i,
    case when i % 20 = 0 then 'pending_confirmation' else 'subscribed' end, 'import', array['list ' || i % 7], true, now(), now()
  from generate_series(1, $2::int) i`
const SIZE = 'select pg_database_size(current_database())::float8 / 1e6 as megabytes'

/** @param adminUrl a superuser of the database of `posthorn` */
export async function makeTenants(
  { call, account }: Posthorn,
  adminUrl: string,
  { accounts, suppressions, contacts }: TenantsOptions,
): Promise<TenantsWorld> {
  const large = await account('Large')
  const add = async (path: string, body: object): Promise<void> => {
    const { status, body: answer } = await call(large.api_key, 'POST', `/api/v1${path}`, body)
    if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`)
  }
  await add('/customer/domains', { domain: 'large.test' })
  await add('/customer/tracking-domains', { domain: 'go.large.test' })
  await add('/customer/webhooks', { url: 'https://tenant.test/hook', events: ['email.delivered'] })
  const made = Array.from({ length: accounts }, () => newKey('live', systemIds().bytes))
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(AS_SERVICE)
    await client.query(IDS, [accounts])
    const of = [large.account_id]
    await client.query(ACCOUNTS, of)
    for (const one of COPIED) await client.query(one, of)
    const column = (name: 'prefix' | 'last4' | 'hash'): unknown[] => made.map((key) => key[name])
    await client.query(KEYS, [column('prefix'), column('last4'), column('hash')])
    await client.query(SUPPRESSIONS, [large.account_id, suppressions])
    await client.query(UNSUBSCRIBES, [large.account_id, Math.round(suppressions / 5)])
    await client.query(CONTACTS, [large.account_id, contacts])
    await client.query('vacuum analyze')
    await client.query('checkpoint')
    const { rows } = await client.query<{ megabytes: number }>(SIZE)
    return { large, keys: made.map(({ key }) => key), megabytes: Math.round(rows[0]?.megabytes ?? 0) }
  } finally {
    await client.end()
  }
}
