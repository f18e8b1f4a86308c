import { statement } from '../../platform/db.ts'

/** $4: whether signed. `of_signer`: how many of these the organization $5 signed. */
export const countReports = statement(
  'dmarc_count_reports_today',
  `select count(*)::int as count,
     count(*) filter (where dkim_domain = $5 or right(dkim_domain, length($5) + 1) = '.' || $5)::int as of_signer
   from dmarc_report where account_id = $1 and domain = $2 and id >= $3 and (dkim = 'pass') = $4::boolean`,
)
export const keepReport = statement(
  'dmarc_keep_report',
  `insert into dmarc_report (account_id, id, domain, organization, report_id, contact, begins_at, ends_at, policy_domain, policy,
     messages, passed, quarantined, rejected, records, received_at, dkim, dkim_domain, dkim_reason)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
   on conflict (account_id, domain, organization, report_id, begins_at) do update set contact = excluded.contact,
     ends_at = excluded.ends_at, policy_domain = excluded.policy_domain, policy = excluded.policy, messages = excluded.messages,
     passed = excluded.passed, quarantined = excluded.quarantined, rejected = excluded.rejected, records = excluded.records,
     received_at = excluded.received_at, dkim = excluded.dkim, dkim_domain = excluded.dkim_domain, dkim_reason = null
   where excluded.dkim = 'pass' and dmarc_report.dkim <> 'pass'`,
)
export const signerOf = statement(
  'dmarc_signer_of',
  `select dkim_domain from dmarc_report
   where account_id = $1 and domain = $2 and organization = $3 and report_id = $4 and begins_at = $5`,
)
export const forgetReports = statement(
  'dmarc_forget_reports',
  `delete from dmarc_report where (account_id, id) in
     (select account_id, id from dmarc_report where received_at < $1 order by received_at limit $2)`,
)
const SHOWN = `id, domain, organization, report_id, contact, begins_at, ends_at, policy_domain, policy, messages, passed,
  quarantined, rejected, received_at, dkim, dkim_domain, dkim_reason`
// Without the records: a page of reports would be megabytes.
export const listReports = statement(
  'dmarc_list_reports',
  `select ${SHOWN}, json_array_length(records) as records_kept from dmarc_report
   where account_id = $1 and domain = $2 and ($3::text is null or dkim = $3)
   order by id desc limit $4 offset $5`,
)
export const countAllReports = statement(
  'dmarc_count_all_reports',
  `select count(*)::int as total from dmarc_report
   where account_id = $1 and domain = $2 and ($3::text is null or dkim = $3)`,
)
export const oneReport = statement(
  'dmarc_one_report',
  `select ${SHOWN}, json_array_length(records) as records_kept, records from dmarc_report
   where account_id = $1 and domain = $2 and id = $3`,
)
/** For the operator. $1: a domain or null, $2: only ids before this one, or null, $3: limit. */
export const everyReport = statement(
  'dmarc_every_report',
  `select ${SHOWN}, json_array_length(records) as records_kept from dmarc_report
   where ($1::text is null or domain = $1) and ($2::uuid is null or id < $2)
   order by id desc limit $3`,
)

/**
 * Who sends in a domain's name, by source address, most messages first: the sums over the records of the newest $5 reports whose
 * signature is good and whose day begins from $3 on and before $4. `posthorn`: signed by us, by the selector pattern $6. $7 limit.
 */
export const sources = statement(
  'dmarc_sources',
  `with r as materialized (
     select organization, ends_at, records from dmarc_report
     where account_id = $1 and domain = $2 and begins_at >= $3 and begins_at < $4 and dkim = 'pass'
     order by id desc limit $5),
   x as (
     select r.organization, r.ends_at, c.source_ip, c.count, c.disposition, c.dkim_aligned, c.spf_aligned,
       exists (select 1 from json_to_recordset(c.dkim) as s(domain text, selector text, result text)
         where s.domain = $2 and s.selector ~ $6 and s.result = 'pass') as posthorn
     from r cross join lateral json_to_recordset(r.records) as c(source_ip text, count bigint, disposition text,
       dkim_aligned boolean, spf_aligned boolean, dkim json))
   select source_ip, sum(count)::bigint as messages,
     coalesce(sum(count) filter (where dkim_aligned or spf_aligned), 0)::bigint as passed,
     coalesce(sum(count) filter (where dkim_aligned), 0)::bigint as dkim_aligned,
     coalesce(sum(count) filter (where spf_aligned), 0)::bigint as spf_aligned,
     coalesce(sum(count) filter (where posthorn), 0)::bigint as signed_by_posthorn,
     coalesce(sum(count) filter (where disposition = 'quarantine'), 0)::bigint as quarantined,
     coalesce(sum(count) filter (where disposition = 'reject'), 0)::bigint as rejected,
     count(distinct organization)::int as organizations, max(ends_at) as last_seen_at,
     count(*) over ()::int as sources, (select count(*)::int from r) as reports
   from x group by source_ip order by messages desc, source_ip limit $7`,
)
