// Pages of an account's emails, newest first. The filter decides here which index a page reads; the planner would decide from
// statistics that may predate a burst. The row comparison and the order name all columns of the index, and only that index has
// them in that order. Keys are found first, and rows are read for the page only.
//
// $1 account, $2 $3 ids from and below, $4 statuses, $5 recipient, $6 tag, $7 domains, $8 message id, $9 search pattern and
// $10 its other spelling, $11 pattern of the last response: null matches all (the tenant role plans each call for the given values).
// $12 whether sandbox mail is included, $13 row limit, $14 offset.
//
// No index covers sandbox mail and responses: what is excluded or has another response is skipped row by row, like rows that a
// search does not match. The statuses of mail that waits or ended badly leave few rows.

import { matches, matchesFolded } from '../../platform/db/sql-pattern.ts'
import { type Statement, statement } from '../../platform/db.ts'
import { EMAIL_COLUMNS } from './sql.ts'

/** What leads to the emails: a filter with its index, or the order of ids alone. */
export type ListIndex = 'id' | 'status' | 'tag' | 'domain'

const RANGE = 'account_id = $1 and id >= $2 and id < $3'
const passes = {
  status: '($4::smallint[] is null or status = any($4))',
  recipient: '($5::text is null or recipient_key = $5)',
  tag: '($6::text is null or tag = $6)',
  domain: '($7::uuid[] is null or domain_id = any($7))',
  message: '($8::text is null or message_id = $8)',
  search: `($9::text is null or ${matchesFolded('recipient_key', '$9')} or recipient_key like $10::text
    or ${matches('subject', '$9')} or ${matches('message_id', '$9')})`,
  response: `($11::text is null or ${matches('last_response', '$11')})`,
  sandbox: '($12::boolean or not sandbox)',
}
const filter = (index: ListIndex): string =>
  [
    RANGE,
    ...(index === 'tag' ? ['tag is not null'] : []),
    ...Object.entries(passes).flatMap(([name, text]) => (name === index ? [] : [text])),
  ].join('\n  and ')

/** Matching emails with one value of a column that has an index (column, account_id, id), `limited`. */
const along = (index: ListIndex, column: string, value: string, limited: string): string =>
  `select id from email where ${filter(index)}
     and (${column}, account_id, id) >= (${value}, $1::uuid, $2::uuid)
     and (${column}, account_id, id) < (${value}, $1::uuid, $3::uuid)
   order by ${column} desc, account_id desc, id desc ${limited}`

/** The ids of matching emails; `limited` ends the query of each index range. */
const keys: Readonly<Record<ListIndex, (limited: string) => string>> = {
  id: (limited) => `select id from email where ${filter('id')} order by id desc ${limited}`,
  status: (limited) => `select k.id from unnest($4::smallint[]) as asked(status) cross join lateral (
     ${along('status', 'email.status', 'asked.status', limited)}) k`,
  tag: (limited) => along('tag', 'tag', '$6', limited),
  domain: (limited) => `select k.id from unnest($7::uuid[]) as asked(domain_id) cross join lateral (
     ${along('domain', 'email.domain_id', 'asked.domain_id', limited)}) k`,
}

const page = (index: ListIndex): Statement =>
  statement(
    `outbox_list_emails_by_${index}`,
    `with k as materialized (
       select id from (${keys[index]('limit $13::bigint + $14::bigint')}) s order by id desc limit $13::bigint offset $14::bigint)
     select e.* from k cross join lateral (
       select ${EMAIL_COLUMNS} from email where account_id = $1 and id = k.id and id >= $2 and id < $3 offset 0) e
     order by e.id desc`,
  )
// Counting stops at a limit: an account with millions of emails must not pay for a number that nobody reads.
const count = (index: ListIndex): Statement =>
  statement(
    `outbox_count_emails_by_${index}`,
    `select count(*)::int as total from (select 1 from (${keys[index]('limit $13::bigint')}) s limit $13::bigint) as counted`,
  )

/** For the transaction: a plan that sorts reads all matches first, which the planner estimates to be few. */
export const dontSort = statement('outbox_do_not_sort', 'set local enable_sort = off')

export const LISTS: Readonly<Record<ListIndex, { readonly page: Statement; readonly count: Statement }>> = {
  id: { page: page('id'), count: count('id') },
  status: { page: page('status'), count: count('status') },
  tag: { page: page('tag'), count: count('tag') },
  domain: { page: page('domain'), count: count('domain') },
}
