// Statements about the renewal that the certificate authority suggests (renewals.ts). Two tables, one meaning: a row has a
// certificate, when the authority is asked next, and when the next order is due.

import { statement } from '../../platform/db.ts'

export interface AskingRow {
  /** Of a tracking domain: its id. Of the public URL's host: its name. */
  readonly key: string
  readonly certificate: string
}

const ASK_AT = `coalesce(ssl_ask_at, '-infinity'::timestamptz)`
const HAS_CERTIFICATE = 'certificate is not null and verified_at is not null'
/** Leases one certificate to ask about: $1 now, $2 the end of the lease. */
export const askAboutName = statement(
  'tracking_ask_about_name',
  `update tracking_domain set ssl_ask_at = $2 where id = any(array(
     select id from tracking_domain where ${ASK_AT} <= $1 and ssl_expires_at > $1 and ${HAS_CERTIFICATE}
     order by ${ASK_AT} limit 1 for update skip locked))
   returning id::text as key, certificate`,
)
/** As above. */
export const askAboutOwn = statement(
  'tracking_ask_about_own',
  `update own_certificate set ask_at = $2 where (ask_at is null or ask_at <= $1) and expires_at > $1 and certificate is not null
   returning name as key, certificate`,
)

// The order is moved only while none is under way and none has failed: then it is due when that wait is over.
/** $2 the certificate, $3 when to ask again, $4 its identifier or null, $5 when to renew or null, $6 the latest end of a lease. */
export const nameRenewal = statement(
  'tracking_name_renewal',
  `update tracking_domain set ssl_ask_at = $3, ssl_certificate_id = $4,
     ssl_due_at = case when ssl_error is null and ssl_due_at > $6 then coalesce($5, ssl_due_at) else ssl_due_at end
   where id::text = $1 and certificate = $2`,
)
/** As above. */
export const ownRenewal = statement(
  'tracking_own_renewal',
  `update own_certificate set ask_at = $3, certificate_id = $4,
     due_at = case when error is null and due_at > $6 then coalesce($5, due_at) else due_at end
   where name = $1 and certificate = $2`,
)

/** $1 what is due by then is asked about at $2, since the authority would give the same answer about all. */
export const askNamesLater = statement(
  'tracking_ask_names_later',
  `update tracking_domain set ssl_ask_at = $2 where ${ASK_AT} <= $1 and ${HAS_CERTIFICATE}`,
)
/** As above. */
export const askOwnLater = statement(
  'tracking_ask_own_later',
  'update own_certificate set ask_at = $2 where ask_at is null or ask_at <= $1',
)

// A clock that was ahead has put these off: $1 now, $2 the latest that anything is put off to.
export const recallNames = statement(
  'tracking_recall_asking_names',
  'update tracking_domain set ssl_ask_at = $1 where ssl_ask_at > $2',
)
export const recallOwn = statement(
  'tracking_recall_asking_own',
  'update own_certificate set ask_at = $1 where ask_at > $2',
)
