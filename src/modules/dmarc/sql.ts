import { statement } from '../../platform/db.ts'
import { domainReports } from '../../platform/domain-reports/sql.ts'

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

// Without the records: a page of reports would be megabytes.
const SHOWN = `id, domain, organization, report_id, contact, begins_at, ends_at, policy_domain, policy, messages, passed,
  quarantined, rejected, received_at, dkim, dkim_domain, dkim_reason, json_array_length(records) as records_kept`
export const { countReports, signerOf, forgetReports, listReports, countAllReports, everyReport } = domainReports(
  'dmarc_report',
  SHOWN,
)
export const oneReport = statement(
  'dmarc_one_report',
  `select ${SHOWN}, records from dmarc_report where account_id = $1 and domain = $2 and id = $3`,
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
