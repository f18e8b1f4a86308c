// Every statement on the two lists, on the counts that feed them and on the record of removals. Writers of several rows
// get them sorted by key, so that two of them never wait for each other in a circle.

import { statement } from '../../platform/db.ts'

/** The reasons of a suppression by weight; a row holds the position, counted from 1. */
const REASON_NAMES = `(array['manual', 'repeated_soft_bounce', 'hard_bounce', 'complaint', 'spamtrap'])`

/** One row for each ask that is answered no; `n` counts asks from 1. $4 is the time of day. */
export const WHO_SAID_NO = statement(
  'suppression_who_said_no',
  `with ask as materialized (
     select * from unnest($1::uuid[], $2::text[], $3::boolean[]) with ordinality as t(account_id, email, sandbox, n)
   )
   select a.n::int, 'suppression' as list, ${REASON_NAMES}[e.reason] as reason, e.source, e.id, e.created_at
   from ask a cross join lateral (
     select * from suppression s
     where s.account_id = a.account_id and s.email = a.email and (a.sandbox or not s.sandbox)
       and (s.expires_at is null or s.expires_at > $4)
     order by s.reason desc limit 1
   ) e
   union all
   select a.n::int, 'unsubscribe', e.reason, e.source, e.id, e.created_at
   from ask a cross join lateral (
     select * from unsubscribe u
     where u.account_id = a.account_id and u.email = a.email and (a.sandbox or not u.sandbox)
     order by u.sandbox limit 1
   ) e`,
)

/** The expressions of a statement of another room that name what is asked about. */
export interface AskExpressions {
  /** uuid */
  readonly accountId: string
  /** text: the suppression key */
  readonly recipient: string
  /** boolean */
  readonly sandbox: string
  /** timestamptz */
  readonly now: string
}

export function blockedExpression({ accountId, recipient, sandbox, now }: AskExpressions): string {
  return `coalesce(
    (select ${REASON_NAMES}[asked_s.reason] from suppression asked_s
     where asked_s.account_id = ${accountId} and asked_s.email = ${recipient} and (${sandbox} or not asked_s.sandbox)
       and (asked_s.expires_at is null or asked_s.expires_at > ${now})
     order by asked_s.reason desc limit 1),
    (select 'unsubscribed' from unsubscribe asked_u
     where asked_u.account_id = ${accountId} and asked_u.email = ${recipient} and (${sandbox} or not asked_u.sandbox)
     limit 1))`
}
