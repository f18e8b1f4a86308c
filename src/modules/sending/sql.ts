import { statement } from '../../platform/db.ts'
import { judgedEmailsSql } from '../outbox/index.ts'

// In key order, so that two groups with the same keys wait for each other instead of deadlocking. If another process holds
// a key, this one waits for its commit and then returns the same answer.
export const claimKeys = statement(
  'sending_claim_keys',
  `insert into idempotency (account_id, path, key, body_hash, created_at)
   select account_id, path, key, body_hash, $5
   from unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[]) as k(account_id, path, key, body_hash)
   order by account_id, path, key
   on conflict (account_id, path, key) do update
     set body_hash = excluded.body_hash, answer = null, status = null, created_at = excluded.created_at
     where idempotency.created_at < $6
   returning account_id, path, key`,
)
export const findKeys = statement(
  'sending_find_keys',
  `select i.account_id, i.path, i.key, i.body_hash, i.answer, i.status
   from unnest($1::uuid[], $2::text[], $3::text[]) as k(account_id, path, key)
   cross join lateral (select * from idempotency i where i.account_id = k.account_id and i.path = k.path and i.key = k.key) i`,
)
export const storeAnswers = statement(
  'sending_store_answers',
  `update idempotency i set answer = k.answer, status = k.status
   from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::smallint[]) as k(account_id, path, key, answer, status)
   where i.account_id = k.account_id and i.path = k.path and i.key = k.key`,
)
export const freeKeys = statement(
  'sending_free_keys',
  `delete from idempotency i using unnest($1::uuid[], $2::text[], $3::text[]) as k(account_id, path, key)
   where i.account_id = k.account_id and i.path = k.path and i.key = k.key`,
)
export const forgetKeys = statement(
  'sending_forget_keys',
  `delete from idempotency i using (
     select account_id, path, key from idempotency where created_at < $1 order by created_at limit $2 for update skip locked) o
   where i.account_id = o.account_id and i.path = o.path and i.key = o.key`,
)

export interface TemplateRow {
  readonly id: string
  readonly name: string
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

const TEMPLATE = 'id, name, subject, html, text, version, created_at, updated_at'

export const templates = statement(
  'sending_templates',
  `select ${TEMPLATE} from template where account_id = $1 order by id offset $2 limit $3`,
)
export const countTemplates = statement(
  'sending_count_templates',
  'select count(*) as count from template where account_id = $1',
)
export const templateById = statement(
  'sending_template',
  `select ${TEMPLATE} from template where account_id = $1 and id = $2`,
)
export const addTemplate = statement(
  'sending_add_template',
  `insert into template (id, account_id, name, subject, html, text, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7) returning ${TEMPLATE}`,
)
export const replaceTemplate = statement(
  'sending_replace_template',
  `update template set name = $3, subject = $4, html = $5, text = $6, version = version + 1, updated_at = $7
   where id = $1 and account_id = $2 returning ${TEMPLATE}`,
)
// Deleting the template first waits for concurrent changes of it; the second statement then sees the versions they added.
export const removeTemplate = statement(
  'sending_remove_template',
  'delete from template where account_id = $1 and id = $2',
)
export const removeVersions = statement(
  'sending_remove_template_versions',
  'delete from template_version where account_id = $1 and template_id = $2',
)

export type TemplateVersionRow = Omit<TemplateRow, 'updated_at'>

const VERSION = 'template_id as id, name, subject, html, text, version, created_at'

export const keepVersion = statement(
  'sending_keep_template_version',
  `insert into template_version (account_id, template_id, version, name, subject, html, text, bytes, created_at)
   select account_id, id, version, name, subject, html, text,
     octet_length(subject) + coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0), updated_at
   from template where account_id = $1 and id = $2`,
)
/** $2: versions kept of one template, $3: bytes kept of all versions. The newest version of each template stays. */
export const dropVersions = statement(
  'sending_drop_template_versions',
  `with aged as (
     select template_id, version, row_number() over (partition by template_id order by version desc) as place,
       sum(bytes) over (order by created_at desc, template_id, version desc rows unbounded preceding) as bytes
     from template_version where account_id = $1)
   delete from template_version v using aged a
   where v.account_id = $1 and v.template_id = a.template_id and v.version = a.version
     and a.place > 1 and (a.place > $2 or a.bytes > $3)`,
)
export const versionOf = statement(
  'sending_template_version',
  `select ${VERSION} from template_version where account_id = $1 and template_id = $2 and version = $3`,
)
export const versionsOf = statement(
  'sending_template_versions',
  `select ${VERSION} from template_version where account_id = $1 and template_id = $2
   order by version desc offset $3 limit $4`,
)
export const countVersions = statement(
  'sending_count_template_versions',
  'select count(*) as count from template_version where account_id = $1 and template_id = $2',
)
/** Held until the transaction ends, so that two concurrent additions are counted together. */
export const lockTemplates = statement(
  'sending_lock_templates',
  `select pg_advisory_xact_lock(hashtextextended('templates ' || $1::text, 0))`,
)
export const templatesSize = statement(
  'sending_templates_size',
  `select count(*) as count, coalesce(sum(octet_length(subject) + coalesce(octet_length(html), 0)
     + coalesce(octet_length(text), 0)), 0)::bigint as bytes
   from template where account_id = $1`,
)

export const addContentBlocks = statement(
  'sending_add_content_blocks',
  `insert into content_block (account_id, id, domain_id, score, level, matches, created_at)
   select account_id, id, domain_id, score, level, matches, $7
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[], $5::text[], $6::jsonb[])
     as t(account_id, id, domain_id, score, level, matches)`,
)
export const forgetContentBlocks = statement(
  'sending_forget_content_blocks',
  `delete from content_block b using (
     select account_id, id from content_block where created_at < $1 order by created_at limit $2
   ) old where b.account_id = old.account_id and b.id = old.id`,
)

export interface ContentEventRow {
  readonly id: string
  readonly email_id: string | null
  readonly event: string
  readonly score: number
  readonly level: string
  readonly matches: readonly object[]
}

// Content of level high or critical counts against an email: it blocked the email, or was let through with a warning. $2 $3 ids
// from and below, $4 email, $5 domains, $6 level; null matches all.
const OF_EMAILS = `select e.id, e.id as email_id,
     case when e.risk ->> 'content_level' not in ('high', 'critical') then 'content.scored'
       when (e.risk ->> 'would_block')::boolean and not (e.risk ->> 'overridden')::boolean
         and e.risk ->> 'reason_code' in ('content_risk_high', 'risk_score_critical') then 'content.blocked'
       else 'content.warned' end as event,
     (e.risk ->> 'content_score')::int as score, e.risk ->> 'content_level' as level,
     coalesce(e.risk -> 'content_matches', '[]') as matches
   from (${judgedEmailsSql({ accountId: '$1', from: '$2', below: '$3' })}) e
   where e.risk ? 'content_level' and ($4::uuid is null or e.id = $4) and ($5::uuid[] is null or e.domain_id = any($5))
     and ($6::text is null or e.risk ->> 'content_level' = $6)`
const OF_BLOCKS = `select b.id, null::uuid as email_id, 'content.blocked' as event, b.score::int, b.level, b.matches
   from content_block b
   where b.account_id = $1 and b.id >= $2 and b.id < $3 and $4::uuid is null and ($5::uuid[] is null or b.domain_id = any($5))
     and ($6::text is null or b.level = $6)`

/** Newest first; $7 limit, $8 offset, $9 their sum. */
export const contentEvents = statement(
  'sending_content_events',
  `select * from ((${OF_EMAILS} order by id desc limit $9) union all (${OF_BLOCKS} order by id desc limit $9)) both_kinds
   order by id desc limit $7 offset $8`,
)
/** $7: where counting stops. */
export const countContentEvents = statement(
  'sending_count_content_events',
  `select count(*)::int as total from (select 1 from (${OF_EMAILS} union all ${OF_BLOCKS}) both_kinds limit $7) counted`,
)
