import { statement } from '../../platform/db.ts'

export interface NameRow {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly cname_target: string
  readonly created_at: Date
  readonly verified_at: Date | null
  readonly found: string | null
  readonly check_error: string | null
  readonly checked_at: Date | null
  readonly ssl_status: 'none' | 'pending' | 'issued' | 'failed'
  readonly ssl_since: Date | null
  readonly ssl_expires_at: Date | null
  readonly ssl_error: string | null
  readonly ssl_failures: number
}

const COLUMNS = `id, account_id, name, cname_target, created_at, verified_at, found, check_error, checked_at, ssl_status,
  ssl_since, ssl_expires_at, ssl_error, ssl_failures`

export const addName = statement(
  'tracking_add_name',
  `insert into tracking_domain (id, account_id, name, cname_target, created_at) values ($1, $2, $3, $4, $5)
   on conflict (account_id, name) do nothing returning ${COLUMNS}`,
)
export const namesOf = statement(
  'tracking_names_of',
  `select ${COLUMNS} from tracking_domain where account_id = $1 order by id offset $2 limit $3`,
)
/** Locks the account's names until the transaction ends: concurrent additions count each other, and none is removed. */
export const lockNames = statement(
  'tracking_lock_names',
  `select pg_advisory_xact_lock(hashtextextended('tracking domains ' || $1::text, 0))`,
)
export const countNames = statement(
  'tracking_count_names',
  'select count(*)::int as count from tracking_domain where account_id = $1',
)
export const oneName = statement(
  'tracking_one_name',
  `select ${COLUMNS} from tracking_domain where account_id = $1 and id = $2`,
)
export const lockName = statement(
  'tracking_lock_name',
  `select ${COLUMNS} from tracking_domain where account_id = $1 and id = $2 for update`,
)
export const removeName = statement(
  'tracking_remove_name',
  'delete from tracking_domain where account_id = $1 and id = $2',
)

/** Locks a name across accounts until the transaction ends, so each check of it sees what the one before has written. */
export const lockProof = statement(
  'tracking_lock_proof',
  `select pg_advisory_xact_lock(hashtextextended('tracking domain ' || $1::text, 0))`,
)
// A name has only one CNAME, which is the proof: its current holder replaces the previous one, whose row records what was
// found.
/** $3 the target of the CNAME, $4 the error, $5 now. */
export const unverifyOthers = statement(
  'tracking_unverify_others',
  `update tracking_domain set verified_at = null, next_check_at = null, ssl_status = 'none', ssl_since = null, found = $3,
     check_error = $4, checked_at = $5
   where name = $1 and id <> $2 and verified_at is not null returning id, account_id`,
)
// A check by hand brings the next try forward: after up to four failures to now, from the fifth on to 15 minutes after the last
// one, since a CA counts failures too (Let's Encrypt allows five an hour for a name, then one every 12 minutes). The wait that
// the last failure began is that of waitAfter in certificate-order.ts. It never brings a try forward to before the time that a
// CA asked to wait for.
/** $3 found, $4 error, $5 now, $6 verified since, $7 the next check, $8 when to ask for a certificate, $9 by hand. */
export const recordCheck = statement(
  'tracking_record_check',
  `update tracking_domain set found = $3, check_error = $4, checked_at = $5, verified_at = $6, next_check_at = $7,
     ssl_status = case when $6::timestamptz is null then 'none' when ssl_expires_at > $5 then 'issued'
       when $8::timestamptz is null then ssl_status else 'pending' end,
     ssl_due_at = case when $6::timestamptz is null or $8::timestamptz is null then ssl_due_at
       when $9 and ssl_error is not null then least(ssl_due_at, greatest($8, ssl_not_before, case when ssl_failures >= 5 then
         ssl_due_at + make_interval(secs => 900 - least(86400, 60 * 2.0 ^ least(ssl_failures - 1, 20))) end))
       else coalesce(ssl_due_at, greatest($8, ssl_not_before)) end,
     ssl_since = case when $6::timestamptz is null then null when verified_at is null and ssl_expires_at > $5 then $5
       else ssl_since end
   where account_id = $1 and id = $2 returning ${COLUMNS}`,
)
/** $1 now, $2 the end of the lease, $3 how many, $4 of these accounts none. */
export const dueChecks = statement(
  'tracking_due_checks',
  `update tracking_domain set next_check_at = $2 where id = any(array(
     select id from tracking_domain where next_check_at <= $1 and account_id <> all($4::uuid[])
     order by next_check_at limit $3 for update skip locked))
   returning ${COLUMNS}`,
)

// What is put off further than the schedule allows was put off by a clock that has been put back since.
/** $1 now, $2 the latest check of a name that failed one, $3 that of a verified name. */
export const recallChecks = statement(
  'tracking_recall_checks',
  `update tracking_domain set next_check_at = $1
   where next_check_at > case when verified_at is null then $2::timestamptz else $3::timestamptz end`,
)
/** The longest wait after so many failures: $1 now, $3 the latest try. */
const latestTry = (failures: string): string =>
  `least($3::timestamptz, $1::timestamptz + interval '1 minute' * 2 ^ least(${failures}, 12))`
// A renewal that has not failed is not recalled: it is due by the certificate's own dates.
/** $1 now, $2 the latest end of a lease, $3 the latest try after a failure, $4 the longest that a CA may ask to wait. */
export const recallOrders = statement(
  'tracking_recall_orders',
  `update tracking_domain set ssl_due_at = $1, ssl_not_before = null
   where ssl_due_at > case when ssl_not_before is not null then $4::timestamptz
     when ssl_error is not null then ${latestTry('ssl_failures')} when ssl_status = 'pending' then $2::timestamptz end`,
)
/** $1 to $4 as above, $5 a pattern for the error of a CA that asked to wait. */
export const recallOwnCertificate = statement(
  'tracking_recall_own_certificate',
  `update own_certificate set due_at = $1
   where due_at > case when error like $5 then $4::timestamptz
     when error is not null then ${latestTry('failures')} when certificate is null then $2::timestamptz end`,
)
/** $1 the longest that a CA may ask to wait. */
export const recallAcmeHold = statement(
  'tracking_recall_acme_hold',
  'update acme_account set held_until = null, held_why = null where held_until > $1',
)

// --- deleted names that stay reserved

export const holdName = statement(
  'tracking_hold_name',
  `insert into tracking_domain_hold (name, account_id, until) values ($1, $2, $3)
   on conflict (name) do update set account_id = excluded.account_id, until = excluded.until`,
)
export const heldFor = statement(
  'tracking_held_for',
  'select account_id from tracking_domain_hold where name = $1 and until > $2',
)
export const forgetHolds = statement('tracking_forget_holds', 'delete from tracking_domain_hold where until <= $1')

// --- certificates

export interface DueRow extends NameRow {
  readonly ssl_certificate_id: string | null
}
/** $1 now, $2 the end of the lease, $3 a day ago, $4 the most new certificates per account in a day. */
export const dueCertificate = statement(
  'tracking_due_certificate',
  `update tracking_domain set ssl_due_at = $2 where id = any(array(
     select id from tracking_domain d where ssl_due_at <= $1 and verified_at is not null and account_id <> all($5::uuid[])
       and (certificate is not null or $4 > (
         select count(*) from tracking_new_certificate n where n.account_id = d.account_id and n.issued_at > $3))
     order by ssl_due_at limit 1 for update skip locked))
   returning ${COLUMNS}, ssl_certificate_id`,
)
export const certificateIssued = statement(
  'tracking_certificate_issued',
  `with issued as (
     update tracking_domain d set certificate = $2, private_key = $3, ssl_expires_at = $4, ssl_due_at = $5,
       ssl_since = coalesce(ssl_since, $6), ssl_status = 'issued', ssl_error = null, ssl_failures = 0, ssl_not_before = null,
       ssl_ask_at = null, ssl_certificate_id = null
     from (select id, certificate is null as is_first from tracking_domain where id = $1 for update) before
     where d.id = before.id and verified_at is not null returning account_id, is_first)
   insert into tracking_new_certificate (account_id, issued_at) select account_id, $6 from issued where is_first`,
)
/** $1 a day ago. */
export const forgetNewCertificates = statement(
  'tracking_forget_new_certificates',
  'delete from tracking_new_certificate where issued_at <= $1',
)
/** Those that a clock that was ahead has issued: $1 now. */
export const recallNewCertificates = statement(
  'tracking_recall_new_certificates',
  'delete from tracking_new_certificate where issued_at > $1',
)
/** An order that was stopped, which is no failure: $2 when to order again. */
export const certificateLeft = statement(
  'tracking_certificate_left',
  'update tracking_domain set ssl_due_at = $2 where id = $1 and verified_at is not null',
)
/** For all names that are due, since the same CA would fail them all: $1 the error, $2 when to order again, $3 now. */
export const certificatesHeldUp = statement(
  'tracking_certificates_held_up',
  `update tracking_domain set ssl_error = $1, ssl_due_at = $2,
     ssl_status = case when ssl_expires_at > $3 then 'issued' else 'failed' end
   where ssl_due_at <= $3 and verified_at is not null`,
)
/** $5 the earliest time that the CA allows for the next order; null: it named none. */
export const certificateFailed = statement(
  'tracking_certificate_failed',
  `update tracking_domain set ssl_error = $2, ssl_failures = ssl_failures + 1, ssl_due_at = $3, ssl_not_before = $5,
     ssl_status = case when ssl_expires_at > $4 then 'issued' else 'failed' end
   where id = $1 and verified_at is not null`,
)

export interface EndingRow {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly ssl_expires_at: Date
  readonly ssl_error: string
}
/** Certificates whose last order failed and that end after $1. */
export const endingCertificates = statement(
  'tracking_ending_certificates',
  `select id, account_id, name, ssl_expires_at, ssl_error from tracking_domain
   where verified_at is not null and ssl_error is not null and ssl_expires_at > $1`,
)

export interface MissingRow {
  readonly verified: number
  /** Of these, the ones without a valid certificate whose last order failed. */
  readonly missing: number
  /** One of the missing; null: there is none. */
  readonly name: string | null
  readonly ssl_error: string | null
}
/** $1 now. */
export const missingCertificates = statement(
  'tracking_missing_certificates',
  `with verified as (
     select name, ssl_error, ssl_error is not null and (ssl_expires_at is null or ssl_expires_at <= $1) as missing
     from tracking_domain where verified_at is not null)
   select (select count(*)::int from verified) as verified, (select count(*)::int from verified where missing) as missing,
     one.name, one.ssl_error
   from (values (1)) v left join lateral (select name, ssl_error from verified where missing order by name limit 1) one on true`,
)

/** A trigger announces every change of what `servedNames`, `nameOwners` and `trackingAssignments` read. */
export const NAMES_CHANNEL = 'posthorn_tracking'
export interface ServedRow {
  readonly id: string
  readonly name: string
  readonly ssl_since: Date
  readonly ssl_expires_at: Date
}
export const servedNames = statement(
  'tracking_served_names',
  `select id, name, ssl_since, ssl_expires_at from tracking_domain
   where verified_at is not null and certificate is not null and ssl_since is not null and ssl_expires_at > $1`,
)
/** A name given up is its account's until the hold ends. No name is verified for one account while held for another. */
export const nameOwners = statement(
  'tracking_name_owners',
  `select name, account_id from tracking_domain where verified_at is not null
   union select name, account_id from tracking_domain_hold where until > $1`,
)
export interface NameOwner {
  readonly name: string
  readonly account_id: string
}
export const certificatesOf = statement(
  'tracking_certificates_of',
  'select id, certificate, private_key from tracking_domain where id = any($1::uuid[]) and certificate is not null',
)

// --- the certificate of the public URL's host

export const addOwnCertificate = statement(
  'tracking_add_own_certificate',
  'insert into own_certificate (name, due_at) values ($1, $2) on conflict (name) do nothing',
)
export interface DueOwnRow {
  readonly failures: number
  readonly certificate_id: string | null
}
export const dueOwnCertificate = statement(
  'tracking_due_own_certificate',
  'update own_certificate set due_at = $3 where name = $1 and due_at <= $2 returning failures, certificate_id',
)
export const ownCertificateIssued = statement(
  'tracking_own_certificate_issued',
  `update own_certificate set certificate = $2, private_key = $3, expires_at = $4, due_at = $5, failures = 0,
     error = null, ask_at = null, certificate_id = null
   where name = $1`,
)
export const ownCertificateFailed = statement(
  'tracking_own_certificate_failed',
  'update own_certificate set failures = failures + 1, due_at = $2, error = $3 where name = $1',
)
/** $2 now. */
export const hurryOwnCertificate = statement(
  'tracking_hurry_own_certificate',
  'update own_certificate set due_at = $2 where name = $1 and error is not null and due_at > $2',
)
/** $2 when to order again, $3 the error, $4 now. */
export const ownCertificateHeldUp = statement(
  'tracking_own_certificate_held_up',
  'update own_certificate set due_at = $2, error = $3 where name = $1 and due_at <= $4',
)
export const ownCertificateLeft = statement(
  'tracking_own_certificate_left',
  'update own_certificate set due_at = $2 where name = $1',
)
export interface OwnCertificateState {
  /** Null: none has been issued yet. */
  readonly expires_at: Date | null
  readonly due_at: Date
  /** Since the last certificate was issued. */
  readonly failures: number
  /** Of the last failure. */
  readonly error: string | null
}
export const ownCertificateState = statement(
  'tracking_own_certificate_state',
  'select expires_at, due_at, failures, error from own_certificate where name = $1',
)
export interface OwnCertificateRow {
  readonly certificate: string
  readonly private_key: Buffer
  readonly expires_at: Date
}
export const ownCertificate = statement(
  'tracking_own_certificate',
  `select certificate, private_key, expires_at from own_certificate
   where name = $1 and certificate is not null and expires_at > $2`,
)

// --- ACME challenges and accounts

export const addChallenge = statement(
  'tracking_add_challenge',
  `insert into acme_challenge (token, key_authorization, expires_at) values ($1, $2, $3)
   on conflict (token) do nothing`,
)
export const removeChallenge = statement(
  'tracking_remove_challenge',
  'delete from acme_challenge where token = $1 or expires_at < $2',
)
export const challenge = statement(
  'tracking_challenge',
  'select key_authorization from acme_challenge where token = $1 and expires_at >= $2',
)
export const addAcmeAccount = statement(
  'tracking_add_acme_account',
  'insert into acme_account (directory, private_key) values ($1, $2) on conflict (directory) do nothing',
)
export const acmeAccount = statement(
  'tracking_acme_account',
  'select private_key from acme_account where directory = $1',
)
export const replaceAcmeAccount = statement(
  'tracking_replace_acme_account',
  'update acme_account set private_key = $3 where directory = $1 and private_key = $2',
)
export const acmeHold = statement(
  'tracking_acme_hold',
  'select held_until as until, held_why as why from acme_account where directory = $1 and held_until > $2',
)
export const holdAcme = statement(
  'tracking_hold_acme',
  'update acme_account set held_until = $2, held_why = $3 where directory = $1',
)
