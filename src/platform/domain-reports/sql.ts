// What is asked of a table of reports about domains, whatever they report. Its columns account_id, id, domain, organization,
// report_id, begins_at, received_at, dkim and dkim_domain have the same meaning in each.

import { type Statement, statement } from '../db.ts'

export interface DomainReportStatements {
  /** $1 account, $2 domain, $3 first id, $4 whether signed. `of_signer`: how many of these the organization $5 signed. */
  readonly countReports: Statement
  /** $1 account, $2 domain, $3 organization, $4 report id, $5 begin. */
  readonly signerOf: Statement
  /** $1 received before, $2 limit. */
  readonly forgetReports: Statement
  /** $1 account, $2 domain, $3 DKIM result or null, $4 limit, $5 offset. */
  readonly listReports: Statement
  /** $1 account, $2 domain, $3 DKIM result or null. */
  readonly countAllReports: Statement
  /** For the operator. $1: a domain or null, $2: only ids before this one, or null, $3: limit. */
  readonly everyReport: Statement
}

/** $1 account and domain of each report of a transaction, in one text each, sorted: so no two wait for each other. */
export const lockReports = statement(
  'domain_reports_lock',
  `select pg_advisory_xact_lock(hashtextextended('domain reports ' || place, 0)) from unnest($1::text[]) as place`,
)

/** @param shown the columns of a list */
export function domainReports(table: string, shown: string): DomainReportStatements {
  const listed = 'account_id = $1 and domain = $2 and ($3::text is null or dkim = $3)'
  return {
    countReports: statement(
      `${table}_today`,
      `select count(*)::int as count,
         count(*) filter (where dkim_domain = $5 or right(dkim_domain, length($5) + 1) = '.' || $5)::int as of_signer
       from ${table} where account_id = $1 and domain = $2 and id >= $3 and (dkim = 'pass') = $4::boolean`,
    ),
    signerOf: statement(
      `${table}_signer`,
      `select dkim_domain from ${table}
       where account_id = $1 and domain = $2 and organization = $3 and report_id = $4 and begins_at = $5`,
    ),
    forgetReports: statement(
      `${table}_forget`,
      `delete from ${table} where (account_id, id) in
         (select account_id, id from ${table} where received_at < $1 order by received_at limit $2)`,
    ),
    listReports: statement(
      `${table}_list`,
      `select ${shown} from ${table} where ${listed} order by id desc limit $4 offset $5`,
    ),
    countAllReports: statement(`${table}_count`, `select count(*)::int as total from ${table} where ${listed}`),
    everyReport: statement(
      `${table}_every`,
      `select ${shown} from ${table} where ($1::text is null or domain = $1) and ($2::uuid is null or id < $2)
       order by id desc limit $3`,
    ),
  }
}
