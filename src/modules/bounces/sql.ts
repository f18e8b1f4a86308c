import { statement } from '../../platform/db.ts'

export const RECORD_BOUNCES = statement(
  'bounces_record',
  `insert into bounce (id, account_id, email_id, domain_id, recipient, recipient_key, message_id, sender, subject, tag,
     metadata, type, category, smtp_code, enhanced_code, diagnostic_code, error_message, command, remote_host, remote_ip,
     source, feedback_type, attempt, suppressed, suppression_id, sandbox, bounced_at, created_at)
   select id, account_id, email_id, domain_id, recipient, recipient_key, message_id, sender, subject, tag,
     metadata::json, type, category, smtp_code, enhanced_code, diagnostic_code, error_message, command, remote_host,
     remote_ip, source, feedback_type, attempt, suppressed, suppression_id, sandbox, bounced_at, created_at
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
     $10::text[], $11::text[], $12::text[], $13::text[], $14::smallint[], $15::text[], $16::text[], $17::text[], $18::text[],
     $19::text[], $20::text[], $21::text[], $22::text[], $23::smallint[], $24::boolean[], $25::uuid[], $26::boolean[],
     $27::timestamptz[], $28::timestamptz[])
     as b(id, account_id, email_id, domain_id, recipient, recipient_key, message_id, sender, subject, tag, metadata, type,
       category, smtp_code, enhanced_code, diagnostic_code, error_message, command, remote_host, remote_ip, source,
       feedback_type, attempt, suppressed, suppression_id, sandbox, bounced_at, created_at)`,
)

// $2 $3 bounced from and before, $4 type, $5 recipient, $6 domain, $7 category, $8 email, $9 sandbox bounces too.
const FILTER = `b.account_id = $1 and ($2::timestamptz is null or b.bounced_at >= $2)
  and ($3::timestamptz is null or b.bounced_at < $3) and ($4::text is null or b.type = $4)
  and ($5::text is null or b.recipient_key = $5) and ($6::uuid is null or b.domain_id = $6)
  and ($7::text is null or b.category = $7) and ($8::uuid is null or b.email_id = $8) and ($9 or not b.sandbox)`

/** $10 the id to go on behind, or null. */
export const LIST_BOUNCES = statement(
  'bounces_list',
  `select b.* from bounce b where ${FILTER}
     and ($10::uuid is null or (b.bounced_at, b.id) < (select c.bounced_at, c.id from bounce c where c.account_id = $1 and c.id = $10))
   order by b.bounced_at desc, b.id desc limit $11 offset $12`,
)

export const COUNT_BOUNCES = statement('bounces_count', `select count(*) as total from bounce b where ${FILTER}`)
