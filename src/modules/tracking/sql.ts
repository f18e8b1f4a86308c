import { statement } from '../../platform/db.ts'

// --- hits

// Skips hits that exist already, and returns the ids of the new ones.
export const addHits = statement(
  'tracking_add_hits',
  `insert into hit (id, account_id, email_id, kind, at, link_index, url, hidden, head, prefetch, user_agent, ip, waits, domain_id,
     stream, sandbox)
   select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[], $5::timestamptz[], $6::smallint[], $7::text[],
     $8::boolean[], $9::boolean[], $10::boolean[], $11::text[], $12::text[], $13::boolean[], $14::uuid[],
     $15::smallint[], $16::boolean[])
   on conflict (account_id, id) do nothing returning id`,
)

export interface HitRow {
  readonly id: string
  readonly account_id: string
  readonly email_id: string
  readonly kind: number
  readonly at: Date
  readonly link_index: number | null
  readonly url: string | null
  readonly hidden: boolean
  readonly head: boolean
  readonly prefetch: boolean
  readonly user_agent: string
  readonly ip: string
  readonly domain_id: string | null
  readonly stream: number
  readonly sandbox: boolean
}

const HIT =
  'id, account_id, email_id, kind, at, link_index, url, hidden, head, prefetch, user_agent, ip, domain_id, stream, sandbox'

// Skips hits that another judge has locked. $3 the window in ms: all hits within it after a hit must be there too, by the
// progress that each process reports. A process that has reported nothing for 10 s counts as gone.
export const waitingHits = statement(
  'tracking_waiting_hits',
  `select ${HIT} from hit where waits and at <= least($1, (
     select min(hits_until) - $3 * interval '1 millisecond' from journal_node
     where told_at > clock_timestamp() - interval '10 seconds'))
   order by at limit $2 for update skip locked`,
)
/** $1 now. Hits from later were taken by a clock that has been put back since: they would wait until then to be judged. */
export const recallHits = statement('tracking_recall_hits', 'update hit set at = $1 where waits and at > $1')
/** The clicks of one client on one mail, in order of time. */
export interface ClicksNearRow {
  readonly email_id: string
  readonly ip: string
  readonly user_agent: string
  readonly at_ms: readonly number[]
  readonly link_index: readonly number[]
  readonly hidden: readonly boolean[]
}

// Only for clients that may have scanned the links: three different ones, or a hidden one.
// $3 the smallest possible id, $4 the bound above the largest: these prune partitions. $7 the most clicks to look at.
export const clicksNear = statement(
  'tracking_clicks_near',
  `select email_id, ip, user_agent, array_agg((extract(epoch from at) * 1000)::float8 order by at) as at_ms,
     array_agg(coalesce(link_index, 0) order by at) as link_index, array_agg(hidden order by at) as hidden
   from (
     select h.account_id, h.email_id, h.at, h.link_index, h.hidden, h.user_agent, h.ip
     from unnest($1::uuid[], $2::uuid[]) as k(account_id, email_id)
       join hit h on h.account_id = k.account_id and h.email_id = k.email_id
     where h.kind = 1 and h.id >= $3 and h.id < $4 and h.at >= $5 and h.at <= $6 limit $7) as near
   group by account_id, email_id, ip, user_agent
   having count(distinct coalesce(link_index, 0)) >= 3 or bool_or(hidden)`,
)
export const judged = statement(
  'tracking_judged',
  `update hit h set waits = false from unnest($1::uuid[], $2::uuid[]) as k(account_id, id)
   where h.account_id = k.account_id and h.id = k.id`,
)
export const ensurePartitions = statement(
  'tracking_ensure_partitions',
  `select ensure_partitions('hit', true, $1::date, $2)`,
)
export const dropPartition = statement('tracking_drop_partition', `select drop_partition('hit', $1::date) as day`)

// --- targets that no link may lead to

export const blockTarget = statement(
  'tracking_block_target',
  'insert into blocked_target (host) values ($1) on conflict (host) do nothing',
)
export const unblockTarget = statement('tracking_unblock_target', 'delete from blocked_target where host = $1')
export const blockedTargets = statement('tracking_blocked_targets', 'select host from blocked_target order by host')

// --- the keys of tokens

export interface TokenKeyRow {
  readonly number: number
  readonly since: Date
  readonly retired: boolean
  readonly secret: number
}
export const tokenKeys = statement(
  'tracking_token_keys',
  'select number, since, retired, secret from token_key order by number',
)
/** $1 since when: late enough for every process to load it first, $2 the number of the instance's secret. */
export const addTokenKey = statement(
  'tracking_add_token_key',
  `insert into token_key (number, since, secret) select coalesce(max(number), 1) + 1, $1, $2 from token_key
   returning number, since, retired, secret`,
)
/** $1 the oldest key that stays. Key 1 has no row until it is retired. */
export const retireTokenKeys = statement(
  'tracking_retire_token_keys',
  `insert into token_key (number, since, retired) select number, 'epoch', true from generate_series(1, $1 - 1) as number
   on conflict (number) do update set retired = true`,
)

// Those that wait are about to become events. By the account alone: this is asked rarely, and hits are kept for two weeks.
export const eraseHits = statement(
  'tracking_erase_hits',
  'delete from hit where account_id = $1 and email_id = any($2) and not waits',
)
