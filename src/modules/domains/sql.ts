import { matches } from '../../platform/db/sql-pattern.ts'
import { statement } from '../../platform/db.ts'

/** A row of the statements below, without the sealed keys. */
export interface DomainRow {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly tags: readonly string[]
  readonly status: string
  readonly verification_token: string
  readonly dkim_selector: string
  readonly dkim_public_key: string
  readonly ed25519_public_key: string
  readonly ed25519_check: unknown
  readonly optional_checks: unknown
  readonly tracking_enabled: boolean | null
  readonly open_tracking_enabled: boolean | null
  readonly click_tracking_enabled: boolean | null
  readonly unsubscribe_header_enabled: boolean | null
  readonly tracking_domain_id: string | null
  readonly checks: unknown
  readonly spf_lost: boolean
  readonly created_at: Date
  readonly verified_at: Date | null
  readonly last_checked_at: Date | null
  readonly status_since: Date
  readonly next_check_at: Date | null
  readonly next_dkim_selector: string | null
  readonly next_dkim_public_key: string | null
  readonly next_ed25519_public_key: string | null
  readonly next_dkim_check: unknown
  readonly next_ed25519_check: unknown
  readonly next_dkim_since: Date | null
  readonly previous_dkim_selector: string | null
  readonly dkim_replaced_at: Date | null
}

const COLUMNS = `id, account_id, name, tags, status, verification_token, dkim_selector, dkim_public_key, ed25519_public_key,
  ed25519_check, optional_checks, tracking_enabled, open_tracking_enabled, click_tracking_enabled, unsubscribe_header_enabled, tracking_domain_id, checks, spf_lost,
  created_at, verified_at, last_checked_at, status_since, next_check_at, next_dkim_selector, next_dkim_public_key,
  next_ed25519_public_key, next_dkim_check, next_ed25519_check, next_dkim_since, previous_dkim_selector, dkim_replaced_at`

export const add = statement(
  'domains_add',
  `insert into sending_domain (id, account_id, name, tags, verification_token, dkim_selector, dkim_public_key,
     dkim_private_key, ed25519_public_key, ed25519_private_key, created_at, status_since, next_check_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12) on conflict (account_id, name) do nothing returning ${COLUMNS}`,
)
export const exists = statement(
  'domains_exists',
  'select 1 as found from sending_domain where account_id = $1 and name = $2',
)
export const byId = statement(
  'domains_by_id',
  `select ${COLUMNS} from sending_domain where account_id = $1 and id = $2`,
)
export const lock = statement(
  'domains_lock',
  `select ${COLUMNS} from sending_domain where account_id = $1 and id = $2 for update`,
)
// $2: the ids that the API key is bound to, $3 pattern of the name, $4 status; null for all.
const LISTED = `account_id = $1 and ($2::uuid[] is null or id = any($2))
  and ($3::text is null or ${matches('name', '$3')}) and ($4::text is null or status = $4)`
export const count = statement('domains_count', `select count(*) as n from sending_domain where ${LISTED}`)
export const list = statement(
  'domains_list',
  `select ${COLUMNS} from sending_domain where ${LISTED} order by id limit $5 offset $6`,
)
// Writes all settings: the caller holds the row's lock.
export const change = statement(
  'domains_change',
  `update sending_domain set tags = $3, tracking_enabled = $4, open_tracking_enabled = $5, click_tracking_enabled = $6,
     unsubscribe_header_enabled = $7, tracking_domain_id = $8 where account_id = $1 and id = $2 returning ${COLUMNS}`,
)
export const remove = statement('domains_remove', 'delete from sending_domain where account_id = $1 and id = $2')
export const judge = statement(
  'domains_judge',
  `update sending_domain set status = $3, status_since = $4, spf_lost = $5, verified_at = $6, next_check_at = $7,
     checks = coalesce($8::jsonb, checks), last_checked_at = coalesce($9, last_checked_at),
     ed25519_check = coalesce($10::jsonb, ed25519_check), ed25519_published = coalesce($11, ed25519_published),
     optional_checks = coalesce($12::jsonb, optional_checks),
     return_path_published = coalesce($13, return_path_published)
   where account_id = $1 and id = $2 returning ${COLUMNS}`,
)
// --- replacing the DKIM keys

/** $3 to $7 selector, public and sealed private RSA key, public and sealed private Ed25519 key; $8 now; $9 the latest next check. */
export const beginDkimRotation = statement(
  'domains_begin_dkim_rotation',
  `update sending_domain set next_dkim_selector = $3, next_dkim_public_key = $4, next_dkim_private_key = $5,
     next_ed25519_public_key = $6, next_ed25519_private_key = $7, next_dkim_since = $8,
     next_check_at = case when next_check_at is not null then least(next_check_at, $9) end
   where account_id = $1 and id = $2 returning ${COLUMNS}`,
)
const NO_NEXT_KEYS = `next_dkim_selector = null, next_dkim_public_key = null, next_dkim_private_key = null,
  next_ed25519_public_key = null, next_ed25519_private_key = null, next_dkim_check = null, next_ed25519_check = null,
  next_dkim_since = null`
export const cancelDkimRotation = statement(
  'domains_cancel_dkim_rotation',
  `update sending_domain set ${NO_NEXT_KEYS} where account_id = $1 and id = $2 returning ${COLUMNS}`,
)
export const keepDkimRotationChecks = statement(
  'domains_keep_dkim_rotation_checks',
  'update sending_domain set next_dkim_check = $3, next_ed25519_check = $4 where account_id = $1 and id = $2',
)
// The replaced private keys are gone with this. Whether the second key is published is for the caller to record.
export const finishDkimRotation = statement(
  'domains_finish_dkim_rotation',
  `update sending_domain set previous_dkim_selector = dkim_selector, dkim_replaced_at = $3,
     dkim_selector = next_dkim_selector, dkim_public_key = next_dkim_public_key, dkim_private_key = next_dkim_private_key,
     ed25519_public_key = next_ed25519_public_key, ed25519_private_key = next_ed25519_private_key,
     ed25519_published = false, ${NO_NEXT_KEYS}
   where account_id = $1 and id = $2`,
)

// --- rechecks

// Leases a recheck by postponing its due time: if its process dies, the recheck is due again when the lease ends.
/** $1 now, $2 the end of the lease, $3 how many, $4 accounts to leave out. */
export const claimDue = statement(
  'domains_claim_due',
  `update sending_domain set next_check_at = $2 where id = any(array(
     select id from sending_domain where next_check_at <= $1 and account_id <> all($4::uuid[])
     order by next_check_at limit $3 for update skip locked))
   returning ${COLUMNS}`,
)
// A recheck that is further ahead than its schedule allows was planned by a clock that has been put back since.
/** $1 now, $2 to $4 the latest next check: often, hourly, daily; $5 checked often when the status began after this. */
export const recallChecks = statement(
  'domains_recall_checks',
  `update sending_domain set next_check_at = $1 where next_check_at > case
     when status = 'verified' and not spf_lost then $4::timestamptz
     when status <> 'verified' and status_since > $5 then $2::timestamptz else $3::timestamptz end`,
)
/** $1 accounts to leave out. */
export const nextDue = statement(
  'domains_next_due',
  `select next_check_at as at from sending_domain where next_check_at is not null and account_id <> all($1::uuid[])
   order by next_check_at limit 1`,
)
export const byAnyName = statement(
  'domains_by_any_name',
  `select ${COLUMNS} from sending_domain where name = $1 order by id limit 100`,
)
export const byAnyId = statement('domains_by_any_id', `select ${COLUMNS} from sending_domain where id = $1`)

// --- statements for other modules

/** An SQL expression for statements of other modules: true when the domain with this id was removed. */
export function removedSql(id: string): string {
  return `not exists (select from sending_domain d where d.id = ${id})`
}

export const sender = statement(
  'domains_sender',
  `select ${COLUMNS} from sending_domain where account_id = $1 and name = $2`,
)
export const keys = statement(
  'domains_keys',
  `select id, name, status, dkim_selector, dkim_private_key,
     case when ed25519_published then ed25519_private_key end as ed25519_private_key, return_path_published
   from sending_domain where id = any($1::uuid[])`,
)
export const oldestUsable = statement(
  'domains_oldest_usable',
  `select id, name from sending_domain where account_id = $1 and status in ('verified', 'temporary_failure')
   order by id limit 1`,
)
export const owned = statement(
  'domains_owned',
  'select id from sending_domain where account_id = $1 and id = any($2::uuid[])',
)
export const usingTrackingDomain = statement(
  'domains_using_tracking_domain',
  'select id, name from sending_domain where account_id = $1 and tracking_domain_id = $2 order by id limit 100',
)
export const leaveTrackingDomain = statement(
  'domains_leave_tracking_domain',
  'update sending_domain set tracking_domain_id = null where account_id = $1 and tracking_domain_id = $2 returning name',
)

/** Payload: `<account id>/<domain name>`. Sent with the commit of the change. */
export const CHANGED_CHANNEL = 'posthorn_domains'
export const notify = statement('domains_notify', `select pg_notify('${CHANGED_CHANNEL}', $1 || '/' || $2)`)
export const trackingAssignments = statement(
  'domains_tracking_assignments',
  'select id, tracking_domain_id from sending_domain where tracking_domain_id is not null',
)
