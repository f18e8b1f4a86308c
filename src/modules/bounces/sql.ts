import { statement } from '../../platform/db.ts'

export const RECORD_BOUNCES = statement(
  'bounces_record',
  `insert into bounce (id, account_id, email_id, domain_id, recipient, recipient_key, message_id, sender, subject, tag,
     metadata, type, category, smtp_code, enhanced_code, diagnostic_code, error_message, command, remote_host, remote_ip,
     source, feedback_type, attempt, suppressed, suppression_id, sandbox, bounced_at, created_at, report_dkim,
     report_dkim_domain, report_dkim_reason)
   select id, account_id, email_id, domain_id, recipient, recipient_key, message_id, sender, subject, tag,
     metadata::json, type, category, smtp_code, enhanced_code, diagnostic_code, error_message, command, remote_host,
     remote_ip, source, feedback_type, attempt, suppressed, suppression_id, sandbox, bounced_at, created_at, report_dkim,
     report_dkim_domain, report_dkim_reason
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
     $10::text[], $11::text[], $12::text[], $13::text[], $14::smallint[], $15::text[], $16::text[], $17::text[], $18::text[],
     $19::text[], $20::text[], $21::text[], $22::text[], $23::smallint[], $24::boolean[], $25::uuid[], $26::boolean[],
     $27::timestamptz[], $28::timestamptz[], $29::text[], $30::text[], $31::text[])
     as b(id, account_id, email_id, domain_id, recipient, recipient_key, message_id, sender, subject, tag, metadata, type,
       category, smtp_code, enhanced_code, diagnostic_code, error_message, command, remote_host, remote_ip, source,
       feedback_type, attempt, suppressed, suppression_id, sandbox, bounced_at, created_at, report_dkim, report_dkim_domain,
       report_dkim_reason)`,
)

// $2 $3 bounced from and before, $4 type, $5 recipient, $6 domains, $7 category, $8 email, $9 sandbox bounces too, $10 complaints too.
const FILTER = `b.account_id = $1 and ($2::timestamptz is null or b.bounced_at >= $2)
  and ($3::timestamptz is null or b.bounced_at < $3) and ($4::text is null or b.type = $4)
  and ($5::text is null or b.recipient_key = $5) and ($6::uuid[] is null or b.domain_id = any($6))
  and ($7::text is null or b.category = $7) and ($8::uuid is null or b.email_id = $8) and ($9 or not b.sandbox)
  and ($10 or b.type <> 'complaint')`

/** $11 the id to continue after, or null; $14 when that bounce happened, null where only the bounce itself tells. */
export const LIST_BOUNCES = statement(
  'bounces_list',
  `select b.id, b.email_id, b.message_id, b.recipient, b.sender, b.subject, b.domain_id, b.tag, b.metadata, b.type, b.category,
     b.smtp_code, b.enhanced_code, b.diagnostic_code, b.error_message, b.command, b.remote_host, b.remote_ip, b.source,
     b.feedback_type, b.attempt, b.suppressed, b.suppression_id, b.sandbox, b.report_dkim, b.report_dkim_domain,
     b.report_dkim_reason, b.bounced_at, b.created_at
   from bounce b where ${FILTER}
     and ($11::uuid is null or (b.bounced_at, b.id) < (
       coalesce($14, (select c.bounced_at from bounce c where c.account_id = $1 and c.id = $11)), $11))
   order by b.bounced_at desc, b.id desc limit $12 offset $13`,
)

export const COUNT_BOUNCES = statement('bounces_count', `select count(*) as total from bounce b where ${FILTER}`)

/** Deletes the oldest bounces from before $2, at most $3. */
export const FORGET_BOUNCES = statement(
  'bounces_forget',
  `delete from bounce b using (
     select f.account_id, f.id from bounce f where f.account_id = $1 and f.bounced_at < $2 order by f.bounced_at, f.id limit $3
   ) k where b.account_id = k.account_id and b.id = k.id`,
)

export const KEEP_REPORT = statement(
  'bounces_keep_report',
  `insert into inbound_report (id, hash, kind, local_part, received_at, free_at, raw)
   values ($1, $2, $3, $4, $5, $5, $6) on conflict (hash) do nothing`,
)

/** $1 now, $2 end of the claim. The count of tries is raised before anything is read. */
export const CLAIM_REPORT = statement(
  'bounces_claim_report',
  `update inbound_report set tries = tries + 1, free_at = $2
   where id = (select id from inbound_report where state = 0 and free_at <= $1 order by free_at, id
     limit 1 for update skip locked)
   returning id, kind, local_part, received_at, raw, tries`,
)

/** What a clock that was ahead has put off: $1 now, $2 the latest time that a report is put off to. */
export const RECALL_REPORTS = statement(
  'bounces_recall_reports',
  'update inbound_report set free_at = $1 where state = 0 and free_at > $2',
)

// $2 in all of these: the end of the claim. A process that has taken longer writes nothing, because another may have claimed the
// report since.
/** No row: the claim was lost. */
export const LOCK_REPORT = statement(
  'bounces_lock_report',
  'select id from inbound_report where id = $1 and state = 0 and free_at = $2 for update',
)

/** $3: not claimed again before then. */
export const RELEASE_REPORT = statement(
  'bounces_release_report',
  'update inbound_report set free_at = $3 where id = $1 and state = 0 and free_at = $2',
)

export const UNCOUNT_TRY = statement(
  'bounces_uncount_try',
  'update inbound_report set tries = tries - 1 where id = $1 and state = 0 and free_at = $2',
)

/** $5: the bytes are kept. */
export const END_REPORT = statement(
  'bounces_end_report',
  `update inbound_report set state = $3, outcome = $4, raw = case when $5::boolean then raw end
   where id = $1 and state = 0 and free_at = $2`,
)

export const SUM_KEPT = statement(
  'bounces_sum_kept',
  `select coalesce(sum(octet_length(raw)), 0)::float8 as bytes from inbound_report where state > 0 and raw is not null`,
)

export const COUNT_FORWARDED = statement(
  'bounces_count_forwarded',
  `select count(*)::int as count from inbound_report
   where received_at >= $1 and kind = 'operator' and outcome = 'forwarded'`,
)

export const FORGET_REPORTS = statement(
  'bounces_forget_reports',
  `delete from inbound_report where id in
     (select id from inbound_report where received_at < $1 order by received_at limit $2)`,
)

/** No row is inserted for a report that was submitted before. */
export const KNOW_REPORT = statement(
  'bounces_know_report',
  `insert into inbound_report (id, hash, kind, local_part, received_at, free_at, state, outcome)
   values ($1, $2, 'api', $3, $4, $4, 1, $5) on conflict (hash) do nothing`,
)

/** The report with the hash $1, and its effect on the email $3 of the account $2; $4: it is a complaint. */
export const KNOWN_REPORT = statement(
  'bounces_known_report',
  `select r.id, b.type, b.suppressed from inbound_report r
   left join lateral (select type, suppressed from bounce
     where account_id = $2 and email_id = $3 and (type = 'complaint') = $4 and source = 'api' and created_at >= r.received_at
     order by id limit 1) b on true
   where r.hash = $1`,
)

export const FORGET_REPORT = statement('bounces_forget_report', 'delete from inbound_report where id = $1')

/** The operator's list: $1 state, $2 outcome, $3 kind, each null for any; $4 only older than this id; $5 how many. */
export const LIST_REPORTS = statement(
  'bounces_list_reports',
  `select id, kind, local_part, received_at, state, tries, outcome, octet_length(raw) as bytes from inbound_report
   where ($1::smallint is null or state = $1) and ($2::text is null or outcome = $2) and ($3::text is null or kind = $3)
     and ($4::uuid is null or id < $4)
   order by id desc limit $5`,
)

export const SHOW_REPORT = statement('bounces_show_report', 'select raw from inbound_report where id = $1')

export const RETRY_REPORT = statement(
  'bounces_retry_report',
  `update inbound_report set state = 0, tries = 0, outcome = null, free_at = $2
   where id = $1 and state > 0 and raw is not null`,
)

export const COUNT_REPORTS = statement(
  'bounces_count_reports',
  `select kind, case state when 0 then 'waiting' else coalesce(outcome, 'unparsed') end as outcome, count(*)::int as count,
     min(received_at) as oldest from inbound_report group by 1, 2 order by 1, 2`,
)

export const ERASE_BOUNCES = statement(
  'bounces_erase',
  'delete from bounce where account_id = $1 and recipient_key = $2',
)
