// Counts the last responses of deferred emails. Receivers put ids, addresses and times into their words, so words with a digit or
// an @ behind the codes do not tell causes apart.

import { statement } from '../../platform/db.ts'

const SHOWN_DESTINATIONS = 5
const CODES = '^(?:\\d{3}[ -])?(?:\\d\\.\\d{1,3}\\.\\d{1,3}\\s)?'

/** $1 a destination or null, $2 most emails examined, $3 most causes. `offset 0` keeps the look-up by key. */
export const waitingCauses = statement(
  'outbox_waiting_causes',
  `with w as materialized (
     select id, account_id, site_id, at from queue
     where state = 2 and not scheduled and not sandbox
       and ($1::text is null or site_id = (select id from site where name = $1))
     order by at limit $2),
   e as materialized (
     select w.account_id, w.site_id, w.at, m.last_smtp_code as code, m.last_response as response,
       coalesce(substring(m.last_response from '${CODES}')
         || regexp_replace(regexp_replace(m.last_response, '${CODES}', ''), '\\S*[0-9@]\\S*', '#', 'g'), '') as cause
     from w cross join lateral (select last_smtp_code, last_response from email
       where email.account_id = w.account_id and email.id = w.id offset 0) m),
   c as materialized (
     select cause, count(*)::int as emails, count(distinct account_id)::int as accounts,
       count(distinct site_id)::int as destinations, min(at) as next,
       (array_agg(response order by at))[1] as response, (array_agg(code order by at))[1] as code
     from e group by cause order by 2 desc, 1 limit $3)
   select c.response, c.code, c.emails, c.accounts, c.destinations, c.next, (select count(*)::int from w) as examined,
     array(select s.name from (
         select e.site_id, count(*) as many from e where e.cause = c.cause group by 1 order by 2 desc, 1
         limit ${SHOWN_DESTINATIONS}) t
       join site s on s.id = t.site_id order by t.many desc, s.name) as names
   from c order by c.emails desc, c.cause`,
)
