import { statement } from '../../platform/db.ts'
import { domainReports } from '../../platform/domain-reports/sql.ts'

export const findPolicy = statement(
  'transport_find_policy',
  'select id, mode, mx, max_age, fetched_at, expires_at from transport_policy where domain = $1 and expires_at > $2',
)
export const keepPolicy = statement(
  'transport_keep_policy',
  `insert into transport_policy (domain, id, mode, mx, max_age, fetched_at, expires_at) values ($1, $2, $3, $4::text[], $5, $6, $7)
   on conflict (domain) do update set id = excluded.id, mode = excluded.mode, mx = excluded.mx, max_age = excluded.max_age,
     fetched_at = excluded.fetched_at, expires_at = excluded.expires_at
   where transport_policy.fetched_at <= excluded.fetched_at`,
)
export const forgetPolicies = statement(
  'transport_forget_policies',
  `delete from transport_policy where domain = any(array(
     select domain from transport_policy where expires_at <= $1 order by expires_at limit $2))`,
)
// In key order, so that two processes adding the same rows wait for each other instead of deadlocking.
export const addSessions = statement(
  'transport_add_sessions',
  `insert into transport_session (day, domain, policy, result, host, ip, source_ip, sessions)
   select * from unnest($1::date[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[])
     as s(day, domain, policy, result, host, ip, source_ip, sessions)
   order by 1, 2, 3, 4, 5, 6, 7
   on conflict (day, domain, policy, result, host, ip, source_ip)
     do update set sessions = transport_session.sessions + excluded.sessions`,
)
/** $2 and $3: the last day and domain of the previous page. */
export const dueDomains = statement(
  'transport_due_domains',
  `select distinct day, domain from transport_session where day < $1::date and (day, domain) > ($2::date, $3)
   order by day, domain limit $4`,
)
const SESSIONS = `select policy, result, host, ip, source_ip, sessions from transport_session
   where day = $1::date and domain = $2 order by policy, result, host, ip, source_ip limit $3`
export const sessionsOf = statement('transport_sessions_of', SESSIONS)
/** Locks the rows that it reads, so that only one of two machines mails. */
export const takeSessions = statement('transport_take_sessions', `${SESSIONS} for update skip locked`)
/** $3: now, $4: end of the claim. No row: another machine holds the claim. */
export const claimReport = statement(
  'transport_claim_report',
  `insert into transport_report_claim as c (day, domain, until) values ($1::date, $2, $4)
   on conflict (day, domain) do update set until = excluded.until where c.until <= $3`,
)
export const releaseReport = statement(
  'transport_release_report',
  'delete from transport_report_claim where day = $1::date and domain = $2 and until = $3',
)
// What lies ahead of now, or further ahead than a claim lasts, was written by a clock that has been put back since.
/** $1 the latest end of a claim. */
export const recallClaims = statement('transport_recall_claims', 'delete from transport_report_claim where until > $1')
/** $1 now. A policy is replaced only by one that was fetched later. */
export const recallPolicies = statement(
  'transport_recall_policies',
  'update transport_policy set fetched_at = $1 where fetched_at > $1',
)
export const forgetClaims = statement('transport_forget_claims', 'delete from transport_report_claim where until < $1')
export const forgetSessions = statement(
  'transport_forget_sessions',
  'delete from transport_session where day = $1::date and domain = $2',
)

// --- received reports

export const keepReport = statement(
  'transport_keep_report',
  `insert into tls_report (account_id, id, domain, organization, report_id, contact, begins_at, ends_at, successful, failed,
     policies, received_at, dkim, dkim_domain, dkim_reason)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
   on conflict (account_id, domain, organization, report_id, begins_at) do update set contact = excluded.contact,
     ends_at = excluded.ends_at, successful = excluded.successful, failed = excluded.failed, policies = excluded.policies,
     received_at = excluded.received_at, dkim = excluded.dkim, dkim_domain = excluded.dkim_domain, dkim_reason = null
   where excluded.dkim = 'pass' and tls_report.dkim <> 'pass'`,
)
export const { countReports, signerOf, forgetReports, listReports, countAllReports, everyReport } = domainReports(
  'tls_report',
  `id, domain, organization, report_id, contact, begins_at, ends_at, successful, failed, policies, received_at, dkim,
     dkim_domain, dkim_reason`,
)
