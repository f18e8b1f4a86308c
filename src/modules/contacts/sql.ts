import { matches, matchesFolded } from '../../platform/db/sql-pattern.ts'
import { statement } from '../../platform/db.ts'
import {
  blockedSql,
  hasComplainedSql,
  isUnsubscribedSql,
  standingSql,
  unsubscribedAtSql,
} from '../suppression/index.ts'
import { SKEW_MS } from './limits.ts'

/** A contact as shown: in `status` the two lists and a past complaint take precedence over the stored value. */
export interface ContactRow {
  readonly id: string
  readonly account_id: string
  readonly email: string
  readonly address: string
  readonly name: string | null
  readonly status: 'pending_confirmation' | 'subscribed' | 'unsubscribed' | 'bounced' | 'complained'
  readonly source: string
  readonly source_url: string | null
  readonly consent_text: string | null
  readonly consent_at: Date | null
  readonly tags: readonly string[]
  readonly double_opt_in: boolean
  readonly sender: string | null
  readonly template_id: string | null
  readonly confirmation_sent_at: Date | null
  readonly resends: number
  readonly resent_at: Date | null
  readonly confirmed_at: Date | null
  readonly confirmed_ip: string | null
  readonly confirmed_user_agent: string | null
  readonly created_at: Date
  readonly updated_at: Date
  /** Time it was last asked again after unsubscribing; null: never. Older links confirm nothing. */
  readonly asked_back_at: Date | null
  /** The consents before it was asked again, oldest first. */
  readonly earlier_consents: readonly EarlierConsent[]
  /** On the suppression list, whatever the reason. */
  readonly suppressed: boolean
  /** Time of the last unsubscribe, whether or not it still applies. */
  readonly unsubscribed_at: Date | null
}

/** A contact of a list with the total of the list; without contacts, the total alone. */
export type CountedContactRow = { readonly total: number } & (ContactRow | { readonly id: null })

/** Stored and shown by the API in this form. */
export interface EarlierConsent {
  readonly source: string
  readonly source_url: string | null
  readonly consent_text: string | null
  readonly timestamp: string | null
  readonly confirmed_at: string | null
  readonly confirmed_ip: string | null
  readonly confirmed_user_agent: string | null
  readonly unsubscribed_at: string | null
}

const PLAIN = `c.id, c.account_id, c.email, c.address, c.name, c.source, c.source_url, c.consent_text, c.consent_at, c.tags,
  c.double_opt_in, c.sender, c.template_id, c.confirmation_sent_at, c.resends, c.resent_at, c.confirmed_at,
  c.confirmed_ip, c.confirmed_user_agent, c.created_at, c.updated_at, c.asked_back_at, c.earlier_consents`

// $1 is the current time in every statement that shows a contact. An address that the account itself suppressed has not
// said anything: the contact keeps its status, and `suppressed` shows it. A complaint counts after its entry was removed, too,
// since no mail is ever accepted for who complained.
const PERSON = { accountId: 'c.account_id', recipient: 'c.email' } as const
const NOW = '$1::timestamptz'
const BLOCKED = blockedSql({ ...PERSON, sandbox: 'false', now: NOW })
interface Standing {
  readonly blocked: string
  readonly unsubscribed: string
  readonly complained: string
}
const shown = (is: Standing): string =>
  `case when ${is.blocked} = 'complaint' or ${is.complained} then 'complained'
    when ${is.blocked} in ('hard_bounce', 'repeated_soft_bounce', 'spamtrap') then 'bounced'
    when ${is.blocked} is not null and ${is.unsubscribed} then 'unsubscribed' else c.status end`
// Without the offset, the look-ups of BLOCKED would stand, and be made, wherever `b.reason` is.
const STATUS = `(select ${shown({
  blocked: 'b.reason',
  unsubscribed: isUnsubscribedSql(PERSON),
  complained: hasComplainedSql(PERSON),
})} from (select ${BLOCKED} as reason offset 0) b)`
const CONTACT = `${PLAIN}, ${STATUS} as status, coalesce(${BLOCKED} <> 'unsubscribed', false) as suppressed,
  ${unsubscribedAtSql(PERSON)} as unsubscribed_at`

/** $2 account, $3 id. */
export const contact = statement(
  'contacts_contact',
  `select ${CONTACT} from contact c where c.account_id = $2 and c.id = $3`,
)
export const lockContact = statement(
  'contacts_lock',
  `select ${CONTACT} from contact c where c.account_id = $2 and c.id = $3 for update of c`,
)

// $2 account, $3 pattern for address and name, $4 tag, $5 the address pattern in its other spelling.
const MATCHING = `c.account_id = $2
  and ($3::text is null or ${matchesFolded('c.email', '$3')} or c.email like $5 or ${matches('c.name', '$3')})
  and ($4::text is null or $4 = any(c.tags))`
const STANDING = standingSql({ ...PERSON, now: NOW })
const OF_ANY_STATUS = `from contact c where ${MATCHING} and ${NOW} is not null`
const OF_STATUS = `from contact c ${STANDING.joins} where ${MATCHING} and ${shown(STANDING)} = $6`

/** What is shown of a contact besides its row is looked up for the page alone. */
const page = (ids: string, order: 'asc' | 'desc'): string => `with k as materialized (select c.id ${ids})
   select ${CONTACT} from k cross join lateral (
     select * from contact where account_id = $2 and id = k.id offset 0) c order by c.id ${order}`

/** Newest first: $6 limit, $7 offset. */
export const list = statement(
  'contacts_list',
  page(`${OF_ANY_STATUS} order by c.id desc limit $6::bigint offset $7::bigint`, 'desc'),
)
export const count = statement('contacts_count', `select count(*) as total ${OF_ANY_STATUS}`)
/** The matching contacts after id $6, oldest first, $7 limit. */
export const after = statement(
  'contacts_after',
  page(`${OF_ANY_STATUS} and c.id > $6 order by c.id limit $7::bigint`, 'asc'),
)

/** For the transaction: planned for fewer rows than there are, a nested loop compares each contact with each entry. */
export const dontLoop = statement('contacts_do_not_loop', 'set local enable_nestloop = off')
/**
 * $6 status as shown, $7 limit, $8 offset. Every row has the total, since finding out the status of all contacts is what takes the
 * time. Without contacts there, one row has nothing else.
 */
export const listOfStatus = statement(
  'contacts_list_of_status',
  `with of_status as materialized (select c.id ${OF_STATUS}),
   k as (select id from of_status order by id desc limit $7::bigint offset $8::bigint)
   select n.total, ${CONTACT} from (select count(*) as total from of_status) n left join k on true left join lateral (
     select * from contact where account_id = $2 and id = k.id offset 0) c on true order by c.id desc`,
)

export const known = statement('contacts_known', 'select id from contact where account_id = $1 and email = $2')

/**
 * Taken before a contact is added, and before one is changed in a transaction that may add others: an erasure under way then waits
 * for no row of a transaction that waits for the erasure. Adding does not wait for other additions.
 */
export const adding = statement(
  'contacts_adding',
  `select pg_advisory_xact_lock_shared(hashtextextended('contacts ' || $1::text, 0))`,
)
/** Waits for the account's contacts that are being added: the next statement sees them. */
export const noneAdding = statement(
  'contacts_none_adding',
  `select pg_advisory_xact_lock(hashtextextended('contacts ' || $1::text, 0))`,
)

/** No row: the account already has the address. */
export const add = statement(
  'contacts_add',
  `insert into contact (id, account_id, email, address, name, status, source, source_url, consent_text, consent_at, tags,
     double_opt_in, sender, template_id, confirmation_sent_at, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16)
   on conflict (account_id, email) do nothing returning id`,
)

/** $2 contacts that are not asked, as JSON, $3 now. A known contact stays as it is; of repeated rows the first counts. */
export const addListed = statement(
  'contacts_add_listed',
  `insert into contact (id, account_id, email, address, name, status, source, source_url, consent_text, consent_at, tags,
     double_opt_in, sender, template_id, created_at, updated_at)
   select n.id, $1, n.email, n.address, n.name, 'subscribed', n.source, n.source_url, n.consent_text, n.consent_at, n.tags,
     false, n.sender, n.template_id, $3, $3
   from jsonb_to_recordset($2::jsonb) as n(id uuid, email text, address text, name text, source text, source_url text,
     consent_text text, consent_at timestamptz, tags text[], sender text, template_id uuid)
   on conflict (account_id, email) do nothing`,
)

/** $3 and $5: true when name and tags are given. */
export const change = statement(
  'contacts_change',
  `update contact set name = case when $3 then $4 else name end, tags = case when $5 then $6::text[] else tags end,
     updated_at = $7
   where account_id = $1 and id = $2 returning email`,
)
export const remove = statement('contacts_remove', 'delete from contact where account_id = $1 and id = $2')
export const forget = statement('contacts_forget', 'delete from contact where account_id = $1 and email = $2')

/** A time that lies ahead was written under a clock that has since been put back, and holds nobody up. */
const liesAhead = (at: string, now: string): string =>
  `${at} > ${now}::timestamptz + interval '${SKEW_MS} milliseconds'`

/** $3 now, $4 latest allowed time of the previous resend, $5 maximum of resends. No row: not allowed now. */
export const countResend = statement(
  'contacts_count_resend',
  `update contact set resends = resends + 1, resent_at = $3, confirmation_sent_at = $3, updated_at = $3
   where account_id = $1 and id = $2 and status = 'pending_confirmation' and resends < $5
     and (resent_at is null or resent_at <= $4 or ${liesAhead('resent_at', '$3')})
   returning id`,
)

/**
 * Asks an unsubscribed contact again: $3 now, $4 latest allowed time of the previous asking, $5 source, $6 to $8 the new
 * consent, $9 sender, $10 template, $11 the old consent, appended to the earlier ones. No row: asked already.
 */
export const askBack = statement(
  'contacts_ask_back',
  `update contact c set status = 'pending_confirmation', asked_back_at = $3, double_opt_in = true, resends = 0, resent_at = null,
     confirmation_sent_at = $3, confirmed_at = null, confirmed_ip = null, confirmed_user_agent = null, updated_at = $3,
     earlier_consents = c.earlier_consents || jsonb_build_array($11::jsonb),
     source = $5, source_url = $6, consent_text = $7, consent_at = $8, sender = $9, template_id = $10
   where c.account_id = $1 and c.id = $2 and c.status = 'subscribed'
     and (c.asked_back_at is null or c.asked_back_at <= $4 or ${liesAhead('c.asked_back_at', '$3')})
   returning id`,
)

export const confirm = statement(
  'contacts_confirm',
  `update contact set status = 'subscribed', confirmed_at = $3, confirmed_ip = $4, confirmed_user_agent = $5, updated_at = $3
   where account_id = $1 and id = $2 and status = 'pending_confirmation' returning id`,
)

// --- confirmation mails to one address, over all accounts

/** Mails to the address $1 (a keyed hash; $2 sandbox) after $3; $4 now. */
export const recentMails = statement(
  'contacts_recent_mails',
  `select t as sent_at from confirmation_mail m cross join lateral unnest(m.sent_at) as t
   where m.address_hash = $1 and m.sandbox = $2 and t > $3 and not ${liesAhead('t', '$4')} order by t`,
)
const COUNTED_MAILS = `from unnest(m.sent_at) as t where t > $4 and not ${liesAhead('t', '$3')}`
/** $3 now, $4 mails after this count, $5 maximum. No row: the address has received the maximum. */
export const takeMail = statement(
  'contacts_take_mail',
  `insert into confirmation_mail as m (address_hash, sandbox, sent_at, last_at) values ($1, $2, array[$3::timestamptz], $3)
   on conflict (address_hash, sandbox) do update set
     sent_at = (select coalesce(array_agg(t), '{}') ${COUNTED_MAILS}) || $3::timestamptz, last_at = $3
   where (select count(*) ${COUNTED_MAILS}) < $5
   returning last_at`,
)
/** $1 mails before this moment no longer count, $2 maximum of rows. */
export const forgetMails = statement(
  'contacts_forget_mails',
  `delete from confirmation_mail m using (
     select address_hash, sandbox from confirmation_mail where last_at < $1 order by last_at limit $2 for update skip locked) o
   where m.address_hash = o.address_hash and m.sandbox = o.sandbox`,
)
